//! Rows of other people's suites, written anew from what they say they measure, each candidate as
//! its own documentation recommends.
//!
//! - **rust-gamedev/ecs_bench_suite**: `insert`, `iterate`, `frag-20`, `schedule`, `compute`,
//!   `add-remove`, `text`, `binary`;
//! - **abeimler/ecs_benchmark**: `create`, `destroy`, `create-delete`, `unpack`, `update`;
//! - **hecs**: `spawn-batch`, `iterate-100k`, `iterate-100-by-50`; columns asked at random,
//!   `random`;
//! - **bevy_ecs**: `empty-systems`, `conditions`, `messages`, `commands`;
//! - **noctjs/ecs-benchmark**: `packed-5`, `simple-iter`, `frag-100`, `cycle`.
//!
//! flecs measures the same calls as these. Sizes are theirs where they name some; where a suite goes
//! through dozens of sizes, these are a thousand, 64 thousand and a million. Bars are against
//! whichever peer is the quickest, on whatever layout suits the question: lath is to be first.

mod bodies;
mod cycle;
mod floats;
mod lives;
mod mixed;
mod saves;
mod schedules;
mod unpack;

use crate::workload::{Bar, Workload};
use crate::workloads::{kinds, systems, tag};

const FRAG: &[Bar] = &[Bar::to_best("lath-columns", 0.9)];
const SCHEDULE: &[Bar] = &[Bar::to_best("lath-serial", 1.0), Bar::to_best("lath", 1.0)];
const EMPTY: &[Bar] = &[Bar::to_best("lath-serial", 1.1), Bar::to_best("lath", 1.1)];
const TAGS: &[Bar] = &[Bar::to_ecs("lath-rows", 1.0), Bar::to_ecs("lath-columns", 1.0)];

/// All of them, by what they are about.
pub(super) fn workloads() -> Vec<Workload> {
    let frag_20 = "26 kinds × 20, one shared f32, 100 times";
    let frag_100 = "26 kinds × 100, one shared f32, 20 times";
    let mut all = bodies::workloads();
    all.extend([
        kinds::compare("outside-frag-20", frag_20, 20, 100, FRAG),
        kinds::compare("outside-frag-100", frag_100, 100, 20, FRAG),
        systems::three("outside-schedule", 10_000, SCHEDULE),
        systems::three("outside-simple-iter", 1_000, SCHEDULE),
        systems::empty("outside-empty-systems", EMPTY),
        tag::compare("outside-add-remove-1k", 1_000, TAGS),
        tag::compare("outside-add-remove-64k", 64_000, TAGS),
    ]);
    all.extend(saves::workloads());
    all.extend(lives::workloads());
    all.extend(unpack::workloads());
    all.extend(mixed::workloads());
    all.extend(floats::workloads());
    all.extend(cycle::workloads());
    all.extend(schedules::workloads());
    all
}
