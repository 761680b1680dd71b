#![expect(unsafe_code, reason = "hands out views of different things to several threads")]
//! The loops over views, on several threads: by chunks of slots, each chunk on one thread.

use core::ops::Range;

use super::view::assert_dense;
use super::*;
use crate::each;
use crate::threads;
use crate::view::{Slices, View};

/// Groups that one thread walks at a time: 4096 slots.
const CHUNK: u32 = 64;

/// A storage that several threads may find places in.
struct Shared<'a, S>(&'a S);

// SAFETY: threads only ask it where slots are, which reads atomics and computes addresses. What
// they do with the slots is up to the views: items are `Send`, and no two threads get the same
// slot.
unsafe impl<S> Sync for Shared<'_, S> {}

impl<'a, S> Shared<'a, S> {
    fn get(&self) -> &'a S {
        self.0
    }
}

impl<T: Thing> Cells<T> {
    /// As [`each`](Self::each), on several threads.
    pub(crate) fn par_each<'a, V: View<Thing = T>>(&'a mut self, f: impl Fn(V::Item<'a>) + Sync)
    where
        V::Item<'a>: Send,
    {
        self.mark_seen::<V>();
        let this = &*self;
        let (storage, filter) = (Shared(&this.values), this.filter::<V>());
        threads::for_each(this.chunk_count(), &|number| {
            // SAFETY: as in `Cells::each`; the chunks have no slot in common, so every item is made
            // once, on one thread.
            unsafe { each::each::<V>(storage.get(), filter, chunk(number), &f) }
        });
    }

    /// As [`runs`](Self::runs), on several threads.
    pub(crate) fn par_runs<'a, V: Slices<Thing = T>>(&'a mut self, f: impl Fn(V::Slices<'a>) + Sync)
    where
        V::Slices<'a>: Send,
    {
        assert_dense::<V>();
        self.mark_seen::<V>();
        let this = &*self;
        let (storage, filter) = (Shared(&this.values), this.filter::<V>());
        threads::for_each(this.chunk_count(), &|number| {
            // SAFETY: as in `par_each`; dense, as was asserted above.
            unsafe { each::each_run::<V>(storage.get(), filter, chunk(number), &f) }
        });
    }

    /// How many chunks the groups that have memory make.
    pub(crate) fn chunk_count(&self) -> usize {
        self.slots.worn_end().div_ceil(CHUNK) as usize
    }
}

/// The groups of a chunk; the last one may have some that do not exist.
pub(crate) fn chunk(number: usize) -> Range<u32> {
    let from = number as u32 * CHUNK;
    from..from + CHUNK
}
