#![expect(
    unsafe_code,
    reason = "runs systems with shared use of the world, in an order in which they do not conflict"
)]
//! Running a plan: stage by stage, on the caller's thread or on several.
//!
//! # Invariants
//!
//! - **E1** At any time, the systems that run are such that none writes what another uses: in a
//!   stage they wait for each other as the graph says, and whoever needs a pool or the world alone
//!   has a stage of its own.
//! - **E2** A system is run by one thread at a time, and at most once in a stage.

#[cfg(feature = "parallel")]
mod parallel;
mod threads;

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::Instant;

use crate::commands::{Buffer, forget};
use crate::error::{Payload, RunError, SystemName};
use crate::missing::Missing;
use crate::node::{Node, Work};
use crate::param::Context;
use crate::plan::graph::Graph;
use crate::system::AnyError;
use crate::world::World;

pub(crate) use threads::Threads;

/// Why a run has ended early.
pub(crate) struct Failure {
    pub(crate) node: u32,
    pub(crate) why: Why,
}

pub(crate) enum Why {
    Error(AnyError),
    Missing(Missing),
    Panic(Box<dyn Any + Send>),
    /// An error within fixed steps, which names its system itself.
    Within(Box<RunError>),
}

impl Failure {
    pub(crate) fn into_error(self, nodes: &[Node]) -> RunError {
        let system = nodes[self.node as usize].system_name();
        self.why.into_error(system)
    }
}

impl Why {
    fn into_error(self, system: SystemName) -> RunError {
        match self {
            Self::Error(error) => RunError::Failed { system, error },
            Self::Missing(missing) => RunError::Missing { system, missing },
            Self::Panic(payload) => RunError::Panicked { system, payload: Payload(payload) },
            Self::Within(error) => *error,
        }
    }
}

/// What all systems of a run share.
pub(crate) struct Run<'a> {
    world: NonNull<World>,
    pub(crate) threads: &'a Threads,
    /// When the schedule was made.
    epoch: Instant,
    /// Whether every system is measured in this run, or only those that are not tiny.
    measure_all: bool,
    /// Whether any system was measured.
    measured: AtomicBool,
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        world: &'a mut World,
        threads: &'a Threads,
        epoch: Instant,
        measure_all: bool,
    ) -> Self {
        Self {
            world: NonNull::from(world),
            threads,
            epoch,
            measure_all,
            measured: AtomicBool::new(false),
        }
    }

    /// Whether any system was measured.
    pub(crate) fn has_measured(&self) -> bool {
        self.measured.load(Relaxed)
    }

    /// The world, between stages.
    pub(crate) fn world(&mut self) -> &mut World {
        // SAFETY: the run has borrowed it exclusively, and no system runs: those borrow the run.
        unsafe { self.world.as_mut() }
    }

    /// Runs one system, if its conditions hold, and measures it.
    ///
    /// # Safety
    ///
    /// Nobody uses what the system touches in a way that conflicts (E1), and nobody else runs it
    /// (E2).
    #[inline]
    unsafe fn run_node(&self, node: &mut Node) -> Result<(), Why> {
        match &mut node.work {
            Work::System(system) if node.is_plain && !self.measure_all && node.timing.is_tiny() => {
                let rows = Cell::new(0);
                // SAFETY: as in `run_unmeasured`.
                let context = unsafe {
                    Context::new(self.world, NonNull::from(&mut node.buffer), self.threads, &rows)
                };
                node.timing.runs += 1;
                // SAFETY: passed on from the caller; the system was made ready for this world.
                let result = unsafe { system.call(context) };
                node.timing.rows = rows.get();
                result.map_err(Why::Error)
            }
            // SAFETY: passed on from the caller.
            _ => unsafe { self.run_measured(node) },
        }
    }

    /// # Safety
    ///
    /// As [`run_node`](Self::run_node).
    #[inline(never)]
    unsafe fn run_measured(&self, node: &mut Node) -> Result<(), Why> {
        if !self.measure_all && node.timing.is_tiny() {
            // SAFETY: passed on from the caller.
            return unsafe { self.run_unmeasured(node) };
        }
        let start = Instant::now();
        // SAFETY: passed on from the caller.
        let result = unsafe { self.run_unmeasured(node) };
        let took = start.elapsed();
        node.timing.note(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
        node.timing.began =
            u64::try_from(start.duration_since(self.epoch).as_nanos()).unwrap_or(u64::MAX);
        node.timing.thread = threads::thread_number();
        self.measured.store(true, Relaxed);
        result
    }

    /// # Safety
    ///
    /// As [`run_node`](Self::run_node).
    unsafe fn run_unmeasured(&self, node: &mut Node) -> Result<(), Why> {
        #[cfg(feature = "tracing")]
        let _span = tracing::info_span!("system", name = &*node.name).entered();
        let Node { work, conditions, gates, buffer, timing, .. } = node;
        let rows = Cell::new(0);
        let buffer = NonNull::from(buffer);
        // SAFETY: the world and the buffer live as long as the run and the node, which are
        // borrowed. The world is used through contexts only while systems run, and the buffer
        // through this one, since it is this node's (E2).
        let context = unsafe { Context::new(self.world, buffer, self.threads, &rows) };
        if gates.iter().any(|gate| !gate.load(Acquire)) {
            return Ok(());
        }
        for condition in conditions.iter_mut() {
            // SAFETY: conditions look only at what the system declares too (E1); nobody has the
            // world exclusively, since a system that needs it alone is not running yet, but for
            // this one.
            let holds = unsafe {
                condition.check(context.world()).map_err(Why::Missing)?;
                condition.call(context)
            };
            if !holds {
                return Ok(());
            }
        }
        timing.runs += 1;
        let result = match work {
            Work::System(system) => {
                if !conditions.is_empty() || !gates.is_empty() {
                    // SAFETY: as for conditions.
                    system.check(unsafe { context.world() }).map_err(Why::Missing)?;
                }
                // SAFETY: passed on from the caller; the system was made ready for this world.
                unsafe { system.call(context) }.map_err(Why::Error)
            }
            Work::Gate(conditions, gate) => {
                let mut holds = true;
                for condition in conditions {
                    // SAFETY: as above.
                    holds = unsafe {
                        condition.check(context.world()).map_err(Why::Missing)?;
                        condition.call(context)
                    };
                    if !holds {
                        break;
                    }
                }
                gate.store(holds, Release);
                Ok(())
            }
            Work::Fixed(fixed) => {
                // SAFETY: fixed steps have a stage of their own (E1).
                let world = unsafe { context.world_mut() };
                fixed.run(world, self.threads).map_err(|error| Why::Within(Box::new(error)))
            }
            Work::Barrier => Ok(()),
        };
        timing.rows = rows.get();
        result
    }

    /// Runs a system that has a stage of its own.
    pub(crate) fn run_alone(&mut self, nodes: &mut [Node], number: u32) -> Result<(), Failure> {
        self.run_in_order(nodes, &[number])
    }

    /// Runs systems one after another, on this thread.
    pub(crate) fn run_in_order(&mut self, nodes: &mut [Node], list: &[u32]) -> Result<(), Failure> {
        let mut current = 0;
        let run = || {
            for &number in list {
                current = number;
                // SAFETY: one after the other on this thread (E2), and `&mut self` keeps all others
                // away (E1).
                unsafe { self.run_node(&mut nodes[number as usize]) }?;
            }
            Ok(())
        };
        let why = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(why)) => why,
            Err(payload) => Why::Panic(payload),
        };
        nodes[current as usize].buffer.give_up();
        Err(Failure { node: current, why })
    }

    /// Runs the systems of a stage one after another, in any order that the graph allows: another
    /// one for every seed.
    pub(crate) fn run_shuffled(
        &mut self,
        nodes: &mut [Node],
        graph: &Graph,
        seed: u64,
    ) -> Result<(), Failure> {
        let mut waits = graph.waits.clone();
        let mut ready = graph.roots.clone();
        let mut list = Vec::with_capacity(graph.members.len());
        let mut random = seed;
        while !ready.is_empty() {
            random = mix(random);
            let at = ready.swap_remove((random % ready.len() as u64) as usize);
            list.push(graph.members[at as usize]);
            for &after in graph.followers(at) {
                waits[after as usize] -= 1;
                if waits[after as usize] == 0 {
                    ready.push(after);
                }
            }
        }
        self.run_in_order(nodes, &list)
    }

    /// Applies the commands of some systems, in order.
    pub(crate) fn apply(&mut self, nodes: &mut [Node], list: &[u32]) -> Result<(), Failure> {
        let world = self.world();
        // If code of the user's runs in between, it may spawn: handles that were promised are kept
        // for their things.
        let promised = world.hooked
            || list.iter().any(|&number| nodes[number as usize].buffer.does_anything());
        if promised {
            list.iter().for_each(|&number| nodes[number as usize].buffer.reserve(world));
        }
        let mut result = Ok(());
        for &number in list {
            let buffer: &mut Buffer = &mut nodes[number as usize].buffer;
            if buffer.len() > 0 {
                match buffer.apply(world) {
                    Err(payload) if result.is_ok() => {
                        result = Err(Failure { node: number, why: Why::Panic(payload) })
                    }
                    Err(payload) => forget(payload),
                    Ok(()) => {}
                }
            }
            buffer.start();
        }
        result
    }
}

/// Scrambles a number.
pub(crate) fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
