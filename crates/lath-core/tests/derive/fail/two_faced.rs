//! A macro in the place of a type can make something else of `Self` than of the name of the struct:
//! what the derive repeats must be what the struct has.

use lath_core::Thing;

macro_rules! two_faced {
    (Self) => { String };
    ($name:ident) => { u64 };
}

#[derive(Thing, Default)]
struct Sly {
    name: two_faced!(Self),
}

fn main() {}
