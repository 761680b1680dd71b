#![expect(unsafe_code, reason = "implements the unsafe trait of parameters; holds no unsafe block")]
//! What a system keeps for itself: [`Local`].

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::{Context, Param};
use crate::access::Access;
use crate::world::World;

/// A value of the system's own, kept from run to run: `L::default()` at first. It belongs to the
/// schedule, not to the world: what must come along when the world is saved should be a resource.
///
/// # Examples
///
/// ```
/// use lath_schedule::{Local, ResMut, Schedule, World};
/// struct Ticks(u32);
/// let mut world = World::new();
/// world.insert(Ticks(0));
/// let mut schedule = Schedule::new();
/// schedule.add(|mut runs: Local<u32>, mut ticks: ResMut<Ticks>| {
///     *runs += 1;
///     ticks.0 = *runs;
/// });
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Ticks>().0, 2);
/// ```
pub struct Local<'s, L>(&'s mut L);

impl<L> Deref for Local<'_, L> {
    type Target = L;

    fn deref(&self) -> &L {
        self.0
    }
}

impl<L> DerefMut for Local<'_, L> {
    fn deref_mut(&mut self) -> &mut L {
        self.0
    }
}

impl<L: fmt::Debug> fmt::Debug for Local<'_, L> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

// SAFETY: uses nothing of the world.
unsafe impl<L: Default + Send + Sync + 'static> Param for Local<'_, L> {
    type State = L;
    type Item<'w, 's> = Local<'s, L>;

    fn declare(_: &mut Access) {}

    fn init(_: &mut World) -> L {
        L::default()
    }

    unsafe fn fetch<'w, 's>(state: &'s mut L, _: Context<'w>) -> Local<'s, L> {
        Local(state)
    }
}
