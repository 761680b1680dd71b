//! Sweeps over a whole tree: parents before children, or the other way round.
//!
//! What is unsafe about it is in `cells/cascade.rs`.

use super::links::{Links, Row};
use super::marks::Marks;
use super::{TreeMut, walk};
use crate::cells::{Relatives, Sweep};
use crate::thing::Thing;
use crate::view::View;

impl<T: Thing> TreeMut<'_, T> {
    /// Calls `f` for every live thing that the view `V` sees, every parent before its children,
    /// with the view `P` of its parent: `None` if it has no parent, or `P` does not see that.
    ///
    /// Things that are not linked are things without a parent: they come too. The order is worked
    /// out once and kept until links change; among those that may come next, lower slots come
    /// first.
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
    /// ship.tree_mut().cascade::<Ref<part::world>, (Mut<part::world>, Ref<part::local>)>(|parent, (mut world, local)| {
    ///     *world = parent.map_or(0.0, |parent| *parent) + *local;
    /// });
    /// assert_eq!([hull, mast, flag, lone].map(|part| ship[part].world), [1.0, 3.0, 6.0, 4.0]);
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn cascade<P, V>(&mut self, f: impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>))
    where
        P: View<Thing = T>,
        V: View<Thing = T>,
    {
        self.cascading::<P, V>().cascade(f);
    }

    /// As [`cascade`](Self::cascade), on several threads (as
    /// [`Pool::par_each`](crate::Pool::par_each)): subtrees are shared out among them, also those
    /// of one big root. What comes out does not depend on the number of threads.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Part { depth: u32 }
    /// let mut ship = Pool::new();
    /// let hull = ship.spawn(Part::default());
    /// for _ in 0..10_000 { ship.spawn_child(hull, Part::default()).unwrap(); }
    /// ship.tree_mut().par_cascade::<Ref<part::depth>, Mut<part::depth>>(|parent, mut depth| {
    ///     *depth = parent.map_or(0, |parent| *parent + 1);
    /// });
    /// assert_eq!(ship.iter().map(|(_, part)| part.depth).sum::<u32>(), 10_000);
    /// ```
    #[cfg(feature = "parallel")]
    pub fn par_cascade<P, V>(&mut self, f: impl for<'x> Fn(Option<P::Item<'x>>, V::Item<'x>) + Sync)
    where
        P: View<Thing = T>,
        V: View<Thing = T>,
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
    {
        self.cascading::<P, V>().par_cascade(f);
    }

    /// Calls `f` for every live thing that the view `V` sees, every child before its parent, with
    /// the views `P` of its children, in order. Children that `P` does not see are left out.
    ///
    /// Things that are not linked are things without children: they come too.
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
    /// items.tree_mut().gather::<Ref<item::total>, (Mut<item::total>, Ref<item::own>)>(|children, (mut total, own)| {
    ///     *total = *own + children.map(|child| *child).sum::<u32>();
    /// });
    /// assert_eq!(items[bag].total, 8);
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn gather<P, V>(&mut self, f: impl for<'x> FnMut(Relatives<'x, P>, V::Item<'x>))
    where
        P: View<Thing = T>,
        V: View<Thing = T>,
    {
        self.cascading::<P, V>().gather(f);
    }

    /// As [`gather`](Self::gather), on several threads (as
    /// [`Pool::par_each`](crate::Pool::par_each)): subtrees are shared out among them, also those
    /// of one big root. What comes out does not depend on the number of threads.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Item { total: u32 }
    /// let mut items = Pool::new();
    /// let bag = items.spawn(Item::default());
    /// for _ in 0..10_000 { items.spawn_child(bag, Item::default()).unwrap(); }
    /// items.tree_mut().par_gather::<Ref<item::total>, Mut<item::total>>(|children, mut total| {
    ///     *total = 1 + children.map(|child| *child).sum::<u32>();
    /// });
    /// assert_eq!(items[bag].total, 10_001);
    /// ```
    #[cfg(feature = "parallel")]
    pub fn par_gather<P, V>(&mut self, f: impl for<'x> Fn(Relatives<'x, P>, V::Item<'x>) + Sync)
    where
        P: View<Thing = T>,
        V: View<Thing = T>,
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
    {
        self.cascading::<P, V>().par_gather(f);
    }

    /// As [`cascade`](Self::cascade), for the things that were marked since the last time and all
    /// that is below them, each once. Answers how many things were reached, seen or not. The marks
    /// are gone then, also if `f` panics.
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
    ///     ship.tree_mut().cascade_dirty::<Ref<part::world>, (Mut<part::world>, Ref<part::local>)>(
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
    pub fn cascade_dirty<P, V>(
        &mut self,
        f: impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) -> usize
    where
        P: View<Thing = T>,
        V: View<Thing = T>,
    {
        self.cascading::<P, V>().cascade_dirty(f)
    }

    /// As [`cascade_dirty`](Self::cascade_dirty), on several threads (as
    /// [`Pool::par_each`](crate::Pool::par_each)): subtrees are shared out among them, also where
    /// all is below one marked thing. What comes out does not depend on the number of threads.
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
    ///     ship.tree_mut().par_cascade_dirty::<Ref<part::depth>, Mut<part::depth>>(|parent, mut depth| {
    ///         *depth = parent.map_or(0, |parent| *parent + 1);
    ///     })
    /// };
    /// ship.tree_mut().mark(hull);
    /// assert_eq!(update(&mut ship), 10_001);
    /// assert_eq!(update(&mut ship), 0);
    /// assert_eq!(ship.iter().map(|(_, part)| part.depth).sum::<u32>(), 10_000);
    /// ```
    #[cfg(feature = "parallel")]
    pub fn par_cascade_dirty<P, V>(
        &mut self,
        f: impl for<'x> Fn(Option<P::Item<'x>>, V::Item<'x>) + Sync,
    ) -> usize
    where
        P: View<Thing = T>,
        V: View<Thing = T>,
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
    {
        self.cascading::<P, V>().par_cascade_dirty(f)
    }

    fn cascading<P: View<Thing = T>, V: View<Thing = T>>(&mut self) -> Cascade<'_, P, V> {
        Cascade { sweep: self.cells.sweep(), links: self.links }
    }
}

/// The right to sweep along the links of one relation: things are changed through the view `V`,
/// beside a look at their parent or their children through `P`.
/// [`Pool::cascading`](crate::Pool::cascading); [`TreeMut`] has the same sweeps for whoever has the
/// whole pool.
pub struct Cascade<'a, P: View, V: View> {
    pub(crate) sweep: Sweep<'a, P, V>,
    pub(crate) links: &'a mut Links,
}

impl<P: View, V: View<Thing = P::Thing>> Cascade<'_, P, V> {
    /// As [`TreeMut::cascade`].
    pub fn cascade(&mut self, f: impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>)) {
        self.links.update_order();
        self.sweep.cascade(&self.links.order, f);
    }

    /// As [`TreeMut::par_cascade`].
    #[cfg(feature = "parallel")]
    pub fn par_cascade(&mut self, f: impl for<'x> Fn(Option<P::Item<'x>>, V::Item<'x>) + Sync)
    where
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
    {
        self.links.update_order();
        self.links.update_parts();
        self.sweep.par_cascade(self.links.order.below(), &self.links.parts, f);
    }

    /// As [`TreeMut::gather`].
    pub fn gather(&mut self, f: impl for<'x> FnMut(Relatives<'x, P>, V::Item<'x>)) {
        self.links.update_order();
        self.sweep.gather(self.links.rows(), &self.links.order, f);
    }

    /// As [`TreeMut::par_gather`].
    #[cfg(feature = "parallel")]
    pub fn par_gather(&mut self, f: impl for<'x> Fn(Relatives<'x, P>, V::Item<'x>) + Sync)
    where
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
    {
        self.links.update_order();
        self.links.update_parts();
        self.sweep.par_gather(self.links.rows(), self.links.order.below(), &self.links.parts, f);
    }

    /// As [`TreeMut::cascade_dirty`].
    pub fn cascade_dirty(
        &mut self,
        f: impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>),
    ) -> usize {
        self.sweep_dirty(|sweep, rows, tops| sweep.cascade_below(rows, tops, f))
    }

    /// As [`TreeMut::par_cascade_dirty`].
    #[cfg(feature = "parallel")]
    pub fn par_cascade_dirty(
        &mut self,
        f: impl for<'x> Fn(Option<P::Item<'x>>, V::Item<'x>) + Sync,
    ) -> usize
    where
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
    {
        self.sweep_dirty(|sweep, rows, tops| sweep.par_cascade_below(rows, tops, f))
    }

    /// Calls `sweep` with the topmost of the things that were marked, if there are any. The marks
    /// are gone then.
    fn sweep_dirty(
        &mut self,
        sweep: impl FnOnce(&mut Sweep<'_, P, V>, &[Row], &[(u32, u32)]) -> usize,
    ) -> usize {
        /// Forgets the marks, also when `sweep` has unwound.
        struct Swept<'a>(&'a mut Marks);
        impl Drop for Swept<'_> {
            fn drop(&mut self) {
                self.0.clear();
            }
        }

        self.links.marks.in_use = true;
        if self.links.marks.is_empty() {
            return 0;
        }
        let (rows, marks) = self.links.split();
        let swept = Swept(marks);
        let is_linked =
            |index: u32, stamp| rows.get(index as usize).is_some_and(|row| row.stamp == stamp);
        swept.0.keep_topmost(rows, |index, stamp| {
            is_linked(index, stamp) || self.sweep.stamp(index) == Some(stamp)
        });
        sweep(&mut self.sweep, rows, swept.0.list())
    }
}

/// The slots of the children of a thing, first to last.
#[derive(Clone, Copy)]
pub(crate) struct Kids<'a> {
    rows: &'a [Row],
    next: u32,
}

impl<'a> Kids<'a> {
    #[inline]
    pub(crate) fn of(rows: &'a [Row], parent: u32) -> Self {
        Self { rows, next: rows.get(parent as usize).map_or(0, |row| row.first) }
    }

    /// All slots below a thing, and its own, every parent first.
    pub(crate) fn subtree(rows: &'a [Row], root: u32) -> impl Iterator<Item = u32> {
        core::iter::successors(Some(root), move |&at| walk::after(rows, root, at))
    }
}

impl Iterator for Kids<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let at = self.next;
        self.next = self.rows.get(at as usize).filter(|_| at != 0)?.next;
        Some(at)
    }
}
