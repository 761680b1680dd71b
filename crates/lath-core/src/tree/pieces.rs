//! What a sweep visits, and in which order: as one piece, or in pieces for several threads.
//!
//! A sweep over everything goes by the cached order, and finds the things without a parent, which
//! are not in it, group by group. A sweep below marked things follows the links.

use core::ops::Range;

use super::links::{Links, Row};
use super::marks::Set;
use super::order::Step;
#[cfg(feature = "parallel")]
use crate::cells::part;
use crate::each::ALL;
use crate::slots::{GROUP, ones};
use crate::tags::Filter;
#[cfg(feature = "parallel")]
use crate::threads;

/// Steps that are found at a time.
type Steps = [Step; GROUP as usize];

/// Room for them.
pub(super) const NO_STEPS: Steps = [Step::NONE; GROUP as usize];

/// A part of a sweep over everything: the things without a parent in some groups, and some that
/// have one, parents first. Pieces that are visited at the same time have no thing in common, and a
/// thing's parent is in the same piece, or that one was done before, or is not begun (R5).
pub(super) struct Piece<'a> {
    pub(super) roots: Roots<'a>,
    pub(super) steps: &'a [Step],
}

/// A sweep over everything.
pub(super) struct Pieces<'a> {
    filter: Filter<'a>,
    links: &'a Links,
}

impl<'a> Pieces<'a> {
    /// Over what a filter lets through. The order of the links is up to date.
    pub(super) fn new(filter: Filter<'a>, links: &'a Links) -> Self {
        Self { filter, links }
    }

    pub(super) fn rows(&self) -> &'a [Row] {
        self.links.rows()
    }

    /// All of it.
    #[inline]
    pub(super) fn whole(&self) -> Piece<'a> {
        self.piece(ALL, self.links.order.steps())
    }

    #[inline]
    fn piece(&self, groups: Range<u32>, steps: &'a [Step]) -> Piece<'a> {
        let roots = Roots { filter: self.filter, below: self.links.order.below(), groups };
        Piece { roots, steps }
    }

    /// Has all pieces visited, on several threads: those of the things without a parent before all
    /// others, or after them if the sweep goes up.
    #[cfg(feature = "parallel")]
    pub(super) fn share_out(&self, chunks: usize, up: bool, visit: &(dyn Fn(Piece<'_>) + Sync)) {
        let parts = &self.links.parts;
        let roots = || {
            threads::for_each_apart(chunks, &|n| visit(self.piece(part(chunks, n, chunks), &[])))
        };
        let trunk = || visit(self.piece(0..0, parts.trunk()));
        let below =
            || threads::for_each_apart(parts.len(), &|n| visit(self.piece(0..0, parts.part(n))));
        let mut all = || {
            if up {
                below();
                trunk();
                roots();
            } else {
                roots();
                trunk();
                below();
            }
        };
        // To the threads once for all of it; not at all if there is nothing to share out.
        if chunks.max(parts.len()) > 1 { threads::enter(&mut all) } else { all() }
    }
}

/// The things of some groups that a filter lets through and that have no parent.
pub(super) struct Roots<'a> {
    filter: Filter<'a>,
    /// Those who have one.
    below: &'a Set,
    groups: Range<u32>,
}

impl Roots<'_> {
    /// The next of them, those of one group, as steps.
    #[inline(never)]
    pub(super) fn next_steps<'s>(&mut self, steps: &'s mut Steps) -> Option<&'s [Step]> {
        while let Some(number) =
            self.filter.next(self.groups.start).filter(|number| self.groups.contains(number))
        {
            self.groups.start = number + 1;
            let mut count = 0;
            for bit in ones(self.filter.word(number) & !self.below.word(number)) {
                let me = number * GROUP + bit;
                steps[count] = Step { me, parent: me }; // nobody is a relative of itself
                count += 1;
            }
            if count > 0 {
                return Some(&steps[..count]);
            }
        }
        None
    }
}

/// A walk through some things and all that is below them, parents first: a subtree, or what is
/// below some siblings, and then more subtrees. None of the things is below another.
#[derive(Clone)]
pub(super) struct Below<'a> {
    rows: &'a [Row],
    /// What comes next; 0 if that is the first of the tops.
    next: u32,
    /// The parent of the siblings. 0 if they have none, and then it is one.
    above: u32,
    /// The sibling where it ends; 0 if that is after the last one.
    end: u32,
    /// The things that come then, by slot.
    tops: &'a [u32],
}

impl<'a> Below<'a> {
    pub(super) fn new(rows: &'a [Row], tops: &'a [u32]) -> Self {
        Self { rows, next: 0, above: 0, end: 0, tops }
    }

    #[inline]
    fn row(&self, index: u32) -> Row {
        self.rows.get(index as usize).copied().unwrap_or_default()
    }

    /// Calls `visit` with the next steps, at most so many. Answers how many there were.
    #[inline(always)]
    pub(super) fn go_on(&mut self, most: usize, mut visit: impl FnMut(Step)) -> usize {
        let mut left = most;
        while left > 0 {
            if self.next == 0 {
                let Some((&top, tops)) = self.tops.split_first() else { break };
                let Row { parent, next, .. } = self.row(top);
                *self = Self { rows: self.rows, next: top, above: parent, end: next, tops };
            }
            let (rows, above, end, mut me) = (self.rows, self.above, self.end, self.next);
            while me != 0 && left > 0 {
                let row = rows.get(me as usize).copied().unwrap_or_default();
                visit(Step { me, parent: row.parent });
                left -= 1;
                me = after(rows, row, above, end);
            }
            self.next = me;
        }
        most - left
    }

    /// Cuts off as much as can be at the end: half of the tops, or siblings of what comes next, or
    /// of what that is below, as far up as there are any.
    #[cfg(feature = "parallel")]
    fn split(&self) -> Option<(Self, Self)> {
        if !self.tops.is_empty() {
            let (near, far) = self.tops.split_at(self.tops.len() / 2);
            return Some((Self { tops: near, ..*self }, Self::new(self.rows, far)));
        }
        let (mut at, mut halves) = (self.next, None);
        while at != 0 {
            let Row { parent, next, .. } = self.row(at);
            let is_top = parent == self.above;
            let end = if is_top { self.end } else { 0 };
            if next != end {
                let near = Self { above: parent, end: next, ..*self };
                halves = Some((near, Self { next, above: parent, end, ..*self }));
            }
            at = if is_top { 0 } else { parent };
        }
        halves
    }

    /// Has all of it visited, and shares out what is left now and then. Answers how many there
    /// were. `visit` goes on with a walk for at most so many steps, and answers how many it took.
    #[cfg(feature = "parallel")]
    pub(super) fn share_out(
        &mut self,
        splits: u32,
        visit: &(dyn Fn(&mut Self, usize) -> usize + Sync),
    ) -> usize {
        let (mut most, mut reached) = (WORTHWHILE, 0);
        loop {
            let visited = visit(self, most);
            reached += visited;
            if visited < most {
                return reached;
            }
            let Some((mut near, mut far)) = self.split().filter(|_| splits > 0) else {
                // To look for something to split takes as long as the way up is, which is no longer
                // than what was visited.
                most *= 2;
                continue;
            };
            let (mut in_near, mut in_far) = (0, 0);
            threads::join(&mut || in_near = near.share_out(splits - 1, visit), &mut || {
                in_far = far.share_out(splits - 1, visit);
            });
            return reached + in_near + in_far;
        }
    }
}

/// What comes after the thing of a row, within siblings below `above`; 0 at their end.
#[inline(always)]
fn after(rows: &[Row], mut row: Row, above: u32, end: u32) -> u32 {
    if row.first != 0 {
        return row.first;
    }
    while row.parent != above {
        if row.next != 0 {
            return row.next;
        }
        row = rows.get(row.parent as usize).copied().unwrap_or_default();
    }
    if row.next == end { 0 } else { row.next }
}

/// So many things are visited before anything is shared out, and between two times.
#[cfg(feature = "parallel")]
const WORTHWHILE: usize = 512;

/// How often what is left of a walk is split, and what is left of that. Bounds the depth of calls.
#[cfg(feature = "parallel")]
pub(super) const SPLITS: u32 = 16;

#[cfg(test)]
#[cfg(feature = "parallel")]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// Visits some of a walk, and then both halves of the rest, or all of it: the slots in that
    /// order.
    fn visit(mut below: Below<'_>, random: &mut fastrand::Rng, into: &mut Vec<u32>) {
        for _ in 0..random.u8(1..8) {
            if below.go_on(1, |step| into.push(step.me)) == 0 {
                return;
            }
        }
        let mut halves = match below.split() {
            Some((near, far)) => [Some(near), Some(far)],
            None => [Some(below), None],
        };
        if random.bool() {
            halves.reverse(); // neither needs anything of the other
        }
        halves.into_iter().flatten().for_each(|half| visit(half, random, into));
    }

    #[test]
    fn a_walk_that_is_split_reaches_everything_once_and_parents_first() {
        let mut random = fastrand::Rng::with_seed(4);
        for round in 0..600 {
            let count = random.u32(1..300);
            let mut links = Links::default();
            links.grow(count + 1).unwrap();
            for child in 2..=count {
                let parent = if round % 3 == 0 { child - 1 } else { random.u32(child / 4..child) };
                if parent != 0 && random.u8(..10) > 0 {
                    links.insert((child, 1), (parent, 1), 0);
                }
            }
            // One thing, linked or not, or all that have the same parent, or none.
            let top = random.u32(..=count + 1);
            let is_top = |me: u32| match round % 2 {
                0 => me == top,
                _ => links.row(me).parent == top,
            };
            let tops: Vec<_> = (1..=count + 1).filter(|&me| is_top(me)).collect();
            let mut seen = Vec::new();
            visit(Below::new(links.rows(), &tops), &mut random, &mut seen);
            for (n, &me) in seen.iter().enumerate().filter(|(_, me)| !is_top(**me)) {
                let parent = links.row(me).parent;
                assert!(seen[..n].contains(&parent), "round {round}: {me} comes before its parent");
            }
            seen.sort_unstable();
            let is_below = |&me: &u32| {
                core::iter::successors(Some(me), |&at| {
                    Some(links.row(at).parent).filter(|&at| at != 0)
                })
                .any(is_top)
            };
            assert!(seen.into_iter().eq((1..=count + 1).filter(is_below)), "round {round}");
        }
    }
}
