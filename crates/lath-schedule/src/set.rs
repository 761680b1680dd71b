//! Sets: several systems under one name.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::access::Access;
use crate::config::{IntoLabel, Label, condition_of};
use crate::system::{AnyCondition, SystemFn};

/// Several systems under one name: what is said about it is said about all of them.
/// [`Schedule::set`](crate::Schedule::set).
pub struct Set {
    pub(crate) name: Cow<'static, str>,
    pub(crate) before: Vec<Label>,
    pub(crate) after: Vec<Label>,
    /// Conditions that no gate asks yet, and what they touch.
    pub(crate) conditions: Vec<(Access, AnyCondition)>,
    /// Says whether the set is let through in this run.
    pub(crate) gate: Option<Arc<AtomicBool>>,
}

impl Set {
    pub(crate) fn new(name: Cow<'static, str>) -> Self {
        Self { name, before: Vec::new(), after: Vec::new(), conditions: Vec::new(), gate: None }
    }

    /// Runs all of the set before another system, or before all of another set.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, Schedule};
    /// fn draw() {}
    /// fn fall() {}
    /// fn collide() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add((draw, fall.in_set("physics"), collide.in_set("physics")));
    /// schedule.set("physics").before(draw);
    /// assert_eq!(schedule.order()?, ["fall", "collide", "draw"]);
    /// # Ok::<(), lath_schedule::PlanError>(())
    /// ```
    pub fn before<M>(&mut self, other: impl IntoLabel<M>) -> &mut Self {
        self.before.push(other.label());
        self
    }

    /// Runs all of the set after another system, or after all of another set.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, Schedule};
    /// fn fall() {}
    /// fn input() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add((fall.in_set("physics"), input));
    /// schedule.set("physics").after("input"); // by name, or by function
    /// assert_eq!(schedule.order()?, ["input", "fall"]);
    /// # Ok::<(), lath_schedule::PlanError>(())
    /// ```
    pub fn after<M>(&mut self, other: impl IntoLabel<M>) -> &mut Self {
        self.after.push(other.label());
        self
    }

    /// Runs the set only if a condition holds. It is asked once per run, before the first system of
    /// the set.
    ///
    /// # Panics
    ///
    /// If the condition gives commands, or needs a pool or the world alone.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, Local, Schedule, World};
    /// fn fall() {}
    /// fn collide() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add((fall.in_set("physics"), collide.in_set("physics")));
    /// schedule.set("physics").run_if(|mut asked: Local<u32>| {
    ///     *asked += 1;
    ///     *asked == 2 // in the second run, since it is asked once for both
    /// });
    /// let mut world = World::new();
    /// (0..3).for_each(|_| schedule.run(&mut world));
    /// assert_eq!(schedule.report().line("collide").unwrap().runs, 1);
    /// ```
    pub fn run_if<M: 'static, C: SystemFn<M, Out = bool>>(&mut self, condition: C) -> &mut Self {
        self.conditions.push(condition_of(condition));
        self
    }
}
