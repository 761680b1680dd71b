#![expect(unsafe_code, reason = "hands out the fields that the system has declared")]
//! The things of a pool through a view: [`Query`].

use lath_core::{Fields, View, Views};

use super::Context;
use super::lent::Lent;
use crate::access::Access;
use crate::type_map::{Found, Pooled, TypeKey};
use crate::world::{Resident, World};

/// The things of a type that a view sees, as the view shows them: [`Views`], as a parameter.
///
/// The view says which fields are read and which are written, and so which other systems may run at
/// the same time. It is a struct that derives `View`, a tuple of [`Ref`](lath_core::Ref),
/// [`Mut`](lath_core::Mut) and [`Handle`](lath_core::Handle), or `&T` and `&mut T` for things in
/// rows.
///
/// The `par_` forms run on the threads of the schedule. With commands there is
/// [`Commands::par_each`](crate::Commands::par_each).
///
/// # Examples
///
/// ```
/// use lath_core::{Mut, Ref, Thing};
/// use lath_schedule::{Query, Schedule, World};
///
/// #[derive(Thing, Default)]
/// struct Actor { pos: f32, vel: f32 }
///
/// fn integrate(mut movers: Query<(Mut<actor::pos>, Ref<actor::vel>)>) {
///     for (mut pos, vel) in &mut movers { *pos += *vel; }
/// }
///
/// fn check(places: Query<Ref<actor::pos>>) {
///     for pos in &places { assert_eq!(*pos, 2.0); }
/// }
///
/// let mut world = World::new();
/// world.spawn(Actor { pos: 0.0, vel: 2.0 });
/// let mut schedule = Schedule::new();
/// schedule.add(integrate).add(check);
/// schedule.run(&mut world);
/// ```
///
/// A query that writes can be at work beside one that reads other fields of the same things:
///
/// ```
/// # use lath_core::{Handle, Mut, Ref, Thing};
/// # use lath_schedule::{Query, Schedule, World};
/// # #[derive(Thing, Default)] struct Ship { hull: f32, target: Handle<Ship> }
/// fn shoot(mut hulls: Query<Mut<ship::hull>>, targets: Query<Ref<ship::target>>) {
///     for target in &targets {
///         if let Some(mut hull) = hulls.get_mut(*target) { *hull -= 1.0; }
///     }
/// }
/// # let mut world = World::new();
/// # let prey = world.spawn(Ship { hull: 8.0, ..Default::default() });
/// # world.spawn(Ship { hull: 1.0, target: prey });
/// # let mut schedule = Schedule::new();
/// # schedule.add(shoot);
/// # schedule.run(&mut world);
/// # assert_eq!(world.read(prey).hull, 7.0);
/// ```
pub type Query<'w, V> = Views<'w, V>;

// SAFETY: uses the fields that it declares.
unsafe impl<V: View<Thing: Resident + Fields>> Lent for Views<'_, V> {
    type Value = Pooled<V::Thing>;
    type Lent<'w> = Query<'w, V>;

    fn declare(access: &mut Access) {
        let _checked = const { (V::READS, V::WRITES) };
        access.fields::<V::Thing>(V::READS, V::WRITES);
        if V::WRITES != 0 {
            access.prepare(|world| {
                if let Some(pool) = world.present_pool_mut::<V::Thing>() {
                    pool.prepare_marks(V::WRITES);
                }
            });
        }
    }

    fn key(world: &mut World) -> TypeKey<Pooled<V::Thing>> {
        world.pool_key()
    }

    #[inline(always)]
    unsafe fn lend<'w>(
        pool: Found<'w, Pooled<V::Thing>>,
        context: Context<'w>,
    ) -> Option<Query<'w, V>> {
        let Pooled(pool) = pool.look();
        context.note_rows(pool.len());
        // SAFETY: nobody uses the fields in a way that conflicts (by the caller, and what was
        // declared).
        Some(unsafe { pool.views::<V>() }.on(context.threads()))
    }
}
