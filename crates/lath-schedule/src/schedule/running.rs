//! Running a schedule: stage by stage, after everything was looked at.

use std::sync::atomic::AtomicBool;

use super::Schedule;
use crate::error::RunError;
use crate::node::{Node, NodeKind};
use crate::plan::Stage;
use crate::report::Span;
use crate::run::{Failure, Run, Threads, apply, mix};
use crate::time::Time;
use crate::world::World;

impl Schedule {
    /// Runs all systems.
    ///
    /// # Panics
    ///
    /// If the run ends early, with the text of the [`RunError`]: [`try_run`](Self::try_run) returns
    /// it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{ResMut, Schedule, World};
    /// # struct Ticks(u32);
    /// let mut world = World::new();
    /// world.insert(Ticks(0));
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut ticks: ResMut<Ticks>| ticks.0 += 1);
    /// schedule.run(&mut world);
    /// schedule.run(&mut world);
    /// assert_eq!(world.resource::<Ticks>().0, 2);
    /// ```
    #[track_caller]
    pub fn run(&mut self, world: &mut World) {
        self.try_run(world).unwrap_or_else(|error| panic!("{error}"));
    }

    /// As [`run`](Self::run).
    ///
    /// # Errors
    ///
    /// [`RunError`]: the schedule cannot be put in order, something is missing, a system has
    /// returned an error or has panicked. The commands of systems that have finished are applied,
    /// those of the one that failed are not. The world can be used as before.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_schedule::{Schedule, World};
    /// fn load() -> Result<(), String> { Err("no such file".into()) }
    /// let mut schedule = Schedule::new();
    /// schedule.add(load);
    /// let error = schedule.try_run(&mut World::new()).unwrap_err().to_string();
    /// assert!(error.starts_with("system `load`"), "{error}");
    /// assert!(error.ends_with("failed: no such file"), "{error}");
    /// ```
    pub fn try_run(&mut self, world: &mut World) -> Result<(), RunError> {
        let threads = self.threads.clone();
        self.try_run_on(world, &threads)
    }

    /// As [`run`](Self::run), on the caller's thread only.
    ///
    /// # Panics
    ///
    /// As [`run`](Self::run).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Schedule, World};
    /// Schedule::new().run_serial(&mut World::new());
    /// ```
    #[track_caller]
    pub fn run_serial(&mut self, world: &mut World) {
        self.try_run_on(world, &Threads::one()).unwrap_or_else(|error| panic!("{error}"));
    }

    fn try_run_on(&mut self, world: &mut World, threads: &Threads) -> Result<(), RunError> {
        self.build()?;
        Time::check(world)?;
        let result = self.enter(world, threads);
        for number in 0..world.tidy_events.len() {
            (world.tidy_events[number].1)(world);
        }
        result
    }

    /// Runs on one of the threads if several are likely to be used: entering them once is cheaper
    /// than for every stage.
    fn enter(&mut self, world: &mut World, threads: &Threads) -> Result<(), RunError> {
        #[cfg(feature = "parallel")]
        {
            let pinned = world.pinned > 0 || self.plan.as_ref().is_some_and(|plan| plan.has_pinned);
            if threads.take_used() && !pinned && threads.count() > 1 {
                return threads.inside(|| self.run_within(world, threads));
            }
        }
        self.run_within(world, threads)
    }

    /// A run within another, or after everything was checked.
    pub(crate) fn run_within(
        &mut self,
        world: &mut World,
        threads: &Threads,
    ) -> Result<(), RunError> {
        self.build()?;
        self.make_ready(world)?;
        self.runs += 1;
        let learn = self.runs % 64 == 1 || self.runs < 4;
        let Self { nodes, plan, .. } = self;
        let Some(plan) = plan else { unreachable!("built just now") };
        let seen = (world.id(), world.types.version());
        let run = Run {
            threads,
            epoch: self.epoch,
            measure_all: self.measure_all || learn,
            measured: AtomicBool::new(false),
        };
        let several = cfg!(feature = "parallel") && threads.count() > 1;
        let mut result = Ok(());
        for stage in &mut plan.stages {
            if world.id() != seen.0 {
                self.ready_for = None; // some may be ready for one world, and some for another
            }
            let done = match stage {
                // After a failure what was promised is kept, and nothing else begins.
                Stage::Apply(list) => apply(world, nodes, list),
                _ if result.is_err() => continue,
                Stage::Alone(number) => still_there(world, nodes, &[*number], seen)
                    .and_then(|()| run.in_order(world, nodes, &[*number])),
                Stage::Together(graph) => {
                    if learn {
                        graph.note_costs(|number| nodes[number as usize].timing.cost);
                    }
                    let worth_it =
                        several && graph.members.len() > 1 && graph.gain >= self.parallel_from;
                    let seed = self.shuffle.map(|seed| mix(seed ^ self.runs));
                    still_there(world, nodes, &graph.members, seen).and_then(|()| match seed {
                        #[cfg(feature = "parallel")]
                        _ if worth_it => {
                            threads.note_used();
                            run.together(world, nodes, graph, self.parallel_from == 0, seed)
                        }
                        Some(seed) => run.shuffled(world, nodes, graph, seed),
                        None => run.in_order(world, nodes, &graph.members),
                    })
                }
            };
            result = result.and(done);
        }
        if run.measured.into_inner() {
            self.note_spans();
        }
        result.map_err(|failure| *failure.error)
    }

    /// Remembers the runs that were measured.
    fn note_spans(&mut self) {
        for (node, number) in self.nodes.iter_mut().zip(0..) {
            if std::mem::take(&mut node.timing.fresh) {
                let timing = &node.timing;
                let (began, thread) = (timing.began, timing.thread);
                self.trace.note(Span {
                    node: number,
                    began,
                    nanoseconds: timing.last_nanoseconds(),
                    thread,
                });
            }
        }
    }

    /// Makes the states of all systems, if this is another world, and looks whether all is there
    /// that they need.
    pub(crate) fn make_ready(&mut self, world: &mut World) -> Result<(), RunError> {
        if self.ready_for.is_none_or(|(id, _)| id != world.id()) {
            self.nodes.iter_mut().for_each(|node| node.init(world));
            self.ready_for = Some((world.id(), u64::MAX));
        }
        for prepare in &self.prepare {
            prepare(world);
        }
        let now = (world.id(), world.types.version());
        // Whether pinned resources are there depends on the thread as well.
        let pinned = self.plan.as_ref().is_some_and(|plan| plan.has_pinned);
        if self.ready_for != Some(now) || pinned {
            // First, since they put resources in that others may ask for.
            for node in &mut self.nodes {
                if let NodeKind::Fixed(fixed) = &mut node.kind {
                    fixed.make_ready(world)?;
                }
            }
            for node in &self.nodes {
                node.check(world)
                    .map_err(|missing| RunError::Missing { system: node.system_name(), missing })?;
            }
            self.ready_for = Some((world.id(), world.types.version()));
        }
        Ok(())
    }
}

/// Whether what some systems need is still there, after commands of this run have been applied. If
/// the whole world has been replaced meanwhile, systems are made ready for the other one: the
/// places that they know are those of the first.
fn still_there(
    world: &mut World,
    nodes: &mut [Node],
    list: &[u32],
    seen: (u64, u64),
) -> Result<(), Failure> {
    if (world.id(), world.types.version()) == seen {
        return Ok(());
    }
    for &number in list {
        let node = &mut nodes[number as usize];
        if world.id() != seen.0 {
            node.init(world);
            node.access.prepare.iter().for_each(|prepare| prepare(world));
        }
        node.check(world).map_err(|missing| Failure::missing(number, node, missing))?;
    }
    Ok(())
}
