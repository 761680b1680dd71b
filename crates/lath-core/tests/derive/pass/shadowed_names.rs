//! The code that the derive writes does not depend on what the names around it mean.
#![no_implicit_prelude]
#![deny(warnings, clippy::all, clippy::pedantic)]
#![deny(trivial_casts, trivial_numeric_casts, unused_qualifications, unused_results)]
#![allow(dead_code, non_camel_case_types)]

use ::lath_core::{Thing as Derive, View as DeriveView};

struct u32;
struct u64;
struct i128;
struct Rows;
struct Thing;
struct Result;
struct View;
struct Ref;
struct Mut;
struct Storage;
struct Field;
struct FieldInfo;
struct usize;
trait Default {}
trait TryFrom {}
trait Clone {}
trait Copy {}
trait Fields {}
mod core {}
mod std {}
mod lath_core {}

#[derive(Derive, ::core::default::Default)]
#[thing(handle(kind = 4))]
struct Ship<X> {
    #[thing(kind)]
    kind: ::core::primitive::i128,
    hull: X,
}

#[derive(DeriveView)]
#[view(Ship<X>)]
struct Look<'a, X> {
    kind: &'a ::core::primitive::i128,
    hull: &'a mut X,
}

fn main() {
    let ship = Ship { kind: 3, hull: 0_u8 };
    ::std::assert_eq!(Derive::kind(&ship), 3);
}
