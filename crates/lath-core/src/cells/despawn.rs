#![expect(
    unsafe_code,
    reason = "lives end: values are moved out of their slots, or dropped there, once"
)]
//! Ending lives: the value is moved out, dropped, or kept out of reach, and its slot becomes free.

use super::*;

impl<T: Thing> Cells<T> {
    /// Ends the life that `handle` names: the value stays where it is, for the caller to deal with
    /// at once.
    #[inline]
    pub(super) fn end(&mut self, handle: Handle<T>) -> Option<(Place<T>, u32)> {
        let place = self.find(handle)?;
        let after = Handle::<T>::STAMP.after_death(handle.stamp());
        // SAFETY: the place is of this storage and holds a value (`find`).
        unsafe { self.end_at(place, handle.index(), after) };
        self.mark(handle.index());
        Some((place, after))
    }

    /// The same, of a place that was found.
    ///
    /// # Safety
    ///
    /// The place is of this storage and holds the value of slot `index`; the stamp is the one after
    /// it.
    #[inline(always)]
    unsafe fn end_at(&mut self, place: Place<T>, index: u32, after: u32) {
        // SAFETY: passed on from the caller.
        unsafe {
            self.tags.remove(index, self.values.tags(place).widen());
            T::Storage::stamp(place).write(after);
        }
    }

    /// Frees (or retires) a slot whose life has ended. Answers the stamp if the slot can be used
    /// again.
    #[inline]
    fn vacate(&mut self, index: u32, after: u32) -> Freed {
        if after == SPENT || self.slots.claimed() > 0 {
            unlikely();
            self.vacate_slowly(index, after);
        } else {
            self.release_live(index);
        }
        Freed { index, stamp: after }
    }

    /// Frees a slot that is live.
    #[inline(always)]
    fn release_live(&mut self, index: u32) {
        match Self::TAGGED {
            true => self.slots.release_live::<true>(index),
            false => self.slots.release_live::<false>(index),
        }
        if self.is_clustered() {
            self.clusters.note_freed(index, &self.slots);
        }
    }

    /// The same, whatever the slot was.
    #[cold]
    #[inline(never)]
    pub(super) fn vacate_slowly(&mut self, index: u32, after: u32) {
        if self.slots.state(index) == State::Claimed {
            self.staged -= 1;
        }
        self.release(index, after == SPENT);
    }

    /// Frees or retires a slot.
    #[inline]
    pub(super) fn release(&mut self, index: u32, retire: bool) {
        self.slots.release(index, retire);
        if self.is_clustered() {
            self.clusters.note_freed(index, &self.slots);
        }
    }

    /// Moves the value that `handle` names out of its slot, which is then free or retired.
    #[inline]
    pub(crate) fn take(&mut self, handle: Handle<T>) -> Option<(T, Freed)> {
        let (place, after) = self.end(handle)?;
        let freed = self.vacate(handle.index(), after);
        // SAFETY: the place is of this storage and holds a value, which nobody else uses
        // (`&mut self`); the stamp no longer says so.
        let (tags, mut value) = unsafe { (self.values.tags(place), self.values.take(place)) };
        value.put_tags(tags); // what the pool knows, whatever somebody wrote to the field
        Some((value, freed))
    }

    /// Ends the life that `handle` names and drops the value, which may panic: the way that most
    /// things go. Answers `false`, and has changed nothing, if there is no such thing, or if more
    /// than that is to be done.
    #[inline(always)]
    pub(crate) fn drop_alone(&mut self, handle: Handle<T>) -> bool {
        if self.is_observed() {
            unlikely();
            return false;
        }
        let Some(place) = self.find(handle) else { return false };
        let after = Handle::<T>::STAMP.after_death(handle.stamp());
        if after == SPENT {
            unlikely();
            return false;
        }
        // SAFETY: the place is of this storage and holds the value that the handle names (`find`).
        unsafe { self.end_at(place, handle.index(), after) };
        self.release_live(handle.index());
        drop(Doomed { cells: self, place });
        true
    }

    /// Ends the life that `handle` names, tells `told` of the slot, and drops the value, which may
    /// panic. Answers whether there was one. The slot is freed with others of its group, by
    /// [`free_ended`](Self::free_ended) at the latest: until then nobody asks for slots.
    #[inline]
    pub(crate) fn drop_value(
        &mut self,
        handle: Handle<T>,
        ended: &mut Ended,
        told: impl FnOnce(Freed, &mut Self, &mut Ended),
    ) -> bool {
        let Some((place, stamp)) = self.end(handle) else { return false };
        let (index, doomed) = (handle.index(), Doomed { cells: self, place });
        if stamp == SPENT || doomed.cells.slots.claimed() > 0 {
            unlikely();
            doomed.cells.vacate_slowly(index, stamp);
        } else {
            if index / GROUP != ended.group {
                doomed.cells.free_ended(ended);
                ended.group = index / GROUP;
            }
            ended.bits |= 1 << (index % GROUP);
        }
        told(Freed { index, stamp }, doomed.cells, ended);
        true
    }

    /// Frees the slots of a group whose lives have ended.
    #[inline(never)]
    pub(crate) fn free_ended(&mut self, ended: &mut Ended) {
        let Ended { group, bits } = core::mem::take(ended);
        if bits != 0 {
            self.slots.release_all(group, bits);
            if self.is_clustered() {
                self.clusters.note_freed(group * GROUP, &self.slots);
            }
        }
    }

    /// Ends the life that `handle` names and keeps the value in its slot, out of reach.
    pub(crate) fn bury(&mut self, handle: Handle<T>) -> bool {
        if self.end(handle).is_none() {
            return false;
        }
        if self.slots.state(handle.index()) == State::Claimed {
            self.staged -= 1;
            self.slots.settle(handle.index());
        }
        self.slots.bury(handle.index());
        true
    }

    /// Tells `told` of a buried slot, and drops its value. Answers whether it was buried.
    pub(crate) fn exhume(&mut self, index: u32, told: impl FnOnce(Freed, &mut Self)) -> bool {
        if self.slots.state(index) != State::Buried {
            return false;
        }
        let (Some(place), Some(stamp)) = (self.values.place(index), self.stamp(index)) else {
            return false;
        };
        self.release(index, stamp == SPENT);
        let doomed = Doomed { cells: self, place };
        told(Freed { index, stamp }, doomed.cells);
        true
    }

    /// Gives up a reservation: the handle never resolves. `None` if it is not pending.
    pub(crate) fn cancel(&mut self, handle: Handle<T>) -> Option<Freed> {
        if !matches!(self.why_not(handle), HandleError::Pending { .. }) {
            return None;
        }
        let place = self.values.place(handle.index())?;
        let after = Handle::<T>::STAMP.after_death(handle.stamp());
        // SAFETY: the place is of this storage.
        unsafe { T::Storage::stamp(place).write(after) };
        self.release(handle.index(), after == SPENT);
        self.mark(handle.index()); // its generation is over, and whoever copies what has changed must hear of it
        Some(Freed { index: handle.index(), stamp: after })
    }
}

/// Slots of one group whose lives have ended, and that are still to be freed: lives that end
/// together often are neighbours.
#[derive(Default)]
pub(crate) struct Ended {
    group: u32,
    bits: u64,
}

/// A slot that has become free, or retired if its stamp is [`SPENT`].
#[derive(Clone, Copy)]
pub(crate) struct Freed {
    pub(crate) index: u32,
    pub(crate) stamp: u32,
}

/// A value whose slot is no longer its own: dropped with this, and only with this.
struct Doomed<'a, T: Thing> {
    cells: &'a mut Cells<T>,
    place: Place<T>,
}

impl<T: Thing> Drop for Doomed<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if T::Storage::NEEDS_DROP {
            // SAFETY: the place is of this storage and holds a value whose life has ended: whoever
            // made this left no stamp or state behind that says so, and `&mut Cells` has kept the
            // slot from being filled since.
            unsafe { self.cells.values.drop_in_place(self.place) };
        }
    }
}
