//! What has to be changed in one image to make it another: by groups of 64 slots, and in each by
//! strip.

use lath_core::Pool;
use lath_core::blocks::{Block, CompanionsDelta, Ledger, next_identity};
use lath_core::strips::Snap;

use super::{Blocks, PoolImage};

/// The difference between two images. It has what is new, so that applying it twice does no harm.
pub struct PoolDelta<T: Snap> {
    /// The numbers of all blocks of the new image.
    numbers: Vec<u32>,
    /// The blocks in which anything differs, with the groups and layers that do.
    blocks: Blocks<T>,
    ledger: Ledger,
    companions: CompanionsDelta,
    since: Option<u64>,
    /// The image that it starts from, and the one that it leads to.
    from: u64,
    to: (u64, u64),
}

impl<T: Snap> PoolDelta<T> {
    /// No difference yet: memory to be used.
    pub fn new() -> Self {
        Self {
            numbers: Vec::new(),
            blocks: Blocks::NONE,
            ledger: Ledger::default(),
            companions: CompanionsDelta::default(),
            since: None,
            from: 0,
            to: (0, 0),
        }
    }

    /// Becomes the difference between an image and the pool as it is now. If the image is of this
    /// pool and changes are tracked, only what was changed since is looked at; otherwise everything
    /// counts as changed.
    pub fn since(&mut self, image: &PoolImage<T>, pool: &Pool<T>) {
        let is_same = image.identity == pool.identity();
        let since = image.since.filter(|_| is_same);
        self.begin();
        let reader = pool.reader();
        let mut next = reader.next(0);
        while let Some(number) = next {
            let old = image.blocks.get(number);
            let block = self.blocks.memory(self.blocks.used);
            let is_used = reader.copy(number, block, |block, has| {
                since.iter().for_each(|&since| reader.changed(number, since, has));
                add(has, block.differing(old));
            });
            if is_used {
                self.keep(old);
            }
            next = reader.next(number + 1);
        }
        pool.read_ledger(&mut self.ledger);
        self.since = Some(self.ledger.tick).filter(|&tick| tick > 0);
        self.companions.find(&image.companions, pool.companions(), is_same);
        (self.from, self.to) = (image.serial, (pool.identity(), next_identity()));
    }

    /// Becomes the difference between two images.
    pub fn between(&mut self, old: &PoolImage<T>, new: &PoolImage<T>) {
        let is_same = old.identity == new.identity && old.identity != 0;
        let since = old.since.filter(|_| is_same);
        self.begin();
        for block in new.blocks.list() {
            let old = old.blocks.get(block.number());
            self.blocks.memory(self.blocks.used).fill(block, |has| {
                since.iter().for_each(|&since| block.changed(since, has));
                add(has, block.differing(old));
            });
            self.keep(old);
        }
        self.ledger.assign(&new.ledger);
        self.since = new.since;
        self.companions.find(&old.companions, &new.companions, is_same);
        (self.from, self.to) = (old.serial, (new.identity, new.serial));
    }

    /// There is no difference, until all of it was found: a `Clone` may panic.
    fn begin(&mut self) {
        self.from = 0;
        self.numbers.clear();
        self.blocks.used = 0;
    }

    /// Keeps the block that was made last, if it has anything new.
    fn keep(&mut self, old: Option<&Block<T>>) {
        let block = &self.blocks.all[self.blocks.used];
        self.numbers.push(block.number());
        let is_same = |old: &Block<T>| old.groups() == block.groups() && old.old() == block.old();
        self.blocks.used += usize::from(block.filled() != 0 || !old.is_some_and(is_same));
    }

    /// Whether this starts from that image.
    pub fn starts_from(&self, image: &PoolImage<T>) -> bool {
        image.serial == self.from && self.from != 0
    }

    /// Turns the image that this starts from into the one that it leads to.
    ///
    /// Answers whether that was the image; if not, nothing changed.
    #[must_use]
    pub fn apply(&self, image: &mut PoolImage<T>) -> bool {
        if !self.starts_from(image) {
            return false;
        }
        image.serial = 0;
        let Blocks { mut all, used } = std::mem::replace(&mut image.blocks, Blocks::NONE);
        all.truncate(used);
        all.retain(|block| self.numbers.binary_search(&block.number()).is_ok());
        for block in self.blocks.list() {
            match all.binary_search_by_key(&block.number(), Block::number) {
                Ok(at) => all[at].patch(block),
                Err(at) => all.insert(at, block.clone()),
            }
        }
        image.blocks = Blocks { used: all.len(), all };
        image.ledger.assign(&self.ledger);
        image.since = self.since;
        self.companions.apply(&mut image.companions);
        (image.identity, image.serial) = self.to;
        true
    }

    /// How many groups of 64 slots differ.
    pub fn groups(&self) -> usize {
        self.blocks.list().iter().map(|block| block.filled().count_ones() as usize).sum()
    }

    /// How many bytes the difference takes, but for what cloned values have on the heap.
    pub fn bytes(&self) -> usize {
        let blocks: usize = self.blocks.list().iter().map(Block::bytes).sum();
        size_of_val(&*self.numbers) + blocks + self.companions.bytes() + self.ledger.bytes()
    }
}

/// Adds groups to all layers.
fn add(has: &mut [u64], groups: u64) {
    has.iter_mut().for_each(|has| *has |= groups);
}

impl<T: Snap> Default for PoolDelta<T> {
    fn default() -> Self {
        Self::new()
    }
}
