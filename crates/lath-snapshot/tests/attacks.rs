//! A state of a pool that is not what it says, one number changed at a time: it is refused, or it
//! makes a pool that is whole.

use lath_core::bitflags::bitflags;
use lath_core::blocks::Block;
use lath_core::{Handle, Pool, Reuse, Thing};
use lath_snapshot::Save;
use lath_snapshot::image::{ImageBuilder, PoolImage, PoolState};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u8 {
        const LEFT = 1;
        const RIGHT = 2;
    }
}

#[derive(Thing, Save, Clone, Default, Debug)]
#[thing(columns, handle(bits = 32, index = 14, kind = 2))]
struct Actor {
    #[thing(tags)]
    tags: Tags,
    #[thing(kind)]
    kind: u8,
    hp: u32,
    name: String,
    #[thing(cold)]
    note: String,
}

fn actor(n: u32) -> Actor {
    let note = if n % 3 == 0 { n.to_string() } else { String::new() };
    Actor {
        tags: Tags::from_bits_retain((n % 4) as u8),
        kind: (n % 4) as u8,
        hp: n,
        name: n.to_string(),
        note,
    }
}

/// A pool that has some of everything.
fn worn(reuse: Reuse) -> Pool<Actor> {
    let mut pool = Pool::new();
    pool.set_reuse(reuse);
    pool.track_changes();
    let all: Vec<Handle<Actor>> = pool.spawn_many((0..700).map(actor)).collect();
    for (n, &who) in all.iter().enumerate() {
        match n % 9 {
            0 => assert!(pool.despawn(who)),
            1 => assert!(pool.despawn_after(who, n as u64)),
            _ => {}
        }
    }
    (0..5).for_each(|n| {
        assert!(!pool.stage(actor(n)).is_nil() && !pool.reserve_kind(n % 4).is_nil())
    });
    pool
}

/// Changes one number somewhere.
fn meddle(state: &mut PoolState, random: &mut fastrand::Rng) {
    let flip = |random: &mut fastrand::Rng| 1u64 << random.u32(..64);
    let odd =
        |random: &mut fastrand::Rng| [0, 1, 2, 63, 64, 511, 1 << 14, u32::MAX][random.usize(..8)];
    match random.u8(..14) {
        0 => {
            let at = random.usize(..state.groups.len());
            state.groups[at] = odd(random);
        }
        1 | 2 => {
            let at = random.usize(..state.words.len());
            state.words[at][random.usize(..4)] ^= flip(random);
        }
        3 | 4 => {
            let at = random.usize(..state.stamps.len());
            state.stamps[at] ^= flip(random) as u32 | (flip(random) >> 32) as u32;
        }
        5 => state.old.push((odd(random), odd(random))),
        6 if !state.tags.is_empty() => {
            let at = random.usize(..state.tags.len());
            state.tags[at] ^= flip(random);
        }
        7 => state.ledger.owners.push((odd(random), u64::from(odd(random)))),
        8 => state.ledger.reuse = random.u8(..),
        9 => state.ledger.freed.insert(0, (odd(random), odd(random))),
        10 => (state.ledger.fresh, state.ledger.horizon) = (odd(random), flip(random)),
        11 => state.ledger.graves.push((random.u64(..), odd(random))),
        12 => {
            (state.ledger.tick, state.ledger.high_water, state.ledger.largest_generation) =
                (flip(random), odd(random), odd(random))
        }
        _ => {
            state.words.pop();
        }
    }
}

/// Everything that a pool does.
fn use_it(mut pool: Pool<Actor>, is_whole: bool, at: &str) {
    let check = |pool: &Pool<Actor>, when: &str| {
        if is_whole {
            assert_eq!(pool.check_invariants(), Ok(()), "{at}, {when}");
        }
    };
    check(&pool, "at first");
    for (who, thing) in pool.iter_with_staged() {
        assert_eq!(pool.get(who).map(|found| found.name.clone()), Some(thing.name.clone()), "{at}");
    }
    pool.next_tick();
    let more: Vec<Handle<Actor>> = (0..60).filter_map(|n| pool.try_spawn(actor(n)).ok()).collect();
    check(&pool, "after spawning");
    pool.commit();
    assert!(more.iter().all(|&who| pool.despawn(who)), "{at}");
    pool.reap(u64::MAX / 2);
    let copy = pool.clone();
    check(&copy, "as a copy");
    pool.clear();
    assert_eq!(pool.len(), 0, "{at}");
    check(&pool, "after clearing");
}

#[test]
fn a_state_with_a_number_changed_is_refused_or_makes_a_pool_that_is_whole() {
    let (mut refused, mut taken) = (0, 0);
    for seed in 0..600 {
        let mut random = fastrand::Rng::with_seed(seed);
        let pool = worn([Reuse::Lowest, Reuse::Lifo, Reuse::Fifo][seed as usize % 3]);
        let mut image = PoolImage::new();
        image.capture(&pool);
        let mut state = image.state();
        for _ in 0..=random.u8(..2) {
            meddle(&mut state, &mut random);
        }
        let mut other = Pool::<Actor>::new();
        let Ok(mut builder) = ImageBuilder::new(&other, &state) else {
            refused += 1;
            continue;
        };
        let mut n = 0;
        builder
            .fill::<actor::name, ()>(|| {
                n += 1;
                Ok(Some(format!("thing {n}")))
            })
            .unwrap();
        builder.finish().restore(&mut other).unwrap();
        use_it(other, true, &format!("seed {seed}"));
        taken += 1;
    }
    assert!(refused > 50 && taken > 50, "{refused} refused, {taken} taken");
}

/// The blocks of a pool, put back with numbers that are not those of the pool: somebody else's
/// graves and owners, no more.
#[test]
fn blocks_that_are_put_back_with_the_ledger_of_another_pool_do_no_harm() {
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let pool = worn(Reuse::Fifo);
        let reader = pool.reader();
        let numbers = std::iter::successors(reader.next(0), |number| reader.next(number + 1));
        let copy = |number| {
            let mut block = Block::<Actor>::new();
            assert!(reader.copy(number, &mut block, |_, _| ()));
            block
        };
        let blocks: Vec<_> = numbers.map(copy).collect();
        let mut image = PoolImage::new();
        image.capture(&pool);
        let mut state = image.state();
        (0..3).for_each(|_| meddle(&mut state, &mut random));
        state.ledger.tick &= u64::MAX / 2; // is looked at when an image is made
        let mut other = Pool::<Actor>::new();
        other.make_room_for(&blocks, &state.ledger).unwrap();
        other.put_back(&blocks, &state.ledger, pool.companions(), None);
        use_it(other, false, &format!("seed {seed}"));
    }
}
