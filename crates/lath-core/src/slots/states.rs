//! The states of all slots, for copies of pools.

use core::ops::Range;

use super::*;

impl Slots {
    /// The states of a group: taken, live, claimed, buried. A group without memory is all free.
    #[inline]
    pub(crate) fn group(&self, number: u32) -> [u64; 4] {
        let [held, live, claimed, buried] = self.groups.get(number);
        [held | live, live, claimed, buried]
    }

    /// Whether every slot but slot 0 is free or live. What was claimed
    /// behind a shared reference is not known here.
    pub(crate) fn all_free_or_live(&self) -> bool {
        self.claimed == 0 && self.buried == 0 && self.retired == 0
    }

    /// Whether these slots of some groups are live, and all others free.
    pub(crate) fn are_live(&self, first: u32, live: &[u64]) -> bool {
        self.all_free_or_live() && self.live_words(first).get(..live.len()) == Some(live)
    }

    /// Makes the states of some groups what `group` says: taken, live, claimed, buried. They must
    /// keep S1 and S4; groups without memory stay free.
    pub(crate) fn assign(&mut self, groups: Range<u32>, group: impl Fn(u32) -> [u64; 4]) {
        for number in groups.start..groups.end.min(self.groups.end()) {
            let [taken, live, claimed, buried] = group(number);
            let new = [taken & !live, live, claimed, buried];
            let entry = self.group_mut(number);
            // Word by word: as arrays they would be compared in memory, right after having been
            // written there.
            let old = entry.each_ref().map(|word| **word);
            if old.iter().zip(new).fold(0, |differ, (old, new)| differ | (old ^ new)) != 0 {
                entry.into_iter().zip(new).for_each(|(word, new)| *word = new);
                self.note_states(number, old, new);
            }
        }
    }

    /// Brings counts and sets up to date after the states of a group were replaced.
    fn note_states(&mut self, number: u32, old: [u64; 4], new: [u64; 4]) {
        let out_of_use = |[held, _, claimed, buried]: [u64; 4]| held & !(claimed | buried);
        let in_use = |[_, live, claimed, buried]: [u64; 4]| live | claimed | buried;
        let change = |count: &mut u32, old: u64, new: u64| {
            *count = *count + new.count_ones() - old.count_ones()
        };
        change(&mut self.used, in_use(old), in_use(new));
        change(&mut self.claimed, old[CLAIMED], new[CLAIMED]);
        change(&mut self.buried, old[BURIED], new[BURIED]);
        change(&mut self.retired, out_of_use(old), out_of_use(new));
        self.drop_cursor();
        self.note_worn(number);
        if new[HELD] | new[LIVE] != u64::MAX {
            self.lowest = self.lowest.min(number);
        }
        self.note_group(number);
        put(&mut self.with_claimed, number, new[CLAIMED] != 0);
    }

    /// The first group at `from` or later in which a slot is live, claimed or buried.
    pub(crate) fn next_in_use(&self, from: u32) -> Option<u32> {
        self.worn(from)
            .find(|(_, [_, live, claimed, buried])| live | claimed | buried != 0)
            .map(|(number, _)| number)
    }

    /// The last group in which a slot is live, claimed or buried.
    pub(crate) fn last_in_use(&self) -> Option<u32> {
        (0..self.worn_end().min(self.numbers().end)).rev().find(|&number| !self.is_idle(number))
    }

    /// The last slot at `from` or later that is taken.
    pub(crate) fn last_taken(&self, from: u32) -> Option<u32> {
        let taken = self.worn(from / GROUP).map(|(number, [held, live, ..])| (number, held | live));
        let last = taken.filter(|(_, taken)| *taken != 0).last();
        last.map(|(number, taken)| number * GROUP + (63 - taken.leading_zeros()))
            .filter(|&last| last >= from)
    }
}
