#![expect(
    unsafe_code,
    reason = "declares the unsafe trait between the pool and its storages; holds no unsafe block"
)]
//! What a pool asks of the memory that holds its things: rows today, columns in `lath-soa`.

use core::mem::ManuallyDrop;
use core::sync::atomic::AtomicU32;

use crate::error::OutOfMemory;
use crate::field::{Field, Fields};
use crate::prefetch::SomeFields;
use crate::slots::GROUP;
use crate::thing::Thing;

/// A shared look at a thing: `&T` for rows, a struct of references for columns.
pub type ThingRef<'a, T> = <<T as Thing>::Storage as Storage<T>>::Ref<'a>;

/// Exclusive use of a thing: `&mut T` for rows, a struct of mutable references for columns.
pub type ThingMut<'a, T> = <<T as Thing>::Storage as Storage<T>>::Mut<'a>;

/// Memory for the things of a pool and their stamps, addressed by slot.
///
/// It knows where a slot is, not what is in it: the pool keeps track of which slots hold a value.
/// Memory is made slot by slot (or more at once), never moves, and is freed when the storage is
/// dropped, *without* dropping values.
///
/// # Safety
///
/// - [`place`](Self::place) answers the same for the same index forever, once it is not `None`, and
///   different indices have different memory. The slots of a group of 64 all have a place, or none
///   has. A [`chart`](Self::chart) of this storage answers the same, or `None`.
/// - Fresh memory has stamps of 0.
/// - [`get`](Self::get), [`get_mut`](Self::get_mut), [`write`](Self::write), [`take`](Self::take)
///   and [`drop_in_place`](Self::drop_in_place) touch the value of their place and nothing else.
pub unsafe trait Storage<T: Thing>: Sized {
    /// A shared look at a thing.
    type Ref<'a>
    where
        Self: 'a;

    /// Exclusive use of a thing.
    type Mut<'a>
    where
        Self: 'a;

    /// The memory of one slot.
    type Place: Copy;

    /// Whether [`drop_in_place`](Self::drop_in_place) does anything.
    const NEEDS_DROP: bool;

    /// No slots yet.
    fn new() -> Self;

    /// Where the slots are that [`know`](Self::know) has noted, as a value: loops of lookups keep
    /// it in registers.
    type Chart<'a>: Copy + Send + Sync
    where
        Self: 'a;

    /// Where the slots are that were noted.
    fn chart(&self) -> Self::Chart<'_>;

    /// The memory of slot `index`, if the chart has it.
    fn place_by(chart: Self::Chart<'_>, index: u32) -> Option<Self::Place>;

    /// The memory of slot `index`, if it was noted: for one lookup.
    fn place_noted(&self, index: u32) -> Option<Self::Place>;

    /// The memory of a slot that the chart does not have: made by others since, or out of order.
    /// `None` if there is none.
    fn place_beyond(&self, index: u32) -> Option<Self::Place>;

    /// The memory of slot `index`, if there is any.
    #[inline(always)]
    fn place(&self, index: u32) -> Option<Self::Place> {
        match self.place_noted(index) {
            Some(place) => Some(place),
            None => self.place_beyond(index),
        }
    }

    /// Notes which slots have memory by now: [`place`](Self::place) is quicker for these.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`] if there is none to note it: the slots are found all the same.
    fn know(&mut self) -> Result<(), OutOfMemory>;

    /// Tells the processor that a slot will be written soon.
    fn prefetch(&self, _: Self::Place) {}

    /// Tells the processor that the stamp of a slot and some of its fields will be looked at soon.
    #[inline(always)]
    fn prefetch_fields<S: SomeFields>(&self, place: Self::Place) {
        self.prefetch(place);
    }

    /// Tells the processor that slots a little further on will be written soon, one after the
    /// other.
    #[inline(always)]
    fn prefetch_on(&self, _: Self::Place) {}

    /// Makes memory for slot `index` and its neighbours, at least to the end of its group of 64.
    /// Others may look, and grow, at the same time.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`] if the allocator refuses; nothing changed.
    fn grow(&self, index: u32) -> Result<Self::Place, OutOfMemory>;

    /// Makes memory for `len` slots from `first` on, whole groups of one run, as
    /// [`grow`](Self::grow) does for one; but their stamps may not be set.
    ///
    /// # Errors
    ///
    /// As [`grow`](Self::grow).
    ///
    /// # Safety
    ///
    /// None of the slots has memory before. The caller sets all their stamps before anybody looks
    /// at them.
    unsafe fn grow_bare(&mut self, first: u32, len: u32) -> Result<Self::Place, OutOfMemory> {
        for later in (GROUP..len).step_by(GROUP as usize) {
            self.grow(first + later)?;
        }
        let place = self.grow(first)?;
        _ = self.know(); // refused: these slots are found more slowly
        Ok(place)
    }

    /// Makes memory for the slots below `end`, in one go as far as they follow one another and have
    /// none: slots that were made together are found quicker. It need not be ready for use:
    /// [`grow`](Self::grow) is to be called as if nothing had been made, and then makes nothing.
    ///
    /// # Errors
    ///
    /// As [`grow`](Self::grow).
    fn make_room(&mut self, end: u64) -> Result<(), OutOfMemory>;

    /// How many slots have memory, counted from slot 0 up to the first gap.
    fn slots(&self) -> u64;

    /// The slots that have memory, in order.
    fn ranges(&self) -> impl Iterator<Item = core::ops::Range<u64>>;

    /// For how many slots whoever spawns one by one had better ask for memory at a time: whole
    /// groups, a power of two, and no more than the shortest block has.
    const AT_ONCE: u32 = GROUP;

    /// How many slots from `index` on lie at equal distances, field by field, at least: a multiple
    /// of 64 if `index` is one.
    fn run_len(index: u32) -> u32;

    /// How far apart the stamps of neighbouring slots are, in bytes.
    const STAMP_STRIDE: usize;

    /// How far apart the values of a field are in neighbouring slots, in bytes.
    fn stride<F: Field<Thing = T>>() -> usize
    where
        T: Fields;

    /// Where the value of a field is. The pointer is good for the whole run of the place.
    ///
    /// # Safety
    ///
    /// The place is of this storage.
    unsafe fn field<F: Field<Thing = T>>(&self, place: Self::Place) -> *mut F::Value
    where
        T: Fields;

    /// Where the value of a field is, unless it is a cold one that is at its default.
    ///
    /// # Safety
    ///
    /// The place is of this storage.
    unsafe fn optional<F: Field<Thing = T>>(&self, place: Self::Place) -> Option<*mut F::Value>
    where
        T: Fields;

    /// Replaces the value of a field.
    ///
    /// # Safety
    ///
    /// The place is of this storage and holds a value, which nobody else uses.
    unsafe fn set_field<F: Field<Thing = T>>(&self, place: Self::Place, value: F::Value)
    where
        T: Fields;

    /// The tags of the thing in a slot.
    ///
    /// # Safety
    ///
    /// The place is of this storage and holds a value.
    unsafe fn tags(&self, place: Self::Place) -> T::Tags;

    /// Changes the tags of the thing in a slot, in the value too.
    ///
    /// # Safety
    ///
    /// The place is of this storage and holds a value, which nobody else uses.
    unsafe fn set_tags(&self, place: Self::Place, tags: T::Tags);

    /// The place `by` slots further on.
    ///
    /// # Safety
    ///
    /// Both places are of this storage and in the same run of slots; a group of 64 slots always is.
    unsafe fn step(place: Self::Place, by: u32) -> Self::Place;

    /// The stamp of a slot.
    ///
    /// # Safety
    ///
    /// The place is of this storage.
    unsafe fn stamp(&self, place: Self::Place) -> &AtomicU32;

    /// A pointer to the stamp of a slot, good for the stamps of its whole run.
    ///
    /// # Safety
    ///
    /// The place is of this storage.
    unsafe fn stamps(&self, place: Self::Place) -> *const u32;

    /// Puts a value into a slot without looking at what was there.
    ///
    /// # Safety
    ///
    /// The place is of this storage, and nobody else uses its value.
    unsafe fn write(&self, place: Self::Place, value: T);

    /// What has to be known of a value to [`put`](Self::put) it into a slot.
    type Asked: Copy;

    /// Asks a value what has to be known of it: user code, which may panic.
    fn ask(value: &T) -> Self::Asked;

    /// As [`write`](Self::write), without calling any user code. What is left of the value is for
    /// [`drop_left`](Self::drop_left).
    ///
    /// # Safety
    ///
    /// As for [`write`](Self::write). `asked` is what [`ask`](Self::ask) said of this value, which
    /// counts as gone afterwards.
    unsafe fn put(&self, place: Self::Place, value: &mut ManuallyDrop<T>, asked: Self::Asked);

    /// Drops what [`put`](Self::put) has left of a value.
    ///
    /// # Safety
    ///
    /// `put` was called with this value and this `asked`, and this is called once.
    unsafe fn drop_left(_: &mut ManuallyDrop<T>, _: Self::Asked) {}

    /// Moves the value out of a slot.
    ///
    /// # Safety
    ///
    /// The place is of this storage and holds a value, which nobody else uses and which counts as
    /// gone afterwards.
    unsafe fn take(&self, place: Self::Place) -> T;

    /// Drops the value in a slot.
    ///
    /// # Safety
    ///
    /// As for [`take`](Self::take).
    unsafe fn drop_in_place(&self, place: Self::Place);

    /// Looks at the value of a slot.
    ///
    /// # Safety
    ///
    /// The place is of this storage and holds a value, to which nobody has exclusive access while
    /// the result lives.
    unsafe fn get(&self, place: Self::Place) -> Self::Ref<'_>;

    /// Gives exclusive access to the value of a slot.
    ///
    /// # Safety
    ///
    /// The place is of this storage and holds a value, which nobody else uses while the result
    /// lives.
    unsafe fn get_mut(&self, place: Self::Place) -> Self::Mut<'_>;
}

/// A storage whose values can be cloned: rows of a thing that is `Clone`, columns of one whose
/// fields are.
///
/// # Safety
///
/// [`clone_value`](Self::clone_value) touches the value of its place and nothing else.
pub unsafe trait CloneStorage<T: Thing>: Storage<T> {
    /// A copy of the value of a slot.
    ///
    /// # Safety
    ///
    /// As for [`get`](Storage::get), for the length of the call.
    unsafe fn clone_value(&self, place: Self::Place) -> T;
}
