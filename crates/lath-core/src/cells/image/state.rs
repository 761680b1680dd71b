//! What there is to know about a pool besides its values, as plain numbers: to be written down and
//! read back.

use alloc::vec::Vec;
use core::fmt;

use super::*;

/// The slots of a pool, as plain numbers. See `Pool::image_state` and `Pool::image_of_state`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoolState {
    /// The groups of 64 slots that are described, by number, in order. Group 0 is always among
    /// them.
    pub groups: Vec<u32>,
    /// Of each group: which slots are taken, live, claimed and buried.
    pub words: Vec<[u64; 4]>,
    /// Of each slot of those groups: its stamp.
    pub stamps: Vec<u32>,
    /// Slots of other groups that have been used before, in order, and their stamps.
    pub old: Vec<(u32, u32)>,
    /// The tags of every value, in slot order; empty for things without tags.
    pub tags: Vec<u64>,
    /// The groups that are owned by a set of tags, in order, and that set.
    pub owners: Vec<(u32, u64)>,
    /// The order of reuse: 0 for the lowest, 1 for last freed first, 2 for first freed first.
    pub reuse: u8,
    /// Freed slots and their stamps, longest free first.
    pub freed: Vec<(u32, u32)>,
    /// No slot from here on has been handed out in order yet.
    pub fresh: u32,
    /// Slots below this count as having been made: never-used ones of them come first when the
    /// first freed is reused first.
    pub horizon: u64,
    /// Buried slots, and the epoch after which each may go.
    pub graves: Vec<(u64, u32)>,
    /// The most slots that were in use at once.
    pub high_water: u32,
    /// The largest generation that was handed out.
    pub largest_generation: u32,
    /// The present tick; 0 if changes are not tracked.
    pub tick: u64,
}

impl PoolState {
    /// The state of a pool in which these things are live, and nothing has ever been but them. The
    /// handles are in slot order; of each there are the tags, if the things have any.
    ///
    /// # Errors
    ///
    /// [`StateError`] if the handles are not in order, or one is nil.
    pub fn of_live<T: Thing>(handles: &[Handle<T>], tags: Vec<u64>) -> Result<Self, StateError> {
        let mut stamps = alloc::vec![SPENT; GROUP as usize];
        stamps[0] = NIL_SLOT;
        let (groups, words) = (alloc::vec![0], alloc::vec![[1, 0, 0, 0]]);
        let mut state = Self { groups, words, stamps, tags, ..Self::default() };
        let mut before = Handle::NIL;
        for &handle in handles {
            if handle.index() <= before.index() {
                let what =
                    "the handles of the things are not in order, or one is there twice, or is nil";
                return Err(StateError::Broken { what, slot: handle.index() });
            }
            before = handle;
            let (number, bit) = (handle.index() / GROUP, handle.index() % GROUP);
            if state.groups.last() != Some(&number) {
                state.groups.push(number);
                state.words.push([0; 4]);
                state.stamps.resize(state.stamps.len() + GROUP as usize, SPENT);
            }
            let (at, row) =
                (state.words.len() - 1, state.stamps.len() - GROUP as usize + bit as usize);
            state.words[at][0] |= 1 << bit;
            state.words[at][1] |= 1 << bit;
            state.stamps[row] = handle.stamp();
            state.largest_generation = state.largest_generation.max(handle.generation());
        }
        state.high_water = handles.len() as u32;
        Ok(state)
    }

    /// How many slots hold a value: live, staged and buried ones.
    pub fn held(&self) -> usize {
        (0..self.words.len()).map(|at| self.held_word(at).count_ones() as usize).sum()
    }

    /// How many slots are live.
    pub fn live(&self) -> usize {
        self.words.iter().map(|words| words[1].count_ones() as usize).sum()
    }

    /// Whether a slot is free and has this stamp.
    pub(crate) fn is_free_at(&self, index: u32, stamp: u32) -> bool {
        let (number, bit) = (index / GROUP, index % GROUP);
        match self.groups.binary_search(&number) {
            Ok(at) => {
                let row = at * GROUP as usize + bit as usize;
                self.words[at][0] >> bit & 1 == 0 && self.stamps.get(row) == Some(&stamp)
            }
            Err(_) => match self.old.binary_search_by_key(&index, |(index, _)| *index) {
                Ok(at) => self.old[at].1 == stamp,
                Err(_) => stamp == SPENT,
            },
        }
    }

    /// Whether a slot is live.
    pub fn is_live(&self, index: u32) -> bool {
        self.groups
            .binary_search(&(index / GROUP))
            .is_ok_and(|at| self.words[at][1] >> (index % GROUP) & 1 == 1)
    }

    /// The slots of a group that hold a value.
    pub(super) fn held_word(&self, at: usize) -> u64 {
        let [_, live, claimed, buried] = self.words[at];
        let stamp = |bit: u32| {
            self.stamps.get(at * GROUP as usize + bit as usize).copied().unwrap_or(SPENT)
        };
        live | buried
            | ones(claimed).filter(|&bit| is_live(stamp(bit))).fold(0, |set, bit| set | 1 << bit)
    }
}

/// The links of a tree, as plain numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeState {
    /// The slots that are linked, in order; of each its parent, first and last child, next and
    /// previous sibling, or 0.
    pub links: Vec<(u32, [u32; 5])>,
    /// The slots that are marked for the next sweep over what is dirty.
    pub marked: Vec<u32>,
    /// Whether marks are in use.
    pub marks: bool,
}

/// What is wrong with the state of a pool that came from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// Something contradicts something else: a sentence, and the slot or group that it is about.
    Broken {
        /// What does not hold.
        what: &'static str,
        /// Where.
        slot: u32,
    },
    /// It needs more memory than something of its size should.
    TooLarge {
        /// What there would be too much of.
        what: &'static str,
        /// How much that is.
        count: u64,
        /// How much is accepted.
        most: u64,
    },
}

impl fmt::Display for StateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken { what, slot } => write!(out, "slot {slot}: {what}"),
            Self::TooLarge { what, count, most } => {
                write!(out, "{count} {what}, where at most {most} are accepted")
            }
        }
    }
}

impl core::error::Error for StateError {}

impl<T: Snap> Image<T> {
    /// Writes what the image knows about the slots into a state; what only the pool knows is left
    /// alone.
    pub(crate) fn write_state(&self, state: &mut PoolState) {
        state.groups.clone_from(&self.numbers);
        state.words.clear();
        state.words.extend((0..self.numbers.len()).map(|at| self.words(at)));
        state.stamps.clear();
        state.stamps.extend((0..self.numbers.len() * GROUP as usize).map(|row| self.stamp(row)));
        state.old.clone_from(&self.old);
        state.tags.clear();
        state.owners.clear();
        if Cells::<T>::TAGGED {
            let held = (0..self.numbers.len())
                .flat_map(|at| ones(self.held(at)).map(move |bit| (at, bit)));
            state.tags.extend(held.map(|(at, bit)| self.tags_of(at, bit)));
            let owners = self.numbers.iter().zip(&self.owners);
            state.owners.extend(owners.filter_map(|(&number, owner)| Some((number, (*owner)?))));
        }
    }
}
