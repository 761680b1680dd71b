#![expect(
    unsafe_code,
    reason = "lets systems that do not conflict use what lies on one shelf at the same time"
)]
//! The shelf: one place per type, for pools and resources alike, found by number.
//!
//! # Invariants
//!
//! - **W1** A place holds a value of the type that it was made for, or nothing.
//! - **W2** Behind a shared reference values are only looked at, but through
//!   [`Shelf::get_shared_mut`], whose caller vouches that nobody else uses the place. Places are
//!   made and emptied with exclusive access only.

use std::any::{Any, TypeId, type_name};
use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::marker::PhantomData;

use lath_core::{Pool, Thing};

/// Where a value of type `R` lies on every shelf of one world.
pub struct PlaceOf<R> {
    number: u32,
    of: PhantomData<fn() -> R>,
}

impl<R> Clone for PlaceOf<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for PlaceOf<R> {}

/// A pool, as it lies on the shelf. A type of its own, which nobody else can name: a
/// `ResMut<Pool<T>>` would be told apart from a query of the same pool by nobody.
pub struct Shelved<T: Thing>(pub(crate) Pool<T>);

struct Place {
    type_id: TypeId,
    name: &'static str,
    is_there: bool,
    value: UnsafeCell<Option<Box<dyn Any + Send + Sync>>>,
}

/// One place per type.
#[derive(Default)]
pub(crate) struct Shelf {
    places: Vec<Place>,
    numbers: HashMap<TypeId, u32, BuildHasherDefault<ByTypeId>>,
    /// Counts how often a value came or went.
    version: u64,
}

// SAFETY: values are `Send` and `Sync`. That several threads do not get in each other's way is W2.
unsafe impl Sync for Shelf {}

impl Shelf {
    /// The place of a type, made if there is none yet.
    pub(crate) fn place<R: Send + Sync + 'static>(&mut self) -> PlaceOf<R> {
        PlaceOf { number: self.number(TypeId::of::<R>(), type_name::<R>()), of: PhantomData }
    }

    fn number(&mut self, type_id: TypeId, name: &'static str) -> u32 {
        *self.numbers.entry(type_id).or_insert_with(|| {
            let number = u32::try_from(self.places.len()).expect("fewer than four billion types");
            self.places.push(Place {
                type_id,
                name,
                is_there: false,
                value: UnsafeCell::new(None),
            });
            number
        })
    }

    /// The place of a type, if there is one.
    pub(crate) fn find<R: 'static>(&self) -> Option<PlaceOf<R>> {
        self.numbers.get(&TypeId::of::<R>()).map(|&number| PlaceOf { number, of: PhantomData })
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Looks at a value.
    #[inline]
    pub(crate) fn get<R: 'static>(&self, place: PlaceOf<R>) -> Option<&R> {
        let place = self.places.get(place.number as usize)?;
        // SAFETY: nobody writes to it while it is looked at (W2).
        unsafe { &*place.value.get() }.as_deref()?.downcast_ref()
    }

    /// Whether there is a value.
    pub(crate) fn has<R: 'static>(&self, place: PlaceOf<R>) -> bool {
        self.places.get(place.number as usize).is_some_and(|place| place.is_there)
    }

    /// A value, to be changed.
    #[inline]
    pub(crate) fn get_mut<R: 'static>(&mut self, place: PlaceOf<R>) -> Option<&mut R> {
        self.places.get_mut(place.number as usize)?.value.get_mut().as_deref_mut()?.downcast_mut()
    }

    /// A value, to be changed behind a shared reference.
    ///
    /// # Safety
    ///
    /// For as long as the result lives nobody else uses the place.
    #[inline]
    #[expect(clippy::mut_from_ref, reason = "which is why it is unsafe")]
    pub(crate) unsafe fn get_shared_mut<R: 'static>(&self, place: PlaceOf<R>) -> Option<&mut R> {
        let place = self.places.get(place.number as usize)?;
        // SAFETY: used by nobody else (by the caller).
        unsafe { &mut *place.value.get() }.as_deref_mut()?.downcast_mut()
    }

    /// Puts a value into its place, and gives back the one that was there.
    pub(crate) fn put<R: Send + Sync + 'static>(&mut self, value: R) -> Option<R> {
        let place = self.place::<R>();
        if let Some(there) = self.get_mut(place) {
            return Some(std::mem::replace(there, value));
        }
        let place = &mut self.places[place.number as usize];
        *place.value.get_mut() = Some(Box::new(value));
        place.is_there = true;
        self.version += 1;
        None
    }

    /// Takes a value away.
    pub(crate) fn take<R: Send + Sync + 'static>(&mut self) -> Option<R> {
        let place = self.find::<R>()?;
        let place = &mut self.places[place.number as usize];
        let value = place.value.get_mut().take()?;
        place.is_there = false;
        self.version += 1;
        value.downcast().ok().map(|value| *value)
    }

    /// The types of which there is a value.
    pub(crate) fn present(&self) -> impl Iterator<Item = (TypeId, &'static str)> {
        self.places.iter().filter(|place| place.is_there).map(|place| (place.type_id, place.name))
    }
}

/// The bits of a `TypeId` are a hash already.
#[derive(Default)]
pub(crate) struct ByTypeId(u64);

impl Hasher for ByTypeId {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, bits: u64) {
        self.0 ^= bits;
    }
}
