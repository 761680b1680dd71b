use lath_core::Thing;

#[derive(Thing, Default)]
#[thing(handle(bits = 24))]
struct Size;

#[derive(Thing, Default)]
#[thing(handle(bits = 99999999999))]
struct HugeSize;

#[derive(Thing, Default)]
#[thing(handle(index = 0))]
struct NoIndex;

#[derive(Thing, Default)]
#[thing(handle(index = 33))]
struct WideIndex;

#[derive(Thing, Default)]
#[thing(handle(bits = 16, index = 16))]
struct OnlyIndex;

#[derive(Thing, Default)]
#[thing(handle(bits = 32, index = 20, kind = 12))]
struct NoGeneration {
    #[thing(kind)]
    kind: u8,
}

#[derive(Thing, Default)]
#[thing(handle(kind = 32))]
struct NoGenerationByDefault;

#[derive(Thing, Default)]
#[thing(handle(bits = 32, index = 31, kind = 1))]
struct NoKind;

fn main() {}
