//! Things in columns for the model: plain, owning, hot, cold, aligned and empty fields, with and
//! without kinds and tags.

use lath_core::Thing;
use lath_core::bitflags::bitflags;

use crate::common::Subject;
use crate::common::counted::Token;

bitflags! {
    #[derive(Clone, Copy, Default, PartialEq)]
    pub(crate) struct Tags: u8 {
        const LEFT = 1;
        const RIGHT = 2;
    }
}

/// Declares a thing that is kept in columns: plain, owning, hot, cold, aligned and empty fields.
macro_rules! subject {
    ($name:ident($($handle:tt)*), $(#[$kind:meta])? kind, $(#[$tags:meta])? tags) => {
        #[derive(Thing, Clone, Default)]
        #[thing(columns, handle($($handle)*))]
        pub(crate) struct $name {
            #[thing(hot)]
            value: u64,
            boxed: Box<u64>,
            #[thing(cold)]
            cold: Vec<u64>,
            aligned: Aligned,
            _nothing: (),
            $(#[$kind])?
            _kind: u32,
            $(#[$tags])?
            tags: Tags,
            _token: Token,
        }

        impl Subject for $name {
            fn new(value: u64, kind: u32, tags: u64) -> Self {
                let tags = Tags::from_bits_retain(tags as u8);
                Self { value, boxed: Box::new(value), cold: cold(value), aligned: Aligned(value as u8), _nothing: (),
                    _kind: kind, tags, _token: Token::new() }
            }

            fn value(&self) -> u64 {
                assert_eq!((self.value, &self.cold, self.aligned.0), (*self.boxed, &cold(self.value), self.value as u8));
                self.value
            }

            fn seen(thing: lath_core::ThingRef<'_, Self>) -> u64 {
                let (value, boxed, cold_part, aligned) = (*thing.value, **thing.boxed, thing.cold, thing.aligned);
                assert_eq!((value, cold_part, aligned.0), (boxed, &cold(value), value as u8));
                assert_eq!(std::ptr::from_ref(aligned).addr() % 128, 0);
                value
            }

            fn held(thing: &lath_core::ThingMut<'_, Self>) -> u64 {
                assert_eq!(*thing.value, **thing.boxed);
                *thing.value
            }

            fn set(thing: &mut lath_core::ThingMut<'_, Self>, value: u64) {
                let part = thing.cold.as_mut().expect("every thing of the model carries a value, and so a cold field");
                **part = cold(value);
                (*thing.value, **thing.boxed, *thing.aligned) = (value, value, Aligned(value as u8));
            }
        }
    };
}

/// Aligned beyond the 64 bytes of a column.
#[derive(Clone, Copy, Default)]
#[repr(align(128))]
struct Aligned(u8);

/// All things have something cold but the nil thing.
fn cold(value: u64) -> Vec<u64> {
    if value == 0 { Vec::new() } else { vec![value] }
}

subject!(Wide(bits = 64, index = 32), kind, tags);
subject!(
    MiddleKinds(bits = 32, index = 20, kind = 2),
    #[thing(kind)]
    kind,
    tags
);
subject!(Little(bits = 16, index = 10), kind, tags);
subject!(Tiny(bits = 16, index = 5), kind, tags);
subject!(
    Tiny6(bits = 16, index = 6, kind = 7),
    #[thing(kind)]
    kind,
    tags
);
subject!(
    Tagged(bits = 32, index = 20),
    kind,
    #[thing(tags)]
    tags
);
