//! The model test of the core, with things in columns: the same calls, the same oracle, the same
//! counting of drops.

#[path = "games/columns.rs"]
mod columns;
#[path = "../../lath-core/tests/common/mod.rs"]
mod common;

use columns::{Little, MiddleKinds, Tagged, Tiny, Tiny6, Wide};
use common::counted::{Token, alive, assert_all_dropped_once};
use common::play::{Room, play};
use lath_core::{Pool, Thing};

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
    let guard = |name: &str, note: &str| Guard {
        name: name.into(),
        note: note.into(),
        _token: Token::new(),
    };
    let [a, b, c] =
        [("a", ""), ("b", "cold"), ("c", "")].map(|(name, note)| pool.spawn(guard(name, note)));
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
