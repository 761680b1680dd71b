//! Random calls of every kind, against an oracle that never reuses anything: P1 to P3 of the pool.
//!
//! See `common/play.rs` for how to play a failure again, or longer games.

mod common;

use common::Subject;
use common::counted::Token;
use common::play::{Room, play};
use lath_core::bitflags::bitflags;
use lath_core::{Rows, Thing};

/// Declares a thing that is kept in rows.
macro_rules! subject {
    ($name:ident($($handle:tt)*) $(#[$kind:meta])?) => {
        #[derive(Thing, Clone, Default)]
        #[thing(handle($($handle)*))]
        struct $name {
            value: u64,
            /// The value again, where it must be freed.
            boxed: Box<u64>,
            $(#[$kind])?
            _kind: u32,
            _token: Token,
        }

        subject!(@impl $name, |value, kind, _tags| {
            $name { value, boxed: Box::new(value), _kind: kind, _token: Token::new() }
        });
    };
    (@impl $name:ident, $new:expr) => {
        impl Subject for $name {
            fn new(value: u64, kind: u32, tags: u64) -> Self {
                let new: fn(u64, u32, u64) -> Self = $new;
                new(value, kind, tags)
            }

            fn value(&self) -> u64 {
                assert_eq!(self.value, *self.boxed);
                self.value
            }

            fn seen(thing: &Self) -> u64 {
                thing.value()
            }

            fn held(thing: &&mut Self) -> u64 {
                thing.value()
            }

            fn set(thing: &mut &mut Self, value: u64) {
                (thing.value, *thing.boxed) = (value, value);
            }
        }
    };
}

subject!(Wide(bits = 64, index = 32));
subject!(WideKinds(bits = 64, index = 32, kind = 4) #[thing(kind)]);
subject!(Middle(bits = 32, index = 20));
subject!(MiddleKinds(bits = 32, index = 20, kind = 2) #[thing(kind)]);
subject!(Little(bits = 16, index = 10));
subject!(Tiny(bits = 16, index = 5));
// Kinds leave little for the generation: slots retire all the time.
subject!(Tiny3(bits = 16, index = 3, kind = 9) #[thing(kind)]);
subject!(Tiny6(bits = 16, index = 6, kind = 7) #[thing(kind)]);
// One bit of generation: every slot is used once.
subject!(Once(bits = 16, index = 15));

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u8 {
        const LEFT = 1;
        const RIGHT = 2;
    }
}

/// Kept together by its tags: slots come from its cluster first.
#[derive(Clone, Default)]
struct Tagged {
    value: u64,
    boxed: Box<u64>,
    tags: Tags,
    _token: Token,
}

impl Thing for Tagged {
    type Bits = u32;
    const INDEX_BITS: u32 = 20;
    type Storage = Rows<Self>;
    type Tags = Tags;

    fn tags(&self) -> Tags {
        self.tags
    }

    fn put_tags(&mut self, tags: Tags) {
        self.tags = tags;
    }
}

subject!(@impl Tagged, |value, _kind, tags| {
    let tags = Tags::from_bits_retain(tags as u8);
    Tagged { value, boxed: Box::new(value), tags, _token: Token::new() }
});

/// Nothing to drop: such things go a group of slots at a time where many go at once.
#[derive(Thing, Clone, Copy, Default)]
#[thing(handle(bits = 16, index = 11))]
struct Plain {
    value: u64,
    #[thing(tags)]
    tags: Tags,
}

impl Subject for Plain {
    const COUNTED: bool = false;

    fn new(value: u64, _: u32, tags: u64) -> Self {
        Self { value, tags: Tags::from_bits_retain(tags as u8) }
    }

    fn value(&self) -> u64 {
        self.value
    }

    fn seen(thing: &Self) -> u64 {
        thing.value
    }

    fn held(thing: &&mut Self) -> u64 {
        thing.value
    }

    fn set(thing: &mut &mut Self, value: u64) {
        thing.value = value;
    }
}

#[test]
fn things_without_anything_to_drop_agree_with_the_oracle() {
    play::<Plain>(Room::Growable, 70..76);
    play::<Plain>(Room::Fixed(200), 76..78);
}

#[test]
fn handles_of_64_bits_agree_with_the_oracle() {
    play::<Wide>(Room::Growable, 0..6);
    play::<Wide>(Room::Capacity(300), 6..8);
    play::<Wide>(Room::Fixed(40), 8..12);
}

#[test]
fn handles_of_64_bits_with_kinds_agree_with_the_oracle() {
    play::<WideKinds>(Room::Growable, 12..16);
    play::<WideKinds>(Room::Fixed(200), 16..18);
}

#[test]
fn handles_of_32_bits_agree_with_the_oracle() {
    play::<Middle>(Room::Growable, 18..22);
    play::<MiddleKinds>(Room::Growable, 22..26);
    play::<MiddleKinds>(Room::Fixed(64), 26..30);
}

#[test]
fn handles_of_16_bits_agree_with_the_oracle() {
    play::<Little>(Room::Growable, 30..34);
    play::<Little>(Room::Fixed(1), 34..36);
    play::<Tiny>(Room::Growable, 36..40);
}

#[test]
fn handles_whose_generations_run_out_all_the_time_agree_with_the_oracle() {
    play::<Tiny3>(Room::Growable, 40..46);
    play::<Tiny6>(Room::Growable, 46..52);
    play::<Tiny6>(Room::Fixed(20), 52..56);
    play::<Once>(Room::Growable, 56..60);
}

#[test]
fn things_with_tags_agree_with_the_oracle() {
    play::<Tagged>(Room::Growable, 60..66);
    play::<Tagged>(Room::Fixed(200), 66..70);
}
