use lath_core::{Thing, View};

#[derive(Thing, Default)]
struct Actor {
    pos: f32,
}

#[derive(View)]
struct Missing<'a> {
    pos: &'a f32,
}

#[derive(View)]
#[view]
struct NoList<'a> {
    pos: &'a f32,
}

#[derive(View)]
#[view()]
struct Empty<'a> {
    pos: &'a f32,
}

#[derive(View)]
#[view(with = Tags::A)]
struct NoThing<'a> {
    pos: &'a f32,
}

#[derive(View)]
#[view(&Actor)]
struct NotAPath<'a> {
    pos: &'a f32,
}

#[derive(View)]
#[view("Actor")]
struct Text<'a> {
    pos: &'a f32,
}

#[derive(View)]
#[view(Actor, wiht = 1, tags = 2, with, without = , module = "a", module(b))]
struct Keys<'a> {
    pos: &'a f32,
}

#[derive(View)]
#[view(Actor, with = A, with = B, without = A, without = B, module = a, module = b)]
struct Twice<'a> {
    pos: &'a f32,
}

#[derive(View)]
#[view(Actor)]
#[view(Actor)]
struct TwoAttributes<'a> {
    pos: &'a f32,
}

#[derive(View)]
#[view(Actor with = A)]
struct NoComma<'a> {
    pos: &'a f32,
}

#[derive(View)]
#[view(Actor)]
struct OnField<'a> {
    #[view(with = A)]
    pos: &'a f32,
}

fn main() {}
