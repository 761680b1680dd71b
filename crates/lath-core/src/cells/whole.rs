#![expect(unsafe_code, reason = "clones and drops all values")]
//! What is done to all slots at once: copy, clear, reclaim, check, drop.

use core::mem;

use super::*;
use crate::storage::CloneStorage;

impl<T: Thing> Cells<T> {
    /// Everything as it is, values cloned, handles good in both.
    pub(crate) fn try_clone(&self) -> Result<Self, OutOfMemory>
    where
        T::Storage: CloneStorage<T>,
    {
        // Those that came behind a shared reference, as they are now: what a `Clone` stages is not
        // in the copy.
        let claims = self.claims();
        let mut copy = Self::new(self.slots.limit(), self.memory())?;
        (copy.clustered, copy.room) = (self.clustered, self.room);
        let mut claims = claims.into_iter().peekable();
        let mut indices = self.indices().filter(|&index| index > 0).peekable();
        while let Some(&index) = match (indices.peek(), claims.peek()) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        } {
            let in_slots = indices.next_if_eq(&index).is_some();
            let claim = claims.next_if_eq(&index).and_then(|index| self.in_nursery(index));
            // Memory even for what is empty: a copy of a fixed pool allocates no more than the
            // original.
            copy.make_room(index)?;
            let (state, stamp, place) = match claim {
                Some((stamp, place)) => (State::Claimed, stamp, place),
                None if !in_slots => continue,
                None => {
                    let place = self.values.place(index);
                    let stamp = self.main_stamp(index).unwrap_or(SPENT);
                    let state = self.slots.state(index);
                    (state, stamp, place.filter(|_| is_live(stamp) || state == State::Buried))
                }
            };
            if let Some(place) = place {
                // SAFETY: the place holds a value (C1, N2), which nobody has exclusively behind
                // `&self`.
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
                        copy.staged += 1;
                    }
                    _ => {}
                }
                continue;
            }
            if state == State::Free && stamp == SPENT {
                continue;
            }
            copy.set_even_stamp(index, stamp);
            match state {
                State::Claimed => copy.slots.claim(index),
                State::OutOfUse => {
                    copy.slots.take(index);
                    copy.release(index, true);
                }
                _ => {}
            }
        }
        // Which tags own a group follows from its history, not from what is in it now.
        copy.clusters = self.clusters.try_clone(&copy.slots)?;
        if !copy.clustered {
            copy.fix((copy.slots.limit() - 1) as u32)?;
        }
        Ok(copy)
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
        self.clear_nursery();
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
                let Some(stamp) = self.main_stamp(index) else {
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

        Nil(self).0.clear(&mut |_, _| {});
    }
}
