//! What a pool knows besides slots, values and links.

use alloc::vec::Vec;

use super::*;

/// What a pool knows besides slots, values and links, as plain numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Of each tag that is in use: the slots that are live and have it, a word for each group.
    pub tags: Vec<Vec<u64>>,
    /// The groups that are owned by a set of tags, in order, and that set.
    pub owners: Vec<(u32, u64)>,
    /// The order of reuse: 0 for the lowest, 1 for last freed first, 2 for first freed first.
    pub reuse: u8,
    /// Freed slots and their stamps, longest free first.
    pub freed: Vec<(u32, u32)>,
    /// No slot from here on has been handed out in order yet.
    pub fresh: u32,
    /// Slots below this count as having been made: never-used ones of them come first when the
    /// first freed is reused first.
    pub horizon: u64,
    /// Buried slots, and the epoch after which each may go.
    pub graves: Vec<(u64, u32)>,
    /// The most slots that were in use at once.
    pub high_water: u32,
    /// The largest generation that was handed out.
    pub largest_generation: u32,
    /// The present tick; 0 if changes are not tracked.
    pub tick: u64,
}

impl Ledger {
    /// Which slots of a group are live and have a tag.
    pub(super) fn word(&self, tag: usize, group: u32) -> u64 {
        self.tags.get(tag).and_then(|words| words.get(group as usize)).copied().unwrap_or(0)
    }

    /// The tags of which something is true.
    pub(super) fn tags_of(&self, is: impl Fn(usize) -> bool) -> u64 {
        (0..self.tags.len()).filter(|&tag| is(tag)).fold(0, |set, tag| set | 1 << tag)
    }

    /// Becomes a copy of another. Reuses its memory.
    pub fn assign(&mut self, from: &Self) {
        let Self { mut tags, mut owners, mut freed, mut graves, .. } = core::mem::take(self);
        tags.clone_from(&from.tags);
        owners.clone_from(&from.owners);
        freed.clone_from(&from.freed);
        graves.clone_from(&from.graves);
        *self = Self { tags, owners, freed, graves, ..*from };
    }

    /// How many bytes the lists take.
    pub fn bytes(&self) -> usize {
        let tags: usize = self.tags.iter().map(|words| size_of_val(&**words)).sum();
        tags + size_of_val(&*self.owners) + size_of_val(&*self.freed) + size_of_val(&*self.graves)
    }
}

impl<T: Thing> Cells<T> {
    /// Makes `ledger` that of these slots, as far as they know.
    pub(crate) fn read_ledger(&self, ledger: &mut Ledger) {
        if Self::TAGGED {
            self.tags.read(&mut ledger.tags, self.slots.worn_end());
        }
        ledger.owners.clear();
        ledger.owners.extend(self.clusters.owners());
        (ledger.high_water, ledger.tick) = (self.slots.high_water(), self.tick());
    }

    /// Makes room for some tags, and for sets of tags that own groups, up to a slot at least.
    pub(in crate::cells) fn make_room_for_tags(
        &mut self,
        last: u32,
        tags: u64,
        sets: impl Iterator<Item = u64>,
    ) -> Result<(), OutOfMemory> {
        let last = self.last_slot(last);
        if Self::TAGGED && !self.tags.has_room(last, tags) {
            self.tags.grow(last, tags)?;
        }
        if !self.is_clustered() {
            return Ok(());
        }
        for tags in sets {
            if !self.clusters.has_room(last, tags) {
                self.clusters.grow_for(tags, last)?;
            }
        }
        Ok(())
    }

    /// Makes bitmaps and owners of groups what somebody says, for slots that are as they will be.
    pub(in crate::cells) fn put_back_tags(
        &mut self,
        word: impl Fn(usize, u32) -> u64,
        owners: impl Iterator<Item = (u32, u64)>,
    ) {
        self.tags.assign(word);
        if self.is_clustered() {
            self.clusters.assign(owners, &self.slots);
        }
    }
}
