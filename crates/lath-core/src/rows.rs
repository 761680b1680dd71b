#![expect(unsafe_code, reason = "raw memory: slots that hold a value or not, side by side with their stamps")]
//! Array-of-structs storage: every thing whole, its stamp beside it, so that a lookup touches one cache line.

use core::cell::UnsafeCell;
use core::mem::{MaybeUninit, needs_drop, offset_of};
use core::ops::Range;
use core::ptr::NonNull;
use core::sync::atomic::AtomicU32;

use crate::blocks::{Fine, Zeroed};
use crate::error::OutOfMemory;
use crate::field::{Field, Fields};
use crate::storage::{CloneStorage, Storage};
use crate::thing::Thing;

/// Things as whole structs in blocks: the default layout.
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
    slots: Fine<Row<T>>,
}

/// One slot. `#[repr(C)]` only to say that the stamp is in front; any order would do.
#[repr(C)]
pub struct Row<T: Thing> {
    stamp: AtomicU32,
    /// What the pool knows the tags to be, out of reach of whoever gets the value. Initialised whenever the value is.
    tags: UnsafeCell<MaybeUninit<T::Tags>>,
    value: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: zero bytes are a valid `AtomicU32`, and anything is a valid `MaybeUninit`.
unsafe impl<T: Thing> Zeroed for Row<T> {}

// SAFETY: rows share values between threads only as the pool does, which hands out `&T` (so `T: Sync`) and takes values
// through a shared reference when staging (so `T: Send`). Tags are both, by `TagSet`.
unsafe impl<T: Thing + Send + Sync> Sync for Row<T> {}

impl<T: Thing> Rows<T> {
    /// Where the value of a slot is. The pointer is good for the whole block.
    ///
    /// # Safety
    ///
    /// The place is of these rows.
    #[inline(always)]
    pub(crate) unsafe fn value(&self, place: NonNull<Row<T>>) -> *mut T {
        // SAFETY: in bounds; no reference is made, so the pointer keeps the reach of the place.
        unsafe { place.as_ptr().byte_add(offset_of!(Row<T>, value)).cast() }
    }
}

// SAFETY:
// - Places: `Fine` never moves an element, and gives different indices different elements.
// - Fresh stamps are 0: `Fine` starts elements as zero bytes.
// - Only the value of the place is touched: every method below goes through `value` of that one row.
unsafe impl<T: Thing> Storage<T> for Rows<T> {
    type Ref<'a> = &'a T;
    type Mut<'a> = &'a mut T;
    type Place = NonNull<Row<T>>;

    const NEEDS_DROP: bool = needs_drop::<T>();

    fn new() -> Self {
        Self { slots: Fine::new() }
    }

    #[inline(always)]
    fn place(&self, index: u32) -> Option<Self::Place> {
        self.slots.element(index)
    }

    #[inline(always)]
    fn near(&mut self, index: u32) -> Option<Self::Place> {
        self.slots.near(index)
    }

    #[inline]
    fn prefetch(&self, place: Self::Place) {
        #[cfg(target_arch = "x86_64")]
        for line in (0..size_of::<Row<T>>().min(256)).step_by(64) {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch reads nothing that the program could see; any address will do.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(place.as_ptr().cast::<i8>().wrapping_add(line)) };
        }
        let _ = place;
    }

    fn grow(&self, index: u32) -> Result<Self::Place, OutOfMemory> {
        self.slots.grow(index)?;
        Ok(self.place(index).unwrap_or_else(|| unreachable!("grown just now")))
    }

    fn slots(&self) -> u64 {
        self.slots.contiguous()
    }

    fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        self.slots.ranges()
    }

    fn run_len(index: u32) -> u32 {
        Fine::<Row<T>>::run_len(index)
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
        // SAFETY: the place is ours (by the caller). In bounds: `FIELDS` is true (`Fields` is unsafe to implement).
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
        // SAFETY: the place is ours and holds a value that nobody else uses (by the caller); the old one is dropped.
        unsafe { *self.field::<F>(place) = value };
    }

    #[inline(always)]
    unsafe fn tags(&self, place: Self::Place) -> T::Tags {
        // SAFETY: the place is ours and holds a value (by the caller), so its tags are initialised.
        unsafe { (*place.as_ref().tags.get()).assume_init() }
    }

    #[inline(always)]
    unsafe fn set_tags(&self, place: Self::Place, tags: T::Tags) {
        // SAFETY: the place is ours and holds a value that nobody else uses (by the caller).
        unsafe {
            (*place.as_ref().tags.get()).write(tags);
            self.get_mut(place).put_tags(tags);
        }
    }

    #[inline(always)]
    unsafe fn step(place: Self::Place, by: u32) -> Self::Place {
        // SAFETY: in bounds: a group of 64 slots lies within one block, and the caller stays within the group.
        unsafe { place.add(by as usize) }
    }

    #[inline(always)]
    unsafe fn stamp(&self, place: Self::Place) -> &AtomicU32 {
        // SAFETY: the caller says that the place is ours: rows live as long as `self` and their stamps are initialised.
        unsafe { &place.as_ref().stamp }
    }

    #[inline(always)]
    unsafe fn stamps(&self, place: Self::Place) -> *const u32 {
        // SAFETY: in bounds; no reference is made, so the pointer keeps the reach of the place, which is its whole block.
        unsafe { place.as_ptr().byte_add(offset_of!(Row<T>, stamp)).cast() }
    }

    #[inline(always)]
    unsafe fn write(&self, place: Self::Place, value: T) {
        // SAFETY: the place is ours and nobody else uses the value (both by the caller); `UnsafeCell` allows the writes.
        unsafe {
            (*place.as_ref().tags.get()).write(value.tags());
            (*place.as_ref().value.get()).write(value);
        }
    }

    #[inline(always)]
    unsafe fn take(&self, place: Self::Place) -> T {
        // SAFETY: the place is ours and holds a value that is given up here (both by the caller).
        unsafe { (*place.as_ref().value.get()).assume_init_read() }
    }

    #[inline(always)]
    unsafe fn drop_in_place(&self, place: Self::Place) {
        // SAFETY: as in `take`.
        unsafe { (*place.as_ref().value.get()).assume_init_drop() };
    }

    #[inline(always)]
    unsafe fn get(&self, place: Self::Place) -> &T {
        // SAFETY: the place is ours and holds a value that nobody changes while the reference lives (by the caller).
        unsafe { (*place.as_ref().value.get()).assume_init_ref() }
    }

    #[inline(always)]
    unsafe fn get_mut(&self, place: Self::Place) -> &mut T {
        // SAFETY: the place is ours and holds a value that nobody else uses while the reference lives (by the caller).
        unsafe { (*place.as_ref().value.get()).assume_init_mut() }
    }
}

// SAFETY: looks at the value of the place only.
unsafe impl<T: Thing + Clone> CloneStorage<T> for Rows<T> {
    unsafe fn clone_value(&self, place: Self::Place) -> T {
        // SAFETY: as the caller promises for `get`.
        unsafe { self.get(place) }.clone()
    }
}
