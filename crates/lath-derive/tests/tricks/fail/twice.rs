//! A field that is used twice under two names.
#![forbid(unsafe_code)]

use lath_core::{Pool, View};

pub mod game {
    #[derive(lath_core::Thing, Default)]
    pub struct Actor {
        pub name: String,
    }
    pub mod two {
        pub use super::actor::{name as a, name as b};
    }
}

#[derive(View)]
#[view(game::Actor, module = game::two)]
struct Twice<'x> {
    a: &'x mut String,
    b: &'x mut String,
}

fn main() {
    let mut pool = Pool::new();
    pool.spawn(game::Actor::default());
    pool.view_mut::<Twice>().each(|twice| std::mem::swap(twice.a, twice.b));
}
