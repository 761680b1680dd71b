//! Schedules and commands, on one thread, on several and shuffled, against a model that calls systems one by one.

#![no_main]

#[path = "../../crates/lath-schedule/tests/common/mod.rs"]
mod common;
#[path = "../../crates/lath-schedule/tests/games/schedules.rs"]
mod schedules;

use common::dice::Dice;
use libfuzzer_sys::fuzz_target;
use schedules::{case, compare};

fuzz_target!(|bytes: &[u8]| {
    let case = case(&mut Dice::from_bytes(bytes));
    let seed = bytes.len() as u64;
    compare(&case, &[(1, None), (2, None), (3, Some(seed))], "these bytes");
});
