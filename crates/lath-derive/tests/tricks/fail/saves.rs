//! Two derives that are shown different structs.
#![forbid(unsafe_code)]

use lath_core::{Pool, Thing};
use lath_snapshot::Save;
use lath_schedule::World;
use lath_snapshot::{SaveWorld, Snapshot};
use lath_tricks::replace_by;

#[derive(Thing)]
#[replace_by(
    #[derive(Save, Default)]
    struct Turned { b: u64, a: u8 }
)]
struct Turned {
    a: u8,
    b: u64,
}

fn main() {
    let mut world = World::new();
    world.saves::<Turned>();
    drop(Snapshot::take(&world));
    drop(Pool::<Turned>::new());
}
