//! The order of a sweep, cut into parts that have nothing to do with each other: for several
//! threads.
//!
//! Subtrees that are small enough are put into parts, as many in each as make it worth a thread's
//! while. What is above them, the trunk, comes before them on the way down and after them on the
//! way up. So one big root is no obstacle, but a single long chain is: nothing can be done about
//! that.

use alloc::vec::Vec;

use super::order::Step;

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
    /// By slot: how many are in the subtree, then the part. What it says of others than those of
    /// the order is of an earlier cut.
    sizes: Vec<u32>,
}

impl Parts {
    /// What comes before all the others, or after them.
    pub(crate) fn trunk(&self) -> &[Step] {
        self.ends.first().map_or(&[], |&end| &self.steps[..end])
    }

    /// How many parts there are beside the trunk.
    pub(crate) fn len(&self) -> usize {
        self.ends.len().saturating_sub(1)
    }

    /// One of the parts that may be worked on at the same time.
    pub(crate) fn part(&self, number: usize) -> &[Step] {
        &self.steps[self.ends[number]..self.ends[number + 1]]
    }

    /// Cuts the order of all links, unless that was done for this version.
    pub(crate) fn update(&mut self, order: &[Step], version: u64) {
        if self.version != version {
            self.cut(order);
            self.version = version;
        }
    }

    /// Cuts an order that has every thing once, after its parent if that is in it. Allocates
    /// nothing if there were as many steps before and no higher slot.
    fn cut(&mut self, order: &[Step]) {
        let Self { steps, ends, sizes, .. } = self;
        let slots =
            order.iter().map(|step| step.me.max(step.parent) as usize + 1).max().unwrap_or(0);
        sizes.resize(sizes.len().max(slots), 0);
        // A parent that is not in the order itself stays at 0, which is the number of the trunk as
        // well.
        order.iter().for_each(|step| sizes[step.parent as usize] = 0);
        order.iter().for_each(|step| sizes[step.me as usize] = 1);
        for &Step { me, parent } in order.iter().rev() {
            if sizes[parent as usize] != 0 {
                sizes[parent as usize] += sizes[me as usize];
            }
        }
        let most = (order.len() / PARTS).max(WORTHWHILE) as u32;
        // From here on `sizes` of a thing that was reached is the number of its part.
        ends.clear();
        ends.push(0);
        let mut filled = 0; // what will be in the last part
        for &Step { me, parent } in order {
            let part = match (sizes[parent as usize], sizes[me as usize]) {
                (0, size) if size > most => 0,
                (0, size) => {
                    if ends.len() == 1 || filled >= most {
                        ends.push(0);
                        filled = 0;
                    }
                    filled += size;
                    ends.len() as u32 - 1
                }
                (above, _) => above,
            };
            sizes[me as usize] = part;
            ends[part as usize] += 1;
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
    }

    /// Whether the parts, if they are those of `version`, are what threads rely on.
    #[inline] // as `check`
    pub(super) fn check_version(&self, order: &[Step], version: u64) -> Result<(), &'static str> {
        if self.version == version { self.check(order) } else { Ok(()) }
    }

    /// Whether the parts are those of an order and what threads rely on (R5).
    #[inline] // compiled with who calls it, which most programs do not
    fn check(&self, order: &[Step]) -> Result<(), &'static str> {
        // By slot: 0 for none, 1 for the trunk, and so on.
        let mut part_of =
            alloc::vec![0; order.iter().map(|step| step.me as usize + 1).max().unwrap_or(0)];
        let mut found = 0;
        for number in 0..=self.len() {
            let part = if number == 0 { self.trunk() } else { self.part(number - 1) };
            for &Step { me, parent } in part {
                let above = part_of.get(parent as usize).copied().unwrap_or(0);
                let is_new = part_of
                    .get_mut(me as usize)
                    .is_some_and(|of| core::mem::replace(of, number + 1) == 0);
                if above > 1 && above != number + 1 || !is_new {
                    return Err("R5: a thing is in two parts, or its parent is in another");
                }
                found += 1;
            }
        }
        if found == order.len() { Ok(()) } else { Err("R5: the parts leave things out") }
    }
}

#[cfg(test)]
mod tests {
    use super::super::links::Links;
    use super::*;

    /// Links of things in the slots from 1 up.
    fn linked(count: u32, mut parent: impl FnMut(u32) -> u32) -> Links {
        let mut links = Links::default();
        links.grow(count).unwrap();
        for child in 1..=count {
            match parent(child) {
                0 => {}
                parent => links.insert((child, 1), (parent, 1), 0),
            }
        }
        links.update_order();
        links
    }

    /// A cut, looked at: how large the trunk is, and each of the parts.
    fn cut(parts: &mut Parts, order: &[Step]) -> (usize, Vec<usize>) {
        parts.cut(order);
        assert_eq!(parts.check(order), Ok(()));
        (parts.trunk().len(), (0..parts.len()).map(|number| parts.part(number).len()).collect())
    }

    #[test]
    fn the_children_of_one_big_root_are_in_many_parts() {
        let links = linked(10_000, |child| (child > 1).into());
        let (trunk, parts) = cut(&mut Parts::default(), links.order.steps());
        assert_eq!((trunk, parts.len()), (0, 9_999_usize.div_ceil(WORTHWHILE)));
        assert!(parts.iter().all(|&len| len <= WORTHWHILE));
    }

    #[test]
    fn a_chain_is_all_trunk_but_for_its_end() {
        let links = linked(10_000, |child| child - 1);
        assert_eq!(
            cut(&mut Parts::default(), links.order.steps()),
            (9_999 - WORTHWHILE, [WORTHWHILE].to_vec())
        );
    }

    #[test]
    fn few_things_are_one_part_and_none_are_none() {
        let links = linked(100, |child| child / 3);
        let mut parts = Parts::default();
        assert_eq!(parts.len(), 0);
        assert_eq!(cut(&mut parts, links.order.steps()), (0, [98].to_vec()));
        assert_eq!(cut(&mut parts, &[]), (0, Vec::new()));
    }

    #[test]
    fn whatever_the_shape_parts_have_nothing_to_do_with_each_other() {
        let mut random = fastrand::Rng::with_seed(8);
        let mut parts = Parts::default(); // the same for all: what was there before does not matter
        for round in 0..200 {
            let (count, fan) = (random.u32(1..6_000), random.u32(2..20));
            let links = linked(count, |child| match round % 4 {
                0 => child / fan,
                1 => random.u32(..child),
                2 => random.u32(child.saturating_sub(fan)..child),
                _ => 0,
            });
            let (trunk, parts) = cut(&mut parts, links.order.steps());
            assert!(parts.iter().all(|&len| len < 2 * WORTHWHILE), "round {round}: {parts:?}");
            assert!(
                round % 4 != 0 || trunk * 50 <= count as usize,
                "round {round}: {trunk} of {count} in the trunk"
            );
        }
    }
}
