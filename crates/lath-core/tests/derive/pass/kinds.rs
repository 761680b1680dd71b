//! A kind is read from integers and plain enums, and one that does not fit is not cut down to one
//! that does.
#![deny(warnings)]

use lath_core::Thing;

#[derive(Clone, Copy, Default)]
enum Sort {
    #[default]
    Ore,
    Fuel = 7,
    Wrong = -1,
}

#[derive(Clone, Copy, Default)]
#[repr(u64)]
enum Huge {
    #[default]
    Zero,
    Huge = 1 << 32,
}

macro_rules! thing {
    ($name:ident, $kind:ty) => {
        #[derive(Thing, Default)]
        #[thing(handle(kind = 4))]
        struct $name {
            #[thing(kind)]
            kind: $kind,
        }
    };
}

thing!(Enum, Sort);
thing!(HugeEnum, Huge);
thing!(Bool, bool);
thing!(Small, u8);
thing!(Signed, i64);
thing!(Wide, u64);
thing!(Widest, u128);
thing!(SignedWidest, i128);
thing!(Size, usize);

#[derive(Thing, Default)]
#[thing(handle(bits = 32, index = 8, kind = 9))]
struct Tuple(f32, #[thing(kind)] u16);

#[derive(Thing, Default)]
#[thing(handle(kind = 31))]
struct Raw {
    #[thing(kind)]
    r#type: u32,
}

/// Above every kind: kinds have at most 31 bits.
const NONE: u32 = u32::MAX;

fn main() {
    assert_eq!([Sort::Ore, Sort::Fuel, Sort::Wrong].map(|kind| Enum { kind }.kind()), [0, 7, NONE]);
    assert_eq!([Huge::Zero, Huge::Huge].map(|kind| HugeEnum { kind }.kind()), [0, NONE]);
    assert_eq!([false, true].map(|kind| Bool { kind }.kind()), [0, 1]);
    assert_eq!([3, 255].map(|kind| Small { kind }.kind()), [3, 255]);
    assert_eq!([3, -1, i64::MIN, 1 << 32].map(|kind| Signed { kind }.kind()), [3, NONE, NONE, NONE]);
    assert_eq!([3, 1 << 32 | 3, u64::MAX].map(|kind| Wide { kind }.kind()), [3, NONE, NONE]);
    assert_eq!([3, 1 << 127 | 3, u128::MAX].map(|kind| Widest { kind }.kind()), [3, NONE, NONE]);
    assert_eq!([3, i128::MIN].map(|kind| SignedWidest { kind }.kind()), [3, NONE]);
    assert_eq!(Size { kind: 9 }.kind(), 9);
    assert_eq!(Tuple(1.5, 300).kind(), 300);
    assert_eq!(Raw { r#type: 5 }.kind(), 5);
}
