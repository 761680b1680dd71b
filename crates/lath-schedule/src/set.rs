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
    /// See [`Schedule::set`](crate::Schedule::set).
    pub fn before<M>(&mut self, other: impl IntoLabel<M>) -> &mut Self {
        self.before.push(other.label());
        self
    }

    /// Runs all of the set after another system, or after all of another set.
    ///
    /// # Examples
    ///
    /// See [`Schedule::set`](crate::Schedule::set).
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
    /// See [`Schedule::set`](crate::Schedule::set).
    pub fn run_if<M: 'static, C: SystemFn<M, Out = bool>>(&mut self, condition: C) -> &mut Self {
        self.conditions.push(condition_of(condition));
        self
    }
}
