#![expect(
    unsafe_code,
    reason = "hands out views of things whose other fields somebody else may be using"
)]
//! The things of a pool through one view, while others use other fields of the same things: what a
//! scheduler gives to systems that run at the same time.

use core::marker::PhantomData;

use super::view::assert_dense;
use super::*;
use crate::each;
use crate::view::{Slices, View};

/// Groups of slots in a chunk: 4096 slots.
const CHUNK: u32 = 64;

/// The things of a pool as one view shows them: [`Pool::views`](crate::Pool::views).
pub struct Views<'a, V: View> {
    cells: &'a Cells<V::Thing>,
    /// Not the view itself: whether this may be sent elsewhere follows from the cells.
    view: PhantomData<fn() -> V>,
}

impl<'a, V: View> Views<'a, V> {
    /// # Safety
    ///
    /// For as long as `'a`: no slot changes its state but from free to claimed, nobody writes to
    /// the fields in `V::READS`, and nobody else uses those in `V::WRITES`.
    #[inline(always)]
    pub(crate) unsafe fn new(cells: &'a Cells<V::Thing>) -> Self {
        let _checked = const { (V::READS, V::WRITES) };
        Self { cells, view: PhantomData }
    }

    /// All views, one by one. The view must not write.
    #[inline]
    pub fn iter(&self) -> QueryIter<'_, V> {
        const {
            assert!(
                V::WRITES == 0,
                "this view writes: iterate over `&mut` of it, or use `iter_mut`"
            )
        };
        QueryIter::new(self.cells)
    }

    /// All views, one by one.
    #[inline]
    pub fn iter_mut(&mut self) -> QueryIter<'_, V> {
        self.cells.mark_seen_shared::<V>();
        QueryIter::new(self.cells)
    }

    /// The view of one thing, if it sees it. The view must not write.
    #[inline]
    pub fn get(&self, handle: Handle<V::Thing>) -> Option<V::Item<'_>> {
        const { assert!(V::WRITES == 0, "this view writes: use `get_mut`") };
        // SAFETY: nobody writes to the fields (by `new`), and the view does not.
        unsafe { self.cells.view_of::<V>(handle) }
    }

    /// The views of many things, in the order of their handles. The view must not write.
    #[inline]
    pub fn get_many<'h>(&self, handles: &'h [Handle<V::Thing>]) -> ViewMany<'_, 'h, V> {
        const { assert!(V::WRITES == 0, "this view writes, and a thing may come twice: use `get_mut`") };
        // SAFETY: nobody writes to the fields (by `new`), and the view does not.
        unsafe { ViewMany::new(self.cells, handles) }
    }

    /// The view of one thing, if it sees it.
    #[inline]
    pub fn get_mut(&mut self, handle: Handle<V::Thing>) -> Option<V::Item<'_>> {
        if self.cells.marks.is_some() && self.cells.contains(handle) {
            self.cells.mark_fields_shared(handle.index(), V::WRITES);
        }
        // SAFETY: nobody else uses the fields (by `new`), and this is borrowed exclusively for as
        // long as the item lives.
        unsafe { self.cells.view_of::<V>(handle) }
    }

    /// Whether there is such a thing and the view sees it.
    #[inline]
    pub fn contains(&self, handle: Handle<V::Thing>) -> bool {
        let Some(place) = self.cells.find(handle) else { return false };
        // SAFETY: the place is of this storage and holds a value (`find`). Tags change with
        // exclusive access to the pool only.
        let tags = unsafe { self.cells.values.tags(place) }.widen();
        tags & V::WITH == V::WITH && tags & V::WITHOUT == 0
    }

    /// How many things the view sees.
    pub fn count(&self) -> usize {
        QueryIter::<V>::new(self.cells).count_left()
    }

    /// Calls `f` with every view, in slot order.
    #[inline]
    pub fn each<'x>(&'x mut self, f: impl FnMut(V::Item<'x>)) {
        self.cells.mark_seen_shared::<V>();
        let cells = self.cells;
        // SAFETY: slots that match are live and hold values (C2, C1), and stay so (by `new`).
        // Nobody else uses the fields (by `new`), this is borrowed exclusively for `'x`, and the
        // loop makes one item per slot.
        unsafe { each::each::<V>(&cells.values, cells.filter::<V>(), each::ALL, f) }
    }

    /// Calls `f` with slices over every run of things that the view sees.
    ///
    /// # Panics
    ///
    /// If a field does not lie densely.
    #[inline]
    pub fn runs<'x>(&'x mut self, f: impl FnMut(V::Slices<'x>))
    where
        V: Slices,
    {
        assert_dense::<V>();
        self.cells.mark_seen_shared::<V>();
        let cells = self.cells;
        // SAFETY: as in `each`; dense, as was asserted just now.
        unsafe { each::each_run::<V>(&cells.values, cells.filter::<V>(), each::ALL, f) }
    }

    /// Into how many chunks of 4096 slots the things can be divided. Marks all of them as changed,
    /// if the view writes.
    pub fn chunks(&mut self) -> u32 {
        self.cells.mark_seen_shared::<V>();
        self.cells.slots.worn_end().div_ceil(CHUNK)
    }

    /// Calls `f` with every view of one chunk, in slot order.
    ///
    /// # Safety
    ///
    /// For as long as any of the items lives nobody else asks for the same chunk, or for anything
    /// else of these views.
    #[inline]
    pub unsafe fn each_in_chunk<'x>(&'x self, chunk: u32, f: impl FnMut(V::Item<'x>)) {
        let groups = chunk * CHUNK..(chunk + 1).saturating_mul(CHUNK);
        // SAFETY: as in `each`; that this is used by nobody else is up to the caller.
        unsafe { each::each::<V>(&self.cells.values, self.cells.filter::<V>(), groups, f) }
    }

    /// Calls `f` with slices over every run of one chunk.
    ///
    /// # Panics
    ///
    /// If a field does not lie densely.
    ///
    /// # Safety
    ///
    /// As [`each_in_chunk`](Self::each_in_chunk).
    #[inline]
    pub unsafe fn runs_in_chunk<'x>(&'x self, chunk: u32, f: impl FnMut(V::Slices<'x>))
    where
        V: Slices,
    {
        assert_dense::<V>();
        let groups = chunk * CHUNK..(chunk + 1).saturating_mul(CHUNK);
        // SAFETY: as in `each_in_chunk`; dense, as was asserted just now.
        unsafe { each::each_run::<V>(&self.cells.values, self.cells.filter::<V>(), groups, f) }
    }

    /// Calls `f` with every view, beside a look at the same fields of all the other things.
    #[inline]
    pub fn each_with_rest(&mut self, mut f: impl for<'x> FnMut(V::Item<'x>, &OtherViews<'_, V>)) {
        self.cells.mark_seen_shared::<V>();
        each_beside::<V>(self.cells, |me, index| {
            let others = OtherViews { cells: self.cells, me: index, view: PhantomData };
            f(me, &others);
        });
    }
}

impl<T: Thing> Cells<T> {
    /// A look through a view that does not write.
    #[inline(always)]
    pub(crate) fn look<V: View<Thing = T>>(&self) -> Views<'_, V> {
        const { assert!(V::WRITES == 0, "this view writes: use `query_mut`, `each` or `view_mut`") };
        // SAFETY: behind a shared reference slots only go from free to claimed (S3), nobody writes
        // to a field, and the view does not.
        unsafe { Views::new(self) }
    }

    /// Calls `f` with every view, beside a look at all the other things.
    #[inline]
    pub(crate) fn each_view_with_rest<V: View<Thing = T>>(
        &mut self,
        mut f: impl for<'x> FnMut(V::Item<'x>, &Rest<'_, T>),
    ) {
        self.mark_seen::<V>();
        let this = &*self;
        each_beside::<V>(this, |me, index| f(me, &Rest { cells: this, me: index }));
    }
}

/// Calls `f` with every view and its slot. The fields are the caller's, but for looks at those of
/// other slots.
#[inline]
fn each_beside<V: View>(cells: &Cells<V::Thing>, mut f: impl for<'x> FnMut(V::Item<'x>, u32)) {
    let mut slots = QueryIter::<V>::new(cells);
    while let Some((index, base, row)) = slots.next_row() {
        // SAFETY: the row is within its run, and its slot is live and holds a value. Not aliased:
        // whoever looks at other things leaves this slot out; nothing of an earlier round is left,
        // since the closure takes any lifetime.
        f(unsafe { V::at(base, row) }, index);
    }
}

/// All things but one, as a query sees them: what `each_with_rest` of a query gives beside the one
/// that is being changed.
pub struct OtherViews<'a, V: View> {
    cells: &'a Cells<V::Thing>,
    me: u32,
    view: PhantomData<fn() -> V>,
}

impl<V: View> OtherViews<'_, V> {
    /// Looks at fields of another thing; `None` if the handle is stale or names the one that is
    /// being changed, or if `R` does not see it. `R` must not write, and may use only fields that
    /// the query uses.
    #[inline]
    pub fn get<R: View<Thing = V::Thing>>(&self, handle: Handle<V::Thing>) -> Option<R::Item<'_>> {
        const {
            assert!(R::WRITES == 0, "the other things can only be looked at: this view writes");
            assert!(
                R::READS & !(V::READS | V::WRITES) == 0,
                "this view reads a field that the query does not use: add the field to the query"
            );
        }
        if handle.index() == self.me {
            return None;
        }
        // SAFETY: nobody else writes to these fields, which are among those of `V` (by
        // `Views::new`); the one thing whose fields are being changed is in another slot.
        unsafe { self.cells.view_of::<R>(handle) }
    }
}
