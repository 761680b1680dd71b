//! Columns are in `lath-soa`, which this crate does not depend on.
use lath_core::Thing;

#[derive(Thing, Default)]
#[thing(columns)]
struct Actor {
    pos: f32,
    vel: f32,
}

fn main() {}
