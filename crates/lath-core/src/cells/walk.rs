#![expect(unsafe_code, reason = "hands out every live thing once, some of them exclusively")]
//! Walking the live things in slot order.

use alloc::vec::{self, Vec};

use super::*;

impl<T: Thing> Cells<T> {
    /// Looks at the live things, and at the staged ones too if asked.
    #[inline]
    pub(crate) fn iter(&self, staged: bool) -> Iter<'_, T> {
        Iter { walk: Walk::new(self, staged) }
    }

    /// All live things, to be changed.
    #[inline]
    pub(crate) fn iter_mut(&mut self) -> IterMut<'_, T> {
        self.mark_all();
        IterMut { walk: Walk::new(self, false) }
    }

    /// Every live thing in turn, exclusively, beside a look at all the others.
    #[inline]
    pub(crate) fn each_with_rest(
        &mut self,
        mut f: impl FnMut(Handle<T>, ThingMut<'_, T>, &Rest<'_, T>),
    ) {
        self.mark_all();
        let this = &*self;
        let mut walk = Walk::new(this, false);
        while let Some((index, place)) = walk.next_place() {
            let rest = Rest { cells: this, me: index };
            // SAFETY: the walk reached the place, so it is of this storage and holds a value. Not
            // aliased: `Rest` refuses this slot, nothing of an earlier round is left (the closure
            // takes any lifetime, so it can keep neither thing nor rest), and `&mut self` keeps
            // everyone else away.
            unsafe { f(walk.handle(index, place), this.values.get_mut(place), &rest) };
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
}

/// A walk over slots that hold a reachable value, in slot order, each once.
struct Walk<'a, T: Thing> {
    cells: &'a Cells<T>,
    staged: bool,
    /// The next group to look at.
    group: u32,
    /// The slots of the present group that are still to come.
    bits: u64,
    /// The first slot of the present group, and its place.
    first: u32,
    place: Option<Place<T>>,
    /// Staged things that are still in the nursery, in the order of their slots.
    new: vec::IntoIter<(u32, Place<T>)>,
    /// How many slots are still to come; staged ones that were there at the start included.
    left: usize,
}

impl<'a, T: Thing> Walk<'a, T> {
    #[inline]
    fn new(cells: &'a Cells<T>, staged: bool) -> Self {
        let new = if staged { cells.newly_staged() } else { Vec::new() };
        let old = if staged { cells.staged as usize } else { 0 };
        let left = cells.slots.live() as usize + old + new.len();
        let new = new.into_iter();
        Self { cells, staged, group: 0, bits: 0, first: 0, place: None, new, left }
    }

    /// Goes on to the next group that has something; false at the end.
    #[inline]
    fn advance(&mut self) -> bool {
        let found = if self.staged {
            self.next_with_staged()
        } else {
            self.cells.slots.next_live(self.group)
        };
        let Some((number, bits)) = found else { return false };
        self.group = number + 1;
        self.bits = bits;
        self.first = number * GROUP;
        self.place = self.cells.values.place(self.first);
        self.place.is_some()
    }

    /// The next group that has live or staged slots, and which they are.
    fn next_with_staged(&self) -> Option<(u32, u64)> {
        let slots = &self.cells.slots;
        let live = slots.next_live(self.group);
        let mut from = self.group;
        while let Some((number, claimed)) = slots.next_claimed(from) {
            if live.is_some_and(|(first, _)| first < number) {
                return live;
            }
            // Staged slots have an odd stamp; reserved ones are passed over.
            let staged = ones(claimed)
                .filter(|bit| self.cells.main_stamp(number * GROUP + bit).is_some_and(is_live))
                .fold(0, |word, bit| word | 1 << bit);
            let live_here = live.filter(|&(first, _)| first == number).map_or(0, |(_, word)| word);
            if staged | live_here != 0 {
                return Some((number, staged | live_here));
            }
            from = number + 1;
        }
        live
    }

    /// The next slot: its index and its place, which holds a value.
    #[inline]
    fn next_place(&mut self) -> Option<(u32, Place<T>)> {
        let is_over = self.bits == 0 && !self.advance();
        self.left = self.left.saturating_sub(1);
        let bit = self.bits.trailing_zeros();
        if let Some(&(index, _)) = self.new.as_slice().first() {
            if is_over || index < self.first + bit {
                return self.new.next();
            }
        }
        if is_over {
            return None;
        }
        self.bits &= self.bits - 1;
        let first = self.place?;
        // SAFETY: both places are of this storage and in one group: the group's first slot, and the
        // `bit`th of 64.
        Some((self.first + bit, unsafe { T::Storage::step(first, bit) }))
    }

    /// Calls `f` with every slot that is left. Full groups take a straight loop, which compilers
    /// unroll and vectorise.
    #[inline]
    fn for_each_place(mut self, mut f: impl FnMut(&Self, u32, Place<T>)) {
        if self.staged {
            while let Some((index, place)) = self.next_place() {
                f(&self, index, place);
            }
            return;
        }
        loop {
            let Some(first) = self.place else { if self.advance() { continue } else { return } };
            if self.bits == u64::MAX {
                for bit in 0..GROUP {
                    // SAFETY: as in `next_place`: in a full group every slot holds a value.
                    f(&self, self.first + bit, unsafe { T::Storage::step(first, bit) });
                }
            } else {
                let mut bits = self.bits;
                while bits != 0 {
                    let bit = bits.trailing_zeros();
                    bits &= bits - 1;
                    // SAFETY: as in `next_place`.
                    f(&self, self.first + bit, unsafe { T::Storage::step(first, bit) });
                }
            }
            if !self.advance() {
                return;
            }
        }
    }

    /// The handle of a slot.
    ///
    /// # Safety
    ///
    /// The place is one that this walk has reached.
    #[inline(always)]
    unsafe fn handle(&self, index: u32, place: Place<T>) -> Handle<T> {
        // SAFETY: the place is of this storage or the nursery's, where stamps of values do not
        // change while the walk borrows the cells (C3, N2).
        Handle::from_parts(index, unsafe { T::Storage::stamp(place).read() })
    }
}

/// The live things of a pool and their handles, in slot order: [`Pool::iter`](crate::Pool::iter).
pub struct Iter<'a, T: Thing> {
    walk: Walk<'a, T>,
}

impl<'a, T: Thing> Iterator for Iter<'a, T> {
    type Item = (Handle<T>, ThingRef<'a, T>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (index, place) = self.walk.next_place()?;
        // SAFETY: the walk reached the place, so it is of this storage and holds a value. Not
        // aliased: the walk borrows the cells for `'a`, so nobody gets exclusive access (C3).
        Some(unsafe { (self.walk.handle(index, place), self.walk.cells.values.get(place)) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        if self.walk.staged {
            (self.walk.left, None)
        } else {
            (self.walk.left, Some(self.walk.left))
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let mut value = Some(init);
        self.walk.for_each_place(|walk, index, place| {
            // SAFETY: as in `next`.
            let item = unsafe { (walk.handle(index, place), walk.cells.values.get(place)) };
            value = value.take().map(|so_far| f(so_far, item));
        });
        match value {
            Some(value) => value,
            None => unreachable!("put back by every round"),
        }
    }
}

/// The live things of a pool, to be changed, and their handles:
/// [`Pool::iter_mut`](crate::Pool::iter_mut).
pub struct IterMut<'a, T: Thing> {
    walk: Walk<'a, T>,
}

impl<'a, T: Thing> Iterator for IterMut<'a, T> {
    type Item = (Handle<T>, ThingMut<'a, T>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (index, place) = self.walk.next_place()?;
        // SAFETY: the walk reached the place, so it is of this storage and holds a value. Not
        // aliased: `iter_mut` has borrowed the cells exclusively for `'a`, and a walk reaches every
        // slot once.
        Some(unsafe { (self.walk.handle(index, place), self.walk.cells.values.get_mut(place)) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.walk.left, Some(self.walk.left))
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let mut value = Some(init);
        self.walk.for_each_place(|walk, index, place| {
            // SAFETY: as in `next`.
            let item = unsafe { (walk.handle(index, place), walk.cells.values.get_mut(place)) };
            value = value.take().map(|so_far| f(so_far, item));
        });
        match value {
            Some(value) => value,
            None => unreachable!("put back by every round"),
        }
    }
}

impl<T: Thing> ExactSizeIterator for IterMut<'_, T> {}

// By hand: a derive would ask for `T: Clone`.
impl<T: Thing> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        let Walk { cells, staged, group, bits, first, place, left, .. } = self.walk;
        let new = self.walk.new.clone();
        Self { walk: Walk { cells, staged, group, bits, first, place, new, left } }
    }
}
