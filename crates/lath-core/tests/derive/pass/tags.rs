//! The tags of a thing are those of the field that says so.
#![deny(warnings)]

use lath_core::bitflags::bitflags;
use lath_core::{Field, Fields, NoTags, TagSet, Thing};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u32 {
        const MOVES = 1;
        const ITEM = 2;
    }

    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Wide: u64 {
        const LAST = 1 << 63;
    }
}

#[derive(Thing, Default)]
struct Actor {
    hp: f32,
    #[thing(tags)]
    tags: Tags,
}

#[derive(Thing, Default)]
#[thing(handle(kind = 1))]
struct Tuple(#[thing(kind)] bool, #[thing(tags, hot)] Wide);

#[derive(Thing, Default)]
struct Generic<X> {
    #[thing(tags)]
    tags: Tags,
    value: X,
}

#[derive(Thing, Default)]
struct Plain {}

fn main() {
    let mut actor = Actor { hp: 1.0, tags: Tags::MOVES };
    assert_eq!((actor.tags(), actor.hp), (Tags::MOVES, 1.0));
    actor.put_tags(Tags::ITEM);
    assert_eq!(actor.tags, Tags::ITEM);
    assert_eq!(Actor::TAGS_FIELD, Some(<actor::tags as Field>::INDEX));

    let mut tuple = Tuple::default();
    tuple.put_tags(Wide::LAST);
    assert_eq!((tuple.tags().widen(), tuple.kind()), (1 << 63, 0));
    assert_eq!(Tuple::TAGS_FIELD, Some(1));

    assert_eq!(Generic { tags: Tags::ITEM, value: "" }.tags(), Tags::ITEM);
    assert_eq!(Generic { tags: Tags::ITEM, value: 3 }.value, 3);

    assert_eq!((Plain {}.tags(), Plain::TAGS_FIELD), (NoTags, None));
}
