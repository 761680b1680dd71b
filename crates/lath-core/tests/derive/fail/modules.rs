use lath_core::Thing;

#[derive(Thing, Default)]
#[allow(non_camel_case_types)]
struct lower {
    a: u8,
}

#[derive(Thing, Default)]
#[thing(module = Named)]
struct Named {
    a: u8,
}

#[derive(Thing, Default)]
#[thing(module = "text")]
struct Text {
    a: u8,
}

#[derive(Thing, Default)]
#[thing(module)]
struct NoName {
    a: u8,
}

#[derive(Thing, Default)]
#[thing(module = a::b)]
struct Path {
    a: u8,
}

#[derive(Thing, Default)]
#[thing(module = a, module = b)]
struct Twice {
    a: u8,
}

fn main() {}
