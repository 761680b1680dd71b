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

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::time::Instant;

use crate::commands::{Panic, forget};
use crate::error::{Payload, RunError, SystemName};
use crate::missing::Missing;
use crate::node::{Node, NodeKind};
use crate::param::Context;
use crate::plan::graph::Graph;
use crate::world::World;

pub(crate) use threads::Threads;

/// Why a run has ended early, and which node it was.
pub(crate) struct Failure {
    node: u32,
    pub(crate) error: Box<RunError>,
}

impl Failure {
    pub(crate) fn missing(number: u32, node: &Node, missing: Missing) -> Self {
        let error = RunError::Missing { system: node.system_name(), missing };
        Self { node: number, error: Box::new(error) }
    }

    fn panicked(number: u32, node: &Node, payload: Panic) -> Self {
        let (system, payload) = (node.system_name(), Payload(payload));
        Self { node: number, error: Box::new(RunError::Panicked { system, payload }) }
    }
}

/// How the nodes of a schedule are run.
pub(crate) struct Run<'a> {
    pub(crate) threads: &'a Threads,
    /// When the schedule was made.
    pub(crate) epoch: Instant,
    /// Whether every system is measured in this run, or only those that are not tiny.
    pub(crate) measure_all: bool,
    /// Whether any system was measured.
    pub(crate) measured: AtomicBool,
}

/// What the nodes of one stage share.
struct Shared<'a> {
    run: &'a Run<'a>,
    world: &'a Cell<World>,
    nodes: &'a [Cell<Node>],
}

// SAFETY: whoever runs nodes vouches that a node, and what it uses of the world, is used by one
// thread at a time (E1, E2). All that they consist of may be sent.
unsafe impl Sync for Shared<'_> {}

impl<'a> Run<'a> {
    fn share(&'a self, world: &'a mut World, nodes: &'a mut [Node]) -> Shared<'a> {
        let (world, nodes) = (Cell::from_mut(world), Cell::from_mut(nodes).as_slice_of_cells());
        Shared { run: self, world, nodes }
    }

    /// Runs some nodes one after the other, on this thread.
    pub(crate) fn in_order(
        &self,
        world: &mut World,
        nodes: &mut [Node],
        list: &[u32],
    ) -> Result<(), Failure> {
        // SAFETY: nobody else has the world (E1) or the nodes (E2): both are borrowed exclusively.
        unsafe { self.share(world, nodes).run_in_order(list) }
    }

    /// Runs the systems of a stage one after the other, in any order that the graph allows: another
    /// one for every seed.
    pub(crate) fn shuffled(
        &self,
        world: &mut World,
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
        self.in_order(world, nodes, &list)
    }
}

impl Shared<'_> {
    /// Runs nodes one after the other until one fails: every run of a system, on one thread or on
    /// several, passes through here. The commands of the one that fails are dropped.
    ///
    /// A panic is caught for all of them at once: to be ready for it takes as long as an empty
    /// system.
    ///
    /// # Safety
    ///
    /// Nobody uses what the nodes touch in a way that conflicts (E1), and nobody else runs them
    /// (E2). They were made ready for this world.
    #[inline]
    unsafe fn run_in_order(&self, list: &[u32]) -> Result<(), Failure> {
        let mut current = 0;
        let run = || {
            list.iter().try_for_each(|&number| {
                current = number;
                // SAFETY: passed on from the caller.
                unsafe { self.run_node(&mut *self.nodes[number as usize].as_ptr()) }
            })
        };
        let result = catch_unwind(AssertUnwindSafe(run));
        let Err(why) = result.map_or_else(|payload| Err(Err(payload)), |done| done.map_err(Ok))
        else {
            return Ok(());
        };
        // SAFETY: passed on from the caller.
        let node = unsafe { &mut *self.nodes[current as usize].as_ptr() };
        node.buffer.give_up();
        Err(match why {
            Ok(error) => Failure { node: current, error },
            Err(payload) => Failure::panicked(current, node, payload),
        })
    }

    /// Asks the conditions of a node, calls it if they hold, and measures it if that is worth it.
    ///
    /// # Safety
    ///
    /// As [`run_in_order`](Self::run_in_order).
    #[inline(always)]
    unsafe fn run_node(&self, node: &mut Node) -> Result<(), Box<RunError>> {
        let Node { kind, conditions, timing, buffer, name, at, .. } = node;
        #[cfg(feature = "tracing")]
        let _span = tracing::info_span!("system", name = &**name).entered();
        let named = || SystemName { name: name.clone(), at };
        let missing = |missing| Box::new(RunError::Missing { system: named(), missing });
        let measured = self.run.measure_all || !timing.is_tiny();
        let start = measured.then(Instant::now);
        let rows = Cell::new(0);
        let context = Context::new(self.world, buffer, self.run.threads, &rows);
        let mut holds = true;
        for condition in conditions.iter_mut() {
            // SAFETY: what a condition touches, its system declares (E1). That is never the whole
            // world; a system that needs that runs alone, and not yet.
            holds = holds && unsafe { condition.check_and_call(context) }.map_err(missing)?;
        }
        let mut result = Ok(());
        if holds || matches!(kind, NodeKind::Gate(_)) {
            timing.runs += 1;
            match kind {
                NodeKind::System(system) => {
                    // SAFETY: passed on from the caller. Without conditions it was checked before.
                    let called = unsafe {
                        match conditions.is_empty() {
                            true => Ok(system.call(context)),
                            false => system.check_and_call(context),
                        }
                    };
                    result = called.map_err(missing)?;
                }
                NodeKind::Gate(says) => says.store(holds, Release),
                NodeKind::Fixed(fixed) => {
                    // SAFETY: fixed steps have a stage of their own (E1).
                    fixed.run(unsafe { context.world_mut() }, self.run.threads)?;
                }
                NodeKind::Barrier => {}
            }
            timing.rows = rows.get();
        }
        if let Some(start) = start {
            let began = start.duration_since(self.run.epoch);
            timing.note(start.elapsed(), began, threads::thread_number());
            self.run.measured.store(true, Relaxed);
        }
        result.map_err(|error| Box::new(RunError::Failed { system: named(), error }))
    }
}

/// Applies the commands of some systems, in order. If one panics those after it are applied
/// nevertheless, but for the rest of its own system.
pub(crate) fn apply(world: &mut World, nodes: &mut [Node], list: &[u32]) -> Result<(), Failure> {
    // If code of the user's runs in between, it may spawn: handles that were promised are kept for
    // their things.
    if world.hooked || list.iter().any(|&number| nodes[number as usize].buffer.does_anything()) {
        list.iter().for_each(|&number| nodes[number as usize].buffer.reserve(world));
    }
    let mut result = Ok(());
    for &number in list {
        let node = &mut nodes[number as usize];
        if node.buffer.len() > 0
            && let Err(payload) = node.buffer.apply(world)
        {
            if result.is_ok() {
                result = Err(Failure::panicked(number, node, payload));
            } else {
                forget(payload);
            }
        }
        node.buffer.start();
    }
    result
}

/// Scrambles a number.
pub(crate) fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
