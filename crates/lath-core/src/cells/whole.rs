#![expect(unsafe_code, reason = "clones and drops all values")]
//! What is done to all slots at once: copy, clear, reclaim, check, drop.

use super::blocks::{BLOCK, BlockReader};
use super::*;
use crate::guard::Guard;
use crate::storage::CloneStorage;

impl<T: Thing> Cells<T> {
    /// Everything as it is, values cloned, handles good in both.
    pub(crate) fn try_clone(&self) -> Result<Self, OutOfMemory>
    where
        T::Storage: CloneStorage<T>,
    {
        let from = BlockReader::new(self); // what a `Clone` stages is not in the copy
        let mut copy = Self::new(self.slots.limit(), self.memory())?;
        (copy.clustered, copy.room) = (self.clustered, self.room);
        let bytes = size_of_val(&self.shed[..]);
        copy.shed.try_reserve_exact(self.shed.len()).map_err(|_| OutOfMemory { bytes })?;
        copy.shed.extend(&self.shed); // first: what is copied below may get memory again
        let mut next = from.next(0);
        while let Some(block) = next {
            for group in block * BLOCK..(block + 1) * BLOCK {
                // Memory even for what is empty: a copy of a fixed pool allocates no more than the
                // original.
                if from.words(group)[0] != 0 || self.values.place(group * GROUP).is_some() {
                    copy.clone_group(&from, group)?;
                }
            }
            next = from.next(block + 1);
        }
        // Up to the last group that was ever used: what lies far from all others is beyond `memory`.
        let end = copy.slots.worn_end().max(self.slots.worn_end());
        let last = end.saturating_sub(1) * GROUP;
        copy.make_room_for_tags(last, self.tags.in_use(), self.clusters.sets())?;
        let word = |tag: usize, group| self.tags.maps()[tag].word(group);
        copy.put_back_tags(word, self.clusters.owners());
        copy.slots.set_high_water(self.slots.high_water());
        if !copy.clustered {
            copy.fix((copy.slots.limit() - 1) as u32)?;
        }
        Ok(copy)
    }

    /// Clones a group of a pool that this is to be a copy of.
    fn clone_group(&mut self, from: &BlockReader<'_, T>, group: u32) -> Result<(), OutOfMemory>
    where
        T::Storage: CloneStorage<T>,
    {
        self.make_room(group * GROUP)?;
        let first = self.first_place(group);
        let slots = (0..GROUP).map(|bit| (bit, group * GROUP + bit));
        let held = from.held(group);
        for (bit, index) in slots.clone().filter(|(bit, _)| held >> bit & 1 == 1) {
            let value = from.clone_value(index);
            // SAFETY: both places are of this storage and in one group. The slot is free.
            unsafe {
                let place = T::Storage::step(first, bit);
                self.values.write(place, value);
                T::Storage::stamp(place).write(1); // so that it is dropped if a later `Clone` panics
            }
            self.slots.take(index);
        }
        for (bit, index) in slots {
            let stamp = from.stamp(index);
            if held >> bit & 1 == 1 || stamp != SPENT {
                self.put_stamp(index, stamp);
            }
        }
        let words = from.words(group);
        self.slots.assign(group..group + 1, |_| words);
        self.staged += (held & words[2]).count_ones();
        Ok(())
    }

    /// Makes the first retired slot at `from` or later free again, to start at generation 1:
    /// answers which.
    pub(crate) fn reclaim_next(&mut self, from: u32) -> Option<u32> {
        let index = self.slots.out_of_use(from.max(1)).next()?;
        self.slots.reclaim(index);
        if self.is_clustered() {
            self.clusters.note_freed(index, &self.slots);
        }
        Some(index)
    }

    /// Ends every life, staged and reserved ones included, and drops every value, buried ones
    /// included. A `Drop` that panics does not keep the others from being dropped. `freed` hears of
    /// every slot.
    pub(crate) fn clear(&mut self, told: impl FnMut(Freed, &mut Self, &mut Ended)) {
        let clear = |(cells, told, ended): &mut (&mut Self, _, _)| cells.clear_once(told, ended);
        let mut guard = Guard::new((self, told, Ended::default()), clear);
        clear(&mut guard);
        guard.disarm();
    }

    fn clear_once(
        &mut self,
        told: &mut impl FnMut(Freed, &mut Self, &mut Ended),
        ended: &mut Ended,
    ) {
        self.clear_nursery();
        let mut from = 0;
        while let Some((number, live)) = self.slots.next_live(from) {
            for index in ones(live).map(|bit| number * GROUP + bit) {
                if let Some(handle) = self.handle_at(index) {
                    self.drop_value(handle, ended, &mut *told);
                }
            }
            self.free_ended(ended);
            from = number + 1;
        }
        let mut from = 0;
        while let Some((number, claimed)) = self.slots.next_claimed(from) {
            for index in ones(claimed).map(|bit| number * GROUP + bit) {
                let Some(stamp) = self.main_stamp(index) else {
                    unreachable!("slots have memory before they are claimed")
                };
                if is_live(stamp) {
                    self.drop_value(Handle::from_parts(index, stamp), ended, &mut *told);
                } else if let Some(slot) = self.cancel(Handle::from_parts(index, stamp + 1)) {
                    told(slot, self, ended);
                }
            }
            from = number + 1;
        }
        self.slots.tidy_claims();
        let mut from = 0;
        while let Some((number, buried)) = self.slots.next_buried(from) {
            for index in ones(buried).map(|bit| number * GROUP + bit) {
                self.exhume(index, |freed, cells| told(freed, cells, ended));
            }
            from = number + 1;
        }
    }

    /// Whether the invariants hold; if not, a sentence about the first that is broken.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        self.slots.check()?;
        self.check_tags()?;
        let listens = self.marks.is_some() || self.claimed() > 0;
        if listens && !self.observed.load(Ordering::Relaxed) {
            return Err("C5: what comes and goes would not be marked");
        }
        if !Self::TAGGED && self.slots.is_cursor_astray() {
            return Err("S5: the cursor is not at the lowest group");
        }
        let (mut claimed, mut staged) = (0, 0);
        for index in self.values.memory().ranges().flatten().map(|index| index as u32) {
            let Some(stamp) = self.main_stamp(index) else {
                return Err("a slot that has memory has no stamp");
            };
            match self.slots.state(index) {
                State::Live if !is_live(stamp) => return Err("C2: a live slot has an even stamp"),
                State::Claimed => {
                    (claimed, staged) = (claimed + 1, staged + u32::from(is_live(stamp)))
                }
                State::Free | State::Buried | State::OutOfUse if is_live(stamp) => {
                    return Err("C1: a slot that is not in use has an odd stamp");
                }
                State::OutOfUse if index == 0 && stamp != NIL_SLOT => {
                    return Err("G3: slot 0 has another stamp");
                }
                State::OutOfUse
                    if index != 0 && u64::from(index) < self.slots.limit() && stamp != SPENT =>
                {
                    return Err("G2: a retired slot has generations left");
                }
                _ => {}
            }
        }
        if claimed != self.slots.claimed() {
            return Err("C2: a claimed slot has no memory");
        }
        if staged != self.staged { Err("the count of staged things is wrong") } else { Ok(()) }
    }
}

impl<T: Thing> Drop for Cells<T> {
    fn drop(&mut self) {
        if !T::Storage::NEEDS_DROP {
            return;
        }
        /// Drops the nil thing, also when a `Drop` before it has unwound.
        struct Nil<'a, T: Thing>(&'a mut Cells<T>);

        impl<T: Thing> Drop for Nil<'_, T> {
            fn drop(&mut self) {
                if let Some(place) = self.0.values.place(0) {
                    // SAFETY: the place is of this storage and holds the nil thing (C1); the cells
                    // are going away, so this is its last use.
                    unsafe { self.0.values.drop_in_place(place) };
                }
            }
        }

        Nil(self).0.clear(|_, _, _| {});
    }
}
