//! The code that the derive writes is not for the user's lints.
#![forbid(unsafe_code, missing_docs, non_camel_case_types, unreachable_pub)]
#![forbid(missing_debug_implementations, missing_copy_implementations, unnameable_types)]
#![forbid(unused_qualifications, unused_results, trivial_casts, trivial_numeric_casts, private_interfaces)]
#![deny(warnings, future_incompatible, nonstandard_style, rust_2018_idioms, unused)]
#![deny(clippy::all, clippy::pedantic, clippy::undocumented_unsafe_blocks)]

use core::fmt;
use lath_schedule::{Local, Params, Res, Schedule, World};

/// Parameters.
#[derive(Params)]
pub struct Ticks<'w, 's, T: Copy + Send + Sync + 'static> {
    /// A field.
    pub step: Res<'w, T>,
    runs: Local<'s, u32>,
}

impl<T: Copy + Send + Sync + 'static> fmt::Debug for Ticks<'_, '_, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.runs.fmt(out)
    }
}

fn tick(mut ticks: Ticks<'_, '_, u8>) {
    *ticks.runs += u32::from(*ticks.step);
}

fn main() {
    let mut world = World::new();
    assert_eq!(world.insert(2u8), None);
    let mut schedule = Schedule::new();
    let _ = schedule.add(tick);
    schedule.run(&mut world);
}
