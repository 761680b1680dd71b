//! The image of a pool, put back, is the pool: the same things, links and tags, and the same
//! answers to all that is asked of it later. The judge is a clone of the pool, which shares no code
//! with images.

use lath_core::strips::Snap;
use lath_core::{CloneStorage, Pool, Thing};
use lath_snapshot::image::{PoolDelta, PoolImage};

use crate::common::dice::Dice;
use crate::common::play::{look, play, pool};
use crate::common::things::Subject;

pub(crate) trait Judged: Subject + Snap + Thing<Storage: CloneStorage<Self>> {}
impl<T: Subject + Snap + Thing<Storage: CloneStorage<T>>> Judged for T {}

fn assert_same<T: Judged>(pool: &mut Pool<T>, judge: &mut Pool<T>, random: &mut Dice, at: &str) {
    let seed = random.u64(..);
    assert_eq!(pool.check_invariants(), Ok(()), "{at}");
    assert_eq!(look(pool), look(judge), "{at}");
    let (mut mine, mut its) = (Dice::with_seed(seed), Dice::with_seed(seed));
    assert_eq!(play(pool, &mut mine, 30), play(judge, &mut its, 30), "later, {at}");
    assert_eq!(look(pool), look(judge), "later, {at}");
}

pub(crate) fn restored<T: Judged>(mut random: Dice, rounds: usize) {
    let game = random.to_string();
    let mut pool = pool::<T>(&mut random);
    let mut image = PoolImage::new();
    for round in 0..rounds {
        if !random.next_step() {
            break;
        }
        let calls = random.usize(1..60);
        play(&mut pool, &mut random, calls);
        let mut judge = pool.clone();
        match random.bool() {
            true => image.capture(&pool),
            false => image.capture_mut(&mut pool),
        }
        assert_eq!(look(&pool), look(&judge), "taking an image changes nothing, {game}");
        let calls = random.usize(..60);
        play(&mut pool, &mut random, calls);
        image.restore(&mut pool).unwrap();
        assert_same(&mut pool, &mut judge, &mut random, &format!("round {round} of {game}"));
        // And again, from wherever that has led; and elsewhere.
        let mut elsewhere = Pool::<T>::new();
        elsewhere.spawn(T::new(3));
        image.restore(&mut elsewhere).unwrap();
        image.restore(&mut pool).unwrap();
        assert_eq!(look(&elsewhere), look(&pool), "round {round} of {game}");
    }
}

pub(crate) fn changed<T: Judged>(mut random: Dice, rounds: usize) {
    let game = random.to_string();
    let mut pool = pool::<T>(&mut random);
    let (mut old, mut delta) = (PoolImage::new(), PoolDelta::new());
    old.capture(&pool);
    for round in 0..rounds {
        if !random.next_step() {
            break;
        }
        let calls = random.usize(..40);
        play(&mut pool, &mut random, calls);
        let judge = look(&pool);
        let mut new = PoolImage::new();
        match random.u8(..3) {
            0 => {
                delta.since(&old, &pool);
            }
            1 => {
                new.capture(&pool);
                delta.between(&old, &new);
            }
            _ => {
                new.capture_mut(&mut pool);
                delta.between(&old, &new);
            }
        }
        assert!(!delta.apply(&mut PoolImage::new()), "an image that it does not start from");
        assert!(delta.apply(&mut old));
        let mut other = pool.clone();
        play(&mut other, &mut random, 10);
        old.restore(&mut other).unwrap();
        assert_eq!(look(&other), judge, "round {round} of {game}");
        let mut judge = pool.clone();
        assert_same(&mut other, &mut judge, &mut random, &format!("round {round} of {game}"));
    }
}
