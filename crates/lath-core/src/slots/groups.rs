//! The states of slots as bits, 64 slots to a group: a word for each state.
//!
//! The live words of all groups lie side by side, since walks, spawns and despawns look at nothing
//! else; the others are zero almost everywhere.

use alloc::vec::Vec;

use crate::error::OutOfMemory;
use crate::zeroed::extend;

pub(super) const HELD: usize = 0;
pub(super) const LIVE: usize = 1;
pub(super) const CLAIMED: usize = 2;
pub(super) const BURIED: usize = 3;

/// The words of all groups; those without memory are all free.
#[derive(Default)]
pub(super) struct Groups {
    live: Vec<u64>,
    /// Held, claimed, buried.
    others: Vec<[u64; 3]>,
}

impl Groups {
    /// Makes memory for a group and all before it.
    pub(super) fn grow(&mut self, number: u32) -> Result<(), OutOfMemory> {
        extend(&mut self.live, number as usize + 1)?;
        extend(&mut self.others, number as usize + 1)
    }

    /// No group from here on has memory.
    #[inline(always)]
    pub(super) fn end(&self) -> u32 {
        self.live.len().min(self.others.len()) as u32
    }

    /// The four words of a group.
    #[inline(always)]
    pub(super) fn get(&self, number: u32) -> [u64; 4] {
        let [held, claimed, buried] = self.others.get(number as usize).copied().unwrap_or_default();
        [held, self.live(number), claimed, buried]
    }

    /// The four words of a group, to be changed, if it has memory.
    #[inline(always)]
    pub(super) fn get_mut(&mut self, number: u32) -> Option<[&mut u64; 4]> {
        let [held, claimed, buried] = self.others.get_mut(number as usize)?;
        Some([held, self.live.get_mut(number as usize)?, claimed, buried])
    }

    /// The live slots of a group.
    #[inline(always)]
    pub(super) fn live(&self, number: u32) -> u64 {
        self.live.get(number as usize).copied().unwrap_or(0)
    }

    /// The live slots of a group, to be changed, if it has memory.
    #[inline(always)]
    pub(super) fn live_mut(&mut self, number: u32) -> Option<&mut u64> {
        self.live.get_mut(number as usize)
    }

    /// The slots of a group that are not free.
    #[inline]
    pub(super) fn taken(&self, number: u32) -> u64 {
        let [held, live, ..] = self.get(number);
        held | live
    }

    /// The live slots of the groups from `number` on.
    #[inline]
    pub(super) fn live_words(&self, number: u32) -> &[u64] {
        self.live.get(number as usize..).unwrap_or(&[])
    }
}
