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

    /// Makes the states of every group that has memory what `group` says. They must keep S1 and S4.
    pub(crate) fn assign(&mut self, mut group: impl FnMut(u32) -> [u64; 4]) {
        self.drop_hand();
        let mut block = Some(Groups::bounds(0));
        while let Some(numbers) = block {
            let (mut from, end) = (*numbers.start(), *numbers.end() + 1);
            // Mostly few of them differ.
            loop {
                let mut groups = (from..end).zip(self.groups.row(from..end));
                let differs = |(number, old): (u32, [u64; 4])| {
                    let new = words(group(number));
                    // Word by word: as arrays they would be compared in memory, right after having been written there.
                    let differ = old.iter().zip(new).fold(0, |differ, (old, new)| differ | (old ^ new));
                    (differ != 0).then_some((number, old, new))
                };
                let Some((number, old, new)) = groups.find_map(differs) else { break };
                drop(groups);
                let Some(entry) = self.groups.get_mut(number) else { break };
                entry.into_iter().zip(new).for_each(|(word, new)| *word = new);
                self.note_states(number, old, new);
                from = number + 1;
            }
            block = Some(end).filter(|&next| next < self.groups.end()).map(Groups::bounds);
        }
    }

    /// Brings counts and sets up to date after the states of a group were replaced.
    fn note_states(&mut self, number: u32, old: [u64; 4], new: [u64; 4]) {
        let out_of_use = |[held, _, claimed, buried]: [u64; 4]| held & !(claimed | buried);
        let change = |count: &mut u32, old: u64, new: u64| *count = *count + new.count_ones() - old.count_ones();
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
        self.groups
            .iter(from)
            .find(|(_, [_, live, claimed, buried])| live | claimed | buried != 0)
            .map(|(number, _)| number)
    }

    /// The last slot at `from` or later that is taken.
    pub(crate) fn last_taken(&self, from: u32) -> Option<u32> {
        let taken = self.groups.iter(from / GROUP).map(|(number, [held, live, ..])| (number, held | live));
        let last = taken.filter(|(_, taken)| *taken != 0).last();
        last.map(|(number, taken)| number * GROUP + (63 - taken.leading_zeros())).filter(|&last| last >= from)
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
