//! Schedules and commands, on one thread, on several and shuffled, against a model that calls
//! systems one by one.

#![no_main]

#[path = "../../crates/lath-schedule/tests/common/mod.rs"]
mod common;
#[path = "../../crates/lath-schedule/tests/games/schedules.rs"]
mod schedules;

use std::time::{Duration, Instant};

use common::dice::Dice;
use libfuzzer_sys::fuzz_target;
use schedules::{case, compare};

/// How many threads there are, where that can be told.
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

fuzz_target!(|bytes: &[u8]| {
    let before = threads();
    let case = case(&mut Dice::from_bytes(bytes));
    let seed = bytes.len() as u64;
    compare(&case, &[(1, None), (2, None), (3, Some(seed))], "these bytes");
    // Nobody waits for the threads of a schedule that is gone. What one holds that is just about to
    // end looks like a leak.
    let until = Instant::now() + Duration::from_secs(5);
    while threads() > before && Instant::now() < until {
        std::thread::sleep(Duration::from_micros(50));
    }
});
