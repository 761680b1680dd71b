//! Calls of every kind on a `FixedPool`, against the oracle.

#![no_main]

#[path = "../../crates/lath-core/tests/common/mod.rs"]
mod common;
#[path = "../../crates/lath-core/tests/games/fixed.rs"]
mod fixed;

use common::dice::Dice;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fixed::play(Dice::from_bytes(bytes), 500));
