#![expect(unsafe_code, reason = "clones and drops all values")]
//! What is done to all slots at once: copy, clear, reclaim, check, drop.

use alloc::vec::Vec;
use core::mem;

use super::*;
use crate::clusters::reserve_one;
use crate::storage::CloneStorage;

impl<T: Thing> Cells<T> {
    /// Everything as it is, values cloned, handles good in both.
    pub(crate) fn try_clone(&self) -> Result<Self, OutOfMemory>
    where
        T::Storage: CloneStorage<T>,
    {
        let mut copy = Self::new(self.slots.limit(), self.memory())?;
        copy.clustered = self.clustered;
        // Which slots hold values, before any `Clone` runs: it may stage things here, and if those
        // were cloned they would stage others, as long as there is memory.
        let mut groups = Vec::new();
        let worn_end = self.slots.worn_end();
        for first in self.indices().step_by(GROUP as usize) {
            // Memory even for what is empty: a copy of a fixed pool allocates no more than the
            // original.
            copy.room(first)?;
            let number = first / GROUP;
            if u64::from(number) < worn_end {
                reserve_one(&mut groups)?;
                groups.push((number, self.held_in(number)));
            }
        }
        let limit = self.slots.limit();
        let slots = groups.into_iter().flat_map(|(number, held)| {
            (0..GROUP).map(move |bit| (number * GROUP + bit, held >> bit & 1 == 1))
        });
        for (index, is_held) in slots.filter(|&(index, _)| index > 0 && u64::from(index) < limit) {
            let Some(place) = self.values.place(index) else {
                unreachable!("`ranges` lists slots with memory")
            };
            let Some(stamp) = self.stamp(index) else { unreachable!("a place has a stamp") };
            // The stamp first, the state after: others may be staging meanwhile. Whoever has set an
            // odd stamp had claimed the slot before. A slot that has been claimed since it was
            // noted counts as reserved.
            let state = self.slots.state(index);
            if state == State::Free && stamp == 0 {
                continue;
            }
            if is_held {
                // SAFETY: the place is of `self` and holds a value (`held_in`, C1), which nobody
                // has exclusively behind `&self`, nor takes away.
                let (mut value, tags) =
                    unsafe { (self.values.clone_value(place), self.values.tags(place)) };
                value.put_tags(tags);
                let bits = Handle::<T>::STAMP;
                let live = if is_live(stamp) { stamp } else { bits.stamp(1, 0) };
                let vacancy = copy.vacancy(index, Marks { kind: 0, tags: tags.widen() })?;
                let handle = Vacancy { stamp: live, ..vacancy }.fill(value);
                match state {
                    State::Buried => {
                        copy.bury(handle);
                        copy.set_even_stamp(index, stamp);
                    }
                    State::Claimed => {
                        copy.tags.remove(index, tags.widen());
                        copy.slots.unsettle(index);
                        *copy.staged.get_mut() += 1;
                    }
                    _ => {}
                }
            } else {
                copy.set_even_stamp(index, stamp & !1);
                match state {
                    State::Claimed => {
                        copy.slots.take(index);
                        copy.slots.unsettle(index);
                    }
                    State::OutOfUse => {
                        copy.slots.take(index);
                        copy.release(index, true);
                    }
                    _ => {}
                }
            }
        }
        // Which tags own a group follows from its history, not from what is in it now.
        copy.clusters = self.clusters.try_clone(&copy.slots)?;
        if !copy.clustered {
            copy.fix_tags()?;
        }
        Ok(copy)
    }

    /// The slots of a group that hold a value, slot 0 not counted.
    pub(crate) fn held_in(&self, number: u32) -> u64 {
        let [_, live, claimed, buried] = self.slots.group(number);
        let staged =
            ones(claimed).filter(|bit| self.stamp(number * GROUP + bit).is_some_and(is_live));
        live | buried | staged.fold(0, |set, bit| set | 1 << bit)
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
    pub(crate) fn clear(&mut self, freed: &mut dyn FnMut(Freed, &Cells<T>)) {
        /// Goes on clearing when a `Drop` has unwound; a second panic then aborts, as it does
        /// everywhere in Rust.
        struct GoOn<'a, T: Thing>(&'a mut Cells<T>, &'a mut dyn FnMut(Freed, &Cells<T>));

        impl<T: Thing> Drop for GoOn<'_, T> {
            fn drop(&mut self) {
                self.0.clear_once(self.1);
            }
        }

        let guard = GoOn(self, freed);
        guard.0.clear_once(guard.1);
        mem::forget(guard);
    }

    fn clear_once(&mut self, freed: &mut dyn FnMut(Freed, &Cells<T>)) {
        let mut from = 0;
        while let Some(index) = self.next_live(from) {
            if let Some(handle) = self.handle_at(index) {
                self.drop_value(handle, &mut *freed);
            }
            from = index.saturating_add(1); // the last slot of all is not found again: it is not live any more
        }
        let mut from = 0;
        while let Some((number, claimed)) = self.slots.next_claimed(from) {
            for index in ones(claimed).map(|bit| number * GROUP + bit) {
                let Some(stamp) = self.stamp(index) else {
                    unreachable!("slots have memory before they are claimed")
                };
                if is_live(stamp) {
                    self.drop_value(Handle::from_parts(index, stamp), &mut *freed);
                } else if let Some(slot) = self.cancel(Handle::from_parts(index, stamp + 1)) {
                    freed(slot, self);
                }
            }
            from = number + 1;
        }
        self.slots.tidy_claims();
        let mut from = 0;
        while let Some((number, buried)) = self.slots.next_buried(from) {
            for index in ones(buried).map(|bit| number * GROUP + bit) {
                self.exhume(index, &mut *freed);
            }
            from = number + 1;
        }
    }

    /// Whether the invariants hold; if not, a sentence about the first that is broken.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        self.slots.check()?;
        self.check_tags()?;
        if self.slots.is_tracked() != self.marks.is_some() {
            return Err("C5: changes are marked and the slots do not know, or the other way round");
        }
        if self.alone && self.marks.is_some() {
            return Err("C6: a thing that goes would not be marked");
        }
        if !Self::TAGGED && self.slots.is_hand_astray() {
            return Err("S6: what is at hand is not the lowest group");
        }
        let (mut claimed, mut staged) = (0, 0);
        for index in self.worn_indices() {
            let Some(stamp) = self.stamp(index) else {
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
        if staged != self.staged() { Err("the count of staged things is wrong") } else { Ok(()) }
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

        Nil(self).0.clear(&mut |_, _| {});
    }
}
