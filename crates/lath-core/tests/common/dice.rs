//! Where a game gets its choices from: a seed, in tests; or bytes that a fuzzer makes, a few for
//! each step.
//!
//! The calls are those of `fastrand::Rng`. With a seed the numbers are the same too.

use std::cell::Cell;
use std::fmt;
use std::ops::{Bound, RangeBounds};

use fastrand::Rng;

/// So many bytes of a fuzzer make a step: the first choices are these bytes, one or two each, and
/// what a step draws beyond them follows from them. So bytes that are cut out or put in change one
/// step, and not all that come after.
pub(crate) const STEP: usize = 8;

pub(crate) struct Dice {
    random: Rng,
    /// `None`: as many steps as anybody likes, all from `random`.
    bytes: Option<Bytes>,
    seed: u64,
}

struct Bytes {
    all: Vec<u8>,
    /// What is left of this step: from here to there.
    at: usize,
    end: usize,
}

impl Dice {
    pub(crate) fn with_seed(seed: u64) -> Self {
        Self { random: Rng::with_seed(seed), bytes: None, seed }
    }

    /// The first of the bytes are for what comes before the first step.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let bytes = Some(Bytes { all: bytes.to_vec(), at: 0, end: 0 });
        let mut dice = Self { random: Rng::with_seed(0), bytes, seed: 0 };
        dice.next_step();
        dice
    }

    /// Begins a step. Answers whether there are any bytes left for it; a seed has no end.
    pub(crate) fn next_step(&mut self) -> bool {
        let Some(bytes) = &mut self.bytes else { return true };
        (bytes.at, bytes.end) = (bytes.end, bytes.all.len().min(bytes.end + STEP));
        let step = &bytes.all[bytes.at..bytes.end];
        let seed =
            step.iter().fold(self.seed, |seed, byte| seed.wrapping_mul(257) + u64::from(*byte) + 1);
        self.random.seed(seed);
        count_step(!step.is_empty());
        !step.is_empty()
    }

    pub(crate) fn bool(&mut self) -> bool {
        if self.bytes.is_some() { self.u8(..2) == 1 } else { self.random.bool() }
    }

    pub(crate) fn f64(&mut self) -> f64 {
        self.random.f64()
    }

    /// One of several, if there are any.
    pub(crate) fn choice<I: IntoIterator<IntoIter: ExactSizeIterator>>(
        &mut self,
        all: I,
    ) -> Option<I::Item> {
        let mut all = all.into_iter();
        if self.bytes.is_none() {
            return self.random.choice(all);
        }
        if all.len() == 0 { None } else { all.nth(self.usize(..all.len())) }
    }

    /// A number from 0 to `last`.
    fn up_to(&mut self, last: u64) -> u64 {
        let size = if last == 0 { 0 } else { 1 + usize::from(last > 0xff) };
        match &mut self.bytes {
            Some(bytes) if last <= 0xffff && bytes.end - bytes.at >= size => {
                let drawn = &bytes.all[bytes.at..bytes.at + size];
                bytes.at += size;
                drawn.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)) % (last + 1)
            }
            _ => self.random.u64(..=last),
        }
    }
}

/// Draws a number from a range.
macro_rules! numbers {
    ($($number:ident),*) => {
        impl Dice {
            $(pub(crate) fn $number(&mut self, range: impl RangeBounds<$number>) -> $number {
                if self.bytes.is_none() {
                    return self.random.$number(range);
                }
                let first = match range.start_bound() {
                    Bound::Included(first) => *first,
                    Bound::Excluded(before) => before + 1,
                    Bound::Unbounded => 0,
                };
                let last = match range.end_bound() {
                    Bound::Included(last) => *last,
                    Bound::Excluded(after) => after.checked_sub(1).expect("a range with something in it"),
                    Bound::Unbounded => $number::MAX,
                };
                assert!(first <= last, "a range with something in it");
                first + self.up_to((last - first) as u64) as $number
            })*
        }
    };
}

numbers!(u8, u32, u64, usize);

impl fmt::Display for Dice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            None => write!(out, "seed {}; LATH_MODEL_SEED={} plays it again", self.seed, self.seed),
            Some(_) => write!(out, "these bytes"),
        }
    }
}

/// How many steps were played from bytes. Told at the end, when a fuzzer's thread ends.
struct Steps(Cell<u64>);

impl Drop for Steps {
    fn drop(&mut self) {
        eprintln!("operations: {}", self.0.get());
    }
}

thread_local! {
    static STEPS: Steps = const { Steps(Cell::new(0)) };
}

fn count_step(is_step: bool) {
    STEPS.with(|steps| steps.0.set(steps.0.get() + u64::from(is_step)));
}
