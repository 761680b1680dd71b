//! Memory that is given back: nothing can be seen of it but how much there is.

use lath_core::{Handle, HandleError, Pool, Reuse, Thing};
use lath_snapshot::Save;
use lath_snapshot::image::PoolImage;

#[derive(Thing, Save, Clone, Default, Debug, PartialEq)]
struct Row {
    number: u32,
    name: String,
}

#[derive(Thing, Save, Clone, Default, Debug, PartialEq)]
#[thing(columns)]
struct Column {
    number: u32,
    #[thing(cold)]
    name: String,
}

fn row(number: u32) -> Row {
    Row { number, name: number.to_string() }
}

fn column(number: u32) -> Column {
    Column { number, name: number.to_string() }
}

/// A pool after a level with many things, ten of which are left, and the handles of the others.
fn after_a_level<T: Thing>(make: fn(u32) -> T, reuse: Reuse) -> (Pool<T>, Vec<Handle<T>>) {
    let mut pool = Pool::new();
    pool.set_reuse(reuse);
    let all: Vec<Handle<T>> = (0..20_000).map(|number| pool.spawn(make(number))).collect();
    let gone: Vec<Handle<T>> = all[10..].to_vec();
    gone.iter().for_each(|&handle| assert!(pool.despawn(handle)));
    (pool, gone)
}

fn nothing_is_seen_but_the_memory<T>(make: fn(u32) -> T)
where
    Pool<T>: Clone,
    T: lath_core::strips::Snap + Clone,
{
    for reuse in [Reuse::Lowest, Reuse::Lifo, Reuse::Fifo] {
        let (mut pool, gone) = after_a_level(make, reuse);
        let mut other = pool.clone();
        pool.shrink_to_fit();
        assert!(pool.capacity() < other.capacity() / 8, "{}", pool.capacity());
        assert_eq!(pool.len(), 10);

        // What goes through an image or a copy afterwards knows the generations as well.
        let mut image = PoolImage::new();
        image.capture_mut(&mut pool);
        let mut restored = Pool::new();
        image.restore(&mut restored).unwrap();
        let mut pools = [pool.clone(), restored, pool];
        for pool in &mut pools {
            let last = gone[gone.len() - 1];
            assert!(matches!(pool.check(last), Err(HandleError::Stale { .. })), "{reuse:?}");
        }
        for number in 0..20_000 {
            let expected = other.spawn(make(number));
            for pool in &mut pools {
                assert_eq!(pool.spawn(make(number)), expected, "{number} with {reuse:?}");
            }
        }
        for pool in &pools {
            assert!(gone.iter().all(|&handle| pool.get(handle).is_none()));
            assert_eq!(pool.check_invariants(), Ok(()));
        }
    }
}

#[test]
fn handles_are_those_of_a_pool_that_kept_its_memory_in_rows() {
    nothing_is_seen_but_the_memory(row);
}

#[test]
fn handles_are_those_of_a_pool_that_kept_its_memory_in_columns() {
    nothing_is_seen_but_the_memory(column);
}

#[test]
fn retired_slots_stay_retired_and_can_be_reclaimed() {
    #[derive(Thing, Default)]
    #[thing(handle(bits = 32, index = 28))]
    struct Spark {}

    let mut sparks = Pool::new();
    let first: Vec<_> = (0..4000).map(|_| sparks.spawn(Spark {})).collect();
    let worn = first[3000];
    for _ in 0..8 {
        let now = sparks.handles().find(|spark| spark.index() == worn.index());
        now.map(|now| sparks.despawn(now));
        sparks.spawn(Spark {});
    }
    let retired = sparks.stats().retired;
    assert!(retired > 0);
    sparks.clear();
    let all = sparks.stats().retired;
    sparks.shrink_to_fit();
    assert_eq!(sparks.stats().retired, all);
    assert!(matches!(sparks.check(worn), Err(HandleError::Retired { .. })));
    assert_eq!(sparks.reclaim_retired(), all);
    assert_eq!(sparks.check_invariants(), Ok(()));
    let again: Vec<_> = (0..4000).map(|_| sparks.spawn(Spark {})).collect();
    assert_eq!(again[again.len() - 1].index(), 4000);
}

#[test]
fn what_is_staged_reserved_or_buried_at_the_end_keeps_its_memory() {
    for way in 0..3 {
        let mut pool: Pool<Row> = (0..5000).map(row).collect();
        let last = match way {
            0 => pool.stage(row(7)),
            1 => pool.reserve(),
            _ => pool.handles().last().unwrap(),
        };
        if way == 2 {
            assert!(pool.despawn_after(last, 1));
        }
        pool.retain(|_, row| row.number < 10);
        let before = pool.capacity();
        pool.shrink_to_fit();
        assert!(pool.capacity() >= last.index() as usize && pool.capacity() <= before, "{way}");
        assert_eq!(pool.check_invariants(), Ok(()));
    }
}

#[test]
fn a_fixed_pool_keeps_all_that_it_has() {
    let mut pool = Pool::<Row>::fixed(5000).unwrap();
    pool.shrink_to_fit();
    assert_eq!(pool.capacity(), 5000);
}
