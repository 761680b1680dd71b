//! Who owns which group of slots, and so where the next thing with some tags goes: the rule of
//! clusters, plainly.

use std::collections::BTreeMap;

/// Slots of a group: those of one group belong to one cluster.
pub(crate) const GROUP: u32 = 64;

/// The first so many groups belong to everybody.
pub(crate) const COMMON: u32 = 8;

/// The tags of the first thing that came to live in a group that was idle, but for the common ones.
#[derive(Clone, Default)]
pub(crate) struct Owners(BTreeMap<u32, u64>);

impl Owners {
    /// A thing with these tags lives in a group.
    pub(crate) fn note_live(&mut self, group: u32, tags: u64) {
        if group >= COMMON {
            self.0.entry(group).or_insert(tags);
        }
    }

    /// All slots of a group are free or retired.
    pub(crate) fn note_idle(&mut self, group: u32) {
        self.0.remove(&group);
    }

    /// The groups of a set of tags, lowest first.
    pub(crate) fn of(&self, tags: u64) -> impl Iterator<Item = u32> {
        self.0.iter().filter(move |&(_, &owner)| owner == tags).map(|(&group, _)| group)
    }

    /// Where the next thing with these tags goes, if not just anywhere: the lowest free slot of its
    /// cluster, or else of the common groups, or else of a new group. There are `groups` groups,
    /// and `free_in` says the lowest free slot of one.
    pub(crate) fn next(
        &self,
        tags: u64,
        groups: u32,
        free_in: impl Fn(u32) -> Option<u32>,
    ) -> Option<u32> {
        self.in_use(tags, &free_in).or_else(|| free_in(self.new_group(tags, groups, &free_in)?))
    }

    /// The same behind a shared reference, where of the stock only the first group is looked at.
    pub(crate) fn next_claim(
        &self,
        tags: u64,
        groups: u32,
        free_in: impl Fn(u32) -> Option<u32>,
    ) -> Option<u32> {
        self.in_use(tags, &free_in).or_else(|| free_in(self.stock(groups).next()?))
    }

    fn in_use(&self, tags: u64, free_in: impl Fn(u32) -> Option<u32>) -> Option<u32> {
        self.of(tags).chain(0..COMMON).find_map(free_in)
    }

    fn is_stock(&self, group: u32) -> bool {
        group >= COMMON && !self.0.contains_key(&group)
    }

    fn stock(&self, groups: u32) -> impl Iterator<Item = u32> {
        (COMMON..groups).filter(|&group| self.is_stock(group))
    }

    /// The group that a cluster takes next: if the cluster is large, the one beside its last, or
    /// the start of a stretch that is wholly free and not too far away; or else the first.
    fn new_group(
        &self,
        tags: u64,
        groups: u32,
        free_in: impl Fn(u32) -> Option<u32>,
    ) -> Option<u32> {
        let usable = |group: &u32| free_in(*group).is_some();
        let (own, all) = (self.of(tags).count(), self.0.len() as u32);
        let len =
            [256, 128, 64, 32, 16, 8, 4, 2].into_iter().find(|&len| own / 4 >= len).unwrap_or(1)
                as u32;
        if len > 1 {
            let beside = self.of(tags).last().map(|last| last + 1);
            let beside = beside.filter(|&next| next % len != 0 && self.is_stock(next));
            let all_stock = |&first: &u32| (first..first + len).all(|group| self.is_stock(group));
            let stretch = || (0..all + all / 4 + 64).step_by(len as usize).find(all_stock);
            if let Some(group) = beside.filter(usable).or_else(|| stretch().filter(usable)) {
                return Some(group);
            }
        }
        self.stock(groups).find(usable)
    }
}
