//! A type that differs in lifetimes only is another type: what is written as the one must not be
//! read as the other.
#![forbid(unsafe_code)]

use lath_core::Thing;
use lath_tricks::by_turns;

#[derive(Thing)]
struct Longer {
    value: by_turns!(longer: for<'a> fn(&'a str) -> &'a str; fn(&'static str) -> &'static str),
}

#[derive(Thing)]
struct Shorter {
    value: by_turns!(shorter: fn(&'static str) -> &'static str; for<'a> fn(&'a str) -> &'a str),
}

impl Default for Longer {
    fn default() -> Self {
        loop {}
    }
}

impl Default for Shorter {
    fn default() -> Self {
        loop {}
    }
}

fn main() {}
