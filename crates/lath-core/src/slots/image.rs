//! The states of all slots, for copies of pools.

use core::ops::Range;

use super::*;

impl Slots {
    /// The states of a group: taken, live, claimed, buried. A group without memory is all free.
    #[inline]
    pub(crate) fn group(&self, number: u32) -> [u64; 4] {
        self.groups.get(number).map_or([0; 4], |group| states(group.map(|word| word.load(Relaxed))))
    }

    /// The states of some groups of one block.
    #[inline]
    pub(crate) fn row(&self, groups: Range<u32>) -> impl Iterator<Item = [u64; 4]> {
        self.groups.row(groups).map(states)
    }

    /// Whether every slot but slot 0 is free or live. Behind a shared reference, others may claim
    /// some from now on.
    pub(crate) fn all_free_or_live(&self) -> bool {
        self.claimed() == 0 && self.buried == 0 && self.retired == 0
    }

    /// Makes the states of some groups what `group` says. They must keep S1 and S4; groups without
    /// memory stay free.
    pub(crate) fn assign(&mut self, groups: Range<u32>, group: impl Fn(u32) -> [u64; 4]) {
        self.drop_hand();
        let mut number = groups.start;
        while number < groups.end {
            let Some(entry) = self.groups.get_mut(number) else {
                number = Groups::bounds(number).end() + 1;
                continue;
            };
            let new = words(group(number));
            // Word by word: as arrays they would be compared in memory, right after having been
            // written there.
            let old = entry.each_ref().map(|word| **word);
            if old.iter().zip(new).fold(0, |differ, (old, new)| differ | (old ^ new)) != 0 {
                entry.into_iter().zip(new).for_each(|(word, new)| *word = new);
                self.note_states(number, old, new);
            }
            number += 1;
        }
    }

    /// The same for groups of one block of slots, of which every slot but slot 0 is to be free, or
    /// live where `live` says so.
    pub(crate) fn assign_live(&mut self, first: u32, live: &[u64]) {
        self.drop_hand();
        let mut n = 0;
        while n < live.len() {
            // Mostly few of them differ, and then mostly there is nothing but live slots to
            // compare.
            if self.all_free_or_live() {
                n += self.groups.live_words(first + n as u32).same(&live[n..]);
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
        change(&mut self.live, old[LIVE], new[LIVE]);
        change(self.concerns.claimed.get_mut(), old[CLAIMED], new[CLAIMED]);
        change(&mut self.buried, old[BURIED], new[BURIED]);
        change(&mut self.retired, out_of_use(old), out_of_use(new));
        *self.calm.get_mut() = 0;
        self.note_worn(number);
        let full = new[HELD] | new[LIVE] == u64::MAX;
        if !full {
            let lowest = self.lowest.get_mut();
            *lowest = (*lowest).min(number);
        }
        put(&mut self.full, number, full);
        put(&mut self.with_live, number, new[LIVE] != 0);
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

fn put<const ONES: bool>(set: &mut Bits<ONES>, number: u32, is_in: bool) {
    if (set.word(number / 64) >> (number % 64) & 1 == 1) != is_in {
        if is_in { set.set(number) } else { set.clear(number) }
    }
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
                let len = random.u32(1..=Groups::bounds(first).end() - first + 1);
                if seed % 2 == 1 && random.bool() {
                    slots.claim(|| None, Ok).unwrap();
                }
                let mut list = vec![7];
                slots.live_words(first).copy_to(&mut list, len);
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
                let same = live.iter().zip(&new).take_while(|(old, new)| old == new).count();
                assert_eq!(slots.live_words(first).same(&new), same, "at {at:?}");
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
