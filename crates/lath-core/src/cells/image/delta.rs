#![expect(unsafe_code, reason = "copies bytes between images")]
//! What has to be changed in one image to make it another: by groups of 64 slots, and in each by
//! strip.

use super::*;

/// The difference between two images of the same pool. It has what is new, so that applying it
/// twice does no harm.
pub(crate) struct ImageDelta<T: Snap> {
    /// The groups of the new image, if they are not those of the old one.
    groups: Option<(Vec<Run>, Vec<u32>)>,
    /// The groups of which more than values may differ: their states, stamps and tags are here, as
    /// in an image. Of the cloned values of each part there are those of the groups in which it
    /// differs, one after the other.
    part: Image<T>,
    /// Where each of these groups is in the new image.
    places: Vec<u32>,
    /// Of each part.
    parts: Vec<Changed>,
    /// How many groups differ.
    len: usize,
    /// Every slot but slot 0 is free or live in the new image.
    all_free_or_live: bool,
    /// The new image knows when what was changed.
    tracked: bool,
}

/// Where a part differs.
#[derive(Default)]
struct Changed {
    /// The places of the groups in the new image.
    places: Vec<u32>,
    /// When it was changed in each of them, if that is known.
    ticks: Vec<u64>,
    /// Its bytes in each of them, one after the other, if it is a strip that is copied.
    bytes: Lines,
}

/// Where what is new comes from.
pub(crate) enum Source<'a, T: Snap> {
    Pool(&'a Cells<T>),
    Image(&'a Image<T>),
}

impl<T: Snap> ImageDelta<T> {
    pub(crate) fn new() -> Self {
        let (part, places, parts) = (Image::new(), Vec::new(), Vec::new());
        Self { groups: None, part, places, parts, len: 0, all_free_or_live: true, tracked: false }
    }

    /// How many groups differ.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many bytes it takes, but for what cloned values have on the heap.
    pub(crate) fn bytes(&self) -> usize {
        let part = |part: &Changed| part.places.len() * 4 + part.ticks.len() * 8 + part.bytes.len();
        self.part.bytes()
            + self.parts.iter().map(part).sum::<usize>()
            + self.groups.as_ref().map_or(0, |(_, numbers)| numbers.len() * 4)
    }

    /// Finds what is new since `old`. `since` is the first tick that is later than that; without
    /// it, all counts as new.
    pub(crate) fn find(&mut self, old: &Image<T>, source: Source<'_, T>, since: Option<u64>) {
        let Self { groups, part, places, .. } = self;
        let unfinished = Unfinished(part);
        let part = &mut *unfinished.0;
        part.forget();
        places.clear();
        // If a `Clone` panics, there are none.
        let mut parts = core::mem::take(&mut self.parts);
        parts.resize_with(Image::<T>::PARTS, Changed::default);
        parts.iter_mut().for_each(|part| part.places.clear());
        self.len = 0;
        // First what there is, cheaply, without values.
        match source {
            Source::Pool(cells) => {
                cells.find_runs(part);
                cells.note_states(part);
                cells.note_tags_of(part);
            }
            Source::Image(new) => part.copy_slots_of(new),
        }
        self.all_free_or_live = part.others.is_empty();
        self.tracked = source.is_tracked();
        let since = since.filter(|_| self.tracked);
        let same_groups = part.runs == old.runs;
        *groups = (!same_groups).then(|| (part.runs.clone(), part.numbers.clone()));
        let mut at = 0;
        for &Run { group, len, .. } in &part.runs {
            let (mut number, end) = (group, group + len);
            while number < end {
                // Up to the next multiple of 64: there are marks for as many at once.
                let count = (64 - number % 64).min(end - number);
                let mut changed = [0; MOST_PARTS];
                let differ = match since {
                    Some(since) => {
                        source.find_changed(&mut changed, at, number, count, since);
                        part.differing(at, count, old, same_groups)
                    }
                    None => u64::MAX,
                };
                let here = u64::MAX >> (64 - count);
                let mut any = differ & here;
                for (part, changed) in parts.iter_mut().zip(changed) {
                    let changed = (changed | differ) & here;
                    part.places.extend(ones(changed).map(|n| at as u32 + n));
                    any |= changed;
                }
                let more = if Image::<T>::ONLY_VALUES { differ & here } else { any };
                places.extend(ones(more).map(|n| at as u32 + n));
                self.len += any.count_ones() as usize;
                (number, at) = (number + count, at + count as usize);
            }
        }
        for (which, changed) in parts.iter_mut().enumerate() {
            part.copy_part(which, changed, &source);
            changed.ticks.clear();
            if self.tracked {
                changed
                    .ticks
                    .extend(changed.places.iter().map(|&at| source.tick(part, at as usize, which)));
            }
        }
        if !Image::<T>::STAMPS_IN_STRIP {
            part.stamps.resize(places.len() * GROUP as usize, 0);
            for (to, &at) in places.iter().enumerate() {
                part.copy_stamps(to, at as usize, &source);
            }
        }
        part.keep_only(places);
        unfinished.done();
        self.parts = parts;
    }

    /// Turns the old image into the new one.
    pub(crate) fn apply(&self, image: &mut Image<T>) {
        let unfinished = Unfinished(image);
        let image = &mut *unfinished.0;
        let Self { groups, part, places, parts, .. } = self;
        if let Some((runs, numbers)) = groups {
            image.reorder(runs, numbers);
        }
        image.old.clone_from(&part.old);
        image.apart.clone_from(&part.apart);
        let ticks = if self.tracked { image.numbers.len() * Image::<T>::PARTS } else { 0 };
        image.ticks.resize(ticks, u64::MAX);
        image.spread_tags(part.tags);
        if self.all_free_or_live {
            image.others.clear();
        } else if image.others.is_empty() {
            image.others.extend(image.numbers.iter().map(|&number| Others::none(number)));
        }
        let count = part.tags.count_ones() as usize;
        for (from, &at) in places.iter().enumerate() {
            let at = at as usize;
            image.live[at] = part.live[from];
            if !self.all_free_or_live {
                image.others[at] = part.others[from];
            }
            image.maps[at * count..(at + 1) * count]
                .copy_from_slice(&part.maps[from * count..(from + 1) * count]);
            if Cells::<T>::TAGGED {
                image.owners[at] = part.owners[from];
            }
            if !Image::<T>::STAMPS_IN_STRIP {
                let group = GROUP as usize;
                image.stamps[at * group..(at + 1) * group]
                    .copy_from_slice(&part.stamps[from * group..(from + 1) * group]);
            }
        }
        for (which, changed) in parts.iter().enumerate() {
            if Image::<T>::is_bytes(which) {
                for (from, to) in
                    Image::<T>::groups_in(&image.runs, &changed.places, which).enumerate()
                {
                    image.bytes[to]
                        .copy_from_slice(&changed.bytes[Image::<T>::nth_group(which, from)]);
                }
            }
            for (from, &at) in changed.places.iter().enumerate() {
                image.copy_kept_of(at as usize, part, from, which);
            }
            for (&at, &tick) in changed.places.iter().zip(&changed.ticks) {
                image.ticks[at as usize * Image::<T>::PARTS + which] = tick;
            }
        }
        unfinished.done();
    }
}

impl<T: Snap> Source<'_, T> {
    /// Whether it is known when what was changed.
    fn is_tracked(&self) -> bool {
        match self {
            Self::Pool(cells) => cells.marks.is_some(),
            Self::Image(image) => !image.ticks.is_empty(),
        }
    }

    /// When a part of a group, which is at `at` in an image of the same groups, was last changed; 0
    /// if that is not known.
    fn tick(&self, image: &Image<T>, at: usize, part: usize) -> u64 {
        match self {
            Self::Pool(cells) => {
                let fields = const { Image::<T>::FIELDS_OF }[part];
                cells.marks.as_ref().map_or(0, |marks| marks.last(image.numbers[at], fields))
            }
            Self::Image(new) => new.ticks[at * Image::<T>::PARTS + part],
        }
    }

    /// Finds the parts that may have changed at `since` or later: sets a word for each, with a bit
    /// for each of at most 64 groups, from `number` to before the next multiple of 64, which are at
    /// `at` in the image.
    fn find_changed(
        &self,
        changed: &mut [u64; MOST_PARTS],
        at: usize,
        number: u32,
        count: u32,
        since: u64,
    ) {
        let changed = changed.iter_mut().enumerate().take(Image::<T>::PARTS);
        match self {
            Self::Pool(cells) => {
                let Some(marks) = &cells.marks else { return };
                let wholly = marks.changed(number / 64, since);
                for (part, word) in changed {
                    let fields = const { Image::<T>::FIELDS_OF }[part];
                    *word =
                        (wholly | marks.changed_in(number / 64, fields, since)) >> (number % 64);
                }
            }
            Self::Image(image) => {
                let ticks = &image.ticks[at * Image::<T>::PARTS..];
                for (part, word) in changed {
                    let ticks =
                        ticks[part..].iter().step_by(Image::<T>::PARTS).take(count as usize);
                    *word = ticks
                        .enumerate()
                        .fold(0, |set, (n, &tick)| set | u64::from(tick >= since) << n);
                }
            }
        }
    }
}

impl<T: Snap> Image<T> {
    /// Whether nothing but values can differ where the states of slots are the same: stamps are
    /// among the bytes, and there are no tags.
    const ONLY_VALUES: bool = Self::STAMPS_IN_STRIP && !Cells::<T>::TAGGED;

    /// Which of at most 64 groups from `at` on are in other states than in an older image, or might
    /// be without a mark.
    fn differing(&self, at: usize, count: u32, old: &Self, same_groups: bool) -> u64 {
        let end = at + count as usize;
        let quick = same_groups && self.others.is_empty() && old.others.is_empty();
        if quick && self.live[at..end] == old.live[at..end] {
            return 0;
        }
        let differs = |at: usize| match old.place_of(self.numbers[at]) {
            // What is staged is not marked, and neither is a slot that becomes free or taken
            // without a value.
            Some(before) => self.words(at) != old.words(before) || self.others(at).claimed != 0,
            None => true,
        };
        (at..end).rev().fold(0, |set, at| set << 1 | u64::from(differs(at)))
    }

    /// Forgets what is known about all slots but those of groups at some places, in order. They
    /// have no runs any more.
    fn keep_only(&mut self, places: &[u32]) {
        let tags = self.tags.count_ones() as usize;
        for (to, &at) in places.iter().enumerate() {
            let at = at as usize;
            self.numbers[to] = self.numbers[at];
            self.live[to] = self.live[at];
            if !self.others.is_empty() {
                self.others[to] = self.others[at];
            }
            self.maps.copy_within(at * tags..(at + 1) * tags, to * tags);
            if Cells::<T>::TAGGED {
                self.owners[to] = self.owners[at];
            }
        }
        self.runs.clear();
        self.numbers.truncate(places.len());
        self.live.truncate(places.len());
        self.others.truncate(places.len());
        self.maps.truncate(places.len() * tags);
        self.owners.truncate(places.len());
    }

    /// Where the bytes of a group are among those of a strip in groups one after the other.
    fn nth_group(strip: usize, n: usize) -> Range<usize> {
        let len = GROUP as usize * Self::stride(strip);
        n * len..(n + 1) * len
    }

    /// Copies what is cloned of one part of a group, from another image.
    fn copy_kept_of(&mut self, at: usize, from: &Self, place: usize, which: usize) {
        for (field, _) in Self::kept_parts().enumerate().filter(|(_, part)| *part == which) {
            self.kept[field].copy_group(at, &*from.kept[field], place);
        }
    }

    /// Takes over what another image knows about the slots, without values.
    fn copy_slots_of(&mut self, new: &Self) {
        self.runs.clone_from(&new.runs);
        self.numbers.clone_from(&new.numbers);
        self.live.clone_from(&new.live);
        self.others.clone_from(&new.others);
        self.old.clone_from(&new.old);
        self.tags = new.tags;
        self.maps.clone_from(&new.maps);
        self.apart.clone_from(&new.apart);
        self.owners.clone_from(&new.owners);
    }

    /// Copies one part of the groups in which it has changed, and whose states are there in this
    /// image.
    fn copy_part(&mut self, which: usize, changed: &mut Changed, source: &Source<'_, T>) {
        let Changed { places, bytes, .. } = changed;
        if Self::is_bytes(which) {
            bytes.resize(Self::nth_group(which, places.len()).start);
        }
        for (kept, _) in
            self.kept.iter_mut().zip(Self::kept_parts()).filter(|(_, part)| *part == which)
        {
            kept.resize(places.len());
        }
        for (to, &at) in places.iter().enumerate() {
            let at = at as usize;
            if Self::is_bytes(which) {
                let bytes = &mut bytes[Self::nth_group(which, to)];
                match source {
                    Source::Image(image) => {
                        bytes.copy_from_slice(&image.bytes[image.group_bytes(at, which)])
                    }
                    Source::Pool(cells) => cells.copy_strip(self, bytes, at, which),
                }
            }
            match source {
                Source::Image(image) => self.copy_kept_of(to, image, at, which),
                Source::Pool(cells) => cells.take_kept(self, at, to, which),
            }
        }
    }

    /// Copies the stamps of a group.
    fn copy_stamps(&mut self, to: usize, place: usize, source: &Source<'_, T>) {
        let (to, group) = (to * GROUP as usize, GROUP as usize);
        match source {
            Source::Image(image) => {
                self.stamps[to..to + group]
                    .copy_from_slice(&image.stamps[place * group..(place + 1) * group]);
            }
            Source::Pool(cells) => {
                let number = self.numbers[place];
                for bit in 0..GROUP {
                    self.stamps[to + bit as usize] = cells.seen_stamp(self, place, number, bit);
                }
            }
        }
    }

    /// Puts the groups of the image into other runs; groups that are new hold nothing yet.
    fn reorder(&mut self, runs: &[Run], numbers: &[u32]) {
        let order: Vec<Option<u32>> =
            numbers.iter().map(|&number| self.place_of(number).map(|at| at as u32)).collect();
        let mut bytes = Lines::default();
        bytes.resize(Self::bytes_of(runs));
        for &run in runs {
            for (to, at) in run.places().filter_map(|to| Some((to, order[to]? as usize))) {
                for strip in Self::byte_strips() {
                    bytes[Self::group_in(run, to, strip)]
                        .copy_from_slice(&self.bytes[self.group_bytes(at, strip)]);
                }
            }
        }
        self.bytes = bytes;
        self.kept.iter_mut().for_each(|kept| kept.reorder(&order));
        let count = self.tags.count_ones() as usize;
        let at = |at: &Option<u32>| at.map(|at| at as usize);
        if !Self::STAMPS_IN_STRIP {
            let group = GROUP as usize;
            let stamps = |place: &Option<u32>| {
                at(place)
                    .map_or([SPENT; 64], |at| core::array::from_fn(|n| self.stamps[at * group + n]))
            };
            self.stamps = order.iter().flat_map(stamps).collect();
        }
        let maps = order.iter().flat_map(|place| {
            (0..count).map(move |n| at(place).map_or(0, |at| at * count + n + 1))
        });
        self.maps =
            maps.map(|place| place.checked_sub(1).map_or(0, |place| self.maps[place])).collect();
        if Cells::<T>::TAGGED {
            self.owners =
                order.iter().map(|place| at(place).and_then(|at| self.owners[at])).collect();
        }
        if !self.ticks.is_empty() {
            let parts =
                order.iter().flat_map(|place| (0..Self::PARTS).map(move |n| (at(place), n)));
            let tick = |(place, n): (Option<usize>, usize)| {
                place.map_or(u64::MAX, |at| self.ticks[at * Self::PARTS + n])
            };
            self.ticks = parts.map(tick).collect();
        }
        self.live = order.iter().map(|place| at(place).map_or(0, |at| self.live[at])).collect();
        if !self.others.is_empty() {
            self.others = order
                .iter()
                .map(|place| at(place).map_or(Others::default(), |at| self.others[at]))
                .collect();
        }
        self.runs = runs.to_vec();
        self.numbers = numbers.to_vec();
        self.note_runs();
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
    /// Copies a strip of a group: that at `at` of the image, which has its states.
    pub(super) fn copy_strip(
        &self,
        image: &Image<T>,
        to: &mut [MaybeUninit<u8>],
        at: usize,
        strip: usize,
    ) {
        let number = image.numbers[at];
        let first = self.first_place(number);
        if image.is_full(at) {
            return self.copy_bytes(to, first, strip);
        }
        if strip == 0 {
            for (bit, element) in (0..GROUP).zip(to.chunks_exact_mut(Image::<T>::stride(0))) {
                write_stamp(element, self.seen_stamp(image, at, number, bit));
            }
        }
        self.copy_held(to, first, strip, image.held(at));
    }

    /// Clones what has to be cloned of one part of a group: that at `at` of the image, which has
    /// its states, to place `to` of the buffers.
    fn take_kept(&self, image: &mut Image<T>, at: usize, to: usize, which: usize) {
        if Image::<T>::CLONED == 0 {
            return;
        }
        let (first, held) = (self.first_place(image.numbers[at]), image.held(at));
        for (kept, _) in
            image.kept.iter_mut().zip(Image::<T>::kept_parts()).filter(|(_, part)| *part == which)
        {
            // SAFETY: the first place of a group of this storage; the slots hold values (`held`),
            // of which nobody has exclusive use behind `&self`.
            unsafe { kept.take(to, &self.values, first, held) };
        }
    }
}
