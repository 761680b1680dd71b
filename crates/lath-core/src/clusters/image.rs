//! Who owns which group, for copies of pools.

use super::*;

impl Clusters {
    /// The tags that own a group.
    pub(crate) fn owner_of(&self, group: u32, sets: &[u64]) -> Option<u64> {
        let owner = self.owners.get(group as usize)?.checked_sub(1)?;
        sets.get(owner as usize).copied()
    }

    /// The tags of each cluster, by number.
    pub(crate) fn sets(&self, into: &mut Vec<u64>) {
        into.clear();
        into.resize(self.clusters.len(), 0);
        for &(tags, id) in &self.by_tags {
            into[id as usize] = tags;
        }
    }

    /// Makes the owner of every group what `owner` says. There must be room; the slots are as they
    /// will be.
    pub(crate) fn assign(&mut self, slots: &Slots, mut owner: impl FnMut(u32) -> Option<u64>) {
        for cluster in &mut self.clusters {
            cluster.open.assign(|_| 0);
            cluster.groups.assign(|_| 0);
            (cluster.lowest, cluster.count) = (u32::MAX, 0);
        }
        self.count = 0;
        for group in slots.numbers() {
            let Some(tags) = owner(group) else {
                if self.owner(group).is_some() {
                    self.set_owner(group, 0);
                    self.owned.remove(group);
                }
                continue;
            };
            let Some(id) = self.find(tags) else { continue };
            self.give(group, id);
            if slots.free_in(group).is_some() {
                let cluster = &mut self.clusters[id as usize];
                cluster.open.insert(group);
                cluster.lowest = cluster.lowest.min(group);
            }
        }
        for cluster in self.clusters.iter_mut().filter(|cluster| cluster.lowest == u32::MAX) {
            cluster.lowest = 0;
        }
    }
}
