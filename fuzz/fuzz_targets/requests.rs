//! Requests to the inspector that name what there is, and what there is not, in any order.

#![no_main]

#[path = "../../crates/lath-inspect/tests/common/mod.rs"]
mod common;
#[path = "../../crates/lath-inspect/tests/games/requests.rs"]
#[allow(dead_code, reason = "another target plays with the rest")]
mod requests;

use common::dice::Dice;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| requests::play(Dice::from_bytes(bytes), 100));
