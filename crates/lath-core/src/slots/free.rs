//! Free slots: finding them, in order, and taking them.

use core::sync::atomic::Ordering::Relaxed;

use super::groups::{CLAIMED, HELD, LIVE};
use super::{GROUP, Slots, bit};
use crate::blocks::unlikely;
use crate::error::OutOfMemory;

impl Slots {
    /// The lowest free slot at `from` or later, whether or not there is memory for it.
    #[inline]
    pub(crate) fn next_free(&self, from: u32) -> Option<u32> {
        let number = from / GROUP;
        let (number, free) = match self.free_word(number) & u64::MAX << (from % GROUP) {
            0 => self.next_free_group(number + 1)?,
            free => (number, free),
        };
        Some(number * GROUP + free.trailing_zeros())
    }

    /// The first group at `number` or later that has free slots, and which they are, whether or not
    /// there is memory for them.
    #[inline]
    pub(crate) fn next_free_group(&self, number: u32) -> Option<(u32, u64)> {
        let mut number = number;
        loop {
            // The next group is looked at before the set of full ones is: in a worn pool most
            // groups have a free slot.
            match self.free_word(number) {
                0 => {
                    number = self.full.next(number + 1).filter(|&number| self.has_group(number))?
                }
                free => return Some((number, free)),
            }
        }
    }

    /// The lowest group that has free slots, and which they are.
    #[inline]
    pub(crate) fn lowest_free_group(&mut self) -> Option<(u32, u64)> {
        let (number, free) = match self.free_word(self.lowest()) {
            0 => self.next_free_group(self.lowest() + 1)?,
            free => (self.lowest(), free),
        };
        *self.lowest.get_mut() = number;
        Some((number, free))
    }

    /// The group where the lowest free slot was found last: there are none before it.
    #[inline(always)]
    pub(crate) fn lowest(&self) -> u32 {
        self.lowest.load(Relaxed)
    }

    /// Which group is at hand.
    #[inline(always)]
    pub(crate) fn hand(&self) -> u32 {
        self.groups.hand()
    }

    /// Whether there are slots at hand.
    #[inline(always)]
    pub(crate) fn has_at_hand(&mut self) -> bool {
        *self.groups.at_hand_mut() != 0
    }

    /// Puts a group at hand that has these free slots. Answers whether it has memory.
    pub(crate) fn put_at_hand(&mut self, number: u32, free: u64) -> bool {
        debug_assert!(free == self.free_word(number));
        self.groups.put_at_hand(number, free)
    }

    /// Forgets what is at hand: the next slot is to be found in another way.
    pub(crate) fn drop_hand(&mut self) {
        self.groups.drop_hand();
    }

    /// The lowest slot at hand.
    #[inline(always)]
    pub(crate) fn free_at_hand(&mut self) -> Option<FreeSlot<'_>> {
        let (first, free, live) = self.groups.hand_mut();
        let before = *free;
        if before == 0 {
            unlikely();
            return None;
        }
        let bit = before.trailing_zeros();
        Some(FreeSlot { index: first + bit, bit, before, free, live, count: &mut self.live })
    }

    /// The lowest free slot of all.
    #[inline]
    pub(crate) fn lowest_free(&mut self) -> Option<u32> {
        self.lowest_free_group().map(|(number, free)| number * GROUP + free.trailing_zeros())
    }

    /// The lowest free slot of a group.
    #[inline]
    pub(crate) fn free_in(&self, number: u32) -> Option<u32> {
        let free = self.free_word(number);
        (free != 0).then(|| number * GROUP + free.trailing_zeros())
    }

    /// The free slots of a group that can be handed out.
    #[inline]
    pub(crate) fn free_word(&self, number: u32) -> u64 {
        let first = u64::from(number) * u64::from(GROUP);
        let within = match self.limit.saturating_sub(first) {
            64.. => u64::MAX,
            left => !(u64::MAX << left),
        };
        !self.groups.taken(number) & within
    }

    /// Whether a group has any slot that could be handed out.
    pub(crate) fn has_group(&self, number: u32) -> bool {
        u64::from(number) * u64::from(GROUP) < self.limit
    }

    /// The first of `len` free slots in a row, the lowest such run.
    pub(crate) fn free_run(&self, len: u32) -> Option<u32> {
        debug_assert!(len > 0);
        if u64::from(len) + u64::from(self.used()) + u64::from(self.retired) >= self.limit {
            return None; // not even if all free slots were neighbours
        }
        let mut first = u64::from(self.next_free(self.lowest.load(Relaxed) * GROUP)?);
        let mut end = first;
        while end - first < u64::from(len) {
            if end >= self.limit {
                return None;
            }
            match self.groups.taken((end / u64::from(GROUP)) as u32) {
                // From here on nothing was ever taken.
                0 if end >= self.worn_end() * u64::from(GROUP) => end = first + u64::from(len),
                // A whole free group, from its start.
                0 if end % u64::from(GROUP) == 0 => end += u64::from(GROUP),
                taken if taken & bit(end as u32) == 0 => end += 1,
                _ => {
                    first = u64::from(self.next_free(u32::try_from(end + 1).ok()?)?);
                    end = first;
                }
            }
        }
        (first + u64::from(len) <= self.limit).then_some(first as u32)
    }

    /// Free to claimed, while others may do the same: gives the slot that `suggest` says, or else
    /// the lowest free one, with room made for it, and what `memory` found for its value. Before it
    /// is claimed: there is no way back behind a shared reference (S3).
    pub(crate) fn claim<P>(
        &self,
        suggest: impl Fn() -> Option<u32>,
        memory: impl Fn(u32) -> Result<P, OutOfMemory>,
    ) -> Result<Option<(u32, P)>, OutOfMemory> {
        loop {
            let lowest = || self.next_free(self.lowest.load(Relaxed) * GROUP);
            let Some(index) = suggest().or_else(lowest) else { return Ok(None) };
            let (number, bit) = (index / GROUP, bit(index));
            let group = match self.groups.get(number) {
                Some(group) => group,
                None => {
                    self.grow(index)?;
                    continue;
                }
            };
            let place = memory(index)?;
            let before = group[HELD].fetch_or(bit, Relaxed);
            if before & bit != 0 {
                continue; // somebody else was faster
            }
            self.calm.store(0, Relaxed);
            self.groups.drop_hand();
            group[CLAIMED].fetch_or(bit, Relaxed);
            self.with_claimed.set_shared(number);
            self.concerns.claimed.fetch_add(1, Relaxed);
            if before | bit | group[LIVE].load(Relaxed) == u64::MAX {
                self.full.set_shared(number);
            }
            return Ok(Some((index, place)));
        }
    }
}

/// A free slot of the group at hand.
pub(crate) struct FreeSlot<'a> {
    pub(crate) index: u32,
    /// Which slot of the group it is.
    pub(crate) bit: u32,
    /// What is at hand now, and where that is kept.
    before: u64,
    free: &'a mut u64,
    live: &'a mut u64,
    count: &'a mut u32,
}

impl FreeSlot<'_> {
    /// Free to live. Answers whether [`Slots::note_taken`] has to hear of it.
    #[inline(always)]
    pub(crate) fn take(self) -> bool {
        // Without asking for the number of the bit: whoever spawns next waits for this.
        let after = self.before & (self.before - 1);
        let live = *self.live;
        *self.free = after;
        *self.live = live | self.before & self.before.wrapping_neg();
        *self.count += 1;
        (after == 0) | (live == 0)
    }
}
