use lath_core::Thing;

#[derive(Thing, Default)]
#[thing(rows, rows)]
struct Layout;

#[derive(Thing, Default)]
#[thing(handle(bits = 32), handle(bits = 32))]
struct Handle;

#[derive(Thing, Default)]
#[thing(handle(bits = 32))]
#[thing(handle(index = 20))]
struct TwoAttributes;

#[derive(Thing, Default)]
#[thing(handle(bits = 32, index = 20, bits = 16, index = 10))]
struct Bits;

#[derive(Thing, Default)]
#[thing(handle(kind = 4))]
struct Kind {
    #[thing(kind, kind)]
    kind: u8,
}

fn main() {}
