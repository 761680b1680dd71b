//! Marked things: where [`Sweep::down_dirty`](super::Sweep::down_dirty) starts.

use alloc::vec::Vec;

use super::links::Row;
use crate::error::OutOfMemory;
use crate::flat::FlatBits;
use crate::prefetch::prefetch;

/// On a way up of so many levels it costs more to keep what was found out than to go it again.
const SHORT_WAY: u32 = 16;

/// How many marks ahead memory is asked for.
const AHEAD: usize = 8;

/// The things that were marked since the last sweep: a bit for each slot that has a row, so that
/// no mark needs memory. A thing that goes is forgotten.
#[derive(Default)]
pub(crate) struct Marks {
    marked: FlatBits,
    /// What is known about things on the way up: nothing marked is above them, or something is.
    clear: Set,
    shaded: Set,
    /// Those that a sweep starts from.
    topmost: Vec<u32>,
    /// Somebody marks things or sweeps what is marked: from then on what is moved is marked by
    /// itself.
    pub(super) in_use: bool,
}

impl Marks {
    /// Makes room for the marks of the slots up to `last`.
    pub(super) fn grow(&mut self, last: u32) -> Result<(), OutOfMemory> {
        if self.marked.has_room(last) { Ok(()) } else { self.marked.grow(last) }
    }

    /// Marks a thing. There must be room.
    #[inline]
    pub(crate) fn mark(&mut self, index: u32) {
        let marked = self.marked.insert(index);
        debug_assert!(marked.is_some(), "no room for the mark of slot {index}");
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
        self.marked.count() == 0
    }

    /// Whether all slots before `end` can be marked.
    pub(super) fn has_room(&self, end: usize) -> bool {
        end == 0 || self.marked.has_room(end as u32 - 1)
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

    /// Those who have nothing marked above them, in slot order: none of them is below another.
    pub(crate) fn topmost(&mut self, rows: &[Row]) -> &[u32] {
        let mut list = core::mem::take(&mut self.topmost);
        list.clear();
        list.extend(self.marked.iter());
        let mut kept = 0;
        for n in 0..list.len() {
            // Whoever is marked may be anywhere, and so may its parent.
            if let Some(&ahead) = list.get(n + 2 * AHEAD) {
                prefetch(rows.as_ptr().wrapping_add(ahead as usize));
            }
            if let Some(row) = list.get(n + AHEAD).and_then(|&ahead| rows.get(ahead as usize)) {
                prefetch(rows.as_ptr().wrapping_add(row.parent as usize));
            }
            if !self.is_below_marked(rows, list[n]) {
                list[kept] = list[n];
                kept += 1;
            }
        }
        list.truncate(kept);
        self.topmost = list;
        &self.topmost
    }

    /// The slots of what is marked, in order.
    pub(crate) fn marked(&self) -> impl Iterator<Item = u32> {
        self.marked.iter()
    }

    pub(crate) fn clear(&mut self) {
        self.marked.clear();
        self.clear.empty();
        self.shaded.empty();
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

    pub(crate) fn empty(&mut self) {
        self.words.fill(0);
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
    fn what_is_left_for_a_sweep_is_marked_and_has_nothing_marked_above_it() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut marks = Marks { in_use: true, ..Marks::default() };
        marks.grow(200).unwrap();
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
                    marks.mark(me);
                    marked.insert(me);
                }
            }
            let is_topmost = |me: u32| {
                let mut above = parents[me as usize];
                while above != 0 && !marked.contains(&above) {
                    above = parents[above as usize];
                }
                above == 0
            };
            let expected: Vec<u32> = marked.iter().copied().filter(|&me| is_topmost(me)).collect();
            assert_eq!(marks.topmost(&rows), expected, "round {round}");
        }
    }
}
