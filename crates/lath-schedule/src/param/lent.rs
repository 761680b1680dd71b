#![expect(unsafe_code, reason = "lends out values of the world that a system has declared")]
//! Parameters that are made of one value of the world: a resource, a pool, the events of a type.

use super::{Context, Param};
use crate::access::Access;
use crate::missing::Missing;
use crate::type_map::{Found, TypeKey, TypeMap, gone};
use crate::world::World;

/// A parameter that is made of one value of the world.
///
/// # Safety
///
/// [`lend`](Self::lend), and what it has made, use nothing of the world but what
/// [`declare`](Self::declare) has said.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the parameter of a system",
    label = "not something that a system can be given",
    note = "parameters are `Query<…>`, `Res<…>`, `ResMut<…>`, `Option<Res<…>>`, `Local<…>`, \
            `Commands`, `EventReader<…>`, `EventWriter<…>`, `Tree<…>`, `TreeMut<…>`, `Sweep<…>`, \
            `PoolRef<…>`, `PoolMut<…>`, `&mut World`, tuples of these, and structs with \
            `#[derive(Params)]`; references to resources are written `Res<…>` and `ResMut<…>`"
)]
pub unsafe trait Lent: Sized {
    /// What the world has.
    type Value: Send + Sync + 'static;

    /// The parameter itself, for one run.
    type Lent<'w>: Lent<Value = Self::Value>;

    /// As [`Param::declare`].
    fn declare(access: &mut Access);

    /// Where the value is, or will be.
    fn key(world: &mut World) -> TypeKey<Self::Value>;

    /// Whether it is there, and can be had on this thread.
    fn is_there(types: &TypeMap, key: TypeKey<Self::Value>) -> bool {
        types.has(key)
    }

    /// Makes the parameter, if the value can be had on this thread.
    ///
    /// # Safety
    ///
    /// As [`Param::fetch`].
    unsafe fn lend<'w>(
        value: Found<'w, Self::Value>,
        context: Context<'w>,
    ) -> Option<Self::Lent<'w>>;
}

#[diagnostic::do_not_recommend]
// SAFETY: `Lent` promises the same.
unsafe impl<L: Lent> Param for L {
    type State = TypeKey<L::Value>;
    type Item<'w, 's> = L::Lent<'w>;

    fn declare(access: &mut Access) {
        L::declare(access);
    }

    fn init(world: &mut World) -> Self::State {
        L::key(world)
    }

    fn check(&key: &Self::State, world: &World) -> Result<(), Missing> {
        match L::is_there(&world.types, key) {
            true => Ok(()),
            false => Err(world.types.missing_at(key)),
        }
    }

    #[inline(always)]
    unsafe fn fetch<'w, 's>(key: &'s mut Self::State, context: Context<'w>) -> L::Lent<'w> {
        // SAFETY: passed on from the caller.
        unsafe { Option::<L>::fetch(key, context) }.unwrap_or_else(|| gone::<L::Value>())
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: as above.
unsafe impl<L: Lent> Param for Option<L> {
    type State = TypeKey<L::Value>;
    type Item<'w, 's> = Option<L::Lent<'w>>;

    fn declare(access: &mut Access) {
        L::declare(access);
    }

    fn init(world: &mut World) -> Self::State {
        L::key(world)
    }

    #[inline(always)]
    unsafe fn fetch<'w, 's>(key: &'s mut Self::State, context: Context<'w>) -> Self::Item<'w, 's> {
        // SAFETY: nobody has the whole world, or what was declared (by the caller).
        unsafe { L::lend(context.world().types.look_up(*key)?, context) }
    }
}
