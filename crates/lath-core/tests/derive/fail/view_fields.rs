//! What a view says about a field of its thing must be true.
use lath_core::{Handle, View};

mod game {
    #[derive(lath_core::Thing, Default)]
    pub struct Actor {
        pub pos: f32,
        pub name: String,
        secret: u8,
    }

    #[derive(lath_core::Thing, Default)]
    pub struct Other {}
}

use game::{Actor, actor};

#[derive(View)]
#[view(Actor)]
struct Missing<'a> {
    pos: &'a f32,
    nam: &'a String,
}

#[derive(View)]
#[view(Actor)]
struct Private<'a> {
    secret: &'a u8,
}

#[derive(View)]
#[view(Actor)]
struct OtherTypes<'a> {
    pos: &'a mut f64,
    name: &'a Vec<u8>,
}

/// Nothing is converted, not even where a plain reference would be.
#[derive(View)]
#[view(Actor)]
struct Converted<'a> {
    name: &'a str,
}

#[derive(View)]
#[view(Actor)]
struct OtherThing<'a> {
    pos: &'a f32,
    who: Handle<game::Other>,
}

// The module of the fields has to be in reach, as the thing is.
mod elsewhere {
    use crate::game::Actor;

    #[derive(lath_core::View)]
    #[view(Actor)]
    struct NoModule<'a> {
        pos: &'a f32,
        name: &'a String,
    }
}

fn main() {}
