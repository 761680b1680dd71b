#![expect(
    unsafe_code,
    reason = "writes values behind a shared reference, into slots that this thread has claimed"
)]
//! What can be done while others look: reserving and staging (C3), and the commit that ends it.

use core::mem::ManuallyDrop;

use super::*;

impl<T: Thing> Cells<T> {
    /// Claims the lowest free slot for a later value: its handle, if there is a slot.
    pub(crate) fn reserve(&self, kind: u32) -> Result<Option<Handle<T>>, OutOfMemory> {
        let Some((index, place)) = self.claim(0)? else { return Ok(None) };
        let bits = Handle::<T>::STAMP;
        // SAFETY: the place is of this storage.
        let stamp = unsafe { self.values.stamp(place) };
        // Only the claimer writes here (C3). The kind is noted for `why_not` and `spawn_at`; the
        // stamp stays even.
        let pending = bits.stamp(bits.generation_of(stamp.load(Ordering::Relaxed)), kind);
        stamp.store(pending, Ordering::Release);
        Ok(Some(Handle::from_parts(index, pending + 1)))
    }

    /// Claims the lowest free slot and puts a value there that lookups find at once. Gives the
    /// value back otherwise.
    pub(crate) fn stage(&self, value: T, kind: u32) -> Result<Handle<T>, (T, Option<OutOfMemory>)> {
        // All that the value is asked, before a slot is claimed: it may panic, and a slot cannot be
        // given back.
        let (asked, tags) = (T::Storage::ask(&value), value.tags().widen());
        let (index, place) = match self.claim(tags) {
            Ok(Some(claimed)) => claimed,
            Ok(None) => return Err((value, None)),
            Err(error) => return Err((value, Some(error))),
        };
        let bits = Handle::<T>::STAMP;
        let mut value = ManuallyDrop::new(value);
        // SAFETY: the place is of this storage. Nobody else uses the value: the slot was free, so
        // no handle reaches it, and `claim` gave it to this call alone. What was asked was asked of
        // this value, which is not used again.
        unsafe {
            self.values.put(place, &mut value, asked);
            let stamp = self.values.stamp(place);
            let live = bits.stamp(bits.generation_of(stamp.load(Ordering::Relaxed)) + 1, kind);
            stamp.store(live, Ordering::Release);
            self.staged.fetch_add(1, Ordering::Relaxed);
            // Last: if that panics the thing is staged all the same.
            T::Storage::drop_left(&mut value, asked);
            Ok(Handle::from_parts(index, live))
        }
    }

    fn claim(&self, tags: u64) -> Result<Option<(u32, Place<T>)>, OutOfMemory> {
        let suggest =
            || if self.is_clustered() { self.clusters.suggest(tags, &self.slots) } else { None };
        self.slots.claim(suggest, |index| match self.values.place(index) {
            Some(place) => Ok(place),
            None => self.values.grow(index),
        })
    }

    /// Staged things become live; reserved slots stay. `note` hears the generation of every thing.
    pub(crate) fn commit(&mut self, note: &mut dyn FnMut(u32)) -> u32 {
        _ = self.know(); // refused: the slots that were made behind shared references are found more slowly
        let mut committed = 0;
        let mut from = 0;
        while let Some((number, claimed)) = self.slots.next_claimed(from) {
            for index in ones(claimed).map(|bit| number * GROUP + bit) {
                let Some(stamp) = self.stamp(index).filter(|&stamp| is_live(stamp)) else {
                    continue;
                };
                if !self.settle(index) {
                    continue;
                }
                *self.staged.get_mut() -= 1; // before `note`, which may panic
                note(Handle::<T>::STAMP.generation_of(stamp));
                committed += 1;
            }
            from = number + 1;
        }
        self.slots.tidy_claims();
        committed
    }
}
