use lath_core::Thing;

#[derive(Thing, Default)]
#[repr(C, packed(2))]
struct Packed {
    a: u8,
    b: u32,
}

type Size = usize;

#[derive(Thing, Default)]
struct Alias<const N: Size> {
    a: u8,
}

fn main() {}
