//! Things in rows for the model: handles of all sizes, with and without kinds, tags, and anything
//! to drop.

use lath_core::bitflags::bitflags;
use lath_core::{Rows, Thing};

use crate::common::Subject;
use crate::common::counted::Token;

/// Declares a thing that is kept in rows.
macro_rules! subject {
    ($name:ident($($handle:tt)*) $(#[$kind:meta])?) => {
        #[derive(Thing, Clone, Default)]
        #[thing(handle($($handle)*))]
        pub(crate) struct $name {
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
    pub(crate) struct Tags: u8 {
        const LEFT = 1;
        const RIGHT = 2;
    }
}

/// Kept together by its tags: slots come from its cluster first.
#[derive(Clone, Default)]
pub(crate) struct Tagged {
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
pub(crate) struct Plain {
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
