//! A two-level bitset that grows without moving and finds the next bit of interest without looking
//! at every word.
//!
//! Level one has a bit per item, level two a bit per word of level one. `Bits<true>` looks for
//! ones: a level-two bit says that the word has a one. `Bits<false>` looks for zeros: a level-two
//! bit says that the word has none left. Either way fresh memory, all zero, is right as it is.

use core::ops::{Range, RangeInclusive};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::blocks::Coarse;
use crate::error::OutOfMemory;

/// The bitset; `ONES` is what [`next`](Self::next) looks for.
pub(crate) struct Bits<const ONES: bool> {
    words: Coarse<AtomicU64>,
    summary: Coarse<AtomicU64>,
    /// No bit from here on has ever been a one. Only kept if ones are looked for.
    end: AtomicU32,
}

impl<const ONES: bool> Bits<ONES> {
    pub(crate) const fn new() -> Self {
        Self { words: Coarse::new(), summary: Coarse::new(), end: AtomicU32::new(0) }
    }

    /// Makes memory for these bits.
    pub(crate) fn grow(&self, bits: RangeInclusive<u32>) -> Result<(), OutOfMemory> {
        let mut next = Some(bits.start() >> 6);
        while let Some(word) = next.filter(|word| *word <= bits.end() >> 6) {
            let block = Coarse::<AtomicU64>::bounds(word);
            // First, so that whoever sees a word finds its summary.
            self.summary.grow_all(block.start() >> 6..=block.end() >> 6)?;
            self.words.grow(word)?;
            next = block.end().checked_add(1);
        }
        Ok(())
    }

    /// Bits `64 * number` and up.
    #[inline]
    pub(crate) fn word(&self, number: u32) -> u64 {
        self.words.get(number).map_or(0, |word| word.load(Relaxed))
    }

    /// No bit from here on has ever been a one. Only known if ones are looked for.
    pub(crate) fn end(&self) -> u64 {
        u64::from(self.end.load(Relaxed))
    }

    /// Counts bit `i` as one that may have been.
    pub(crate) fn raise_end(&mut self, i: u32) {
        let end = self.end.get_mut();
        *end = (*end).max(i.saturating_add(1));
    }

    /// Sets bit `i`, which must have memory.
    #[inline]
    pub(crate) fn set(&mut self, i: u32) {
        self.set_in_word(i, 1 << (i & 63));
    }

    /// Sets bits in a row, which must have memory.
    pub(crate) fn set_all(&mut self, bits: Range<u32>) {
        let mut i = bits.start;
        while i < bits.end {
            let len = (64 - (i & 63)).min(bits.end - i);
            self.set_in_word(i, u64::MAX >> (64 - len) << (i & 63));
            i += len;
        }
    }

    /// Sets some bits of the word that bit `i`, one of them, is in.
    #[inline]
    fn set_in_word(&mut self, i: u32, ones: u64) {
        let (before, after) = update(&mut self.words, i, |word, _| word | ones);
        if if ONES { before == 0 } else { after == u64::MAX } {
            update(&mut self.summary, i >> 6, |word, bit| word | bit);
        }
        if ONES {
            self.raise_end(i & !63 | ones.ilog2());
        }
    }

    /// Clears bit `i`, which must have memory.
    #[inline]
    pub(crate) fn clear(&mut self, i: u32) {
        let (before, after) = update(&mut self.words, i, |word, bit| word & !bit);
        if if ONES { after == 0 } else { before == u64::MAX } {
            update(&mut self.summary, i >> 6, |word, bit| word & !bit);
        }
    }

    /// Sets bit `i` while others may do the same. Bits only ever go from zero to one behind a
    /// shared reference, so the summary, which follows, is at worst a moment late.
    pub(crate) fn set_shared(&self, i: u32) {
        if let Some(word) = self.words.get(i >> 6) {
            let after = word.fetch_or(1 << (i & 63), Relaxed) | 1 << (i & 63);
            if let (true, Some(summary)) = (ONES || after == u64::MAX, self.summary.get(i >> 12)) {
                summary.fetch_or(1 << (i >> 6 & 63), Relaxed);
                self.end.fetch_max(i.saturating_add(1), Relaxed);
            }
        }
    }

    /// The first one (or zero) at `from` or later. Bits without memory are zero.
    #[inline]
    pub(crate) fn next(&self, from: u32) -> Option<u32> {
        let mut at = from;
        loop {
            if ONES && at >= self.end.load(Relaxed) {
                return None;
            }
            match hits::<ONES>(&self.words, at) {
                None if !ONES => return Some(at),
                // No memory, or nothing: there may be more further on.
                None | Some(0) => {}
                Some(found) => return Some((at & !63) + found.trailing_zeros()),
            }
            // This word has nothing more; ask the summary for one that has.
            at = self.next_word((at >> 6) + 1)?.checked_mul(64)?;
        }
    }

    /// The first word at `from` or later that has a one (or a zero).
    #[inline]
    pub(crate) fn next_word(&self, from: u32) -> Option<u32> {
        let mut word = from;
        loop {
            if ONES && word >= self.end.load(Relaxed).div_ceil(64) {
                return None;
            }
            word = match hits::<ONES>(&self.summary, word) {
                None if !ONES => return Some(word),
                None => {
                    Coarse::<AtomicU64>::bounds(word >> 6).end().checked_add(1)?.checked_mul(64)?
                }
                Some(0) => ((word >> 6) + 1).checked_mul(64)?,
                Some(found) => return Some((word & !63) + found.trailing_zeros()),
            };
        }
    }
}

/// The bits of interest in the word of bit `i`, from `i` on; `None` where there is no memory.
#[inline]
fn hits<const ONES: bool>(words: &Coarse<AtomicU64>, i: u32) -> Option<u64> {
    let word = words.get(i >> 6)?.load(Relaxed);
    Some(if ONES { word } else { !word } & u64::MAX << (i & 63))
}

/// Changes the word of bit `i`: what it was and what it is.
#[inline]
fn update(words: &mut Coarse<AtomicU64>, i: u32, change: impl Fn(u64, u64) -> u64) -> (u64, u64) {
    let Some(word) = words.get_mut(i >> 6) else {
        unreachable!("bits are changed only where `grow` made memory")
    };
    let word = word.get_mut();
    let before = *word;
    *word = change(before, 1 << (i & 63));
    (before, *word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    /// Bits in these spans, with memory for them and for little else.
    fn agrees_with_a_set<const ONES: bool>(seed: u64, spans: &[RangeInclusive<u32>]) {
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut bits, mut model) = (Bits::<ONES>::new(), BTreeSet::new());
        spans.iter().for_each(|span| bits.grow(span.clone()).unwrap());
        let end = *spans.last().unwrap().end();
        for step in 0..1500 {
            let span = &spans[random.usize(..spans.len())];
            let i = random.u32(span.clone());
            match random.u8(..5) {
                0 => {
                    bits.clear(i);
                    model.remove(&i);
                }
                1 => {
                    let end = (i + random.u32(..300)).min(*span.end()) + 1;
                    bits.set_all(i..end);
                    model.extend(i..end);
                }
                2 => {
                    for i in i..=(i + random.u32(..300)).min(*span.end()) {
                        bits.set_shared(i);
                        model.insert(i);
                    }
                }
                3 => {
                    for i in i..=(i + 300).min(*span.end()) {
                        bits.clear(i);
                        model.remove(&i);
                    }
                }
                _ => {
                    bits.set(i);
                    model.insert(i);
                }
            }
            let word = (i & !63..=i | 63)
                .fold(0, |word, i| word | u64::from(model.contains(&i)) << (i & 63));
            assert_eq!(bits.word(i >> 6), word, "step {step} of seed {seed}, at {i}");
            for from in [
                i,
                i + 1,
                random.u32(span.clone()),
                random.u32(..=end),
                *span.end(),
                *span.end() + 1,
            ] {
                let expected = if ONES {
                    model.range(from..).next().copied()
                } else {
                    (from..).find(|i| !model.contains(i))
                };
                assert_eq!(bits.next(from), expected, "step {step} of seed {seed}, from {from}");
                let word = |i: u32| i >> 6;
                let is_full = |word: &u32| (word << 6..=word << 6 | 63).all(|i| model.contains(&i));
                let expected = if ONES {
                    model.range(from & !63..).next().copied().map(word)
                } else {
                    (word(from)..).find(|word| !is_full(word))
                };
                assert_eq!(
                    bits.next_word(word(from)),
                    expected,
                    "step {step} of seed {seed}, word of {from}"
                );
            }
        }
    }

    #[test]
    fn the_next_one_and_the_next_zero_are_those_of_a_sorted_set() {
        for seed in 0..2 {
            agrees_with_a_set::<true>(seed, &[0..=20_000]);
            agrees_with_a_set::<false>(seed, &[0..=20_000]);
        }
    }

    #[test]
    fn bits_without_memory_are_zeros_between_those_that_have_it() {
        let spans = [
            70..=700,
            4095..=4100,
            300_000..=300_200,
            5_000_000..=5_000_500,
            17_000_000..=17_000_001,
        ];
        for seed in 0..2 {
            agrees_with_a_set::<true>(seed, &spans);
            agrees_with_a_set::<false>(seed, &spans);
        }
    }

    #[test]
    fn an_empty_bitset_is_all_zeros() {
        assert_eq!(Bits::<true>::new().next(0), None);
        assert_eq!(Bits::<false>::new().next(77), Some(77));
    }
}
