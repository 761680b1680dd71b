#![expect(unsafe_code, reason = "raw memory: an array that grows behind a shared reference and never moves an element")]
//! An array that grows block by block, never moves an element, and can grow while others read it.
//!
//! Block sizes follow the index, as in a floating-point number: every octave `[2^k, 2^(k+1))` is split into the same
//! number of equal blocks. So the directory is a small array in place, the block of an index is three shifts away, and
//! at most one split of an octave is allocated but unused.
//!
//! ```text
//! FIRST = 64, eight blocks an octave:  0..64 64..128 … 960..1024 | 1024..1152 1152..1280 … | 2048..2304 …
//!                                      sixteen blocks of 64        eight of 128               eight of 256
//! ```
//!
//! # Invariants
//!
//! - **B1** A directory entry is null or points to a block of exactly the length that [`Spot`] gives, all of whose
//!   elements are initialised: they start as zero bytes, which [`Zeroed`] elements may be.
//! - **B2** An entry goes from null to a block once and stays until the array is dropped.

use alloc::alloc::{Layout, alloc_zeroed, dealloc};
use core::marker::PhantomData;
use core::mem::needs_drop;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use crate::error::OutOfMemory;

/// What an array is made of: blocks of elements for which all zero bytes are a valid value.
///
/// # Safety
///
/// Zero bytes are a valid, initialised `Self`, and a block of the [`layout`](Self::layout) has room for that many.
pub unsafe trait Zeroed: Sized {
    /// The memory of a block of `len` elements: an array, unless it is more than that.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`] if it would be larger than the address space.
    fn layout(len: usize) -> Result<Layout, OutOfMemory> {
        Layout::array::<Self>(len).map_err(|_| OutOfMemory { bytes: usize::MAX })
    }
}

// SAFETY: an integer, and atomics have the layout of the integer inside.
unsafe impl Zeroed for AtomicU64 {}
// SAFETY: as its elements.
unsafe impl<E: Zeroed, const LEN: usize> Zeroed for [E; LEN] {}

/// Where an index lies: the block, the element of it, and how many elements the block has, a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    block: usize,
    row: usize,
    len: usize,
}

/// The directory: `N` blocks, the first ones of `2^FIRST` elements, `2^SPLIT` blocks to an octave.
pub struct Directory<E: Zeroed, const FIRST: u32, const SPLIT: u32, const N: usize> {
    blocks: [AtomicPtr<E>; N],
    owned: PhantomData<E>,
}

/// Eight blocks an octave, from 64 elements up: for things, where unused memory counts.
pub type Fine<E> = Directory<E, 6, 3, 192>;

/// One block an octave, from one element up: for bookkeeping that is small beside the things.
pub type Coarse<E> = Directory<E, 0, 0, 33>;

impl<E: Zeroed, const FIRST: u32, const SPLIT: u32, const N: usize> Directory<E, FIRST, SPLIT, N> {
    /// Holds nothing and allocates nothing.
    #[expect(clippy::new_without_default, reason = "nobody needs a directory by default")]
    pub const fn new() -> Self {
        const { assert!(N == (Self::spot(u32::MAX).block + 1), "the directory has one entry per block") };
        Self { blocks: [const { AtomicPtr::new(ptr::null_mut()) }; N], owned: PhantomData }
    }

    /// Where `index` lies, whether or not there is memory yet.
    #[inline(always)]
    const fn spot(index: u32) -> Spot {
        let top = (index | 1 << (FIRST + SPLIT)).ilog2();
        let shift = top - SPLIT;
        let nth = index >> shift;
        Spot {
            block: ((top - FIRST - SPLIT) << SPLIT) as usize + nth as usize,
            row: (index - (nth << shift)) as usize,
            len: 1 << shift,
        }
    }

    /// How many elements from `index` on are in the same block.
    #[inline]
    pub const fn run_len(index: u32) -> u32 {
        let spot = Self::spot(index);
        (spot.len - spot.row) as u32
    }

    /// The first element of a block, or null where there is no memory yet.
    #[inline(always)]
    fn base(&self, spot: Spot) -> *mut E {
        debug_assert!(spot.block < N);
        // SAFETY: in bounds: only `Self::spot` makes spots; the block it gives grows with the index, and `new` asserts
        // that the largest index gives `N - 1`.
        unsafe { self.blocks.get_unchecked(spot.block) }.load(Ordering::Acquire)
    }

    /// The block that `index` lies in: its first byte (null where there is no memory yet), the row, and the length.
    #[inline(always)]
    pub fn block(&self, index: u32) -> (*mut E, u32, u32) {
        let spot = Self::spot(index);
        (self.base(spot), spot.row as u32, spot.len as u32)
    }

    /// The element at `index`, or null where there is no memory yet.
    #[inline(always)]
    pub fn element(&self, index: u32) -> *mut E {
        let spot = Self::spot(index);
        let base = self.base(spot);
        if base.is_null() {
            return base;
        }
        // SAFETY: in bounds: the block has `len` elements (B1), and a row is below `len`.
        unsafe { base.add(spot.row) }
    }
}

impl<E: Zeroed, const FIRST: u32, const SPLIT: u32, const N: usize> Directory<E, FIRST, SPLIT, N> {
    /// The element at `index`, if there is memory for it.
    #[inline(always)]
    pub fn get(&self, index: u32) -> Option<&E> {
        // SAFETY: not null means a pointer to an initialised element (B1) that lives as long as `self` (B2); mutable
        // references come from `&mut self` only.
        unsafe { self.element(index).as_ref() }
    }

    /// The element at `index`, to be changed, if there is memory for it.
    #[inline(always)]
    pub fn get_mut(&mut self, index: u32) -> Option<&mut E> {
        // SAFETY: as in `get`; `&mut self` keeps every other reference away.
        unsafe { self.element(index).as_mut() }
    }

    /// Makes memory for the block of `index` unless it is there. Others may read, and grow, at the same time.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`] if the allocator refuses or the block would be larger than the address space.
    #[cold]
    pub fn grow(&self, index: u32) -> Result<&E, OutOfMemory> {
        let spot = Self::spot(index);
        if self.base(spot).is_null() {
            let layout = E::layout(spot.len)?;
            assert!(layout.size() > 0, "a block has a size");
            // SAFETY: the size is not zero, as was asserted just now.
            let fresh = unsafe { alloc_zeroed(layout) }.cast::<E>();
            let fresh = NonNull::new(fresh).ok_or(OutOfMemory { bytes: layout.size() })?;
            let entry = &self.blocks[spot.block];
            if entry.compare_exchange(ptr::null_mut(), fresh.as_ptr(), Ordering::AcqRel, Ordering::Acquire).is_err() {
                // SAFETY: made above with this layout, and nobody else has seen it.
                unsafe { dealloc(fresh.as_ptr().cast(), layout) };
            }
        }
        self.get(index).ok_or_else(|| unreachable!("B2: a block that was there is gone"))
    }

    /// The indices that have memory, block by block.
    pub fn ranges(&self) -> impl Iterator<Item = core::ops::Range<u64>> {
        all_blocks::<E, FIRST, SPLIT, N>()
            .filter(|&(_, spot)| !self.base(spot).is_null())
            .map(|(first, spot)| first..first + spot.len as u64)
    }

    /// How many elements have memory, counted from index 0 up to the first gap.
    pub fn contiguous(&self) -> u64 {
        self.ranges().fold(0, |end, range| if range.start == end { range.end } else { end })
    }
}

/// Every block there can be: its first index and where that lies.
fn all_blocks<E: Zeroed, const FIRST: u32, const SPLIT: u32, const N: usize>() -> impl Iterator<Item = (u64, Spot)> {
    let spot = |first: u64| (first, Directory::<E, FIRST, SPLIT, N>::spot(first as u32));
    core::iter::successors(Some(spot(0)), move |(first, last)| Some(spot(first + last.len as u64))).take(N)
}

impl<E: Zeroed, const FIRST: u32, const SPLIT: u32, const N: usize> Drop for Directory<E, FIRST, SPLIT, N> {
    fn drop(&mut self) {
        const { assert!(!needs_drop::<E>(), "elements are dropped by whoever knows which of them hold a value") };
        for (_, spot) in all_blocks::<E, FIRST, SPLIT, N>() {
            let block = *self.blocks[spot.block].get_mut();
            if !block.is_null() {
                let Ok(layout) = E::layout(spot.len) else { unreachable!("`grow` had the same layout") };
                // SAFETY: `grow` made the block with this layout, that of the same length and element type, and this is
                // the only place that frees an installed block.
                unsafe { dealloc(block.cast(), layout) };
            }
        }
    }
}

// SAFETY: the array owns its elements; the raw pointers in the directory are never handed to anyone who could outlive it.
unsafe impl<E: Zeroed + Send, const FIRST: u32, const SPLIT: u32, const N: usize> Send for Directory<E, FIRST, SPLIT, N> {}
// SAFETY: `&self` gives out `&E`, and makes new elements out of zero bytes; the latter moves no `E` between threads.
unsafe impl<E: Zeroed + Sync, const FIRST: u32, const SPLIT: u32, const N: usize> Sync for Directory<E, FIRST, SPLIT, N> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks the blocks in order: they must tile the indices without gap or overlap.
    fn assert_tiled<const FIRST: u32, const SPLIT: u32, const N: usize>() {
        let mut index = 0u64;
        for block in 0..N {
            let first = Directory::<AtomicU64, FIRST, SPLIT, N>::spot(index as u32);
            assert_eq!((first.block, first.row), (block, 0), "at {index}");
            index += first.len as u64;
            let last = Directory::<AtomicU64, FIRST, SPLIT, N>::spot((index - 1) as u32);
            assert_eq!(last, Spot { block, row: first.len - 1, len: first.len }, "before {index}");
        }
        assert_eq!(index, 1 << 32);
    }

    #[test]
    fn blocks_tile_all_indices() {
        assert_tiled::<6, 3, 192>();
        assert_tiled::<0, 0, 33>();
    }

    #[test]
    fn an_element_does_not_move_when_others_are_made() {
        let array = Fine::<AtomicU64>::new();
        assert!(array.get(0).is_none());
        let first = array.grow(3).unwrap();
        first.store(7, Ordering::Relaxed);
        for index in [64, 100_000, 5] {
            assert_eq!(array.grow(index).unwrap().load(Ordering::Relaxed), 0);
        }
        assert!(ptr::eq(array.get(3).unwrap(), first));
        assert_eq!(first.load(Ordering::Relaxed), 7);
        assert_eq!(array.contiguous(), 128);
    }
}
