//! Calls of every kind on a pool of rows, against the oracle: handles of all sizes, kinds, slots
//! that retire.

#![no_main]

#[path = "../../crates/lath-core/tests/common/mod.rs"]
mod common;
#[path = "../../crates/lath-core/tests/games/rows.rs"]
#[allow(dead_code, reason = "another target plays with the rest")]
mod rows;

use common::dice::Dice;
use common::play::any_room;
use libfuzzer_sys::fuzz_target;
use rows::{Little, Middle, MiddleKinds, Once, Tiny, Tiny3, Tiny6, Wide, WideKinds};

fuzz_target!(|bytes: &[u8]| {
    let mut dice = Dice::from_bytes(bytes);
    match dice.u8(..9) {
        0 => any_room::<Wide>(dice),
        1 => any_room::<WideKinds>(dice),
        2 => any_room::<Middle>(dice),
        3 => any_room::<MiddleKinds>(dice),
        4 => any_room::<Little>(dice),
        5 => any_room::<Tiny>(dice),
        6 => any_room::<Tiny3>(dice),
        7 => any_room::<Tiny6>(dice),
        _ => any_room::<Once>(dice),
    }
});
