#![expect(
    unsafe_code,
    reason = "lets systems that do not conflict use values of one map at the same time"
)]
//! The type map of a world: one value per type, pools and resources alike, found by number.
//!
//! # Invariants
//!
//! - **W1** An entry holds a value of the type that it was made for, or nothing.
//! - **W2** Behind a shared reference values are only looked at, but through
//!   [`Found::change`], whose caller vouches that nobody else uses the value. Values come and go
//!   with exclusive access only.

use std::any::{Any, TypeId, type_name};
use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::marker::PhantomData;

use lath_core::{Pool, Stats, Thing};

use crate::missing::{Missing, MissingKind, as_written};

/// Where a map has its value of type `R`: found once, so that no type is looked up during a run.
pub struct TypeKey<R> {
    number: u32,
    of: PhantomData<fn() -> R>,
}

impl<R> Clone for TypeKey<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for TypeKey<R> {}

/// A pool, as a map has it. A type of its own, which nobody else can name: a `ResMut<Pool<T>>`
/// would be told apart from a query of the same pool by nobody.
pub struct Pooled<T: Thing>(pub(crate) Pool<T>);

/// What a value is to the user.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Resource,
    Pinned,
    /// The type of its things, and what asks it how full it is.
    Pool(TypeId, fn(&TypeMap) -> Option<Stats>),
    /// Part of the machinery: not listed.
    Hidden,
}

impl Kind {
    /// What is missing if it is.
    fn what(self) -> MissingKind {
        match self {
            Self::Pool(..) => MissingKind::Pool,
            Self::Pinned => MissingKind::Pinned,
            Self::Resource | Self::Hidden => MissingKind::Resource,
        }
    }
}

/// One type, and its value if it is there: an `UnsafeCell<R>`.
pub(crate) struct TypeEntry {
    /// What the user calls it.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    value: Option<Box<dyn Any + Send>>,
}

/// One value per type.
#[derive(Default)]
pub struct TypeMap {
    entries: Vec<TypeEntry>,
    numbers: HashMap<TypeId, u32, BuildHasherDefault<ByTypeId>>,
    /// Counts how often a value came or went.
    version: u64,
}

// SAFETY: values are `Send` and `Sync`: `get_or_insert_with` and `put` ask for both. That several
// threads do not get in each other's way is W2.
unsafe impl Sync for TypeMap {}

impl TypeMap {
    /// The key of a resource.
    pub(crate) fn key<R: Send + Sync + 'static>(&mut self) -> TypeKey<R> {
        self.key_of(type_name::<R>(), Kind::Resource)
    }

    /// The key of a type that was not heard of before, or the one that it has.
    pub(crate) fn key_of<R: Send + Sync + 'static>(
        &mut self,
        name: &'static str,
        kind: Kind,
    ) -> TypeKey<R> {
        let entries = &mut self.entries;
        let number = *self.numbers.entry(TypeId::of::<R>()).or_insert_with(|| {
            entries.push(TypeEntry { name, kind, value: None });
            u32::try_from(entries.len() - 1).expect("fewer than four billion types")
        });
        TypeKey { number, of: PhantomData }
    }

    /// The key of a type, if its value is there.
    pub(crate) fn find<R: 'static>(&self) -> Option<TypeKey<R>> {
        let number = *self.numbers.get(&TypeId::of::<R>())?;
        Some(TypeKey { number, of: PhantomData }).filter(|&key| self.has(key))
    }

    pub(crate) fn entry<R>(&self, key: TypeKey<R>) -> Option<&TypeEntry> {
        self.entries.get(key.number as usize)
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Whether there is a value.
    pub(crate) fn has<R: 'static>(&self, key: TypeKey<R>) -> bool {
        self.entry(key).is_some_and(|entry| entry.value.is_some())
    }

    /// A value, for those who share the map.
    #[inline]
    pub(crate) fn look_up<R: 'static>(&self, key: TypeKey<R>) -> Option<Found<'_, R>> {
        self.entry(key)?.value.as_deref()?.downcast_ref().map(Found)
    }

    /// Looks at a value.
    #[inline]
    pub(crate) fn get<R: 'static>(&self, key: TypeKey<R>) -> Option<&R> {
        self.look_up(key).map(Found::look)
    }

    /// Looks at a value that is there.
    #[inline]
    pub(crate) fn at<R: 'static>(&self, key: TypeKey<R>) -> &R {
        self.get(key).unwrap_or_else(|| gone::<R>())
    }

    /// A value that is there, to be changed.
    #[inline]
    pub(crate) fn at_mut<R: 'static>(&mut self, key: TypeKey<R>) -> &mut R {
        self.get_mut(key).unwrap_or_else(|| gone::<R>())
    }

    /// A value, to be changed.
    #[inline]
    pub(crate) fn get_mut<R: 'static>(&mut self, key: TypeKey<R>) -> Option<&mut R> {
        let value = self.entries.get_mut(key.number as usize)?.value.as_deref_mut()?;
        value.downcast_mut().map(UnsafeCell::get_mut)
    }

    /// A value, to be changed; made if it is not there.
    pub(crate) fn get_or_insert_with<R: Send + Sync + 'static>(
        &mut self,
        key: TypeKey<R>,
        make: impl FnOnce() -> R,
    ) -> &mut R {
        if !self.has(key) {
            self.entries[key.number as usize].value = Some(Box::new(UnsafeCell::new(make())));
            self.version += 1;
        }
        self.at_mut(key)
    }

    /// Puts in a value, and gives back the one that was there.
    pub(crate) fn put<R: Send + Sync + 'static>(&mut self, key: TypeKey<R>, value: R) -> Option<R> {
        let mut value = Some(value);
        let there = self.get_or_insert_with(key, || value.take().expect("asked for once"));
        value.map(|value| std::mem::replace(there, value))
    }

    /// Takes a value away.
    pub(crate) fn take<R: 'static>(&mut self) -> Option<R> {
        let key = self.find::<R>()?;
        let value = self.entries[key.number as usize].value.take()?;
        self.version += 1;
        value.downcast().ok().map(|cell: Box<UnsafeCell<R>>| cell.into_inner())
    }

    /// The types of which there is a value.
    pub(crate) fn present(&self) -> impl Iterator<Item = &TypeEntry> {
        self.entries.iter().filter(|entry| entry.value.is_some())
    }

    /// What is said when there is no value of a type.
    pub(crate) fn missing(&self, what: MissingKind, name: &'static str) -> Missing {
        let present = self
            .present()
            .filter(|entry| entry.kind.what() == what && !matches!(entry.kind, Kind::Hidden));
        Missing { what, name, present: present.map(|entry| entry.name).collect() }
    }

    /// What is said when there is no value for a key.
    pub(crate) fn missing_at<R>(&self, key: TypeKey<R>) -> Missing {
        let entry = &self.entries[key.number as usize];
        self.missing(entry.kind.what(), entry.name)
    }
}

/// A value of a map that several share.
pub struct Found<'w, R>(&'w UnsafeCell<R>);

impl<'w, R> Found<'w, R> {
    /// Looks at it.
    #[inline(always)]
    pub(crate) fn look(self) -> &'w R {
        // SAFETY: nobody writes to it while it is looked at (W2).
        unsafe { &*self.0.get() }
    }

    /// Gives it to be changed.
    ///
    /// # Safety
    ///
    /// For as long as the result lives nobody else uses the value.
    #[inline(always)]
    pub(crate) unsafe fn change(self) -> &'w mut R {
        // SAFETY: used by nobody else (by the caller).
        unsafe { &mut *self.0.get() }
    }
}

/// A value is asked for that is not there, although somebody has made sure of it before.
#[cold]
pub(crate) fn gone<R>() -> ! {
    let name = as_written(type_name::<R>());
    panic!("`{name}` is gone, or is another: a hook or a command of this run has seen to that")
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
