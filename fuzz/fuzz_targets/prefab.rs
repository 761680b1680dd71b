//! Reads any text as a prefab beside others, and uses what comes of it.

#![no_main]

#[path = "../../crates/lath-snapshot/tests/common/mod.rs"]
mod common;
#[path = "../../crates/lath-snapshot/tests/games/prefabs.rs"]
#[allow(dead_code, reason = "the test uses the rest")]
mod prefabs;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| prefabs::read(bytes));
