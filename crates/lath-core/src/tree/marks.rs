//! Marked things: where [`Sweep::down_dirty`](super::Sweep::down_dirty) starts.

use alloc::vec::Vec;

use super::links::Row;
use crate::prefetch::prefetch;

/// On a way up of so many levels it costs more to keep what was found out than to go it again.
const SHORT_WAY: u32 = 16;

/// How many marks ahead memory is asked for.
const AHEAD: usize = 8;

/// The things that were marked since the last sweep, each once.
#[derive(Clone, Default)]
pub(crate) struct Marks {
    /// Slot and stamp, in the order in which they were marked.
    list: Vec<(u32, u32)>,
    marked: Set,
    /// What is known about things on the way up: nothing marked is above them, or something is.
    clear: Set,
    shaded: Set,
    /// Those that are left on the list for a sweep.
    topmost: Set,
    /// Somebody marks things or sweeps what is marked: from then on what is moved is marked by
    /// itself.
    pub(super) in_use: bool,
}

impl Marks {
    /// Marks a thing unless it is marked.
    #[inline]
    pub(crate) fn mark(&mut self, index: u32, stamp: u32) {
        if self.marked.insert(index) {
            if self.list.len() == self.list.capacity() {
                self.make_room();
            }
            self.list.push((index, stamp));
        }
    }

    /// Makes room for another mark.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        if self.list.len() > self.marked.reach() {
            self.tidy();
        }
        self.list.reserve(1);
    }

    /// Takes those that have gone from the list, so that it does not grow for ever if nobody
    /// sweeps.
    fn tidy(&mut self) {
        // The latest mark of a slot is that of the thing that is there, if any is.
        let Self { list, marked, .. } = self;
        list.reverse();
        list.retain(|&(index, _)| {
            let is_marked = marked.contains(index);
            marked.remove(index);
            is_marked
        });
        list.reverse();
        for &(index, _) in list.iter() {
            marked.insert(index);
        }
    }

    /// Forgets the mark of a thing that goes: a later one in its slot is another.
    #[inline]
    pub(crate) fn forget(&mut self, index: u32) {
        if self.in_use {
            self.marked.remove(index);
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn list(&self) -> &[(u32, u32)] {
        &self.list
    }

    /// Whether a thing above `index` is marked. What is found out on a long way up is kept until
    /// the marks are cleared, so that no long way is gone twice.
    fn is_below_marked(&mut self, rows: &[Row], index: u32) -> bool {
        let above = |at: u32| rows.get(at as usize).map_or(0, |row| row.parent);
        let mut near = above(index);
        for _ in 0..SHORT_WAY {
            match near {
                0 => return false,
                _ if self.marked.contains(near) => return true,
                _ => near = above(near),
            }
        }
        let mut end = above(index);
        let shaded = loop {
            match end {
                0 => break false,
                _ if self.marked.contains(end) || self.shaded.contains(end) => break true,
                _ if self.clear.contains(end) => break false,
                _ => end = above(end),
            }
        };
        let mut at = above(index);
        while at != end {
            if shaded {
                self.shaded.insert(at)
            } else {
                self.clear.insert(at)
            };
            at = above(at);
        }
        shaded
    }

    /// Leaves on the list those who are there and have nothing marked above them, each once. So
    /// none of them is below another.
    ///
    /// A slot can be on the list several times, if its thing has gone and another one came; and
    /// where generations were reclaimed, with the same stamp even. The latest mark of a slot is
    /// that of the thing that is there, if that is marked.
    pub(crate) fn keep_topmost(&mut self, rows: &[Row], is_there: impl Fn(u32, u32) -> bool) {
        let mut list = core::mem::take(&mut self.list);
        let mut kept = 0;
        for n in 0..list.len() {
            // Whoever is marked may be anywhere, and so may its parent.
            if let Some(&(ahead, _)) = list.get(n + 2 * AHEAD) {
                prefetch(rows.as_ptr().wrapping_add(ahead as usize));
            }
            if let Some(row) = list.get(n + AHEAD).and_then(|&(ahead, _)| rows.get(ahead as usize))
            {
                prefetch(rows.as_ptr().wrapping_add(row.parent as usize));
            }
            let (index, stamp) = list[n];
            if self.marked.contains(index)
                && is_there(index, stamp)
                && !self.is_below_marked(rows, index)
                && self.topmost.insert(index)
            {
                list[kept] = (index, stamp);
                kept += 1;
            }
        }
        list.truncate(kept);
        self.list = list;
    }

    /// Becomes a copy of other marks. Reuses its memory.
    pub(crate) fn assign(&mut self, from: &Self) {
        self.assign_list(from.marked(), from.in_use);
    }

    /// Becomes the marks that a list is.
    pub(crate) fn assign_list(&mut self, list: impl Iterator<Item = (u32, u32)>, in_use: bool) {
        self.clear();
        self.in_use = in_use;
        self.list.extend(list);
        self.list.iter().for_each(|&(index, _)| _ = self.marked.insert(index));
        self.tidy(); // the mark of a thing that has gone may come before that of the next one
    }

    /// What is marked; a slot may come twice, the mark of the thing that is there last.
    pub(crate) fn marked(&self) -> impl Iterator<Item = (u32, u32)> {
        self.list.iter().copied().filter(|&(index, _)| self.marked.contains(index))
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
        for set in [&mut self.marked, &mut self.clear, &mut self.shaded, &mut self.topmost] {
            set.empty();
        }
    }
}

/// A set of slots, a bit for each up to the largest.
#[derive(Clone, Default)]
pub(crate) struct Set {
    words: Vec<u64>,
}

impl Set {
    /// Puts a slot in. Answers whether it was not there.
    #[inline]
    pub(crate) fn insert(&mut self, index: u32) -> bool {
        let (word, bit) = (index as usize / 64, 1 << (index % 64));
        if word >= self.words.len() {
            self.reach_to(word);
        }
        let word = &mut self.words[word];
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }

    #[cold]
    #[inline(never)]
    fn reach_to(&mut self, word: usize) {
        self.words.resize(word + 1, 0);
    }

    /// One more than the largest slot that was ever in it could be.
    fn reach(&self) -> usize {
        self.words.len() * 64
    }

    pub(crate) fn empty(&mut self) {
        self.words.fill(0);
    }

    pub(crate) fn remove(&mut self, index: u32) {
        if let Some(word) = self.words.get_mut(index as usize / 64) {
            *word &= !(1 << (index % 64));
        }
    }

    /// Those of the slots from `64 * number` on, a bit for each of 64.
    #[inline]
    pub(crate) fn word(&self, number: u32) -> u64 {
        self.words.get(number as usize).copied().unwrap_or(0)
    }

    #[inline]
    pub(crate) fn contains(&self, index: u32) -> bool {
        self.words.get(index as usize / 64).is_some_and(|word| word & 1 << (index % 64) != 0)
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_list_does_not_grow_for_ever_if_nobody_sweeps() {
        let mut marks = Marks { in_use: true, ..Marks::default() };
        for stamp in 0..100_000 {
            marks.forget(5);
            marks.mark(5, stamp);
            marks.mark(7, 1);
        }
        assert!(marks.list.len() <= 256);
        assert_eq!(marks.list.last(), Some(&(5, 99_999)));
        marks.tidy();
        assert_eq!(marks.list, [(7, 1), (5, 99_999)]);
    }

    #[test]
    fn what_is_left_for_a_sweep_is_marked_and_there_and_has_nothing_marked_above_it() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut marks = Marks { in_use: true, ..Marks::default() };
        for round in 0..400 {
            // Long branches: on the way up what was found out is kept.
            let count = random.u32(1..200);
            let parent = |me: u32, random: &mut fastrand::Rng| match random.u8(..20) {
                0 => random.u32(..me),
                _ => me - 1,
            };
            let parents: Vec<u32> =
                (0..=count).map(|me| if me < 2 { 0 } else { parent(me, &mut random) }).collect();
            let rows: Vec<Row> =
                parents.iter().map(|&parent| Row { parent, ..Row::default() }).collect();
            let mut marked = BTreeSet::new();
            marks.clear();
            for _ in 0..random.u32(..20) {
                let me = random.u32(1..=count);
                if random.u8(..4) == 0 {
                    marks.forget(me);
                    marked.remove(&me);
                } else {
                    marks.mark(me, 1);
                    marked.insert(me);
                }
            }
            let there = |me: u32| me % 5 != 0;
            let is_topmost = |me: u32| {
                let mut above = parents[me as usize];
                while above != 0 && !marked.contains(&above) {
                    above = parents[above as usize];
                }
                above == 0
            };
            let expected: BTreeSet<u32> =
                marked.iter().copied().filter(|&me| there(me) && is_topmost(me)).collect();
            marks.keep_topmost(&rows, |me, _| there(me));
            let left: BTreeSet<u32> = marks.list().iter().map(|&(me, _)| me).collect();
            assert_eq!((&left, marks.list().len()), (&expected, expected.len()), "round {round}");
        }
    }
}
