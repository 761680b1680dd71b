#![expect(unsafe_code, reason = "hands out resources that the system has declared")]
//! Resources: [`Res`], [`ResMut`], options of them, and those that stay on one thread.

use std::any::type_name;
use std::fmt;
use std::ops::{Deref, DerefMut};

use super::Context;
use super::lent::Lent;
use crate::access::Access;
use crate::pinned::Pinned;
use crate::type_map::{Found, TypeKey, TypeMap};
use crate::world::World;

/// A look at a resource.
///
/// # Examples
///
/// ```
/// use lath_schedule::{Res, Schedule, World};
/// struct Wind(f32);
/// let mut world = World::new();
/// world.insert(Wind(3.0));
/// let mut schedule = Schedule::new();
/// schedule.add(|wind: Res<Wind>| assert_eq!(wind.0, 3.0));
/// schedule.run(&mut world);
/// ```
pub struct Res<'w, R>(pub(super) &'w R);

/// A resource, to be changed.
///
/// # Examples
///
/// ```
/// use lath_schedule::{ResMut, Schedule, World};
/// struct Wind(f32);
/// let mut world = World::new();
/// world.insert(Wind(3.0));
/// let mut schedule = Schedule::new();
/// schedule.add(|mut wind: ResMut<Wind>| wind.0 += 1.0);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Wind>().0, 4.0);
/// ```
pub struct ResMut<'w, R>(&'w mut R);

/// A look at a resource that stays on its thread, [`World::insert_pinned`]: the system runs on the
/// thread that runs the schedule.
///
/// # Examples
///
/// ```
/// use lath_schedule::{PinnedMut, PinnedRes, Schedule, World};
/// use std::rc::Rc;
/// let mut world = World::new();
/// world.insert_pinned(Rc::new(1));
/// let mut schedule = Schedule::new();
/// schedule.add(|mut count: PinnedMut<Rc<i32>>| *Rc::make_mut(&mut count) += 1);
/// schedule.add(|count: PinnedRes<Rc<i32>>| assert_eq!(**count, 2));
/// schedule.run(&mut world);
/// ```
pub struct PinnedRes<'w, R>(&'w R);

/// A resource that stays on its thread, to be changed. See [`PinnedRes`].
pub struct PinnedMut<'w, R>(&'w mut R);

macro_rules! deref {
    ($($name:ident)*) => {$(
        impl<R> Deref for $name<'_, R> {
            type Target = R;

            #[inline(always)]
            fn deref(&self) -> &R {
                self.0
            }
        }

        impl<R: fmt::Debug> fmt::Debug for $name<'_, R> {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }
    )*};
}

deref!(Res ResMut PinnedRes PinnedMut);

impl<R> DerefMut for ResMut<'_, R> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut R {
        self.0
    }
}

impl<R> DerefMut for PinnedMut<'_, R> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut R {
        self.0
    }
}

// SAFETY: lends out the one resource that it declares.
unsafe impl<R: Send + Sync + 'static> Lent for Res<'_, R> {
    type Value = R;
    type Lent<'w> = Res<'w, R>;

    fn declare(access: &mut Access) {
        access.resource::<R>("resource", type_name::<R>(), false);
    }

    fn key(world: &mut World) -> TypeKey<R> {
        world.types.key()
    }

    #[inline(always)]
    unsafe fn lend<'w>(value: Found<'w, R>, _: Context<'w>) -> Option<Res<'w, R>> {
        Some(Res(value.look()))
    }
}

// SAFETY: lends out the one resource that it declares.
unsafe impl<R: Send + Sync + 'static> Lent for ResMut<'_, R> {
    type Value = R;
    type Lent<'w> = ResMut<'w, R>;

    fn declare(access: &mut Access) {
        access.resource::<R>("resource", type_name::<R>(), true);
    }

    fn key(world: &mut World) -> TypeKey<R> {
        world.types.key()
    }

    #[inline(always)]
    unsafe fn lend<'w>(value: Found<'w, R>, _: Context<'w>) -> Option<ResMut<'w, R>> {
        // SAFETY: nobody else uses the resource (by the caller, and what was declared).
        Some(ResMut(unsafe { value.change() }))
    }
}

// SAFETY: lends out the one resource that it declares.
unsafe impl<R: 'static> Lent for PinnedRes<'_, R> {
    type Value = Pinned<R>;
    type Lent<'w> = PinnedRes<'w, R>;

    fn declare(access: &mut Access) {
        access.resource::<Pinned<R>>("pinned resource", type_name::<R>(), false);
        access.pinned = true;
    }

    fn key(world: &mut World) -> TypeKey<Pinned<R>> {
        world.pinned_key::<R>()
    }

    fn is_there(types: &TypeMap, key: TypeKey<Pinned<R>>) -> bool {
        types.get(key).is_some_and(Pinned::is_here)
    }

    #[inline(always)]
    unsafe fn lend<'w>(pinned: Found<'w, Pinned<R>>, _: Context<'w>) -> Option<PinnedRes<'w, R>> {
        pinned.look().get().map(PinnedRes)
    }
}

// SAFETY: lends out the one resource that it declares.
unsafe impl<R: 'static> Lent for PinnedMut<'_, R> {
    type Value = Pinned<R>;
    type Lent<'w> = PinnedMut<'w, R>;

    fn declare(access: &mut Access) {
        access.resource::<Pinned<R>>("pinned resource", type_name::<R>(), true);
        access.pinned = true;
    }

    fn key(world: &mut World) -> TypeKey<Pinned<R>> {
        world.pinned_key::<R>()
    }

    fn is_there(types: &TypeMap, key: TypeKey<Pinned<R>>) -> bool {
        types.get(key).is_some_and(Pinned::is_here)
    }

    #[inline(always)]
    unsafe fn lend<'w>(pinned: Found<'w, Pinned<R>>, _: Context<'w>) -> Option<PinnedMut<'w, R>> {
        // SAFETY: nobody else uses the resource (by the caller, and what was declared).
        unsafe { pinned.change() }.get_mut().map(PinnedMut)
    }
}
