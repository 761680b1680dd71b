#![expect(unsafe_code, reason = "hands out a thing to be changed beside a look at its relatives")]
//! Sweeps along the links of a tree: a thing to be changed, and a look at its parent or its children.
//!
//! The slots come from outside. Nothing here relies on them: whether there is a thing is asked slot by slot, and a thing is
//! never its own relative.

use super::*;
use crate::tags::{Filter, Groups};
use crate::tree::{Kids, Row, Step};
use crate::view::View;

impl<T: Thing> Cells<T> {
    /// Calls `f` for every live thing without a parent, in slot order, then for `steps`.
    pub(crate) fn cascade<P, V>(
        &mut self,
        rows: &[Row],
        steps: &[Step],
        mut f: impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) where
        P: View<Thing = T>,
        V: View<Thing = T>,
    {
        self.mark_seen::<V>();
        let mut pair = Pair::<P, V>::new(self);
        pair.roots(rows, |things, root| {
            // SAFETY: see `Pair::visit`; there is no relative.
            if let Some(me) = unsafe { things.at(root) } {
                f(None, me);
            }
        });
        for (n, &step) in steps.iter().enumerate() {
            pair.prefetch(steps.get(n + AHEAD));
            pair.visit(step, &mut f);
        }
    }

    /// As [`cascade`](Self::cascade), on several threads.
    #[cfg(feature = "parallel")]
    pub(crate) fn par_cascade<P, V>(
        &mut self,
        rows: &[Row],
        parts: &crate::tree::Parts,
        f: impl for<'x> Fn(Option<P::Item<'x>>, V::Item<'x>) + Sync,
    ) where
        P: View<Thing = T>,
        V: View<Thing = T>,
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
    {
        use rayon::iter::{ParallelBridge, ParallelIterator};

        self.mark_seen::<V>();
        let this = Everywhere(&*self);
        Pair::<P, V>::new(this.get()).roots(rows, |things, root| {
            // SAFETY: as in `cascade`.
            if let Some(me) = unsafe { things.at(root) } {
                f(None, me);
            }
        });
        let sweep = |steps: &[Step]| {
            let mut pair = Pair::<P, V>::new(this.get());
            for (n, &step) in steps.iter().enumerate() {
                pair.prefetch(steps.get(n + AHEAD));
                pair.visit(step, &mut |parent, me| f(parent, me));
            }
        };
        sweep(parts.trunk());
        // Not aliased among threads: a thing is in one part, and its parent, which is only looked at, is in the same one or
        // was done before (R5). Nothing else is referred to.
        parts.ranges().par_bridge().for_each(|range| sweep(&parts.steps()[range]));
    }

    /// Calls `f` for the live things of `steps`, last to first, then for those without a parent.
    pub(crate) fn gather<P, V>(
        &mut self,
        rows: &[Row],
        steps: &[Step],
        mut f: impl for<'x> FnMut(Relatives<'x, P>, V::Item<'x>),
    ) where
        P: View<Thing = T>,
        V: View<Thing = T>,
    {
        self.mark_seen::<V>();
        let this = &*self;
        let mut near = Window::<P>::new(this);
        let mut visit = |things: &mut Window<'_, V>, me: u32| {
            let children = Relatives { window: near.at_first(Kids::of(rows, me)), children: Kids::of(rows, me), me };
            // SAFETY: the cells are borrowed exclusively and the item lives for the length of the call, as do those of
            // `children`, which leave out this slot and do not write.
            if let Some(me) = unsafe { things.at(me) } {
                f(children, me);
            }
        };
        let mut pair = Pair::<P, V>::new(this);
        for &Step { me, .. } in steps.iter().rev() {
            visit(&mut pair.things, me);
        }
        pair.roots(rows, visit);
    }

    /// Calls `f` for some things, by slot and stamp, and all that is below them, parents first. Answers how many there were.
    pub(crate) fn cascade_below<P, V>(
        &mut self,
        rows: &[Row],
        tops: &[(u32, u32)],
        mut f: impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) -> usize
    where
        P: View<Thing = T>,
        V: View<Thing = T>,
    {
        if self.marks.is_some() {
            let below = tops.iter().flat_map(|&(top, _)| Kids::subtree(rows, top));
            below.for_each(|me| self.mark_fields(me, V::WRITES));
        }
        let mut pair = Pair::<P, V>::new(self);
        let mut reached = 0;
        for &(top, _) in tops {
            for me in Kids::subtree(rows, top) {
                reached += 1;
                pair.visit(Step { me, parent: rows.get(me as usize).map_or(0, |row| row.parent) }, &mut f);
            }
        }
        reached
    }
}

/// Cells that several threads may make views of.
#[cfg(feature = "parallel")]
struct Everywhere<'a, T: Thing>(&'a Cells<T>);

// SAFETY: threads only ask where slots are and which are live, which reads atomics and computes addresses. What they do with
// the slots is up to the views: items are `Send`, and no thread gets one that another could write to (R5).
#[cfg(feature = "parallel")]
unsafe impl<T: Thing> Sync for Everywhere<'_, T> {}

#[cfg(feature = "parallel")]
impl<'a, T: Thing> Everywhere<'a, T> {
    fn get(&self) -> &'a Cells<T> {
        self.0
    }
}

/// How many steps ahead memory is asked for.
const AHEAD: usize = 12;

/// Things to be changed, and relatives to be looked at. Made from cells that are borrowed exclusively.
struct Pair<'a, P: View, V: View> {
    relatives: Window<'a, P>,
    things: Window<'a, V>,
}

impl<'a, P: View, V: View<Thing = P::Thing>> Pair<'a, P, V> {
    fn new(cells: &'a Cells<V::Thing>) -> Self {
        const { assert!(P::WRITES == 0, "the view of the relative writes: a thing changes itself only") };
        let _checked = const { (P::READS, V::READS, V::WRITES) };
        Self { relatives: Window::new(cells), things: Window::new(cells) }
    }

    /// Calls `f` with a thing and its parent.
    #[inline(always)]
    fn visit(&mut self, step: Step, f: &mut impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>)) {
        let Step { me, parent } = step;
        // SAFETY: not aliased: the cells are borrowed exclusively; both items live for the length of the call, since `f`
        // takes any lifetime and so can keep neither; they are of different slots, and the parent's does not write.
        unsafe {
            let parent = if parent == me { None } else { self.relatives.at(parent) };
            if let Some(me) = self.things.at(me) {
                f(parent, me);
            }
        }
    }

    /// Calls `f` with every live slot that has no parent and that the view sees.
    fn roots(&mut self, rows: &[Row], mut f: impl FnMut(&mut Window<'a, V>, u32)) {
        let filter = self.things.filter;
        let mut from = 0;
        while let Some(number) = filter.next(from) {
            for index in ones(filter.word(number)).map(|bit| number * GROUP + bit) {
                if rows.get(index as usize).is_none_or(|row| row.parent == 0) {
                    f(&mut self.things, index);
                }
            }
            from = number + 1;
        }
    }

    /// Tells the processor about a step to come.
    #[inline(always)]
    fn prefetch(&self, step: Option<&Step>) {
        let values = &self.things.cells.values;
        if let Some(place) = step.and_then(|step| values.place(step.me)) {
            values.prefetch(place);
        }
    }
}

/// The views of things wherever they are, quick for slots near to the last one.
struct Window<'a, V: View> {
    cells: &'a Cells<V::Thing>,
    filter: Filter<'a>,
    /// The view sees nothing at all.
    nothing: bool,
    first: u32,
    len: u32,
    run: Option<(V::Base, Groups<'a>)>,
}

impl<'a, V: View> Window<'a, V> {
    fn new(cells: &'a Cells<V::Thing>) -> Self {
        let filter = cells.filter::<V>();
        Self { cells, filter, nothing: filter.next(0).is_none(), first: 0, len: 0, run: None }
    }

    /// The view of the thing in a slot, if there is a live one that it sees.
    ///
    /// # Safety
    ///
    /// While the item lives nobody writes to the fields in `V::READS` of this slot, and nobody else uses those in
    /// `V::WRITES`.
    #[inline(always)]
    unsafe fn at<'x>(&mut self, index: u32) -> Option<V::Item<'x>>
    where
        'a: 'x,
    {
        if index.wrapping_sub(self.first) >= self.len {
            self.go(index)?;
        }
        let row = index - self.first;
        let (base, groups) = self.run.as_ref()?;
        if groups.word(row / GROUP) >> (index % GROUP) & 1 == 0 {
            return None;
        }
        // SAFETY: the row is within the run, as was looked at above; its slot is live (`Filter` asks), so it holds a value
        // (C2, C1). The storage lives for `'a`. The rest is up to the caller.
        Some(unsafe { V::at(*base, row as usize) })
    }

    /// A copy that is quick for the first of these slots.
    fn at_first(&mut self, mut slots: Kids<'_>) -> Self {
        if let Some(first) = slots.next().filter(|first| first.wrapping_sub(self.first) >= self.len) {
            self.go(first);
        }
        Self { run: self.run, ..*self }
    }

    #[cold]
    #[inline(never)]
    fn go(&mut self, index: u32) -> Option<()> {
        let first = index - index % GROUP;
        let place = self.cells.values.place(first).filter(|_| !self.nothing)?;
        // SAFETY: the place is that of the index.
        let base = unsafe { V::base(&self.cells.values, place, first) };
        self.run = Some((base, self.filter.groups(first / GROUP)));
        (self.first, self.len) = (first, <V::Thing as Thing>::Storage::run_len(first));
        Some(())
    }
}

/// The views of the children of a thing, first to last: what [`TreeMut::gather`](crate::TreeMut::gather) gives beside the
/// thing.
pub struct Relatives<'x, P: View> {
    window: Window<'x, P>,
    children: Kids<'x>,
    me: u32,
}

impl<'x, P: View> Iterator for Relatives<'x, P> {
    type Item = P::Item<'x>;

    #[inline]
    fn next(&mut self) -> Option<P::Item<'x>> {
        loop {
            let child = self.children.next()?;
            if child == self.me {
                continue;
            }
            // SAFETY: of another slot than the one thing that is being changed, and the view does not write (`Pair::new`
            // asserts it): nobody writes while the item lives, which is as long as the call that got this.
            if let Some(view) = unsafe { self.window.at(child) } {
                return Some(view);
            }
        }
    }
}
