//! What cannot be a struct of parameters.
use lath_schedule::{Local, Params, Res};

#[derive(Params)]
enum Either<'w> {
    One(Res<'w, u8>),
}

#[derive(Params)]
union Both<'w> {
    one: Res<'w, u8>,
}

#[derive(Params)]
struct Unit;

#[derive(Params)]
struct Empty<'w> {}

#[derive(Params)]
struct NoLifetime {
    one: Res<'static, u8>,
}

#[derive(Params)]
struct OtherNames<'a, 'w, 'b> {
    one: Res<'a, u8>,
    two: Res<'w, u8>,
    three: Res<'b, u8>,
}

#[derive(Params)]
struct LocalOfTheWorld<'w> {
    count: Local<'w, u32>,
}

fn main() {}
