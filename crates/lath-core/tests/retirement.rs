//! A slot whose generations are spent is never handed out again, so no handle is ever handed out
//! twice.
//!
//! With 16 bits, ten of them for the index, there are 1023 slots of 32 lives each: 32736 handles,
//! and then no more.

use std::collections::BTreeSet;

use lath_core::{FixedPool, Handle, HandleError, Pool, Reuse, SpawnFault, Thing};

#[derive(Thing, Clone, Default, Debug)]
#[thing(handle(bits = 16, index = 10))]
struct Spark {
    heat: u64,
}

const SLOTS: u32 = 1023;
const LIVES: u32 = 32;
const HANDLES: usize = 32736;
const FULL: SpawnFault = SpawnFault::Full { capacity: SLOTS, retired: SLOTS };

/// Puts in as many things as will go, all live or staged or reserved afterwards, and answers their
/// handles.
type Fill = fn(&mut Pool<Spark>) -> Vec<Handle<Spark>>;

/// Ends the lives of all of them.
type Drain = fn(&mut Pool<Spark>, &[Handle<Spark>]);

/// Fills and drains until nothing goes in: every handle that was ever handed out, no two of them
/// the same.
fn exhaust(pool: &mut Pool<Spark>, fill: Fill, drain: Drain) -> BTreeSet<Handle<Spark>> {
    let mut seen = BTreeSet::new();
    loop {
        let handles = fill(pool);
        if handles.is_empty() {
            return seen;
        }
        for &handle in &handles {
            assert!(seen.insert(handle), "{handle} was handed out twice");
        }
        drain(pool, &handles);
        assert_eq!(pool.len(), 0);
        assert_eq!(pool.check_invariants(), Ok(()));
    }
}

/// No handle there can be resolves, and nothing goes in: the value comes back.
fn assert_exhausted(pool: &mut Pool<Spark>) {
    for bits in 0..=u64::from(u16::MAX) {
        let handle = Handle::from_bits(bits);
        assert!(pool.get(handle).is_none(), "{handle} rose from the dead");
        assert_eq!(pool.read(handle).heat, 0);
        assert!(!pool.despawn(handle));
        assert!(
            pool.spawn_at(handle, Spark { heat: 1 }).is_err(),
            "{handle} was handed out once more"
        );
    }
    let error = pool.try_spawn(Spark { heat: 7 }).unwrap_err();
    assert_eq!((error.fault, error.value.heat), (FULL, 7));
    let error = pool.try_stage(Spark { heat: 8 }).unwrap_err();
    assert_eq!((error.fault, error.value.heat), (FULL, 8));
    assert_eq!(pool.try_reserve_kind(0), Err(FULL));
    assert_eq!(pool.spawn_range(1, |_| unreachable!()), Err(FULL));
    assert_eq!((pool.stats().retired, pool.len()), (SLOTS, 0));
    assert_eq!(pool.check_invariants(), Ok(()));
}

fn spawn_all(pool: &mut Pool<Spark>) -> Vec<Handle<Spark>> {
    std::iter::from_fn(|| pool.try_spawn(Spark { heat: 1 }).ok()).collect()
}

fn stage_all(pool: &mut Pool<Spark>) -> Vec<Handle<Spark>> {
    std::iter::from_fn(|| pool.try_stage(Spark { heat: 1 }).ok()).collect()
}

fn stage_and_commit_all(pool: &mut Pool<Spark>) -> Vec<Handle<Spark>> {
    let handles = stage_all(pool);
    assert_eq!(pool.commit() as usize, handles.len());
    handles
}

fn reserve_all(pool: &mut Pool<Spark>) -> Vec<Handle<Spark>> {
    std::iter::from_fn(|| pool.try_reserve_kind(0).ok()).collect()
}

fn reserve_and_spawn_at_all(pool: &mut Pool<Spark>) -> Vec<Handle<Spark>> {
    let handles = reserve_all(pool);
    handles.iter().for_each(|&handle| pool.spawn_at(handle, Spark { heat: 1 }).unwrap());
    handles
}

fn spawn_all_in_ranges(pool: &mut Pool<Spark>) -> Vec<Handle<Spark>> {
    // 1023 is 33 times 31.
    std::iter::from_fn(|| pool.spawn_range(33, |_| Spark { heat: 1 }).ok())
        .flat_map(|range| range.iter())
        .collect()
}

fn spawn_all_in_one_range(pool: &mut Pool<Spark>) -> Vec<Handle<Spark>> {
    pool.spawn_range(SLOTS, |_| Spark { heat: 1 })
        .into_iter()
        .flat_map(|range| range.iter())
        .collect()
}

fn despawn_all(pool: &mut Pool<Spark>, handles: &[Handle<Spark>]) {
    handles.iter().for_each(|&handle| assert!(pool.despawn(handle)));
}

fn bury_all(pool: &mut Pool<Spark>, handles: &[Handle<Spark>]) {
    handles.iter().for_each(|&handle| assert!(pool.despawn_after(handle, 3)));
    assert_eq!(
        pool.try_spawn(Spark::default()).unwrap_err().value.heat,
        0,
        "a buried slot was handed out"
    );
    assert_eq!(pool.reap(3) as usize, handles.len());
}

#[test]
fn exactly_32736_handles_are_handed_out_whatever_the_road_in_and_out() {
    let roads: [(&str, Fill, Drain); 11] = [
        ("spawn, despawn", spawn_all, despawn_all),
        ("spawn, take", spawn_all, |pool, handles| {
            handles.iter().for_each(|&h| assert!(pool.take(h).is_some()))
        }),
        ("spawn, clear", spawn_all, |pool, _| pool.clear()),
        ("spawn, retain", spawn_all, |pool, _| pool.retain(|_, _| false)),
        ("spawn, extract_if", spawn_all, |pool, _| {
            assert!(pool.extract_if(|_, _| true).count() > 0)
        }),
        ("spawn, despawn_after", spawn_all, bury_all),
        ("stage, despawn", stage_all, despawn_all),
        ("stage, commit, despawn", stage_and_commit_all, despawn_all),
        ("reserve, despawn", reserve_all, despawn_all),
        ("reserve, spawn_at, clear", reserve_and_spawn_at_all, |pool, _| pool.clear()),
        ("spawn_range, despawn", spawn_all_in_ranges, despawn_all),
    ];
    for (name, fill, drain) in roads {
        for fixed in [false, true] {
            let mut pool = if fixed { Pool::fixed(SLOTS as usize).unwrap() } else { Pool::new() };
            let seen = exhaust(&mut pool, fill, drain);
            assert_eq!(seen.len(), HANDLES, "{name}, fixed: {fixed}");
            assert_exhausted(&mut pool);
        }
    }
}

#[test]
fn every_order_of_reuse_hands_out_the_same_handles_in_the_end() {
    let all = exhaust(&mut Pool::new(), spawn_all, despawn_all);
    for reuse in [Reuse::Lifo, Reuse::Fifo] {
        let mut pool = Pool::new();
        pool.set_reuse(reuse);
        // One at a time, so that the order matters.
        let mut seen = BTreeSet::new();
        while let Ok(handle) = pool.try_spawn(Spark { heat: 1 }) {
            assert!(seen.insert(handle), "{handle} was handed out twice, {reuse:?}");
            pool.despawn(handle);
        }
        assert_eq!(seen, all, "{reuse:?}");
        assert_exhausted(&mut pool);
    }
}

#[test]
fn a_range_of_all_slots_is_handed_out_32_times() {
    let mut pool = Pool::new();
    let seen = exhaust(&mut pool, spawn_all_in_one_range, despawn_all);
    assert_eq!(seen.len(), HANDLES);
    assert_exhausted(&mut pool);
}

#[test]
fn the_last_error_says_how_to_go_on() {
    let mut pool = Pool::new();
    exhaust(&mut pool, spawn_all, despawn_all);
    assert_eq!(
        pool.try_spawn(Spark::default()).unwrap_err().to_string(),
        "the pool is full: 1023 of 1023 slots are taken, 1023 of them retired; `reclaim_retired` brings those back once no \
         old handle is left"
    );
}

#[test]
fn reclaimed_slots_start_again_and_last_as_long_as_before() {
    for reuse in [Reuse::Lowest, Reuse::Lifo, Reuse::Fifo] {
        let mut pool = Pool::new();
        pool.set_reuse(reuse);
        let first = exhaust(&mut pool, spawn_all, despawn_all);
        assert_eq!(pool.reclaim_retired(), SLOTS);
        assert_eq!(pool.reclaim_retired(), 0);
        assert_eq!((pool.stats().retired, pool.check_invariants()), (0, Ok(())));
        assert_eq!(exhaust(&mut pool, spawn_all, despawn_all), first, "{reuse:?}");
        assert_exhausted(&mut pool);
    }
}

#[test]
fn only_retired_slots_are_reclaimed() {
    let mut pool = Pool::new();
    let [keep, wear] = [1, 2].map(|heat| pool.spawn(Spark { heat }));
    let mut worn = wear;
    for _ in 0..LIVES {
        assert_eq!(worn.index(), wear.index());
        assert!(pool.despawn(worn));
        worn = pool.spawn(Spark { heat: 3 });
    }
    assert_ne!(worn.index(), wear.index(), "all lives are lived");
    assert_eq!(pool.stats().retired, 1);
    assert!(matches!(pool.check(wear), Err(HandleError::Retired { .. })));
    assert_eq!(pool.reclaim_retired(), 1);
    assert_eq!((pool[keep].heat, pool[worn].heat), (1, 3));
    assert_eq!(pool.spawn(Spark { heat: 4 }), wear, "the slot starts again at generation 1");
}

#[test]
fn a_reclaimed_slot_takes_its_turn_among_those_that_were_freed() {
    for (reuse, expected) in [(Reuse::Fifo, [2, 1, 3]), (Reuse::Lifo, [3, 1, 2])] {
        let mut pool = Pool::fixed(3).unwrap();
        pool.set_reuse(reuse);
        let [worn, before, after] = [1, 2, 3].map(|heat| pool.spawn(Spark { heat }));
        pool.despawn(worn);
        let last = Handle::from_bits(u64::from(2 * LIVES - 1) << 10 | u64::from(worn.index()));
        pool.spawn_at(last, Spark { heat: 4 }).unwrap();
        pool.despawn(last);
        assert_eq!(pool.stats().retired, 1);
        pool.despawn(before);
        assert_eq!(pool.reclaim_retired(), 1);
        pool.despawn(after);
        let copy = pool.clone();
        for mut pool in [pool, copy] {
            assert_eq!(
                [(); 3].map(|()| pool.spawn(Spark { heat: 5 }).index()),
                expected,
                "{reuse:?}"
            );
        }
    }
}

#[test]
fn a_copy_of_a_worn_pool_is_as_worn() {
    let mut pool = Pool::new();
    exhaust(&mut pool, spawn_all, despawn_all);
    assert_exhausted(&mut pool.clone());
}

#[test]
fn a_slot_retires_at_the_last_of_four_billion_generations() {
    #[derive(Thing, Default, Debug)]
    struct Ship {}

    let mut ships = Pool::new();
    let last = Handle::from_bits(u64::from(u32::MAX) << 32 | 1);
    ships.spawn_at(last, Ship {}).unwrap();
    assert_eq!(format!("{last}"), "1v4294967295");
    ships.despawn(last);
    assert_eq!(
        ships.check(last),
        Err(HandleError::Retired { handle: lath_core::Name { index: 1, generation: u32::MAX } })
    );
    assert_eq!(ships.spawn(Ship {}).index(), 2);
    assert!(ships.spawn_at(Handle::from_bits(1 << 32 | 1), Ship {}).is_err());
}

#[test]
fn a_fixed_pool_hands_out_exactly_32736_handles() {
    let mut pool = Box::new(FixedPool::<Spark, { SLOTS as usize }>::new());
    let mut first = None;
    for round in 0..2 {
        let mut seen = BTreeSet::new();
        while let Ok(handle) = pool.try_spawn(Spark { heat: 1 }) {
            assert!(seen.insert(handle), "{handle} was handed out twice");
            assert_eq!(
                handle.generation().div_ceil(2),
                (seen.len() as u32 - 1) % LIVES + 1,
                "the lowest slot first"
            );
            pool.despawn(handle);
        }
        assert_eq!(seen.len(), HANDLES, "round {round}");
        for bits in 0..=u64::from(u16::MAX) {
            let handle = Handle::from_bits(bits);
            assert!(pool.get(handle).is_none(), "{handle} rose from the dead");
            assert!(
                pool.spawn_at(handle, Spark { heat: 1 }).is_err(),
                "{handle} was handed out once more"
            );
        }
        let error = pool.try_spawn(Spark { heat: 7 }).unwrap_err();
        assert_eq!((error.fault, error.value.heat), (FULL, 7));
        assert_eq!(*first.get_or_insert_with(|| seen.clone()), seen);
        assert_eq!(pool.reclaim_retired(), SLOTS);
    }
}
