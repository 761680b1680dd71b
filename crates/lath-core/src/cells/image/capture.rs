#![expect(unsafe_code, reason = "copies the memory of slots, of which it knows which are in use")]
//! Taking an image of a pool.

use super::*;

/// An image that is being made: if a `Clone` panics, it is left empty.
pub(super) struct Unfinished<'a, T: Snap>(pub(super) &'a mut Image<T>);

impl<T: Snap> Unfinished<'_, T> {
    pub(super) fn done(self) {
        core::mem::forget(self);
    }
}

impl<T: Snap> Drop for Unfinished<'_, T> {
    fn drop(&mut self) {
        self.0.forget();
    }
}

impl<T: Snap> Image<T> {
    /// Becomes the image of nothing. Buffers are kept.
    pub(super) fn forget(&mut self) {
        self.runs.clear();
        self.numbers.clear();
        self.run_of.clear();
        self.live.clear();
        self.others.clear();
        self.old.clear();
        self.maps.clear();
        self.apart.clear();
        self.owners.clear();
        self.ticks.clear();
        self.tags = 0;
    }
}

/// Whether others may stage and reserve meanwhile, behind shared references to the same pool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Exclusive,
    Shared,
}

impl<T: Snap> Cells<T> {
    /// An image of all slots. What others stage or reserve in the same moment may be missing from
    /// it.
    pub(crate) fn capture(&self, image: &mut Image<T>) {
        let image = Unfinished(image);
        image.0.forget();
        self.find_runs(image.0);
        image.0.make_rows();
        self.note_states(image.0);
        self.note_tags_of(image.0);
        self.note_ticks(image.0);
        for n in 0..image.0.runs.len() {
            let run = image.0.runs[n];
            self.copy_run(image.0, run);
        }
        image.done();
    }

    /// Finds the groups that have things or had some: from the start of every block to the last of
    /// them. Of slots after that there is only the stamp to note.
    pub(super) fn find_runs(&self, image: &mut Image<T>) {
        let slots = u64::from(GROUP * BLOCK);
        let mut made = self.values.memory().ranges().map(|range| range.start / slots).peekable();
        let claims = self.claims();
        let mut claimed = claims.iter().map(|&index| u64::from(index) / slots).peekable();
        let mut next = 0;
        while let Some(block) = match (made.peek(), claimed.peek()) {
            (Some(one), Some(other)) => Some(*one.min(other)),
            (one, other) => one.or(other).copied(),
        } {
            while made.next_if_eq(&block).or_else(|| claimed.next_if_eq(&block)).is_some() {}
            if block >= next {
                self.find_run(image, block as u32 * BLOCK);
            }
            next = block + 1;
        }
    }

    /// The same in the block that begins with a group.
    fn find_run(&self, image: &mut Image<T>, first: u32) {
        let is_used = |n: &u32| self.slots.group(first + n)[0] | self.newly_claimed(first + n) != 0;
        let used = (0..BLOCK).rev().find(is_used).map_or(0, |last| last + 1);
        if used > 0 {
            image.push_run(first, used);
        }
        let worn = self.slots.worn_end().clamp(first, first + BLOCK);
        for number in first + used..worn {
            if self.has_stamps(number) {
                let slots = (0..GROUP).map(|bit| number * GROUP + bit);
                let stamps = slots.map(|index| (index, self.even_stamp(index)));
                image.old.extend(stamps.filter(|(_, stamp)| *stamp != SPENT));
            }
        }
    }

    /// Whether any slot of a group has been used before.
    pub(super) fn has_stamps(&self, number: u32) -> bool {
        let Some(first) = self.values.place(number * GROUP) else { return false };
        let first = T::Storage::stamp(first).cast_const();
        // SAFETY: the place is of this storage, and so are the other 63 of the group, whose stamps
        // are as far apart as it says. Stamps are initialised wherever there is a place, and do not
        // change behind `&self` (C3).
        let stamp = |n: usize| unsafe { first.byte_add(n * T::Storage::STAMP_STRIDE).read() };
        (0..GROUP as usize).fold(0, |all, n| all | stamp(n)) != SPENT
    }

    /// The stamp of a slot that was seen to be free.
    fn even_stamp(&self, index: u32) -> u32 {
        self.main_stamp(index).unwrap_or(SPENT)
    }

    /// Notes the states of the slots, with those that are claimed in the nursery by now.
    pub(super) fn note_states(&self, image: &mut Image<T>) {
        let Image { runs, numbers, live, others, .. } = image;
        for run in &*runs {
            // Groups of which slots were claimed in the nursery only may have no words yet.
            let (words, end) = (self.slots.live_words(run.group), run.places().end);
            live.extend_from_slice(&words[..words.len().min(run.len as usize)]);
            live.resize(end, 0);
        }
        if self.slots.all_free_or_live() && self.nursery.count() == 0 {
            return;
        }
        others.extend(numbers.iter().map(|&number| {
            let [taken, live, claimed, buried] = self.slots.group(number);
            let out_of_use = taken & !(live | claimed | buried);
            let claimed = claimed | self.newly_claimed(number);
            let staged =
                ones(claimed).filter(|bit| self.stamp(number * GROUP + bit).is_some_and(is_live));
            let staged = staged.fold(0, |set, bit| set | 1 << bit);
            Others { out_of_use, claimed, buried, staged }
        }));
    }

    /// Notes when every part of every group was last changed.
    pub(super) fn note_ticks(&self, image: &mut Image<T>) {
        let Some(marks) = &self.marks else { return };
        let parts = Image::<T>::PARTS;
        image.ticks.resize(image.numbers.len() * parts, 0);
        let mut ticks = &mut image.ticks[..];
        for run in &image.runs {
            let (these, rest) = ticks.split_at_mut(run.len as usize * parts);
            for part in 0..parts {
                let fields = const { Image::<T>::FIELDS_OF }[part];
                marks.raise(run.group, fields, &mut these[part..], parts);
            }
            ticks = rest;
        }
    }

    /// Notes tags, and who owns which group.
    pub(super) fn note_tags_of(&self, image: &mut Image<T>) {
        if !Self::TAGGED {
            return;
        }
        image.tags = self.tags.in_use();
        let Image { numbers, others, maps, apart, owners, sets, .. } = image;
        for &number in &*numbers {
            maps.extend(ones(image.tags).map(|tag| self.tags.word(tag, number)));
        }
        for (&number, others) in numbers.iter().zip(others) {
            for index in ones(others.buried | others.staged).map(|bit| number * GROUP + bit) {
                // SAFETY: the place holds a value: it was seen to be buried or staged.
                let tags = unsafe { self.values.tags(self.value_place(index)) };
                apart.push((index, tags.widen()));
            }
        }
        if self.clustered {
            self.clusters.sets(sets);
            owners.extend(numbers.iter().map(|&number| self.clusters.owner_of(number, sets)));
        } else {
            owners.resize(numbers.len(), None);
        }
    }

    /// Copies the values of some groups in a row.
    fn copy_run(&self, image: &mut Image<T>, run: Run) {
        let Range { start: mut at, end } = run.places();
        while at < end {
            let full = image.full(at, end).min(self.side_by_side(image.numbers[at]));
            if full > 0 {
                self.copy_groups(image, run, at..at + full);
            } else {
                self.copy_slots(image, at);
            }
            at += full.max(1);
        }
        if Image::<T>::CLONED == 0 {
            return;
        }
        for at in run.places() {
            let (number, held) = (image.numbers[at], image.held(at));
            for kept in &mut image.kept {
                // SAFETY: the slots hold values (`held`), of which nobody has exclusive use behind
                // `&self`.
                unsafe { kept.take(at, &self.values, &|bit| self.place_in(number, bit), held) };
            }
        }
    }

    /// How many groups from one on lie side by side in the pool.
    pub(super) fn side_by_side(&self, number: u32) -> usize {
        (self.values.memory().run_len(number * GROUP) / GROUP) as usize
    }

    /// Where the value of a slot is that holds one: perhaps still in the nursery.
    fn value_place(&self, index: u32) -> Place<T> {
        let place = match self.in_nursery(index) {
            Some((_, place)) => place,
            None => self.values.place(index),
        };
        place.unwrap_or_else(|| unreachable!("slot {index} holds a value"))
    }

    /// The same for a slot of a group.
    pub(super) fn place_in(&self, number: u32, bit: u32) -> Place<T> {
        self.value_place(number * GROUP + bit)
    }

    /// Copies the strips of some groups of a run whole, which lie side by side.
    fn copy_groups(&self, image: &mut Image<T>, run: Run, places: Range<usize>) {
        let (number, rows) = (image.numbers[places.start], run.rows_of(&places));
        let first = self.first_place(number);
        for strip in Image::<T>::byte_strips() {
            let start = Image::<T>::element(run, strip, rows.start);
            let bytes = start..start + rows.len() * Image::<T>::stride(strip);
            self.copy_bytes(&mut image.bytes[bytes], first, strip);
        }
        if !Image::<T>::STAMPS_IN_STRIP {
            for (n, row) in (places.start * GROUP as usize..places.end * GROUP as usize).enumerate()
            {
                image.stamps[row] = self.main_stamp(number * GROUP + n as u32).unwrap_or(SPENT);
            }
        }
    }

    /// Copies some memory, from a strip of the first place on, of slots that all hold values.
    fn copy_bytes(&self, to: &mut [MaybeUninit<u8>], first: Place<T>, strip: usize) {
        // SAFETY: in bounds: the slots lie side by side (by the callers), so there are as many
        // elements. Nobody writes to them meanwhile: all slots are live or buried, and nobody has
        // them exclusively behind `&self`. The bytes are of plain values, of which there may be
        // copies.
        unsafe {
            let from = self.values.strip(first, strip).cast::<MaybeUninit<u8>>();
            from.copy_to_nonoverlapping(to.as_mut_ptr(), to.len());
        }
    }

    /// Copies what the slots of one group hold.
    fn copy_slots(&self, image: &mut Image<T>, at: usize) {
        let mut bytes = core::mem::take(&mut image.bytes);
        for strip in Image::<T>::byte_strips() {
            self.copy_strip(image, &mut bytes[image.group_bytes(at, strip)], at, strip);
        }
        image.bytes = bytes;
        if !Image::<T>::STAMPS_IN_STRIP {
            for bit in 0..GROUP {
                let stamp = self.seen_stamp(image, at, bit);
                image.stamps[at * GROUP as usize + bit as usize] = stamp;
            }
        }
    }

    /// Copies a strip of a group: that at `at` of the image, which has its states. Where slots hold
    /// nothing there are zeros, but for the stamps.
    pub(super) fn copy_strip(
        &self,
        image: &Image<T>,
        to: &mut [MaybeUninit<u8>],
        at: usize,
        strip: usize,
    ) {
        let (number, stride) = (image.numbers[at], Image::<T>::stride(strip));
        if image.is_full(at) {
            return self.copy_bytes(to, self.first_place(number), strip);
        }
        to.fill(ZERO);
        if strip == 0 {
            for (bit, element) in (0..GROUP).zip(to.chunks_exact_mut(stride)) {
                write_stamp(element, self.seen_stamp(image, at, bit));
            }
        }
        let (held, new) = (image.held(at), self.newly_claimed(number));
        let apart = ones(held & new).map(|bit| (bit, 1));
        for (bit, count) in runs_of(held & !new).chain(apart) {
            let (start, len) = (bit as usize * stride, count as usize * stride);
            self.copy_bytes(&mut to[start..start + len], self.place_in(number, bit), strip);
        }
    }

    /// The stamp of a slot, as it goes with the states that were seen.
    pub(super) fn seen_stamp(&self, image: &Image<T>, at: usize, bit: u32) -> u32 {
        let index = image.numbers[at] * GROUP + bit;
        match (image.held(at) >> bit & 1, image.words(at)[0] >> bit & 1) {
            (1, _) => self.stamp(index).unwrap_or(SPENT),
            (_, 0) => self.even_stamp(index),
            // Reserved, or staged in this moment: then it counts as reserved. Retired, or slot 0:
            // as it is.
            _ => self.stamp(index).map_or(SPENT, |stamp| stamp & !1),
        }
    }
}
