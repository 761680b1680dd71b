#![expect(
    unsafe_code,
    reason = "raw memory: an array that grows behind a shared reference and never moves an element"
)]
//! An array that grows block by block, never moves an element, and can grow while others read it.
//!
//! Block sizes follow the index, as in a floating-point number: every octave `[2^k, 2^(k+1))` is
//! split into the same number of equal blocks. So the directory is a small array in place, and at
//! most one split of an octave is allocated but unused. To start with blocks of `2^FIRST` elements,
//! indices are moved up by as much as the octaves before would hold.
//!
//! ```text
//! FIRST = 10, four blocks an octave:  0..1024 1024..2048 … 3072..4096 | 4096..6144 6144..8192 … | 12288..16384 …
//!                                     four blocks of 1024               four of 2048                four of 4096
//! ```
//!
//! The block of an index is the exponent and the first bits of the fraction of that number: one
//! conversion and one shift. (Counting leading zeros would do as well, but the baseline x86-64
//! instruction for it waits for the register that it writes to, which in a loop of lookups holds
//! what was loaded last: `docs/decisions/0002-block-map.md`.)
//!
//! # Invariants
//!
//! - **B1** A directory entry is null, or there is a block of the `len` elements that `BLOCKS`
//!   says, all initialised: they start as zero bytes, which [`Zeroed`] elements may be, unless
//!   whoever grew the block vouches for them. The entry is the address of its first element less
//!   `first` elements, so that an index is added to it as it is.
//! - **B2** An entry goes from null to a block once and stays until the array is dropped.
//! - **B4** Some blocks in a row may be one allocation, laid out as one `long` block: a *piece*.
//!   They have equal entries. Every other block is a piece by itself.

use alloc::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use core::marker::PhantomData;
use core::mem::needs_drop;
use core::ops::{Range, RangeInclusive};
use core::ptr::{self, NonNull};
use core::slice;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use crate::error::OutOfMemory;

mod table;

pub use table::Chart;
use table::Table;

/// Tells the compiler that a path is rarely taken, so that it is a branch: the processor then goes
/// on with the likely path without waiting for the memory that decides.
#[cold]
#[inline(always)]
pub const fn unlikely() {}

/// What an array is made of: blocks of elements for which all zero bytes are a valid value.
///
/// # Safety
///
/// Zero bytes are a valid, initialised `Self`, and a block of the [`layout`](Self::layout) has room
/// for that many. If [`known`](Self::known) gives a pointer, it is the entry.
pub unsafe trait Zeroed: Sized {
    /// The memory of a block of `len` elements: an array, unless it is more than that.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`] if it would be larger than the address space.
    fn layout(len: usize) -> Result<Layout, OutOfMemory> {
        Layout::array::<Self>(len).map_err(|_| OutOfMemory { bytes: usize::MAX })
    }

    /// What the table keeps of a block: all that is needed to find an element of it.
    type Known: Copy;

    /// What the table keeps of a block, by its [`Directory::entry`], its first index and its
    /// length.
    fn known(entry: NonNull<Self>, first: u32, len: u32) -> Self::Known;

    /// Stands where no block is known.
    const NOWHERE: Self::Known;
}

/// Elements are found by adding the index to the entry: the table keeps that as it is.
macro_rules! found_by_entry {
    () => {
        type Known = NonNull<Self>;

        #[inline(always)]
        fn known(entry: NonNull<Self>, _first: u32, _len: u32) -> NonNull<Self> {
            entry
        }

        const NOWHERE: NonNull<Self> = NonNull::dangling();
    };
}
pub(crate) use found_by_entry;

// SAFETY: an integer, and atomics have the layout of the integer inside.
unsafe impl Zeroed for AtomicU64 {
    found_by_entry!();
}
// SAFETY: words, and nothing between them.
unsafe impl Zeroed for Line {
    found_by_entry!();
}
// SAFETY: as its elements.
unsafe impl<E: Zeroed, const LEN: usize> Zeroed for [E; LEN] {
    found_by_entry!();
}

/// A cache line of words.
#[repr(align(64))]
pub struct Line(pub [AtomicU64; 8]);

/// The directory: `N` blocks, the first ones of `2^FIRST` elements, `2^SPLIT` blocks to an octave.
pub struct Directory<E: Zeroed, const FIRST: u32, const SPLIT: u32, const N: usize> {
    /// One for each block, as B1 says.
    entries: [AtomicPtr<E>; N],
    table: Table<E>,
    /// The blocks that were made together, as one. Empty while there are none.
    long: Block,
    owned: PhantomData<E>,
}

/// Allocates memory, as those of the standard library do.
type Allocate = unsafe fn(Layout) -> *mut u8;

/// Which indices a block has, or a piece.
#[derive(Clone, Copy)]
struct Block {
    first: u32,
    /// At most `2^31`: an octave of 32 bits.
    len: u32,
}

/// Four blocks an octave, from 1024 elements up: for things, where unused memory counts, and so
/// does the number of blocks that a walk begins anew at.
pub type Fine<E> = Directory<E, 10, 2, 81>;

/// The chart of a [`Fine`] array.
pub type FineChart<'a, E> = Chart<'a, E, 10>;

/// One block an octave, from 64 elements up, each octave as long as the one of [`Fine`] blocks of
/// 64 elements each: for what is kept once per group of 64 slots.
pub type Coarse<E> = Directory<E, 6, 0, 27>;

impl<E: Zeroed, const FIRST: u32, const SPLIT: u32, const N: usize> Directory<E, FIRST, SPLIT, N> {
    /// Holds nothing and allocates nothing.
    #[expect(clippy::new_without_default, reason = "nobody needs a directory by default")]
    pub const fn new() -> Self {
        const { assert!(N == Self::number(u32::MAX) + 1, "the directory has one entry per block") };
        let entries = [const { AtomicPtr::new(ptr::null_mut()) }; N];
        Self { entries, table: Table::new(), long: Block { first: 0, len: 0 }, owned: PhantomData }
    }

    /// All blocks, in order.
    const BLOCKS: [Block; N] = {
        let mut blocks = [Block { first: 0, len: 0 }; N];
        let mut number = 0;
        while number < N {
            let octave = FIRST + SPLIT + (number >> SPLIT) as u32;
            let len = 1u64 << (octave - SPLIT);
            let first = (1 << octave) + (number as u64 & ((1 << SPLIT) - 1)) * len - Self::LIFT;
            // The last block ends with the last index.
            let len = if first + len > 1 << 32 { (1 << 32) - first } else { len };
            blocks[number] = Block { first: first as u32, len: len as u32 };
            number += 1;
        }
        blocks
    };

    /// How far indices are moved up: what the octaves before the first one would hold.
    const LIFT: u64 = 1 << (FIRST + SPLIT);

    /// The number of the block that `index` lies in, whether or not there is memory yet.
    #[inline(always)]
    const fn number(index: u32) -> usize {
        const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
        let lifted = (index as i64 + Self::LIFT as i64) as f64; // exact: 33 bits
        let exponent_of_first = (f64::MAX_EXP as u64 - 1) + (FIRST + SPLIT) as u64;
        ((lifted.to_bits() >> (MANTISSA - SPLIT)) - (exponent_of_first << SPLIT)) as usize
    }

    #[inline(always)]
    fn block(index: u32) -> Block {
        let blocks = const { &Self::BLOCKS };
        // SAFETY: in bounds, as in `entry`.
        unsafe { *blocks.get_unchecked(Self::number(index)) }
    }

    /// What is kept of the block that `index` lies in: null where there is no memory yet.
    #[inline(always)]
    pub fn entry(&self, index: u32) -> *mut E {
        let number = Self::number(index);
        debug_assert!(number < N);
        // SAFETY: in bounds: numbers come from `number`, which grows with the index, and `new`
        // asserts that the largest index gives `N - 1`.
        unsafe { self.entries.get_unchecked(number) }.load(Ordering::Acquire)
    }

    /// The element at `index`, if there is memory for it.
    #[inline(always)]
    pub fn element(&self, index: u32) -> Option<NonNull<E>> {
        element(self.entry(index), index)
    }

    /// The piece that `index` lies in, if it has memory: as the table would have it.
    #[inline]
    pub fn find(&self, index: u32) -> Option<E::Known> {
        let Block { first, len } = self.piece(index);
        NonNull::new(self.entry(index)).map(|entry| E::known(entry, first, len))
    }

    /// The piece that `index` lies in (B4).
    #[inline]
    fn piece(&self, index: u32) -> Block {
        if index.wrapping_sub(self.long.first) < self.long.len {
            self.long
        } else {
            Self::block(index)
        }
    }

    /// Whether the block of `index` is a piece by itself.
    pub fn is_apart(&self, index: u32) -> bool {
        self.piece(index).len == Self::block(index).len
    }

    /// How many elements from `index` on are in the same block.
    #[inline]
    pub fn run_len(index: u32) -> u32 {
        let Block { first, len } = Self::block(index);
        len - (index - first)
    }
}

impl<E: Zeroed, const FIRST: u32, const SPLIT: u32, const N: usize> Directory<E, FIRST, SPLIT, N> {
    /// The element at `index`, if there is memory for it.
    #[inline(always)]
    pub fn get(&self, index: u32) -> Option<&E> {
        // SAFETY: an initialised element (B1) that lives as long as `self` (B2); mutable
        // references come from `&mut self` only.
        self.element(index).map(|element| unsafe { element.as_ref() })
    }

    /// The element at `index`, to be changed, if there is memory for it.
    #[inline(always)]
    pub fn get_mut(&mut self, index: u32) -> Option<&mut E> {
        // SAFETY: as in `get`; `&mut self` keeps every other reference away.
        self.element(index).map(|mut element| unsafe { element.as_mut() })
    }

    /// The elements from `index` to the end of its block; empty if there is no memory.
    #[inline]
    pub fn rest_of_block(&self, index: u32) -> &[E] {
        let Some(element) = self.element(index) else { return &[] };
        // SAFETY: in bounds and initialised (B1); as in `get` for the lifetime and for aliasing.
        unsafe { slice::from_raw_parts(element.as_ptr(), Self::run_len(index) as usize) }
    }

    /// Makes memory for the block of `index` unless it is there. Others may read, and grow, at the
    /// same time.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`] if the allocator refuses or the block would be larger than the address
    /// space.
    #[cold]
    pub fn grow(&self, index: u32) -> Result<&E, OutOfMemory> {
        // SAFETY: zero bytes are valid elements.
        unsafe { self.install(index, alloc_zeroed) }?;
        self.get(index).ok_or_else(|| unreachable!("B2: a block that was there is gone"))
    }

    /// As [`grow`](Self::grow), but a new block is not initialised.
    ///
    /// # Errors
    ///
    /// As [`grow`](Self::grow).
    ///
    /// # Safety
    ///
    /// Elements of the block are not looked at before they were written: only their addresses are
    /// asked for, by [`element`](Self::element) and [`chart`](Self::chart).
    #[cold]
    pub unsafe fn grow_uninit(&self, index: u32) -> Result<(), OutOfMemory> {
        // SAFETY: passed on from the caller.
        unsafe { self.install(index, alloc) }
    }

    /// Makes memory for the blocks from that of `first` to that of `last`, up to one that has some,
    /// as one piece. Answers where it ends. Nothing is made if the first has memory, or if there is
    /// a piece of several blocks already.
    ///
    /// # Errors
    ///
    /// As [`grow`](Self::grow).
    pub fn grow_together(&mut self, first: u32, last: u32) -> Result<u64, OutOfMemory> {
        // SAFETY: zero bytes are valid elements.
        unsafe { self.join(first, last, alloc_zeroed) }
    }

    /// As [`grow_together`](Self::grow_together), but the piece is not initialised.
    ///
    /// # Errors
    ///
    /// As [`grow`](Self::grow).
    ///
    /// # Safety
    ///
    /// As for [`grow_uninit`](Self::grow_uninit).
    pub unsafe fn grow_together_uninit(
        &mut self,
        first: u32,
        last: u32,
    ) -> Result<u64, OutOfMemory> {
        // SAFETY: passed on from the caller.
        unsafe { self.join(first, last, alloc) }
    }

    /// # Safety
    ///
    /// As for [`make`](Self::make).
    unsafe fn join(
        &mut self,
        first: u32,
        last: u32,
        allocate: Allocate,
    ) -> Result<u64, OutOfMemory> {
        let number = Self::number(first);
        if Self::number(last) == N - 1 {
            self.grow(last)?; // by itself: all together would be one more than can be counted
        }
        let numbers = number..=Self::number(last).min(N - 2);
        let bare = |number: &usize| {
            self.long.len == 0 && self.entries[*number].load(Ordering::Relaxed).is_null()
        };
        let numbers = number..number + numbers.take_while(bare).count();
        let len = Self::BLOCKS[numbers.clone()].iter().map(|block| block.len).sum();
        let piece = Block { len, ..Self::block(first) };
        if len > 0 {
            // SAFETY: passed on from the caller.
            let (entry, _) = unsafe { Self::make(piece, allocate) }?;
            if numbers.len() > 1 {
                self.long = piece;
            }
            self.entries[numbers].iter_mut().for_each(|block| *block.get_mut() = entry.as_ptr());
        }
        Ok(u64::from(piece.first) + u64::from(len))
    }

    /// # Safety
    ///
    /// As for [`make`](Self::make).
    unsafe fn install(&self, index: u32, allocate: Allocate) -> Result<(), OutOfMemory> {
        if self.entry(index).is_null() {
            let block = Self::block(index);
            // SAFETY: passed on from the caller.
            let (fresh, layout) = unsafe { Self::make(block, allocate) }?;
            let entry = &self.entries[Self::number(index)];
            if entry
                .compare_exchange(
                    ptr::null_mut(),
                    fresh.as_ptr(),
                    Ordering::AcqRel,
                    Ordering::Acquire,
                )
                .is_err()
            {
                // SAFETY: made above with this layout, and nobody else has seen it.
                unsafe {
                    dealloc(fresh.as_ptr().wrapping_add(block.first as usize).cast(), layout)
                };
            }
        }
        Ok(())
    }

    /// Memory for a piece: its entry, and its layout. Nobody else knows of it yet.
    ///
    /// # Safety
    ///
    /// What `allocate` returns is null or memory of the layout it is given, that may be freed by
    /// `dealloc`; and it holds valid elements, or the caller sees to it that they are not looked
    /// at.
    unsafe fn make(piece: Block, allocate: Allocate) -> Result<(NonNull<E>, Layout), OutOfMemory> {
        let layout = E::layout(piece.len as usize)?;
        assert!(layout.size() > 0, "a block has a size");
        let fresh = || {
            // SAFETY: the size is not zero, as was asserted just now.
            let fresh = unsafe { allocate(layout) }.cast::<E>();
            NonNull::new(fresh).map(NonNull::as_ptr).ok_or(OutOfMemory { bytes: layout.size() })
        };
        let entry_of = |base: *mut E| NonNull::new(base.wrapping_sub(piece.first as usize));
        let base = fresh()?;
        if let Some(entry) = entry_of(base) {
            return Ok((entry, layout));
        }
        // Null means "no memory": of all addresses, this one cannot be told from that. Another one
        // can.
        let other = fresh();
        // SAFETY: made above with this layout, and nobody else has seen it.
        unsafe { dealloc(base.cast(), layout) };
        let Some(entry) = entry_of(other?) else { unreachable!("two allocations at one address") };
        Ok((entry, layout))
    }

    /// The indices of the block of `index`, with or without memory.
    pub fn bounds(index: u32) -> RangeInclusive<u32> {
        let Block { first, len } = Self::block(index);
        first..=first + (len - 1)
    }

    /// Makes memory for all blocks of a range of indices.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`], as [`grow`](Self::grow).
    pub fn grow_all(&self, range: RangeInclusive<u32>) -> Result<(), OutOfMemory> {
        let mut next = Some(*range.start());
        while let Some(index) = next.filter(|index| range.contains(index)) {
            self.grow(index)?;
            next = Self::bounds(index).end().checked_add(1);
        }
        Ok(())
    }

    /// The indices that have memory now, block by block.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> + use<E, FIRST, SPLIT, N> {
        let blocks = const { &Self::BLOCKS };
        let there = self.entries.each_ref().map(|entry| !entry.load(Ordering::Acquire).is_null());
        let there = there.into_iter().zip(blocks).filter(|(there, _)| *there);
        there
            .map(|(_, block)| u64::from(block.first)..u64::from(block.first) + u64::from(block.len))
    }

    /// How many elements have memory, counted from index 0 up to the first gap.
    pub fn contiguous(&self) -> u64 {
        self.ranges().fold(0, |end, range| if range.start == end { range.end } else { end })
    }
}

impl<E: Zeroed, const FIRST: u32, const SPLIT: u32, const N: usize> Drop
    for Directory<E, FIRST, SPLIT, N>
{
    fn drop(&mut self) {
        const {
            assert!(
                !needs_drop::<E>(),
                "elements are dropped by whoever knows which of them hold a value"
            )
        };
        for block in const { &Self::BLOCKS } {
            let (entry, piece) = (self.entry(block.first), self.piece(block.first));
            if !entry.is_null() && piece.first == block.first {
                let Ok(layout) = E::layout(piece.len as usize) else {
                    unreachable!("`make` had the same layout")
                };
                // SAFETY: `make` made the piece with this layout, that of the same length and
                // element type (B4), and this is the only place that frees an installed piece,
                // once, when its first block comes.
                unsafe { dealloc(entry.wrapping_add(piece.first as usize).cast(), layout) };
            }
        }
    }
}

/// The element at `index` of the block of an entry, unless that is null.
#[inline(always)]
fn element<E>(entry: *mut E, index: u32) -> Option<NonNull<E>> {
    if entry.is_null() {
        unlikely();
        return None;
    }
    // SAFETY: not null: a block has this element at this address (B1), and no object is at the null
    // address.
    Some(unsafe { NonNull::new_unchecked(entry.wrapping_add(index as usize)) })
}

// SAFETY: the array owns its elements; the raw pointers in it are never handed to anyone who could
// outlive it.
unsafe impl<E: Zeroed + Send, const FIRST: u32, const SPLIT: u32, const N: usize> Send
    for Directory<E, FIRST, SPLIT, N>
{
}
// SAFETY: the table is changed behind `&mut self` only; `&self` gives out `&E`, and makes new
// elements out of zero bytes; the latter moves no `E` between threads.
unsafe impl<E: Zeroed + Sync, const FIRST: u32, const SPLIT: u32, const N: usize> Sync
    for Directory<E, FIRST, SPLIT, N>
{
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks the blocks in order: they must tile the indices without gap or overlap.
    fn assert_tiled<const FIRST: u32, const SPLIT: u32, const N: usize>() {
        let mut index = 0u64;
        for (number, block) in
            Directory::<AtomicU64, FIRST, SPLIT, N>::BLOCKS.into_iter().enumerate()
        {
            assert_eq!(u64::from(block.first), index);
            assert!(block.len >= 1 << FIRST);
            index += u64::from(block.len);
            for inside in [block.first, block.first + 1, (index - 1) as u32] {
                assert_eq!(
                    Directory::<AtomicU64, FIRST, SPLIT, N>::number(inside),
                    number,
                    "at {inside}"
                );
            }
        }
        assert_eq!(index, 1 << 32);
    }

    #[test]
    fn blocks_tile_all_indices() {
        assert_tiled::<10, 2, 81>();
        assert_tiled::<9, 3, 161>();
        assert_tiled::<6, 0, 27>();
        assert_tiled::<3, 0, 30>();
    }

    /// Whether two neighbours lie side by side.
    fn are_joined(array: &Fine<AtomicU64>, index: u32) -> bool {
        array
            .get(index)
            .zip(array.get(index + 1))
            .is_some_and(|(one, next)| ptr::eq(ptr::from_ref(one).wrapping_add(1), next))
    }

    #[test]
    fn blocks_that_are_made_together_are_one_array_up_to_one_that_is_there() {
        let mut array = Fine::<AtomicU64>::new();
        array.grow(6144).unwrap().store(7, Ordering::Relaxed);
        assert_eq!(array.grow_together(1030, 9000), Ok(6144)); // from the start of the block of 1030
        assert_eq!((array.get(1023).is_none(), array.get(8192).is_none()), (true, true));
        assert!([2047, 3071, 4095].iter().all(|&end| are_joined(&array, end)));
        assert!((1024..6144).all(|index| array.get(index).unwrap().load(Ordering::Relaxed) == 0));
        assert_eq!(
            [1023, 1024, 4096, 6143, 6144].map(|index| array.is_apart(index)),
            [true, false, false, false, true]
        );
        // Nothing where there is something, and nothing once there is a long piece.
        assert_eq!(array.grow_together(6144, 9000), Ok(6144));
        assert_eq!(array.grow_together(8192, 70_000), Ok(8192));
        assert_eq!(
            (array.get(6144).unwrap().load(Ordering::Relaxed), array.get(8192).is_none()),
            (7, true)
        );
    }

    #[test]
    fn one_block_made_by_itself_does_not_keep_others_from_being_one() {
        let mut array = Fine::<AtomicU64>::new();
        assert_eq!(array.grow_together(0, 5), Ok(1024));
        assert_eq!(array.grow_together(1024, 4096), Ok(6144));
        assert_eq!((array.is_apart(5), array.is_apart(1024)), (true, false));
        array.know(u64::MAX).unwrap();
        assert!((0..6144).all(|index| array.chart().element(index) == array.element(index)));
    }

    /// An element that takes no memory, in pieces that take little, if they are not too long.
    struct Nothing<const MOST: usize>;

    // SAFETY: there is nothing to be valid.
    unsafe impl<const MOST: usize> Zeroed for Nothing<MOST> {
        fn layout(len: usize) -> Result<Layout, OutOfMemory> {
            if len <= MOST { Ok(Layout::new::<u64>()) } else { Err(OutOfMemory { bytes: len }) }
        }

        found_by_entry!();
    }

    #[test]
    fn all_there_is_can_be_made_together() {
        let mut array = Fine::<Nothing<{ usize::MAX }>>::new();
        let last = *Fine::<Nothing<{ usize::MAX }>>::bounds(u32::MAX).start();
        assert_eq!(array.grow_together(0, u32::MAX), Ok(last.into()));
        assert_eq!(
            [0, last - 1, last, u32::MAX].map(|index| array.is_apart(index)),
            [false, false, true, true]
        );
        assert!([0, last - 1, last, u32::MAX].iter().all(|&index| array.element(index).is_some()));
    }

    #[test]
    fn a_piece_that_there_is_no_memory_for_is_an_error_and_leaves_nothing() {
        let mut array = Fine::<Nothing<3000>>::new();
        // Up to the ends of the blocks of 3072 and 10,000.
        for (last, bytes) in [(3072, 3072), (10_000, 9216)] {
            assert_eq!(array.grow_together(1024, last), Err(OutOfMemory { bytes }));
            assert!(array.element(1024).is_none() && array.is_apart(1024));
        }
        assert_eq!(array.grow_together(1024, 2048), Ok(3072));
    }

    #[test]
    fn an_element_does_not_move_when_others_are_made() {
        let array = Fine::<AtomicU64>::new();
        assert!(array.get(0).is_none());
        let first = array.grow(3).unwrap();
        first.store(7, Ordering::Relaxed);
        for index in [1024, 100_000, 5] {
            assert_eq!(array.grow(index).unwrap().load(Ordering::Relaxed), 0);
        }
        assert!(ptr::eq(array.get(3).unwrap(), first));
        assert_eq!(first.load(Ordering::Relaxed), 7);
        assert_eq!(array.contiguous(), 2048);
    }
}
