#![expect(unsafe_code, reason = "reads words that do not change several at a time")]
//! The states of slots as bits, 64 slots to a group: a word for each state.
//!
//! ```text
//! eight groups:  | held × 8  | live × 8 | claimed × 8 | buried × 8 |      a cache line each
//! ```
//!
//! A group has its four words at one place, so that they are found at once; and the live words of
//! eight groups lie side by side, so that a walk, which looks at them alone, reads a quarter of the
//! memory.

use alloc::vec::Vec;
use core::ops::{Range, RangeInclusive};
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};

use crate::blocks::{Directory, Line};
use crate::error::OutOfMemory;

pub(super) const HELD: usize = 0;
pub(super) const LIVE: usize = 1;
pub(super) const CLAIMED: usize = 2;
pub(super) const BURIED: usize = 3;

/// Groups that lie together.
const EIGHT: u32 = 8;

/// The words of eight groups, state by state.
type Eight = [Line; 4];

/// The words of all groups. Octaves are as long as those of [`Fine`](crate::blocks::Fine) blocks of
/// slots.
pub(super) struct Groups {
    eights: Directory<Eight, 3, 0, 30>,
    hand: Hand,
}

/// A group that slots are taken from one after the other.
struct Hand {
    number: u32,
    first_slot: u32,
    /// Its free slots, or none of them: others may have claimed some.
    free: AtomicU64,
    /// The word of its live slots, which has memory.
    live: AtomicPtr<AtomicU64>,
}

impl Groups {
    /// With memory for the first groups, and nothing of group 0 at hand.
    pub(super) fn new() -> Result<Self, OutOfMemory> {
        let eights = Directory::new();
        eights.grow(0)?;
        let hand =
            Hand { number: 0, first_slot: 0, free: AtomicU64::new(0), live: AtomicPtr::default() };
        let mut groups = Self { eights, hand };
        assert!(groups.put_at_hand(0, 0), "it was made just now");
        Ok(groups)
    }

    /// Which group is at hand.
    #[inline(always)]
    pub(super) fn hand(&self) -> u32 {
        self.hand.number
    }

    /// Puts a group at hand, if it has memory, with the slots of it that are free.
    pub(super) fn put_at_hand(&mut self, number: u32, free: u64) -> bool {
        let Some(eight) = self.eights.element(number / EIGHT) else { return false };
        let live = eight
            .as_ptr()
            .cast::<AtomicU64>()
            .wrapping_add(LIVE * EIGHT as usize + (number % EIGHT) as usize);
        let (free, live) = (AtomicU64::new(free), AtomicPtr::new(live));
        self.hand = Hand { number, first_slot: number * super::GROUP, free, live };
        true
    }

    /// The slots at hand. Those of the group that are free, if there are any.
    #[inline(always)]
    pub(super) fn at_hand(&self) -> u64 {
        self.hand.free.load(Relaxed)
    }

    /// As [`at_hand`](Self::at_hand), to be changed.
    #[inline(always)]
    pub(super) fn at_hand_mut(&mut self) -> &mut u64 {
        self.hand.free.get_mut()
    }

    /// Forgets what is at hand: somebody has claimed slots.
    pub(super) fn drop_hand(&self) {
        self.hand.free.store(0, Relaxed);
    }

    /// The first slot of the group at hand, those that are free, and those that are live.
    #[inline(always)]
    pub(super) fn hand_mut(&mut self) -> (u32, &mut u64, &mut u64) {
        let Hand { first_slot, free, live, .. } = &mut self.hand;
        // SAFETY: the word of a group that has memory, which stays where it is as long as `eights`
        // (B2). `&mut self` keeps everyone else away.
        let live = unsafe { (**live.get_mut()).get_mut() };
        (*first_slot, free.get_mut(), live)
    }

    /// The four words of a group, if it has memory.
    #[inline(always)]
    pub(super) fn get(&self, number: u32) -> Option<[&AtomicU64; 4]> {
        let eight = match self.eights.noted_element(number / EIGHT) {
            // SAFETY: initialised words (B1) that live as long as `eights` (B2); mutable references
            // come from `&mut self` only.
            Some(eight) => unsafe { eight.as_ref() },
            None => self.eights.get(number / EIGHT)?,
        };
        Some(eight.each_ref().map(|line| &line.0[(number % EIGHT) as usize]))
    }

    /// The four words of a group, to be changed, if it has memory.
    #[inline(always)]
    pub(super) fn get_mut(&mut self, number: u32) -> Option<[&mut u64; 4]> {
        let eight = match self.eights.noted_element(number / EIGHT) {
            // SAFETY: as in `get`; `&mut self` keeps everyone else away.
            Some(mut eight) => unsafe { eight.as_mut() },
            None => self.eights.get_mut(number / EIGHT)?,
        };
        Some(words_mut(eight, number))
    }

    /// One word of a group; a group without memory is all free.
    #[inline(always)]
    pub(super) fn word(&self, number: u32, state: usize) -> u64 {
        self.get(number).map_or(0, |group| group[state].load(Relaxed))
    }

    /// The slots of a group that are not free.
    #[inline]
    pub(super) fn taken(&self, number: u32) -> u64 {
        self.get(number).map_or(0, |[held, live, ..]| held.load(Relaxed) | live.load(Relaxed))
    }

    /// The four words of some groups of one block; a group without memory is all free.
    #[inline]
    pub(super) fn row(&self, groups: Range<u32>) -> impl Iterator<Item = [u64; 4]> {
        let eights = self.eights.rest_of_block(groups.start / EIGHT);
        let skipped = groups.start % EIGHT;
        (skipped..skipped + groups.len() as u32).map(move |n| {
            match eights.get((n / EIGHT) as usize) {
                Some(eight) => {
                    eight.each_ref().map(|line| line.0[(n % EIGHT) as usize].load(Relaxed))
                }
                None => [0; 4],
            }
        })
    }

    /// The live slots of the groups from `number` on, as far as they lie in a row.
    #[inline]
    pub(super) fn live_words(&self, number: u32) -> LiveWords<'_> {
        LiveWords { eights: self.eights.rest_of_block(number / EIGHT), skipped: number % EIGHT }
    }

    pub(super) fn grow(&self, number: u32) -> Result<(), OutOfMemory> {
        self.eights.grow(number / EIGHT).map(|_| ())
    }

    /// Notes which groups have memory by now: they are found quicker.
    pub(super) fn know(&mut self) -> Result<(), OutOfMemory> {
        self.eights.know(u64::MAX)
    }

    /// The groups that get memory together with this one.
    pub(super) fn bounds(number: u32) -> RangeInclusive<u32> {
        let eights = Directory::<Eight, 3, 0, 30>::bounds(number / EIGHT);
        eights.start() * EIGHT..=eights.end() * EIGHT + (EIGHT - 1)
    }

    /// The groups at `from` or later that have memory, in order, with their words.
    pub(super) fn iter(&self, from: u32) -> impl Iterator<Item = (u32, [u64; 4])> {
        let (mut ranges, mut left) = (self.eights.ranges(), 0..0);
        core::iter::from_fn(move || {
            loop {
                let Some(number) = left.next() else {
                    let range = ranges.next()?;
                    left = from.max(range.start as u32 * EIGHT)..range.end as u32 * EIGHT;
                    continue;
                };
                if let Some(group) = self.get(number) {
                    return Some((number, group.map(|word| word.load(Relaxed))));
                }
            }
        })
    }

    /// No group from here on has memory.
    pub(super) fn end(&self) -> u32 {
        self.eights.ranges().last().map_or(0, |range| range.end as u32 * EIGHT)
    }
}

#[inline(always)]
fn words_mut(eight: &mut Eight, number: u32) -> [&mut u64; 4] {
    eight.each_mut().map(|line| line.0[(number % EIGHT) as usize].get_mut())
}

/// The live slots of eight groups.
#[inline(always)]
fn live_of(eight: &Eight) -> [u64; EIGHT as usize] {
    // SAFETY: a line has the layout of its words. Nobody writes to these meanwhile: behind a shared
    // reference slots only become claimed (S3), and there is one, so they can be read as plain
    // words, which unlike atomic ones are read several at a time.
    unsafe { (&raw const eight[LIVE].0).cast::<[u64; EIGHT as usize]>().read() }
}

/// Whether every slot of eight groups is live.
#[inline(always)]
fn all_full(eight: &Eight) -> bool {
    live_of(eight).iter().fold(u64::MAX, |all, word| all & word) == u64::MAX
}

/// The live slots of some groups in a row.
#[derive(Clone, Copy)]
pub(crate) struct LiveWords<'a> {
    eights: &'a [Eight],
    /// Groups of the first eight that come before.
    skipped: u32,
}

impl LiveWords<'_> {
    /// Those of the `n`th group.
    #[inline(always)]
    pub(crate) fn get(self, n: u32) -> u64 {
        let n = self.skipped + n;
        self.eights
            .get((n / EIGHT) as usize)
            .map_or(0, |eight| eight[LIVE].0[(n % EIGHT) as usize].load(Relaxed))
    }

    /// The first of the groups from number `n` on, up to `end`, in which not every slot is live.
    #[inline]
    pub(crate) fn full_until(self, n: u32, end: u32) -> u32 {
        let mut n = n;
        // Whole cache lines with one comparison, word by word before and after them.
        while let Some(eight) = self.eights.get(((self.skipped + n) / EIGHT) as usize) {
            let first = (self.skipped + n) % EIGHT;
            let wanted = (EIGHT - first).min(end - n);
            if wanted == EIGHT && all_full(eight) {
                n += EIGHT;
                continue;
            }
            let words = eight[LIVE].0.iter().skip(first as usize).take(wanted as usize);
            let full = words.take_while(|word| word.load(Relaxed) == u64::MAX).count() as u32;
            n += full;
            if full < wanted || n == end {
                break;
            }
        }
        n
    }

    /// Adds those of the first `len` groups to a list.
    pub(crate) fn copy_to(self, list: &mut Vec<u64>, len: u32) {
        let end = list.len() + len as usize;
        let before = (EIGHT - self.skipped) % EIGHT;
        list.extend((0..before.min(len)).map(|n| self.get(n)));
        // Whole cache lines at once, word by word before and after them.
        for eight in self.eights.iter().skip(((self.skipped + before) / EIGHT) as usize) {
            if end - list.len() < EIGHT as usize {
                break;
            }
            list.extend_from_slice(&live_of(eight));
        }
        let done = len - (end - list.len()) as u32;
        list.extend((done..len).map(|n| self.get(n)));
    }

    /// How many of the groups, from the first on, have the same live slots as those of a list.
    pub(crate) fn same(self, list: &[u64]) -> usize {
        let mut n = 0;
        while n < list.len() {
            let at = self.skipped as usize + n;
            // Whole cache lines with one comparison, word by word before and after them.
            if let (0, Some(eight), Some(wanted)) = (
                at % EIGHT as usize,
                self.eights.get(at / EIGHT as usize),
                list[n..].first_chunk::<{ EIGHT as usize }>(),
            ) {
                if live_of(eight)
                    .iter()
                    .zip(wanted)
                    .fold(0, |differ, (one, other)| differ | (one ^ other))
                    == 0
                {
                    n += EIGHT as usize;
                    continue;
                }
            }
            if self.get(n as u32) != list[n] {
                break;
            }
            n += 1;
        }
        n
    }
}
