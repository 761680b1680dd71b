//! What there is to know about a pool besides its values, as plain numbers: to be written down and
//! read back.

use std::fmt;

use lath_core::blocks::{BLOCK, Ledger, Row, ones};
use lath_core::strips::Snap;
use lath_core::{Handle, Relation, TagSet, Thing};

use super::{PoolImage, next_identity};

/// The slots of a pool, as plain numbers.
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
    /// The rest. Its bitmaps of tags follow from those of the values.
    pub ledger: Ledger,
}

impl PoolState {
    /// The state of a pool in which these things are live, and nothing has ever been but them. The
    /// handles are in slot order; of each there are the tags, if the things have any.
    ///
    /// # Errors
    ///
    /// [`StateError`] if the handles are not in order, or one is nil.
    pub fn of_live<T: Thing>(handles: &[Handle<T>], tags: Vec<u64>) -> Result<Self, StateError> {
        let (groups, words, stamps) = (vec![0], vec![[1, 0, 0, 0]], vec![0; 64]);
        let mut state = Self { groups, words, stamps, tags, ..Self::default() };
        let mut before = Handle::NIL;
        for &handle in handles {
            if handle.index() <= before.index() {
                let what =
                    "the handles of the things are not in order, or one is there twice, or is nil";
                return Err(StateError::Broken { what, slot: handle.index() });
            }
            before = handle;
            let (group, bit) = (handle.index() / 64, handle.index() % 64);
            if state.groups.last() != Some(&group) {
                state.groups.push(group);
                state.words.push([0; 4]);
                state.stamps.resize(state.stamps.len() + 64, 0);
            }
            let at = state.words.len() - 1;
            state.words[at][0] |= 1 << bit;
            state.words[at][1] |= 1 << bit;
            state.stamps[at * 64 + bit as usize] = handle.stamp();
            let largest = &mut state.ledger.largest_generation;
            *largest = handle.generation().max(*largest);
        }
        state.ledger.high_water = handles.len() as u32;
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
    fn is_free_at(&self, index: u32, stamp: u32) -> bool {
        match self.groups.binary_search(&(index / 64)) {
            Ok(at) => {
                let (bit, row) = (index % 64, at * 64 + index as usize % 64);
                self.words[at][0] >> bit & 1 == 0 && self.stamps[row] == stamp
            }
            Err(_) => match self.old.binary_search_by_key(&index, |(index, _)| *index) {
                Ok(at) => self.old[at].1 == stamp,
                Err(_) => stamp == 0,
            },
        }
    }

    /// Whether a slot is live.
    pub fn is_live(&self, index: u32) -> bool {
        self.groups
            .binary_search(&(index / 64))
            .is_ok_and(|at| self.words[at][1] >> (index % 64) & 1 == 1)
    }

    /// The slots of a group that hold a value.
    pub(super) fn held_word(&self, at: usize) -> u64 {
        let [_, live, claimed, buried] = self.words[at];
        let is_odd = |bit: &u32| self.stamps[at * 64 + *bit as usize] & 1 == 1;
        live | buried | ones(claimed).filter(is_odd).fold(0, |set, bit| set | 1 << bit)
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

impl std::error::Error for StateError {}

impl<T: Snap> PoolImage<T> {
    /// Everything but values and links, as plain numbers.
    pub fn state(&self) -> PoolState {
        let mut state = PoolState { ledger: self.ledger.clone(), ..PoolState::default() };
        for block in self.blocks.list() {
            for at in 0..block.groups() {
                state.groups.push(block.number() * BLOCK + at);
                state.words.push(block.words(at));
                state.stamps.extend((0..64).map(|bit| block.stamp(at, bit)));
            }
            state.old.extend(block.old());
            block.each_tags(|tags| state.tags.push(tags.widen()));
        }
        // Entries that will be passed over are there or not, by how much memory there is for them.
        let freed = std::mem::take(&mut state.ledger.freed).into_iter();
        state.ledger.freed =
            freed.filter(|&(index, stamp)| state.is_free_at(index, stamp)).collect();
        state.ledger.graves.sort_unstable();
        state
    }

    /// The stamp of a slot; `None` where there is nothing to know.
    fn stamp_of(&self, index: u32) -> Option<u32> {
        let (group, bit) = (index / 64, index % 64);
        let block = self.blocks.get(group / BLOCK)?;
        (group % BLOCK < block.groups()).then(|| block.stamp(group % BLOCK, bit))
    }

    /// The links of a relation, as plain numbers.
    pub fn tree_state<R: Relation>(&self) -> TreeState {
        let trees = &self.companions.trees;
        let rows = (0..).zip(trees.rows::<R>()).filter(|(_, row)| row.stamp != 0);
        let (mut marked, marks) = trees.marked::<R>();
        marked.retain(|&index| self.stamp_of(index).is_some_and(|stamp| stamp & 1 == 1));
        TreeState {
            links: rows
                .map(|(at, row)| (at, [row.parent, row.first, row.last, row.next, row.prev]))
                .collect(),
            marked,
            marks,
        }
    }

    /// Takes over the links of a relation, from a save or a packet.
    ///
    /// # Errors
    ///
    /// [`StateError`] if things are linked that are not there, or the links are not those of a
    /// tree.
    pub fn set_tree_state<R: Relation>(&mut self, state: &TreeState) -> Result<(), StateError> {
        let broken = |what, slot| StateError::Broken { what, slot };
        let stamp_of = |index| self.stamp_of(index).filter(|stamp| stamp & 1 == 1);
        let mut rows = Vec::new();
        for &(index, [parent, first, last, next, prev]) in &state.links {
            let what = "R1: something is linked that is not there";
            let stamp = stamp_of(index).ok_or(broken(what, index))?;
            if (index as usize) < rows.len() {
                return Err(broken("the links are not in order", index));
            }
            rows.resize(index as usize, Row::default());
            rows.push(Row { stamp, parent, first, last, next, prev });
        }
        let what = "something is marked that is not there";
        if let Some(&index) = state.marked.iter().find(|&&index| stamp_of(index).is_none()) {
            return Err(broken(what, index));
        }
        let set = self.companions.trees.set::<R>(&rows, &state.marked, state.marks);
        self.serial = next_identity();
        set.map_err(|what| broken(what, 0))
    }
}
