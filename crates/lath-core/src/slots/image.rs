//! The states of all slots, for copies of pools.

use core::ops::Range;

use super::*;

impl Slots {
    /// The states of a group: taken, live, claimed, buried. A group without memory is all free.
    #[inline]
    pub(crate) fn group(&self, number: u32) -> [u64; 4] {
        states(self.groups.get(number))
    }

    /// Whether every slot but slot 0 is free or live. What was claimed
    /// behind a shared reference is not known here.
    pub(crate) fn all_free_or_live(&self) -> bool {
        self.claimed == 0 && self.buried == 0 && self.retired == 0
    }

    /// Makes the states of some groups what `group` says. They must keep S1 and S4; groups without
    /// memory stay free.
    pub(crate) fn assign(&mut self, groups: Range<u32>, group: impl Fn(u32) -> [u64; 4]) {
        self.drop_cursor();
        for number in groups.start..groups.end.min(self.groups.end()) {
            let entry = self.group_mut(number);
            let new = words(group(number));
            // Word by word: as arrays they would be compared in memory, right after having been
            // written there.
            let old = entry.each_ref().map(|word| **word);
            if old.iter().zip(new).fold(0, |differ, (old, new)| differ | (old ^ new)) != 0 {
                entry.into_iter().zip(new).for_each(|(word, new)| *word = new);
                self.note_states(number, old, new);
            }
        }
    }

    /// The same for groups of one block of slots, of which every slot but slot 0 is to be free, or
    /// live where `live` says so.
    pub(crate) fn assign_live(&mut self, first: u32, live: &[u64]) {
        self.drop_cursor();
        let mut n = 0;
        while n < live.len() {
            // Mostly few of them differ, and then mostly there is nothing but live slots to
            // compare.
            if self.all_free_or_live() {
                let both = self.live_words(first + n as u32).chunks(8).zip(live[n..].chunks(8));
                let same = both.take_while(|(old, new)| old == new);
                n += same.map(|(old, _)| old.len()).sum::<usize>();
            }
            if n < live.len() {
                let number = first + n as u32;
                self.assign(number..number + 1, |_| {
                    [live[n] | u64::from(number == 0), live[n], 0, 0]
                });
                n += 1;
            }
        }
    }

    /// Brings counts and sets up to date after the states of a group were replaced.
    fn note_states(&mut self, number: u32, old: [u64; 4], new: [u64; 4]) {
        let out_of_use = |[held, _, claimed, buried]: [u64; 4]| held & !(claimed | buried);
        let change = |count: &mut u32, old: u64, new: u64| {
            *count = *count + new.count_ones() - old.count_ones()
        };
        let in_use = |[_, live, claimed, buried]: [u64; 4]| live | claimed | buried;
        change(&mut self.used, in_use(old), in_use(new));
        change(&mut self.claimed, old[CLAIMED], new[CLAIMED]);
        change(&mut self.buried, old[BURIED], new[BURIED]);
        change(&mut self.retired, out_of_use(old), out_of_use(new));
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

    /// The last slot at `from` or later that is taken.
    pub(crate) fn last_taken(&self, from: u32) -> Option<u32> {
        let taken = self.worn(from / GROUP).map(|(number, [held, live, ..])| (number, held | live));
        let last = taken.filter(|(_, taken)| *taken != 0).last();
        last.map(|(number, taken)| number * GROUP + (63 - taken.leading_zeros()))
            .filter(|&last| last >= from)
    }
}

/// What the words of a group say: which slots are taken, live, claimed, buried.
fn states([held, live, claimed, buried]: [u64; 4]) -> [u64; 4] {
    [held | live, live, claimed, buried]
}

/// The words of a group that is in these states.
fn words([taken, live, claimed, buried]: [u64; 4]) -> [u64; 4] {
    [taken & !live, live, claimed, buried]
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn live_slots_are_copied_compared_and_put_back() {
        for seed in 0..6 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut slots = Slots::new(1 << 20).unwrap();
            (0..448).for_each(|group| slots.grow(group * GROUP).unwrap());
            for step in 0..300 {
                let at = (seed, step);
                // Groups of one block, full ones among them, and in every other game slots that are
                // not live either.
                let first = random.u32(..440);
                let len = random.u32(1..=448 - first);
                if seed % 2 == 1 && random.bool() {
                    let free = slots.lowest_free().unwrap();
                    slots.claim(free);
                }
                let mut list = vec![7];
                list.extend_from_slice(&slots.live_words(first)[..len as usize]);
                let live: Vec<u64> =
                    (first..first + len).map(|number| slots.live_word(number)).collect();
                assert_eq!((list[0], &list[1..]), (7, &live[..]), "at {at:?}");
                let mut new = live.clone();
                for word in &mut new {
                    if random.u8(..8) == 0 {
                        *word = [0, u64::MAX, random.u64(..)][random.usize(..3)];
                    }
                }
                new[0] &= !u64::from(first == 0);
                slots.assign_live(first, &new);
                for (number, &live) in (first..).zip(&new) {
                    assert_eq!(
                        slots.group(number),
                        [live | u64::from(number == 0), live, 0, 0],
                        "{number} at {at:?}"
                    );
                }
                assert_eq!(slots.check(), Ok(()), "at {at:?}");
            }
        }
    }
}
