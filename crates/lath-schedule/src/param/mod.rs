#![expect(
    unsafe_code,
    reason = "declares the unsafe trait of parameters, and passes it on to the parts of tuples"
)]
//! What systems are given: parameters, whose types say what is touched.

mod event;
mod lent;
mod links;
mod local;
mod pool;
mod query;
mod resource;
mod sweep;
mod whole;

use std::cell::Cell;

use crate::access::Access;
use crate::commands::Buffer;
use crate::missing::Missing;
use crate::run::Threads;
use crate::world::World;

pub use event::{EventReader, EventWriter};
pub use links::{Tree, TreeMut};
pub use local::Local;
pub use pool::{PoolMut, PoolRef};
pub use query::Query;
pub use resource::{PinnedMut, PinnedRes, Res, ResMut};
pub use sweep::Sweep;

/// What a system can have as a parameter: [`Query`], [`Res`], [`ResMut`], [`Local`],
/// [`Commands`](crate::Commands), [`EventReader`], [`EventWriter`], [`Tree`], [`TreeMut`],
/// [`PoolRef`], [`PoolMut`], `&mut World`, options of resources, tuples of parameters, and structs
/// that derive [`Params`](crate::Params).
///
/// # Safety
///
/// [`fetch`](Self::fetch) uses nothing of the world but what [`declare`](Self::declare) has said.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the parameter of a system",
    label = "not something that a system can be given",
    note = "parameters are `Query<…>`, `Res<…>`, `ResMut<…>`, `Option<Res<…>>`, `Local<…>`, \
            `Commands`, `EventReader<…>`, `EventWriter<…>`, `Tree<…>`, `TreeMut<…>`, `Sweep<…>`, \
            `PoolRef<…>`, `PoolMut<…>`, `&mut World`, tuples of these, and structs with \
            `#[derive(Params)]`; references to resources are written `Res<…>` and `ResMut<…>`"
)]
pub unsafe trait Param: Sized {
    /// What is kept from run to run.
    type State: Send + Sync + 'static;

    /// The parameter itself, for one run.
    type Item<'w, 's>: Param<State = Self::State>;

    /// Says what is touched.
    fn declare(access: &mut Access);

    /// Makes the state, for one world.
    fn init(world: &mut World) -> Self::State;

    /// Whether all that is needed is there.
    ///
    /// # Errors
    ///
    /// [`Missing`] says what is not.
    fn check(_: &Self::State, _: &World) -> Result<(), Missing> {
        Ok(())
    }

    /// Makes the parameter. What it needs is there: [`check`](Self::check) was asked.
    ///
    /// # Safety
    ///
    /// For as long as `'w` nobody else uses what was declared in a way that conflicts with it, and
    /// the state was made for this world.
    unsafe fn fetch<'w, 's>(state: &'s mut Self::State, context: Context<'w>)
    -> Self::Item<'w, 's>;
}

/// The parameter for one run.
pub(crate) type ItemOf<'w, 's, P> = <P as Param>::Item<'w, 's>;

/// What parameters are made from: the world, and what belongs to the system.
#[derive(Clone, Copy)]
pub struct Context<'w> {
    world: &'w Cell<World>,
    buffer: &'w Cell<Buffer>,
    threads: &'w Threads,
    rows: &'w Cell<u64>,
}

impl<'w> Context<'w> {
    pub(crate) fn new(
        world: &'w Cell<World>,
        buffer: &'w mut Buffer,
        threads: &'w Threads,
        rows: &'w Cell<u64>,
    ) -> Self {
        Self { world, buffer: Cell::from_mut(buffer), threads, rows }
    }

    /// Notes how many things the system has to do with, for the report.
    #[inline]
    pub(crate) fn note_rows(self, rows: usize) {
        self.rows.set(self.rows.get() + rows as u64);
    }

    /// The world, to use what was declared.
    ///
    /// # Safety
    ///
    /// Nobody has the whole world exclusively for as long as `'w`.
    pub(crate) unsafe fn world(self) -> &'w World {
        // SAFETY: nobody has it exclusively (by the caller).
        unsafe { &*self.world.as_ptr() }
    }

    /// The whole world.
    ///
    /// # Safety
    ///
    /// Nobody else uses the world for as long as `'w`.
    pub(crate) unsafe fn world_mut(self) -> &'w mut World {
        // SAFETY: nobody else uses it (by the caller).
        unsafe { &mut *self.world.as_ptr() }
    }

    /// The commands of the system.
    ///
    /// # Safety
    ///
    /// Nobody else uses them for as long as `'w`.
    pub(crate) unsafe fn buffer(self) -> &'w mut Buffer {
        // SAFETY: nobody else uses it (by the caller).
        unsafe { &mut *self.buffer.as_ptr() }
    }

    /// Where loops inside the system may run.
    pub(crate) fn threads(self) -> &'w Threads {
        self.threads
    }
}

macro_rules! tuple_params {
    ($($name:ident)*) => {
        // SAFETY: passed on to the parts, each of which declares what it uses.
        unsafe impl<$($name: Param),*> Param for ($($name,)*) {
            type State = ($($name::State,)*);
            type Item<'w, 's> = ($($name::Item<'w, 's>,)*);

            #[allow(unused_variables, reason = "there is a tuple without parts")]
            fn declare(access: &mut Access) {
                $(access.ask::<$name>();)*
            }

            #[allow(unused_variables, clippy::unused_unit, reason = "as above")]
            fn init(world: &mut World) -> Self::State {
                ($($name::init(world),)*)
            }

            #[allow(unused_variables, non_snake_case, reason = "parts are named after their types")]
            fn check(($($name,)*): &Self::State, world: &World) -> Result<(), Missing> {
                $($name::check($name, world)?;)*
                Ok(())
            }

            #[inline(always)]
            #[allow(unused_variables, clippy::unused_unit, non_snake_case, reason = "as above")]
            unsafe fn fetch<'w, 's>(
                ($($name,)*): &'s mut Self::State,
                context: Context<'w>,
            ) -> Self::Item<'w, 's> {
                // SAFETY: passed on from the caller.
                ($(unsafe { $name::fetch($name, context) },)*)
            }
        }
    };
}

crate::tuples::tuples!(tuple_params);
