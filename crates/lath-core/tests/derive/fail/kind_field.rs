use lath_core::Thing;

#[derive(Thing, Default)]
#[thing(handle(kind = 4))]
struct Missing {
    kind: u8,
}

#[derive(Thing, Default)]
#[thing(handle(bits = 32, kind = 4))]
struct MissingUnit;

#[derive(Thing, Default)]
#[thing(handle(kind = 4))]
struct Twice {
    #[thing(kind)]
    kind: u8,
    #[thing(kind)]
    sort: u8,
}

#[derive(Thing, Default)]
struct WithoutBits {
    #[thing(kind)]
    kind: u8,
}

#[derive(Thing, Default)]
#[thing(handle(kind = 0))]
struct ZeroBits(#[thing(kind)] u8);

#[derive(Thing, Default)]
#[thing(handle(kind = 4))]
struct Float {
    #[thing(kind)]
    kind: f32,
}

fn main() {}
