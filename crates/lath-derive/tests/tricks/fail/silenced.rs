//! The errors of the derives cannot be silenced, and what they refuse does not compile without them
//! either.
#![forbid(unsafe_code)]

extern crate self as core;

#[macro_export]
macro_rules! compile_error { ($($tokens:tt)*) => {}; }

pub mod mem {
    pub use ::std::mem::{align_of, size_of};
}

use ::lath_core::Thing;

#[derive(Thing, Default)]
#[repr(C, packed)]
struct Packed {
    a: u8,
    b: String,
}

#[derive(Thing, Default)]
#[cfg_attr(all(), repr(packed(2)))]
struct AlsoPacked {
    a: u8,
    b: String,
}

fn main() {}
