#![expect(unsafe_code, reason = "hands out views of several things at once")]
//! Views of the things: in loops, as iterators, by handle.

use super::*;
use crate::each;
use crate::field::{Field, Fields};
use crate::tags::Filter;
use crate::view::{Slices, Used, View};

impl<T: Thing> Cells<T> {
    /// The live slots that a view sees.
    #[inline]
    pub(crate) fn filter<V: View<Thing = T>>(&self) -> Filter<'_> {
        Filter::new(&self.slots, self.tags.maps(), V::WITH, V::WITHOUT)
    }

    /// Calls `f` with the view of every thing that it sees.
    #[inline]
    pub(crate) fn each<'a, V: View<Thing = T>>(&'a mut self, f: impl FnMut(V::Item<'a>)) {
        self.mark_seen::<V>();
        let this = &*self;
        // SAFETY: slots that match are live (`Filter` asks) and hold values (C2, C1). The exclusive
        // borrow of the cells for `'a` keeps everyone else away, and the loop makes one item per
        // slot.
        unsafe { each::each::<V>(&this.values, this.filter::<V>(), each::ALL, f) }
    }

    /// Calls `f` with slices over every run of things that the view sees.
    #[inline]
    pub(crate) fn runs<'a, V: Slices<Thing = T>>(&'a mut self, f: impl FnMut(V::Slices<'a>)) {
        self.mark_seen::<V>();
        let this = &*self;
        assert_dense::<V>();
        // SAFETY: as in `each`; dense, as was asserted just now.
        unsafe { each::each_run::<V>(&this.values, this.filter::<V>(), each::ALL, f) }
    }

    /// The views of all things that it sees, one by one. The view must not write.
    #[inline]
    pub(crate) fn query<V: View<Thing = T>>(&self) -> QueryIter<'_, V> {
        const { assert!(V::WRITES == 0, "this view writes: use `query_mut`") };
        QueryIter::new(self)
    }

    /// The views of all things that it sees, one by one.
    #[inline]
    pub(crate) fn query_mut<V: View<Thing = T>>(&mut self) -> QueryIter<'_, V> {
        self.mark_seen::<V>();
        QueryIter::new(self)
    }

    /// The view of one thing, if it sees it. The view must not write.
    #[inline]
    pub(crate) fn view<V: View<Thing = T>>(&self, handle: Handle<T>) -> Option<V::Item<'_>> {
        const { assert!(V::WRITES == 0, "this view writes: use `view_mut`") };
        // SAFETY: nobody has exclusive access behind `&self`, and the view does not write.
        unsafe { self.view_of::<V>(handle) }
    }

    /// The view of one thing, if it sees it.
    #[inline]
    pub(crate) fn view_mut<V: View<Thing = T>>(
        &mut self,
        handle: Handle<T>,
    ) -> Option<V::Item<'_>> {
        if self.marks.is_some() && self.contains(handle) {
            self.mark_fields(handle.index(), V::WRITES);
        }
        // SAFETY: the exclusive borrow of the cells keeps everyone else away.
        unsafe { self.view_of::<V>(handle) }
    }

    /// The view of one thing, if it sees it.
    ///
    /// # Safety
    ///
    /// While the result lives, nobody writes to the fields in `V::READS`, and nobody else uses
    /// those in `V::WRITES`.
    #[inline(always)]
    pub(super) unsafe fn view_of<'v, V: View<Thing = T>>(
        &self,
        handle: Handle<T>,
    ) -> Option<V::Item<'v>> {
        let _checked = const { (V::READS, V::WRITES) };
        let place = self.find(handle)?;
        if V::WITH | V::WITHOUT != 0 {
            // SAFETY: the place is of this storage and holds a value (`find`).
            let tags = unsafe { self.values.tags(place) }.widen();
            if tags & V::WITH != V::WITH || tags & V::WITHOUT != 0 {
                return None;
            }
        }
        // SAFETY: the place is that of the index, and holds a value (`find`); a run has at least
        // its first row. The rest is up to the caller.
        Some(unsafe { V::at(V::base(&self.values, place, handle.index()), 0) })
    }

    /// The view of the thing in a slot, if there is a live one that a filter, which is that of the
    /// view, lets through.
    ///
    /// # Safety
    ///
    /// As [`view_of`](Self::view_of).
    #[inline(always)]
    pub(crate) unsafe fn view_at<'v, V: View<Thing = T>>(
        &'v self,
        filter: &Filter<'_>,
        index: u32,
    ) -> Option<V::Item<'v>> {
        let place = self.values.find(index);
        let place = place.filter(|_| filter.known(V::WITH, V::WITHOUT).sees(index))?;
        // SAFETY: the place is that of the index. Its slot is live (`Filter` asks), so it has memory
        // and holds a value (C2, C1); a run has at least its first row. The rest is up to the
        // caller.
        Some(unsafe { V::at(V::base(&self.values, place, index), 0) })
    }

    /// Tells the processor that a view will be asked of a slot.
    #[inline(always)]
    pub(crate) fn prefetch<V: View<Thing = T>>(&self, index: u32) {
        if let Some(place) = self.values.find(index) {
            T::Storage::prefetch::<Used<V>>(place);
        }
    }
}

impl<T: Fields> Cells<T> {
    /// Replaces one field of the thing that `handle` names. Gives the value back if there is none.
    pub(crate) fn set<F: Field<Thing = T>>(
        &mut self,
        handle: Handle<T>,
        value: F::Value,
    ) -> Result<(), F::Value> {
        const {
            assert!(
                !matches!(T::TAGS_FIELD, Some(tags) if tags == F::INDEX),
                "tags are changed by `set_tags`, `insert_tags` and `remove_tags`"
            );
        }
        if self.contains(handle) {
            self.mark_fields(handle.index(), 1 << F::INDEX);
        }
        match self.find(handle) {
            // SAFETY: the place is of this storage and holds a value, which nobody else uses
            // (`&mut self`).
            Some(place) => unsafe { self.values.set_field::<F>(place, value) },
            None => return Err(value),
        }
        Ok(())
    }
}

/// Slices need columns.
pub(super) fn assert_dense<V: Slices>() {
    assert!(
        V::dense(),
        "a field of this view does not lie densely: slices need `#[thing(columns)]`, and fields that are not `hot`"
    );
}

/// The views of a pool's things, one by one, in slot order: [`Pool::query`](crate::Pool::query).
pub struct QueryIter<'a, V: View> {
    cells: &'a Cells<V::Thing>,
    filter: Filter<'a>,
    /// The next group to look at.
    group: u32,
    /// The slots of the present group that are still to come.
    bits: u64,
    base: Option<V::Base>,
}

impl<'a, V: View> QueryIter<'a, V> {
    #[inline]
    pub(super) fn new(cells: &'a Cells<V::Thing>) -> Self {
        let _checked = const { (V::READS, V::WRITES) };
        Self { cells, filter: cells.filter::<V>(), group: 0, bits: 0, base: None }
    }

    /// The next slot that matches, where its run begins, and its row in the run.
    #[inline]
    pub(super) fn next_row(&mut self) -> Option<(u32, V::Base, usize)> {
        while self.bits == 0 {
            let number = self.filter.next(self.group)?;
            self.group = number + 1;
            self.bits = self.filter.word(number);
            let place = self.cells.values.place(number * GROUP)?;
            // SAFETY: the place is that of the index.
            self.base = Some(unsafe { V::base(&self.cells.values, place, number * GROUP) });
        }
        let row = self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(((self.group - 1) * GROUP + row, self.base?, row as usize))
    }

    /// How many things are still to come.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let actors: Pool<Actor> = [3.0, 4.0].map(|hp| Actor { hp }).into_iter().collect();
    /// assert_eq!(actors.query::<Ref<actor::hp>>().count_left(), 2);
    /// ```
    pub fn count_left(&self) -> usize {
        let mut left = self.bits.count_ones() as usize;
        let mut from = self.group;
        while let Some(number) = self.filter.next(from) {
            left += self.filter.word(number).count_ones() as usize;
            from = number + 1;
        }
        left
    }
}

impl<'a, V: View> Iterator for QueryIter<'a, V> {
    type Item = V::Item<'a>;

    #[inline]
    fn next(&mut self) -> Option<V::Item<'a>> {
        let (_, base, row) = self.next_row()?;
        // SAFETY: the row is within the group, which lies within its run, and its slot matches, so
        // it is live and holds a value. Not aliased: `query` has borrowed the cells for `'a` and
        // refuses views that write; `query_mut` has borrowed them exclusively, or `Views` the
        // fields; and every slot comes once.
        Some(unsafe { V::at(base, row) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.cells.slots.live() as usize))
    }
}
