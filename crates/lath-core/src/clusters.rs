//! Clusters: groups of 64 slots that belong to one set of tags.
//!
//! A thing with tags is put into a group of things that were spawned with the same tags, so that
//! what is walked together lies together, although nothing ever moves. A group without an owner
//! belongs to the stock; the first thing put there makes it its cluster's, and when all its things
//! are gone it returns. Tags that change later do not matter.
//!
//! The first few groups are **common**: they belong to nobody, and everybody whose own groups are
//! full may use them. A small pool, or a few things of each of many kinds, would otherwise be
//! spread over groups that are mostly empty.
//!
//! A cluster that grows takes **stretches** of neighbouring groups, the longer the larger it is:
//! walking one group here and one there is several times slower than walking the same groups in a
//! row.
//!
//! Which slot comes next follows from which slots are free and who owns which group, and from
//! nothing else (P3).
//!
//! # Invariants
//!
//! - **L1** A group beyond the common ones that has a live slot has an owner; one whose slots are
//!   all free or retired has none, and neither have the common ones.
//! - **L2** `open` of a cluster holds (at least) those of its groups that have a free slot, and
//!   `lowest` is no more than the lowest of them; `groups` holds exactly its groups, and `count`
//!   says how many they are.

use alloc::vec::Vec;

use crate::error::OutOfMemory;
use crate::flat::FlatBits;
use crate::slots::{GROUP, Slots};
use crate::zeroed::extend;

/// So many groups, the first ones, are everybody's.
pub const COMMON: u32 = 8;

/// A stretch is at most so many groups long. Where one ends, a walk waits for memory that nobody
/// has foreseen.
const LONGEST: u32 = 256;

pub(crate) struct Clusters {
    /// The sets of tags, in order, and their clusters. Not a map: those cannot say that there is no
    /// memory.
    by_tags: Vec<(u64, u32)>,
    clusters: Vec<Cluster>,
    /// The cluster that was asked for last: things of one kind tend to be spawned together.
    last: (u64, u32),
    /// Per group: 0 for the stock, otherwise the number of its cluster plus one.
    owners: Vec<u64>,
    owned: FlatBits,
    /// How many groups are owned.
    count: u32,
}

#[derive(Default)]
struct Cluster {
    tags: u64,
    groups: FlatBits,
    open: FlatBits,
    lowest: u32,
    count: u32,
}

impl Clusters {
    pub(crate) fn new() -> Self {
        Self {
            by_tags: Vec::new(),
            clusters: Vec::new(),
            last: (0, u32::MAX),
            owners: Vec::new(),
            owned: FlatBits::default(),
            count: 0,
        }
    }

    /// The slot that the next thing with these tags gets: the lowest free one of its cluster, or
    /// else of the common groups, or else of a new group, or else of all.
    #[inline]
    pub(crate) fn next(&mut self, tags: u64, slots: &mut Slots) -> Option<u32> {
        let Some(id) = self.find(tags) else {
            return self.next_elsewhere(&Cluster::default(), slots);
        };
        let cluster = &mut self.clusters[id as usize];
        while let Some(group) = cluster.open.next(cluster.lowest) {
            cluster.lowest = group;
            if let Some(index) = slots.free_in(group) {
                return Some(index);
            }
            cluster.open.remove(group);
        }
        self.next_elsewhere(&self.clusters[id as usize], slots)
    }

    /// The group that [`next`](Self::next) finds a slot in, if there is a free one in it: known
    /// without looking any further for the tags that were asked about last. `lowest` is the group
    /// of the lowest free slot of all.
    #[inline(always)]
    pub(crate) fn near(&self, tags: u64, lowest: u32) -> Option<u32> {
        let (of, id) = self.last;
        let cluster = self.clusters.get(id as usize).filter(|_| of == tags)?;
        if cluster.count == 0 {
            return (lowest < COMMON).then_some(lowest);
        }
        // It has a free slot, so it is open (L2), and nothing before `lowest` is.
        cluster.groups.contains(cluster.lowest).then_some(cluster.lowest)
    }

    #[inline(never)]
    fn next_elsewhere(&self, cluster: &Cluster, slots: &mut Slots) -> Option<u32> {
        let lowest = slots.lowest_free()?;
        if lowest < COMMON * GROUP {
            return Some(lowest);
        }
        let group = self.new_group(cluster, slots);
        Some(group.and_then(|group| slots.free_in(group)).unwrap_or(lowest))
    }

    /// The group of the stock that a cluster takes next.
    fn new_group(&self, cluster: &Cluster, slots: &Slots) -> Option<u32> {
        let usable = |group: &u32| slots.free_in(*group).is_some();
        let len = stretch(cluster.count);
        if len > 1 {
            let beside = cluster.groups.last().map(|last| last + 1).filter(|next| next % len != 0);
            let beside = beside.filter(|&next| self.unowned_from(next) == Some(next));
            if let Some(group) =
                beside.filter(usable).or_else(|| self.free_stretch(len).filter(usable))
            {
                return Some(group);
            }
        }
        self.next_unowned(COMMON, slots, &|group| slots.free_word(group))
    }

    /// The first of so many neighbours without an owner, in step with their number. Not far beyond
    /// what is in use: the groups that are left between stretches stay within a quarter of all.
    fn free_stretch(&self, len: u32) -> Option<u32> {
        let end = self.count + self.count / 4 + 64;
        let (words, mut from) = (len.div_ceil(64), COMMON);
        loop {
            let word = (self.unowned_from(from)? / 64).next_multiple_of(words);
            let common = if word == 0 { (1 << COMMON) - 1 } else { 0 };
            let starts = match words {
                1 => starts(!(self.owned.word(word) | common), len),
                _ => u64::from(
                    (word..word + words).all(|word| self.owned.word(word) == 0) && word > 0,
                ),
            };
            if starts != 0 {
                return Some(word * 64 + starts.trailing_zeros()).filter(|&first| first < end);
            }
            from = (word + words).checked_mul(64).filter(|&from| from < end)?;
        }
    }

    /// The first group at `from` or later that is neither common nor owned by anyone.
    fn unowned_from(&self, from: u32) -> Option<u32> {
        self.owned.next_zero(from.max(COMMON))
    }

    /// A slot that a thing with these tags could be claimed in, behind a shared reference: as
    /// [`next`](Self::next), as far as can be told without changing anything. `free` says which
    /// slots of a group are free.
    pub(crate) fn suggest(
        &self,
        tags: u64,
        slots: &Slots,
        free: &impl Fn(u32) -> u64,
    ) -> Option<u32> {
        let first = |group: u32| match free(group) {
            0 => None,
            free => Some(group * GROUP + free.trailing_zeros()),
        };
        let own = || first(self.next_open(tags, 0, free)?);
        let common = || slots.next_free_by(0, free).filter(|&index| index < COMMON * GROUP);
        own().or_else(common).or_else(|| first(self.unowned_from(0)?))
    }

    /// The first group at `from` or later that belongs to these tags and has a free slot.
    pub(crate) fn next_open(
        &self,
        tags: u64,
        from: u32,
        free: &impl Fn(u32) -> u64,
    ) -> Option<u32> {
        let cluster = &self.clusters[self.look_up(tags).ok()? as usize];
        let mut from = from.max(cluster.lowest);
        loop {
            let group = cluster.open.next(from)?;
            if free(group) != 0 {
                return Some(group);
            }
            from = group + 1;
        }
    }

    /// The first group at `from` or later that belongs to nobody, the common ones included, and has
    /// a free slot.
    pub(crate) fn next_unowned(
        &self,
        from: u32,
        slots: &Slots,
        free: &impl Fn(u32) -> u64,
    ) -> Option<u32> {
        let mut from = from;
        loop {
            let group = self.owned.next_zero(from).filter(|&group| slots.has_group(group))?;
            if free(group) != 0 {
                return Some(group);
            }
            from = group.checked_add(1)?; // all retired
        }
    }

    /// Whether there is room to note who owns the group of a slot, and for its tags.
    #[inline]
    pub(crate) fn has_room(&mut self, index: u32, tags: u64) -> bool {
        let Some(id) = self.find(tags) else { return false };
        ((index / GROUP) as usize) < self.owners.len()
            && self.clusters[id as usize].groups.has_room(index / GROUP)
    }

    /// Makes a cluster for these tags, if there is none, and room as [`grow`](Self::grow) does.
    #[cold]
    pub(crate) fn grow_for(&mut self, tags: u64, last: u32) -> Result<(), OutOfMemory> {
        if let Err(place) = self.look_up(tags) {
            reserve_one(&mut self.clusters)?;
            reserve_one(&mut self.by_tags)?;
            self.by_tags.insert(place, (tags, self.clusters.len() as u32));
            self.clusters.push(Cluster { tags, ..Cluster::default() });
        }
        self.grow(last)
    }

    /// Makes room to note who owns the groups up to that of slot `last`, for all sets of tags that
    /// there are.
    #[cold]
    pub(crate) fn grow(&mut self, last: u32) -> Result<(), OutOfMemory> {
        let last = last / GROUP;
        self.owned.grow(last)?;
        extend(&mut self.owners, last as usize + 1)?;
        for cluster in &mut self.clusters {
            cluster.open.grow(last)?;
            cluster.groups.grow(last)?; // last: who has room here has room in both
        }
        Ok(())
    }

    /// Notes a slot that became live. There must be room.
    #[inline]
    pub(crate) fn note_taken(&mut self, index: u32, tags: u64) {
        let group = index / GROUP;
        if group >= COMMON && self.owner(group).is_none() {
            // Only a type of tags that says something else every time is without a cluster here.
            let Some(id) = self.find(tags) else { return };
            self.give(group, id);
            let cluster = &mut self.clusters[id as usize];
            cluster.open.insert(group);
            cluster.lowest = cluster.lowest.min(group);
        }
    }

    /// Makes a group of the stock that of a cluster.
    fn give(&mut self, group: u32, id: u32) {
        self.set_owner(group, u64::from(id) + 1);
        self.owned.insert(group);
        self.count += 1;
        let cluster = &mut self.clusters[id as usize];
        cluster.groups.insert(group);
        cluster.count += 1;
    }

    /// Notes a slot that became free or retired.
    #[inline]
    pub(crate) fn note_freed(&mut self, index: u32, slots: &Slots) {
        let group = index / GROUP;
        let Some(id) = self.owner(group) else { return };
        let cluster = &mut self.clusters[id as usize];
        if slots.is_idle(group) {
            cluster.open.remove(group);
            cluster.groups.remove(group);
            cluster.count -= 1;
            self.set_owner(group, 0);
            self.owned.remove(group);
            self.count -= 1;
        } else {
            cluster.open.insert(group);
            cluster.lowest = cluster.lowest.min(group);
        }
    }

    /// The sets of tags that have a cluster.
    pub(crate) fn sets(&self) -> impl Iterator<Item = u64> {
        self.by_tags.iter().map(|(tags, _)| *tags)
    }

    /// The groups that have an owner, in order, and its tags.
    pub(crate) fn owners(&self) -> impl Iterator<Item = (u32, u64)> {
        let owners = (0..).zip(&self.owners).filter(|(_, owner)| **owner > 0);
        owners.map(|(group, &owner)| (group, self.clusters[owner as usize - 1].tags))
    }

    /// Makes the owners of all groups what a list says. There must be room; the slots are as they
    /// will be.
    pub(crate) fn assign(&mut self, owners: impl Iterator<Item = (u32, u64)>, slots: &Slots) {
        for cluster in &mut self.clusters {
            cluster.open.assign(|_| 0);
            cluster.groups.assign(|_| 0);
            (cluster.lowest, cluster.count) = (0, 0);
        }
        self.owned.assign(|_| 0);
        self.owners.fill(0);
        self.count = 0;
        for (group, tags) in owners {
            let Some(id) = self.find(tags) else { continue };
            self.give(group, id);
            if slots.free_in(group).is_some() {
                self.clusters[id as usize].open.insert(group);
            }
        }
    }

    /// The cluster of a set of tags, if there is one.
    #[inline]
    fn find(&mut self, tags: u64) -> Option<u32> {
        if self.last.0 != tags || self.last.1 == u32::MAX {
            self.last = (tags, self.look_up(tags).ok()?);
        }
        Some(self.last.1)
    }

    /// The same behind a shared reference; or else the place in the list where it would be.
    fn look_up(&self, tags: u64) -> Result<u32, usize> {
        self.by_tags.binary_search_by_key(&tags, |entry| entry.0).map(|place| self.by_tags[place].1)
    }

    #[inline]
    fn owner(&mut self, group: u32) -> Option<u32> {
        let owner = self.owners.get(group as usize)?;
        owner.checked_sub(1).map(|id| id as u32)
    }

    fn set_owner(&mut self, group: u32, owner: u64) {
        if let Some(entry) = self.owners.get_mut(group as usize) {
            *entry = owner;
        }
    }

    /// Whether the invariants hold; if not, a sentence about the first that is broken.
    #[inline] // compiled with who calls it, which most programs do not
    pub(crate) fn check(&self, slots: &Slots) -> Result<(), &'static str> {
        let mut count = 0;
        for (group, _) in slots.worn(0) {
            let owner = self.owners.get(group as usize).copied().unwrap_or(0);
            count += u32::from(owner != 0);
            let common = group < COMMON;
            if !common && slots.live_word(group) != 0 && owner == 0
                || (common || slots.is_idle(group)) && owner != 0
                || (owner != 0) != self.owned.contains(group)
            {
                return Err("L1: a group has the wrong owner");
            }
            let open = |cluster: &Cluster| cluster.open.contains(group) && cluster.lowest <= group;
            for (id, cluster) in (1..).zip(&self.clusters) {
                if cluster.groups.contains(group) != (owner == id) {
                    return Err("L2: a cluster does not know which groups are its own");
                }
                if owner == id && slots.free_in(group).is_some() && !open(cluster) {
                    return Err("L2: a cluster has forgotten a group with a free slot");
                }
            }
        }
        if count != self.count
            || count != self.clusters.iter().map(|cluster| cluster.count).sum::<u32>()
        {
            return Err("L2: the groups of the clusters were not counted well");
        }
        Ok(())
    }
}

/// Room for one more, and for some after that.
fn reserve_one<E>(list: &mut Vec<E>) -> Result<(), OutOfMemory> {
    list.try_reserve(1).map_err(|_| OutOfMemory {
        bytes: list.len().saturating_add(1).saturating_mul(size_of::<E>()),
    })
}

/// How long the stretches are that a cluster of so many groups takes: a quarter of them, rounded
/// down to a power of two.
fn stretch(groups: u32) -> u32 {
    match (groups / 4).min(LONGEST).checked_ilog2() {
        Some(log) => 1 << log,
        None => 1,
    }
}

/// Where `len` ones in a row begin, of those places that are multiples of `len`; a power of two up
/// to 64.
fn starts(mut ones: u64, len: u32) -> u64 {
    let mut width = 1;
    while width < len {
        ones &= ones >> width;
        width *= 2;
    }
    ones & (u128::from(u64::MAX) / ((1 << len) - 1)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_grow_with_their_cluster_up_to_a_bound() {
        let lengths = [0, 7, 8, 15, 16, 63, 64, 255, 256, 1023, 1024, 100_000].map(stretch);
        assert_eq!(lengths, [1, 1, 2, 2, 4, 8, 16, 32, 64, 128, 256, 256]);
    }

    #[test]
    fn a_stretch_starts_where_all_of_its_places_are_free_and_in_step() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..2000 {
            let free = random.u64(..) | random.u64(..) | random.u64(..);
            for len in [1, 2, 4, 8, 16, 32, 64] {
                let all_free =
                    |first: &u32| (*first..first + len).all(|place| free >> place & 1 == 1);
                let expected = (0..64)
                    .step_by(len as usize)
                    .filter(all_free)
                    .fold(0, |set, first| set | 1 << first);
                assert_eq!(starts(free, len), expected, "{free:b}, {len}");
            }
        }
        assert_eq!(starts(u64::MAX, 64), 1);
    }

    #[test]
    fn a_stretch_of_any_length_is_the_first_that_nobody_owns_a_part_of() {
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..300 {
            let mut clusters = Clusters::new();
            clusters.owned.grow(2000).unwrap();
            clusters.count = 800;
            let words: Vec<u64> = (0..30)
                .map(|_| match random.u8(..8) {
                    0 => u64::MAX,
                    1 => 1 << random.u32(..64),
                    _ => 0,
                })
                .collect();
            let is_owned = |group: u32| {
                words.get(group as usize / 64).is_some_and(|word| word >> (group % 64) & 1 == 1)
            };
            (0..2000)
                .filter(|&group| is_owned(group))
                .for_each(|group| _ = clusters.owned.insert(group));
            for len in [2, 16, 64, 128, 256] {
                let all_free = |first: &u32| {
                    (*first..first + len).all(|group| group >= COMMON && !is_owned(group))
                };
                let expected = (0..1000 + 64).step_by(len as usize).find(all_free);
                assert_eq!(clusters.free_stretch(len), expected, "{len} of {words:x?}");
            }
        }
    }
}
