//! What cannot be done with the structs of references.
use lath_core::bitflags::bitflags;
use lath_core::{Handle, Pool, Thing};

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u32 {
        const A = 1;
    }
}

#[derive(Thing, Default)]
#[thing(columns, handle(kind = 1))]
struct Actor {
    #[thing(tags)]
    tags: Tags,
    #[thing(kind)]
    sort: bool,
    pos: f32,
}

fn main() {
    let mut actors = Pool::new();
    let actor = actors.spawn(Actor::default());

    // Tags are changed through the pool, and the kind is for ever.
    *actors.get_mut(actor).unwrap().tags = Tags::A;
    *actors.get_mut(actor).unwrap().sort = true;
    *actors.get(actor).unwrap().pos = 1.0;

    // One thing, used twice.
    let first = actors.get_mut(actor).unwrap();
    let second = actors.get_mut(actor).unwrap();
    *first.pos = *second.pos;

    gone(actors, actor);
}

/// Gone before its references are.
fn gone(mut actors: Pool<Actor>, actor: Handle<Actor>) {
    let pos = actors.get(actor).unwrap().pos;
    actors.despawn(actor);
    assert_eq!(*pos, 0.0);
}
