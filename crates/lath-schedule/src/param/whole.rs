#![expect(unsafe_code, reason = "hands out the whole world to a system that runs alone")]
//! The whole world: `&mut World`.

use super::{Context, Param};
use crate::access::Access;
use crate::world::World;

/// Everything: the system runs alone, on the thread that runs the schedule, after all commands so
/// far have been applied.
// SAFETY: uses the world, which it declares to need alone.
unsafe impl Param for &mut World {
    type State = ();
    type Item<'w, 's> = &'w mut World;

    fn declare(access: &mut Access) {
        access.world();
    }

    fn init(_: &mut World) {}

    unsafe fn fetch<'w, 's>(_: &'s mut (), context: Context<'w>) -> &'w mut World {
        // SAFETY: nobody else uses the world (by the caller, and what was declared).
        unsafe { context.world_mut() }
    }
}
