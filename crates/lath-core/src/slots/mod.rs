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
//! - **S2** No group below `lowest` has a free slot. `full` holds exactly the groups without one,
//!   `with_live` those with a live slot, but for the group that the cursor is at: that one counts as
//!   having both, whatever it has, and is entered rightly when the cursor leaves it. So a spawn at
//!   the cursor, and a despawn there, touch no set. `with_claimed` has (at least) the groups with a
//!   claimed slot.
//! - **S3** Behind a shared reference nothing here changes but what the cursor offers, and that
//!   only to nothing.
//! - **S4** Slot 0 is held from the start, and no slot from `limit` on is ever taken.
//! - **S5** The cursor offers all free slots of its group, or nothing. While it offers some, and
//!   things are not clustered, its group is `lowest`, so that no slot below them is free.

mod check;
mod free;
mod groups;
#[cfg(test)]
mod model;
mod states;

use core::ops::Range;
use core::sync::atomic::AtomicU64;

use crate::error::OutOfMemory;
use crate::flat::FlatBits;
use crate::memory::unlikely;
use crate::state::State;

use groups::{BURIED, CLAIMED, Groups, HELD, LIVE};

/// Slots of a group.
pub(crate) const GROUP: u32 = 64;

pub(crate) struct Slots {
    groups: Groups,
    cursor: Cursor,
    full: FlatBits,
    with_live: FlatBits,
    with_claimed: FlatBits,
    lowest: u32,
    /// Slots that can be named, slot 0 included: at most `2^32`.
    limit: u64,
    /// No slot of a group from here on was ever taken.
    worn: u32,
    /// How many slots are in use: live, claimed or buried.
    used: u32,
    claimed: u32,
    buried: u32,
    retired: u32,
    high_water: u32,
}

/// The group that slots are taken from one after the other.
struct Cursor {
    group: u32,
    /// Its free slots, or none of them. Others take them all away when they claim one: then the
    /// next slot is found the long way, by who knows of them.
    free: AtomicU64,
}

impl Slots {
    /// Slots `1..limit`, all free, with room for the first group.
    pub(crate) fn new(limit: u64) -> Result<Self, OutOfMemory> {
        debug_assert!(limit > 1 && limit <= 1 << 32);
        let mut slots = Self {
            groups: Groups::default(),
            cursor: Cursor { group: 0, free: AtomicU64::new(0) },
            full: FlatBits::default(),
            with_live: FlatBits::default(),
            with_claimed: FlatBits::default(),
            lowest: 0,
            limit,
            worn: 1, // slot 0 is taken
            used: 0,
            claimed: 0,
            buried: 0,
            retired: 0,
            high_water: 0,
        };
        slots.grow(0)?;
        let [held, ..] = slots.group_mut(0);
        *held = 1;
        slots.with_live.insert(0); // the cursor is there (S2)
        Ok(slots)
    }

    #[inline]
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// How many slots are live.
    #[inline]
    pub(crate) fn live(&self) -> u32 {
        self.used - self.claimed - self.buried
    }

    /// How many slots are reserved or staged.
    #[inline]
    pub(crate) fn claimed(&self) -> u32 {
        self.claimed
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
        self.used
    }

    /// The most slots that were in use before one was freed.
    pub(crate) fn high_water(&self) -> u32 {
        self.high_water
    }

    pub(crate) fn set_high_water(&mut self, high_water: u32) {
        self.high_water = high_water;
    }

    /// Notes how many slots are in use, before they become fewer.
    #[inline(always)]
    pub(crate) fn note_use(&mut self) {
        if self.used > self.high_water {
            unlikely(); // a branch, foreseen nearly always, and no store
            self.high_water = self.used;
        }
    }

    #[inline]
    pub(crate) fn state(&self, index: u32) -> State {
        if u64::from(index) >= self.limit || index == 0 {
            return State::OutOfUse;
        }
        let group = self.groups.get(index / GROUP);
        let is = |state: usize| group[state] & bit(index) != 0;
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
        let [_, live, claimed, buried] = self.groups.get(number);
        live | claimed | buried == 0
    }

    /// No slot of a group from here on was ever taken, nor is it one that
    /// [`note_worn`](Self::note_worn) has heard of.
    pub(crate) fn worn_end(&self) -> u32 {
        self.worn
    }

    /// Counts a group as one whose slots were used before, though perhaps not here.
    #[inline]
    pub(crate) fn note_worn(&mut self, number: u32) {
        self.worn = self.worn.max(number + 1);
    }

    /// The groups that have memory.
    pub(crate) fn numbers(&self) -> Range<u32> {
        0..self.groups.end()
    }

    /// The groups at `from` or later that may ever have been used, in order, with their words. After
    /// them there may be memory for millions: of a slot far away that has found none for its value.
    pub(crate) fn worn(&self, from: u32) -> impl Iterator<Item = (u32, [u64; 4])> {
        (from..self.worn.min(self.groups.end())).map(|number| (number, self.groups.get(number)))
    }

    /// Makes room to note the state of slot `index`.
    #[cold]
    pub(crate) fn grow(&mut self, index: u32) -> Result<(), OutOfMemory> {
        self.groups.grow(index / GROUP)?;
        let last = self.groups.end() - 1;
        self.full.grow(last)?;
        self.with_live.grow(last)?;
        self.with_claimed.grow(last)
    }

    #[inline]
    pub(crate) fn has_room(&self, index: u32) -> bool {
        let number = index / GROUP;
        number < self.groups.end() && self.with_claimed.has_room(number)
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
        self.used += bits.count_ones();
        if number == self.cursor.group {
            *self.cursor.free.get_mut() &= !bits;
        } else if is_edge {
            self.note_group(number);
            self.note_worn(number);
        }
    }

    /// Free to live, for all slots of several groups in a row. There must be room.
    pub(crate) fn take_groups(&mut self, numbers: Range<u32>) {
        for number in numbers.clone() {
            let [held, live, ..] = self.group_mut(number);
            debug_assert!(*held | *live == 0, "a slot was handed out while it was taken");
            *live = u64::MAX;
        }
        self.used += numbers.len() as u32 * GROUP;
        if numbers.contains(&self.cursor.group) {
            self.drop_cursor();
        }
        self.worn = self.worn.max(numbers.end);
        self.full.insert_all(numbers.clone());
        self.full.remove(self.cursor.group); // counts as having free slots (S2)
        self.with_live.insert_all(numbers);
    }

    /// Enters a group into the sets, as its words say.
    #[cold]
    #[inline(never)]
    fn note_group(&mut self, number: u32) {
        if number != self.cursor.group {
            let [held, live, ..] = self.groups.get(number);
            put(&mut self.full, number, held | live == u64::MAX);
            put(&mut self.with_live, number, live != 0);
        }
    }

    /// Live to free: what [`release`](Self::release) does, for the most frequent case. Unless
    /// things are clustered, the cursor is at no group but the lowest (S5).
    #[inline(always)]
    pub(crate) fn release_live<const CLUSTERED: bool>(&mut self, index: u32) {
        self.note_use();
        let number = index / GROUP;
        let Some(live) = self.groups.live_mut(number) else {
            unreachable!("slots change state only where there is room")
        };
        debug_assert!(*live & bit(index) != 0, "a slot was freed that was not live");
        *live &= !bit(index);
        let none_live = *live == 0;
        self.used -= 1;
        if number <= self.lowest || CLUSTERED && number == self.cursor.group {
            unlikely();
            self.offer(number, bit(index));
        }
        if none_live || self.full.contains(number) {
            self.note_group(number);
        }
    }

    /// Live to free, for several slots of a group.
    pub(crate) fn release_all(&mut self, number: u32, bits: u64) {
        self.note_use();
        let [_, live, ..] = self.group_mut(number);
        debug_assert!(*live & bits == bits, "a slot was freed that was not live");
        *live &= !bits;
        let none_live = *live == 0;
        self.used -= bits.count_ones();
        self.offer(number, bits);
        if none_live || self.full.contains(number) {
            self.note_group(number);
        }
    }

    /// Notes that slots have become free, where the next one is taken from, or before that, or
    /// elsewhere.
    #[inline]
    fn offer(&mut self, number: u32, bits: u64) {
        let free = self.cursor.free.get_mut();
        if number < self.lowest {
            (self.lowest, *free) = (number, 0);
        } else if number == self.cursor.group && *free != 0 {
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
        self.used -= 1;
        if was_live && none_live {
            self.note_group(number);
        }
        self.claimed -= u32::from(was_claimed);
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
            self.note_group(number);
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
        self.buried += 1;
        self.note_group(number);
    }

    /// Live back to claimed: for copies.
    pub(crate) fn unsettle(&mut self, index: u32) {
        let number = index / GROUP;
        let [held, live, claimed, _] = self.group_mut(number);
        *live &= !bit(index);
        *held |= bit(index);
        *claimed |= bit(index);
        self.claimed += 1;
        self.with_claimed.insert(number);
        self.note_group(number);
    }

    /// Claimed to live.
    pub(crate) fn settle(&mut self, index: u32) {
        let number = index / GROUP;
        let [held, live, claimed, _] = self.group_mut(number);
        *claimed &= !bit(index);
        *held &= !bit(index);
        *live |= bit(index);
        self.claimed -= 1;
        self.note_group(number);
    }

    /// The first group at `number` or later that has live slots, and which they are.
    #[inline]
    pub(crate) fn next_live(&self, number: u32) -> Option<(u32, u64)> {
        let mut from = number;
        loop {
            let number = self.with_live.next(from)?;
            match self.groups.live(number) {
                0 => from = number + 1, // the cursor is there
                live => return Some((number, live)),
            }
        }
    }

    /// The live slots of the groups from `number` on, as far as there are any.
    #[inline]
    pub(crate) fn live_words(&self, number: u32) -> &[u64] {
        self.groups.live_words(number)
    }

    /// The live slots of a group.
    #[inline(always)]
    pub(crate) fn live_word(&self, number: u32) -> u64 {
        self.groups.live(number)
    }

    /// The first group at `number` or later that has claimed slots, and which they are.
    pub(crate) fn next_claimed(&self, number: u32) -> Option<(u32, u64)> {
        let mut from = number;
        loop {
            let number = self.with_claimed.next(from)?;
            match self.groups.get(number)[CLAIMED] {
                0 => from = number + 1, // settled since
                claimed => return Some((number, claimed)),
            }
        }
    }

    /// Forgets the groups that had claimed slots and have none any more.
    pub(crate) fn tidy_claims(&mut self) {
        let mut from = 0;
        while let Some(number) = self.with_claimed.next(from) {
            if self.groups.get(number)[CLAIMED] == 0 {
                self.with_claimed.remove(number);
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
    /// every group.
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

fn put(set: &mut FlatBits, number: u32, is_in: bool) {
    if is_in {
        set.insert(number);
    } else {
        set.remove(number);
    }
}

#[inline]
const fn bit(index: u32) -> u64 {
    1 << (index % GROUP)
}

/// The numbers of the ones in a word, lowest first.
#[inline]
pub fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(bit)
    })
}
