#![expect(unsafe_code, reason = "hands out a thing to be changed beside a look at its relatives")]
//! Sweeps along the links of a tree: a thing to be changed, and a look at its parent or its
//! children.
//!
//! The slots come from outside. Nothing here relies on them: whether there is a thing is asked slot
//! by slot, and a thing is never its own relative.

use core::marker::PhantomData;
use core::ops::Range;

use super::*;
use crate::each::ALL;
use crate::tags::Filter;
use crate::tree::{Kids, Order, Row, Set, Step, walk};
use crate::view::{StorageOf, Used, View};

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
    /// For as long as `'a`: no slot changes its state but from free to claimed, nobody writes to
    /// the fields in `P::READS` and `V::READS`, and nobody else uses those in `V::WRITES`.
    pub(crate) unsafe fn new(cells: &'a Cells<V::Thing>) -> Self {
        const { assert!(P::WRITES == 0, "the view of the relative writes: a thing changes itself only") };
        let _checked = const { (P::READS, V::READS, V::WRITES) };
        Self { cells, views: PhantomData }
    }

    /// The stamp of a slot.
    pub(crate) fn stamp(&self, index: u32) -> Option<u32> {
        self.cells.stamp(index)
    }

    /// Calls `f` for every live thing without a parent, in slot order, then for the steps of an
    /// order.
    pub(crate) fn cascade(
        &mut self,
        order: &Order,
        mut f: impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) {
        self.cells.mark_seen_shared::<V>();
        // SAFETY: the fields are this one's (by `new`), which is borrowed exclusively, and it is
        // the only one.
        let mut pair = unsafe { Pair::<P, V>::new(self.cells) };
        let mut roots = Roots { filter: pair.things.filter, below: order.below(), groups: ALL };
        let (mut some, mut steps) = ([Step::NONE; GROUP as usize], Some(order.steps()));
        // One loop for both, so that what `f` does is compiled once, and into it.
        while let Some(steps) = roots.next_steps(&mut some).or_else(|| steps.take()) {
            pair.down(steps, &mut f);
        }
    }

    /// Calls `f` for the live things of the steps of an order, last to first, then for those
    /// without a parent.
    pub(crate) fn gather(
        &mut self,
        rows: &[Row],
        order: &Order,
        mut f: impl for<'x> FnMut(Relatives<'x, P>, V::Item<'x>),
    ) {
        self.cells.mark_seen_shared::<V>();
        // SAFETY: the fields are this one's (by `new`), which is borrowed exclusively, and it is
        // the only one.
        let mut pair = unsafe { Pair::<P, V>::new(self.cells) };
        pair.up(rows, order.steps(), &mut f);
        pair.roots_up(rows, order.below(), ALL, &mut f);
    }

    /// Calls `f` for some things, by slot and stamp, and all that is below them, parents first.
    /// Answers how many there were.
    pub(crate) fn cascade_below(
        &mut self,
        rows: &[Row],
        tops: &[(u32, u32)],
        mut f: impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) -> usize {
        self.mark_below(rows, tops);
        // SAFETY: the fields are this one's (by `new`), which is borrowed exclusively, and it is
        // the only one.
        let mut pair = unsafe { Pair::<P, V>::new(self.cells) };
        let mut subtrees = Subtrees { rows, tops: tops.iter(), top: 0, next: 0 };
        let (mut some, mut reached) = ([Step::NONE; GROUP as usize], 0);
        // Links first, and things after them: those are on their way by then.
        while let Some(steps) = subtrees.next_steps(
            &mut some,
            |me| pair.prefetch::<V>(me),
            |parent| pair.prefetch::<P>(parent),
        ) {
            reached += steps.len();
            steps.iter().for_each(|&step| pair.visit(step, &mut f));
        }
        reached
    }

    /// Marks the fields that a view writes, of some things and of all that is below them.
    #[inline(never)]
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
    relatives: Anywhere<'a, P>,
    things: Anywhere<'a, V>,
}

impl<'a, P: View, V: View<Thing = P::Thing>> Pair<'a, P, V> {
    /// # Safety
    ///
    /// Whoever makes this has the right of a [`Sweep`], for as long as it is used. Where several
    /// are at work at the same time (`cells/par_cascade.rs`), none visits a thing that another one
    /// visits or looks at.
    pub(super) unsafe fn new(cells: &'a Cells<V::Thing>) -> Self {
        Self { relatives: Anywhere::new(cells), things: Anywhere::new(cells) }
    }

    /// Calls `f` with a thing and its parent.
    #[inline(always)]
    pub(super) fn visit(
        &mut self,
        step: Step,
        f: &mut impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) {
        let Step { me, parent } = step;
        // SAFETY: not aliased: the fields are ours, and nobody else is at these things (by `new`);
        // both items live for the length of the call, since `f` takes any lifetime and so can keep
        // neither; they are of different slots, and the parent's does not write.
        unsafe {
            let parent = if parent == me { None } else { self.relatives.at(parent) };
            if let Some(me) = self.things.at(me) {
                f(parent, me);
            }
        }
    }

    /// Calls `f` with a thing and its children.
    #[inline(always)]
    fn visit_up(
        &mut self,
        rows: &[Row],
        me: u32,
        f: &mut impl for<'x> FnMut(Relatives<'x, P>, V::Item<'x>),
    ) {
        let children = Kids::of(rows, me);
        let children = Relatives { views: self.relatives, children, me };
        // SAFETY: as in `visit`: both live for the length of the call, and `children` leave out
        // this slot and do not write.
        if let Some(me) = unsafe { self.things.at(me) } {
            f(children, me);
        }
    }

    /// Calls `f` for things and their parents, first to last.
    #[inline(always)]
    pub(super) fn down(
        &mut self,
        steps: &[Step],
        f: &mut impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) {
        for (n, &step) in steps.iter().enumerate() {
            if let Some(ahead) = steps.get(n + AHEAD) {
                self.prefetch::<V>(ahead.me);
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
    #[cfg(feature = "parallel")]
    #[inline(always)]
    pub(super) fn roots_down(
        &mut self,
        below: &Set,
        groups: Range<u32>,
        f: &mut impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) {
        let mut roots = Roots { filter: self.things.filter, below, groups };
        let mut some = [Step::NONE; GROUP as usize];
        while let Some(steps) = roots.next_steps(&mut some) {
            steps.iter().for_each(|&step| self.visit(step, f));
        }
    }

    /// Calls `f` for the live things without a parent in some groups, and for their children.
    #[inline(always)]
    pub(super) fn roots_up(
        &mut self,
        rows: &[Row],
        below: &Set,
        groups: Range<u32>,
        f: &mut impl for<'x> FnMut(Relatives<'x, P>, V::Item<'x>),
    ) {
        let mut roots = Roots { filter: self.things.filter, below, groups };
        let mut some = [Step::NONE; GROUP as usize];
        while let Some(steps) = roots.next_steps(&mut some) {
            steps.iter().for_each(|step| self.visit_up(rows, step.me, f));
        }
    }

    /// Tells the processor about a thing to come.
    #[inline(always)]
    fn prefetch<W: View<Thing = V::Thing>>(&self, index: u32) {
        let values = &self.things.cells.values;
        if let Some(place) = values.place(index) {
            StorageOf::<W>::prefetch::<Used<W>>(place);
        }
    }
}

/// A walk through some things and all that is below them, parents first.
struct Subtrees<'a> {
    rows: &'a [Row],
    tops: core::slice::Iter<'a, (u32, u32)>,
    /// What is being walked through, and what of it comes next; 0 at its end.
    top: u32,
    next: u32,
}

impl Subtrees<'_> {
    /// The next of them, some at a time. `fetch` is told of each, `fetch_parent` of the parents of
    /// the topmost: the others' are among them.
    #[inline(always)]
    fn next_steps<'s>(
        &mut self,
        steps: &'s mut [Step; GROUP as usize],
        fetch: impl Fn(u32),
        fetch_parent: impl Fn(u32),
    ) -> Option<&'s [Step]> {
        let rows = self.rows;
        let mut count = 0;
        while count < steps.len() {
            let is_top = self.next == 0;
            let me = if is_top { self.tops.next().map_or(0, |top| top.0) } else { self.next };
            if me == 0 {
                break;
            }
            let Row { parent, first, next, .. } =
                rows.get(me as usize).copied().unwrap_or_default();
            if is_top {
                self.top = me;
                fetch_parent(parent);
            }
            fetch(me);
            steps[count] = Step { me, parent };
            count += 1;
            self.next = match first {
                0 if me == self.top => 0,
                0 if next != 0 => next,
                0 => walk::beyond(rows, self.top, parent).unwrap_or(0),
                first => first,
            };
        }
        (count > 0).then_some(&steps[..count])
    }
}

/// The things of some groups that a filter lets through and that have no parent.
struct Roots<'a> {
    filter: Filter<'a>,
    /// Those who have one.
    below: &'a Set,
    groups: Range<u32>,
}

impl Roots<'_> {
    /// The next of them, those of one group, as steps.
    #[inline(never)]
    fn next_steps<'s>(&mut self, steps: &'s mut [Step; GROUP as usize]) -> Option<&'s [Step]> {
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

/// The views of things wherever they are.
struct Anywhere<'a, V: View> {
    cells: &'a Cells<V::Thing>,
    filter: Filter<'a>,
}

impl<V: View> Clone for Anywhere<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: View> Copy for Anywhere<'_, V> {}

impl<'a, V: View> Anywhere<'a, V> {
    #[inline(always)]
    fn new(cells: &'a Cells<V::Thing>) -> Self {
        Self { cells, filter: cells.filter::<V>() }
    }

    /// The view of the thing in a slot, if there is a live one that it sees.
    ///
    /// # Safety
    ///
    /// While the item lives nobody writes to the fields in `V::READS` of this slot, and nobody else
    /// uses those in `V::WRITES`.
    #[inline(always)]
    unsafe fn at<'x>(&self, index: u32) -> Option<V::Item<'x>>
    where
        'a: 'x,
    {
        let values = &self.cells.values;
        let place =
            values.place(index).filter(|_| self.filter.known(V::WITH, V::WITHOUT).sees(index))?;
        // SAFETY: the place is that of the index. Its slot is live (`Filter` asks), so it holds a
        // value (C2, C1); a run has at least its first row. The storage lives for `'a`. The rest is
        // up to the caller.
        Some(unsafe { V::at(V::base(values, place, index), 0) })
    }
}

/// The views of the children of a thing, first to last: what
/// [`TreeMut::gather`](crate::TreeMut::gather) gives beside the thing.
pub struct Relatives<'x, P: View> {
    views: Anywhere<'x, P>,
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
            // SAFETY: of another slot than the one thing that is being changed, and the view does
            // not write (`Sweep::new` asserts it): nobody writes while the item lives, which is as
            // long as the call that got this.
            if let Some(view) = unsafe { self.views.at(child) } {
                return Some(view);
            }
        }
    }
}
