#![expect(unsafe_code, reason = "hands out a thing to be changed beside a look at its relatives")]
//! Sweeps along the links of a tree: a thing to be changed, and a look at its parent or its children.
//!
//! The slots come from outside. Nothing here relies on them: whether there is a thing is asked slot by slot, and a thing is
//! never its own relative.

use core::marker::PhantomData;
use core::ops::Range;

use super::*;
use crate::each::ALL;
use crate::tags::{Filter, Groups};
use crate::tree::{Kids, Row, Step};
use crate::view::View;

/// The right to change things through one view beside a look at their relatives through another.
pub(crate) struct Sweep<'a, P: View, V: View> {
    pub(super) cells: &'a Cells<V::Thing>,
    views: PhantomData<fn(P, V)>,
}

impl<T: Thing> Cells<T> {
    /// Whoever has the cells exclusively has that right.
    pub(crate) fn sweep<P: View<Thing = T>, V: View<Thing = T>>(&mut self) -> Sweep<'_, P, V> {
        self.prepare_marks(V::WRITES);
        // SAFETY: the cells are borrowed exclusively.
        unsafe { Sweep::new(self) }
    }
}

impl<'a, P: View, V: View<Thing = P::Thing>> Sweep<'a, P, V> {
    /// # Safety
    ///
    /// For as long as `'a`: no slot changes its state but from free to claimed, nobody writes to the fields in `P::READS` and
    /// `V::READS`, and nobody else uses those in `V::WRITES`.
    pub(crate) unsafe fn new(cells: &'a Cells<V::Thing>) -> Self {
        const { assert!(P::WRITES == 0, "the view of the relative writes: a thing changes itself only") };
        let _checked = const { (P::READS, V::READS, V::WRITES) };
        Self { cells, views: PhantomData }
    }

    /// The stamp of a slot.
    pub(crate) fn stamp(&self, index: u32) -> Option<u32> {
        self.cells.stamp(index)
    }

    /// Calls `f` for every live thing without a parent, in slot order, then for `steps`.
    pub(crate) fn cascade(
        &mut self,
        rows: &[Row],
        steps: &[Step],
        mut f: impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) {
        self.cells.mark_seen_shared::<V>();
        // SAFETY: the fields are this one's (by `new`), which is borrowed exclusively, and it is the only one.
        let mut pair = unsafe { Pair::<P, V>::new(self.cells) };
        pair.roots_down(rows, ALL, &mut f);
        pair.down(steps, &mut f);
    }

    /// Calls `f` for the live things of `steps`, last to first, then for those without a parent.
    pub(crate) fn gather(
        &mut self,
        rows: &[Row],
        steps: &[Step],
        mut f: impl for<'x> FnMut(Relatives<'x, P>, V::Item<'x>),
    ) {
        self.cells.mark_seen_shared::<V>();
        // SAFETY: the fields are this one's (by `new`), which is borrowed exclusively, and it is the only one.
        let mut pair = unsafe { Pair::<P, V>::new(self.cells) };
        pair.up(rows, steps, &mut f);
        pair.roots_up(rows, ALL, &mut f);
    }

    /// Calls `f` for some things, by slot and stamp, and all that is below them, parents first. Answers how many there were.
    pub(crate) fn cascade_below(
        &mut self,
        rows: &[Row],
        tops: &[(u32, u32)],
        mut f: impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) -> usize {
        self.mark_below(rows, tops);
        // SAFETY: the fields are this one's (by `new`), which is borrowed exclusively, and it is the only one.
        let mut pair = unsafe { Pair::<P, V>::new(self.cells) };
        let mut reached = 0;
        for (n, &(top, _)) in tops.iter().enumerate() {
            // Whoever is marked may be anywhere.
            if let Some(Step { me, parent }) = tops.get(n + AHEAD).map(|&(ahead, _)| Step::of(rows, ahead)) {
                pair.prefetch(me);
                pair.prefetch(parent);
            }
            for me in Kids::subtree(rows, top) {
                reached += 1;
                pair.visit(Step::of(rows, me), &mut f);
            }
        }
        reached
    }

    /// Marks the fields that a view writes, of some things and of all that is below them.
    pub(super) fn mark_below(&self, rows: &[Row], tops: &[(u32, u32)]) {
        if self.cells.marks.is_some() {
            let below = tops.iter().flat_map(|&(top, _)| Kids::subtree(rows, top));
            below.for_each(|me| self.cells.mark_fields_shared(me, V::WRITES));
        }
    }
}

/// How many steps ahead memory is asked for.
const AHEAD: usize = 12;

/// Things to be changed, and relatives to be looked at.
pub(super) struct Pair<'a, P: View, V: View> {
    relatives: Window<'a, P>,
    things: Window<'a, V>,
}

impl<'a, P: View, V: View<Thing = P::Thing>> Pair<'a, P, V> {
    /// # Safety
    ///
    /// Whoever makes this has the right of a [`Sweep`], for as long as it is used. Where several are at work at the
    /// same time (`cells/par_cascade.rs`), none visits a thing that another one visits or looks at.
    pub(super) unsafe fn new(cells: &'a Cells<V::Thing>) -> Self {
        Self { relatives: Window::new(cells), things: Window::new(cells) }
    }

    /// Calls `f` with a thing and its parent.
    #[inline(always)]
    pub(super) fn visit(&mut self, step: Step, f: &mut impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>)) {
        let Step { me, parent } = step;
        // SAFETY: not aliased: the fields are ours, and nobody else is at these things (by `new`); both items live
        // for the length of the call, since `f` takes any lifetime and so can keep neither; they are of different slots, and
        // the parent's does not write.
        unsafe {
            let parent = if parent == me { None } else { self.relatives.at(parent) };
            if let Some(me) = self.things.at(me) {
                f(parent, me);
            }
        }
    }

    /// Calls `f` with a thing and its children.
    #[inline(always)]
    fn visit_up(&mut self, rows: &[Row], me: u32, f: &mut impl for<'x> FnMut(Relatives<'x, P>, V::Item<'x>)) {
        let children = Kids::of(rows, me);
        let children = Relatives { window: self.relatives.at_first(children), children, me };
        // SAFETY: as in `visit`: both live for the length of the call, and `children` leave out this slot and do not write.
        if let Some(me) = unsafe { self.things.at(me) } {
            f(children, me);
        }
    }

    /// Calls `f` for things and their parents, first to last.
    #[inline(always)]
    pub(super) fn down(&mut self, steps: &[Step], f: &mut impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>)) {
        for (n, &step) in steps.iter().enumerate() {
            if let Some(ahead) = steps.get(n + AHEAD) {
                self.prefetch(ahead.me);
            }
            self.visit(step, f);
        }
    }

    /// Calls `f` for things and their children, last to first.
    #[inline(always)]
    pub(super) fn up(
        &mut self,
        rows: &[Row],
        steps: &[Step],
        f: &mut impl for<'x> FnMut(Relatives<'x, P>, V::Item<'x>),
    ) {
        for &Step { me, .. } in steps.iter().rev() {
            self.visit_up(rows, me, f);
        }
    }

    /// Calls `f` for the live things without a parent in some groups.
    #[inline(always)]
    pub(super) fn roots_down(
        &mut self,
        rows: &[Row],
        groups: Range<u32>,
        f: &mut impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) {
        // Nobody is a relative of itself.
        roots(self.things.filter, rows, groups, |me| self.visit(Step { me, parent: me }, f));
    }

    /// Calls `f` for the live things without a parent in some groups, and for their children.
    #[inline(always)]
    pub(super) fn roots_up(
        &mut self,
        rows: &[Row],
        groups: Range<u32>,
        f: &mut impl for<'x> FnMut(Relatives<'x, P>, V::Item<'x>),
    ) {
        roots(self.things.filter, rows, groups, |me| self.visit_up(rows, me, f));
    }

    /// Tells the processor about a thing to come.
    #[inline(always)]
    fn prefetch(&self, index: u32) {
        let values = &self.things.cells.values;
        if let Some(place) = values.place(index) {
            values.prefetch(place);
        }
    }
}

/// Calls `f` with every slot of some groups that the filter lets through and that has no parent.
#[inline(always)]
fn roots(filter: Filter<'_>, rows: &[Row], groups: Range<u32>, mut f: impl FnMut(u32)) {
    let mut from = groups.start;
    while let Some(number) = filter.next(from).filter(|number| groups.contains(number)) {
        for index in ones(filter.word(number)).map(|bit| number * GROUP + bit) {
            if rows.get(index as usize).is_none_or(|row| row.parent == 0) {
                f(index);
            }
        }
        from = number + 1;
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
