//! Steps over the rows, and the iterators made of them. None of them recurses, allocates, or looks
//! at a thing.

use core::iter::FusedIterator;
use core::marker::PhantomData;

use super::links::Row;
use crate::handle::Handle;
use crate::thing::Thing;

/// The thing after `at` below `root`, parents first; `None` at the end.
#[inline]
pub(crate) fn after(rows: &[Row], root: u32, at: u32) -> Option<u32> {
    match rows.get(at as usize)?.first {
        0 => beyond(rows, root, at),
        first => Some(first),
    }
}

/// The thing after all that is below `at`, parents first, within `root`.
#[inline]
pub(crate) fn beyond(rows: &[Row], root: u32, mut at: u32) -> Option<u32> {
    while at != root {
        let row = rows.get(at as usize)?;
        if row.next != 0 {
            return Some(row.next);
        }
        at = row.parent;
    }
    None
}

/// The first thing of the subtree of `at`, children first.
#[inline]
pub(crate) fn deepest(rows: &[Row], mut at: u32) -> u32 {
    while let Some(row) = rows.get(at as usize).filter(|row| row.first != 0) {
        at = row.first;
    }
    at
}

/// The slots that have children and no parent.
pub(crate) fn roots(rows: &[Row]) -> impl Iterator<Item = u32> {
    rows.iter()
        .enumerate()
        .filter(|(_, row)| row.parent == 0 && row.first != 0)
        .map(|(index, _)| index as u32)
}

/// The handle of the thing in a slot that is linked.
#[inline(always)]
pub(crate) fn handle<T: Thing>(rows: &[Row], index: u32) -> Option<Handle<T>> {
    match rows.get(index as usize)?.stamp {
        0 => None,
        stamp => Some(Handle::from_parts(index, stamp)),
    }
}

/// The children of a thing, first to last or last to first:
/// [`Tree::children`](super::Tree::children).
pub struct Children<'a, T: Thing> {
    pub(super) rows: &'a [Row],
    pub(super) front: u32,
    pub(super) back: u32,
    pub(super) thing: PhantomData<T>,
}

impl<'a, T: Thing> Children<'a, T> {
    /// Those of the thing of a row; nobody's if there is no row.
    #[inline(always)]
    pub(super) fn of(rows: &'a [Row], parent: Option<&Row>) -> Self {
        let (front, back) = parent.map_or((0, 0), |row| (row.first, row.last));
        Self { rows, front, back, thing: PhantomData }
    }
}

impl<T: Thing> Iterator for Children<'_, T> {
    type Item = Handle<T>;

    #[inline]
    fn next(&mut self) -> Option<Handle<T>> {
        let at = self.front;
        let row = self.rows.get(at as usize).filter(|_| at != 0)?;
        (self.front, self.back) = if at == self.back { (0, 0) } else { (row.next, self.back) };
        Some(Handle::from_parts(at, row.stamp))
    }
}

impl<T: Thing> DoubleEndedIterator for Children<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Handle<T>> {
        let at = self.back;
        let row = self.rows.get(at as usize).filter(|_| at != 0)?;
        (self.front, self.back) = if at == self.front { (0, 0) } else { (self.front, row.prev) };
        Some(Handle::from_parts(at, row.stamp))
    }
}

impl<T: Thing> FusedIterator for Children<'_, T> {}

/// The parent of a thing, its parent, and so on: [`Tree::ancestors`](super::Tree::ancestors).
pub struct Ancestors<'a, T: Thing> {
    pub(super) rows: &'a [Row],
    pub(super) next: u32,
    pub(super) thing: PhantomData<T>,
}

impl<T: Thing> Iterator for Ancestors<'_, T> {
    type Item = Handle<T>;

    #[inline]
    fn next(&mut self) -> Option<Handle<T>> {
        let at = self.next;
        let row = self.rows.get(at as usize).filter(|_| at != 0)?;
        self.next = row.parent;
        Some(Handle::from_parts(at, row.stamp))
    }
}

impl<T: Thing> FusedIterator for Ancestors<'_, T> {}

/// All that is below a thing, parents first: [`Tree::descendants`](super::Tree::descendants).
pub struct Descendants<'a, T: Thing> {
    pub(super) rows: &'a [Row],
    pub(super) root: u32,
    /// What comes next; 0 at the end.
    pub(super) next: u32,
    pub(super) thing: PhantomData<T>,
}

impl<T: Thing> Iterator for Descendants<'_, T> {
    type Item = Handle<T>;

    #[inline]
    fn next(&mut self) -> Option<Handle<T>> {
        let at = self.next;
        let row = self.rows.get(at as usize).filter(|_| at != 0)?;
        self.next = match row.first {
            0 if row.next != 0 => row.next,
            0 => beyond(self.rows, self.root, at).unwrap_or(0),
            first => first,
        };
        Some(Handle::from_parts(at, row.stamp))
    }
}

impl<T: Thing> FusedIterator for Descendants<'_, T> {}

/// All that is below a thing, children first, and the thing itself last:
/// [`Tree::post_order`](super::Tree::post_order).
pub struct PostOrder<'a, T: Thing> {
    pub(super) rows: &'a [Row],
    pub(super) root: u32,
    /// What comes next; 0 at the end.
    pub(super) next: u32,
    pub(super) thing: PhantomData<T>,
}

impl<T: Thing> Iterator for PostOrder<'_, T> {
    type Item = Handle<T>;

    #[inline]
    fn next(&mut self) -> Option<Handle<T>> {
        let at = self.next;
        let row = self.rows.get(at as usize).filter(|_| at != 0)?;
        self.next = match row.next {
            _ if at == self.root => 0,
            0 => row.parent,
            next => deepest(self.rows, next),
        };
        Some(Handle::from_parts(at, row.stamp))
    }
}

impl<T: Thing> FusedIterator for PostOrder<'_, T> {}
