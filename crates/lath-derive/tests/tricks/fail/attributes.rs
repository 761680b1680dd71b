//! An attribute below the derive changes the struct: fields that come and go, and other kinds of
//! items.
#![forbid(unsafe_code)]

use lath_core::Thing;
use lath_tricks::{prefix, replace_by};

#[derive(Thing)]
#[prefix(#[repr(C, packed)])]
struct Packed {
    a: u8,
    b: String,
}

#[derive(Thing)]
#[replace_by(struct More { a: u8, b: String, c: Vec<u8> })]
struct More {
    a: u8,
    b: String,
}

#[derive(Thing)]
#[replace_by(struct Fewer { b: String })]
struct Fewer {
    a: u8,
    b: String,
}

/// The field that has gone is found in what the struct refers to.
#[derive(Thing)]
#[replace_by(struct Hidden { b: String, inner: Box<More> })]
struct Hidden {
    a: u8,
    b: String,
    inner: Box<More>,
}

impl std::ops::Deref for Hidden {
    type Target = More;
    fn deref(&self) -> &More {
        &self.inner
    }
}

#[derive(Thing)]
#[replace_by(struct Retyped { a: u8, b: Box<String> })]
struct Retyped {
    a: u8,
    b: String,
}

#[derive(Thing)]
#[replace_by(struct Crossed { a: String, b: u8 })]
struct Crossed {
    a: u8,
    b: String,
}

#[derive(Thing)]
#[replace_by(union United { a: u8 })]
struct United {
    a: u8,
}

#[derive(Thing)]
#[replace_by(enum Enumerated { Variant { a: u8 } })]
struct Enumerated {
    a: u8,
}

#[derive(Thing)]
#[replace_by(type Alias = Target; struct Target { a: String })]
struct Alias {
    a: u8,
}

macro_rules! defaults {
    ($($name:ident)*) => {$(
        impl Default for $name {
            fn default() -> Self {
                loop {}
            }
        }
    )*};
}

defaults!(Packed More Fewer Hidden Retyped Crossed United Enumerated Alias);

fn main() {}
