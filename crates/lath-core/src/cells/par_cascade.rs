#![expect(unsafe_code, reason = "lets several threads sweep along the links of a tree")]
//! The sweeps of `cascade.rs` on several threads: things without a parent by chunks of slots, the
//! others by the parts of an order that has been cut, or, below marked things, by splitting a walk
//! on the way. What a sweep computes for a thing depends on the thing and on its relatives, and
//! those have been done, or are not touched: so the result is that of one thread.

use core::marker::PhantomData;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::cascade::{Pair, Relatives, Sweep};
use super::parallel::chunk;
use super::*;
use crate::threads;
use crate::tree::{Parts, Row, Set, Step};
use crate::view::View;

impl<P: View, V: View<Thing = P::Thing>> Sweep<'_, P, V> {
    /// As [`cascade`](Self::cascade), on several threads.
    pub(crate) fn par_cascade(
        &mut self,
        below: &Set,
        parts: &Parts,
        f: impl for<'x> Fn(Option<P::Item<'x>>, V::Item<'x>) + Sync,
    ) where
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
    {
        self.cells.mark_seen_shared::<V>();
        let (this, chunks) = (Everywhere(self.cells), self.cells.chunk_count());
        // SAFETY: the fields are this one's, which is borrowed exclusively. Of those that are at
        // work at the same time none is at a thing of another:
        // - those in chunks: no slot is in two of them, and things without a parent have no
        //   relative to look at;
        // - the one in the trunk is alone;
        // - those in parts: a thing is in one part. Its parent is in the same one, or in the trunk,
        //   or has no parent (R5), and those have been done.
        let pair = || unsafe { Pair::<P, V>::new(this.get()) };
        enter(chunks.max(parts.len()), || {
            threads::for_each_apart(chunks, &|n| {
                pair().roots_down(below, chunk(n), &mut |parent, me| f(parent, me));
            });
            pair().down(parts.trunk(), &mut |parent, me| f(parent, me));
            threads::for_each_apart(parts.len(), &|n| {
                pair().down(parts.part(n), &mut |parent, me| f(parent, me));
            });
        });
    }

    /// As [`gather`](Self::gather), on several threads.
    pub(crate) fn par_gather(
        &mut self,
        rows: &[Row],
        below: &Set,
        parts: &Parts,
        f: impl for<'x> Fn(Relatives<'x, P>, V::Item<'x>) + Sync,
    ) where
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
    {
        self.cells.mark_seen_shared::<V>();
        let (this, chunks) = (Everywhere(self.cells), self.cells.chunk_count());
        // SAFETY: the fields are this one's, which is borrowed exclusively. Of those that are at
        // work at the same time none is at a thing of another:
        // - those in parts: a thing is in one part, and its children are in the same (R5);
        // - the one in the trunk is alone;
        // - those in chunks: no slot is in two of them, and they visit things without a parent
        //   (R4), which are nobody's children.
        let pair = || unsafe { Pair::<P, V>::new(this.get()) };
        enter(chunks.max(parts.len()), || {
            threads::for_each_apart(parts.len(), &|n| {
                pair().up(rows, parts.part(n), &mut |children, me| f(children, me));
            });
            pair().up(rows, parts.trunk(), &mut |children, me| f(children, me));
            threads::for_each_apart(chunks, &|n| {
                pair().roots_up(rows, below, chunk(n), &mut |children, me| f(children, me));
            });
        });
    }

    /// As [`cascade_below`](Self::cascade_below), on several threads. None of the things is below
    /// another.
    pub(crate) fn par_cascade_below(
        &mut self,
        rows: &[Row],
        tops: &[(u32, u32)],
        f: impl for<'x> Fn(Option<P::Item<'x>>, V::Item<'x>) + Sync,
    ) -> usize
    where
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
    {
        self.mark_below(rows, tops);
        let sweep = Below { this: Everywhere(self.cells), rows, f, views: PhantomData::<fn(P, V)> };
        let mut reached = 0;
        for (n, &(top, _)) in tops.iter().enumerate() {
            let (visited, rest) =
                sweep.walk(&mut sweep.pair(), Stretch::of(rows, top), WORTHWHILE - reached);
            reached += visited;
            if reached >= WORTHWHILE {
                let (tops, shared) = (&tops[n + 1..], AtomicUsize::new(reached));
                let down =
                    |stretch| _ = shared.fetch_add(sweep.down(stretch, SPLITS), Ordering::Relaxed);
                threads::join(&mut || rest.into_iter().for_each(down), &mut || {
                    threads::for_each(tops.len(), &|n| down(Stretch::of(rows, tops[n].0)));
                });
                return shared.into_inner();
            }
        }
        reached
    }
}

/// So many things are visited before anything is shared out.
const WORTHWHILE: usize = 512;

/// How often what is left of a stretch is split, and what is left of that. Bounds the depth of
/// calls.
const SPLITS: u32 = 16;

/// A sweep below some things.
struct Below<'a, T: Thing, P, V, F> {
    this: Everywhere<'a, T>,
    rows: &'a [Row],
    f: F,
    views: PhantomData<fn(P, V)>,
}

impl<'a, T, P, V, F> Below<'a, T, P, V, F>
where
    T: Thing,
    P: View<Thing = T>,
    V: View<Thing = T>,
    F: for<'x> Fn(Option<P::Item<'x>>, V::Item<'x>) + Sync,
{
    fn pair(&self) -> Pair<'a, P, V> {
        // SAFETY: `par_cascade_below`, which makes this, has the fields and is borrowed
        // exclusively. Of those that are at work at the same time none is at a thing of another:
        // each is at a stretch of its own, no two of which have a thing in common (none of the tops
        // is below another, and `Stretch::split` gives away what it leaves out). The parent of a
        // thing is in the same stretch, or was done before that was split off, or is above all tops
        // and not visited.
        unsafe { Pair::new(self.this.get()) }
    }

    /// Visits so many things of a stretch. Answers how many there were, and what is left of it.
    fn walk(
        &self,
        pair: &mut Pair<'a, P, V>,
        mut stretch: Stretch,
        most: usize,
    ) -> (usize, Option<Stretch>) {
        for visited in 1..=most {
            pair.visit(Step::of(self.rows, stretch.next), &mut |parent, me| (self.f)(parent, me));
            match stretch.after(self.rows) {
                Some(next) => stretch.next = next,
                None => return (visited, None),
            }
        }
        (most, Some(stretch))
    }

    /// Visits all of a stretch, and shares out what is left of it now and then.
    fn down(&self, mut stretch: Stretch, splits: u32) -> usize {
        let (mut pair, mut most, mut reached) = (self.pair(), WORTHWHILE, 0);
        loop {
            let (visited, rest) = self.walk(&mut pair, stretch, most);
            reached += visited;
            let Some(rest) = rest else { return reached };
            match rest.split(self.rows).filter(|_| splits > 0) {
                Some((near, far)) => {
                    let (mut in_near, mut in_far) = (0, 0);
                    threads::join(&mut || in_near = self.down(near, splits - 1), &mut || {
                        in_far = self.down(far, splits - 1);
                    });
                    return reached + in_near + in_far;
                }
                // To look for something to split takes as long as the way up is, which is no longer
                // than what was visited.
                None => (stretch, most) = (rest, most * 2),
            }
        }
    }
}

/// A part of a walk, parents first: from a thing on, to the end of what is below some siblings.
#[derive(Clone, Copy)]
struct Stretch {
    /// The first thing.
    next: u32,
    /// The parent of the siblings. 0 if they have none, and then it is one.
    above: u32,
    /// The sibling where it ends; 0 if that is after the last one.
    end: u32,
}

impl Stretch {
    /// All that is below a thing, and the thing.
    fn of(rows: &[Row], top: u32) -> Self {
        let (above, end) = rows.get(top as usize).map_or((0, 0), |row| (row.parent, row.next));
        Self { next: top, above, end }
    }

    /// The second thing.
    #[inline]
    fn after(&self, rows: &[Row]) -> Option<u32> {
        let mut row = rows.get(self.next as usize)?;
        if row.first != 0 {
            return Some(row.first);
        }
        while row.parent != self.above {
            if row.next != 0 {
                return Some(row.next);
            }
            row = rows.get(row.parent as usize)?;
        }
        Some(row.next).filter(|&next| next != self.end && next != 0)
    }

    /// Cuts off as much as can be at the end: siblings of what the first thing is below, or of
    /// itself, as far up as there are any.
    fn split(self, rows: &[Row]) -> Option<(Self, Self)> {
        let (mut at, mut parts) = (self.next, None);
        loop {
            let row = rows.get(at as usize)?;
            let end = if row.parent == self.above { self.end } else { 0 };
            if row.next != end && row.next != 0 {
                let near = Self { next: self.next, above: row.parent, end: row.next };
                parts = Some((near, Self { next: row.next, above: row.parent, end }));
            }
            if row.parent == self.above {
                return parts;
            }
            at = row.parent;
        }
    }
}

/// Cells that several threads may make views of.
struct Everywhere<'a, T: Thing>(&'a Cells<T>);

// SAFETY: threads only ask where slots are and which are live, which reads atomics and computes
// addresses. What they do with the slots is up to the views: items are `Send`, and no thread gets
// one that another could write to (each sweep says why).
unsafe impl<T: Thing> Sync for Everywhere<'_, T> {}

impl<'a, T: Thing> Everywhere<'a, T> {
    fn get(&self) -> &'a Cells<T> {
        self.0
    }
}

/// Goes to the threads once for all that `sweep` does there; not at all if it has nothing to share
/// out.
fn enter(most: usize, mut sweep: impl FnMut() + Send) {
    if most > 1 { threads::enter(&mut sweep) } else { sweep() }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::tree::{Kids, Links};

    /// Visits some of a stretch, and then both parts of the rest, or all of it: what came out, in
    /// that order.
    fn visit(rows: &[Row], mut stretch: Stretch, random: &mut fastrand::Rng, into: &mut Vec<u32>) {
        for _ in 0..random.u8(1..8) {
            into.push(stretch.next);
            match stretch.after(rows) {
                Some(next) => stretch.next = next,
                None => return,
            }
        }
        match stretch.split(rows) {
            Some((near, far)) if random.bool() => {
                visit(rows, far, random, into); // before the other: neither needs anything of the other
                visit(rows, near, random, into);
            }
            Some((near, far)) => {
                visit(rows, near, random, into);
                visit(rows, far, random, into);
            }
            None => visit(rows, stretch, random, into),
        }
    }

    #[test]
    fn a_walk_that_is_split_reaches_everything_once_and_parents_first() {
        let mut random = fastrand::Rng::with_seed(4);
        for round in 0..300 {
            let count = random.u32(1..300);
            let mut links = Links::default();
            links.grow(count).unwrap();
            for child in 2..=count {
                let parent = if round % 3 == 0 { child - 1 } else { random.u32(child / 4..child) };
                if parent != 0 && random.u8(..10) > 0 {
                    links.insert((child, 1), (parent, 1), 0);
                }
            }
            let (rows, top) = (links.rows(), random.u32(1..=count + 1));
            let mut seen = Vec::new();
            visit(rows, Stretch::of(rows, top), &mut random, &mut seen);
            for (n, &me) in seen.iter().enumerate().skip(1) {
                assert!(
                    seen[..n].contains(&links.row(me).parent),
                    "round {round}: {me} comes before its parent"
                );
            }
            seen.sort_unstable();
            let mut expected: Vec<u32> = Kids::subtree(rows, top).collect();
            expected.sort_unstable();
            assert_eq!(seen, expected, "round {round}");
        }
    }
}
