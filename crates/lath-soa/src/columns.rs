#![expect(
    unsafe_code,
    reason = "raw memory: one allocation per block of slots, cut into an array per field"
)]
//! The columns: blocks of slots, cut into one array per field.
//!
//! # Invariants
//!
//! - **K1** A block has the extent that `layout.rs` computes from `FIELDS`, for as many slots as
//!   the directory says.
//! - **K2** Nobody gets a pointer to a field but through [`Storage`], whose callers know which
//!   slots hold a value. Slices and references are made for such slots only.

use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit, needs_drop};
use core::ptr::{self, NonNull};

use lath_core::memory::{Directory, Extent};
use lath_core::prefetch::{SomeFields, prefetch};
use lath_core::{CloneStorage, Field, FieldVisitor, Fields, OutOfMemory, Storage};

use crate::cold::{Cell, Defaults, is_cold};
use crate::layout::{Column, cold_rank, extent, field_column, head_column};

mod guards;
mod place;
mod strips;
mod visitors;

use guards::{drop_fields, make_defaults};
use place::{Block, Place, Whole};
use visitors::{ClearCells, Fetch, FindDefaults, FreeTables, Gather, Keep, Scatter, Transfer};

/// A thing that can be kept in columns: `#[thing(columns)]` implements it.
///
/// # Safety
///
/// [`make_ref`](Self::make_ref) and [`make_mut`](Self::make_mut) make at most one reference per
/// field, out of the pointer that they are given for it; [`cold_default`](Self::cold_default)
/// writes a value of the field's type for every cold field.
pub unsafe trait Columnar: Fields {
    /// A struct of shared references: `ActorRef`.
    type Ref<'a>: Copy;
    /// A struct of mutable references: `ActorMut`.
    type Mut<'a>;

    /// Makes the references of one slot.
    ///
    /// # Safety
    ///
    /// The pointers are to initialised fields that nobody writes to for `'a`.
    unsafe fn make_ref<'a, P: Pointers<'a, Self>>(at: P) -> Self::Ref<'a>;

    /// Makes the mutable references of one slot.
    ///
    /// # Safety
    ///
    /// The pointers are to initialised fields that nobody else uses for `'a`.
    unsafe fn make_mut<'a, P: Pointers<'a, Self>>(at: P) -> Self::Mut<'a>;

    /// Whether the value of a cold field is its default. For other fields: no.
    ///
    /// # Safety
    ///
    /// `value` points to a value of the type of field number `field`.
    unsafe fn cold_is_default(field: usize, value: *const u8) -> bool;

    /// Writes the default of a cold field. For other fields: nothing.
    ///
    /// # Safety
    ///
    /// `to` points to memory for a value of the type of field number `field`.
    unsafe fn cold_default(field: usize, to: *mut u8);
}

/// Where the fields of one slot are.
pub trait Pointers<'a, T: Fields>: Copy {
    /// Where a field is that has a column.
    fn get<F: Field<Thing = T>>(self) -> *mut F::Value;

    /// Where a cold field is, unless it is at its default.
    fn cold<F: Field<Thing = T>>(self) -> Option<*mut F::Value>;

    /// Where a cold field is, or the default that stands for it.
    fn cold_or_default<F: Field<Thing = T>>(self) -> *const F::Value;
}

/// Things as columns, in blocks: what `#[thing(columns)]` chooses.
///
/// # Examples
///
/// ```
/// use lath_core::{Pool, Thing};
///
/// #[derive(Thing, Default)]
/// #[thing(columns)]
/// struct Ship { hull: f32, name: String }
///
/// let mut ships = Pool::new();
/// let ship = ships.spawn(Ship { hull: 10.0, name: "Lath".into() });
/// let seen: ShipRef = ships.read(ship); // a struct of references, made by the derive
/// assert_eq!((*seen.hull, seen.name.as_str()), (10.0, "Lath"));
/// ```
pub struct Columns<T: Columnar> {
    blocks: Directory<Block<T>>,
    defaults: Defaults,
    owned: PhantomData<T>,
}

/// A slot, and the defaults that stand for the cold fields it does not have.
struct At<'a, T> {
    place: Place<T>,
    defaults: &'a Defaults,
}

impl<T> Clone for At<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for At<'_, T> {}

impl<'a, T: Fields> Pointers<'a, T> for At<'a, T> {
    #[inline(always)]
    fn get<F: Field<Thing = T>>(self) -> *mut F::Value {
        self.place.field::<F>()
    }

    #[inline]
    fn cold<F: Field<Thing = T>>(self) -> Option<*mut F::Value> {
        self.place.cold::<F>().get()
    }

    #[inline]
    fn cold_or_default<F: Field<Thing = T>>(self) -> *const F::Value {
        let default = self.defaults.0[const { cold_rank(T::FIELDS, F::INDEX) }];
        self.cold::<F>().unwrap_or(default.cast())
    }
}

impl<T: Columnar> Columns<T> {
    const COLDS: usize = cold_rank(T::FIELDS, T::FIELDS.len());

    fn at(&self, place: Place<T>) -> At<'_, T> {
        At { place, defaults: &self.defaults }
    }
}

impl<T: Columnar> Drop for Columns<T> {
    fn drop(&mut self) {
        T::visit(&mut Keep { defaults: &mut self.defaults, free: true, thing: PhantomData });
    }
}

// SAFETY:
// - Places: an entry leads each slot of its extent to elements of its own, and never changes. They
//   lie as K1 says.
// - Only the value of the place is touched: every method below goes through the fields of that one
//   row.
unsafe impl<T: Columnar> Storage<T> for Columns<T> {
    type Ref<'a> = T::Ref<'a>;
    type Mut<'a> = T::Mut<'a>;
    type Place = Place<T>;
    type Extent = Block<T>;

    const NEEDS_DROP: bool = needs_drop::<T>() || Self::COLDS > 0;

    fn new() -> Self {
        let mut columns = Self {
            blocks: Directory::new(),
            defaults: Defaults::room(T::FIELDS),
            owned: PhantomData,
        };
        T::visit(&mut Keep { defaults: &mut columns.defaults, free: false, thing: PhantomData });
        columns
    }

    #[inline(always)]
    fn memory(&self) -> &Directory<Block<T>> {
        &self.blocks
    }

    #[inline(always)]
    fn memory_mut(&mut self) -> &mut Directory<Block<T>> {
        &mut self.blocks
    }

    #[inline(always)]
    fn at(entry: Whole, index: u32) -> Place<T> {
        entry.place(index)
    }

    #[inline(always)]
    fn prefetch<S: SomeFields>(place: Place<T>) {
        prefetch(place.stamp());
        T::visit(&mut Fetch::<T, S> { of: place, which: PhantomData });
    }

    const STAMP_STRIDE: usize = head_column(T::FIELDS).stride;

    #[inline(always)]
    fn stride<F: Field<Thing = T>>() -> usize {
        const { field_column(F::Thing::FIELDS, F::INDEX) }.stride
    }

    #[inline(always)]
    unsafe fn field<F: Field<Thing = T>>(&self, place: Place<T>) -> *mut F::Value {
        place.field::<F>()
    }

    #[inline]
    unsafe fn optional<F: Field<Thing = T>>(&self, place: Place<T>) -> Option<*mut F::Value> {
        match const { is_cold::<F>() } {
            true => place.cold::<F>().get(),
            false => Some(place.field_unless_cold::<F>()),
        }
    }

    #[inline]
    unsafe fn set_field<F: Field<Thing = T>>(&self, place: Place<T>, value: F::Value) {
        if !const { is_cold::<F>() } {
            // SAFETY: the slot holds a value that nobody else uses (by the caller); the old one is
            // dropped.
            unsafe { *place.field_unless_cold::<F>() = value };
            return;
        }
        // SAFETY: a value of the field's type. First, since it is user code, which may panic.
        let is_default = unsafe { T::cold_is_default(F::INDEX, (&raw const value).cast()) };
        // SAFETY: nobody else uses the value of the slot (by the caller).
        let old = unsafe { place.cold::<F>().take() };
        if !is_default {
            place.cold::<F>().put(value);
        }
        drop(old);
    }

    #[inline(always)]
    unsafe fn tags(&self, place: Place<T>) -> T::Tags {
        let Some(_) = T::TAGS_FIELD else { return <T::Tags as lath_core::TagSet>::narrow(0) };
        // SAFETY: the slot holds a value (by the caller), and the field marked as tags is of the
        // type `Tags`.
        unsafe { place.element(const { tags_column::<T>() }).cast::<T::Tags>().read() }
    }

    #[inline(always)]
    unsafe fn set_tags(&self, place: Place<T>, tags: T::Tags) {
        if T::TAGS_FIELD.is_some() {
            // SAFETY: as in `tags`; nobody else uses the value (by the caller). Tags are `Copy`:
            // nothing is dropped.
            unsafe { place.element(const { tags_column::<T>() }).cast::<T::Tags>().write(tags) }
        }
    }

    #[inline(always)]
    unsafe fn step(place: Place<T>, by: u32) -> Place<T> {
        place.step(by)
    }

    #[inline(always)]
    fn stamp(place: Place<T>) -> *mut u32 {
        place.stamp()
    }

    #[inline(always)]
    unsafe fn write(&self, place: Place<T>, value: T) {
        let at_default = find_defaults(&value);
        let mut value = ManuallyDrop::new(value);
        let from = &raw mut *value;
        if at_default != 0 {
            // Before anything is moved: it is user code, and if it panics nothing must be left in
            // the slot. SAFETY: a whole thing, of which the other fields are moved below.
            unsafe { drop_fields(from, at_default) };
        }
        T::visit(&mut Scatter { from, to: place, at_default });
    }

    unsafe fn transfer(&self, from: Place<T>, to: Place<T>) {
        T::visit(&mut Transfer { from, to });
    }

    #[inline(always)]
    unsafe fn take(&self, place: Place<T>) -> T {
        let mut value = MaybeUninit::<T>::uninit();
        let to = value.as_mut_ptr();
        if Self::COLDS > 0 {
            // SAFETY: the slot holds a value that is given up (by the caller), and there is memory
            // for a whole one.
            unsafe { make_defaults(place, to) };
        }
        T::visit(&mut Gather { from: place, to });
        // SAFETY: every field was moved or made (`visit` shows all of them); what lies between them
        // needs no value.
        unsafe { value.assume_init() }
    }

    #[inline(always)]
    unsafe fn drop_in_place(&self, place: Place<T>) {
        if Self::NEEDS_DROP {
            // Whole, so that a `Drop` of the struct itself runs, once.
            // SAFETY: passed on from the caller.
            drop(unsafe { self.take(place) });
        }
    }

    #[inline(always)]
    unsafe fn get(&self, place: Place<T>) -> T::Ref<'_> {
        // SAFETY: the slot holds a value that nobody writes to while the result lives (by the
        // caller).
        unsafe { T::make_ref(self.at(place)) }
    }

    #[inline(always)]
    unsafe fn get_mut(&self, place: Place<T>) -> T::Mut<'_> {
        // SAFETY: the slot holds a value that nobody else uses while the result lives (by the
        // caller).
        unsafe { T::make_mut(self.at(place)) }
    }
}

/// A thing whose fields can all be cloned: `#[thing(columns)]` implements it for those that can.
pub trait CloneFields: Columnar {
    /// A whole thing out of clones of the fields.
    fn clone_fields(from: Self::Ref<'_>) -> Self;
}

// SAFETY: looks at the value of the place only.
unsafe impl<T: CloneFields> CloneStorage<T> for Columns<T> {
    unsafe fn clone_value(&self, place: Place<T>) -> T {
        // SAFETY: as the caller promises for `get`.
        T::clone_fields(unsafe { self.get(place) })
    }
}

/// The cold fields of a value that are at their default: user code, which may panic.
#[inline(always)]
fn find_defaults<T: Columnar>(value: &T) -> u64 {
    if Columns::<T>::COLDS == 0 {
        return 0;
    }
    let mut find = FindDefaults { of: value, at_default: 0 };
    T::visit(&mut find);
    find.at_default
}

/// The column of the tags. Only asked for where there are tags.
const fn tags_column<T: Fields>() -> Column {
    match T::TAGS_FIELD {
        Some(index) => field_column(T::FIELDS, index),
        None => head_column(T::FIELDS),
    }
}
