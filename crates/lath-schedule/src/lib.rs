//! The world, its systems and their schedule: parallel where nothing conflicts, and the same result
//! on any number of threads.
//!
//! A [`World`] holds pools of things and resources. A *system* is a plain function whose parameters
//! say what it touches. A [`Schedule`] runs systems in the order in which they were added, at the
//! same time where they have nothing in common.
//!
//! ```
//! use lath_core::{Handle, Mut, Ref, Thing};
//! use lath_schedule::{Commands, Query, Res, Schedule, Time, World};
//!
//! #[derive(Thing, Default)]
//! struct Actor { pos: f32, vel: f32, hp: f32 }
//!
//! fn integrate(mut movers: Query<(Mut<actor::pos>, Ref<actor::vel>)>, time: Res<Time>) {
//!     movers.each(|(mut pos, vel)| *pos += *vel * time.dt);
//! }
//!
//! fn bury(actors: Query<(Handle<Actor>, Ref<actor::hp>)>, mut commands: Commands) {
//!     for (who, hp) in &actors { if *hp <= 0.0 { commands.despawn(who); } }
//! }
//!
//! let mut world = World::new();
//! world.insert(Time { dt: 1.0 / 60.0 });
//! world.spawn(Actor { vel: 1.0, hp: 3.0, ..Default::default() });
//!
//! let mut schedule = Schedule::new();
//! schedule.add(integrate).add(bury);
//! schedule.run(&mut world);
//! println!("{}{}", schedule.explain()?, schedule.report());
//! # Ok::<(), lath_schedule::PlanError>(())
//! ```
//!
//! # What is where
//!
//! | module | holds |
//! |---|---|
//! | `type_map`, `pinned` | one value per type; values that stay on one thread |
//! | `world`, `hooks`, `event` | [`World`], what is called when things come and go, [`Events`] |
//! | `access` | what a system touches, and what conflicts |
//! | `param` | what systems are given: [`Query`], [`Res`] and so on |
//! | `system`, `config`, `set` | functions as systems, and what is said about them |
//! | `commands` | [`Commands`]: recorded by systems, applied between stages |
//! | `plan` | from the order of addition to stages and graphs |
//! | `run` | running them, on one thread or several |
//! | `schedule` | [`Schedule`]: what users call |
//! | `time`, `state` | steps at a fixed rate, timers, states |
//! | `report`, `explain` | how long systems take, and why they wait |
//! | `outline` | the same as data, for tools |
//!
//! # Features
//!
//! `parallel` (default) runs systems on several threads. `tracing` puts a span around every system.
//! `serde` writes and reads [`Time`], [`FixedClocks`], [`Timer`], [`Cooldown`] and [`State`], for
//! saves.
//!
//! # Unsafe code
//!
//! Denied but for these files, because systems that run at the same time use parts of one world:
//!
//! | file | why |
//! |---|---|
//! | `type_map.rs` | one value may be changed while others are used |
//! | `pinned.rs` | values that are not `Send` among values that are |
//! | `param/*.rs` | parameters use what they have declared |
//! | `system.rs` | calls systems with their parameters |
//! | `commands/queue.rs`, `commands/mod.rs` | commands of any type in one piece of memory |
//! | `run/mod.rs`, `run/parallel.rs` | run systems in an order in which they do not conflict |

#![cfg_attr(docsrs, feature(doc_cfg))]
// What is there for several threads only.
#![cfg_attr(not(feature = "parallel"), allow(dead_code, unused_imports, unused_variables))]
// Parameters are made of the world and of their state: both lifetimes are named in every `fetch`,
// used or not.
#![allow(clippy::needless_lifetimes)]

// So that the derive's `::lath_schedule` means this crate in its own tests too.
extern crate self as lath_schedule;

mod tuples;

mod access;
mod commands;
mod config;
mod error;
mod event;
mod explain;
mod hooks;
mod missing;
mod node;
mod once;
mod outline;
mod param;
mod pinned;
mod plan;
mod report;
mod run;
mod schedule;
#[cfg(feature = "serde")]
mod serial;
mod set;
mod state;
mod system;
mod time;
mod type_map;
mod world;

#[doc(hidden)] // for the derive
pub use lath_core::derive as __derive;
#[doc(inline)]
pub use lath_derive::CoreParams as Params;

pub use access::{Access, Conflict};
pub use commands::Commands;
pub use config::{IntoLabel, IntoSystem, Label, System, Systems};
pub use error::{Payload, PlanError, RunError, SystemName};
pub use event::Events;
pub use missing::{Missing, MissingKind};
pub use outline::{Outline, OutlineEdge, OutlineSystem, PoolEntry, SystemSpan};
pub use param::{
    Context, EventReader, EventWriter, Local, Param, PinnedMut, PinnedRes, PoolMut, PoolRef, Query,
    Res, ResMut, Sweep, Tree, TreeMut,
};
pub use report::{Report, ReportLine};
pub use schedule::Schedule;
pub use set::Set;
pub use state::State;
pub use system::{AnyError, Outcome, SystemFn};
pub use time::{Cooldown, FixedClocks, FixedTime, Time, Timer};
pub use world::{CommandCounts, Resident, World};
