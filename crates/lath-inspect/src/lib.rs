//! The live world of [lath](https://docs.rs/lath) in a browser tab.
//!
//! Two lines in the program, and a browser at `http://127.0.0.1:7878` shows pools, trees, things
//! and their fields, the schedule and its times; edits fields, spawns, despawns and moves things;
//! pauses, steps and changes the speed.
//!
//! ```no_run
//! use lath_core::Thing;
//! use lath_inspect::{Inspect, Inspector};
//! use lath_schedule::{Schedule, World};
//!
//! #[derive(Thing, Inspect, Default)]
//! struct Actor { name: String, hp: f32 }
//!
//! let (mut world, mut schedule) = (World::new(), Schedule::new());
//! let mut inspector = Inspector::bind("127.0.0.1:7878")?;
//! inspector.pool::<Actor>();
//! loop {
//!     for _ in 0..inspector.steps() { schedule.run(&mut world); }
//!     inspector.update(&mut world, &mut schedule);
//! }
//! # #[expect(unreachable_code)]
//! # Ok::<(), lath_inspect::BindError>(())
//! ```
//!
//! # What is where
//!
//! | module | holds |
//! |---|---|
//! | `probe`, `how` | what the type of a field can do |
//! | `fields`, `table`, `column` | fields and pools without their types |
//! | `filter`, `sort` | `hp < 10 && name ~ "orc"`; sorting a little at a time |
//! | `response` | requests, responses and what is wrong with them |
//! | `inner`, `api` | what each request does |
//! | `pace`, `history`, `undo` | pause and speed; charts; changes taken back |
//! | `line` | how other threads ask |
//! | `inspector` | [`Inspector`]: what users call |
//! | `http` | the server and the page |
//!
//! # Features
//!
//! `http` (default): [`Inspector::bind`] and the page. Without it, [`Inspector::handle`] and
//! [`Line`] are for other transports.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// So that the derive's `::lath_inspect` means this crate in its own tests too.
extern crate self as lath_inspect;

mod api;
mod column;
mod fields;
mod filter;
mod history;
mod how;
#[cfg(feature = "http")]
mod http;
mod inner;
mod inspector;
mod line;
mod pace;
#[doc(hidden)] // for the code that the derive writes
pub mod probe;
mod response;
mod sort;
mod table;
mod undo;

pub use fields::{FieldList, Inspect};
#[doc(hidden)]
pub use how::{FlagsHow, How, Json, LinkHow, Number, NumberHow, Show};
#[cfg(feature = "http")]
pub use http::{BindError, BindOptions};
pub use inspector::{Budget, Inspector, Updated};
pub use lath_derive::CoreInspect as Inspect;
#[doc(hidden)]
pub use lath_schedule::Resident;
pub use line::{Answer, Line};
pub use response::{Method, Request, Response};
