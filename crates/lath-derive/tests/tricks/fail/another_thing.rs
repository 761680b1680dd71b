//! A view that says it is of one thing and names the markers of another.
#![forbid(unsafe_code)]

use lath_core::{Thing, View};

#[derive(Thing, Default)]
struct Number {
    value: u64,
}

#[derive(Thing, Default)]
struct Text {
    value: String,
}

#[derive(View)]
#[view(Text, module = number)]
struct Looks<'a> {
    value: &'a u64,
}

fn main() {}
