//! Loads anything: as a save, as the body of a save with the right checksums, and as text. It is a
//! world or an error.

#![no_main]

#[path = "../../crates/lath-snapshot/tests/common/mod.rs"]
mod common;

use common::things::{MixedColumns, MixedRow, PlainColumns, PlainRow, Subject};
use common::world::{empty, save, with_body};
use lath_snapshot::{Load, SaveInfo, SaveWorld};
use libfuzzer_sys::fuzz_target;
use serde::{Deserialize, Serialize};

/// What may be nested, and what may be long and take nothing.
#[derive(Clone, Serialize, Deserialize)]
struct Node {
    kids: Vec<Node>,
    next: Option<Box<Node>>,
    nothing: Vec<()>,
}

fuzz_target!(|bytes: &[u8]| {
    let mut world = empty();
    world.saves_resource::<Node>();
    let _ = Load::new().from_bytes(&mut world, bytes);
    let file = with_body(bytes);
    let _ = SaveInfo::from_bytes(&file);
    let _ = Load::new().from_bytes(&mut world, &file);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Load::new().from_text(&mut world, text);
    }
    // Whatever it was: the world is one that can be checked, used, saved and loaded again.
    world.pool_mut::<PlainRow>().check_invariants().unwrap();
    world.pool_mut::<MixedRow>().check_invariants().unwrap();
    world.pool_mut::<PlainColumns>().check_invariants().unwrap();
    world.pool_mut::<MixedColumns>().check_invariants().unwrap();
    world.spawn(PlainRow::new(3));
    world.pool_mut::<PlainColumns>().clear();
    let again = save(&world);
    Load::new().from_bytes(&mut world, &again).unwrap();
});
