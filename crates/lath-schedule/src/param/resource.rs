#![expect(unsafe_code, reason = "hands out resources that the system has declared")]
//! Resources: [`Res`], [`ResMut`], options of them, and those that stay on one thread.

use std::any::type_name;
use std::fmt;
use std::ops::{Deref, DerefMut};

use super::{Context, Param};
use crate::access::Access;
use crate::missing::{Missing, MissingKind};
use crate::pinned::Pinned;
use crate::type_map::TypeKey;
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
pub struct Res<'w, R>(&'w R);

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

pub(super) fn must_have<R: 'static>(place: TypeKey<R>, world: &World) -> Result<(), Missing> {
    if world.types.has(place) {
        Ok(())
    } else {
        Err(world.missing(MissingKind::Resource, type_name::<R>()))
    }
}

/// `fetch` was called although `check` said that something is missing.
#[cold]
pub(super) fn gone<R>() -> ! {
    panic!(
        "the resource `{}` is gone: a hook or a command of this run has taken it away",
        type_name::<R>()
    )
}

// SAFETY: looks at the one resource that it declares.
unsafe impl<R: Send + Sync + 'static> Param for Res<'_, R> {
    type State = TypeKey<R>;
    type Item<'w, 's> = Res<'w, R>;

    fn declare(access: &mut Access) {
        access.resource::<R>("resource", type_name::<R>(), false);
    }

    fn init(world: &mut World) -> TypeKey<R> {
        world.types.key()
    }

    fn check(place: &TypeKey<R>, world: &World) -> Result<(), Missing> {
        must_have(*place, world)
    }

    #[inline(always)]
    unsafe fn fetch<'w, 's>(place: &'s mut TypeKey<R>, context: Context<'w>) -> Res<'w, R> {
        // SAFETY: nobody writes to the resource (by the caller, and what was declared).
        Res(unsafe { context.world() }.types.get(*place).unwrap_or_else(|| gone::<R>()))
    }
}

// SAFETY: uses the one resource that it declares to write.
unsafe impl<R: Send + Sync + 'static> Param for ResMut<'_, R> {
    type State = TypeKey<R>;
    type Item<'w, 's> = ResMut<'w, R>;

    fn declare(access: &mut Access) {
        access.resource::<R>("resource", type_name::<R>(), true);
    }

    fn init(world: &mut World) -> TypeKey<R> {
        world.types.key()
    }

    fn check(place: &TypeKey<R>, world: &World) -> Result<(), Missing> {
        must_have(*place, world)
    }

    #[inline(always)]
    unsafe fn fetch<'w, 's>(place: &'s mut TypeKey<R>, context: Context<'w>) -> ResMut<'w, R> {
        // SAFETY: nobody else uses the resource (by the caller, and what was declared).
        ResMut(
            unsafe { context.world().types.get_shared_mut(*place) }.unwrap_or_else(|| gone::<R>()),
        )
    }
}

// SAFETY: as `Res`.
unsafe impl<R: Send + Sync + 'static> Param for Option<Res<'_, R>> {
    type State = TypeKey<R>;
    type Item<'w, 's> = Option<Res<'w, R>>;

    fn declare(access: &mut Access) {
        Res::<R>::declare(access);
    }

    fn init(world: &mut World) -> TypeKey<R> {
        world.types.key()
    }

    #[inline]
    unsafe fn fetch<'w, 's>(place: &'s mut TypeKey<R>, context: Context<'w>) -> Option<Res<'w, R>> {
        // SAFETY: as for `Res`.
        unsafe { context.world() }.types.get(*place).map(Res)
    }
}

// SAFETY: as `ResMut`.
unsafe impl<R: Send + Sync + 'static> Param for Option<ResMut<'_, R>> {
    type State = TypeKey<R>;
    type Item<'w, 's> = Option<ResMut<'w, R>>;

    fn declare(access: &mut Access) {
        ResMut::<R>::declare(access);
    }

    fn init(world: &mut World) -> TypeKey<R> {
        world.types.key()
    }

    #[inline]
    unsafe fn fetch<'w, 's>(
        place: &'s mut TypeKey<R>,
        context: Context<'w>,
    ) -> Option<ResMut<'w, R>> {
        // SAFETY: as for `ResMut`.
        unsafe { context.world().types.get_shared_mut(*place) }.map(ResMut)
    }
}

fn must_be_here<R: 'static>(place: TypeKey<Pinned<R>>, world: &World) -> Result<(), Missing> {
    match world.types.get(place).and_then(Pinned::get) {
        Some(_) => Ok(()),
        None => Err(world.missing(MissingKind::Pinned, type_name::<R>())),
    }
}

// SAFETY: looks at the one resource that it declares.
unsafe impl<R: 'static> Param for PinnedRes<'_, R> {
    type State = TypeKey<Pinned<R>>;
    type Item<'w, 's> = PinnedRes<'w, R>;

    fn declare(access: &mut Access) {
        access.resource::<Pinned<R>>("pinned resource", type_name::<R>(), false);
        access.pinned = true;
    }

    fn init(world: &mut World) -> Self::State {
        world.types.key()
    }

    fn check(place: &Self::State, world: &World) -> Result<(), Missing> {
        must_be_here(*place, world)
    }

    unsafe fn fetch<'w, 's>(place: &'s mut Self::State, context: Context<'w>) -> PinnedRes<'w, R> {
        // SAFETY: nobody writes to the resource (by the caller, and what was declared).
        PinnedRes(
            unsafe { context.world() }
                .types
                .get(*place)
                .and_then(Pinned::get)
                .unwrap_or_else(|| gone::<R>()),
        )
    }
}

// SAFETY: uses the one resource that it declares to write.
unsafe impl<R: 'static> Param for PinnedMut<'_, R> {
    type State = TypeKey<Pinned<R>>;
    type Item<'w, 's> = PinnedMut<'w, R>;

    fn declare(access: &mut Access) {
        access.resource::<Pinned<R>>("pinned resource", type_name::<R>(), true);
        access.pinned = true;
    }

    fn init(world: &mut World) -> Self::State {
        world.types.key()
    }

    fn check(place: &Self::State, world: &World) -> Result<(), Missing> {
        must_be_here(*place, world)
    }

    unsafe fn fetch<'w, 's>(place: &'s mut Self::State, context: Context<'w>) -> PinnedMut<'w, R> {
        // SAFETY: nobody else uses the resource (by the caller, and what was declared).
        let pinned = unsafe { context.world().types.get_shared_mut(*place) };
        PinnedMut(pinned.and_then(Pinned::get_mut).unwrap_or_else(|| gone::<R>()))
    }
}
