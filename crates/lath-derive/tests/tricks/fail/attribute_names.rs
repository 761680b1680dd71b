//! Attribute macros under the names of the attributes in the code that the derives write: they
//! would be shown its unsafe code, to be changed.
#![forbid(unsafe_code)]

use lath_core::{Thing, View};
use lath_tricks::prefix as automatically_derived;
use lath_tricks::prefix as inline;

#[derive(Thing, Default)]
struct Actor {
    hp: u64,
}

#[derive(View)]
#[view(Actor)]
struct Looks<'a> {
    hp: &'a u64,
}

fn main() {}
