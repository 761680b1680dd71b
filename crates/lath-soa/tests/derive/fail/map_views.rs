//! `map` reads slots that are free: only what is plain can be read there.

use lath_core::{Handle, Pool, Thing, View};

#[derive(Thing, Default)]
#[thing(columns)]
struct Actor {
    pos: f32,
    vel: f32,
    name: String,
}

#[derive(View)]
#[view(Actor)]
struct Named<'a> {
    vel: &'a f32,
    name: &'a String,
}

#[derive(View)]
#[view(Actor)]
struct Writes<'a> {
    vel: &'a mut f32,
}

#[derive(View)]
#[view(Actor)]
struct Who<'a> {
    vel: &'a f32,
    who: Handle<Actor>,
}

fn main() {
    let mut pool = Pool::<Actor>::new();
    pool.map::<actor::pos, Named>(|pos, _| pos);
    pool.map::<actor::pos, Writes>(|pos, _| pos);
    pool.map::<actor::pos, Who>(|pos, _| pos);
}
