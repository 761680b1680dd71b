//! Whether the books are right.

use super::{GROUP, Slots, ones};

impl Slots {
    /// Whether the cursor offers slots that are not of the lowest group: in clusters only.
    pub(crate) fn is_cursor_astray(&self) -> bool {
        self.offered() != 0 && self.cursor.group != self.lowest
    }

    fn offered(&self) -> u64 {
        self.cursor.free.load(core::sync::atomic::Ordering::Relaxed)
    }

    /// Whether the invariants hold; if not, a sentence about the first that is broken.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let (mut all_live, mut all_claimed, mut all_buried) = (0, 0, 0);
        for (number, [held, live, claimed, buried]) in self.worn(0) {
            let taken = held | live;
            if live & held | claimed & buried != 0 {
                return Err("S1: a slot is in two states at once");
            }
            if (claimed | buried) & !held != 0 {
                return Err("S1: a claimed or buried slot is not held");
            }
            let cursor = number == self.cursor.group;
            if (taken == u64::MAX && !cursor) != self.full.contains(number) {
                return Err("S2: the set of full groups is wrong");
            }
            if (live != 0 || cursor) != self.with_live.contains(number) {
                return Err("S2: the set of groups with live slots is wrong");
            }
            if claimed != 0 && !self.with_claimed.contains(number) {
                return Err("S2: a group with claimed slots is missing from their set");
            }
            if taken != u64::MAX && number < self.lowest {
                return Err("S2: there is a free slot below the lowest");
            }
            let first = u64::from(number) * u64::from(GROUP);
            if number == 0 && held & 1 == 0
                || ones(taken).any(|bit| first + u64::from(bit) >= self.limit)
            {
                return Err("S4: slot 0 is free, or a slot beyond the limit is taken");
            }
            all_live += live.count_ones();
            all_claimed += claimed.count_ones();
            all_buried += buried.count_ones();
        }
        if (all_live, all_claimed, all_buried) != (self.live(), self.claimed, self.buried) {
            return Err("the counts of live, claimed or buried slots are wrong");
        }
        if self.out_of_use(1).count() != self.retired as usize {
            return Err("the count of retired slots is wrong");
        }
        if self.offered() != 0 && self.offered() != self.free_word(self.cursor.group) {
            return Err("S5: what the cursor offers is not what is free");
        }
        Ok(())
    }
}
