#![expect(unsafe_code, reason = "copies the memory of slots, of which it knows which are in use")]
//! Taking an image of a pool.

use super::*;
use crate::wait::wait;

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
    /// An image of all slots. While access is shared, what is staged or reserved in the same moment
    /// may be missing from it.
    pub(crate) fn capture(&self, image: &mut Image<T>, access: Access) {
        let image = Unfinished(image);
        image.0.forget();
        self.find_runs(image.0);
        image.0.make_rows();
        self.note_states(image.0);
        self.note_tags_of(image.0);
        self.note_ticks(image.0);
        for n in 0..image.0.runs.len() {
            let run = image.0.runs[n];
            self.copy_run(image.0, run, access);
        }
        image.done();
    }

    /// Finds the groups that have things or had some: from the start of every block to the last of
    /// them. Of slots after that there is only the stamp to note.
    pub(super) fn find_runs(&self, image: &mut Image<T>) {
        let worn = self.slots.worn_end().max(1);
        for range in self.values.ranges() {
            let mut start = range.start;
            while start < range.end {
                let end = (start + u64::from(T::Storage::run_len(start as u32))).min(range.end);
                let (first, groups) =
                    ((start / u64::from(GROUP)) as u32, (end - start) / u64::from(GROUP));
                let count = worn.saturating_sub(u64::from(first)).min(groups) as u32;
                let used = (0..count)
                    .rev()
                    .find(|n| self.slots.group(first + n)[0] != 0)
                    .map_or(0, |last| last + 1);
                if used > 0 {
                    image.push_run(first, used);
                }
                for number in first + used..first + count {
                    if self.has_stamps(number) {
                        let slots = (0..GROUP).map(|bit| number * GROUP + bit);
                        let stamps = slots.map(|index| (index, self.even_stamp(index)));
                        image.old.extend(stamps.filter(|(_, stamp)| *stamp != SPENT));
                    }
                }
                start = end;
            }
        }
    }

    /// Whether any slot of a group that has memory has been used before.
    pub(super) fn has_stamps(&self, number: u32) -> bool {
        let first = self.first_place(number);
        // SAFETY: the place is of this storage, and so are the other 63 of the group, whose stamps
        // are as far apart as it says. Stamps are initialised wherever there is memory, and others
        // change them through atomics only.
        let stamp = |n: usize| unsafe {
            let at = self.values.stamps(first).byte_add(n * T::Storage::STAMP_STRIDE);
            (*at.cast::<AtomicU32>()).load(Ordering::Relaxed)
        };
        (0..GROUP as usize).fold(0, |all, n| all | stamp(n)) != SPENT
    }

    /// The stamp of a slot that was seen to be free: that of one that has been claimed since is
    /// taken back.
    fn even_stamp(&self, index: u32) -> u32 {
        Handle::<T>::STAMP.generation_of(self.stamp(index).unwrap_or(SPENT)) & !1
    }

    /// Notes the states of the slots, such that they fit together although others may claim slots
    /// meanwhile.
    pub(super) fn note_states(&self, image: &mut Image<T>) {
        let Image { runs, numbers, live, others, .. } = image;
        // Which slots are live does not change behind a shared reference.
        runs.iter().for_each(|run| self.slots.live_words(run.group).copy_to(live, run.len));
        if self.slots.all_free_or_live() {
            return;
        }
        let mut rounds = 0;
        loop {
            let mut out = 0;
            others.clear();
            for run in &*runs {
                others.extend(self.slots.row(run.group..run.group + run.len).map(
                    |[taken, live, claimed, buried]| {
                        let claimed = claimed & taken; // what was claimed between the two looks was free at the first
                        let out_of_use = taken & !(live | claimed | buried);
                        out += out_of_use.count_ones();
                        Others { out_of_use, claimed, buried, staged: 0 }
                    },
                ));
            }
            // Slot 0 and the retired: neither changes behind a shared reference. If there are more,
            // somebody has taken a slot and not yet noted that it is claimed.
            if out == self.slots.retired() + 1 {
                break;
            }
            wait(&mut rounds);
        }
        for (&number, others) in numbers.iter().zip(others) {
            let staged = ones(others.claimed)
                .filter(|bit| self.stamp(number * GROUP + bit).is_some_and(is_live));
            others.staged = staged.fold(0, |set, bit| set | 1 << bit);
        }
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
                let Some(place) = self.values.place(index) else {
                    unreachable!("a slot that holds a value has memory")
                };
                // SAFETY: the place is of this storage and holds a value: it was seen to be buried
                // or staged.
                apart.push((index, unsafe { self.values.tags(place) }.widen()));
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
    fn copy_run(&self, image: &mut Image<T>, run: Run, access: Access) {
        let Range { start: mut at, end } = run.places();
        while at < end {
            let count = match access {
                Access::Exclusive => run.len as usize,
                Access::Shared => image.full(at, end),
            };
            if count > 0 {
                self.copy_groups(image, run, at..at + count);
                at += count;
            } else {
                self.copy_slots(image, at);
                at += 1;
            }
        }
        if access == Access::Exclusive && !T::Storage::ZEROED {
            for at in run.places() {
                if !image.is_full(at) {
                    image.clear_unheld(at);
                }
            }
        }
        if Image::<T>::CLONED == 0 {
            return;
        }
        for at in run.places() {
            let (first, held) = (self.first_place(image.numbers[at]), image.held(at));
            for kept in &mut image.kept {
                // SAFETY: the first place of a group of this storage; the slots hold values
                // (`held`), of which nobody has exclusive use behind `&self`.
                unsafe { kept.take(at, &self.values, first, held) };
            }
        }
    }

    /// Copies the strips of some groups of a run whole.
    fn copy_groups(&self, image: &mut Image<T>, run: Run, places: Range<usize>) {
        let (number, rows) = (image.numbers[places.start], run.rows_of(&places));
        let first = self.first_place(number);
        for (strip, bytes) in Image::<T>::pieces(run, rows, &self.values) {
            self.copy_bytes(&mut image.bytes[bytes], first, strip);
        }
        if !Image::<T>::STAMPS_IN_STRIP {
            for (n, row) in (places.start * GROUP as usize..places.end * GROUP as usize).enumerate()
            {
                image.stamps[row] = self.stamp(number * GROUP + n as u32).unwrap_or(SPENT);
            }
        }
    }

    /// Copies some memory, from a strip of the first place on: of groups in a row, or all of a span
    /// of a block. Nobody else writes to it meanwhile.
    pub(super) fn copy_bytes(&self, to: &mut [MaybeUninit<u8>], first: Place<T>, strip: usize) {
        // SAFETY: in bounds: the groups are in one run of the storage (by the callers), so there
        // are as many elements side by side, or the strips of a whole block lie as in the image
        // (`pieces`, by what `Strips` promises). Nobody writes to them meanwhile: all slots are
        // live or buried, and neither changes behind a shared reference (S3), or nobody else has
        // the pool; what is between strips is nobody's. The bytes are of plain values, of which
        // there may be copies, or mean nothing (I3 in `copy_run`).
        unsafe {
            let from = self.values.strip(first, strip).cast::<MaybeUninit<u8>>();
            from.copy_to_nonoverlapping(to.as_mut_ptr(), to.len());
        }
    }

    /// Copies what slots of one group hold, slot by slot: others may be writing to slots that are
    /// free or claimed.
    fn copy_slots(&self, image: &mut Image<T>, at: usize) {
        let mut bytes = core::mem::take(&mut image.bytes);
        for strip in Image::<T>::byte_strips() {
            self.copy_strip(image, &mut bytes[image.group_bytes(at, strip)], at, strip);
        }
        image.bytes = bytes;
        if !Image::<T>::STAMPS_IN_STRIP {
            for bit in 0..GROUP {
                let stamp = self.seen_stamp(image, at, image.numbers[at], bit);
                image.stamps[at * GROUP as usize + bit as usize] = stamp;
            }
        }
    }

    /// Copies what some slots of a group hold, in one strip.
    pub(super) fn copy_held(
        &self,
        to: &mut [MaybeUninit<u8>],
        first: Place<T>,
        strip: usize,
        held: u64,
    ) {
        let stride = Image::<T>::stride(strip);
        for (bit, count) in runs_of(held) {
            let (start, len) = (bit as usize * stride, count as usize * stride);
            let to = &mut to[start..start + len];
            // SAFETY: both places are of this storage and in one group, and the elements of the
            // slots lie side by side. The slots hold values, and were seen to with acquire
            // ordering, so nobody writes to them behind `&self`. The bytes are of plain values, of
            // which there may be copies.
            unsafe {
                let from = self.values.strip(T::Storage::step(first, bit), strip);
                from.cast::<MaybeUninit<u8>>().copy_to_nonoverlapping(to.as_mut_ptr(), len);
            }
        }
    }

    /// The stamp of a slot, as it goes with the states that were seen.
    pub(super) fn seen_stamp(&self, image: &Image<T>, at: usize, number: u32, bit: u32) -> u32 {
        let index = number * GROUP + bit;
        match (image.held(at) >> bit & 1, image.words(at)[0] >> bit & 1) {
            (1, _) => self.stamp(index).unwrap_or(SPENT),
            (_, 0) => self.even_stamp(index),
            // Reserved, or staged in this moment: then it counts as reserved. Retired, or slot 0:
            // as it is.
            _ => self.stamp(index).map_or(SPENT, |stamp| stamp & !1),
        }
    }
}
