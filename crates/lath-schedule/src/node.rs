//! One entry of a schedule: a system, a barrier, the conditions of a set, or steps at a fixed rate.

use std::borrow::Cow;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::access::Access;
use crate::commands::Buffer;
use crate::config::Label;
use crate::error::SystemName;
use crate::missing::{Missing, short_name};
use crate::report::Timing;
use crate::system::{AnyCondition, AnySystem};
use crate::time::Fixed;
use crate::world::World;

/// What every run of a tiny system touches comes first, side by side: hence `repr(C)`.
#[repr(C)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    /// All must hold, those of its sets first.
    pub(crate) conditions: Vec<AnyCondition>,
    pub(crate) timing: Timing,
    pub(crate) buffer: Buffer,
    /// What is shown and what others refer to; empty until it is added, if nobody has named it.
    pub(crate) name: Cow<'static, str>,
    /// The path of the function.
    pub(crate) path: &'static str,
    pub(crate) at: &'static Location<'static>,
    pub(crate) access: Access,
    pub(crate) sets: Vec<Cow<'static, str>>,
    pub(crate) before: Vec<Label>,
    pub(crate) after: Vec<Label>,
    pub(crate) unordered: Vec<Label>,
}

/// What an entry does.
pub(crate) enum NodeKind {
    System(AnySystem),
    /// Says whether its conditions hold, for all members of a set.
    Gate(Arc<AtomicBool>),
    /// Applies commands.
    Barrier,
    Fixed(Box<Fixed>),
}

impl Node {
    pub(crate) fn new(
        name: impl Into<Cow<'static, str>>,
        at: &'static Location<'static>,
        kind: NodeKind,
    ) -> Self {
        Self {
            name: name.into(),
            path: "",
            at,
            kind,
            access: Access::default(),
            conditions: Vec::new(),
            sets: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            unordered: Vec::new(),
            buffer: Buffer::default(),
            timing: Timing::default(),
        }
    }

    /// Notes where it is added, and names it after its function if it has no name.
    pub(crate) fn added(&mut self, at: &'static Location<'static>) {
        self.at = at;
        if !self.name.is_empty() {
            return;
        }
        self.name = short_name(self.path).into();
        if self.path.ends_with("{{closure}}") {
            let file = at.file().rsplit(['/', '\\']).next().unwrap_or(at.file());
            self.name = format!("closure at {file}:{}", at.line()).into();
        }
    }

    pub(crate) fn system_name(&self) -> SystemName {
        SystemName { name: self.name.clone(), at: self.at }
    }

    /// Whether it runs alone, and commands are applied before it.
    pub(crate) fn is_alone(&self) -> bool {
        self.access.alone.is_some() || matches!(self.kind, NodeKind::Fixed(_))
    }

    /// Whether it is a system, as opposed to a barrier.
    pub(crate) fn is_system(&self) -> bool {
        !matches!(self.kind, NodeKind::Barrier)
    }

    /// Whether it, or a step in it, must run on the thread that runs the schedule.
    pub(crate) fn is_pinned(&self) -> bool {
        let within =
            |fixed: &Fixed| fixed.schedule.plan.as_ref().is_some_and(|plan| plan.has_pinned);
        self.access.pinned || matches!(&self.kind, NodeKind::Fixed(fixed) if within(fixed))
    }

    /// Whether it asks the conditions of a set, which is the only one that it is in.
    pub(crate) fn is_gate(&self) -> bool {
        matches!(self.kind, NodeKind::Gate(_))
    }

    /// Runs it only if a condition holds, which touches this.
    pub(crate) fn add_condition(&mut self, (access, condition): (Access, AnyCondition)) {
        self.access.merge(&access);
        self.conditions.push(condition);
    }

    /// Makes the states of its parameters, unless they are those of this world.
    pub(crate) fn init(&mut self, world: &mut World) {
        self.conditions.iter_mut().for_each(|condition| condition.init(world));
        if let NodeKind::System(system) = &mut self.kind {
            system.init(world);
        }
    }

    /// Whether all is there that it needs for certain: what its first condition asks for, or else
    /// what it does itself. What is behind a condition is looked for when the condition holds.
    pub(crate) fn check(&self, world: &World) -> Result<(), Missing> {
        match (&self.kind, self.conditions.first()) {
            (_, Some(condition)) => condition.check(world),
            (NodeKind::System(system), None) => system.check(world),
            _ => Ok(()),
        }
    }
}
