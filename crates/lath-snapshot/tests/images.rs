//! The image of a pool, put back, is the pool: the same things, links and tags, and the same answers to all that is asked of it
//! later. The judge is a clone of the pool, which shares no code with images.

mod common;

use common::play::{look, play, pool};
use common::things::{MixedColumns, MixedRow, PlainColumns, PlainRow, Subject};
use fastrand::Rng;
use lath_core::image::{PoolDelta, PoolImage};
use lath_core::strips::Snap;
use lath_core::{CloneStorage, Pool, Thing};

/// `LATH_IMAGE_SEEDS=1000` plays more games.
fn seeds() -> std::ops::Range<u64> {
    let seeds = std::env::var("LATH_IMAGE_SEEDS").map(|text| text.parse().expect("a number of seeds"));
    0..seeds.unwrap_or(16)
}

trait Judged: Subject + Snap + Thing<Storage: CloneStorage<Self>> {}
impl<T: Subject + Snap + Thing<Storage: CloneStorage<T>>> Judged for T {}

fn assert_same<T: Judged>(pool: &mut Pool<T>, judge: &mut Pool<T>, seed: u64, at: &str) {
    assert_eq!(pool.check_invariants(), Ok(()), "{at}, seed {seed}");
    assert_eq!(look(pool), look(judge), "{at}, seed {seed}");
    let (mut mine, mut its) = (Rng::with_seed(seed), Rng::with_seed(seed));
    assert_eq!(play(pool, &mut mine, 30), play(judge, &mut its, 30), "later, {at}, seed {seed}");
    assert_eq!(look(pool), look(judge), "later, {at}, seed {seed}");
}

fn restored<T: Judged>() {
    for seed in seeds() {
        let mut random = Rng::with_seed(seed);
        let mut pool = pool::<T>(&mut random);
        let mut image = PoolImage::new();
        for round in 0..4 {
            let calls = random.usize(1..60);
            play(&mut pool, &mut random, calls);
            let mut judge = pool.clone();
            match random.bool() {
                true => pool.capture(&mut image),
                false => pool.capture_mut(&mut image),
            }
            assert_eq!(look(&pool), look(&judge), "taking an image changes nothing, seed {seed}");
            let calls = random.usize(..60);
            play(&mut pool, &mut random, calls);
            pool.restore(&image).unwrap();
            assert_same(&mut pool, &mut judge, seed, &format!("round {round}"));
            // And again, from wherever that has led; and elsewhere.
            let mut elsewhere = Pool::<T>::new();
            elsewhere.spawn(T::new(3));
            elsewhere.restore(&image).unwrap();
            pool.restore(&image).unwrap();
            assert_eq!(look(&elsewhere), look(&pool), "round {round}, seed {seed}");
        }
    }
}

fn changed<T: Judged>() {
    for seed in seeds() {
        let mut random = Rng::with_seed(seed);
        let mut pool = pool::<T>(&mut random);
        let (mut old, mut delta) = (PoolImage::new(), PoolDelta::new());
        pool.capture(&mut old);
        for round in 0..6 {
            let calls = random.usize(..40);
            play(&mut pool, &mut random, calls);
            let judge = look(&pool);
            let mut new = PoolImage::new();
            match random.u8(..3) {
                0 => {
                    delta.since(&old, &pool);
                }
                1 => {
                    pool.capture(&mut new);
                    delta.between(&old, &new);
                }
                _ => {
                    pool.capture_mut(&mut new);
                    delta.between(&old, &new);
                }
            }
            assert!(!delta.apply(&mut PoolImage::new()), "an image that it does not start from");
            assert!(delta.apply(&mut old));
            let mut other = pool.clone();
            play(&mut other, &mut random, 10);
            other.restore(&old).unwrap();
            assert_eq!(look(&other), judge, "round {round}, seed {seed}");
            let mut judge = pool.clone();
            assert_same(&mut other, &mut judge, seed, &format!("round {round}"));
        }
    }
}

#[test]
fn a_pool_of_plain_rows_is_put_back() {
    restored::<PlainRow>();
}

#[test]
fn a_pool_of_mixed_rows_is_put_back() {
    restored::<MixedRow>();
}

#[test]
fn a_pool_of_plain_columns_is_put_back() {
    restored::<PlainColumns>();
}

#[test]
fn a_pool_of_mixed_columns_is_put_back() {
    restored::<MixedColumns>();
}

#[test]
fn differences_lead_from_one_image_to_the_next() {
    changed::<PlainRow>();
    changed::<MixedRow>();
    changed::<PlainColumns>();
    changed::<MixedColumns>();
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
