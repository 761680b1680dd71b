#![expect(unsafe_code, reason = "reads a table without a check of its bounds")]
//! A table by which the elements that an array's owner knows of are found with one shift.
//!
//! Turning an index into the number of its block takes half a dozen instructions, one of them slow.
//! The table has an entry for every `2^FIRST` elements instead, so that a lookup is a comparison, a
//! shift and a load. It would have to grow behind a shared reference; so it does not: whoever has
//! the array exclusively brings it up to date, and what was made since then is found by the
//! directory.
//!
//! # Invariants
//!
//! - **B3** The table holds what there is to know of the blocks of all elements below `known`. If
//!   `is_sole`, these are all in one piece, and `sole` is what there is to know of it.

use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::{Block, Directory, Zeroed, unlikely};
use crate::error::OutOfMemory;

/// The table: as long as nobody calls [`know`](Directory::know), it is empty and takes no memory.
pub(super) struct Table<E: Zeroed> {
    entries: Vec<E::Known>,
    /// As wide as an address: an index is widened once, to be compared with this and to be added to
    /// an entry.
    known: usize,
    is_sole: bool,
    sole: E::Known,
}

impl<E: Zeroed> Table<E> {
    pub(super) const fn new() -> Self {
        Self { entries: Vec::new(), known: 0, is_sole: false, sole: E::NOWHERE }
    }
}

/// Where the table is and how far it goes, as values: a loop of lookups keeps them in registers,
/// where the array itself, which others may grow, would be asked again each time.
pub struct Chart<'a, E: Zeroed, const FIRST: u32> {
    entries: NonNull<E::Known>,
    /// As wide as an address: an index is widened once, to be compared with this and to be added to
    /// an entry.
    known: usize,
    is_sole: bool,
    sole: E::Known,
    of: PhantomData<&'a Table<E>>,
}

impl<E: Zeroed, const FIRST: u32> Clone for Chart<'_, E, FIRST> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: Zeroed, const FIRST: u32> Copy for Chart<'_, E, FIRST> {}

// SAFETY: a chart is a look at the table, which is part of the array and says where its elements
// are, not what they hold. Who uses them has the array, and asks nothing of other threads that the
// array does not.
unsafe impl<E: Zeroed, const FIRST: u32> Send for Chart<'_, E, FIRST> {}
// SAFETY: as above.
unsafe impl<E: Zeroed, const FIRST: u32> Sync for Chart<'_, E, FIRST> {}

impl<E: Zeroed, const FIRST: u32> Chart<'_, E, FIRST> {
    /// What is kept of the block that `index` lies in, if the table has it.
    #[inline(always)]
    pub fn block(self, index: u32) -> Option<E::Known> {
        if index as usize >= self.known {
            unlikely();
            return None;
        }
        // One piece needs no load. A loop of lookups asks which it is once, before it begins.
        if self.is_sole { Some(self.sole) } else { self.listed(index) }
    }

    /// As [`block`](Self::block), out of the table in any case.
    #[inline(always)]
    fn listed(self, index: u32) -> Option<E::Known> {
        if index as usize >= self.known {
            unlikely();
            return None;
        }
        // SAFETY: in bounds (B3); the table is borrowed for as long as the chart.
        Some(unsafe { self.entries.add((index >> FIRST) as usize).read() })
    }

    /// The element at `index`, if the table has it.
    #[inline(always)]
    pub fn element(self, index: u32) -> Option<NonNull<E>>
    where
        E: Zeroed<Known = NonNull<E>>,
    {
        self.block(index).map(|entry| element_of(entry, index))
    }
}

#[inline(always)]
fn element_of<E>(entry: NonNull<E>, index: u32) -> NonNull<E> {
    // SAFETY: a block has this element at this address (B1), and no object is at the null address.
    unsafe { NonNull::new_unchecked(entry.as_ptr().wrapping_add(index as usize)) }
}

impl<E: Zeroed, const FIRST: u32, const SPLIT: u32, const N: usize> Directory<E, FIRST, SPLIT, N> {
    /// What the table has, as values.
    #[inline(always)]
    pub fn chart(&self) -> Chart<'_, E, FIRST> {
        let Table { entries, known, is_sole, sole } = &self.table;
        // SAFETY: a `Vec` is never at the null address.
        let entries = unsafe { NonNull::new_unchecked(entries.as_ptr().cast_mut()) };
        Chart { entries, known: *known, is_sole: *is_sole, sole: *sole, of: PhantomData }
    }

    /// What is kept of the block that `index` lies in, if the table has it. For one lookup: whether
    /// there is one piece only is not worth asking for that.
    #[inline(always)]
    pub fn noted(&self, index: u32) -> Option<E::Known> {
        self.chart().listed(index)
    }

    /// The element at `index`, if the table has it.
    #[inline(always)]
    pub fn noted_element(&self, index: u32) -> Option<NonNull<E>>
    where
        E: Zeroed<Known = NonNull<E>>,
    {
        self.noted(index).map(|entry| element_of(entry, index))
    }

    /// Brings the table up to date, up to `end` or the first element that has no memory.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`] if there is none for a longer table: what is beyond the old one is found all
    /// the same.
    pub fn know(&mut self, end: u64) -> Result<(), OutOfMemory> {
        let end = end.min(u64::from(u32::MAX)); // the very last element is found by the directory
        while ((self.table.entries.len() as u64) << FIRST) < end {
            let next = (self.table.entries.len() as u32) << FIRST;
            let Some(block) = self.find(next) else { break };
            // All of a piece, however little of it is to be known yet: later on nothing has to be
            // allocated for the rest.
            let Block { first, len } = self.piece(next);
            let more = ((len - (next - first)) >> FIRST) as usize;
            let bytes = (self.table.entries.len() + more) * size_of::<E::Known>();
            self.table.entries.try_reserve(more).map_err(|_| OutOfMemory { bytes })?;
            self.table.entries.extend(core::iter::repeat_n(block, more));
        }
        let known = end.min((self.table.entries.len() as u64) << FIRST) as usize;
        let sole = self.table.entries.first().filter(|_| known <= self.piece(0).len as usize);
        (self.table.is_sole, self.table.sole) =
            sole.map_or((false, E::NOWHERE), |sole| (true, *sole));
        self.table.known = known;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::AtomicU64;

    use super::super::{Coarse, Fine};
    use super::*;

    /// What the table says beside what the directory says, wherever something begins or ends.
    fn assert_same<const FIRST: u32, const SPLIT: u32, const N: usize>(
        array: &Directory<AtomicU64, FIRST, SPLIT, N>,
        known: u64,
    ) {
        for index in [
            0,
            known.saturating_sub(1),
            known,
            1023,
            1024,
            4095,
            4096,
            6143,
            6144,
            70_000,
            u64::from(u32::MAX),
        ] {
            let index = index as u32;
            let expected = if u64::from(index) < known { array.element(index) } else { None };
            assert_eq!(array.chart().element(index), expected, "at {index} of {known}");
            assert_eq!(array.noted_element(index), expected, "at {index} of {known}");
        }
    }

    #[test]
    fn the_table_says_what_the_directory_says_of_what_it_knows() {
        let (mut fine, mut coarse) = (Fine::<AtomicU64>::new(), Coarse::<AtomicU64>::new());
        assert_same(&fine, 0);
        for (index, fine_end, coarse_end) in
            [(0, 1024, 64), (5000, 1024, 64), (1030, 2048, 64), (70, 2048, 192)]
        {
            fine.grow(index).unwrap();
            coarse.grow(index).unwrap();
            assert_same(&fine, fine.table.known as u64); // as it was, until somebody says so
            fine.know(u64::MAX).unwrap();
            coarse.know(u64::MAX).unwrap();
            assert_same(&fine, fine_end);
            assert_same(&coarse, coarse_end);
        }
        // The gap before 5000 is filled, and some of it is given away only.
        fine.grow_all(2048..=4999).unwrap();
        fine.know(4321).unwrap();
        assert_same(&fine, 4321);
        fine.know(u64::MAX).unwrap();
        assert_same(&fine, 6144);
    }
}
