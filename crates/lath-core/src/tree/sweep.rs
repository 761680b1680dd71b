#![expect(unsafe_code, reason = "hands out a thing to be changed beside a look at its relatives")]
//! Sweeps along the links of a tree: a thing to be changed, beside a look at its parent or at its
//! children. Which slots come, and when, is in `pieces.rs`.

use core::marker::PhantomData;

use super::TreeMut;
use super::links::{Links, Row};
use super::order::Step;
#[cfg(feature = "parallel")]
use super::pieces::SPLITS;
use super::pieces::{Below, NO_STEPS, Piece, Pieces};
use super::walk::Children;
use crate::cells::Cells;
use crate::guard::Guard;
use crate::tags::Filter;
use crate::thing::Thing;
use crate::view::View;

/// Sweeps along the links of one relation: every thing that the view `V` sees is changed, beside a
/// look at its parent or at its children through the view `P`. In pools it is made by
/// [`TreeMut::sweep`](crate::TreeMut::sweep); in systems it is a parameter.
///
/// Things that are not linked are things without a parent and without children: they come too. The
/// order is worked out once and kept until links change. Among those that may come next, lower
/// slots come first.
///
/// # Examples
///
/// ```
/// use lath_core::{Mut, Pool, Ref, Thing};
/// # #[derive(Thing, Default)] struct Part { local: f32, world: f32 }
/// let mut ship = Pool::new();
/// let [hull, mast, flag, lone] = [1.0, 2.0, 3.0, 4.0].map(|local| ship.spawn(Part { local, world: 0.0 }));
/// ship.tree_mut().attach(mast, hull)?;
/// ship.tree_mut().attach(flag, mast)?;
///
/// let mut tree = ship.tree_mut();
/// tree.sweep::<Ref<part::world>, (Mut<part::world>, Ref<part::local>)>().down(|parent, (mut world, local)| {
///     *world = parent.map_or(0.0, |parent| *parent) + *local;
/// });
/// assert_eq!([hull, mast, flag, lone].map(|part| ship[part].world), [1.0, 3.0, 6.0, 4.0]);
/// # Ok::<(), lath_core::LinkError>(())
/// ```
pub struct Sweep<'a, P: View, V: View> {
    visitor: Visitor<'a, P, V>,
    links: &'a mut Links,
}

impl<T: Thing> TreeMut<'_, T> {
    /// Sweeps along the links: things are changed through the view `V`, beside a look at their
    /// parent or at their children through the view `P`.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Part { wet: bool }
    /// let mut ship = Pool::new();
    /// let hull = ship.spawn(Part { wet: true });
    /// let mast = ship.spawn_child(hull, Part::default()).unwrap();
    /// ship.tree_mut().sweep::<Ref<part::wet>, Mut<part::wet>>().down(|parent, mut wet| {
    ///     *wet |= parent.is_some_and(|parent| *parent);
    /// });
    /// assert!(ship[mast].wet);
    /// ```
    pub fn sweep<P: View<Thing = T>, V: View<Thing = T>>(&mut self) -> Sweep<'_, P, V> {
        self.cells.prepare_marks(V::WRITES);
        // SAFETY: the cells are borrowed exclusively, as are the links.
        unsafe { Sweep::new(self.cells, self.links) }
    }
}

impl<'a, P: View, V: View<Thing = P::Thing>> Sweep<'a, P, V> {
    /// # Safety
    ///
    /// For as long as `'a`: no slot changes its state or its tags but from free to claimed, nobody
    /// writes to the fields in `P::READS` and `V::READS`, and nobody else uses those in
    /// `V::WRITES`.
    pub(crate) unsafe fn new(cells: &'a Cells<V::Thing>, links: &'a mut Links) -> Self {
        const { assert!(P::WRITES == 0, "the view of the relative writes: a thing changes itself only") };
        let _checked = const { (P::READS, V::READS, V::WRITES) };
        let (relatives, things) = (cells.filter::<P>(), cells.filter::<V>());
        let visitor = Visitor { cells, relatives, things, views: PhantomData };
        Self { visitor, links }
    }

    /// Calls `f` for every thing that `V` sees, every parent before its children, with the view `P`
    /// of its parent: `None` if it has no parent, or `P` does not see that.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Branch, Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Part { depth: u32 }
    /// let mut ship = Pool::new();
    /// let part = || Branch::new(Part::default());
    /// let hull = ship.spawn_tree(part().with(part().with(part())));
    /// ship.tree_mut().sweep::<Ref<part::depth>, Mut<part::depth>>().down(|parent, mut depth| {
    ///     *depth = parent.map_or(0, |parent| *parent + 1);
    /// });
    /// assert!(ship.iter().map(|(_, part)| part.depth).eq([0, 1, 2]));
    /// ```
    pub fn down(&mut self, mut f: impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>)) {
        let (visitor, pieces) = self.everything();
        visitor.down(pieces.whole(), &mut f);
    }

    /// As [`down`](Self::down), on several threads (as [`Views::par_each`](crate::Views::par_each)):
    /// subtrees are shared out among them, also those of one big root. What comes out does not
    /// depend on the number of threads.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Part { depth: u32 }
    /// let mut ship = Pool::new();
    /// let hull = ship.spawn(Part::default());
    /// for _ in 0..10_000 { ship.spawn_child(hull, Part::default()).unwrap(); }
    /// ship.tree_mut().sweep::<Ref<part::depth>, Mut<part::depth>>().par_down(|parent, mut depth| {
    ///     *depth = parent.map_or(0, |parent| *parent + 1);
    /// });
    /// assert_eq!(ship.iter().map(|(_, part)| part.depth).sum::<u32>(), 10_000);
    /// ```
    #[cfg(feature = "parallel")]
    pub fn par_down(&mut self, f: impl for<'x> Fn(Option<P::Item<'x>>, V::Item<'x>) + Sync)
    where
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
    {
        self.links.update_parts();
        let (visitor, pieces) = self.everything();
        let chunks = visitor.cells.chunk_count();
        pieces.share_out(chunks, false, &|piece| {
            visitor.down(piece, &mut |parent, me| f(parent, me));
        });
    }

    /// Calls `f` for every thing that `V` sees, every child before its parent, with the views `P`
    /// of its children, in order. Children that `P` does not see are left out.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Item { own: u32, total: u32 }
    /// let mut items = Pool::new();
    /// let [bag, purse, coin] = [5, 1, 2].map(|own| items.spawn(Item { own, total: 0 }));
    /// items.tree_mut().attach(purse, bag)?;
    /// items.tree_mut().attach(coin, purse)?;
    ///
    /// let mut tree = items.tree_mut();
    /// tree.sweep::<Ref<item::total>, (Mut<item::total>, Ref<item::own>)>().up(|children, (mut total, own)| {
    ///     *total = *own + children.map(|child| *child).sum::<u32>();
    /// });
    /// assert_eq!(items[bag].total, 8);
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn up(&mut self, mut f: impl for<'x> FnMut(ChildViews<'x, P>, V::Item<'x>)) {
        let (visitor, pieces) = self.everything();
        visitor.up(pieces.rows(), pieces.whole(), &mut f);
    }

    /// As [`up`](Self::up), on several threads, as [`par_down`](Self::par_down).
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Item { total: u32 }
    /// let mut items = Pool::new();
    /// let bag = items.spawn(Item::default());
    /// for _ in 0..10_000 { items.spawn_child(bag, Item::default()).unwrap(); }
    /// items.tree_mut().sweep::<Ref<item::total>, Mut<item::total>>().par_up(|children, mut total| {
    ///     *total = 1 + children.map(|child| *child).sum::<u32>();
    /// });
    /// assert_eq!(items[bag].total, 10_001);
    /// ```
    #[cfg(feature = "parallel")]
    pub fn par_up(&mut self, f: impl for<'x> Fn(ChildViews<'x, P>, V::Item<'x>) + Sync)
    where
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
    {
        self.links.update_parts();
        let (visitor, pieces) = self.everything();
        let rows = pieces.rows();
        let chunks = visitor.cells.chunk_count();
        pieces.share_out(chunks, true, &|piece| {
            visitor.up(rows, piece, &mut |children, me| f(children, me));
        });
    }

    /// As [`down`](Self::down), for the things that were [marked](crate::TreeMut::mark) since the
    /// last time and all that is below them, each once. Answers how many things were reached, seen
    /// or not. The marks are gone then, also if `f` panics.
    ///
    /// With nothing marked it costs nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Part { local: f32, world: f32 }
    /// let mut ship = Pool::new();
    /// let [hull, mast, flag] = [1.0, 2.0, 3.0].map(|local| ship.spawn(Part { local, world: 0.0 }));
    /// ship.tree_mut().attach(mast, hull)?;
    /// ship.tree_mut().attach(flag, mast)?;
    ///
    /// let mut update = |ship: &mut Pool<Part>| {
    ///     let mut tree = ship.tree_mut();
    ///     tree.sweep::<Ref<part::world>, (Mut<part::world>, Ref<part::local>)>().down_dirty(
    ///         |parent, (mut world, local)| *world = parent.map_or(0.0, |parent| *parent) + *local,
    ///     )
    /// };
    /// ship.tree_mut().mark(hull);
    /// ship.tree_mut().mark(flag); // is below the hull: comes once all the same
    /// assert_eq!(update(&mut ship), 3);
    /// ship.edit(mast, |mast| mast.local = 10.0);
    /// ship.tree_mut().mark(mast);
    /// assert_eq!(update(&mut ship), 2); // the mast and the flag
    /// assert_eq!(ship[flag].world, 14.0);
    /// assert_eq!(update(&mut ship), 0);
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn down_dirty(
        &mut self,
        mut f: impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) -> usize {
        self.with_marked(|visitor, mut below| visitor.below(&mut below, usize::MAX, &mut f))
    }

    /// As [`down_dirty`](Self::down_dirty), on several threads, as [`par_down`](Self::par_down).
    ///
    /// With fewer than some hundred things below those that are marked it stays on the caller's
    /// thread.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Part { depth: u32 }
    /// let mut ship = Pool::new();
    /// let hull = ship.spawn(Part::default());
    /// for _ in 0..10_000 { ship.spawn_child(hull, Part::default()).unwrap(); }
    /// let mut update = |ship: &mut Pool<Part>| {
    ///     ship.tree_mut().sweep::<Ref<part::depth>, Mut<part::depth>>().par_down_dirty(|parent, mut depth| {
    ///         *depth = parent.map_or(0, |parent| *parent + 1);
    ///     })
    /// };
    /// ship.tree_mut().mark(hull);
    /// assert_eq!(update(&mut ship), 10_001);
    /// assert_eq!(update(&mut ship), 0);
    /// assert_eq!(ship.iter().map(|(_, part)| part.depth).sum::<u32>(), 10_000);
    /// ```
    #[cfg(feature = "parallel")]
    pub fn par_down_dirty(
        &mut self,
        f: impl for<'x> Fn(Option<P::Item<'x>>, V::Item<'x>) + Sync,
    ) -> usize
    where
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
    {
        self.with_marked(|visitor, mut below| {
            below.share_out(SPLITS, &|below, most| {
                visitor.below(below, most, &mut |parent, me| f(parent, me))
            })
        })
    }

    /// All there is to visit, all of it marked as changed.
    fn everything(&mut self) -> (Visitor<'_, P, V>, Pieces<'_>) {
        self.links.update_order();
        self.visitor.cells.mark_seen::<V>();
        let pieces = Pieces::new(self.visitor.things, self.links);
        (self.visitor, pieces)
    }

    /// Calls `sweep` with what is below the topmost of the things that were marked, if there are
    /// any.
    fn with_marked(&mut self, sweep: impl FnOnce(Visitor<'_, P, V>, Below<'_>) -> usize) -> usize {
        self.links.use_marks(0).unwrap_or_else(|error| panic!("{error}"));
        if self.links.marks.is_empty() {
            return 0;
        }
        let (rows, marks) = self.links.split();
        let mut marks = Guard::new(marks, |marks| marks.clear());
        let below = Below::new(rows, marks.topmost(rows));
        let cells = self.visitor.cells;
        if cells.tracks_changes() {
            below.clone().go_on(usize::MAX, |step| cells.mark_fields(step.me, V::WRITES));
        }
        sweep(self.visitor, below)
    }
}

/// The right to change things, and to look at their relatives meanwhile.
///
/// Whoever has several threads at it gives each of them other things, and nobody a thing whose
/// relatives another thread is changing (R5).
struct Visitor<'a, P: View, V: View> {
    cells: &'a Cells<V::Thing>,
    relatives: Filter<'a>,
    things: Filter<'a>,
    views: PhantomData<fn(P, V)>,
}

impl<P: View, V: View> Clone for Visitor<'_, P, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: View, V: View> Copy for Visitor<'_, P, V> {}

// SAFETY: threads only ask where slots are and which are live, which reads atomics and computes
// addresses. What they do with the slots is up to the views: items are `Send`, and no thread gets
// one that another could write to (R5).
unsafe impl<P: View, V: View> Sync for Visitor<'_, P, V>
where
    for<'x> P::Item<'x>: Send,
    for<'x> V::Item<'x>: Send,
{
}

impl<P: View, V: View<Thing = P::Thing>> Visitor<'_, P, V> {
    /// How many steps ahead memory is asked for.
    const AHEAD: usize = 12;

    /// Visits a piece, parents first.
    // One loop for all steps, so that what `f` does is compiled once, and into it.
    #[inline(always)]
    fn down(
        self,
        Piece { mut roots, steps }: Piece<'_>,
        f: &mut impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) {
        let (mut some, mut steps) = (NO_STEPS, Some(steps));
        while let Some(steps) = roots.next_steps(&mut some).or_else(|| steps.take()) {
            for (n, &step) in steps.iter().enumerate() {
                if let Some(ahead) = steps.get(n + Self::AHEAD) {
                    self.cells.prefetch::<V>(ahead.me);
                }
                self.visit_down(step, f);
            }
        }
    }

    /// Visits a piece, children first.
    #[inline(always)]
    fn up(
        self,
        rows: &[Row],
        Piece { mut roots, steps }: Piece<'_>,
        f: &mut impl for<'x> FnMut(ChildViews<'x, P>, V::Item<'x>),
    ) {
        steps.iter().rev().for_each(|step| self.visit_up(rows, step.me, f));
        let mut some = NO_STEPS;
        while let Some(steps) = roots.next_steps(&mut some) {
            steps.iter().for_each(|step| self.visit_up(rows, step.me, f));
        }
    }

    /// Visits so many of the things below marked ones, if there are as many. Answers how many there
    /// were.
    #[inline(always)]
    fn below(
        self,
        below: &mut Below<'_>,
        most: usize,
        f: &mut impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) -> usize {
        below.go_on(most, |step| self.visit_down(step, f))
    }

    /// Calls `f` with a thing and its parent.
    #[inline(always)]
    fn visit_down(
        self,
        Step { me, parent }: Step,
        f: &mut impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) {
        // SAFETY:
        // - The fields are ours (by `Sweep::new`), and nobody else is at these things (R5).
        // - Both items live for the length of the call: `f` takes any lifetime, and can keep none.
        // - They are of different slots, and the parent's does not write (`Sweep::new` asserts it).
        unsafe {
            let relative =
                if parent == me { None } else { self.cells.view_at::<P>(&self.relatives, parent) };
            if let Some(me) = self.cells.view_at::<V>(&self.things, me) {
                f(relative, me);
            }
        }
    }

    /// Calls `f` with a thing and its children.
    #[inline(always)]
    fn visit_up(
        self,
        rows: &[Row],
        me: u32,
        f: &mut impl for<'x> FnMut(ChildViews<'x, P>, V::Item<'x>),
    ) {
        let children = Children::of(rows, rows.get(me as usize));
        let children = ChildViews { cells: self.cells, filter: self.relatives, children, me };
        // SAFETY: as in `visit_down`; `children` leave out this slot.
        if let Some(me) = unsafe { self.cells.view_at::<V>(&self.things, me) } {
            f(children, me);
        }
    }
}

/// The views of the children of a thing, first to last: what [`Sweep::up`] gives beside the thing.
///
/// # Examples
///
/// ```
/// use lath_core::{ChildViews, Mut, Pool, Ref, Thing};
/// # #[derive(Thing, Default)] struct Item { total: u32 }
/// fn heaviest(children: ChildViews<'_, Ref<'_, item::total>>) -> u32 {
///     children.map(|total| *total).max().unwrap_or(0)
/// }
/// let mut items = Pool::new();
/// let bag = items.spawn(Item::default());
/// for total in [3, 5] { items.spawn_child(bag, Item { total }).unwrap(); }
/// items.tree_mut().sweep::<Ref<item::total>, Mut<item::total>>().up(|children, mut total| {
///     *total += heaviest(children);
/// });
/// assert_eq!(items[bag].total, 5);
/// ```
pub struct ChildViews<'x, P: View> {
    cells: &'x Cells<P::Thing>,
    filter: Filter<'x>,
    children: Children<'x, P::Thing>,
    me: u32,
}

impl<'x, P: View> Iterator for ChildViews<'x, P> {
    type Item = P::Item<'x>;

    #[inline]
    fn next(&mut self) -> Option<P::Item<'x>> {
        loop {
            let child = self.children.next()?.index();
            if child == self.me {
                continue;
            }
            // SAFETY: of another slot than the one thing that is being changed, and the view does
            // not write (`Sweep::new` asserts it): nobody writes while the item lives, which is as
            // long as the call that got this.
            if let Some(view) = unsafe { self.cells.view_at::<P>(&self.filter, child) } {
                return Some(view);
            }
        }
    }
}
