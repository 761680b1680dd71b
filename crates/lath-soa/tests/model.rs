//! The model test of the core, with things in columns: the same calls, the same oracle, the same counting of drops.

#[path = "../../lath-core/tests/common/mod.rs"]
mod common;

use common::Subject;
use common::counted::{Token, alive, assert_all_dropped_once};
use common::play::{Room, play};
use lath_core::bitflags::bitflags;
use lath_core::{Pool, Thing};

bitflags! {
    #[derive(Clone, Copy, Default, PartialEq)]
    struct Tags: u8 {
        const LEFT = 1;
        const RIGHT = 2;
    }
}

/// Declares a thing that is kept in columns: plain, owning, hot, cold, aligned and empty fields.
macro_rules! subject {
    ($name:ident($($handle:tt)*), $(#[$kind:meta])? kind, $(#[$tags:meta])? tags) => {
        #[derive(Thing, Clone, Default)]
        #[thing(columns, handle($($handle)*))]
        struct $name {
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

#[test]
fn columns_agree_with_the_oracle() {
    play::<Wide>(Room::Growable, 0..6);
    play::<Wide>(Room::Fixed(40), 6..10);
    play::<MiddleKinds>(Room::Growable, 10..14);
    play::<MiddleKinds>(Room::Fixed(64), 14..16);
}

#[test]
fn columns_whose_generations_run_out_agree_with_the_oracle() {
    play::<Little>(Room::Growable, 16..20);
    play::<Tiny>(Room::Growable, 20..24);
    play::<Tiny6>(Room::Fixed(20), 24..28);
}

#[test]
fn columns_with_tags_agree_with_the_oracle() {
    play::<Tagged>(Room::Growable, 28..36);
    play::<Tagged>(Room::Fixed(100), 36..40);
}

/// A struct with a `Drop` of its own.
#[derive(Thing, Default)]
#[thing(columns)]
struct Guard {
    name: String,
    #[thing(cold)]
    note: String,
    _token: Token,
}

thread_local! {
    static DROPPED: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

impl Drop for Guard {
    fn drop(&mut self) {
        DROPPED.set(DROPPED.get() + 1);
    }
}

#[test]
fn a_struct_with_a_drop_of_its_own_is_dropped_exactly_once() {
    let before = DROPPED.get();
    let mut pool = Pool::new();
    let guard = |name: &str, note: &str| Guard { name: name.into(), note: note.into(), _token: Token::new() };
    let [a, b, c] = [("a", ""), ("b", "cold"), ("c", "")].map(|(name, note)| pool.spawn(guard(name, note)));
    assert_eq!((DROPPED.get() - before, alive()), (0, 4)); // the nil thing is the fourth
    pool.despawn(a);
    assert_eq!((DROPPED.get() - before, alive()), (1, 3));
    drop(pool.take(b));
    assert_eq!((DROPPED.get() - before, alive()), (2, 2));
    pool.despawn_after(c, 1);
    assert_eq!(DROPPED.get() - before, 2);
    pool.reap(1);
    assert_eq!((DROPPED.get() - before, alive()), (3, 1));
    pool.stage(guard("d", "cold"));
    drop(pool);
    assert_eq!((DROPPED.get() - before, alive()), (5, 0));
    assert_all_dropped_once("at the end");
}
