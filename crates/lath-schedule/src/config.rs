//! How a system is added: its name, its place in the order, its conditions.

use std::any::type_name;
use std::borrow::Cow;
use std::panic::Location;

use crate::access::Access;
use crate::missing::short_name;
use crate::node::{Node, NodeKind};
use crate::pinned::Pinned;
use crate::state::{self, State};
use crate::system::{AnyCondition, AnySystem, Function, Outcome, SystemFn};

/// A system that is to be added to a schedule, and what was said about it: what the methods of
/// [`IntoSystem`] return.
pub struct System(pub(crate) Node);

/// What can be added to a [`Schedule`](crate::Schedule): a function or closure, and what is said
/// about it.
///
/// # Examples
///
/// ```
/// use lath_schedule::{IntoSystem, Res, ResMut, Schedule, World};
/// struct Log(Vec<&'static str>);
///
/// fn move_all(mut log: ResMut<Log>) { log.0.push("move") }
/// fn collide(mut log: ResMut<Log>) { log.0.push("collide") }
///
/// let mut schedule = Schedule::new();
/// schedule.add(collide.after(move_all)); // although it is added first
/// schedule.add(move_all.in_set("physics"));
/// let draw = |mut log: ResMut<Log>| log.0.push("draw");
/// schedule.add(draw.named("draw").run_if(|log: Res<Log>| log.0.len() > 1));
/// let mut world = World::new();
/// world.insert(Log(Vec::new()));
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Log>().0, ["move", "collide", "draw"]);
/// ```
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
pub trait IntoSystem<Marker>: Sized {
    /// The system without anything said about it.
    fn into_system(self) -> System;

    /// Gives it a name, instead of that of the function: for closures, and where a function is
    /// added twice.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, Schedule};
    /// fn heal() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(heal.named("heal first")).add(heal);
    /// assert_eq!(schedule.order()?, ["heal first", "heal"]);
    /// # Ok::<(), lath_schedule::PlanError>(())
    /// ```
    fn named(self, name: impl Into<Cow<'static, str>>) -> System {
        self.into_system().with(|node| node.name = name.into())
    }

    /// Runs it before another system, or before all of a set: a function, or a name.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, Schedule};
    /// fn draw() {}
    /// fn fall() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(draw).add(fall.before(draw));
    /// assert_eq!(schedule.order()?, ["fall", "draw"]);
    /// # Ok::<(), lath_schedule::PlanError>(())
    /// ```
    fn before<M>(self, other: impl IntoLabel<M>) -> System {
        self.into_system().with(|node| node.before.push(other.label()))
    }

    /// Runs it after another system, or after all of a set: a function, or a name.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, Schedule};
    /// fn draw() {}
    /// fn fall() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(draw.after("fal")).add(fall);
    /// let error = schedule.order().unwrap_err().to_string();
    /// assert!(error.contains("no system or set of that name; was `fall` meant?"), "{error}");
    /// ```
    fn after<M>(self, other: impl IntoLabel<M>) -> System {
        self.into_system().with(|node| node.after.push(other.label()))
    }

    /// Makes it a member of a set: several systems under one name, which can be ordered and given
    /// [conditions](crate::Schedule::set) together.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, Schedule};
    /// fn draw() {}
    /// fn fall() {}
    /// fn collide() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(draw.after("physics"));
    /// schedule.add((fall.in_set("physics"), collide.in_set("physics")));
    /// assert_eq!(schedule.order()?, ["fall", "collide", "draw"]);
    /// # Ok::<(), lath_schedule::PlanError>(())
    /// ```
    fn in_set(self, set: impl Into<Cow<'static, str>>) -> System {
        self.into_system().with(|node| node.sets.push(set.into()))
    }

    /// Runs it only if a condition holds at that moment: a function or closure of parameters that
    /// returns `bool`. With several conditions all must hold.
    ///
    /// # Panics
    ///
    /// If the condition gives commands, or needs a pool or the world alone.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, Res, ResMut, Schedule, World};
    /// # struct Paused(bool);
    /// # struct Ticks(u32);
    /// fn tick(mut ticks: ResMut<Ticks>) { ticks.0 += 1 }
    /// let mut schedule = Schedule::new();
    /// schedule.add(tick.run_if(|paused: Res<Paused>| !paused.0));
    /// let mut world = World::new();
    /// world.insert(Paused(true));
    /// schedule.run(&mut world); // there are no `Ticks`, and nobody has asked for them
    /// world.insert(Ticks(0));
    /// world.insert(Paused(false));
    /// schedule.run(&mut world);
    /// assert_eq!(world.resource::<Ticks>().0, 1);
    /// ```
    fn run_if<M, C: SystemFn<M, Out = bool>>(self, condition: C) -> System
    where
        M: 'static,
    {
        self.into_system().with(|node| node.add_condition(condition_of(condition)))
    }

    /// Does not care whether it runs before or after another system that it conflicts with. They
    /// never run at the same time, but which comes first may differ from run to run: for systems
    /// whose effects are the same in either order, such as adding to one sum. The result is no
    /// longer the same on any number of threads unless they really are.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, ResMut, Schedule, World};
    /// # struct Sum(u64);
    /// fn ones(mut sum: ResMut<Sum>) { sum.0 += 1 }
    /// fn tens(mut sum: ResMut<Sum>) { sum.0 += 10 }
    /// let mut schedule = Schedule::new();
    /// schedule.add(ones).add(tens.unordered_with(ones));
    /// # let mut world = World::new();
    /// # world.insert(Sum(0));
    /// # schedule.run(&mut world);
    /// # assert_eq!(world.resource::<Sum>().0, 11);
    /// ```
    fn unordered_with<M>(self, other: impl IntoLabel<M>) -> System {
        self.into_system().with(|node| node.unordered.push(other.label()))
    }

    /// Runs it on the thread that runs the schedule.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, Schedule, World};
    /// let here = std::thread::current().id();
    /// let mut schedule = Schedule::new();
    /// schedule.add((move || assert_eq!(std::thread::current().id(), here)).pinned());
    /// schedule.run(&mut World::new());
    /// ```
    fn pinned(self) -> System {
        self.into_system().with(|node| node.access.pinned = true)
    }

    /// Runs it only when a state is entered, at the [transition](crate::Schedule::transitions)
    /// before it in the order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, Schedule, State, World};
    /// fn greet() {}
    /// let mut schedule = Schedule::new();
    /// schedule.transitions::<u8>().add(greet.on_enter(2_u8));
    /// let mut world = World::new();
    /// world.insert(State::new(1_u8));
    /// for _ in 0..2 {
    ///     world.resource_mut::<State<u8>>().set(2); // at last left and entered again
    ///     schedule.run(&mut world);
    /// }
    /// schedule.run(&mut world);
    /// assert_eq!(schedule.report().line("greet").unwrap().runs, 2);
    /// ```
    fn on_enter<S: Clone + PartialEq + Send + Sync + 'static>(self, state: S) -> System {
        self.run_if(state::entering(state))
    }

    /// Runs it only when a state is left, at the [transition](crate::Schedule::transitions) before
    /// it in the order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, Schedule, State, World};
    /// fn save() {}
    /// let mut schedule = Schedule::new();
    /// schedule.transitions::<u8>().add(save.on_exit(1_u8));
    /// let mut world = World::new();
    /// world.insert(State::new(1_u8));
    /// schedule.run(&mut world);
    /// world.resource_mut::<State<u8>>().set(2);
    /// schedule.run(&mut world);
    /// assert_eq!(schedule.report().line("save").unwrap().runs, 1);
    /// ```
    fn on_exit<S: Clone + PartialEq + Send + Sync + 'static>(self, state: S) -> System {
        self.run_if(state::leaving(state))
    }

    /// Runs it only in a state.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, Schedule, State, World};
    /// fn play() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(play.while_in(2_u8)).transitions::<u8>();
    /// let mut world = World::new();
    /// world.insert(State::new(1_u8));
    /// world.resource_mut::<State<u8>>().set(2);
    /// schedule.run(&mut world); // the transition comes after `play`
    /// assert_eq!(schedule.report().line("play").unwrap().runs, 0);
    /// schedule.run(&mut world);
    /// assert_eq!(schedule.report().line("play").unwrap().runs, 1);
    /// ```
    fn while_in<S: Clone + PartialEq + Send + Sync + 'static>(self, state: S) -> System {
        self.run_if(move |now: crate::Res<State<S>>| *now.get() == state)
    }
}

/// Said of a condition, when it asks for more than a look.
pub(crate) fn condition_of<M: 'static, C: SystemFn<M, Out = bool>>(
    condition: C,
) -> (Access, AnyCondition) {
    let access = Function::<C, M, C::Params>::access();
    assert!(
        access.alone.is_none() && !access.commands,
        "the condition `{}` gives commands, or needs a pool or the world alone: \
         a condition may only look",
        type_name::<C>()
    );
    if let Some(conflict) = &access.conflict {
        panic!("the condition `{}` cannot be asked: {conflict}", type_name::<C>());
    }
    (access, Box::new(Function::new(condition)))
}

impl IntoSystem<System> for System {
    fn into_system(self) -> System {
        self
    }
}

impl<M: 'static, F: SystemFn<M, Out: Outcome>> IntoSystem<(fn(), M)> for F {
    fn into_system(self) -> System {
        let call: AnySystem = Box::new(Function::new(self));
        System(Node::new("", Location::caller(), NodeKind::System(call))).with(|node| {
            node.access = Function::<F, M, F::Params>::access();
            node.path = type_name::<F>();
        })
    }
}

impl System {
    /// Says something about it.
    fn with(mut self, say: impl FnOnce(&mut Node)) -> Self {
        say(&mut self.0);
        self
    }

    /// A system from a closure that is not `Send`: it runs on the thread that runs the schedule,
    /// which must be this one.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_schedule::{Schedule, System, World};
    /// use std::{cell::Cell, rc::Rc};
    /// let seen = Rc::new(Cell::new(0));
    /// let counter = seen.clone();
    /// let mut schedule = Schedule::new();
    /// schedule.add(System::local(move || counter.set(counter.get() + 1)));
    /// schedule.run(&mut World::new());
    /// assert_eq!(seen.get(), 1);
    /// ```
    pub fn local(f: impl FnMut() + 'static) -> Self {
        fn path_of<F>(_: &F) -> &'static str {
            type_name::<F>()
        }
        let path = path_of(&f);
        let mut pinned = Pinned::new(Box::new(f) as Box<dyn FnMut()>);
        let call = move || match pinned.get_mut() {
            Some(f) => {
                f();
                Ok(())
            }
            None => Err("a local system was run on another thread than the one that made it"),
        };
        call.pinned().with(|node| node.path = path)
    }
}

/// How other systems are referred to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// By the name of a system or a set.
    Name(Cow<'static, str>),
    /// By the path of a function.
    Function(&'static str),
}

impl Label {
    /// Whether a system of this name, path and sets is meant.
    pub(crate) fn means(&self, name: &str, path: &str, sets: &[Cow<'static, str>]) -> bool {
        match self {
            Self::Name(label) => label == name || sets.contains(label),
            Self::Function(function) => *function == path,
        }
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Function(path) => short_name(path),
        }
    }
}

/// What systems and sets can be referred to by: a name, or the function itself.
pub trait IntoLabel<Marker> {
    /// The label.
    fn label(self) -> Label;
}

impl IntoLabel<&'static str> for &'static str {
    fn label(self) -> Label {
        Label::Name(self.into())
    }
}

impl IntoLabel<String> for String {
    fn label(self) -> Label {
        Label::Name(self.into())
    }
}

impl<M, F: SystemFn<M>> IntoLabel<(fn(), M)> for F {
    fn label(self) -> Label {
        Label::Function(type_name::<F>())
    }
}

/// One system, or a tuple of up to sixteen: what [`Schedule::add`](crate::Schedule::add) takes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "neither a system nor a tuple of systems",
    note = "a system is a `fn` or a closure whose parameters are all of these: `Query<…>`, \
            `Res<…>`, `ResMut<…>`, `Option<Res<…>>`, `Local<…>`, `Commands`, `EventReader<…>`, \
            `EventWriter<…>`, `Tree<…>`, `TreeMut<…>`, `Sweep<…>`, `PoolRef<…>`, `PoolMut<…>`, \
            `&mut World`, tuples of these, structs with `#[derive(Params)]`; at most sixteen of them",
    note = "it returns nothing or a `Result<(), E>`; a closure must not borrow from where it is \
            made, and needs the types of its parameters written out"
)]
pub trait Systems<Marker> {
    /// Calls `f` with each of them.
    fn each(self, f: &mut dyn FnMut(System));
}

/// Marks one system, as opposed to several.
#[doc(hidden)]
pub enum One {}

/// Marks several systems.
#[doc(hidden)]
pub enum Many {}

impl<M, S: IntoSystem<M>> Systems<(One, M)> for S {
    fn each(self, f: &mut dyn FnMut(System)) {
        f(self.into_system());
    }
}

macro_rules! tuples_of_systems {
    ($first:ident $first_marker:ident $(, $name:ident $marker:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<$first, $first_marker, $($name, $marker),*>
            Systems<(Many, ($first_marker, $($marker,)*))> for ($first, $($name,)*)
        where
            $first: IntoSystem<$first_marker>,
            $($name: IntoSystem<$marker>,)*
        {
            #[allow(non_snake_case, reason = "systems are named after their types")]
            fn each(self, f: &mut dyn FnMut(System)) {
                let ($first, $($name,)*) = self;
                f($first.into_system());
                $(f($name.into_system());)*
            }
        }

        tuples_of_systems! { $($name $marker),* }
    };
    () => {};
}

tuples_of_systems! {
    S0 M0, S1 M1, S2 M2, S3 M3, S4 M4, S5 M5, S6 M6, S7 M7, S8 M8, S9 M9, S10 M10, S11 M11,
    S12 M12, S13 M13, S14 M14, S15 M15
}
