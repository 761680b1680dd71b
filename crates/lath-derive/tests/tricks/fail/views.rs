//! Views that would keep what they have borrowed, or that borrow as something else.
#![forbid(unsafe_code)]

use lath_core::{Thing, View};
use lath_tricks::{by_turns, replace_by};

#[derive(Thing, Default)]
#[thing(columns)]
struct Actor {
    hp: u64,
    #[thing(cold)]
    name: String,
}

trait Forever {
    type Type;
}

impl<'a, X: 'static> Forever for &'a X {
    type Type = std::option::Option<&'static X>;
}

impl<'a, X: 'static> Forever for &'a mut X {
    type Type = std::option::Option<&'static mut X>;
}

type Option<X> = <X as Forever>::Type;

#[derive(View)]
#[view(Actor)]
struct Keeps<'a> {
    hp: &'a u64,
    name: Option<&'a String>,
}

#[derive(View)]
#[view(Actor)]
struct KeepsMutably<'a> {
    hp: &'a u64,
    name: Option<&'a mut String>,
}

#[derive(View)]
#[view(Actor)]
#[replace_by(struct Prolonged<'a> { hp: &'static mut u64, name: std::option::Option<&'a String> })]
struct Prolonged<'a> {
    hp: &'a mut u64,
    name: std::option::Option<&'a String>,
}

#[derive(View)]
#[view(Actor)]
struct Turns<'a> {
    hp: &'a mut by_turns!(hp: u64; [u32; 2]),
}

fn main() {}
