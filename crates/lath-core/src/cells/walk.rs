#![expect(unsafe_code, reason = "hands out every live thing once, some of them exclusively")]
//! Walking the live things in slot order.

use alloc::vec::{self, Vec};
use core::iter::FusedIterator;

use super::*;
use crate::tags::Filter;
use crate::view::View;

impl<T: Thing> Cells<T> {
    /// Every live thing in turn, exclusively, beside a look at all the others.
    #[inline]
    pub(crate) fn each_with_rest(
        &mut self,
        mut f: impl FnMut(Handle<T>, ThingMut<'_, T>, &Others<'_, T>),
    ) {
        self.mark_all();
        let this = &*self;
        let mut walk = Walk::all(this);
        while let Some((handle, place)) = walk.next() {
            // SAFETY: the walk reached the place, so it is of this storage and holds a value. Not
            // aliased: `Others` refuses this slot, nothing of an earlier round is left (the closure
            // takes any lifetime, so it can keep neither thing nor others), and `&mut self` keeps
            // everyone else away.
            f(handle, unsafe { this.values.get_mut(place) }, &Others::new(this, handle.index()));
        }
    }

    /// The first slot at `from` or later that is live.
    pub(crate) fn next_live(&self, from: u32) -> Option<u32> {
        let mut number = from / GROUP;
        let mut mask = u64::MAX << (from % GROUP);
        loop {
            let (found, live) = self.slots.next_live(number)?;
            let live = if found == number { live & mask } else { live };
            if live != 0 {
                return Some(found * GROUP + live.trailing_zeros());
            }
            (number, mask) = (found + 1, u64::MAX);
        }
    }

    /// All staged things, in the order of their slots, and where they are.
    fn all_staged(&self) -> Vec<(Handle<T>, Place<T>)> {
        let mut staged = self.newly_staged();
        let mut from = 0;
        while let Some((number, claimed)) = self.slots.next_claimed(from) {
            from = number + 1;
            staged.extend(ones(claimed).filter_map(|bit| {
                let index = number * GROUP + bit;
                // Staged slots have an odd stamp; reserved ones are passed over.
                let stamp = self.main_stamp(index).filter(|&stamp| is_live(stamp))?;
                Some((Handle::from_parts(index, stamp), self.values.place(index)?))
            }));
        }
        staged.sort_unstable_by_key(|(handle, _)| handle.index());
        staged
    }
}

/// A walk over the live slots that a filter lets through, in slot order, each once.
struct Walk<'a, T: Thing> {
    cells: &'a Cells<T>,
    filter: Filter<'a>,
    /// The next group to look at.
    group: u32,
    /// The slots of the present group that are still to come.
    bits: u64,
    /// The first slot of the present group; that of the nil thing before the first one.
    first: Place<T>,
    /// At least and at most so many slots are to come in later groups.
    left: (usize, usize),
}

impl<'a, T: Thing> Walk<'a, T> {
    #[inline]
    fn new(cells: &'a Cells<T>, filter: Filter<'a>) -> Self {
        let first = cells.first_place(0);
        Self { cells, filter, group: 0, bits: 0, first, left: filter.bounds() }
    }

    /// All live slots.
    #[inline]
    fn all(cells: &'a Cells<T>) -> Self {
        Self::new(cells, Filter::new(&cells.slots, cells.tags.maps(), 0, 0))
    }

    /// Goes on to the next group that has something; false at the end. The tags that the filter was
    /// made for are constants, so that walks which ask for none have no code for them: these are
    /// small enough then to become part of the caller's loop, and take half as long.
    #[inline(always)]
    fn advance(&mut self, with: u64, without: u64) -> bool {
        let filter = self.filter.known(with, without);
        while let Some(number) = filter.next(self.group) {
            self.group = number + 1;
            self.bits = filter.word(number);
            if self.bits != 0 {
                let count = self.bits.count_ones() as usize;
                self.left.0 = self.left.0.saturating_sub(count);
                self.left.1 = self.left.1.saturating_sub(count);
                self.first = self.cells.first_place(number);
                return true;
            }
        }
        false
    }

    /// The next slot: the handle of what is there, and its place, which holds a value.
    #[inline]
    fn next(&mut self) -> Option<(Handle<T>, Place<T>)> {
        if self.bits == 0 && !self.advance(0, 0) {
            return None;
        }
        let bit = self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        // SAFETY: the slot is one of the present group that are to come.
        Some(unsafe { self.at(bit) })
    }

    /// The handle of what is in a slot, and its place.
    ///
    /// # Safety
    ///
    /// The slot is the `bit`th of the present group, and lives.
    #[inline(always)]
    unsafe fn at(&self, bit: u32) -> (Handle<T>, Place<T>) {
        // SAFETY: both places are of this storage and in one group. Stamps of values do not change
        // while the walk borrows the cells (C3).
        let (place, stamp) = unsafe {
            let place = T::Storage::step(self.first, bit);
            (place, T::Storage::stamp(place).read())
        };
        (Handle::from_parts((self.group - 1) * GROUP + bit, stamp), place)
    }

    /// Folds all slots that are left. Full groups take a straight loop, which compilers unroll and
    /// vectorise.
    #[inline]
    fn fold<B>(mut self, mut so_far: B, mut f: impl FnMut(B, (Handle<T>, Place<T>)) -> B) -> B {
        loop {
            // SAFETY: the slots are those of the present group that are to come.
            let mut step = |so_far: B, bit: u32| f(so_far, unsafe { self.at(bit) });
            if self.bits == u64::MAX {
                for bit in 0..GROUP {
                    so_far = step(so_far, bit);
                }
            } else {
                let mut bits = self.bits;
                while bits != 0 {
                    so_far = step(so_far, bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
            if !self.advance(0, 0) {
                return so_far;
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let here = self.bits.count_ones() as usize;
        (self.left.0 + here, Some(self.left.1 + here))
    }
}

// By hand, as those below: a derive would ask for `T: Clone`.
impl<T: Thing> Clone for Walk<'_, T> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

/// The live things of a pool and their handles, in slot order: [`Pool::iter`](crate::Pool::iter).
pub struct Iter<'a, T: Thing> {
    walk: Walk<'a, T>,
    /// Staged things that are still to come, if they are asked for, in the order of their slots.
    staged: vec::IntoIter<(Handle<T>, Place<T>)>,
}

impl<'a, T: Thing> Iter<'a, T> {
    /// The live things, and the staged ones too if asked.
    #[inline]
    pub(crate) fn new(cells: &'a Cells<T>, staged: bool) -> Self {
        let staged = if staged { cells.all_staged() } else { Vec::new() };
        Self { walk: Walk::all(cells), staged: staged.into_iter() }
    }

    /// The next one, and its place.
    #[inline]
    fn next_place(&mut self) -> Option<(Handle<T>, Place<T>)> {
        if let Some((staged, _)) = self.staged.as_slice().first() {
            let is_over = self.walk.bits == 0 && !self.walk.advance(0, 0);
            let next = || (self.walk.group - 1) * GROUP + self.walk.bits.trailing_zeros();
            if is_over || staged.index() < next() {
                return self.staged.next();
            }
        }
        self.walk.next()
    }
}

impl<'a, T: Thing> Iterator for Iter<'a, T> {
    type Item = (Handle<T>, ThingRef<'a, T>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (handle, place) = self.next_place()?;
        // SAFETY: the walk reached the place, or it is that of a staged thing (N2), so it is of
        // this storage or the nursery's and holds a value. Not aliased: the walk borrows the cells
        // for `'a`, so nobody gets exclusive access (C3).
        Some((handle, unsafe { self.walk.cells.values.get(place) }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (least, most) = self.walk.size_hint();
        (least + self.staged.len(), most.map(|most| most + self.staged.len()))
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, mut so_far: B, mut f: F) -> B {
        while !self.staged.as_slice().is_empty() {
            let Some(item) = self.next() else { return so_far };
            so_far = f(so_far, item);
        }
        let values = &self.walk.cells.values;
        self.walk.fold(so_far, |so_far, (handle, place)| {
            // SAFETY: as in `next`.
            f(so_far, (handle, unsafe { values.get(place) }))
        })
    }
}

impl<T: Thing> ExactSizeIterator for Iter<'_, T> {}

impl<T: Thing> FusedIterator for Iter<'_, T> {}

impl<T: Thing> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Self { walk: self.walk.clone(), staged: self.staged.clone() }
    }
}

/// The live things of a pool, to be changed, and their handles:
/// [`Pool::iter_mut`](crate::Pool::iter_mut).
pub struct IterMut<'a, T: Thing> {
    walk: Walk<'a, T>,
}

impl<'a, T: Thing> IterMut<'a, T> {
    #[inline]
    pub(crate) fn new(cells: &'a mut Cells<T>) -> Self {
        cells.mark_all();
        Self { walk: Walk::all(cells) }
    }
}

impl<'a, T: Thing> Iterator for IterMut<'a, T> {
    type Item = (Handle<T>, ThingMut<'a, T>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (handle, place) = self.walk.next()?;
        // SAFETY: the walk reached the place, so it is of this storage and holds a value. Not
        // aliased: `new` has borrowed the cells exclusively for `'a`, and a walk reaches every slot
        // once.
        Some((handle, unsafe { self.walk.cells.values.get_mut(place) }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.walk.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let values = &self.walk.cells.values;
        self.walk.fold(init, |so_far, (handle, place)| {
            // SAFETY: as in `next`.
            f(so_far, (handle, unsafe { values.get_mut(place) }))
        })
    }
}

impl<T: Thing> ExactSizeIterator for IterMut<'_, T> {}

impl<T: Thing> FusedIterator for IterMut<'_, T> {}

/// The views of a pool's things, one by one, in slot order: [`Views::iter`](crate::Views::iter).
pub struct ViewIter<'a, V: View> {
    walk: Walk<'a, V::Thing>,
    /// Where the fields of the present group begin.
    base: V::Base,
}

impl<'a, V: View> ViewIter<'a, V> {
    #[inline]
    pub(super) fn new(cells: &'a Cells<V::Thing>) -> Self {
        let _checked = const { (V::READS, V::WRITES) };
        let walk = Walk::new(cells, cells.filter::<V>());
        let base = Self::base(cells, walk.first, 0);
        Self { walk, base }
    }

    /// Where the fields begin in the group of slot `index`, which is at `first`.
    #[inline(always)]
    fn base(cells: &Cells<V::Thing>, first: Place<V::Thing>, index: u32) -> V::Base {
        // SAFETY: the place is that of the index (by the callers, both of them here).
        unsafe { V::base(&cells.values, first, index) }
    }

    /// The next slot that matches, where its group begins, and its row in the group.
    #[inline]
    pub(super) fn next_row(&mut self) -> Option<(u32, V::Base, usize)> {
        let walk = &mut self.walk;
        if walk.bits == 0 {
            if !walk.advance(V::WITH, V::WITHOUT) {
                return None;
            }
            self.base = Self::base(walk.cells, walk.first, (walk.group - 1) * GROUP);
        }
        let row = walk.bits.trailing_zeros();
        walk.bits &= walk.bits - 1;
        Some(((walk.group - 1) * GROUP + row, self.base, row as usize))
    }
}

impl<'a, V: View> Iterator for ViewIter<'a, V> {
    type Item = V::Item<'a>;

    #[inline]
    fn next(&mut self) -> Option<V::Item<'a>> {
        let (_, base, row) = self.next_row()?;
        // SAFETY: the row is within the group, which lies within its run, and its slot matches, so
        // it is live and holds a value. Not aliased: `Views`, which makes this, has the fields for
        // `'a`, and is borrowed or used up for as long if the view writes; and every slot comes
        // once.
        Some(unsafe { V::at(base, row) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.walk.size_hint()
    }
}

impl<V: View> FusedIterator for ViewIter<'_, V> {}

/// For views that do not write.
impl<V: View> Clone for ViewIter<'_, V> {
    fn clone(&self) -> Self {
        const { assert!(V::WRITES == 0, "this view writes: two iterators would give it twice") };
        Self { walk: self.walk.clone(), base: self.base }
    }
}
