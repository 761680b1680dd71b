//! What cannot be the type of a field, for the marker only.
#![forbid(unsafe_code)]

use lath_core::Thing;
use lath_tricks::by_turns;

#[derive(Thing)]
struct Unsized {
    value: by_turns!(unsized1: u8; [u8]),
}

#[derive(Thing)]
struct Traits {
    value: by_turns!(traits: dyn Fn(); Box<dyn Fn()>),
}

impl Default for Unsized {
    fn default() -> Self {
        loop {}
    }
}

impl Default for Traits {
    fn default() -> Self {
        loop {}
    }
}

fn main() {}
