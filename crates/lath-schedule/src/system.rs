#![expect(unsafe_code, reason = "calls systems with the parameters that they have declared")]
//! Systems: plain functions and closures whose parameters say what they touch.

use std::error::Error;
use std::marker::PhantomData;

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
    note = "a system is a `fn` or a closure whose parameters are all of these: `Query<…>`, `Res<…>`, `ResMut<…>`, \
            `Option<Res<…>>`, `Local<…>`, `Commands`, `EventReader<…>`, `EventWriter<…>`, `Tree<…>`, `TreeMut<…>`, `Cascade<…>`, `PoolRef<…>`, \
            `PoolMut<…>`, `&mut World`, tuples of these, structs with `#[derive(Params)]`; at most sixteen of them",
    note = "it returns nothing or a `Result<(), E>`; a closure must not borrow from where it is made, and needs the types of \
            its parameters written out"
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
            for<'a> &'a mut Func: FnMut($($name),*) -> Out + FnMut($(ItemOf<'_, '_, $name>),*) -> Out,
        {
            type Params = ($($name,)*);
            type Out = Out;

            #[inline]
            #[allow(non_snake_case, reason = "parameters are named after their types")]
            fn call(&mut self, ($($name,)*): ItemOf<'_, '_, Self::Params>) -> Out {
                // By this detour the compiler knows which of the two bounds is meant.
                #[allow(clippy::too_many_arguments, reason = "up to sixteen")]
                fn call<Out, $($name),*>(mut f: impl FnMut($($name),*) -> Out, $($name: $name),*) -> Out {
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
    note = "a system returns nothing, or a `Result<(), E>` whose error can be turned into a `Box<dyn Error + Send + Sync>`"
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
    /// Makes the state, for one world.
    fn init(&mut self, world: &mut World);

    /// Whether it has a state, of whichever world.
    fn is_ready(&self) -> bool;

    /// Whether all that it needs is there.
    fn check(&self, world: &World) -> Result<(), Missing>;

    /// # Safety
    ///
    /// As [`Param::fetch`], for all parameters; and `init` was called for this world.
    unsafe fn call(&mut self, context: Context<'_>) -> Out;
}

/// The one implementation of [`Callable`].
pub(crate) struct Function<F, M, P: Param> {
    f: F,
    state: Option<P::State>,
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

impl<M, F: SystemFn<M>> Callable<F::Out> for Function<F, M, F::Params> {
    fn init(&mut self, world: &mut World) {
        self.state = Some(F::Params::init(world));
    }

    fn is_ready(&self) -> bool {
        self.state.is_some()
    }

    fn check(&self, world: &World) -> Result<(), Missing> {
        self.state.as_ref().map_or(Ok(()), |state| F::Params::check(state, world))
    }

    #[inline]
    unsafe fn call(&mut self, context: Context<'_>) -> F::Out {
        let Some(state) = &mut self.state else { unreachable!("`init` comes first") };
        // SAFETY: passed on from the caller.
        self.f.call(unsafe { F::Params::fetch(state, context) })
    }
}

/// A system, whatever its type: its outcome is a result.
pub(crate) struct Checked<F, M, P: Param>(pub(crate) Function<F, M, P>);

impl<M, F: SystemFn<M, Out: Outcome>> Callable<Result<(), AnyError>> for Checked<F, M, F::Params> {
    fn init(&mut self, world: &mut World) {
        self.0.init(world);
    }

    fn is_ready(&self) -> bool {
        self.0.is_ready()
    }

    fn check(&self, world: &World) -> Result<(), Missing> {
        self.0.check(world)
    }

    #[inline]
    unsafe fn call(&mut self, context: Context<'_>) -> Result<(), AnyError> {
        // SAFETY: passed on from the caller.
        unsafe { self.0.call(context) }.into_result()
    }
}

/// A system, ready to be called.
pub(crate) type AnySystem = Box<dyn Callable<Result<(), AnyError>>>;

/// A condition, ready to be asked.
pub(crate) type AnyCondition = Box<dyn Callable<bool>>;
