#![expect(
    unsafe_code,
    reason = "raw memory: slots that hold a value or not, side by side with their stamps"
)]
//! Array-of-structs storage: every thing whole, its stamp beside it, so that a lookup touches one
//! cache line.

use alloc::alloc::Layout;
use core::mem::{MaybeUninit, needs_drop, offset_of};
use core::ptr::NonNull;

use crate::error::OutOfMemory;
use crate::field::{Field, Fields};
use crate::generation::SPENT;
use crate::memory::{Directory, Extent};
use crate::prefetch::{SomeFields, prefetch};
use crate::slots::GROUP;
use crate::storage::{CloneStorage, Storage};
use crate::thing::Thing;

mod strips;

/// Things as whole structs, side by side: the default layout.
///
/// # Examples
///
/// ```
/// use lath_core::{Rows, Thing};
///
/// #[derive(Thing, Default)]
/// #[thing(rows)] // the default, may be left out
/// struct Ship { hull: f32 }
///
/// fn is_rows<T: Thing<Storage = Rows<T>>>() {}
/// is_rows::<Ship>();
/// ```
pub struct Rows<T: Thing> {
    slots: Directory<Row<T>>,
}

/// One slot. `#[repr(C)]` only to say that the stamp is in front; any order would do.
#[repr(C)]
pub struct Row<T: Thing> {
    stamp: u32,
    /// What the pool knows the tags to be, out of reach of whoever gets the value. Initialised
    /// whenever the value is.
    tags: MaybeUninit<T::Tags>,
    value: MaybeUninit<T>,
}

/// So many bytes of rows, at most, are found by one entry of the table.
const CHUNK_BYTES: usize = 1 << 16;

// SAFETY: a row has a stamp, so it is not of zero bytes; the entry is the address of the first row
// less the rows before it, and `open` writes the stamps, which are all that places rely on.
unsafe impl<T: Thing> Extent for Row<T> {
    type Entry = *mut Self;

    const SHIFT: u32 = {
        let rows = CHUNK_BYTES / size_of::<Self>();
        match rows {
            0..64 => 6,
            64..1024 => rows.ilog2(),
            _ => 10,
        }
    };

    /// An array that begins where a cache line does, as copies of it do: copying between them is
    /// quicker then.
    fn layout(slots: usize) -> Result<Layout, OutOfMemory> {
        let rows = Layout::array::<Self>(slots).and_then(|rows| rows.align_to(64));
        rows.map_err(|_| OutOfMemory { bytes: usize::MAX })
    }

    fn entry(base: NonNull<u8>, first: u32, _slots: u32) -> *mut Self {
        base.as_ptr().cast::<Self>().wrapping_sub(first as usize)
    }

    #[inline]
    unsafe fn open(entry: *mut Self, first: u32) {
        const { assert!(SPENT == 0, "the stamp of a slot that was never used is zero bytes") };
        // The stamp and all else that is not the value, so that no byte of it is unwritten where a
        // row is copied whole.
        let (before, after) = (offset_of!(Self, value), offset_of!(Self, value) + size_of::<T>());
        for n in 0..GROUP as usize {
            let row = entry.wrapping_add(first as usize + n).cast::<u8>();
            // SAFETY: bytes of a row of the extent, by the caller.
            unsafe {
                row.write_bytes(0, before);
                row.add(after).write_bytes(0, size_of::<Self>() - after);
            }
        }
    }
}

impl<T: Thing> Rows<T> {
    /// Where the value of a slot is. The pointer is good for the whole extent.
    ///
    /// # Safety
    ///
    /// The place is of these rows.
    #[inline(always)]
    pub(crate) unsafe fn value(&self, place: NonNull<Row<T>>) -> *mut T {
        // SAFETY: in bounds; no reference is made, so the pointer keeps the reach of the place.
        unsafe { place.as_ptr().byte_add(offset_of!(Row<T>, value)).cast() }
    }

    /// Where the tags of a slot are.
    #[inline(always)]
    fn tags_at(place: NonNull<Row<T>>) -> *mut T::Tags {
        place.as_ptr().wrapping_byte_add(offset_of!(Row<T>, tags)).cast()
    }
}

// SAFETY:
// - Places: an entry leads each slot of its extent to a row of its own, and never changes.
// - Only the value of the place is touched: every method below goes through `value` and `tags_at`
//   of that one row.
unsafe impl<T: Thing> Storage<T> for Rows<T> {
    type Ref<'a> = &'a T;
    type Mut<'a> = &'a mut T;
    type Place = NonNull<Row<T>>;
    type Extent = Row<T>;

    const NEEDS_DROP: bool = needs_drop::<T>();

    fn new() -> Self {
        Self { slots: Directory::new() }
    }

    #[inline(always)]
    fn memory(&self) -> &Directory<Row<T>> {
        &self.slots
    }

    #[inline(always)]
    fn memory_mut(&mut self) -> &mut Directory<Row<T>> {
        &mut self.slots
    }

    #[inline(always)]
    fn at(entry: *mut Row<T>, index: u32) -> NonNull<Row<T>> {
        // SAFETY: the extent has this row at this address, and no object is at the null address.
        unsafe { NonNull::new_unchecked(entry.wrapping_add(index as usize)) }
    }

    #[inline(always)]
    fn prefetch<S: SomeFields>(place: Self::Place) {
        let size = size_of::<Row<T>>().min(256);
        for line in (0..size).step_by(64) {
            prefetch(place.as_ptr().wrapping_byte_add(line));
        }
        // Rows begin anywhere in a cache line: the last byte may be on one more.
        prefetch(place.as_ptr().wrapping_byte_add(size - 1));
    }

    #[inline(always)]
    fn prefetch_on(place: Self::Place) {
        let after = place.as_ptr().wrapping_byte_add(1024);
        prefetch(after);
        if size_of::<Row<T>>() > 64 {
            prefetch(after.wrapping_byte_add(64));
        }
    }

    const STAMP_STRIDE: usize = size_of::<Row<T>>();

    #[inline(always)]
    fn stride<F: Field<Thing = T>>() -> usize
    where
        T: Fields,
    {
        size_of::<Row<T>>()
    }

    #[inline(always)]
    unsafe fn field<F: Field<Thing = T>>(&self, place: Self::Place) -> *mut F::Value
    where
        T: Fields,
    {
        // SAFETY: the place is ours (by the caller). In bounds: `FIELDS` is true (`Fields` is
        // unsafe to implement).
        unsafe { self.value(place).byte_add(T::FIELDS[F::INDEX].offset).cast() }
    }

    #[inline(always)]
    unsafe fn optional<F: Field<Thing = T>>(&self, place: Self::Place) -> Option<*mut F::Value>
    where
        T: Fields,
    {
        // SAFETY: passed on from the caller.
        Some(unsafe { self.field::<F>(place) })
    }

    unsafe fn set_field<F: Field<Thing = T>>(&self, place: Self::Place, value: F::Value)
    where
        T: Fields,
    {
        // SAFETY: the place is ours and holds a value that nobody else uses (by the caller); the
        // old one is dropped.
        unsafe { *self.field::<F>(place) = value };
    }

    #[inline(always)]
    unsafe fn tags(&self, place: Self::Place) -> T::Tags {
        // SAFETY: the place is ours and holds a value (by the caller), so its tags are initialised.
        unsafe { Self::tags_at(place).read() }
    }

    #[inline(always)]
    unsafe fn set_tags(&self, place: Self::Place, tags: T::Tags) {
        // SAFETY: the place is ours and holds a value that nobody else uses (by the caller).
        unsafe {
            Self::tags_at(place).write(tags);
            (*self.value(place)).put_tags(tags);
        }
    }

    #[inline(always)]
    unsafe fn step(place: Self::Place, by: u32) -> Self::Place {
        // SAFETY: in bounds: a run lies within one extent, and the caller stays within the run.
        unsafe { place.add(by as usize) }
    }

    #[inline(always)]
    fn stamp(place: Self::Place) -> *mut u32 {
        place.as_ptr().wrapping_byte_add(offset_of!(Row<T>, stamp)).cast()
    }

    #[inline(always)]
    unsafe fn write(&self, place: Self::Place, value: T) {
        // SAFETY: the place is ours and nobody else uses the value (both by the caller).
        unsafe {
            Self::tags_at(place).write(value.tags());
            self.value(place).write(value);
        }
    }

    unsafe fn transfer(&self, from: Self::Place, to: Self::Place) {
        // SAFETY: two places of different slots (by the caller). The value counts as gone where it
        // was.
        unsafe {
            Self::tags_at(to).write(Self::tags_at(from).read());
            self.value(from).copy_to_nonoverlapping(self.value(to), 1);
        }
    }

    #[inline(always)]
    unsafe fn take(&self, place: Self::Place) -> T {
        // SAFETY: the place is ours and holds a value that is given up here (both by the caller).
        unsafe { self.value(place).read() }
    }

    #[inline(always)]
    unsafe fn drop_in_place(&self, place: Self::Place) {
        // SAFETY: as in `take`.
        unsafe { self.value(place).drop_in_place() };
    }

    #[inline(always)]
    unsafe fn get(&self, place: Self::Place) -> &T {
        // SAFETY: the place is ours and holds a value that nobody changes while the reference lives
        // (by the caller).
        unsafe { &*self.value(place) }
    }

    #[inline(always)]
    unsafe fn get_mut(&self, place: Self::Place) -> &mut T {
        // SAFETY: the place is ours and holds a value that nobody else uses while the reference
        // lives (by the caller).
        unsafe { &mut *self.value(place) }
    }
}

// SAFETY: looks at the value of the place only.
unsafe impl<T: Thing + Clone> CloneStorage<T> for Rows<T> {
    unsafe fn clone_value(&self, place: Self::Place) -> T {
        // SAFETY: as the caller promises for `get`.
        unsafe { self.get(place) }.clone()
    }
}
