//! What commands there are: to spawn, and to do something else.

use lath_core::Handle;
use lath_core::guard::Guard;

use super::queue::Command;
use crate::hooks::{self, Happened};
use crate::world::{Resident, World};

/// Puts a thing into the slot that was promised.
pub(super) struct Spawn<T: Resident>(pub(super) Handle<T>, pub(super) T);

impl<T: Resident> Command for Spawn<T> {
    fn apply(self, world: &mut World) -> bool {
        let Self(handle, thing) = self;
        // The thing may panic on its way in: a cold field is compared.
        let mut promised = Guard::new(&mut *world, |world| give_up(world, handle));
        let spawned = promised.pool_mut::<T>().spawn_at(handle, thing).is_ok();
        promised.disarm();
        if spawned {
            hooks::happened(world, || Happened::Spawned(handle));
        }
        spawned
    }

    fn reserve(&self, world: &mut World) {
        // If it is refused, so is the command.
        world.pool_mut::<T>().reserve_at(self.0).ok();
    }

    fn cancel(self, world: &mut World) {
        give_up(world, self.0);
    }
}

/// Frees a slot that was reserved for a thing that does not come.
fn give_up<T: Resident>(world: &mut World, handle: Handle<T>) {
    if let Some(pool) = world.present_pool_mut::<T>().filter(|pool| !pool.contains(handle)) {
        pool.despawn(handle);
    }
}

/// Does something else, and answers whether there was anything to do. `ANYTHING` if that is code of
/// the user's.
pub(super) struct Act<F, const ANYTHING: bool>(pub(super) F);

impl<F, const ANYTHING: bool> Command for Act<F, ANYTHING>
where
    F: FnOnce(&mut World) -> bool + Send + 'static,
{
    const DOES_ANYTHING: bool = ANYTHING;

    fn apply(self, world: &mut World) -> bool {
        (self.0)(world)
    }
}
