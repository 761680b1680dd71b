//! The image of a pool, put back, is the pool, and so is a world: see `games/images.rs` and `games/worlds.rs`.

mod common;
#[path = "games/images.rs"]
mod images;
#[path = "games/worlds.rs"]
mod worlds;

use common::dice::Dice;
use common::play::look;
use common::things::{MixedColumns, MixedRow, PlainColumns, PlainRow, Subject};
use images::{Judged, changed, restored};
use lath_core::image::{PoolDelta, PoolImage};
use lath_core::{Handle, Pool, Reuse};

/// `LATH_IMAGE_SEEDS=1000` plays more games.
fn seeds() -> std::ops::Range<u64> {
    let seeds = std::env::var("LATH_IMAGE_SEEDS").map(|text| text.parse().expect("a number of seeds"));
    0..seeds.unwrap_or(16)
}

#[test]
fn worlds_are_taken_put_back_saved_and_compared_in_any_order() {
    seeds().for_each(|seed| worlds::play(Dice::with_seed(seed), 40));
}

/// A pool that got the image of a pool, by way of its own image.
fn put_back_twice<T: Judged>(pool: &Pool<T>) -> Pool<T> {
    let mut image = PoolImage::new();
    pool.capture(&mut image);
    let [mut once, mut twice] = [(); 2].map(|()| Pool::new());
    once.restore(&image).unwrap();
    once.capture(&mut image);
    twice.restore(&image).unwrap();
    twice
}

fn generations_survive<T: Judged>() {
    let mut pool = Pool::<T>::new();
    let things: Vec<_> = (0..10_000).map(|_| pool.spawn(T::default())).collect();
    things.iter().skip(10).for_each(|&thing| assert!(pool.despawn(thing)));
    let mut copies = [put_back_twice(&pool), put_back_twice(&pool.clone())];
    for _ in 10..10_000 {
        let thing = pool.spawn(T::default());
        copies.iter_mut().for_each(|copy| assert_eq!(copy.spawn(T::default()), thing));
    }
}

#[test]
fn generations_of_slots_that_are_long_free_survive_being_put_back_twice() {
    generations_survive::<PlainRow>();
    generations_survive::<PlainColumns>();
}

#[test]
fn a_pool_of_plain_rows_is_put_back() {
    seeds().for_each(|seed| restored::<PlainRow>(Dice::with_seed(seed), 4));
}

#[test]
fn a_pool_of_mixed_rows_is_put_back() {
    seeds().for_each(|seed| restored::<MixedRow>(Dice::with_seed(seed), 4));
}

#[test]
fn a_pool_of_plain_columns_is_put_back() {
    seeds().for_each(|seed| restored::<PlainColumns>(Dice::with_seed(seed), 4));
}

#[test]
fn a_pool_of_mixed_columns_is_put_back() {
    seeds().for_each(|seed| restored::<MixedColumns>(Dice::with_seed(seed), 4));
}

#[test]
fn differences_lead_from_one_image_to_the_next() {
    seeds().for_each(|seed| changed::<PlainRow>(Dice::with_seed(seed), 6));
    seeds().for_each(|seed| changed::<MixedRow>(Dice::with_seed(seed), 6));
    seeds().for_each(|seed| changed::<PlainColumns>(Dice::with_seed(seed), 6));
    seeds().for_each(|seed| changed::<MixedColumns>(Dice::with_seed(seed), 6));
}

/// Behind a shared reference nothing is marked as changed.
fn staged<T: Judged>() {
    let mut pool: Pool<T> = (0..100).map(T::new).collect();
    pool.track_changes();
    let (mut image, mut delta) = (PoolImage::new(), PoolDelta::new());
    pool.capture_mut(&mut image);
    let was = look(&pool);
    let (staged, reserved) = (pool.stage(T::new(7)), pool.reserve());
    let now = look(&pool);
    delta.since(&image, &pool);
    pool.restore(&image).unwrap();
    assert_eq!((look(&pool), pool.check_invariants()), (was, Ok(())));
    assert!(!pool.contains(staged) && delta.apply(&mut image));
    pool.restore(&image).unwrap();
    assert_eq!((look(&pool), pool.check_invariants()), (now, Ok(())));
    assert!(pool.contains(staged) && pool.spawn_at(reserved, T::new(0)).is_ok());
}

#[test]
fn what_is_staged_or_reserved_goes_and_comes_although_it_is_not_marked() {
    staged::<PlainRow>();
    staged::<MixedRow>();
    staged::<PlainColumns>();
    staged::<MixedColumns>();
}

#[test]
fn reclaimed_slots_take_their_turn_in_a_pool_that_was_put_back() {
    for reuse in [Reuse::Lowest, Reuse::Lifo, Reuse::Fifo] {
        let mut pool = Pool::fixed(20).unwrap();
        pool.set_reuse(reuse);
        let handles: Vec<Handle<MixedRow>> = (0..20).map(|n| pool.spawn(MixedRow::new(n))).collect();
        for (n, &worn) in handles[..3].iter().enumerate() {
            pool.despawn(worn);
            let last = Handle::from_bits(worn.to_bits() | 15 << 10);
            pool.spawn_at(last, MixedRow::new(n as u32)).unwrap();
            pool.despawn(last);
        }
        handles[5..8].iter().for_each(|&freed| assert!(pool.despawn(freed)));
        assert_eq!(pool.reclaim_retired(), 3);
        handles[10..13].iter().for_each(|&freed| assert!(pool.despawn(freed)));

        let mut image = PoolImage::new();
        pool.capture_mut(&mut image);
        let spawn_all = |pool: &mut Pool<MixedRow>| [0; 9].map(|n| pool.spawn(MixedRow::new(n)).index());
        let expected = spawn_all(&mut pool);
        pool.restore(&image).unwrap();
        assert_eq!(spawn_all(&mut pool), expected, "{reuse:?}");
    }
}
