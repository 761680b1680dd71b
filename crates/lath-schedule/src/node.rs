//! One entry of a schedule: a system, a barrier, or steps at a fixed rate.

use std::borrow::Cow;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::access::Access;
use crate::commands::Buffer;
use crate::config::{Label, System};
use crate::error::SystemName;
use crate::missing::Missing;
use crate::report::Timing;
use crate::set::Set;
use crate::system::{AnyCondition, AnySystem};
use crate::time::Fixed;
use crate::world::World;

/// What every run of a tiny system touches comes first, in one cache line: hence `repr(C)`.
#[repr(C)]
pub(crate) struct Node {
    pub(crate) work: Work,
    /// Whether it has neither conditions nor gates.
    pub(crate) is_plain: bool,
    pub(crate) timing: Timing,
    pub(crate) buffer: Buffer,
    pub(crate) name: Cow<'static, str>,
    /// The path of the function.
    pub(crate) path: &'static str,
    pub(crate) at: &'static Location<'static>,
    pub(crate) access: Access,
    pub(crate) conditions: Vec<AnyCondition>,
    /// The sets that it is in must have been let through.
    pub(crate) gates: Vec<Arc<AtomicBool>>,
    pub(crate) sets: Vec<Cow<'static, str>>,
    pub(crate) before: Vec<Label>,
    pub(crate) after: Vec<Label>,
    pub(crate) unordered: Vec<Label>,
    /// The world that the states of its parameters were made for.
    pub(crate) ready_for: Option<u64>,
}

/// What an entry does.
pub(crate) enum Work {
    System(AnySystem),
    /// Asks the conditions of a set, once for all its members.
    Gate(Vec<AnyCondition>, Arc<AtomicBool>),
    /// Applies commands.
    Barrier,
    Fixed(Box<Fixed>),
}

impl Node {
    pub(crate) fn new(name: Cow<'static, str>, at: &'static Location<'static>, work: Work) -> Self {
        Self {
            name,
            path: "",
            at,
            work,
            is_plain: false,
            access: Access::default(),
            conditions: Vec::new(),
            gates: Vec::new(),
            sets: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            unordered: Vec::new(),
            buffer: Buffer::default(),
            timing: Timing::default(),
            ready_for: None,
        }
    }

    pub(crate) fn of_system(system: System, at: &'static Location<'static>) -> Self {
        let name = system.display_name();
        let System { call, access, conditions, path, sets, before, after, unordered, .. } = system;
        Self {
            path,
            access,
            conditions,
            sets,
            before,
            after,
            unordered,
            ..Self::new(name, at, Work::System(call))
        }
    }

    pub(crate) fn system_name(&self) -> SystemName {
        SystemName { name: self.name.clone(), at: self.at }
    }

    /// Whether it runs alone, and commands are applied before it.
    pub(crate) fn is_alone(&self) -> bool {
        self.access.alone.is_some() || matches!(self.work, Work::Fixed(_))
    }

    /// Whether it is a system, as opposed to a barrier.
    pub(crate) fn is_system(&self) -> bool {
        !matches!(self.work, Work::Barrier)
    }

    /// Whether it, or a step in it, must run on the thread that runs the schedule.
    pub(crate) fn is_pinned(&self) -> bool {
        let within =
            |fixed: &Fixed| fixed.schedule.plan.as_ref().is_some_and(|plan| plan.has_pinned);
        self.access.pinned || matches!(&self.work, Work::Fixed(fixed) if within(fixed))
    }

    /// Whether it asks the conditions of a set, which is the only one that it is in.
    pub(crate) fn is_gate(&self) -> bool {
        matches!(self.work, Work::Gate(..))
    }

    /// Whether it is what asks the conditions of a set.
    pub(crate) fn is_gate_of(&self, set: &Set) -> bool {
        matches!((&self.work, &set.gate), (Work::Gate(_, mine), Some(gate)) if Arc::ptr_eq(mine, gate))
    }

    /// Makes the states of its parameters, unless they are those of this world.
    pub(crate) fn init(&mut self, world: &mut World) {
        let is_ready = self.ready_for == Some(world.id());
        if let Work::Gate(conditions, _) = &mut self.work {
            // What is said of a set later does not make earlier conditions forget their locals and
            // which events they have read.
            let unready = conditions.iter_mut().filter(|one| !is_ready || !one.is_ready());
            unready.for_each(|condition| condition.init(world));
        }
        if is_ready {
            return;
        }
        self.conditions.iter_mut().for_each(|condition| condition.init(world));
        if let Work::System(system) = &mut self.work {
            system.init(world);
        }
        self.ready_for = Some(world.id());
    }

    /// Whether all is there that it needs for certain: what its first condition asks for, or else
    /// what it does itself. What is behind a condition is looked for when the condition holds.
    pub(crate) fn check(&self, world: &World) -> Result<(), Missing> {
        match (&self.work, self.conditions.first()) {
            _ if !self.gates.is_empty() => Ok(()),
            (_, Some(condition)) => condition.check(world),
            (Work::System(system), None) => system.check(world),
            (Work::Gate(conditions, _), None) => {
                conditions.first().map_or(Ok(()), |condition| condition.check(world))
            }
            (Work::Fixed(_) | Work::Barrier, None) => Ok(()),
        }
    }
}
