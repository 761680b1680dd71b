//! The order in which a [sweep](super::Sweep) goes through a tree: every parent before its children,
//! and as nearly in slot order as that allows.
//!
//! A thing's *turn* is that of its parent, plus one if its slot comes before the parent's. Sorted
//! by turn and then by slot, parents come first, and every turn runs through memory once, upwards.
//! Where parents were spawned before their children there is one turn, in plain slot order.

use alloc::vec::Vec;

use super::links::Row;
use super::marks::Set;
use super::walk;

/// A thing that has a parent, and that parent, by slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) me: u32,
    pub(crate) parent: u32,
}

impl Step {
    /// Nobody's.
    pub(crate) const NONE: Self = Self { me: 0, parent: 0 };
}

/// The cached order.
#[derive(Clone, Default)]
pub(crate) struct Order {
    steps: Vec<Step>,
    /// The slots of those who have a parent: whoever else there is comes before the steps.
    below: Set,
    /// The version of the links that this is the order of.
    version: u64,
    turns: Vec<u32>,
    /// Where the next step of each turn goes.
    starts: Vec<u32>,
}

impl Order {
    #[inline]
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The slots of those who have a parent.
    #[inline]
    pub(crate) fn below(&self) -> &Set {
        &self.below
    }

    /// Works the order out anew unless it is that of `version`. Allocates nothing if there were as
    /// many things and as many turns before.
    pub(crate) fn update(&mut self, rows: &[Row], version: u64) {
        if self.version != version {
            self.rebuild(rows);
            self.version = version;
        }
    }

    /// Whether the order, if it is that of `version`, has all there are, parents first.
    #[inline] // compiled with who calls it, which most programs do not
    pub(super) fn check(&self, rows: &[Row], version: u64) -> Result<(), &'static str> {
        if self.version != version {
            return Ok(());
        }
        let mut seen = Set::default();
        for &Step { me, parent } in &self.steps {
            let row = rows.get(me as usize).copied().unwrap_or_default();
            let after_parent = rows.get(parent as usize).is_some_and(|row| row.parent == 0)
                || seen.contains(parent);
            if row.parent != parent || !after_parent || !seen.insert(me) {
                return Err("R4: the order has a thing twice, before its parent, or below another");
            }
        }
        let has_parent = rows.iter().map(|row| row.parent != 0);
        if has_parent.clone().filter(|&has| has).count() != self.steps.len() {
            return Err("R4: the order leaves things out");
        }
        let agrees = has_parent.zip(0..).all(|(has, me)| self.below.contains(me) == has);
        if agrees { Ok(()) } else { Err("R4: who has a parent is not who is in the order") }
    }

    #[cold]
    fn rebuild(&mut self, rows: &[Row]) {
        let Self { steps, below, turns, starts, .. } = self;
        below.empty();
        turns.clear();
        turns.resize(rows.len(), 0);
        starts.clear();
        let mut linked = 0;
        for root in walk::roots(rows) {
            let mut at = root;
            while let Some(next) = walk::after(rows, root, at) {
                at = next;
                let parent = rows[at as usize].parent;
                let turn = turns[parent as usize] + u32::from(at < parent);
                turns[at as usize] = turn;
                if starts.len() <= turn as usize {
                    starts.resize(turn as usize + 1, 0);
                }
                starts[turn as usize] += 1;
                linked += 1;
            }
        }
        let mut start = 0;
        for count in starts.iter_mut() {
            start += core::mem::replace(count, start);
        }
        steps.clear();
        steps.resize(linked, Step::NONE);
        for (me, row) in rows.iter().enumerate().filter(|(_, row)| row.parent != 0) {
            let start = &mut starts[turns[me] as usize];
            steps[*start as usize] = Step { me: me as u32, parent: row.parent };
            *start += 1;
            below.insert(me as u32);
        }
    }
}
