//! The links themselves: a row per slot, and the two moves that everything else is made of,
//! [`Links::insert`] and [`Links::unlink`]. Nothing here knows what a thing is.

use alloc::vec::Vec;

use super::check;
use super::marks::Marks;
use super::order::Order;
use super::relation::Orphans;
use crate::error::OutOfMemory;
use crate::prefetch::prefetch;

/// The links of one slot: 24 bytes. 0 means "nothing", as slot 0 is nobody's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The stamp of the thing that is linked here; 0 while it has neither parent nor children (R1).
    pub stamp: u32,
    /// Its parent.
    pub parent: u32,
    /// Its first child.
    pub first: u32,
    /// Its last child.
    pub last: u32,
    /// Its next sibling.
    pub next: u32,
    /// Its previous sibling.
    pub prev: u32,
}

impl Row {
    const EMPTY: Self = Self { stamp: 0, parent: 0, first: 0, last: 0, next: 0, prev: 0 };
}

impl Clone for Links {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.assign(self);
        copy
    }
}

/// So many rows are emptied before they are needed: few enough to be still in the cache by then.
const AHEAD: usize = 256;

/// So many are emptied at a time: 1.5 kB are written by plain stores, twice that by an instruction
/// that is slow to begin.
const EMPTIED: usize = 64;

/// So many bytes of rows are fetched ahead.
const FETCHED: usize = 192;

/// The links of one relation.
#[derive(Default)]
pub(crate) struct Links {
    rows: Vec<Row>,
    /// Counts the changes: what was computed for another version is out of date.
    version: u64,
    pub(super) order: Order,
    #[cfg(feature = "parallel")]
    pub(super) parts: super::parts::Parts,
    pub(super) marks: Marks,
    /// The first and the last of those who are about to leave: none between calls of the pool's.
    line: (u32, u32),
    /// For sorting; kept, so that it is allocated once.
    pub(super) scratch: Vec<u32>,
    /// How many rows were asked for, to be changed or to be looked at on the way to a change.
    #[cfg(test)]
    touched: u32,
}

impl Links {
    #[inline]
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    #[inline]
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The row of a slot; an empty one where there is no memory.
    #[inline]
    pub(crate) fn row(&self, index: u32) -> Row {
        self.rows.get(index as usize).copied().unwrap_or(Row::EMPTY)
    }

    #[inline]
    fn at(&mut self, index: u32) -> &mut Row {
        #[cfg(test)]
        {
            self.touched += 1;
        }
        &mut self.rows[index as usize]
    }

    #[inline]
    pub(crate) fn has_room(&self, index: u32) -> bool {
        (index as usize) < self.rows.len()
    }

    /// Makes room for the rows up to that of `index`, and for some of those that follow.
    #[cold]
    pub(crate) fn grow(&mut self, index: u32) -> Result<(), OutOfMemory> {
        let needed = index as usize + 1;
        let refused = |_| OutOfMemory { bytes: needed.saturating_mul(size_of::<Row>()) };
        self.rows.try_reserve(needed - self.rows.len()).map_err(refused)?;
        let len = (needed + AHEAD).min(self.rows.capacity());
        if self.marks.in_use {
            self.marks.grow(len as u32 - 1)?;
        }
        self.extend_to(len);
        Ok(())
    }

    /// Adds empty rows. Copied, not written one by one: that takes half as long.
    fn extend_to(&mut self, len: usize) {
        while let Some(missing) = len.checked_sub(self.rows.len()).filter(|missing| *missing > 0) {
            self.rows.extend_from_slice(&const { [Row::EMPTY; EMPTIED] }[..missing.min(EMPTIED)]);
        }
    }

    /// Makes memory for all that linking `slots` slots could need.
    pub(crate) fn reserve(&mut self, slots: u64) -> Result<(), OutOfMemory> {
        match slots.checked_sub(1) {
            Some(last) if !self.has_room(last as u32) => self.grow(last as u32),
            _ => Ok(()),
        }
    }

    /// Notes that the order in which the tree is walked may be another now.
    #[inline]
    pub(super) fn note_change(&mut self) {
        self.version += 1;
    }

    /// Links `child`, which has no parent, below `parent`: before the child `before`, or last if
    /// that is 0. Both rows have memory, and their stamps are given.
    #[inline]
    pub(crate) fn insert(&mut self, child: (u32, u32), parent: (u32, u32), before: u32) {
        let ((child, child_stamp), (parent, parent_stamp)) = (child, parent);
        debug_assert!(child != parent && self.row(child).parent == 0);
        let row = self.at(parent);
        row.stamp = parent_stamp;
        let prev = if before == 0 {
            core::mem::replace(&mut row.last, child)
        } else {
            self.row(before).prev
        };
        if prev == 0 {
            self.at(parent).first = child;
        } else {
            self.at(prev).next = child;
        }
        if before != 0 {
            self.at(before).prev = child;
        }
        let row = self.at(child);
        (row.stamp, row.parent, row.prev, row.next) = (child_stamp, parent, prev, before);
        self.note_change();
    }

    /// A thing that is linked, to have children; `None` if it is not.
    #[inline(always)]
    pub(crate) fn linked(&mut self, parent: (u32, u32)) -> Option<Linked<'_>> {
        let row = self.rows.get(parent.0 as usize)?;
        (row.stamp == parent.1 && parent.1 != 0).then_some(Linked { links: self, parent: parent.0 })
    }

    /// In debug builds, and for small pools, looks at all links after every change.
    #[inline]
    pub(super) fn debug_check(&self) {
        debug_check(&self.rows);
    }

    /// Takes `child` from its parent, its own children with it.
    #[inline(always)] // a call takes six instructions of a hundred
    pub(crate) fn unlink(&mut self, child: u32) {
        let Row { parent, next, prev, .. } = self.row(child);
        if parent == 0 {
            return;
        }
        if prev == 0 {
            self.at(parent).first = next
        } else {
            self.at(prev).next = next
        }
        if next == 0 {
            self.at(parent).last = prev
        } else {
            self.at(next).prev = prev
        }
        let row = self.at(child);
        (row.parent, row.next, row.prev) = (0, 0, 0);
        self.tidy(child);
        self.tidy(parent);
        self.note_change();
    }

    /// Takes a thing that leaves out of the tree. `orphans` is what becomes of its children.
    ///
    /// Children who leave with it wait in line for their turn ([`next_leaving`](Self::next_leaving)).
    /// The line is made of the links that they need no more, so that it takes no memory: the list
    /// of siblings, to which that of the next siblings is tied. That the row of their parent is
    /// empty, which otherwise no parent's is (R1), tells that they wait.
    /// Answers whether any do.
    #[inline]
    pub(crate) fn leave(&mut self, (index, stamp): (u32, u32), orphans: Orphans) -> bool {
        self.marks.forget(index);
        let row = self.row(index);
        let parent = (row.parent, self.row(row.parent).stamp);
        let waits = parent.0 != 0 && parent.1 == 0;
        if row.stamp != stamp || waits {
            return waits;
        }
        if row.first != 0 && orphans == Orphans::Adopt && parent.1 != 0 {
            self.mark_children(index);
            self.hand_over(index, parent, true);
        } else if row.first != 0 {
            self.part_from(row.first, row.last, orphans);
        }
        self.unlink(index);
        *self.at(index) = Row::EMPTY;
        self.note_change();
        self.line.0 != 0
    }

    /// Who leaves next because its parent did, if anybody does. `orphans` is what becomes of its
    /// own children.
    #[inline(always)]
    pub(crate) fn next_leaving(&mut self, orphans: Orphans) -> Option<(u32, u32)> {
        let (index, end) = self.line;
        if index == 0 {
            return None;
        }
        let Row { stamp, first, last, next, .. } = core::mem::take(self.at(index));
        self.line = if index == end { (0, 0) } else { (next, end) };
        self.marks.forget(index);
        if first != 0 {
            self.part_from(first, last, orphans);
        }
        self.note_change();
        Some((index, stamp))
    }

    /// Siblings have no parent any more that could care for them.
    #[inline]
    fn part_from(&mut self, first: u32, last: u32, orphans: Orphans) {
        match orphans {
            Orphans::Despawn => self.line_up(first, last),
            Orphans::Detach | Orphans::Adopt => self.release(first),
        }
    }

    /// Siblings wait until it is their turn to leave.
    #[inline]
    fn line_up(&mut self, first: u32, last: u32) {
        match self.line {
            (0, _) => self.line = (first, last),
            (next, end) => {
                self.at(end).next = first;
                self.line = (next, last);
            }
        }
        // Children who were spawned together lie side by side.
        let rows = self.rows.as_ptr().wrapping_add(first as usize);
        (0..FETCHED).step_by(64).for_each(|line| prefetch(rows.wrapping_byte_add(line)));
    }

    /// Empties the row of a thing that has neither parent nor children left (R1).
    #[inline]
    fn tidy(&mut self, index: u32) {
        let row = self.at(index);
        if row.parent | row.first == 0 {
            *row = Row::EMPTY;
        }
    }

    /// Hands all children of `from` over to `to`: after `from` itself, if `in_place` says so and
    /// `to` is its parent, or last.
    pub(crate) fn hand_over(&mut self, from: u32, to: (u32, u32), in_place: bool) {
        let Row { first, last, next, .. } = self.row(from);
        if first == 0 {
            return;
        }
        let mut child = first;
        while child != 0 {
            let row = self.at(child);
            row.parent = to.0;
            child = row.next;
        }
        // The run `first..=last` goes between `before` and `after`.
        let (before, after) = if in_place { (from, next) } else { (self.row(to.0).last, 0) };
        self.at(first).prev = before;
        self.at(last).next = after;
        if before == 0 {
            self.at(to.0).first = first
        } else {
            self.at(before).next = first
        }
        if after == 0 {
            self.at(to.0).last = last
        } else {
            self.at(after).prev = last
        }
        self.at(to.0).stamp = to.1;
        let row = self.at(from);
        (row.first, row.last) = (0, 0);
        self.tidy(from);
        self.note_change();
    }

    /// Sets siblings free, from the first one on.
    fn release(&mut self, first: u32) {
        let mut child = first;
        while child != 0 {
            let row = self.at(child);
            let next = row.next;
            (row.parent, row.next, row.prev) = (0, 0, 0);
            self.tidy(child);
            self.mark_moved(child);
            child = next;
        }
    }

    /// Links the children of `parent` in the order of a slice, which holds each of them once.
    pub(crate) fn arrange(&mut self, parent: u32, children: &[u32]) {
        let mut prev = 0;
        for &child in children {
            if prev == 0 {
                self.at(parent).first = child
            } else {
                self.at(prev).next = child
            }
            self.at(child).prev = prev;
            prev = child;
        }
        if prev != 0 {
            self.at(prev).next = 0;
            self.at(parent).last = prev;
            self.note_change();
        }
    }

    /// Works the order of a sweep out, if links have changed.
    pub(super) fn update_order(&mut self) {
        self.order.update(&self.rows, self.version);
    }

    /// Works the order of a sweep out and cuts it, if links have changed.
    #[cfg(feature = "parallel")]
    pub(super) fn update_parts(&mut self) {
        self.update_order();
        self.parts.update(self.order.steps(), self.version);
    }

    /// The rows, and the marks to be changed.
    pub(super) fn split(&mut self) -> (&[Row], &mut Marks) {
        (&self.rows, &mut self.marks)
    }

    /// From now on what is moved is marked, and slot `index` can be marked.
    #[inline]
    pub(super) fn use_marks(&mut self, index: u32) -> Result<(), OutOfMemory> {
        self.marks.grow(index.max(self.rows.len() as u32))?;
        self.marks.in_use = true;
        Ok(())
    }

    /// Marks a thing that was moved, if anybody asks for marks.
    #[inline]
    pub(super) fn mark_moved(&mut self, index: u32) {
        if self.marks.in_use {
            self.marks.mark(index);
        }
    }

    /// Marks the children of a thing, which are about to be moved.
    pub(super) fn mark_children(&mut self, parent: u32) {
        let mut child = if self.marks.in_use { self.row(parent).first } else { 0 };
        while child != 0 {
            self.marks.mark(child);
            child = self.row(child).next;
        }
    }

    /// Forgets all links. Memory is kept.
    pub(crate) fn clear(&mut self) {
        self.rows.fill(Row::EMPTY);
        self.marks.clear();
        self.note_change();
    }

    /// Becomes a copy of other links, which counts as a change. Reuses its memory.
    pub(crate) fn assign(&mut self, from: &Self) {
        self.assign_rows(&from.rows);
        self.copy_marks(from);
    }

    /// Becomes the links that these rows are, without marks.
    pub(crate) fn assign_rows(&mut self, rows: &[Row]) {
        let len = self.rows.len().max(rows.len());
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        self.rows.resize(len, Row::EMPTY);
        self.marks.clear();
        self.note_change();
    }

    /// The slots of what is marked, in order, and whether marks are in use.
    pub(crate) fn marked(&self) -> (impl Iterator<Item = u32>, bool) {
        (self.marks.marked(), self.marks.in_use)
    }

    /// Marks these slots and no others. After the rows are what they will be.
    pub(crate) fn assign_marks(&mut self, marked: impl Iterator<Item = u32>, in_use: bool) {
        self.marks.clear();
        self.marks.in_use = in_use;
        for index in marked.chain(in_use.then_some(0)) {
            self.use_marks(index).unwrap_or_else(|error| panic!("{error}"));
            if index != 0 {
                self.marks.mark(index);
            }
        }
    }

    fn copy_marks(&mut self, from: &Self) {
        let (marked, in_use) = from.marked();
        self.assign_marks(marked, in_use);
    }

    /// Replaces blocks of 64 rows, and the marks by those of other links.
    pub(crate) fn patch(
        &mut self,
        len: usize,
        blocks: &[(u32, Vec<Row>)],
        version: u64,
        marks: &Self,
    ) {
        self.rows.resize(len, Row::EMPTY);
        for (block, rows) in blocks {
            let start = *block as usize * 64;
            self.rows[start..start + rows.len()].copy_from_slice(rows);
        }
        self.copy_marks(marks);
        self.version = version;
    }

    /// Remembers that these links are a copy of another version.
    pub(crate) fn set_version(&mut self, version: u64) {
        self.version = version;
    }

    /// If `index` is below `ancestor` or is that itself: the slot below `ancestor` on the way down
    /// there, and how many levels down it is.
    #[inline]
    pub(crate) fn way_down(&self, ancestor: u32, index: u32) -> Option<(u32, u32)> {
        let (mut at, mut below, mut levels) = (index, index, 0);
        while at != 0 {
            if at == ancestor {
                return Some((below, levels));
            }
            below = at;
            at = self.row(at).parent;
            levels += 1;
        }
        None
    }
}

/// A thing that is linked, and all that changes when it gets a child: looked up once, whatever
/// happens to the things meanwhile.
pub(crate) struct Linked<'a> {
    links: &'a mut Links,
    parent: u32,
}

impl Linked<'_> {
    /// Puts a thing below it that came just now, after its other children. Answers `false`, and
    /// nothing has changed, if there is no memory for its links.
    #[inline(always)]
    pub(crate) fn adopt(self, (child, stamp): (u32, u32)) -> bool {
        let Self { links, parent } = self;
        let Links { rows, version, marks, .. } = links;
        if child as usize >= rows.len() {
            return false;
        }
        // Nothing has been linked in this slot since the last thing left it (R1).
        debug_assert!(rows[child as usize] == Row::EMPTY);
        let row = &mut rows[parent as usize];
        let prev = core::mem::replace(&mut row.last, child);
        if prev == 0 {
            row.first = child;
        } else {
            rows[prev as usize].next = child;
        }
        let row = &mut rows[child as usize];
        (row.stamp, row.parent, row.prev) = (stamp, parent, prev);
        *version += 1;
        if marks.in_use {
            marks.mark(child);
        }
        debug_check(rows);
        true
    }
}

#[inline]
fn debug_check(rows: &[Row]) {
    if cfg!(debug_assertions) && rows.len() <= 128 {
        assert_eq!(check::check(rows), Ok(()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A parent in slot 1 with children in the slots from 2 up.
    fn siblings(count: u32) -> Links {
        let mut links = Links::default();
        links.grow(count + 1).unwrap();
        for child in 2..count + 2 {
            links.insert((child, 1), (1, 1), 0);
        }
        links
    }

    #[test]
    fn the_oldest_of_a_hundred_thousand_siblings_goes_by_touching_a_handful_of_rows() {
        let few = |count| {
            let mut links = siblings(count);
            links.touched = 0;
            links.unlink(2);
            assert_eq!(links.row(1).first, 3);
            links.touched
        };
        assert_eq!(few(100_000), few(3));
        assert!((1..=6).contains(&few(3)));
    }

    #[test]
    fn attaching_touches_a_handful_of_rows_whatever_the_number_of_siblings() {
        let few = |count| {
            let mut links = siblings(count);
            links.grow(count + 2).unwrap();
            links.touched = 0;
            links.insert((count + 2, 1), (1, 1), 0);
            links.touched
        };
        assert_eq!(few(100_000), few(3));
        assert!(few(3) >= 1);
    }

    #[test]
    fn a_row_is_empty_again_when_the_last_link_goes() {
        let mut links = siblings(1);
        links.unlink(2);
        assert!(links.rows().iter().all(|row| *row == Row::EMPTY));
    }
}
