//! Which slots are live, which are free, and which are neither: bookkeeping in groups of 64 slots.
//!
//! ```text
//!            spawn                 despawn
//!   free ───────────────▶ live ───────────────▶ free      …until the generation is spent: retired
//!    │                     ▲ │
//!    │ reserve, stage      │ │ despawn_after      reap
//!    └────────▶ claimed ───┘ └──────────▶ buried ──────▶ free
//!               commit, spawn_at
//! ```
//!
//! # Invariants
//!
//! - **S1** A slot of a group is free, live, or held, and not two of these. `claimed` and `buried`
//!   are disjoint parts of what is held; what is held and neither of the two is retired, or slot 0.
//! - **S2** No group below `lowest` has a free slot; `full` holds exactly the groups without one,
//!   `with_live` those with a live slot, `with_claimed` (at least) those with a claimed one.
//! - **S3** Behind a shared reference slots only go from free to claimed.
//! - **S4** Slot 0 is held from the start, and no slot from `limit` on is ever taken.
//! - **S5** `high_water` is the most slots that were in use before one was freed. While `calm` is
//!   not 0 nothing is claimed, and fewer than `calm` live slots are, with those that are buried, no
//!   more than `high_water`.
//! - **S6** What is at hand are all free slots of the group at hand, or nothing. While there are
//!   some, and things are not clustered, that group is `lowest`, so that no slot below them is
//!   free.

mod check;
mod free;
mod groups;
mod image;
#[cfg(test)]
mod model;

use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::bits::Bits;
use crate::blocks::unlikely;
use crate::error::OutOfMemory;
use crate::state::State;

pub(crate) use groups::LiveWords;
use groups::{BURIED, CLAIMED, Groups, HELD, LIVE};

/// Slots of a group.
pub(crate) const GROUP: u32 = 64;

pub(crate) struct Slots {
    groups: Groups,
    full: Bits<false>,
    with_live: Bits<true>,
    with_claimed: Bits<true>,
    lowest: AtomicU32,
    /// Slots that can be named, slot 0 included: at most `2^32`.
    limit: u64,
    live: u32,
    concerns: Concerns,
    buried: u32,
    retired: u32,
    high_water: u32,
    /// While fewer than so many are live, a slot that is freed was live, and how many are in use
    /// was noted.
    calm: AtomicU32,
}

/// What hardly ever concerns a change of a thing. Side by side, so that whether anything does is
/// one comparison.
#[repr(C, align(8))]
struct Concerns {
    /// How many slots are claimed.
    claimed: AtomicU32,
    /// Not 0 if changes are tracked.
    tracked: u32,
}

impl Slots {
    /// Slots `1..limit`, all free, with room for the first group.
    pub(crate) fn new(limit: u64) -> Result<Self, OutOfMemory> {
        debug_assert!(limit > 1 && limit <= 1 << 32);
        let slots = Self {
            groups: Groups::new()?,
            full: Bits::new(),
            with_live: Bits::new(),
            with_claimed: Bits::new(),
            lowest: AtomicU32::new(0),
            limit,
            live: 0,
            concerns: Concerns { claimed: AtomicU32::new(0), tracked: 0 },
            buried: 0,
            retired: 0,
            high_water: 0,
            calm: AtomicU32::new(0),
        };
        slots.grow(0)?;
        if let Some(group) = slots.groups.get(0) {
            group[HELD].store(1, Relaxed);
        }
        Ok(slots)
    }

    #[inline]
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// How many slots are live.
    #[inline]
    pub(crate) fn live(&self) -> u32 {
        self.live
    }

    /// How many slots are reserved or staged.
    #[inline]
    pub(crate) fn claimed(&self) -> u32 {
        self.concerns.claimed.load(Relaxed)
    }

    /// Whether no slot is claimed and nobody wants to know of changes: one comparison.
    #[inline(always)]
    pub(crate) fn is_quiet(&mut self) -> bool {
        let Concerns { claimed, tracked } = &mut self.concerns;
        u64::from(*claimed.get_mut()) | u64::from(*tracked) << 32 == 0
    }

    /// Notes that somebody wants to know of changes.
    pub(crate) fn set_tracked(&mut self) {
        self.concerns.tracked = 1;
    }

    /// Whether somebody wants to know of changes.
    pub(crate) fn is_tracked(&self) -> bool {
        self.concerns.tracked != 0
    }

    /// How many slots are buried.
    #[inline]
    pub(crate) fn buried(&self) -> u32 {
        self.buried
    }

    /// How many slots are retired.
    #[inline]
    pub(crate) fn retired(&self) -> u32 {
        self.retired
    }

    /// How many slots are in use: live, reserved, staged or buried.
    #[inline]
    pub(crate) fn used(&self) -> u32 {
        self.live + self.claimed() + self.buried
    }

    /// The most slots that were in use before one was freed.
    pub(crate) fn high_water(&self) -> u32 {
        self.high_water
    }

    pub(crate) fn set_high_water(&mut self, high_water: u32) {
        self.high_water = high_water;
        *self.calm.get_mut() = 0;
    }

    /// Notes how many slots are in use, before they become fewer.
    #[cold]
    #[inline(never)]
    pub(crate) fn note_use(&mut self) {
        self.high_water = self.high_water.max(self.used());
        *self.calm.get_mut() = match self.claimed() {
            0 => (self.high_water - self.buried).saturating_add(1),
            _ => 0,
        };
    }

    /// Whether a slot that holds a value within reach may be freed by
    /// [`release_live`](Self::release_live): it is live, as none is claimed, and how many are in
    /// use was noted.
    #[inline(always)]
    pub(crate) fn is_calm(&mut self) -> bool {
        self.live < *self.calm.get_mut()
    }

    #[inline]
    pub(crate) fn state(&self, index: u32) -> State {
        if u64::from(index) >= self.limit || index == 0 {
            return State::OutOfUse;
        }
        let Some(group) = self.groups.get(index / GROUP) else { return State::Free };
        let is = |state: usize| group[state].load(Relaxed) & bit(index) != 0;
        match () {
            _ if is(LIVE) => State::Live,
            _ if !is(HELD) => State::Free,
            _ if is(CLAIMED) => State::Claimed,
            _ if is(BURIED) => State::Buried,
            _ => State::OutOfUse,
        }
    }

    /// Whether no slot of a group is live, claimed or buried.
    #[inline]
    pub(crate) fn is_idle(&self, number: u32) -> bool {
        self.groups
            .get(number)
            .is_none_or(|[_, held @ ..]| held.iter().all(|word| word.load(Relaxed) == 0))
    }

    /// No slot of a group from here on was ever taken, nor is it one that
    /// [`note_worn`](Self::note_worn) has heard of.
    pub(crate) fn worn_end(&self) -> u64 {
        self.with_live.end().max(self.with_claimed.end())
    }

    /// Counts a group as one whose slots were used before, though perhaps not here.
    pub(crate) fn note_worn(&mut self, number: u32) {
        self.with_live.raise_end(number);
    }

    /// No group from here on has memory.
    pub(crate) fn group_end(&self) -> u32 {
        self.groups.end()
    }

    /// The groups that have memory.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.groups.iter(0).map(|(number, _)| number)
    }

    /// The groups at `from` or later that may ever have been used, in order, with their words. After
    /// them there may be memory for millions: of a slot far away that has found none for its value.
    pub(crate) fn worn(&self, from: u32) -> impl Iterator<Item = (u32, [u64; 4])> {
        let end = self.worn_end().max(1); // slot 0 is out of use from the start
        self.groups.iter(from).take_while(move |(number, _)| u64::from(*number) < end)
    }

    /// Makes room to note the state of slot `index`.
    #[cold]
    pub(crate) fn grow(&self, index: u32) -> Result<(), OutOfMemory> {
        let groups = Groups::bounds(index / GROUP);
        self.full.grow(groups.clone())?;
        self.with_live.grow(groups.clone())?;
        self.with_claimed.grow(groups)?;
        // Last, so that whoever sees room for a group has room in the sets of groups as well.
        self.groups.grow(index / GROUP)?;
        Ok(())
    }

    /// Notes which slots there is room for by now: they are found quicker.
    pub(crate) fn know(&mut self) -> Result<(), OutOfMemory> {
        self.groups.know()
    }

    #[inline]
    pub(crate) fn has_room(&self, index: u32) -> bool {
        self.groups.get(index / GROUP).is_some()
    }

    /// Free to live. There must be room.
    #[inline]
    pub(crate) fn take(&mut self, index: u32) {
        self.take_all(index / GROUP, bit(index));
    }

    /// Free to live, for several slots of a group.
    #[inline]
    pub(crate) fn take_all(&mut self, number: u32, bits: u64) {
        if bits == 0 {
            return;
        }
        let [held, live, ..] = self.group_mut(number);
        debug_assert!((*held | *live) & bits == 0, "a slot was handed out while it was taken");
        let is_edge = *held | *live | bits == u64::MAX || *live == 0;
        *live |= bits;
        self.live += bits.count_ones();
        if number == self.groups.hand() {
            *self.groups.at_hand_mut() &= !bits;
        }
        if is_edge {
            self.note_taken(number, bits);
        }
    }

    /// Free to live, for all slots of several groups in a row. There must be room.
    pub(crate) fn take_groups(&mut self, numbers: Range<u32>) {
        for number in numbers.clone() {
            let [held, live, ..] = self.group_mut(number);
            debug_assert!(*held | *live == 0, "a slot was handed out while it was taken");
            *live = u64::MAX;
        }
        self.live += numbers.len() as u32 * GROUP;
        if numbers.contains(&self.groups.hand()) {
            self.groups.drop_hand();
        }
        self.full.set_all(numbers.clone());
        self.with_live.set_all(numbers);
    }

    /// Notes that these slots of a group are live: it may be full now, or have had none before.
    #[cold]
    #[inline(never)]
    pub(crate) fn note_taken(&mut self, number: u32, bits: u64) {
        let [held, live, ..] = self.group_mut(number);
        let (full, first) = (*held | *live == u64::MAX, *live == bits);
        if full {
            self.full.set(number);
        }
        if first {
            self.with_live.set(number);
        }
    }

    /// Live to free: what [`release`](Self::release) does, for the most frequent case, that
    /// [`is_calm`](Self::is_calm). Unless things are clustered, no group is at hand but the lowest
    /// (S6).
    #[inline(always)]
    pub(crate) fn release_live<const CLUSTERED: bool>(&mut self, index: u32) {
        debug_assert!(self.is_calm());
        let number = index / GROUP;
        let [held, live, ..] = self.group_mut(number);
        let before = *live;
        debug_assert!(before & bit(index) != 0, "a slot was freed that was not live");
        let after = before & !bit(index);
        *live = after;
        let was_full = *held | before == u64::MAX;
        self.live -= 1;
        if number <= *self.lowest.get_mut() || CLUSTERED && number == self.groups.hand() {
            unlikely();
            return self.note_release_at(index);
        }
        if was_full | (after == 0) {
            self.note_release(number, was_full, after == 0);
        }
    }

    /// Live to free, for several slots of a group, after [`note_use`](Self::note_use).
    pub(crate) fn release_all(&mut self, number: u32, bits: u64) {
        let [_, live, ..] = self.group_mut(number);
        debug_assert!(*live & bits == bits, "a slot was freed that was not live");
        *live &= !bits;
        self.live -= bits.count_ones();
        self.note_release_here(number, bits);
    }

    /// Notes that a slot has become free where the next one is taken from, or before that.
    #[inline(never)]
    fn note_release_at(&mut self, index: u32) {
        self.note_release_here(index / GROUP, bit(index));
    }

    /// The same for these slots of a group, wherever it is.
    fn note_release_here(&mut self, number: u32, bits: u64) {
        let [held, live, ..] = self.group_mut(number);
        let (was_full, none_live) = (*held | *live | bits == u64::MAX, *live == 0);
        self.note_release(number, was_full, none_live);
        self.offer(number, bits);
    }

    /// Notes that a group is no longer full, or has lost its last live slot.
    #[inline(never)]
    fn note_release(&mut self, number: u32, was_full: bool, none_live: bool) {
        if was_full {
            self.full.clear(number);
        }
        if none_live {
            self.with_live.clear(number);
        }
    }

    /// Notes that slots have become free, where the next one is taken from, or before that, or
    /// elsewhere.
    #[inline]
    fn offer(&mut self, number: u32, bits: u64) {
        let lowest = self.lowest.get_mut();
        let is_at_hand = number == self.groups.hand();
        let free = self.groups.at_hand_mut();
        if number < *lowest {
            (*lowest, *free) = (number, 0);
        } else if is_at_hand && *free != 0 {
            *free |= bits;
        }
    }

    /// Live, claimed or buried to free, or to retired. The generation has ended before.
    #[inline]
    pub(crate) fn release(&mut self, index: u32, retire: bool) {
        self.note_use();
        let (number, bit) = (index / GROUP, bit(index));
        let [held, live, claimed, buried] = self.group_mut(number);
        let (was_live, was_claimed, was_buried) =
            (*live & bit != 0, *claimed & bit != 0, *buried & bit != 0);
        *live &= !bit;
        *claimed &= !bit;
        *buried &= !bit;
        *held |= bit; // until it is opened, if it is
        let none_live = *live == 0;
        if was_live {
            self.live -= 1;
            if none_live {
                self.with_live.clear(number);
            }
        }
        if was_claimed {
            *self.concerns.claimed.get_mut() -= 1;
        }
        self.buried -= u32::from(was_buried);
        if retire {
            self.retired += 1;
        } else {
            self.open(index);
        }
    }

    /// Retired to free.
    pub(crate) fn reclaim(&mut self, index: u32) {
        self.retired -= 1;
        self.open(index);
    }

    /// Held to free.
    #[inline]
    fn open(&mut self, index: u32) {
        let number = index / GROUP;
        let [held, live, ..] = self.group_mut(number);
        let was_full = *held | *live == u64::MAX;
        *held &= !bit(index);
        if was_full {
            self.full.clear(number);
        }
        self.offer(number, bit(index));
    }

    /// Live to buried.
    pub(crate) fn bury(&mut self, index: u32) {
        let number = index / GROUP;
        let [held, live, _, buried] = self.group_mut(number);
        *live &= !bit(index);
        *held |= bit(index);
        *buried |= bit(index);
        let none_live = *live == 0;
        self.live -= 1;
        self.buried += 1;
        *self.calm.get_mut() = 0;
        if none_live {
            self.with_live.clear(number);
        }
    }

    /// Live back to claimed: for copies.
    pub(crate) fn unsettle(&mut self, index: u32) {
        let number = index / GROUP;
        let [held, live, claimed, _] = self.group_mut(number);
        *live &= !bit(index);
        *held |= bit(index);
        *claimed |= bit(index);
        let none_live = *live == 0;
        self.live -= 1;
        *self.calm.get_mut() = 0;
        *self.concerns.claimed.get_mut() += 1;
        self.with_claimed.set(number);
        if none_live {
            self.with_live.clear(number);
        }
    }

    /// Claimed to live.
    pub(crate) fn settle(&mut self, index: u32) {
        let number = index / GROUP;
        let [held, live, claimed, _] = self.group_mut(number);
        *claimed &= !bit(index);
        *held &= !bit(index);
        let first = *live == 0;
        *live |= bit(index);
        *self.concerns.claimed.get_mut() -= 1;
        self.live += 1;
        if first {
            self.with_live.set(number);
        }
    }

    /// The first group at `number` or later that has live slots, and which they are.
    #[inline]
    pub(crate) fn next_live(&self, number: u32) -> Option<(u32, u64)> {
        let number = self.with_live.next(number)?;
        Some((number, self.groups.word(number, LIVE)))
    }

    /// The live slots of the groups from `number` on, as far as they lie in a row.
    #[inline]
    pub(crate) fn live_words(&self, number: u32) -> LiveWords<'_> {
        self.groups.live_words(number)
    }

    /// The live slots of a group.
    #[inline(always)]
    pub(crate) fn live_word(&self, number: u32) -> u64 {
        self.groups.word(number, LIVE)
    }

    /// The first group at `number` or later that has claimed slots, and which they are.
    pub(crate) fn next_claimed(&self, number: u32) -> Option<(u32, u64)> {
        let mut from = number;
        loop {
            let number = self.with_claimed.next(from)?;
            match self.groups.word(number, CLAIMED) {
                0 => from = number + 1, // settled since
                claimed => return Some((number, claimed)),
            }
        }
    }

    /// Forgets the groups that had claimed slots and have none any more.
    pub(crate) fn tidy_claims(&mut self) {
        let mut from = 0;
        while let Some(number) = self.with_claimed.next(from) {
            if self.groups.word(number, CLAIMED) == 0 {
                self.with_claimed.clear(number);
            }
            from = number + 1;
        }
    }

    /// The slots at `from` or later that are out of use: retired, or slot 0.
    pub(crate) fn out_of_use(&self, from: u32) -> impl Iterator<Item = u32> {
        let out = |[held, _, claimed, buried]: [u64; 4]| held & !(claimed | buried);
        self.worn(from / GROUP)
            .flat_map(move |(number, group)| ones(out(group)).map(move |bit| number * GROUP + bit))
            .skip_while(move |&index| index < from)
    }

    /// The first group at `number` or later that has buried slots, and which they are. Looks at
    /// every group that was ever used.
    pub(crate) fn next_buried(&self, number: u32) -> Option<(u32, u64)> {
        if self.buried == 0 {
            return None;
        }
        self.worn(number).map(|(at, [.., buried])| (at, buried)).find(|&(_, buried)| buried != 0)
    }

    #[inline]
    fn group_mut(&mut self, number: u32) -> [&mut u64; 4] {
        match self.groups.get_mut(number) {
            Some(group) => group,
            None => unreachable!("slots change state only where there is room"),
        }
    }
}

#[inline]
const fn bit(index: u32) -> u64 {
    1 << (index % GROUP)
}

/// The numbers of the ones in a word, lowest first.
pub(crate) fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(bit)
    })
}
