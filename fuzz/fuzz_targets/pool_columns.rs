//! Calls of every kind on a pool of columns, against the oracle.

#![no_main]

#[path = "../../crates/lath-soa/tests/games/columns.rs"]
#[allow(dead_code, reason = "another target plays with the rest")]
mod columns;
#[path = "../../crates/lath-core/tests/common/mod.rs"]
mod common;

use columns::{Little, MiddleKinds, Tiny, Tiny6, Wide};
use common::dice::Dice;
use common::play::any_room;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut dice = Dice::from_bytes(bytes);
    match dice.u8(..5) {
        0 => any_room::<Wide>(dice),
        1 => any_room::<MiddleKinds>(dice),
        2 => any_room::<Little>(dice),
        3 => any_room::<Tiny>(dice),
        _ => any_room::<Tiny6>(dice),
    }
});
