#![expect(unsafe_code, reason = "calls systems with the parameters that they have declared")]
//! Systems: plain functions and closures whose parameters say what they touch.

use std::error::Error;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::access::Access;
use crate::missing::Missing;
use crate::param::{Context, ItemOf, Param};
use crate::world::World;

/// An error of any kind, as systems return it.
pub type AnyError = Box<dyn Error + Send + Sync>;

/// A function or closure whose parameters are [`Param`]s, up to sixteen.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a function of parameters that systems can have",
    note = "a system is a `fn` or a closure whose parameters are all of these: `Query<…>`, \
            `Res<…>`, `ResMut<…>`, `Option<Res<…>>`, `Local<…>`, `Commands`, `EventReader<…>`, \
            `EventWriter<…>`, `Tree<…>`, `TreeMut<…>`, `Sweep<…>`, `PoolRef<…>`, `PoolMut<…>`, \
            `&mut World`, tuples of these, structs with `#[derive(Params)]`; at most sixteen of them",
    note = "it returns nothing or a `Result<(), E>`; a closure must not borrow from where it is \
            made, and needs the types of its parameters written out"
)]
pub trait SystemFn<Marker>: Send + 'static {
    /// Its parameters, as a tuple.
    type Params: Param;
    /// What it returns.
    type Out;

    /// Calls it.
    fn call(&mut self, params: ItemOf<'_, '_, Self::Params>) -> Self::Out;
}

macro_rules! system_fns {
    ($($name:ident)*) => {
        impl<Func, Out, $($name: Param),*> SystemFn<fn($($name),*) -> Out> for Func
        where
            Func: Send + 'static,
            for<'a> &'a mut Func:
                FnMut($($name),*) -> Out + FnMut($(ItemOf<'_, '_, $name>),*) -> Out,
        {
            type Params = ($($name,)*);
            type Out = Out;

            #[inline]
            #[allow(non_snake_case, reason = "parameters are named after their types")]
            fn call(&mut self, ($($name,)*): ItemOf<'_, '_, Self::Params>) -> Out {
                // By this detour the compiler knows which of the two bounds is meant.
                #[allow(clippy::too_many_arguments, reason = "up to sixteen")]
                fn call<Out, $($name),*>(
                    mut f: impl FnMut($($name),*) -> Out,
                    $($name: $name),*
                ) -> Out {
                    f($($name),*)
                }
                call(self, $($name),*)
            }
        }
    };
}

crate::tuples::tuples!(system_fns);

/// What a system may return: nothing, or a `Result<(), E>`.
#[diagnostic::on_unimplemented(
    message = "a system cannot return `{Self}`",
    note = "a system returns nothing, or a `Result<(), E>` whose error can be turned into a \
            `Box<dyn Error + Send + Sync>`"
)]
pub trait Outcome {
    /// The error, if it is one.
    ///
    /// # Errors
    ///
    /// What the system returned.
    fn into_result(self) -> Result<(), AnyError>;
}

impl Outcome for () {
    #[inline(always)]
    fn into_result(self) -> Result<(), AnyError> {
        Ok(())
    }
}

impl<E: Into<AnyError>> Outcome for Result<(), E> {
    fn into_result(self) -> Result<(), AnyError> {
        self.map_err(Into::into)
    }
}

/// A function with its state, and its parameters forgotten.
pub(crate) trait Callable<Out>: Send {
    /// Makes the state, unless it has that for this world.
    fn init(&mut self, world: &mut World);

    /// Whether all that it needs is there.
    fn check(&self, world: &World) -> Result<(), Missing>;

    /// # Safety
    ///
    /// As [`Param::fetch`], for all parameters; and `init` was called for this world.
    unsafe fn call(&mut self, context: Context<'_>) -> Out;

    /// Calls it if all that it needs is there.
    ///
    /// # Safety
    ///
    /// As [`call`](Self::call); and nobody has the world exclusively.
    unsafe fn check_and_call(&mut self, context: Context<'_>) -> Result<Out, Missing> {
        // SAFETY: passed on from the caller.
        unsafe {
            self.check(context.world())?;
            Ok(self.call(context))
        }
    }
}

/// The usual implementation of [`Callable`].
pub(crate) struct Function<F, M, P: Param> {
    f: F,
    /// The state, and the world that it is for.
    state: Option<(u64, P::State)>,
    marker: PhantomData<fn() -> (M, P)>,
}

impl<M, F: SystemFn<M>> Function<F, M, F::Params> {
    pub(crate) fn new(f: F) -> Self {
        Self { f, state: None, marker: PhantomData }
    }

    pub(crate) fn access() -> Access {
        Access::of::<F::Params>()
    }
}

impl<To, M, F: SystemFn<M, Out: Answer<To>>> Callable<To> for Function<F, M, F::Params> {
    fn init(&mut self, world: &mut World) {
        if self.state.as_ref().is_none_or(|&(id, _)| id != world.id()) {
            self.state = Some((world.id(), F::Params::init(world)));
        }
    }

    fn check(&self, world: &World) -> Result<(), Missing> {
        self.state.as_ref().map_or(Ok(()), |(_, state)| F::Params::check(state, world))
    }

    #[inline]
    unsafe fn call(&mut self, context: Context<'_>) -> To {
        let Some((_, state)) = &mut self.state else { unreachable!("`init` comes first") };
        // SAFETY: passed on from the caller.
        self.f.call(unsafe { F::Params::fetch(state, context) }).answer()
    }
}

/// What becomes of what a function returns.
pub(crate) trait Answer<Out> {
    fn answer(self) -> Out;
}

impl<O: Outcome> Answer<Result<(), AnyError>> for O {
    #[inline(always)]
    fn answer(self) -> Result<(), AnyError> {
        self.into_result()
    }
}

impl Answer<bool> for bool {
    fn answer(self) -> bool {
        self
    }
}

/// The condition of a set, for one of its members: what its gate has said.
impl Callable<bool> for Arc<AtomicBool> {
    fn init(&mut self, _: &mut World) {}

    fn check(&self, _: &World) -> Result<(), Missing> {
        Ok(())
    }

    unsafe fn call(&mut self, _: Context<'_>) -> bool {
        self.load(Ordering::Acquire)
    }
}

/// A system, ready to be called.
pub(crate) type AnySystem = Box<dyn Callable<Result<(), AnyError>>>;

/// A condition, ready to be asked.
pub(crate) type AnyCondition = Box<dyn Callable<bool>>;
