use lath_core::{Thing, View};

#[derive(Thing, Default)]
struct Actor {
    pos: f32,
    name: String,
}

#[derive(View)]
#[view(Actor)]
struct Owned<'a> {
    pos: f32,
    name: &'a String,
}

#[derive(View)]
#[view(Actor)]
struct Wrapped<'a> {
    pos: Option<f32>,
    name: Box<&'a String>,
}

#[derive(View)]
#[view(Actor)]
struct Static<'a> {
    pos: &'static f32,
    name: Option<&'static mut String>,
    other: &'a u8,
}

#[derive(View)]
#[view(Actor)]
struct Silent {
    pos: &f32,
}

#[derive(View)]
#[view(Actor)]
struct NoLifetime {
    pos: f32,
}

#[derive(View)]
#[view(Actor)]
struct TwoLifetimes<'a, 'b> {
    pos: &'a f32,
    name: &'b String,
}

#[derive(View)]
#[view(Actor)]
struct Tuple<'a>(&'a f32);

#[derive(View)]
#[view(Actor)]
struct Unit;

#[derive(View)]
#[view(Actor)]
enum Enum<'a> {
    Pos(&'a f32),
}

#[derive(View)]
#[view(Actor)]
union Union<'a> {
    pos: &'a f32,
}

fn main() {}
