//! The markers of another thing, and a rival for the type of a field.
#![forbid(unsafe_code)]

use lath_core::Thing;
use lath_core::derive::TypeAt;
use lath_snapshot::Save;
use lath_tricks::replace_by;

#[derive(Thing, Default)]
struct Other {
    a: String,
}

#[derive(Thing)]
#[replace_by(
    #[derive(Save, Default)]
    #[thing(module = other)]
    struct Actor { a: u8 }
)]
struct Actor {
    a: u8,
}

#[derive(Thing, Default)]
struct Rival<X: Default + 'static> {
    a: X,
}

impl TypeAt<rival::a<u8>> for Rival<u8> {
    type Type = String;
}

fn main() {}
