//! A macro that is another type each time that it is expanded: the field has one, and its marker
//! would have another. Nothing is converted when the two are compared.
#![forbid(unsafe_code)]

use lath_core::Thing;
use lath_tricks::by_turns;

trait Returns {
    type Type;
}

impl<X> Returns for fn() -> X {
    type Type = X;
}

#[derive(Thing)]
struct AnyOther {
    value: by_turns!(any_other: u64; String),
}

#[derive(Thing)]
struct Box1 {
    value: by_turns!(box1: Box<[u64; 9]>; [u64; 9]),
}

#[derive(Thing)]
struct Box2 {
    value: by_turns!(box2: [u64; 9]; Box<[u64; 9]>),
}

#[derive(Thing)]
struct Slice1 {
    value: by_turns!(slice1: &'static [u8; 2]; &'static [u8]),
}

#[derive(Thing)]
struct Slice2 {
    value: by_turns!(slice2: &'static [u8]; &'static [u8; 2]),
}

#[derive(Thing)]
struct Dyn {
    value: by_turns!(dyn1: Box<dyn Fn()>; Box<fn()>),
}

#[derive(Thing)]
struct Mutable {
    value: by_turns!(mutable: &'static u8; &'static mut u8),
}

#[derive(Thing)]
struct Never {
    value: by_turns!(never: u64; <fn() -> ! as Returns>::Type),
}

#[derive(Thing)]
struct Nested {
    value: Option<by_turns!(nested: Vec<by_turns!(inner: u8; u16)>; [by_turns!(inner: u8; u16); 3])>,
}

/// So that `Default` says nothing of the types.
macro_rules! defaults {
    ($($name:ident)*) => {$(
        impl Default for $name {
            fn default() -> Self {
                loop {}
            }
        }
    )*};
}

defaults!(AnyOther Box1 Box2 Slice1 Slice2 Dyn Mutable Never Nested);

fn main() {}
