//! Three relations between the things of a pool, with despawns in between, against a naive model.

#![no_main]

#[path = "../../crates/lath-core/tests/common/mod.rs"]
mod common;
#[path = "../../crates/lath-core/tests/games/tree.rs"]
mod forest;

use common::dice::Dice;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| forest::play(Dice::from_bytes(bytes), 200));
