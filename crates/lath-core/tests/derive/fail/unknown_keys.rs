use lath_core::{Handle, Thing};

#[derive(Thing, Default)]
#[thing(handel(bits = 32))]
struct Typo;

#[derive(Thing, Default)]
#[thing(generation)]
struct Unknown;

#[derive(Thing, Default)]
#[thing(handle(bit = 32, indx = 20, generation = 4))]
struct InHandle {
    // The struct is still a thing: no second error here.
    other: Handle<InHandle>,
}

#[derive(Thing, Default)]
struct OnField {
    #[thing(kid)]
    kind: u8,
}

#[derive(Thing, Default)]
#[thing(kind)]
struct FieldKeyOnStruct;

#[derive(Thing, Default)]
struct StructKeyOnField {
    #[thing(rows, handle(bits = 32))]
    field: u8,
}

fn main() {}
