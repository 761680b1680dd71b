//! After warm-up nothing allocates within the high-water mark; a fixed pool allocates nothing after
//! it was made.

#[path = "common/allocator.rs"]
mod allocator;

use allocator::assert_allocates_nothing;
use lath_core::bitflags::bitflags;
use lath_core::{FixedPool, Handle, Pool, Reuse, Rows, Thing};

#[derive(Thing, Clone, Default)]
struct Spark {
    heat: u64,
}

fn spark(heat: u64) -> Spark {
    Spark { heat }
}

const THINGS: usize = 1000;

/// Every call, within [`THINGS`] things. `handles` has room for all of them.
fn work(pool: &mut Pool<Spark>, handles: &mut Vec<Handle<Spark>>, round: u64) {
    // In: by every road.
    handles.clear();
    // First, while free slots are in a row: otherwise more slots are needed than there are things.
    handles.extend(pool.spawn_range(100, |i| spark(i.into())).unwrap().iter());
    for heat in 0..200 {
        handles.push(pool.spawn(spark(heat)));
        handles.push(pool.try_spawn(spark(heat)).unwrap_or_else(|error| panic!("{error}")));
    }
    handles.extend(pool.spawn_many((0..100).map(spark)));
    for heat in 0..100 {
        handles.push(pool.stage(spark(heat)));
        handles.push(pool.reserve());
    }
    for &handle in handles.iter().skip(601).step_by(4) {
        pool.spawn_at(handle, spark(1)).unwrap_or_else(|error| panic!("{error}"));
    }
    pool.commit();
    while let Ok(handle) = pool.try_stage(spark(3)) {
        handles.push(handle);
        if handles.len() == THINGS {
            break;
        }
    }
    pool.commit();

    // Looking and changing.
    let mut sum = 0;
    for (handle, spark) in pool.iter() {
        sum += spark.heat + u64::from(handle.index());
    }
    sum += pool.iter().fold(0, |sum, (_, spark)| sum + spark.heat);
    sum += pool.iter_with_staged().map(|(_, spark)| spark.heat).sum::<u64>();
    pool.iter_mut().for_each(|(_, spark)| spark.heat += 1);
    pool.each_with_rest(|_, me, rest| me.heat += rest.read(handles[5]).heat);
    for &handle in handles.iter() {
        sum += pool.read(handle).heat + u64::from(pool.check(handle).is_ok());
        pool.edit(handle, |spark| spark.heat = 1);
    }
    if let [Ok(a), Ok(b), ..] =
        pool.get_disjoint_mut([handles[1], handles[2], handles[1], Handle::NIL])
    {
        std::mem::swap(&mut a.heat, &mut b.heat);
    }
    if let Some((me, rest)) = pool.split(handles[0]) {
        me.heat = rest.read(handles[1]).heat;
    }
    let stats = pool.stats();
    assert!(stats.live > 0 && sum > 0 && pool.spawn_at(handles[0], spark(0)).is_err());

    // Out: by every road.
    for (i, &handle) in handles.iter().enumerate() {
        match i % 7 {
            0 => drop(pool.take(handle)),
            1 | 2 => {
                assert!(pool.despawn_after(handle, round + i as u64 % 3) || !pool.contains(handle))
            }
            3 | 4 => assert!(pool.despawn(handle)),
            _ => {}
        }
    }
    pool.reap(round + 1);
    pool.retain(|handle, _| handle.index() % 5 != 0);
    pool.extract_if(|handle, _| handle.index() % 3 == 0).for_each(drop);
    pool.reclaim_retired();
    pool.clear();
    assert_eq!(pool.stats().buried, 0);
}

#[test]
fn nothing_allocates_after_warm_up_within_the_high_water_mark() {
    for reuse in [Reuse::Lowest, Reuse::Lifo, Reuse::Fifo] {
        let mut pool = Pool::with_capacity(THINGS).unwrap();
        pool.set_reuse(reuse);
        let mut handles = Vec::with_capacity(THINGS + 1);
        work(&mut pool, &mut handles, 0); // the warm-up
        let high_water = pool.stats().high_water;
        for round in 1..20 {
            assert_allocates_nothing(&format!("round {round}, {reuse:?}"), || {
                work(&mut pool, &mut handles, round)
            });
        }
        assert_eq!(pool.stats().high_water, high_water);
    }
}

#[test]
fn spawning_and_despawning_up_to_the_high_water_mark_allocates_nothing() {
    // Without a capacity asked for: what was there once is enough.
    for reuse in [Reuse::Lowest, Reuse::Lifo, Reuse::Fifo] {
        let mut pool = Pool::new();
        pool.set_reuse(reuse);
        let mut handles = Vec::with_capacity(5000);
        for round in 0..6 {
            let mut cycle = || {
                handles.extend((0..5000).map(|heat| pool.spawn(spark(heat))));
                handles.drain(..).rev().for_each(|handle| assert!(pool.despawn(handle)));
            };
            if round == 0 {
                cycle()
            } else {
                assert_allocates_nothing(&format!("{reuse:?}"), cycle)
            }
        }
    }
}

#[test]
fn a_fixed_pool_allocates_nothing_after_it_was_made() {
    // Choosing the order of reuse is part of making the pool: it needs a list of free slots.
    for reuse in [Reuse::Lowest, Reuse::Lifo, Reuse::Fifo] {
        let mut handles = Vec::with_capacity(THINGS + 1);
        let mut pool = Pool::fixed(THINGS).unwrap();
        if reuse != Reuse::Lowest {
            pool.set_reuse(reuse);
        }
        for round in 0..20 {
            assert_allocates_nothing(&format!("round {round}, {reuse:?}"), || {
                work(&mut pool, &mut handles, round);
                // To the brim.
                while pool.try_spawn(spark(1)).is_ok() {}
                assert!(pool.try_stage(spark(1)).is_err() && pool.try_reserve_kind(0).is_err());
                assert_eq!(pool.spawn_range(1, |_| spark(1)).is_err(), pool.len() == THINGS);
                pool.clear();
                while pool.try_stage(spark(1)).is_ok() {}
                pool.commit();
                while let Some((handle, _)) = pool.iter().next() {
                    pool.despawn_after(handle, round);
                }
                assert_eq!(pool.reap(round) as usize, THINGS);
                while pool.try_reserve_kind(0).is_ok() {}
                pool.clear();
            });
        }
    }
}

#[test]
fn a_copy_of_a_fixed_pool_allocates_nothing_after_it_was_made() {
    for reuse in [Reuse::Lowest, Reuse::Lifo, Reuse::Fifo] {
        let mut handles = Vec::with_capacity(THINGS + 1);
        let mut original = Pool::fixed(THINGS).unwrap();
        original.set_reuse(reuse);
        let mut copy = original.clone();
        assert_allocates_nothing(&format!("{reuse:?}"), || work(&mut copy, &mut handles, 0));
        work(&mut original, &mut handles, 0);
    }
}

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u8 {
        const HOT = 1;
        const WET = 2;
    }
}

#[derive(Clone, Default)]
struct Tagged {
    tags: Tags,
}

impl Thing for Tagged {
    type Bits = u64;
    const INDEX_BITS: u32 = 32;
    type Storage = Rows<Self>;
    type Tags = Tags;

    fn tags(&self) -> Tags {
        self.tags
    }

    fn put_tags(&mut self, tags: Tags) {
        self.tags = tags;
    }
}

/// So many that the sets of groups have more than their first block.
const TAGGED_THINGS: usize = 150_000;

/// Fills the pool with things of every set of tags, of some more than of others, and empties it.
fn work_with_tags(pool: &mut Pool<Tagged>, handles: &mut Vec<Handle<Tagged>>, round: usize) {
    for i in 0..TAGGED_THINGS {
        let tags = Tags::from_bits_retain((i * 4 / TAGGED_THINGS + round) as u8 % 4);
        handles.push(if i % 3 == 0 {
            pool.stage(Tagged { tags })
        } else {
            pool.spawn(Tagged { tags })
        });
    }
    pool.commit();
    for (i, &handle) in handles.iter().enumerate() {
        match i % 3 {
            0 => assert!(pool.insert_tags(handle, Tags::HOT)),
            1 => assert!(pool.remove_tags(handle, Tags::WET)),
            _ => assert!(pool.set_tags(handle, Tags::all())),
        }
    }
    assert!(pool.count_tagged(Tags::HOT) >= TAGGED_THINGS / 2);
    handles.drain(..).for_each(|handle| assert!(pool.despawn(handle)));
}

#[test]
fn things_with_tags_allocate_nothing_after_warm_up_within_the_high_water_mark() {
    let mut pool = Pool::with_capacity(TAGGED_THINGS).unwrap();
    let mut handles = Vec::with_capacity(TAGGED_THINGS);
    work_with_tags(&mut pool, &mut handles, 0);
    for round in 1..5 {
        let what = format!("round {round}");
        assert_allocates_nothing(&what, || work_with_tags(&mut pool, &mut handles, round));
    }
}

#[test]
fn a_fixed_pool_of_things_with_tags_allocates_nothing_after_it_was_made() {
    let mut pool = Pool::fixed(TAGGED_THINGS).unwrap();
    let mut handles = Vec::with_capacity(TAGGED_THINGS);
    for round in 0..5 {
        let what = format!("round {round}");
        assert_allocates_nothing(&what, || work_with_tags(&mut pool, &mut handles, round));
    }
}

#[test]
fn an_inline_pool_never_allocates() {
    assert_allocates_nothing("a `FixedPool`", || {
        let mut pool = FixedPool::<Spark, 64>::new();
        for round in 0..10 {
            while pool.try_spawn(spark(round)).is_ok() {}
            pool.iter_mut().for_each(|(_, spark)| spark.heat += 1);
            assert_eq!(pool.iter().map(|(_, spark)| spark.heat).sum::<u64>(), 64 * (round + 1));
            pool.retain(|handle, _| handle.index() % 2 == 0);
            let copy = pool.clone();
            assert_eq!(copy.len(), 32);
            let handle = pool.handles().next().unwrap();
            assert!(pool.take(handle).is_some() && !pool.despawn(handle));
            assert!(pool.spawn_at(handle, spark(1)).is_err() && pool.check(handle).is_err());
            pool.clear();
            pool.reclaim_retired();
        }
    });
}
