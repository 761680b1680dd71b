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
//! - **S1** `live`, `claimed` and `buried` of a group are disjoint parts of its `taken`. A slot that is taken and none of
//!   the three is retired, or slot 0.
//! - **S2** No group below `lowest` has a free slot; `full` holds exactly the groups without one, `with_live` those with a
//!   live slot, `with_claimed` (at least) those with a claimed one.
//! - **S3** Behind a shared reference slots only go from free to claimed.
//! - **S4** Slot 0 is taken from the start, and no slot from `limit` on ever is.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::bits::Bits;
use crate::blocks::{Coarse, unlikely};
use crate::error::OutOfMemory;
use crate::state::State;

/// Slots of a group.
pub(crate) const GROUP: u32 = 64;

/// The states of 64 slots: four words, a bit per slot in each.
type Group = [AtomicU64; 4];

const TAKEN: usize = 0;
const LIVE: usize = 1;
const CLAIMED: usize = 2;
const BURIED: usize = 3;

pub(crate) struct Slots {
    groups: Coarse<Group>,
    full: Bits<false>,
    with_live: Bits<true>,
    with_claimed: Bits<true>,
    lowest: AtomicU32,
    /// Slots that can be named, slot 0 included: at most `2^32`.
    limit: u64,
    live: u32,
    claimed: AtomicU32,
    buried: u32,
    retired: u32,
}

impl Slots {
    /// Slots `1..limit`, all free, with room for the first group.
    pub(crate) fn new(limit: u64) -> Result<Self, OutOfMemory> {
        debug_assert!(limit > 1 && limit <= 1 << 32);
        let slots = Self {
            groups: Coarse::new(),
            full: Bits::new(),
            with_live: Bits::new(),
            with_claimed: Bits::new(),
            lowest: AtomicU32::new(0),
            limit,
            live: 0,
            claimed: AtomicU32::new(0),
            buried: 0,
            retired: 0,
        };
        slots.grow(0)?;
        if let Some(group) = slots.groups.get(0) {
            group[TAKEN].store(1, Relaxed);
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
        self.claimed.load(Relaxed)
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

    #[inline]
    pub(crate) fn state(&self, index: u32) -> State {
        if u64::from(index) >= self.limit || index == 0 {
            return State::OutOfUse;
        }
        let Some(group) = self.groups.get(index / GROUP) else { return State::Free };
        let is = |state: usize| group[state].load(Relaxed) & bit(index) != 0;
        match () {
            _ if !is(TAKEN) => State::Free,
            _ if is(LIVE) => State::Live,
            _ if is(CLAIMED) => State::Claimed,
            _ if is(BURIED) => State::Buried,
            _ => State::OutOfUse,
        }
    }

    /// The lowest free slot at `from` or later, whether or not there is memory for it.
    #[inline]
    pub(crate) fn next_free(&self, from: u32) -> Option<u32> {
        let mut group = from / GROUP;
        let mut mask = u64::MAX << (from % GROUP);
        loop {
            let free = !self.word(group, TAKEN) & mask;
            if free != 0 {
                let index = group * GROUP + free.trailing_zeros();
                return (u64::from(index) < self.limit).then_some(index);
            }
            group = self.full.next(group + 1).filter(|&group| u64::from(group) * u64::from(GROUP) < self.limit)?;
            mask = u64::MAX;
        }
    }

    /// The lowest free slot, if it is in the group where the last one was found.
    #[inline(always)]
    pub(crate) fn free_near(&mut self) -> Option<FreeNear<'_>> {
        let number = *self.lowest.get_mut();
        let [taken, live, ..] = self.groups.near_mut(number)?;
        let (taken, live) = (taken.get_mut(), live.get_mut());
        let free = !*taken;
        if free == 0 {
            unlikely();
            return None;
        }
        let index = number * GROUP + free.trailing_zeros();
        let count = &mut self.live;
        (u64::from(index) < self.limit).then_some(FreeNear { index, taken, live, count })
    }

    /// The lowest free slot of all.
    #[inline]
    pub(crate) fn lowest_free(&mut self) -> Option<u32> {
        let lowest = *self.lowest.get_mut();
        let found = self.next_free(lowest * GROUP);
        *self.lowest.get_mut() = found.map_or(lowest, |index| index / GROUP);
        found
    }

    /// The lowest free slot of a group.
    #[inline]
    pub(crate) fn free_in(&self, number: u32) -> Option<u32> {
        let free = !self.word(number, TAKEN);
        let index = number * GROUP + free.trailing_zeros() % GROUP;
        (free != 0 && u64::from(index) < self.limit).then_some(index)
    }

    /// Whether a group has any slot that could be handed out.
    pub(crate) fn has_group(&self, number: u32) -> bool {
        u64::from(number) * u64::from(GROUP) < self.limit
    }

    /// Whether no slot of a group is live, claimed or buried.
    pub(crate) fn is_idle(&self, number: u32) -> bool {
        self.word(number, LIVE) | self.word(number, CLAIMED) | self.word(number, BURIED) == 0
    }

    /// No group from here on has memory.
    #[cfg(feature = "parallel")]
    pub(crate) fn group_end(&self) -> u32 {
        self.groups.ranges().last().map_or(0, |range| range.end as u32)
    }

    /// The groups that have memory.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.groups(0).map(|(number, _)| number)
    }

    /// The first of `len` free slots in a row, the lowest such run.
    pub(crate) fn free_run(&self, len: u32) -> Option<u32> {
        debug_assert!(len > 0);
        if u64::from(len) + u64::from(self.used()) + u64::from(self.retired) >= self.limit {
            return None; // not even if all free slots were neighbours
        }
        let mut first = u64::from(self.next_free(self.lowest.load(Relaxed) * GROUP)?);
        let mut end = first;
        while end - first < u64::from(len) {
            if end >= self.limit {
                return None;
            }
            match self.word((end / u64::from(GROUP)) as u32, TAKEN) {
                // A whole free group, from its start.
                0 if end % u64::from(GROUP) == 0 => end += u64::from(GROUP),
                taken if taken & bit(end as u32) == 0 => end += 1,
                _ => {
                    first = u64::from(self.next_free(u32::try_from(end + 1).ok()?)?);
                    end = first;
                }
            }
        }
        (first + u64::from(len) <= self.limit).then_some(first as u32)
    }

    /// Makes room to note the state of slot `index`.
    #[cold]
    pub(crate) fn grow(&self, index: u32) -> Result<(), OutOfMemory> {
        let groups = Coarse::<Group>::bounds(index / GROUP);
        self.full.grow(groups.clone())?;
        self.with_live.grow(groups.clone())?;
        self.with_claimed.grow(groups)?;
        // Last, so that whoever sees room for a group has room in the sets of groups as well.
        self.groups.grow(index / GROUP)?;
        Ok(())
    }

    #[inline]
    pub(crate) fn has_room(&self, index: u32) -> bool {
        self.groups.get(index / GROUP).is_some()
    }

    /// Free to live. There must be room.
    #[inline]
    pub(crate) fn take(&mut self, index: u32) {
        let number = index / GROUP;
        let Some([taken, live, ..]) = self.groups.near_mut(number) else { unreachable!("there is room") };
        let (taken, live) = (taken.get_mut(), live.get_mut());
        debug_assert!(*taken & bit(index) == 0, "slot {index} was handed out while it was taken");
        let edge = FreeNear { index, taken, live, count: &mut self.live }.take();
        self.note_edge(number, edge);
    }

    /// The free slots of a group that can be handed out.
    pub(crate) fn free_word(&self, number: u32) -> u64 {
        let first = u64::from(number) * u64::from(GROUP);
        let within = match self.limit.saturating_sub(first) {
            0 => 0,
            left => u64::MAX >> (64 - left.min(64)),
        };
        !self.word(number, TAKEN) & within
    }

    /// Free to live, for several slots of a group.
    #[inline]
    pub(crate) fn take_all(&mut self, number: u32, bits: u64) {
        if bits == 0 {
            return;
        }
        let [taken, live, ..] = self.group_mut(number);
        debug_assert!(*taken & bits == 0, "a slot was handed out while it was taken");
        *taken |= bits;
        let edge = Edge { full: *taken == u64::MAX, first: *live == 0 };
        *live |= bits;
        self.live += bits.count_ones();
        self.note_edge(number, edge);
    }

    /// Notes that a group has become full, or has got its first live slot.
    #[inline(always)]
    pub(crate) fn note_edge(&mut self, number: u32, edge: Edge) {
        if edge.full | edge.first {
            self.note_edge_now(number, edge);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_edge_now(&mut self, number: u32, edge: Edge) {
        if edge.full {
            self.full.set(number);
        }
        if edge.first {
            self.with_live.set(number);
        }
    }

    /// Live to free: what [`release`](Self::release) does, for the most frequent case.
    #[inline]
    pub(crate) fn release_live(&mut self, index: u32) {
        let (number, bit) = (index / GROUP, bit(index));
        let [taken, live, ..] = self.group_mut(number);
        let was_full = *taken == u64::MAX;
        *taken &= !bit;
        *live &= !bit;
        let none_live = *live == 0;
        self.live -= 1;
        let lowest = self.lowest.get_mut();
        *lowest = (*lowest).min(number);
        if was_full | none_live {
            self.note_release(number, was_full, none_live);
        }
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

    /// Live, claimed or buried to free, or to retired. The generation has ended before.
    #[inline]
    pub(crate) fn release(&mut self, index: u32, retire: bool) {
        let (number, bit) = (index / GROUP, bit(index));
        let [_, live, claimed, buried] = self.group_mut(number);
        let (was_live, was_claimed, was_buried) = (*live & bit != 0, *claimed & bit != 0, *buried & bit != 0);
        *live &= !bit;
        *claimed &= !bit;
        *buried &= !bit;
        let none_live = *live == 0;
        if was_live {
            self.live -= 1;
            if none_live {
                self.with_live.clear(number);
            }
        }
        if was_claimed {
            *self.claimed.get_mut() -= 1;
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

    /// Taken to free.
    #[inline]
    fn open(&mut self, index: u32) {
        let number = index / GROUP;
        let [taken, ..] = self.group_mut(number);
        let was_full = *taken == u64::MAX;
        *taken &= !bit(index);
        if was_full {
            self.full.clear(number);
        }
        let lowest = self.lowest.get_mut();
        *lowest = (*lowest).min(number);
    }

    /// Live to buried.
    pub(crate) fn bury(&mut self, index: u32) {
        let number = index / GROUP;
        let [_, live, _, buried] = self.group_mut(number);
        *live &= !bit(index);
        *buried |= bit(index);
        let none_live = *live == 0;
        self.live -= 1;
        self.buried += 1;
        if none_live {
            self.with_live.clear(number);
        }
    }

    /// Live back to claimed: for copies.
    pub(crate) fn unsettle(&mut self, index: u32) {
        let number = index / GROUP;
        let [_, live, claimed, _] = self.group_mut(number);
        *live &= !bit(index);
        *claimed |= bit(index);
        let none_live = *live == 0;
        self.live -= 1;
        *self.claimed.get_mut() += 1;
        self.with_claimed.set(number);
        if none_live {
            self.with_live.clear(number);
        }
    }

    /// Free to claimed, while others may do the same: gives the slot that `suggest` says, or else the lowest free one, with
    /// room made for it.
    pub(crate) fn claim(&self, suggest: impl Fn() -> Option<u32>) -> Result<Option<u32>, OutOfMemory> {
        loop {
            let lowest = || self.next_free(self.lowest.load(Relaxed) * GROUP);
            let Some(index) = suggest().or_else(lowest) else { return Ok(None) };
            let (number, bit) = (index / GROUP, bit(index));
            let group = match self.groups.get(number) {
                Some(group) => group,
                None => {
                    self.grow(index)?;
                    continue;
                }
            };
            let before = group[TAKEN].fetch_or(bit, Relaxed);
            if before & bit != 0 {
                continue; // somebody else was faster
            }
            group[CLAIMED].fetch_or(bit, Relaxed);
            self.with_claimed.set_shared(number);
            self.claimed.fetch_add(1, Relaxed);
            if before | bit == u64::MAX {
                self.full.set_shared(number);
            }
            return Ok(Some(index));
        }
    }

    /// Claimed to live.
    pub(crate) fn settle(&mut self, index: u32) {
        let number = index / GROUP;
        let [_, live, claimed, _] = self.group_mut(number);
        *claimed &= !bit(index);
        let first = *live == 0;
        *live |= bit(index);
        *self.claimed.get_mut() -= 1;
        self.live += 1;
        if first {
            self.with_live.set(number);
        }
    }

    /// The first group at `number` or later that has live slots, and which they are.
    #[inline]
    pub(crate) fn next_live(&self, number: u32) -> Option<(u32, u64)> {
        let number = self.with_live.next(number)?;
        Some((number, self.word(number, LIVE)))
    }

    /// The live slots of the groups from `number` on, as far as they lie in a row.
    #[inline]
    pub(crate) fn live_words(&self, number: u32) -> LiveWords<'_> {
        LiveWords(self.groups.rest_of_block(number))
    }

    /// The live slots of a group.
    #[inline]
    pub(crate) fn live_word(&self, number: u32) -> u64 {
        self.word(number, LIVE)
    }

    /// The first group at `number` or later that has claimed slots, and which they are.
    pub(crate) fn next_claimed(&self, number: u32) -> Option<(u32, u64)> {
        let mut from = number;
        loop {
            let number = self.with_claimed.next(from)?;
            match self.word(number, CLAIMED) {
                0 => from = number + 1, // settled since
                claimed => return Some((number, claimed)),
            }
        }
    }

    /// Forgets the groups that had claimed slots and have none any more.
    pub(crate) fn tidy_claims(&mut self) {
        let mut from = 0;
        while let Some(number) = self.with_claimed.next(from) {
            if self.word(number, CLAIMED) == 0 {
                self.with_claimed.clear(number);
            }
            from = number + 1;
        }
    }

    /// The slots at `from` or later that are out of use: retired, or slot 0.
    pub(crate) fn out_of_use(&self, from: u32) -> impl Iterator<Item = u32> {
        let out = |[taken, live, claimed, buried]: [u64; 4]| taken & !(live | claimed | buried);
        self.groups(from / GROUP)
            .flat_map(move |(number, group)| ones(out(group)).map(move |bit| number * GROUP + bit))
            .skip_while(move |&index| index < from)
    }

    /// The first group at `number` or later that has buried slots, and which they are. Looks at every group.
    pub(crate) fn next_buried(&self, number: u32) -> Option<(u32, u64)> {
        if self.buried == 0 {
            return None;
        }
        self.groups(number).map(|(at, [.., buried])| (at, buried)).find(|&(_, buried)| buried != 0)
    }

    /// The groups at `from` or later that have memory, in order.
    fn groups(&self, from: u32) -> impl Iterator<Item = (u32, [u64; 4])> {
        let from = u64::from(from);
        self.groups.ranges().flat_map(move |range| range.start.max(from)..range.end).filter_map(|number| {
            let group = self.groups.get(number as u32)?;
            Some((number as u32, [TAKEN, LIVE, CLAIMED, BURIED].map(|state| group[state].load(Relaxed))))
        })
    }

    /// One word of a group; a group without memory is all free.
    #[inline]
    fn word(&self, number: u32, state: usize) -> u64 {
        self.groups.get(number).map_or(0, |group| group[state].load(Relaxed))
    }

    #[inline]
    fn group_mut(&mut self, number: u32) -> [&mut u64; 4] {
        match self.groups.get_mut(number) {
            Some(group) => group.each_mut().map(AtomicU64::get_mut),
            None => unreachable!("slots change state only where there is room"),
        }
    }

    /// Whether the invariants hold; if not, a sentence about the first that is broken.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let (mut all_live, mut all_claimed, mut all_buried) = (0, 0, 0);
        for (number, [taken, live, claimed, buried]) in self.groups(0) {
            if live & claimed | claimed & buried | buried & live != 0 {
                return Err("S1: a slot is in two states at once");
            }
            if (live | claimed | buried) & !taken != 0 {
                return Err("S1: a slot in use is not taken");
            }
            if (taken != u64::MAX) != (self.full.next(number) == Some(number)) {
                return Err("S2: the set of full groups is wrong");
            }
            if (live != 0) != (self.with_live.next(number) == Some(number)) {
                return Err("S2: the set of groups with live slots is wrong");
            }
            if claimed != 0 && self.with_claimed.next(number) != Some(number) {
                return Err("S2: a group with claimed slots is missing from their set");
            }
            if taken != u64::MAX && number < self.lowest.load(Relaxed) {
                return Err("S2: there is a free slot below the lowest");
            }
            let first = u64::from(number) * u64::from(GROUP);
            if number == 0 && taken & 1 == 0 || ones(taken).any(|bit| first + u64::from(bit) >= self.limit) {
                return Err("S4: slot 0 is free, or a slot beyond the limit is taken");
            }
            all_live += live.count_ones();
            all_claimed += claimed.count_ones();
            all_buried += buried.count_ones();
        }
        if (all_live, all_claimed, all_buried) != (self.live, self.claimed(), self.buried) {
            return Err("the counts of live, claimed or buried slots are wrong");
        }
        if self.out_of_use(1).count() != self.retired as usize {
            return Err("the count of retired slots is wrong");
        }
        Ok(())
    }
}

/// The live slots of some groups in a row.
#[derive(Clone, Copy)]
pub(crate) struct LiveWords<'a>(&'a [Group]);

impl LiveWords<'_> {
    #[inline(always)]
    pub(crate) fn get(self, n: usize) -> u64 {
        self.0.get(n).map_or(0, |group| group[LIVE].load(Relaxed))
    }
}

/// A free slot of a group that is at hand.
pub(crate) struct FreeNear<'a> {
    pub(crate) index: u32,
    taken: &'a mut u64,
    live: &'a mut u64,
    count: &'a mut u32,
}

/// What taking a slot did to its group: it is full now, or this was its first live slot. To be noted.
#[derive(Clone, Copy)]
#[must_use]
pub(crate) struct Edge {
    full: bool,
    first: bool,
}

impl FreeNear<'_> {
    /// Free to live.
    #[inline(always)]
    pub(crate) fn take(self) -> Edge {
        let bit = bit(self.index);
        *self.taken |= bit;
        let edge = Edge { full: *self.taken == u64::MAX, first: *self.live == 0 };
        *self.live |= bit;
        *self.count += 1;
        edge
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
