//! Images of pools and differences between them, in every layout, against clones.

#![no_main]

#[path = "../../crates/lath-snapshot/tests/common/mod.rs"]
mod common;
#[path = "../../crates/lath-snapshot/tests/games/images.rs"]
mod images;

use common::dice::Dice;
use common::things::{MixedColumns, MixedRow, PlainColumns, PlainRow};
use images::{changed, restored};
use libfuzzer_sys::fuzz_target;

const ROUNDS: usize = 20;

fuzz_target!(|bytes: &[u8]| {
    let mut dice = Dice::from_bytes(bytes);
    match dice.u8(..8) {
        0 => restored::<PlainRow>(dice, ROUNDS),
        1 => restored::<MixedRow>(dice, ROUNDS),
        2 => restored::<PlainColumns>(dice, ROUNDS),
        3 => restored::<MixedColumns>(dice, ROUNDS),
        4 => changed::<PlainRow>(dice, ROUNDS),
        5 => changed::<MixedRow>(dice, ROUNDS),
        6 => changed::<PlainColumns>(dice, ROUNDS),
        _ => changed::<MixedColumns>(dice, ROUNDS),
    }
});
