//! Snapshots, differences, a history and saves of one world, in any order.

#![no_main]

#[path = "../../crates/lath-snapshot/tests/common/mod.rs"]
mod common;
#[path = "../../crates/lath-snapshot/tests/games/worlds.rs"]
mod worlds;

use common::dice::Dice;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| worlds::play(Dice::from_bytes(bytes), 60));
