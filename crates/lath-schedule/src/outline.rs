//! What is in a world and in a schedule, as data: for tools that show it. Compiled with who calls
//! it, as `explain.rs` says.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

use lath_core::Stats;

use crate::error::PlanError;
use crate::explain::why;
use crate::missing::MissingKind;
use crate::node::NodeKind;
use crate::schedule::Schedule;
use crate::type_map::Kind;
use crate::world::World;

/// A pool of a world, without its type: [`World::pools`].
#[derive(Clone, Copy, Debug)]
pub struct PoolEntry {
    /// The path of the things' type.
    pub name: &'static str,
    /// The type of its things.
    pub thing: TypeId,
    /// How full it is.
    pub stats: Stats,
}

impl World {
    /// The pools that are there, in the order in which they were first heard of.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut world = World::new();
    /// world.spawn(Ship {});
    /// let pools = world.pools();
    /// assert!(pools[0].name.ends_with("Ship") && pools[0].stats.live == 1);
    /// ```
    #[inline]
    pub fn pools(&self) -> Vec<PoolEntry> {
        let pools = self.types.present().filter_map(|entry| match entry.kind {
            Kind::Pool(thing, stats) => {
                Some(PoolEntry { name: entry.name, thing, stats: stats(&self.types)? })
            }
            _ => None,
        });
        pools.collect()
    }

    /// The paths of the types of the resources that are there.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Time, World};
    /// let mut world = World::new();
    /// world.insert(Time { dt: 0.1 });
    /// assert!(world.resource_names()[0].ends_with("Time"));
    /// ```
    #[inline]
    pub fn resource_names(&self) -> Vec<&'static str> {
        self.types.missing(MissingKind::Resource, "").present
    }
}

/// The systems of a schedule and who waits for whom: [`Schedule::outline`].
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// In the order of the schedule; the steps at a fixed rate follow the entry that runs them.
    pub systems: Vec<OutlineSystem>,
    /// Who waits directly for whom.
    pub edges: Vec<OutlineEdge>,
}

/// One system in an [`Outline`].
#[derive(Clone, Debug)]
pub struct OutlineSystem {
    /// Its name, as in a [`Report`](crate::Report).
    pub name: String,
    /// Where it was added: file and line.
    pub added_at: String,
    /// The number of its stage, from 1 up. Systems of one stage may run at the same time.
    pub stage: usize,
    /// Why it is alone in its stage, if it is.
    pub alone: Option<String>,
    /// Whether it gives commands.
    pub commands: bool,
    /// Whether conditions may keep it from running.
    pub conditional: bool,
}

/// One system waits for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineEdge {
    /// The place in [`Outline::systems`] of the one that runs first.
    pub before: usize,
    /// The place of the one that waits.
    pub after: usize,
    /// What both use and one of them writes; or that their order was asked for, or that commands
    /// are applied between them.
    pub reason: String,
}

/// One measured run of a system: [`Schedule::spans`].
#[derive(Clone, Debug)]
pub struct SystemSpan {
    /// The system's name, as in a [`Report`](crate::Report).
    pub system: Arc<str>,
    /// When it began, since the schedule was made.
    pub began: Duration,
    /// How long it took.
    pub took: Duration,
    /// The thread that it ran on, as a number.
    pub thread: u64,
}

impl Schedule {
    /// The systems, their stages and who waits for whom, and why.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Res, ResMut, Schedule};
    /// # struct Wind(f32);
    /// fn blow(mut wind: ResMut<Wind>) { wind.0 += 1.0 }
    /// fn sail(wind: Res<Wind>) { assert!(wind.0 > 0.0) }
    /// let mut schedule = Schedule::new();
    /// schedule.add(blow).add(sail);
    /// let outline = schedule.outline()?;
    /// assert_eq!(outline.systems[1].name, "sail");
    /// assert_eq!((outline.edges[0].before, outline.edges[0].after), (0, 1));
    /// assert_eq!(outline.edges[0].reason, "resource `Wind`");
    /// # Ok::<(), lath_schedule::PlanError>(())
    /// ```
    #[inline]
    pub fn outline(&mut self) -> Result<Outline, PlanError> {
        let mut outline = Outline::default();
        self.outline_into(&mut outline, "")?;
        Ok(outline)
    }

    #[inline]
    fn outline_into(&mut self, outline: &mut Outline, within: &str) -> Result<(), PlanError> {
        self.build()?;
        let Some(plan) = &self.plan else { unreachable!("built just now") };
        let mut places = vec![usize::MAX; self.nodes.len()];
        let mut order = plan.order.clone();
        order.retain(|&number| self.nodes[number as usize].is_system());
        let stages: Vec<usize> = order
            .iter()
            .map(|&number| {
                plan.stages.iter().position(|stage| stage.has(number)).map_or(0, |at| at + 1)
            })
            .collect();
        let mut edges = Vec::new();
        plan.edges(&mut |before, after| edges.push((before, after)));
        for (&number, &stage) in order.iter().zip(&stages) {
            let node = &mut self.nodes[number as usize];
            places[number as usize] = outline.systems.len();
            let alone = match node.access.alone {
                Some(param) => Some(format!("needs `{param}`")),
                None if matches!(node.kind, NodeKind::Fixed(_)) => {
                    Some("runs steps at a fixed rate".to_owned())
                }
                None if node.is_pinned() => {
                    Some("runs on the thread that runs the schedule".to_owned())
                }
                None => None,
            };
            outline.systems.push(OutlineSystem {
                name: format!("{within}{}", node.name),
                added_at: format!("{}:{}", node.at.file(), node.at.line()),
                stage,
                alone,
                commands: node.access.commands,
                conditional: !node.conditions.is_empty() && !node.is_gate(),
            });
            let name = format!("{within}{} / ", node.name);
            if let NodeKind::Fixed(fixed) = &mut node.kind {
                fixed.schedule.outline_into(outline, &name)?;
            }
        }
        let stage_of =
            |number: u32| order.iter().position(|&one| one == number).map_or(0, |at| stages[at]);
        for (before, after) in edges {
            let same_stage = stage_of(before) == stage_of(after);
            let mut reason = why(&self.nodes[before as usize], &self.nodes[after as usize]);
            if reason == "ordered" && !same_stage {
                reason = "a barrier, or one of them runs alone".to_owned();
            }
            outline.edges.push(OutlineEdge {
                before: places[before as usize],
                after: places[after as usize],
                reason,
            });
        }
        Ok(())
    }

    /// The last runs of systems that were measured, oldest first, those of steps at a fixed rate
    /// after the others. Systems that take next to no time are measured now and then, unless
    /// [`measure_all`](Self::measure_all) was asked for.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Schedule, World};
    /// fn idle() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(idle).measure_all(true);
    /// schedule.run(&mut World::new());
    /// assert_eq!(&*schedule.spans()[0].system, "idle");
    /// ```
    #[inline]
    pub fn spans(&self) -> Vec<SystemSpan> {
        let mut spans = Vec::new();
        self.spans_into(&mut spans, "", self);
        spans
    }

    #[inline]
    fn spans_into(&self, spans: &mut Vec<SystemSpan>, within: &str, outermost: &Self) {
        // Every schedule counts from when it was made; one within another may have been made before
        // it.
        let later = self.epoch.saturating_duration_since(outermost.epoch);
        let earlier = outermost.epoch.saturating_duration_since(self.epoch);
        let names: Vec<Arc<str>> =
            self.nodes.iter().map(|node| format!("{within}{}", node.name).into()).collect();
        let removed: Arc<str> = "(removed)".into();
        for span in self.trace.spans() {
            let system = names.get(span.node as usize).unwrap_or(&removed).clone();
            let began = (Duration::from_nanos(span.began) + later).saturating_sub(earlier);
            spans.push(SystemSpan {
                system,
                began,
                took: Duration::from_nanos(span.nanoseconds),
                thread: span.thread,
            });
        }
        for node in &self.nodes {
            if let NodeKind::Fixed(fixed) = &node.kind {
                fixed.schedule.spans_into(spans, &format!("{within}{} / ", node.name), outermost);
            }
        }
    }
}
