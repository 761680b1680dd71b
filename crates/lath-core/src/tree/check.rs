//! Whether the links say what they should.

use super::links::{Links, Row};
use super::{Tree, walk};
use crate::thing::Thing;

impl<T: Thing> Tree<'_, T> {
    /// Looks whether the links are consistent, all of them: for tests, and for the suspicious.
    ///
    /// # Errors
    ///
    /// A sentence about the first invariant that does not hold. No sequence of safe calls should
    /// ever lead there.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// assert_eq!(Pool::<Part>::new().tree().check(), Ok(()));
    /// ```
    pub fn check(&self) -> Result<(), &'static str> {
        check(self.rows)
    }
}

impl Links {
    /// Whether the links are consistent, also with the stamps of the things.
    pub(crate) fn check(&self, stamp: impl Fn(u32) -> Option<u32>) -> Result<(), &'static str> {
        check(self.rows())?;
        let mut rows = self.rows().iter().enumerate().filter(|(_, row)| row.stamp != 0);
        if rows.any(|(index, row)| stamp(index as u32) != Some(row.stamp)) {
            return Err("R1: a row has another stamp than its thing");
        }
        let (mut marked, in_use) = self.marked();
        if in_use && !self.marks.has_room(self.rows().len()) {
            return Err("R6: a thing that is linked cannot be marked");
        }
        if marked.any(|index| stamp(index).is_none_or(|stamp| stamp & 1 == 0)) {
            return Err("R6: something is marked that is not there");
        }
        self.order.check(self.rows(), self.version())?;
        #[cfg(feature = "parallel")]
        self.parts.check_version(self.order.steps(), self.version())?;
        Ok(())
    }
}

#[inline] // compiled with who calls it, which most programs do not
pub(crate) fn check(rows: &[Row]) -> Result<(), &'static str> {
    if rows.first().is_some_and(|row| *row != Row::default()) {
        return Err("R1: slot 0 is linked");
    }
    let at = |index: u32| rows.get(index as usize).copied().unwrap_or_default();
    let mut linked = 0;
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| **row != Row::default()) {
        let me = index as u32;
        linked += 1;
        if row.stamp & 1 == 0 || row.parent | row.first == 0 {
            return Err("R1: a row is neither empty nor that of a linked thing");
        }
        if (row.first == 0) != (row.last == 0) || (row.parent == 0 && row.next | row.prev != 0) {
            return Err("R2: a list has one end, or a root has siblings");
        }
        if row.first != 0 {
            let (first, last) = (at(row.first), at(row.last));
            if (first.parent, first.prev, last.parent, last.next) != (me, 0, me, 0) {
                return Err("R2: the ends of a list are not ends, or are somebody else's");
            }
        }
        if row.parent != 0 {
            let (next, prev, parent) = (at(row.next), at(row.prev), at(row.parent));
            let after = if row.next == 0 {
                parent.last == me
            } else {
                (next.prev, next.parent) == (me, row.parent)
            };
            let before = if row.prev == 0 {
                parent.first == me
            } else {
                (prev.next, prev.parent) == (me, row.parent)
            };
            if !after || !before {
                return Err("R2: two neighbours do not agree that they are");
            }
        }
    }
    let mut reached = 0;
    for root in walk::roots(rows) {
        let mut next = Some(root);
        while let Some(at) = next.filter(|_| reached <= linked) {
            reached += 1;
            next = walk::after(rows, root, at);
        }
    }
    if reached == linked { Ok(()) } else { Err("R3: some things are not below any root") }
}
