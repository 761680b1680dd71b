#![expect(
    unsafe_code,
    reason = "raw memory: an array of slots that grows and never moves one of them"
)]
//! Memory that never moves, and where a slot is in it.
//!
//! ```text
//! table     an entry per chunk of slots     ●    ●    ●    ●    ○    ○    ○    ●
//!                                           │    │    └─┬──┘    └────┼────┘    │
//! extents   each as long as all before   [ 0  ][ 1  ][ 2   3  ]   [void]    [ 7  ]
//!                                                                                ▲
//!                                          used: from here on no slot has a stamp
//! ```
//!
//! An entry is the address of its extent less what lies before it, so that an index is added to it
//! as it is: a lookup is a comparison, a shift, a load and an addition. A slot far from all others
//! has an extent of its own. The chunks in between have no memory: their entries lead to the void,
//! one chunk whose stamps no handle matches, so that a lookup need not ask whether there is memory.
//!
//! Fresh memory is not cleared. It is opened as slots come into use, 64 at a time: what is opened is
//! written to soon, and is in the cache by then; what is never used is never touched.
//!
//! Growing needs `&mut`, so that lookups are plain loads. What comes behind a shared reference waits
//! in the nursery (`cells/nursery.rs`).
//!
//! # Invariants
//!
//! - **M1** Extents are in order and do not overlap. Each begins and ends where a chunk does, and is
//!   one allocation with the layout of its length.
//! - **M2** The table has an entry for every chunk below `used`: that of the extent which the chunk
//!   lies in, or one that leads to the void, whose stamps stay zero.
//! - **M3** Every slot below `used` whose chunk does not lead to the void was opened, once. `used` is
//!   a multiple of 64, and lies at the end of a chunk or in one that has an extent.

use alloc::alloc::{Layout, alloc, dealloc};
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::Range;
use core::ptr::NonNull;

use crate::error::OutOfMemory;
use crate::slots::GROUP;

/// Tells the compiler that a path is rarely taken, so that it is a branch: the processor then goes
/// on with the likely path without waiting for the memory that decides.
#[cold]
#[inline(always)]
pub const fn unlikely() {}

/// What an extent is made of: rows, or columns.
///
/// # Safety
///
/// - A layout is not of zero bytes, and [`entry`](Self::entry) leads to memory of the extent only.
/// - [`open`](Self::open) gives 64 slots stamps of 0 and whatever else their places rely on.
pub unsafe trait Extent: Sized {
    /// What the table keeps of an extent: all that is needed to find a slot of it.
    type Entry: Copy + PartialEq;

    /// A chunk has `2^SHIFT` slots: 64 at least.
    const SHIFT: u32;

    /// The memory of so many slots.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`] if it would be larger than the address space.
    fn layout(slots: usize) -> Result<Layout, OutOfMemory>;

    /// The entry of an extent, by where it is, its first slot and its length.
    fn entry(base: NonNull<u8>, first: u32, slots: u32) -> Self::Entry;

    /// Makes the 64 slots from `first` on ones that were never used.
    ///
    /// # Safety
    ///
    /// The slots are of the extent of this entry, and nobody has looked at them yet.
    unsafe fn open(entry: Self::Entry, first: u32);

    /// Frees what 64 slots have beside the extent: nothing, if they are not to be used again.
    ///
    /// # Safety
    ///
    /// The slots are of the extent of this entry and were opened. They hold no values, and nobody
    /// looks at them any more.
    unsafe fn close(_entry: Self::Entry, _first: u32) {}
}

/// The slots that have memory, and the way to each.
pub struct Directory<E: Extent> {
    table: Vec<E::Entry>,
    used: u64,
    extents: Vec<Allocation>,
    /// The chunk that entries lead to where there is no memory.
    void: Option<Allocation>,
    owned: PhantomData<E>,
}

/// The memory of an extent.
struct Allocation {
    base: NonNull<u8>,
    first: u32,
    slots: u32,
}

impl Allocation {
    /// So many slots from `first` on.
    fn new<E: Extent>(first: u32, slots: u32) -> Result<Self, OutOfMemory> {
        let layout = Self::layout::<E>(slots)?;
        // SAFETY: the layout is not of zero bytes (`Extent` is unsafe to implement).
        let base = NonNull::new(unsafe { alloc(layout) });
        let base = base.ok_or(OutOfMemory { bytes: layout.size() })?;
        #[cfg(all(feature = "huge-pages", target_os = "linux"))]
        if layout.size() >= Self::HUGE {
            // Whole pages of 2 MB only: the rest may be of the allocator's neighbours.
            let whole = layout.size() & !(Self::PAGE - 1);
            // SAFETY: advice about memory that is ours; it changes no byte of it. That it is refused
            // where the kernel has no huge pages does no harm.
            _ = unsafe { libc::madvise(base.as_ptr().cast(), whole, libc::MADV_HUGEPAGE) };
        }
        Ok(Self { base, first, slots })
    }

    /// The layout that so many slots are allocated with.
    fn layout<E: Extent>(slots: u32) -> Result<Layout, OutOfMemory> {
        let layout = E::layout(slots as usize)?;
        if cfg!(all(feature = "huge-pages", target_os = "linux")) && layout.size() >= Self::HUGE {
            return layout.align_to(Self::PAGE).map_err(|_| OutOfMemory { bytes: layout.size() });
        }
        Ok(layout)
    }

    /// The size of a huge page.
    const PAGE: usize = 2 << 20;

    /// From this size on an extent asks for huge pages. Below, they would cost a small pool 2 MB.
    const HUGE: usize = 2 * Self::PAGE;

    /// Gives the memory back.
    fn free<E: Extent>(self) {
        let Ok(layout) = Self::layout::<E>(self.slots) else {
            unreachable!("`new` had the same layout")
        };
        // SAFETY: `new` made it with this layout (M1). It is consumed: nobody frees it again.
        unsafe { dealloc(self.base.as_ptr(), layout) };
    }

    fn end(&self) -> u64 {
        u64::from(self.first) + u64::from(self.slots)
    }
}

impl<E: Extent> Directory<E> {
    /// Slots of a chunk.
    const CHUNK: u64 = {
        assert!(1 << E::SHIFT >= GROUP, "a group of 64 slots lies in one chunk");
        1 << E::SHIFT
    };

    /// An extent is shorter than this, so that its length fits into 32 bits.
    const LONGEST: u64 = 1 << 31;

    /// Holds nothing and allocates nothing.
    #[expect(clippy::new_without_default, reason = "nobody needs a directory by default")]
    pub const fn new() -> Self {
        Self { table: Vec::new(), used: 0, extents: Vec::new(), void: None, owned: PhantomData }
    }

    /// The entry for slot `index`, unless it lies behind all that was opened. It may lead to the
    /// void: there the stamp is zero, and nothing may be written.
    #[inline(always)]
    pub fn find(&self, index: u32) -> Option<E::Entry> {
        if u64::from(index) >= self.used {
            unlikely();
            return None;
        }
        // SAFETY: in bounds: the table has an entry for every chunk below `used` (M2).
        Some(unsafe { *self.table.get_unchecked((index >> E::SHIFT) as usize) })
    }

    /// The entry for slot `index`, if the slot was opened.
    #[inline]
    pub fn opened(&self, index: u32) -> Option<E::Entry> {
        self.find(index).filter(|&entry| !self.is_void(entry, index))
    }

    /// Whether the entry for slot `index` leads to the void.
    #[inline]
    fn is_void(&self, entry: E::Entry, index: u32) -> bool {
        let chunk = index >> E::SHIFT << E::SHIFT;
        self.void.as_ref().is_some_and(|void| entry == E::entry(void.base, chunk, void.slots))
    }

    /// Opens slot `index` and its group of 64, with memory if there is none yet.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`] if memory is refused; nothing has changed that anybody could see.
    pub fn open(&mut self, index: u32) -> Result<E::Entry, OutOfMemory> {
        if let Some(entry) = self.opened(index) {
            return Ok(entry);
        }
        let entry = self.entry(index)?;
        let chunk = u64::from(index) / Self::CHUNK * Self::CHUNK;
        self.grow_table(chunk, entry)?;
        let group = (u64::from(index) + 1).next_multiple_of(u64::from(GROUP));
        let slots = if chunk + Self::CHUNK <= self.used {
            chunk..chunk + Self::CHUNK // was passed over, and lookups may come at once
        } else if chunk < self.used {
            self.used..group
        } else {
            self.open_rest();
            chunk..group
        };
        self.used = self.used.max(slots.end);
        self.open_groups(entry, slots);
        self.table[(chunk >> E::SHIFT) as usize] = entry;
        Ok(entry)
    }

    /// Opens what is left of a chunk that is open in part.
    fn open_rest(&mut self) {
        let end = self.used.next_multiple_of(Self::CHUNK);
        if self.used < end {
            let entry = self.table[(self.used >> E::SHIFT) as usize]; // not the void (M3)
            self.open_groups(entry, self.used..end);
            self.used = end;
        }
    }

    fn open_groups(&mut self, entry: E::Entry, slots: Range<u64>) {
        for first in slots.step_by(GROUP as usize) {
            // SAFETY: callers pass slots of chunks of this entry that were not opened before.
            unsafe { E::open(entry, first as u32) };
        }
    }

    /// The entry of the extent that slot `index` lies in, which is made if need be.
    fn entry(&mut self, index: u32) -> Result<E::Entry, OutOfMemory> {
        while self.extent(index).is_none() {
            let wanted = u64::from(index) / Self::CHUNK * Self::CHUNK;
            let at = self.extents.partition_point(|extent| extent.first <= index);
            let before = at.checked_sub(1).map_or(0, |at| self.extents[at].end());
            let all: u64 = self.extents.iter().map(|extent| u64::from(extent.slots)).sum();
            // Beside what is there, as long as all of it; or else by itself, as short as can be.
            let (first, len) = match wanted - before <= all {
                true => (before, all.max(wanted + Self::CHUNK - before)),
                false => (wanted, Self::CHUNK),
            };
            self.allocate(first, first + len)?;
        }
        let Some(extent) = self.extent(index) else { unreachable!("made just now") };
        Ok(E::entry(extent.base, extent.first, extent.slots))
    }

    /// The extent that slot `index` lies in.
    fn extent(&self, index: u32) -> Option<&Allocation> {
        let at = self.extents.partition_point(|extent| extent.first <= index);
        self.extents[..at].last().filter(|extent| u64::from(index) < extent.end())
    }

    /// Makes an extent from `first` on, to `end` or to where the next one begins.
    fn allocate(&mut self, first: u64, end: u64) -> Result<(), OutOfMemory> {
        let at = self.extents.partition_point(|extent| u64::from(extent.first) <= first);
        let next = self.extents.get(at).map_or(1 << 32, |extent| u64::from(extent.first));
        let slots = end.next_multiple_of(Self::CHUNK).min(next).min(first + Self::LONGEST) - first;
        let (first, slots) = (first as u32, slots as u32);
        let bytes = size_of::<Allocation>();
        self.extents.try_reserve(1).map_err(|_| OutOfMemory { bytes })?;
        self.extents.insert(at, Allocation::new::<E>(first, slots)?);
        Ok(())
    }

    /// Makes room in the table for the chunk that begins with slot `chunk`.
    fn reserve_table(&mut self, chunk: u64) -> Result<(), OutOfMemory> {
        let len = (chunk >> E::SHIFT) as usize + 1;
        let missing = len.saturating_sub(self.table.len());
        let bytes = len.saturating_mul(size_of::<E::Entry>());
        self.table.try_reserve(missing).map_err(|_| OutOfMemory { bytes })
    }

    /// Makes the table long enough for the chunk that begins with slot `chunk`, whose entry is this.
    /// The entries of chunks that are passed over lead to the void.
    fn grow_table(&mut self, chunk: u64, entry: E::Entry) -> Result<(), OutOfMemory> {
        self.reserve_table(chunk)?;
        let last = (chunk >> E::SHIFT) as usize;
        if self.table.len() < last && self.void.is_none() {
            let void = Allocation::new::<E>(0, Self::CHUNK as u32)?;
            self.open_groups(E::entry(void.base, 0, void.slots), 0..Self::CHUNK);
            self.void = Some(void);
        }
        if let Some(void) = &self.void {
            let voids = self.table.len()..last;
            self.table
                .extend(voids.map(|n| E::entry(void.base, (n << E::SHIFT) as u32, void.slots)));
        }
        if self.table.len() == last {
            self.table.push(entry);
        }
        Ok(())
    }

    /// Makes memory for all slots below `end`, in one extent as far as they follow one another and
    /// have none, and opens none of them.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn reserve(&mut self, end: u64) -> Result<(), OutOfMemory> {
        let mut made = self.slots();
        while made < end {
            self.allocate(made, end)?;
            made = self.slots();
        }
        self.reserve_table(end.max(1) - 1)
    }

    /// The end of the extents that stay if those which lie at `keep` or later as a whole go.
    pub fn end_of_kept(&self, keep: u64) -> u64 {
        let kept = self.extents.partition_point(|extent| u64::from(extent.first) < keep);
        self.extents[..kept].last().map_or(0, Allocation::end)
    }

    /// Gives back the memory of all extents that lie at `keep` or later as a whole. Their slots
    /// hold no values, or these are forgotten.
    pub fn shrink(&mut self, keep: u64) {
        let end = self.end_of_kept(keep);
        for range in self.ranges().skip_while(|range| range.start < end) {
            let Some(entry) = self.opened(range.start as u32) else { continue };
            for first in range.step_by(GROUP as usize) {
                // SAFETY: opened slots of this entry. Their memory goes below, and so do the
                // entries that lead there: nobody looks at them any more.
                unsafe { E::close(entry, first as u32) };
            }
        }
        let kept = self.extents.partition_point(|extent| u64::from(extent.first) < keep);
        self.extents.drain(kept..).for_each(Allocation::free::<E>);
        self.used = self.used.min(end);
        self.table.truncate((self.used.div_ceil(Self::CHUNK)) as usize);
    }

    /// How many slots have memory, from slot 0 up to the first that has none.
    pub fn slots(&self) -> u64 {
        let next = |end, extent: &Allocation| {
            if u64::from(extent.first) == end { extent.end() } else { end }
        };
        self.extents.iter().fold(0, next)
    }

    /// How many chunks the table has.
    pub fn chunks(&self) -> usize {
        self.table.len()
    }

    /// The slots of a chunk that were opened, from its first one on.
    pub fn chunk(&self, number: usize) -> Option<Range<u64>> {
        let start = (number as u64) << E::SHIFT;
        self.opened(u32::try_from(start).ok()?)?;
        Some(start..(start + Self::CHUNK).min(self.used))
    }

    /// The slots that were opened, chunk by chunk, in order.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        let chunks = |extent: &Allocation| {
            (extent.first >> E::SHIFT) as usize..(extent.end() >> E::SHIFT) as usize
        };
        self.extents.iter().flat_map(chunks).filter_map(|number| self.chunk(number))
    }

    /// How many slots from `index` on lie side by side: a multiple of 64 if `index` is one, and 0
    /// if there is no memory.
    #[inline]
    pub fn run_len(&self, index: u32) -> u32 {
        self.extent(index).map_or(0, |extent| (extent.end() - u64::from(index)) as u32)
    }
}

impl<E: Extent> Drop for Directory<E> {
    fn drop(&mut self) {
        self.shrink(0);
        if let Some(void) = self.void.take() {
            void.free::<E>();
        }
    }
}

// SAFETY: the directory owns its memory, whose use it leaves to others; entries are addresses.
unsafe impl<E: Extent + Send> Send for Directory<E> {}
// SAFETY: behind `&self` it gives addresses away and changes nothing.
unsafe impl<E: Extent + Sync> Sync for Directory<E> {}

#[cfg(test)]
mod tests {
    use core::cell::Cell as Counter;
    use std::collections::{BTreeMap, BTreeSet};
    use std::vec::Vec;

    use super::*;

    /// A slot of eight bytes, opened by writing its number.
    struct Cell;

    std::thread_local! {
        /// How many groups this thread has opened.
        static OPENED: Counter<usize> = const { Counter::new(0) };
    }

    // SAFETY: eight bytes a slot, side by side; a place relies on nothing.
    unsafe impl Extent for Cell {
        type Entry = *mut u64;

        const SHIFT: u32 = 7;

        fn layout(slots: usize) -> Result<Layout, OutOfMemory> {
            // More than this is refused.
            match Layout::array::<u64>(slots) {
                Ok(layout) if slots <= 1 << 24 => Ok(layout),
                _ => Err(OutOfMemory { bytes: slots }),
            }
        }

        fn entry(base: NonNull<u8>, first: u32, _: u32) -> *mut u64 {
            base.as_ptr().cast::<u64>().wrapping_sub(first as usize)
        }

        unsafe fn open(entry: *mut u64, first: u32) {
            OPENED.set(OPENED.get() + 1);
            for index in first..first + GROUP {
                // SAFETY: slots of the extent (by the caller).
                unsafe { entry.wrapping_add(index as usize).write(index.into()) };
            }
        }
    }

    fn value(memory: &Directory<Cell>, index: u32) -> Option<u64> {
        // SAFETY: an opened slot, which `open` has written.
        memory.opened(index).map(|entry| unsafe { entry.wrapping_add(index as usize).read() })
    }

    #[test]
    fn slots_are_where_a_map_of_groups_says() {
        for seed in 0..8 {
            let mut random = fastrand::Rng::with_seed(seed);
            OPENED.set(0);
            let mut memory = Directory::<Cell>::new();
            let (mut opened, mut places) = (BTreeSet::new(), BTreeMap::new());
            for step in 0..120 {
                let at = (seed, step);
                let next = memory.ranges().last().map_or(0, |range| range.end as u32);
                let index = match random.u8(..4) {
                    0 => random.u32(..5000),
                    1 => 1_000_000 * random.u32(1..40) + random.u32(..300),
                    _ => next,
                };
                if random.u8(..16) == 0 {
                    let end = memory.slots() + random.u64(..3000);
                    memory.reserve(end).unwrap();
                    assert!(memory.slots() >= end, "at {at:?}");
                }
                memory.open(index).unwrap();
                for range in memory.ranges() {
                    opened.extend((range.start..range.end).step_by(64));
                }
                assert!(opened.contains(&u64::from(index / 64 * 64)), "{index} at {at:?}");
                let ranges: Vec<u64> =
                    memory.ranges().flat_map(|range| range.step_by(64)).collect();
                assert!(ranges.iter().eq(&opened), "a group was closed again at {at:?}");
                let void = memory.void.as_ref().map_or(0, |void| void.slots as usize / 64);
                assert_eq!(OPENED.get(), opened.len() + void, "opened twice at {at:?}");
                for &group in &opened {
                    let (first, last) = (group as u32, group as u32 + 63);
                    assert_eq!(value(&memory, first), Some(group), "at {at:?}");
                    assert_eq!(value(&memory, last), Some(u64::from(last)), "at {at:?}");
                    let place = memory.opened(first).unwrap().wrapping_add(first as usize);
                    assert_eq!(*places.entry(group).or_insert(place), place, "it moved at {at:?}");
                    assert!(memory.run_len(first) >= 64 && memory.run_len(first) % 64 == 0);
                    if group > 0 && !opened.contains(&(group - 64)) {
                        assert_eq!(value(&memory, first - 1), None, "at {at:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn extents_are_as_long_as_all_before_them_and_a_far_slot_has_a_short_one() {
        let mut memory = Directory::<Cell>::new();
        let mut ends = Vec::new();
        for index in 0..2000 {
            memory.open(index).unwrap();
            ends.push(index + memory.run_len(index));
        }
        ends.dedup();
        assert_eq!(ends, [128, 256, 512, 1024, 2048]);
        memory.open(1 << 24).unwrap();
        assert_eq!((memory.run_len(1 << 24), memory.slots()), (128, 2048));
        assert_eq!((memory.opened(2048), memory.opened((1 << 24) - 1)), (None, None));
    }

    #[test]
    fn what_is_reserved_is_one_extent_and_is_not_open() {
        let mut memory = Directory::<Cell>::new();
        memory.open(0).unwrap();
        memory.reserve(10_000).unwrap();
        assert_eq!(memory.slots(), 10_112); // whole chunks
        assert_eq!(memory.run_len(128), 10_112 - 128);
        assert_eq!((memory.find(64), memory.ranges().map(|range| range.end).sum()), (None, 64u64));
    }

    #[test]
    fn memory_at_the_end_is_given_back_and_comes_again() {
        for far in [None, Some(1 << 20)] {
            let mut memory = Directory::<Cell>::new();
            (0..2000).for_each(|index| _ = memory.open(index).unwrap());
            far.map(|far| memory.open(far).unwrap());
            assert_eq!(memory.end_of_kept(700), 1024);
            memory.shrink(700);
            assert_eq!((value(&memory, 1023), value(&memory, 1024)), (Some(1023), None));
            assert_eq!(memory.slots(), 1024);
            memory.open(1500).unwrap();
            assert_eq!((value(&memory, 1500), value(&memory, 1100)), (Some(1500), None));
            memory.shrink(0);
            assert_eq!((memory.slots(), memory.find(0)), (0, None));
        }
    }

    #[test]
    fn memory_that_is_refused_changes_nothing() {
        let mut memory = Directory::<Cell>::new();
        memory.open(70).unwrap();
        let (ranges, slots) = (memory.ranges().collect::<Vec<_>>(), memory.slots());
        assert_eq!(memory.reserve(1 << 32), Err(OutOfMemory { bytes: (1 << 31) }));
        assert_eq!((memory.ranges().collect::<Vec<_>>(), memory.slots()), (ranges, slots));
        assert_eq!(value(&memory, 70), Some(70));
    }
}
