//! Free slots: finding them, in order, and taking them.

use core::sync::atomic::Ordering::Relaxed;

use super::{GROUP, Slots, bit};
use crate::memory::unlikely;

impl Slots {
    /// The lowest free slot at `from` or later, whether or not there is memory for it.
    #[inline]
    pub(crate) fn next_free(&self, from: u32) -> Option<u32> {
        self.next_free_by(from, &|group| self.free_word(group))
    }

    /// The same for somebody who knows better which slots of a group are free.
    #[inline]
    pub(crate) fn next_free_by(&self, from: u32, free: &impl Fn(u32) -> u64) -> Option<u32> {
        let number = from / GROUP;
        let (number, free) = match free(number) & u64::MAX << (from % GROUP) {
            0 => self.next_free_group_by(number + 1, free)?,
            free => (number, free),
        };
        Some(number * GROUP + free.trailing_zeros())
    }

    /// The first group at `number` or later that has free slots, and which they are, whether or not
    /// there is memory for them.
    #[inline]
    pub(crate) fn next_free_group(&self, number: u32) -> Option<(u32, u64)> {
        self.next_free_group_by(number, &|group| self.free_word(group))
    }

    #[inline]
    fn next_free_group_by(&self, number: u32, free: &impl Fn(u32) -> u64) -> Option<(u32, u64)> {
        let mut number = number;
        loop {
            // The next group is looked at before the set of full ones is: in a worn pool most
            // groups have a free slot.
            match free(number) {
                0 => {
                    let next = self.full.next_zero(number + 1);
                    number = next.filter(|&number| self.has_group(number))?
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
        self.lowest = number;
        Some((number, free))
    }

    /// The group where the lowest free slot was found last: there are none before it.
    #[inline(always)]
    pub(crate) fn lowest(&self) -> u32 {
        self.lowest
    }

    /// The group that the cursor is at.
    #[inline(always)]
    pub(crate) fn cursor(&self) -> u32 {
        self.cursor.group
    }

    /// Whether the cursor offers any slot.
    #[inline(always)]
    pub(crate) fn offers(&mut self) -> bool {
        *self.cursor.free.get_mut() != 0
    }

    /// Moves the cursor to a group, which has room and these free slots.
    pub(crate) fn move_cursor(&mut self, group: u32, free: u64) {
        debug_assert!(free == self.free_word(group) && self.has_room(group * GROUP));
        let left = core::mem::replace(&mut self.cursor, super::Cursor { group, free: free.into() });
        self.note_group(left.group);
        self.full.remove(group);
        self.with_live.insert(group);
        self.note_worn(group);
    }

    /// The cursor offers nothing any more: the next slot is to be found in another way.
    pub(crate) fn drop_cursor(&self) {
        self.cursor.free.store(0, Relaxed);
    }

    /// The lowest slot that the cursor offers.
    #[inline(always)]
    pub(crate) fn next_offered(&mut self) -> Option<Offer<'_>> {
        let free = self.cursor.free.get_mut();
        let before = *free;
        if before == 0 {
            unlikely();
            return None;
        }
        let live = self.groups.live_mut(self.cursor.group)?;
        let bit = before.trailing_zeros();
        let index = self.cursor.group * GROUP + bit;
        Some(Offer { index, bit, before, free, live, count: &mut self.used })
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
        let mut first = u64::from(self.next_free(self.lowest * GROUP)?);
        let mut end = first;
        while end - first < u64::from(len) {
            if end >= self.limit {
                return None;
            }
            match self.groups.taken((end / u64::from(GROUP)) as u32) {
                // From here on nothing was ever taken.
                0 if end >= u64::from(self.worn) * u64::from(GROUP) => end = first + u64::from(len),
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

    /// Free to claimed. There must be room.
    pub(crate) fn claim(&mut self, index: u32) {
        self.take(index);
        self.unsettle(index);
    }
}

/// A free slot that the cursor offers.
pub(crate) struct Offer<'a> {
    pub(crate) index: u32,
    /// Which slot of the group it is.
    pub(crate) bit: u32,
    /// What is offered now, and where that is kept.
    before: u64,
    free: &'a mut u64,
    live: &'a mut u64,
    count: &'a mut u32,
}

impl Offer<'_> {
    /// Free to live. No set has to hear of it (S2).
    #[inline(always)]
    pub(crate) fn take(self) {
        // Without the number of the bit: the next spawn waits for this.
        *self.free = self.before & (self.before - 1);
        *self.live |= 1 << self.bit;
        *self.count += 1;
    }
}
