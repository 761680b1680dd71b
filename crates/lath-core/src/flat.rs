//! A two-level bitset that finds the next one without looking at every word.
//!
//! Growing copies, which for one bit per slot is nothing beside the slots themselves.

use alloc::vec::Vec;
use core::ops::Range;

use crate::error::OutOfMemory;
use crate::zeroed::extend;

/// The bitset: a bit per item, above it a bit per word that says whether the word has a one, and
/// how many there are.
#[derive(Default)]
pub(crate) struct FlatBits {
    words: Vec<u64>,
    summary: Vec<u64>,
    count: u32,
}

impl FlatBits {
    /// Makes memory for the bits up to `last`.
    pub(crate) fn grow(&mut self, last: u32) -> Result<(), OutOfMemory> {
        // First, so that a word that is there has its summary.
        extend(&mut self.summary, (last >> 12) as usize + 1)?;
        extend(&mut self.words, (last >> 6) as usize + 1)
    }

    /// Whether bit `i` has memory.
    #[inline]
    pub(crate) fn has_room(&self, i: u32) -> bool {
        ((i >> 6) as usize) < self.words.len()
    }

    /// Whether bit `i` is set.
    #[inline]
    pub(crate) fn contains(&self, i: u32) -> bool {
        self.word(i >> 6) >> (i & 63) & 1 == 1
    }

    /// How many are set.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Bits `64 * number` and up; those without memory are zero.
    #[inline]
    pub(crate) fn word(&self, number: u32) -> u64 {
        self.words.get(number as usize).copied().unwrap_or(0)
    }

    /// The words from `number` on.
    #[inline]
    pub(crate) fn words(&self, number: u32) -> &[u64] {
        self.words.get(number as usize..).unwrap_or(&[])
    }

    /// Sets bit `i`. Answers whether it was not set; `None` if it has no memory.
    #[inline(always)]
    pub(crate) fn insert(&mut self, i: u32) -> Option<bool> {
        let word = self.words.get_mut((i >> 6) as usize)?;
        let before = *word;
        // Counted before the branch: beside the word it takes two instructions, a test of the bit
        // and an addition with carry.
        let new = before >> (i & 63) & 1 == 0;
        self.count += u32::from(new);
        *word = before | 1 << (i & 63);
        if before == 0 {
            self.note_first(i);
        }
        Some(new)
    }

    /// Clears bit `i`. Answers whether it was set.
    #[inline(always)]
    pub(crate) fn remove(&mut self, i: u32) -> bool {
        let Some(word) = self.words.get_mut((i >> 6) as usize) else { return false };
        let before = *word;
        let after = before & !(1 << (i & 63));
        let old = before >> (i & 63) & 1 == 1;
        self.count -= u32::from(old);
        *word = after;
        if after == 0 {
            self.note_last(i);
        }
        old
    }

    /// Notes that the word of bit `i` has a one now.
    #[cold]
    #[inline(never)]
    fn note_first(&mut self, i: u32) {
        if let Some(summary) = self.summary.get_mut((i >> 12) as usize) {
            *summary |= 1 << (i >> 6 & 63);
        }
    }

    /// Notes that the word of bit `i` has no one, whether or not it had any.
    #[cold]
    #[inline(never)]
    fn note_last(&mut self, i: u32) {
        if let Some(summary) = self.summary.get_mut((i >> 12) as usize) {
            *summary &= !(1 << (i >> 6 & 63));
        }
    }

    /// Clears all bits. Looks at no word that has none.
    pub(crate) fn clear(&mut self) {
        let mut from = 0;
        while let Some(number) = self.next_word(from) {
            self.words[number as usize] = 0;
            from = number + 1;
        }
        self.summary.fill(0);
        self.count = 0;
    }

    /// All ones, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        let next = |after: &u32| after.checked_add(1).and_then(|from| self.next(from));
        core::iter::successors(self.next(0), next)
    }

    /// The first one at `from` or later.
    #[inline]
    pub(crate) fn next(&self, from: u32) -> Option<u32> {
        let here = self.word(from >> 6) & u64::MAX << (from & 63);
        if here != 0 {
            return Some((from & !63) + here.trailing_zeros());
        }
        let word = self.next_word((from >> 6) + 1)?;
        Some(word * 64 + self.word(word).trailing_zeros())
    }

    /// The first word at `from` or later that has a one.
    #[inline]
    pub(crate) fn next_word(&self, from: u32) -> Option<u32> {
        let mut number = (from >> 6) as usize;
        let mut found = self.summary.get(number)? & u64::MAX << (from & 63);
        while found == 0 {
            number += 1;
            found = *self.summary.get(number)?;
        }
        Some(number as u32 * 64 + found.trailing_zeros())
    }

    /// Sets bits in a row, which must have memory.
    pub(crate) fn insert_all(&mut self, bits: Range<u32>) {
        let mut i = bits.start;
        while i < bits.end {
            let len = (64 - (i & 63)).min(bits.end - i);
            let ones = u64::MAX >> (64 - len) << (i & 63);
            let word = &mut self.words[(i >> 6) as usize];
            self.count += (ones & !*word).count_ones();
            *word |= ones;
            self.note_first(i);
            i += len;
        }
    }

    /// Makes every word that has memory what `word` says of its number.
    pub(crate) fn assign(&mut self, mut word: impl FnMut(u32) -> u64) {
        for (number, entry) in self.words.iter_mut().enumerate() {
            let new = word(number as u32);
            let old = core::mem::replace(entry, new);
            if old == new {
                continue; // and the summary has known
            }
            self.count = self.count - old.count_ones() + new.count_ones();
            if let Some(summary) = self.summary.get_mut(number >> 6) {
                let bit = 1 << (number & 63);
                *summary = if new != 0 { *summary | bit } else { *summary & !bit };
            }
        }
    }

    /// The first zero at `from` or later. Bits without memory are zeros.
    #[inline]
    pub(crate) fn next_zero(&self, from: u32) -> Option<u32> {
        let mut word = from >> 6;
        let mut zeros = !self.word(word) & u64::MAX << (from & 63);
        while zeros == 0 {
            word += 1;
            zeros = !self.word(word);
        }
        (word * 64).checked_add(zeros.trailing_zeros())
    }

    /// The last one.
    pub(crate) fn last(&self) -> Option<u32> {
        let number = self.summary.iter().rposition(|&word| word != 0)?;
        let word = number as u32 * 64 + (63 - self.summary[number].leading_zeros());
        Some(word * 64 + (63 - self.word(word).leading_zeros()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn every_answer_is_that_of_a_sorted_set() {
        for seed in 0..4 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (mut bits, mut model) = (FlatBits::default(), BTreeSet::new());
            for step in 0..6000 {
                let span = 1 + step * 5;
                let i = random.u32(..span);
                let new = if model.is_empty() || bits.has_room(i) { bits.insert(i) } else { None };
                if new.is_none() {
                    bits.grow(i).unwrap();
                    assert_eq!(bits.insert(i), Some(true));
                }
                assert_eq!(model.insert(i), new.unwrap_or(true), "step {step} of seed {seed}: {i}");
                // Mostly more ones than zeros are made, then the other way round, so that words
                // become empty.
                for _ in 0..random.u32(..=(step / 2000)) {
                    let i = if random.bool() {
                        model.first().copied().unwrap_or(0)
                    } else {
                        random.u32(..span)
                    };
                    assert_eq!(bits.remove(i), model.remove(&i), "step {step} of seed {seed}: {i}");
                }
                let from = random.u32(..span + 200);
                assert_eq!(
                    bits.next(from),
                    model.range(from..).next().copied(),
                    "step {step} of seed {seed}: {from}"
                );
                let next_word = model.range(from.saturating_mul(64)..).next().map(|i| i / 64);
                assert_eq!(
                    bits.next_word(from),
                    next_word,
                    "step {step} of seed {seed}: word {from}"
                );
                assert_eq!(bits.last(), model.last().copied());
                assert_eq!(bits.contains(i), model.contains(&i));
                assert_eq!(bits.count() as usize, model.len(), "step {step} of seed {seed}");
            }
            assert!(bits.iter().eq(model));
            bits.clear();
            assert_eq!((bits.next(0), bits.last(), bits.count()), (None, None, 0));
        }
    }

    #[test]
    fn an_empty_bitset_has_no_ones() {
        let mut bits = FlatBits::default();
        assert_eq!((bits.next(77), bits.next_word(0), bits.last()), (None, None, None));
        assert_eq!((bits.insert(3), bits.remove(3)), (None, false));
    }
}
