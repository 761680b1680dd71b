//! Things with tags, which are kept together in clusters, in rows and in columns, against the
//! oracle.

#![no_main]

#[path = "../../crates/lath-soa/tests/games/columns.rs"]
#[allow(dead_code, reason = "another target plays with the rest")]
mod columns;
#[path = "../../crates/lath-core/tests/common/mod.rs"]
mod common;
#[path = "../../crates/lath-core/tests/games/rows.rs"]
#[allow(dead_code, reason = "another target plays with the rest")]
mod rows;

use common::dice::Dice;
use common::play::any_room;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut dice = Dice::from_bytes(bytes);
    match dice.u8(..3) {
        0 => any_room::<rows::Tagged>(dice),
        1 => any_room::<rows::Plain>(dice),
        _ => any_room::<columns::Tagged>(dice),
    }
});
