#![expect(unsafe_code, reason = "copies bytes between images")]
//! What has to be changed in one image to make it another: by groups of 64 slots, and in each by strip.

use super::*;

/// The difference between two images of the same pool. It has what is new, so that applying it twice does no harm.
pub(crate) struct ImageDelta<T: Snap> {
    /// The groups of the new image, if they are not those of the old one.
    groups: Option<(Vec<Run>, Vec<u32>)>,
    /// The groups that differ: their states, stamps and tags are here, as in an image. Of the bytes and the cloned values there
    /// are only those of the parts that differ, one group after the other.
    part: Image<T>,
    /// Which parts of each of these groups differ, a bit for each.
    parts: Vec<u128>,
    /// The new image knows when what was changed.
    tracked: bool,
}

/// Where what is new comes from.
pub(crate) enum Source<'a, T: Snap> {
    Pool(&'a Cells<T>),
    Image(&'a Image<T>),
}

impl<T: Snap> ImageDelta<T> {
    pub(crate) fn new() -> Self {
        Self { groups: None, part: Image::new(), parts: Vec::new(), tracked: false }
    }

    /// How many groups differ.
    pub(crate) fn len(&self) -> usize {
        self.part.numbers.len()
    }

    /// How many bytes it takes, but for what cloned values have on the heap.
    pub(crate) fn bytes(&self) -> usize {
        self.part.bytes() + self.groups.as_ref().map_or(0, |(_, numbers)| numbers.len() * 4)
    }

    /// Finds what is new since `old`. `since` is the first tick that is later than that; without it, all counts as new.
    pub(crate) fn find(&mut self, old: &Image<T>, source: Source<'_, T>, since: Option<u64>) {
        let Self { groups, part, parts, tracked: tracks } = self;
        let unfinished = Unfinished(part);
        let part = &mut *unfinished.0;
        part.forget();
        parts.clear();
        // First what there is, cheaply, without values.
        match source {
            Source::Pool(cells) => {
                cells.find_runs(part);
                cells.note_words(part);
                cells.note_tags_of(part);
                cells.note_ticks(part);
            }
            Source::Image(new) => part.copy_slots_of(new),
        }
        *groups = (part.numbers != old.numbers).then(|| (part.runs.clone(), part.numbers.clone()));
        part.runs.clear();
        let fields = part.tags.count_ones() as usize;
        let (mut kept, ticks) = (0, core::mem::take(&mut part.ticks));
        let tracked = !ticks.is_empty();
        let mut places = Vec::new();
        for at in 0..part.numbers.len() {
            let changed = changed_parts::<T>(part, at, old, &ticks, since);
            if changed == 0 {
                continue;
            }
            parts.push(changed);
            places.push(at);
            // Those that differ move to the front.
            part.numbers[kept] = part.numbers[at];
            part.words[kept] = part.words[at];
            part.held[kept] = part.held[at];
            part.maps.copy_within(at * fields..(at + 1) * fields, kept * fields);
            if Cells::<T>::TAGGED {
                part.owners[kept] = part.owners[at];
            }
            kept += 1;
        }
        part.numbers.truncate(kept);
        part.words.truncate(kept);
        part.held.truncate(kept);
        part.maps.truncate(kept * fields);
        part.owners.truncate(kept);
        part.ticks = ticks;
        if !part.ticks.is_empty() {
            for (to, &at) in places.iter().enumerate() {
                part.ticks.copy_within(at * Image::<T>::PARTS..(at + 1) * Image::<T>::PARTS, to * Image::<T>::PARTS);
            }
            part.ticks.truncate(kept * Image::<T>::PARTS);
        }
        *tracks = tracked;
        part.copy_parts(parts, &places, &source);
        unfinished.done();
    }

    /// Turns the old image into the new one.
    pub(crate) fn apply(&self, image: &mut Image<T>) {
        let unfinished = Unfinished(image);
        let image = &mut *unfinished.0;
        let Self { groups, part, parts, tracked } = self;
        if let Some((runs, numbers)) = groups {
            image.reorder(runs, numbers);
        }
        image.old.clone_from(&part.old);
        image.apart.clone_from(&part.apart);
        let ticks = if *tracked { image.numbers.len() * Image::<T>::PARTS } else { 0 };
        image.ticks.resize(ticks, u64::MAX);
        image.spread_tags(part.tags);
        let count = part.tags.count_ones() as usize;
        let mut next = [0; MOST_PARTS];
        for (from, &number) in part.numbers.iter().enumerate() {
            let Some(at) = image.place_of(number) else { unreachable!("the groups are those of the new image") };
            image.words[at] = part.words[from];
            image.held[at] = part.held[from];
            image.maps[at * count..(at + 1) * count].copy_from_slice(&part.maps[from * count..(from + 1) * count]);
            if Cells::<T>::TAGGED {
                image.owners[at] = part.owners[from];
            }
            if !Image::<T>::STAMPS_IN_STRIP {
                let group = GROUP as usize;
                image.stamps[at * group..(at + 1) * group]
                    .copy_from_slice(&part.stamps[from * group..(from + 1) * group]);
            }
            if *tracked {
                let count = Image::<T>::PARTS;
                image.ticks[at * count..(at + 1) * count]
                    .copy_from_slice(&part.ticks[from * count..(from + 1) * count]);
            }
            for which in (0..Image::<T>::PARTS).filter(|which| parts[from] >> which & 1 == 1) {
                image.copy_part_of(at, part, next[which], which);
                next[which] += 1;
            }
        }
        unfinished.done();
    }
}

/// The parts of a group that may differ.
fn changed_parts<T: Snap>(new: &Image<T>, at: usize, old: &Image<T>, ticks: &[u64], since: Option<u64>) -> u128 {
    let all = (1u128 << Image::<T>::PARTS) - 1;
    let (Some(since), Some(before)) = (since.filter(|_| !ticks.is_empty()), old.place_of(new.numbers[at])) else {
        return all;
    };
    // What is staged is not marked, and neither is a slot that becomes free or taken without a value.
    if new.words[at] != old.words[before] || new.words[at][2] != 0 {
        return all;
    }
    let ticks = &ticks[at * Image::<T>::PARTS..(at + 1) * Image::<T>::PARTS];
    // Mostly none of them, which is told sooner than which.
    if !ticks.iter().any(|&tick| tick >= since) {
        return 0;
    }
    ticks.iter().enumerate().filter(|(_, tick)| **tick >= since).fold(0, |set, (part, _)| set | 1 << part)
}

impl<T: Snap> Image<T> {
    /// Copies one part of a group from another image.
    fn copy_part_of(&mut self, at: usize, from: &Self, place: usize, which: usize) {
        if Self::BYTES >> which & 1 == 1 {
            let len = GROUP as usize * Self::stride(which);
            self.strips[which][at * len..(at + 1) * len]
                .copy_from_slice(&from.strips[which][place * len..(place + 1) * len]);
        }
        for (field, _) in Self::kept_parts().enumerate().filter(|(_, part)| *part == which) {
            self.kept[field].copy_group(at, &*from.kept[field], place);
        }
    }

    /// Takes over what another image knows about the slots, without values.
    fn copy_slots_of(&mut self, new: &Self) {
        self.runs.clone_from(&new.runs);
        self.numbers.clone_from(&new.numbers);
        self.words.clone_from(&new.words);
        self.held.clone_from(&new.held);
        self.old.clone_from(&new.old);
        self.tags = new.tags;
        self.maps.clone_from(&new.maps);
        self.apart.clone_from(&new.apart);
        self.owners.clone_from(&new.owners);
        self.ticks.clone_from(&new.ticks);
    }

    /// Copies the parts that differ, of groups that are at `places` of the source.
    fn copy_parts(&mut self, parts: &[u128], places: &[usize], source: &Source<'_, T>) {
        let mut counts = [0; MOST_PARTS];
        for (which, count) in counts.iter_mut().enumerate().take(Self::PARTS) {
            *count = parts.iter().filter(|parts| **parts >> which & 1 == 1).count();
        }
        for strip in Self::byte_strips() {
            let len = counts[strip] * GROUP as usize * Self::stride(strip);
            let buffer = &mut self.strips[strip];
            buffer.reserve(len.saturating_sub(buffer.len()));
            // SAFETY: the capacity is there, and bytes of `MaybeUninit` are always initialised.
            unsafe { buffer.set_len(len) };
        }
        for (kept, part) in self.kept.iter_mut().zip(Self::kept_parts()) {
            kept.resize(counts[part]);
        }
        if !Self::STAMPS_IN_STRIP {
            self.stamps.resize(parts.len() * GROUP as usize, 0);
        }
        let mut next = [0; MOST_PARTS];
        for (from, &place) in places.iter().enumerate() {
            if !Self::STAMPS_IN_STRIP {
                self.copy_stamps(from, place, source);
            }
            for which in (0..Self::PARTS).filter(|which| parts[from] >> which & 1 == 1) {
                let to = next[which];
                next[which] += 1;
                match source {
                    Source::Image(image) => self.copy_part_of(to, image, place, which),
                    Source::Pool(cells) => cells.copy_part(self, from, to, which),
                }
            }
        }
    }

    /// Copies the stamps of a group.
    fn copy_stamps(&mut self, to: usize, place: usize, source: &Source<'_, T>) {
        let (to, group) = (to * GROUP as usize, GROUP as usize);
        match source {
            Source::Image(image) => {
                self.stamps[to..to + group].copy_from_slice(&image.stamps[place * group..(place + 1) * group]);
            }
            Source::Pool(cells) => {
                let number = self.numbers[to / group];
                for bit in 0..GROUP {
                    self.stamps[to + bit as usize] = cells.seen_stamp(self, to / group, number, bit);
                }
            }
        }
    }

    /// Puts the groups of the image into other runs; groups that are new hold nothing yet.
    fn reorder(&mut self, runs: &[Run], numbers: &[u32]) {
        let order: Vec<Option<u32>> = numbers.iter().map(|&number| self.place_of(number).map(|at| at as u32)).collect();
        let pick = |from: &[MaybeUninit<u8>], len: usize| {
            let mut bytes = Vec::with_capacity(order.len() * len);
            for at in &order {
                match at {
                    Some(at) => bytes.extend_from_slice(&from[*at as usize * len..(*at as usize + 1) * len]),
                    None => bytes.resize(bytes.len() + len, MaybeUninit::uninit()),
                }
            }
            bytes
        };
        for strip in Self::byte_strips() {
            self.strips[strip] = pick(&self.strips[strip], GROUP as usize * Self::stride(strip));
        }
        self.kept.iter_mut().for_each(|kept| kept.reorder(&order));
        let count = self.tags.count_ones() as usize;
        let at = |at: &Option<u32>| at.map(|at| at as usize);
        if !Self::STAMPS_IN_STRIP {
            let group = GROUP as usize;
            let stamps = |place: &Option<u32>| {
                at(place).map_or([SPENT; 64], |at| core::array::from_fn(|n| self.stamps[at * group + n]))
            };
            self.stamps = order.iter().flat_map(stamps).collect();
        }
        let maps = order.iter().flat_map(|place| (0..count).map(move |n| at(place).map_or(0, |at| at * count + n + 1)));
        self.maps = maps.map(|place| place.checked_sub(1).map_or(0, |place| self.maps[place])).collect();
        if Cells::<T>::TAGGED {
            self.owners = order.iter().map(|place| at(place).and_then(|at| self.owners[at])).collect();
        }
        if !self.ticks.is_empty() {
            let parts = order.iter().flat_map(|place| (0..Self::PARTS).map(move |n| (at(place), n)));
            let tick =
                |(place, n): (Option<usize>, usize)| place.map_or(u64::MAX, |at| self.ticks[at * Self::PARTS + n]);
            self.ticks = parts.map(tick).collect();
        }
        self.words = order.iter().map(|place| at(place).map_or([0; 4], |at| self.words[at])).collect();
        self.held = order.iter().map(|place| at(place).map_or(0, |at| self.held[at])).collect();
        self.runs = runs.to_vec();
        self.numbers = numbers.to_vec();
    }

    /// Makes room for the bitmaps of other tags.
    fn spread_tags(&mut self, tags: u64) {
        if self.tags == tags {
            return;
        }
        let (old, count) = (core::mem::take(&mut self.maps), self.tags.count_ones() as usize);
        for at in 0..self.numbers.len() {
            self.maps.extend(ones(tags).map(|tag| match self.tags >> tag & 1 {
                1 => old[at * count + (self.tags & ((1 << tag) - 1)).count_ones() as usize],
                _ => 0,
            }));
        }
        self.tags = tags;
    }
}

impl<T: Snap> Cells<T> {
    /// Copies one part of a group: group `from` of the part image, which has the states, into place `to` of the buffers.
    fn copy_part(&self, part: &mut Image<T>, from: usize, to: usize, which: usize) {
        let (number, held) = (part.numbers[from], part.held[from]);
        let first = self.first_place(number);
        for (kept, _) in part.kept.iter_mut().zip(Image::<T>::kept_parts()).filter(|(_, part)| *part == which) {
            // SAFETY: the first place of a group of this storage; the slots hold values (`held`), of which nobody has
            // exclusive use behind `&self`.
            unsafe { kept.take(to, &self.values, first, held) };
        }
        if Image::<T>::BYTES >> which & 1 == 1 {
            let stride = Image::<T>::stride(which);
            let row = to * GROUP as usize;
            if which == 0 {
                for bit in 0..GROUP {
                    let stamp = self.seen_stamp(part, from, number, bit);
                    part.put_stamp(row + bit as usize, stamp);
                }
            }
            self.copy_held(&mut part.strips[which][row * stride..(row + GROUP as usize) * stride], first, which, held);
        }
    }
}
