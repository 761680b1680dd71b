//! What lies beside the slots of a pool, and hears of the things in them.
//!
//! Links of trees and side tables keep something of their own for things. None of it may outlive
//! the thing, and all of it is copied with the pool. They hear of things here and nowhere else: the
//! pool knows no more of them than [`Companion`], and one bit, `observed` in `cells/mod.rs`, says
//! whether anybody listens at all.

use crate::side::Tables;
use crate::tree::{Orphans, Trees, TreesDelta};

/// A thing as companions know it: slot and stamp.
pub(crate) type Node = (u32, u32);

/// Something that lies beside the slots of a pool.
///
/// To keep more needs memory, which is asked for by a call of the companion's own, and before
/// anything changes. To hear of something never needs any.
pub(crate) trait Companion {
    /// A thing has gone: whatever is kept for it goes too, which may run code of the user's.
    /// `orphans` is what becomes of those below it, if not what each tree says. Answers whether
    /// anybody leaves because of that ([`Trees::each_leaving`]).
    fn leave(&mut self, who: Node, orphans: Option<Orphans>) -> bool;

    /// All things have gone. Memory is kept.
    fn clear(&mut self);

    /// Whether all that is kept is that of things that are there; `stamp` is the one of a slot. If
    /// not, a sentence about the first that is wrong.
    fn check(&self, stamp: &dyn Fn(u32) -> Option<u32>) -> Result<(), &'static str>;
}

/// Everything that lies beside the slots of one pool.
#[derive(Default)]
pub struct Companions {
    /// The links of all relations.
    pub trees: Trees,
    pub(crate) tables: Tables,
}

impl Companions {
    /// Whether nobody has to hear of anything.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.trees.is_empty() && self.tables.is_empty()
    }

    /// Becomes a copy of others, for another pool or another time: see [`Trees::assign`].
    ///
    /// # Panics
    ///
    /// If memory is refused.
    pub fn assign(&mut self, from: &Self, keep_version: bool) {
        self.tables.assign(&from.tables);
        self.trees.assign(&from.trees, keep_version);
    }

    /// How many bytes the links take.
    pub fn bytes(&self) -> usize {
        self.trees.bytes()
    }
}

/// What has to be changed in some companions to make them others: of trees what differs, of tables
/// all.
#[derive(Default)]
pub struct CompanionsDelta {
    trees: TreesDelta,
    tables: Tables,
}

impl CompanionsDelta {
    /// Becomes what has to be changed in `old` to make it `new`. If they are `same`, of one pool,
    /// links of the same version are not looked at.
    pub fn find(&mut self, old: &Companions, new: &Companions, same: bool) {
        self.trees.find(&old.trees, &new.trees, same);
        self.tables.assign(&new.tables);
    }

    /// Turns the old ones into the new ones.
    pub fn apply(&self, companions: &mut Companions) {
        companions.tables.assign(&self.tables);
        self.trees.apply(&mut companions.trees);
    }

    /// How many bytes the links take.
    pub fn bytes(&self) -> usize {
        self.trees.bytes()
    }
}

impl Companion for Companions {
    #[inline]
    fn leave(&mut self, who: Node, orphans: Option<Orphans>) -> bool {
        self.trees.leave(who, orphans) | self.tables.leave(who, orphans)
    }

    fn clear(&mut self) {
        self.trees.clear();
        self.tables.clear();
    }

    fn check(&self, stamp: &dyn Fn(u32) -> Option<u32>) -> Result<(), &'static str> {
        self.trees.check(stamp)?;
        self.tables.check(stamp)
    }
}
