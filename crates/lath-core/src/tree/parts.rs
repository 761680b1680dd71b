//! The order of a cascade, cut into parts that have nothing to do with each other: for several threads.
//!
//! Subtrees that are small enough are put into parts, as many in each as make it worth a thread's while. What is above them,
//! the trunk, comes first. So one big root is no obstacle, but a single long chain is: nothing can be done about that.

use alloc::vec::Vec;
use core::ops::Range;

use super::links::Row;
use super::order::Step;
use super::walk;

/// The least number of things that a part is made for.
const WORTHWHILE: usize = 512;

/// The most parts there should be: enough for threads to find something to do.
const PARTS: usize = 64;

/// The cut order. The trunk is part 0.
#[derive(Clone, Default)]
pub(crate) struct Parts {
    steps: Vec<Step>,
    /// Where the parts end.
    ends: Vec<usize>,
    version: u64,
    /// By slot: how many are in the subtree, then the part.
    sizes: Vec<u32>,
}

impl Parts {
    /// What comes before all the others.
    pub(crate) fn trunk(&self) -> &[Step] {
        self.ends.first().map_or(&[], |&end| &self.steps[..end])
    }

    /// The parts that may be worked on at the same time.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.ends.windows(2).map(|ends| ends[0]..ends[1])
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Cuts an order, unless that was done for this version.
    pub(crate) fn update(&mut self, rows: &[Row], order: &[Step], version: u64) {
        if self.version == version {
            return;
        }
        let Self { steps, ends, sizes, .. } = self;
        sizes.clear();
        sizes.resize(rows.len(), 1);
        for &Step { me, parent } in order.iter().rev() {
            sizes[parent as usize] += sizes[me as usize];
        }
        let most = (order.len() / PARTS).max(WORTHWHILE) as u32;
        // From here on `sizes` of a thing that was reached is the number of its part.
        ends.clear();
        ends.push(0);
        for root in walk::roots(rows) {
            sizes[root as usize] = 0;
            let mut at = root;
            while let Some(next) = walk::after(rows, root, at) {
                at = next;
                let (above, size) = (sizes[rows[at as usize].parent as usize], sizes[at as usize]);
                let part = match above {
                    0 if size > most => 0,
                    0 => {
                        if ends.len() == 1 || ends[ends.len() - 1] >= most as usize {
                            ends.push(0);
                        }
                        ends.len() as u32 - 1
                    }
                    above => above,
                };
                sizes[at as usize] = part;
                ends[part as usize] += 1;
            }
        }
        let mut start = 0;
        for count in ends.iter_mut() {
            start += core::mem::replace(count, start);
        }
        steps.clear();
        steps.resize(order.len(), Step { me: 0, parent: 0 });
        for &step in order {
            let place = &mut ends[sizes[step.me as usize] as usize];
            steps[*place] = step;
            *place += 1;
        }
        self.version = version;
    }

    /// Whether the parts, if they are those of `version`, are what threads rely on (R5).
    pub(super) fn check(&self, order: &[Step], version: u64) -> Result<(), &'static str> {
        if self.version != version {
            return Ok(());
        }
        let mut part_of = alloc::collections::BTreeMap::new();
        let parts = core::iter::once(0..self.trunk().len()).chain(self.ranges());
        for (number, range) in parts.enumerate() {
            for &Step { me, parent } in &self.steps[range] {
                let above = part_of.get(&parent).copied().unwrap_or(0);
                if above != 0 && above != number || part_of.insert(me, number).is_some() {
                    return Err("R5: a thing is in two parts, or its parent is in another");
                }
            }
        }
        if part_of.len() == order.len() { Ok(()) } else { Err("R5: the parts leave things out") }
    }
}
