#![expect(unsafe_code, reason = "hands out pools that the system has declared")]
//! Whole pools: [`PoolRef`] and [`PoolMut`].

use std::ops::{Deref, DerefMut};

use lath_core::{Fields, Handle, HandleError, Iter, Pool, Stats, ThingRef};

use super::Context;
use super::lent::Lent;
use crate::access::Access;
use crate::type_map::{Found, Pooled, TypeKey};
use crate::world::{Resident, World};

/// A look at all things of a type, all fields.
///
/// # Examples
///
/// ```
/// use lath_core::Thing;
/// use lath_schedule::{PoolRef, Schedule, World};
/// #[derive(Thing, Default)]
/// struct Ship { hull: f32 }
///
/// let mut world = World::new();
/// let ship = world.spawn(Ship { hull: 3.0 });
/// let mut schedule = Schedule::new();
/// schedule.add(move |ships: PoolRef<Ship>| assert_eq!(ships.read(ship).hull, 3.0));
/// schedule.run(&mut world);
/// ```
pub struct PoolRef<'w, T: Resident>(&'w Pool<T>);

/// By name and not by `Deref`: a `&Pool` could also stage things, in an order that depends on
/// timing.
impl<'w, T: Resident> PoolRef<'w, T> {
    /// As [`Pool::get`].
    pub fn get(&self, handle: Handle<T>) -> Option<ThingRef<'w, T>> {
        self.0.get(handle)
    }

    /// As [`Pool::read`].
    pub fn read(&self, handle: Handle<T>) -> ThingRef<'w, T> {
        self.0.read(handle)
    }

    /// As [`Pool::contains`].
    pub fn contains(&self, handle: Handle<T>) -> bool {
        self.0.contains(handle)
    }

    /// As [`Pool::check`].
    ///
    /// # Errors
    ///
    /// [`HandleError`] says why the handle is not good.
    pub fn check(&self, handle: Handle<T>) -> Result<(), HandleError> {
        self.0.check(handle)
    }

    /// As [`Pool::iter`].
    pub fn iter(&self) -> Iter<'w, T> {
        self.0.iter()
    }

    /// As [`Pool::handles`].
    pub fn handles(&self) -> impl Iterator<Item = Handle<T>> + use<'w, T> {
        self.0.iter().map(|(handle, _)| handle)
    }

    /// As [`Pool::tags`].
    pub fn tags(&self, handle: Handle<T>) -> T::Tags {
        self.0.tags(handle)
    }

    /// As [`Pool::has`].
    pub fn has(&self, handle: Handle<T>, tags: T::Tags) -> bool {
        self.0.has(handle, tags)
    }

    /// As [`Pool::len`].
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// As [`Pool::is_empty`].
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As [`Pool::stats`].
    pub fn stats(&self) -> Stats {
        self.0.stats()
    }
}

/// All of a pool: to put in and take out at once, to sweep, to sort.
///
/// A system that has one runs alone, after all commands so far have been applied. Where
/// [`Commands`](crate::Commands), a [`Query`](crate::Query) or a [`TreeMut`](crate::TreeMut) will
/// do, more can run at the same time. Hooks do not hear of what is done here.
///
/// # Examples
///
/// ```
/// use lath_core::Thing;
/// use lath_schedule::{PoolMut, Schedule, World};
/// #[derive(Thing, Default)]
/// struct Ship { hull: f32 }
///
/// let mut world = World::new();
/// let ship = world.spawn(Ship { hull: -1.0 });
/// let mut schedule = Schedule::new();
/// schedule.add(|mut ships: PoolMut<Ship>| ships.retain(|_, ship| ship.hull > 0.0));
/// schedule.run(&mut world);
/// assert!(world.get(ship).is_none());
/// ```
pub struct PoolMut<'w, T: Resident>(&'w mut Pool<T>);

impl<T: Resident> Deref for PoolMut<'_, T> {
    type Target = Pool<T>;

    fn deref(&self) -> &Pool<T> {
        self.0
    }
}

impl<T: Resident> DerefMut for PoolMut<'_, T> {
    fn deref_mut(&mut self) -> &mut Pool<T> {
        self.0
    }
}

/// All fields of a type of things.
pub(super) fn all_fields<T: Fields>() -> u64 {
    match T::FIELDS.len() {
        0 => 0,
        len => u64::MAX >> (64 - len),
    }
}

// SAFETY: looks at the things that it declares to read, all fields.
unsafe impl<T: Resident + Fields> Lent for PoolRef<'_, T> {
    type Value = Pooled<T>;
    type Lent<'w> = PoolRef<'w, T>;

    fn declare(access: &mut Access) {
        access.fields::<T>(all_fields::<T>(), 0);
    }

    fn key(world: &mut World) -> TypeKey<Pooled<T>> {
        world.pool_key()
    }

    unsafe fn lend<'w>(pool: Found<'w, Pooled<T>>, _: Context<'w>) -> Option<PoolRef<'w, T>> {
        Some(PoolRef(&pool.look().0))
    }
}

// SAFETY: uses the pool that it declares to need alone.
unsafe impl<T: Resident> Lent for PoolMut<'_, T> {
    type Value = Pooled<T>;
    type Lent<'w> = PoolMut<'w, T>;

    fn declare(access: &mut Access) {
        access.whole_pool::<T>();
    }

    fn key(world: &mut World) -> TypeKey<Pooled<T>> {
        world.pool_key()
    }

    unsafe fn lend<'w>(pool: Found<'w, Pooled<T>>, _: Context<'w>) -> Option<PoolMut<'w, T>> {
        // SAFETY: nobody else uses the pool (by the caller, and what was declared).
        Some(PoolMut(&mut unsafe { pool.change() }.0))
    }
}
