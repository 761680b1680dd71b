//! What it takes to copy a pool and to put a copy back, for `lath-snapshot`.
//!
//! A copy is [blocks](Block), a [`Ledger`] and [`Trees`]. All of them can be read; what is put back
//! is made of a pool, or of numbers that were looked at.

use core::cmp::Reverse;
use core::sync::atomic::{AtomicU64, Ordering};

use super::Pool;
use crate::cells::blocks::{Block, BlockBuilder, BlockReader, Ledger, RestoreError};
use crate::companion::Companions;
use crate::guard::Guard;
use crate::reuse::Reuse;
use crate::side::Tables;
use crate::slots::ones;
use crate::state::State;
use crate::storage::Storage;
use crate::strips::Snap;
use crate::thing::Thing;
use crate::tree::Orphans;

/// A number that nothing else gets: for pools, and for copies.
pub fn next_identity() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl<T: Thing> Pool<T> {
    /// A number that no other pool has: a copy knows what it is a copy of.
    #[doc(hidden)]
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// Makes `ledger` that of this pool. Reuses its memory.
    #[doc(hidden)]
    pub fn read_ledger(&self, ledger: &mut Ledger) {
        self.cells.read_ledger(ledger);
        let (freed, fresh) = self.order.parts();
        ledger.freed.clear();
        ledger.freed.extend(freed);
        (ledger.reuse, ledger.fresh, ledger.horizon) =
            (self.order.reuse() as u8, fresh, self.order.made());
        ledger.graves.clear();
        ledger.graves.extend(self.graves.iter().map(|Reverse(grave)| *grave));
        ledger.largest_generation = self.counts.largest_generation();
    }

    /// What lies beside the slots.
    #[doc(hidden)]
    pub fn companions(&self) -> &Companions {
        &self.companions
    }
}

impl<T: Snap> Pool<T> {
    /// What reads the states and values of this pool.
    #[doc(hidden)]
    pub fn reader(&self) -> BlockReader<'_, T> {
        BlockReader::new(&self.cells)
    }

    /// Starts blocks for this pool, of numbers from outside: of these groups the states (taken,
    /// live, claimed, buried), of each of their slots the stamp, and of slots elsewhere those that
    /// are not 0.
    ///
    /// # Errors
    ///
    /// A sentence about the first contradiction, and where it is.
    #[doc(hidden)]
    pub fn build(
        &self,
        groups: &[u32],
        words: &[[u64; 4]],
        stamps: &[u32],
        old: &[(u32, u32)],
    ) -> Result<BlockBuilder<T>, (&'static str, u32)> {
        BlockBuilder::new(groups, words, stamps, old, self.cells.slots().limit())
    }

    /// Whether a copy could be put back; makes memory for it.
    ///
    /// # Errors
    ///
    /// If the pool is too small for it, or memory is refused. Nothing changed.
    #[doc(hidden)]
    pub fn make_room_for(
        &mut self,
        blocks: &[Block<T>],
        ledger: &Ledger,
    ) -> Result<(), RestoreError> {
        self.cells.make_room_for(blocks, ledger)
    }

    /// Makes this pool what a copy says: the same things under the same handles, the same links,
    /// and the same handles for what is spawned next. Capacity stays, and so do the bound that was
    /// expected and whether changes are tracked. `since` is the first tick that is later than the
    /// copy, if that is of this very pool.
    ///
    /// If a `Drop` or a `Clone` panics, the pool is consistent, but some of its things are as
    /// before.
    ///
    /// # Panics
    ///
    /// If [room was not made](Self::make_room_for).
    #[doc(hidden)]
    pub fn put_back(
        &mut self,
        blocks: &[Block<T>],
        ledger: &Ledger,
        companions: &Companions,
        since: Option<u64>,
    ) {
        assert!(self.cells.has_room_for(blocks), "room is made before a copy is put back");
        let mut copy = Tables::default();
        copy.assign(&companions.tables); // before anything changes: a `Clone` may panic
        if T::Storage::NEEDS_DROP {
            self.drop_all_but(blocks);
        }
        self.cells.put_back(blocks, ledger, since);
        let reuse = [Reuse::Lowest, Reuse::Lifo, Reuse::Fifo][usize::from(ledger.reuse.min(2))];
        self.order.assign(reuse, &ledger.freed, ledger.fresh, ledger.horizon);
        self.graves.clear();
        self.graves.extend(ledger.graves.iter().map(|&grave| Reverse(grave)));
        self.counts.set_largest_generation(ledger.largest_generation);
        self.companions.trees.assign(&companions.trees, false);
        let before = core::mem::replace(&mut self.companions.tables, copy);
        self.update_observed();
        drop(before); // may panic
    }

    /// Drops every value in a slot where blocks have none. If a `Drop` panics, the others are
    /// dropped all the same.
    fn drop_all_but(&mut self, blocks: &[Block<T>]) {
        let run = |pool: &mut &mut Self| {
            let mut from = 0;
            while let Some(group) = pool.cells.slots().next_in_use(from) {
                let gone = pool.reader().held(group) & !Block::held_in(blocks, group);
                ones(gone).for_each(|bit| pool.drop_slot(group * 64 + bit));
                from = group + 1;
            }
        };
        let mut pool = Guard::new(self, run);
        run(&mut pool);
        pool.disarm();
    }

    /// Drops the value of a slot that holds one.
    fn drop_slot(&mut self, index: u32) {
        if self.cells.slots().state(index) == State::Buried {
            self.graves.retain(|Reverse((_, buried))| *buried != index);
            self.cells.exhume(index, |_, _| {});
        } else if let Some(handle) = self.cells.handle_at(index) {
            self.despawn_with(handle, Orphans::Detach);
        }
    }
}
