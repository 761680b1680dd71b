//! Clusters: groups of 64 slots that belong to one set of tags.
//!
//! A thing with tags is put into a group of things that were spawned with the same tags, so that what is walked together
//! lies together, although nothing ever moves. A group without an owner belongs to the common stock; the first thing put
//! there makes it its cluster's, and when all its things are gone it returns. Tags that change later do not matter.
//!
//! # Invariants
//!
//! - **L1** A group with a live slot has an owner; a group whose slots are all free or retired has none.
//! - **L2** `open` of a cluster holds (at least) those of its groups that have a free slot, and `lowest` is no more than
//!   the lowest of them.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::bits::Bits;
use crate::blocks::Coarse;
use crate::error::OutOfMemory;
use crate::slots::{GROUP, Slots};

pub(crate) struct Clusters {
    by_tags: BTreeMap<u64, u32>,
    clusters: Vec<Cluster>,
    /// The cluster that was asked for last: things of one kind tend to be spawned together.
    last: (u64, u32),
    /// Per group: 0 for the stock, otherwise the number of its cluster plus one.
    owners: Coarse<AtomicU64>,
    owned: Bits<false>,
}

struct Cluster {
    open: Bits<true>,
    lowest: u32,
}

impl Clusters {
    pub(crate) const fn new() -> Self {
        Self {
            by_tags: BTreeMap::new(),
            clusters: Vec::new(),
            last: (0, u32::MAX),
            owners: Coarse::new(),
            owned: Bits::new(),
        }
    }

    /// The slot that the next thing with these tags gets: the lowest free one of its cluster, or else of the stock, or
    /// else of all.
    #[inline]
    pub(crate) fn next(&mut self, tags: u64, slots: &mut Slots) -> Option<u32> {
        let id = self.id(tags);
        let cluster = &mut self.clusters[id as usize];
        while let Some(group) = cluster.open.next(cluster.lowest) {
            cluster.lowest = group;
            if let Some(index) = slots.free_in(group) {
                return Some(index);
            }
            cluster.open.clear(group);
        }
        let mut from = 0;
        while let Some(group) = self.owned.next(from).filter(|&group| slots.has_group(group)) {
            if let Some(index) = slots.free_in(group) {
                return Some(index);
            }
            from = group + 1; // all retired
        }
        slots.lowest_free()
    }

    /// A slot that a thing with these tags could be claimed in, behind a shared reference: as [`next`](Self::next), as far
    /// as can be told without changing anything.
    pub(crate) fn suggest(&self, tags: u64, slots: &Slots) -> Option<u32> {
        let own = self.by_tags.get(&tags).map(|&id| &self.clusters[id as usize]);
        let open = own.into_iter().flat_map(|cluster| cluster.open.ones(cluster.lowest));
        open.chain(self.owned.next(0)).find_map(|group| slots.free_in(group))
    }

    /// Whether there is room to note who owns the group of a slot, and for its tags.
    #[inline]
    pub(crate) fn has_room(&mut self, index: u32, tags: u64) -> bool {
        let id = self.id(tags);
        self.owners.get(index / GROUP).is_some() && self.clusters[id as usize].open.has_room(index / GROUP)
    }

    /// Makes room to note who owns the groups up to that of slot `last`, for all sets of tags that there are.
    #[cold]
    pub(crate) fn grow(&mut self, last: u32) -> Result<(), OutOfMemory> {
        let groups = 0..=last / GROUP;
        self.owned.grow(0..=*Coarse::<AtomicU64>::bounds(last / GROUP).end())?;
        self.owners.grow_all(groups.clone())?;
        for cluster in &self.clusters {
            cluster.open.grow(groups.clone())?;
        }
        Ok(())
    }

    /// Notes a slot that became live. There must be room.
    #[inline]
    pub(crate) fn note_taken(&mut self, index: u32, tags: u64) {
        let group = index / GROUP;
        if self.owner(group).is_none() {
            let id = self.id(tags);
            self.set_owner(group, u64::from(id) + 1);
            self.owned.set(group);
            let cluster = &mut self.clusters[id as usize];
            cluster.open.set(group);
            cluster.lowest = cluster.lowest.min(group);
        }
    }

    /// Notes a slot that became free or retired.
    #[inline]
    pub(crate) fn note_freed(&mut self, index: u32, slots: &Slots) {
        let group = index / GROUP;
        let Some(id) = self.owner(group) else { return };
        let cluster = &mut self.clusters[id as usize];
        if slots.is_idle(group) {
            cluster.open.clear(group);
            self.set_owner(group, 0);
            self.owned.clear(group);
        } else {
            cluster.open.set(group);
            cluster.lowest = cluster.lowest.min(group);
        }
    }

    /// The same owners, for slots that are in the same state: whoever spawns next gets the same slot in both.
    pub(crate) fn try_clone(&self, slots: &Slots) -> Result<Self, OutOfMemory> {
        let mut copy = Self { by_tags: self.by_tags.clone(), last: self.last, ..Self::new() };
        copy.clusters.extend(self.clusters.iter().map(|_| Cluster { open: Bits::new(), lowest: 0 }));
        for group in slots.numbers() {
            for (from, to) in self.clusters.iter().zip(&copy.clusters) {
                if from.open.has_room(group) {
                    to.open.grow(group..=group)?;
                }
            }
            let Some(owner) = self.owners.get(group).map(|owner| owner.load(Relaxed)) else { continue };
            copy.owned.grow(Coarse::<AtomicU64>::bounds(group))?;
            copy.owners.grow(group)?;
            if let Some(id) = owner.checked_sub(1) {
                copy.set_owner(group, owner);
                copy.owned.set(group);
                if slots.free_in(group).is_some() {
                    copy.clusters[id as usize].open.set(group);
                }
            }
        }
        Ok(copy)
    }

    /// The cluster of a set of tags, made if there is none yet.
    #[inline]
    fn id(&mut self, tags: u64) -> u32 {
        if self.last.0 == tags && self.last.1 != u32::MAX {
            return self.last.1;
        }
        let next = self.clusters.len() as u32;
        let id = *self.by_tags.entry(tags).or_insert(next);
        if id == next {
            self.clusters.push(Cluster { open: Bits::new(), lowest: 0 });
        }
        self.last = (tags, id);
        id
    }

    #[inline]
    fn owner(&mut self, group: u32) -> Option<u32> {
        let owner = *self.owners.get_mut(group)?.get_mut();
        owner.checked_sub(1).map(|id| id as u32)
    }

    fn set_owner(&mut self, group: u32, owner: u64) {
        if let Some(entry) = self.owners.get_mut(group) {
            *entry.get_mut() = owner;
        }
    }

    /// Whether the invariants hold; if not, a sentence about the first that is broken.
    pub(crate) fn check(&self, slots: &Slots) -> Result<(), &'static str> {
        for group in slots.numbers() {
            let owner = self.owners.get(group).map_or(0, |owner| owner.load(Relaxed));
            if slots.live_word(group) != 0 && owner == 0 || slots.is_idle(group) && owner != 0 {
                return Err("L1: a group has the wrong owner");
            }
            let listed = |id: u64| {
                let cluster = &self.clusters[id as usize];
                cluster.open.contains(group) && cluster.lowest <= group
            };
            if owner != 0 && slots.free_in(group).is_some() && !listed(owner - 1) {
                return Err("L2: a cluster has forgotten a group with a free slot");
            }
        }
        Ok(())
    }
}
