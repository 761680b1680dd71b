//! Images: copies of pools.

mod build;
mod delta;
mod state;

use std::any::TypeId;

use bytemuck::NoUninit;
use lath_core::blocks::{Block, Companions, Ledger, next_identity, ones};
use lath_core::strips::Snap;
use lath_core::{Field, Handle, Pool};

pub use build::ImageBuilder;
pub use delta::PoolDelta;
pub use lath_core::blocks::RestoreError;
pub use state::{PoolState, StateError, TreeState};

/// Blocks in order, and the memory of those that are not needed at the moment.
struct Blocks<T: Snap> {
    all: Vec<Block<T>>,
    used: usize,
}

impl<T: Snap> Blocks<T> {
    const NONE: Self = Self { all: Vec::new(), used: 0 };

    fn list(&self) -> &[Block<T>] {
        &self.all[..self.used]
    }

    /// The block with this number in the pool, or where it would be.
    fn find(&self, number: u32) -> Result<usize, usize> {
        self.list().binary_search_by_key(&number, Block::number)
    }

    fn get(&self, number: u32) -> Option<&Block<T>> {
        self.find(number).ok().map(|n| &self.all[n])
    }

    /// The memory of the `n`th block, whether or not it is used.
    fn memory(&mut self, n: usize) -> &mut Block<T> {
        self.all.resize_with(self.all.len().max(n + 1), Block::new);
        &mut self.all[n]
    }

    /// Becomes a copy of some blocks. Reuses what there is, and is empty if a `Clone` panics.
    fn assign(&mut self, from: &[Block<T>]) {
        self.used = 0;
        (0..).zip(from).for_each(|(n, from)| self.memory(n).clone_from(from));
        self.used = from.len();
    }
}

/// A copy of a pool.
pub struct PoolImage<T: Snap> {
    blocks: Blocks<T>,
    ledger: Ledger,
    companions: Companions,
    /// The first tick in which changes are later than the image; `None` if changes were not
    /// tracked.
    since: Option<u64>,
    /// What it is a copy of; 0 for none.
    identity: u64,
    /// Two images with the same number are the same.
    serial: u64,
}

impl<T: Snap> PoolImage<T> {
    /// An image of nothing yet: memory to be used.
    pub fn new() -> Self {
        Self {
            blocks: Blocks::NONE,
            ledger: Ledger::default(),
            companions: Companions::default(),
            since: None,
            identity: 0,
            serial: 0,
        }
    }

    /// Becomes a copy of a pool. Reuses its memory.
    ///
    /// Others may stage and reserve at the same time; what they do may be missing.
    pub fn capture(&mut self, pool: &Pool<T>) {
        (self.serial, self.blocks.used) = (0, 0);
        let (reader, mut used) = (pool.reader(), 0);
        let mut next = reader.next(0);
        while let Some(number) = next {
            let block = self.blocks.memory(used);
            used += usize::from(reader.copy(number, block, |_, _| ()));
            next = reader.next(number + 1);
        }
        pool.read_ledger(&mut self.ledger);
        self.companions.assign(pool.companions(), true);
        // The tick cannot be moved on here, so that what is changed later in it counts too.
        self.since = Some(self.ledger.tick).filter(|&tick| tick > 0);
        self.blocks.used = used;
        (self.identity, self.serial) = (pool.identity(), next_identity());
    }

    /// As [`capture`](Self::capture); if changes are tracked, another tick begins, so that later
    /// ones can be told from earlier ones.
    pub fn capture_mut(&mut self, pool: &mut Pool<T>) {
        self.capture(pool);
        self.since = self.since.map(|tick| tick + 1);
        pool.next_tick();
    }

    /// Whether it could be put back; makes memory for it.
    ///
    /// # Errors
    ///
    /// If the pool is too small for it, or memory is refused.
    pub fn make_room(&self, pool: &mut Pool<T>) -> Result<(), RestoreError> {
        pool.make_room_for(self.blocks.list(), &self.ledger)
    }

    /// Makes a pool what this is a copy of: the same things under the same handles, the same links,
    /// and the same handles for what is spawned next. Capacity stays, and so do the bound that was
    /// expected and whether changes are tracked.
    ///
    /// Handles that were made after the copy was taken are forgotten: their slots and generations
    /// will be handed out again.
    ///
    /// If a `Drop` or a `Clone` panics, the pool is consistent, but some of its things are as
    /// before.
    ///
    /// # Panics
    ///
    /// If [room was not made](Self::make_room).
    pub fn put_back(&self, pool: &mut Pool<T>) {
        let since = self.since.filter(|_| self.identity == pool.identity());
        pool.put_back(self.blocks.list(), &self.ledger, &self.companions, since);
    }

    /// Makes room, and puts it back.
    ///
    /// # Errors
    ///
    /// As [`make_room`](Self::make_room); nothing changed.
    pub fn restore(&self, pool: &mut Pool<T>) -> Result<(), RestoreError> {
        self.make_room(pool)?;
        self.put_back(pool);
        Ok(())
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.held().map(|(.., held)| held.count_ones() as usize).sum()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Each group that there is: its block, its place there, and the slots that hold a value.
    fn held(&self) -> impl Iterator<Item = (&Block<T>, u32, u64)> {
        let groups = |block: &'_ Block<T>| 0..block.groups();
        let blocks = self.blocks.list().iter();
        blocks.flat_map(move |block| groups(block).map(move |at| (block, at, block.held(at))))
    }

    /// The handles of the values that are reachable, in slot order; `None` for the buried.
    pub fn handles(&self) -> impl Iterator<Item = Option<Handle<T>>> {
        self.held().flat_map(|(block, at, held)| ones(held).map(move |bit| block.handle(at, bit)))
    }

    /// Shows the value of a field in every slot that holds one, in slot order; `None` is the
    /// default of a cold field.
    pub fn each_value<F: Field<Thing = T, Value: Clone>>(
        &self,
        mut f: impl FnMut(Option<&F::Value>),
    ) {
        self.blocks.list().iter().for_each(|block| block.each_value::<F>(&mut f));
    }

    /// Shows the values of a plain field as bytes, all of them in slot order, in one or several
    /// pieces. Answers `false`, and does nothing, if its values are kept in another form.
    pub fn each_bytes<F: Field<Thing = T, Value: NoUninit>>(
        &self,
        f: &mut dyn FnMut(&[u8]),
    ) -> bool {
        self.blocks.list().iter().all(|block| block.each_bytes::<F>(f))
    }

    /// The relations that things are linked by: the type of each, and its name.
    pub fn relations(&self) -> impl Iterator<Item = (TypeId, &'static str)> {
        self.companions.trees.relations()
    }

    /// How many bytes the copy takes, but for what cloned values have on the heap.
    pub fn bytes(&self) -> usize {
        let blocks: usize = self.blocks.list().iter().map(Block::bytes).sum();
        blocks + self.companions.bytes() + self.ledger.bytes()
    }
}

impl<T: Snap> Default for PoolImage<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Snap> Clone for PoolImage<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::new();
        copy.clone_from(self);
        copy
    }

    /// Reuses what there is.
    fn clone_from(&mut self, from: &Self) {
        self.serial = 0;
        self.blocks.assign(from.blocks.list());
        self.ledger.assign(&from.ledger);
        self.companions.assign(&from.companions, true);
        (self.since, self.identity, self.serial) = (from.since, from.identity, from.serial);
    }
}
