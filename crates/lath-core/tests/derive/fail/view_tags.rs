use lath_core::bitflags::bitflags;
use lath_core::{Thing, View};

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u32 {
        const MOVES = 1;
    }

    #[derive(Clone, Copy, Default)]
    struct OtherTags: u32 {
        const MOVES = 1;
    }
}

#[derive(Thing, Default)]
struct Actor {
    #[thing(tags)]
    tags: Tags,
    pos: f32,
}

#[derive(Thing, Default)]
struct Plain {
    pos: f32,
}

#[derive(View)]
#[view(Actor, with = Tags::MOVSE, without = Tags::MOVES | OtherTags::MOVES)]
struct Wrong<'a> {
    pos: &'a f32,
}

#[derive(View)]
#[view(Plain, with = Tags::MOVES)]
struct NoTags<'a> {
    pos: &'a f32,
}

fn main() {}
