#![expect(
    unsafe_code,
    reason = "declares the unsafe trait between the pool and its storages; holds no unsafe block"
)]
//! What a pool asks of the memory that holds its things: rows today, columns in `lath-soa`.

use crate::field::{Field, Fields};
use crate::memory::{Directory, Extent};
use crate::prefetch::SomeFields;
use crate::thing::Thing;

/// A shared look at a thing: `&T` for rows, a struct of references for columns.
pub type ThingRef<'a, T> = <<T as Thing>::Storage as Storage<T>>::Ref<'a>;

/// Exclusive use of a thing: `&mut T` for rows, a struct of mutable references for columns.
pub type ThingMut<'a, T> = <<T as Thing>::Storage as Storage<T>>::Mut<'a>;

/// Memory for the things of a pool and their stamps, addressed by slot.
///
/// It knows where a slot is, not what is in it: the pool keeps track of which slots hold a value.
/// Memory is opened group by group, never moves, and is freed when the storage is dropped, *without*
/// dropping values.
///
/// # Safety
///
/// The pool's unsafe code relies on all of this and on nothing else:
///
/// - **Places.** [`at`](Self::at) is a function of its arguments alone. Different slots have
///   different places, whose memory does not overlap, neither do the stamp, the tags and the fields
///   of one place. A place is an address and no more: it may go to any thread that may use the
///   things.
/// - **Memory.** All memory of a place is of an extent in [`memory`](Self::memory), which is only
///   extended through [`memory_mut`](Self::memory_mut). Once its slot was opened, a place holds a
///   stamp of 0, and everything else of it that is not the value is initialised as well.
/// - **Runs.** The slots of an extent, those of a group of 64 included, lie at equal distances:
///   stamps [`STAMP_STRIDE`](Self::STAMP_STRIDE) bytes apart, the values of a field
///   [`stride`](Self::stride) bytes apart, and [`step`](Self::step) goes from one to the next.
/// - **Pointers.** [`stamp`](Self::stamp) and [`field`](Self::field) give pointers that are aligned
///   and good for reads and writes of the whole run, for as long as the storage lives, whatever is
///   borrowed from it.
/// - **Values.** [`write`](Self::write) and [`transfer`](Self::transfer) leave a whole value, which
///   [`get`](Self::get), [`get_mut`](Self::get_mut), [`field`](Self::field) and
///   [`take`](Self::take) find. If `write` panics, the place holds no value, and the one that was to
///   be written is gone. [`tags`](Self::tags) are those of the last `write` or
///   [`set_tags`](Self::set_tags). These calls touch the value of their place and nothing else, and
///   mean the same in all storages of the type: a place may be of another one.
/// - **Drops.** If [`NEEDS_DROP`](Self::NEEDS_DROP) is `false`, a value may be forgotten.
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

    /// What the memory is made of.
    type Extent: Extent;

    /// Whether [`drop_in_place`](Self::drop_in_place) does anything.
    const NEEDS_DROP: bool;

    /// No slots yet.
    fn new() -> Self;

    /// Which slots have memory, and where.
    fn memory(&self) -> &Directory<Self::Extent>;

    /// The same, to be extended.
    fn memory_mut(&mut self) -> &mut Directory<Self::Extent>;

    /// The memory of slot `index`, which the extent of this entry has.
    fn at(entry: <Self::Extent as Extent>::Entry, index: u32) -> Self::Place;

    /// Where slot `index` would be: its memory if it was opened, else a place whose stamp no handle
    /// has, and to which nothing may be written; `None` behind all that was opened.
    #[inline(always)]
    fn find(&self, index: u32) -> Option<Self::Place> {
        self.memory().find(index).map(|entry| Self::at(entry, index))
    }

    /// The memory of slot `index`, if it was opened.
    #[inline(always)]
    fn place(&self, index: u32) -> Option<Self::Place> {
        self.memory().opened(index).map(|entry| Self::at(entry, index))
    }

    /// Tells the processor that the stamp of a slot and some of its fields will be used soon.
    fn prefetch<S: SomeFields>(place: Self::Place);

    /// Tells the processor that slots a little further on will be written soon, one after the
    /// other.
    #[inline(always)]
    fn prefetch_on(_: Self::Place) {}

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

    /// Where the stamp of a slot is. The pointer is good for the stamps of its whole run.
    fn stamp(place: Self::Place) -> *mut u32;

    /// Puts a value into a slot without looking at what was there.
    ///
    /// # Safety
    ///
    /// The place is of this storage, and nobody else uses its value.
    unsafe fn write(&self, place: Self::Place, value: T);

    /// Moves the value of one slot into another without looking at what was there. Calls no code of
    /// the user's.
    ///
    /// # Safety
    ///
    /// The places are of different slots, and nobody else uses their values. The first holds one,
    /// which counts as gone afterwards.
    unsafe fn transfer(&self, from: Self::Place, to: Self::Place);

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
