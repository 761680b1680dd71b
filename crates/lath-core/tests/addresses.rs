//! A thing never moves: its address is the same from spawn to despawn, whatever happens to the pool
//! around it. One that is staged moves once, into its slot, when somebody has the pool exclusively.

use lath_core::{Handle, Pool, Reuse, Thing};

#[derive(Thing, Clone, Default)]
struct Crew {
    number: u64,
}

fn crew(number: u64) -> Crew {
    Crew { number }
}

fn address(pool: &Pool<Crew>, handle: Handle<Crew>) -> *const Crew {
    std::ptr::from_ref(pool.get(handle).unwrap())
}

/// The addresses of all live things.
fn addresses(pool: &Pool<Crew>) -> Vec<(Handle<Crew>, *const Crew)> {
    pool.iter().map(|(handle, crew)| (handle, std::ptr::from_ref(crew))).collect()
}

#[track_caller]
fn assert_unmoved(pool: &Pool<Crew>, before: &[(Handle<Crew>, *const Crew)]) {
    for &(handle, address) in before {
        assert_eq!(pool.get(handle).map(std::ptr::from_ref), Some(address), "{handle} moved");
    }
}

#[test]
fn growing_to_200_000_moves_nothing() {
    let mut pool = Pool::new();
    let mut known = Vec::new();
    for number in 0..200_000 {
        let handle = pool.spawn(crew(number));
        known.push((handle, address(&pool, handle)));
    }
    assert_unmoved(&pool, &known);
    assert!(
        pool.iter()
            .map(|(handle, crew)| (handle, std::ptr::from_ref(crew)))
            .eq(known.iter().copied())
    );
    assert!(pool.iter().zip(0..).all(|((_, crew), number)| crew.number == number));
}

/// How many bytes there are from each thing to the next, wherever that changes.
fn distances(pool: &Pool<Crew>) -> Vec<usize> {
    let places: Vec<_> = pool.iter().map(|(_, crew)| std::ptr::from_ref(crew).addr()).collect();
    let mut distances: Vec<_> =
        places.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])).collect();
    distances.dedup();
    distances
}

#[test]
fn things_lie_in_one_array_in_a_pool_that_knew_how_many_there_will_be() {
    const THINGS: u32 = 20_000;
    let fill = |mut pool: Pool<Crew>| {
        (0..THINGS).for_each(|number| _ = pool.spawn(crew(number.into())));
        pool
    };
    let told = fill(Pool::with_capacity(THINGS as usize).unwrap());
    let row = distances(&told);
    assert_eq!(row.len(), 1, "{row:?}");
    assert_eq!(distances(&fill(Pool::fixed(THINGS as usize).unwrap())), row);
    assert_eq!(distances(&fill(Pool::new()).clone()), row);
    // A pool has its first block from the start: all that a range needs besides is one array.
    let mut pool = Pool::new();
    assert_eq!(pool.spawn_range(THINGS, |number| crew(number.into())).unwrap().len(), THINGS);
    let mut rows = distances(&pool);
    rows.retain(|distance| [*distance] != row[..]);
    assert!(rows.len() <= 1, "{rows:?}");
}

#[test]
fn no_call_moves_a_thing_that_it_leaves_alive() {
    let mut pool = Pool::new();
    let handles: Vec<_> = pool.spawn_many((0..3000).map(crew)).collect();
    type Call = (&'static str, fn(&mut Pool<Crew>));
    let calls: [Call; 14] = [
        ("spawn_many", |pool| drop(pool.spawn_many((0..3000).map(crew)))),
        ("spawn_range", |pool| {
            assert_eq!(pool.spawn_range(5000, |_| crew(1)).unwrap().len(), 5000)
        }),
        ("spawn_at, far away", |pool| {
            pool.spawn_at(Handle::from_bits(1 << 32 | 50_000), crew(1))
                .unwrap_or_else(|error| panic!("{error}"));
        }),
        ("stage", |pool| (0..3000).for_each(|number| assert!(!pool.stage(crew(number)).is_nil()))),
        ("commit", |pool| assert_eq!(pool.commit(), 3000)),
        ("reserve", |pool| (0..3000).for_each(|_| assert!(!pool.reserve().is_nil()))),
        ("iter_mut", |pool| pool.iter_mut().for_each(|(_, crew)| crew.number += 1)),
        ("each_with_rest", |pool| {
            pool.each_with_rest(|_, _, rest| assert!(!rest.stage(crew(2)).is_nil()))
        }),
        ("reap", |pool| assert_eq!(pool.reap(9), 0)),
        ("set_reuse", |pool| pool.set_reuse(Reuse::Fifo)),
        ("reclaim_retired", |pool| assert_eq!(pool.reclaim_retired(), 0)),
        ("clone", |pool| drop(pool.clone())),
        ("expect_at_most", |pool| pool.expect_at_most_or(1, |_| {})),
        ("commit again", |pool| assert!(pool.commit() > 0)),
    ];
    for (name, call) in calls {
        let before = addresses(&pool);
        call(&mut pool);
        for (handle, address) in before {
            assert_eq!(
                pool.get(handle).map(std::ptr::from_ref),
                Some(address),
                "`{name}` moved {handle}"
            );
        }
    }

    // Calls that end some lives leave the others where they are.
    let (gone, kept) = handles.split_at(1000);
    let before: Vec<_> = kept.iter().map(|&handle| (handle, address(&pool, handle))).collect();
    for (i, &handle) in gone.iter().enumerate() {
        match i % 3 {
            0 => assert!(pool.despawn(handle)),
            1 => assert!(pool.take(handle).is_some()),
            _ => assert!(pool.despawn_after(handle, 1)),
        }
    }
    pool.retain(|handle, _| kept.contains(&handle));
    pool.reap(1);
    pool.extract_if(|handle, _| !kept.contains(&handle)).for_each(drop);
    assert_unmoved(&pool, &before);

    // A moved pool takes its things along without moving them: they are in its blocks, not in it.
    let pool = Box::new(pool);
    assert_unmoved(&pool, &before);
}

#[test]
fn a_reference_held_across_stage_stays_good() {
    let mut pool = Pool::new();
    let handle = pool.spawn(crew(7));
    let held = pool.read(handle);
    let nil = pool.read(Handle::NIL);
    let first = pool.stage(crew(0));
    let first = pool.read(first);
    let staged: Vec<_> = (1..10_000)
        .map(|number| {
            let handle = pool.stage(crew(number));
            (handle, address(&pool, handle))
        })
        .collect();
    assert_unmoved(&pool, &staged);
    (0..100).for_each(|_| assert!(!pool.reserve().is_nil()));
    assert_eq!((held.number, nil.number, first.number), (7, 0, 0));
    assert!(std::ptr::eq(held, pool.read(handle)));
    assert!(std::ptr::eq(nil, pool.read(Handle::NIL)));

    let before = addresses(&pool);
    assert_eq!(pool.commit(), 10_000);
    assert_unmoved(&pool, &before);
}

#[test]
fn a_slot_has_one_address_for_all_its_things() {
    let mut pool = Pool::new();
    let handles: Vec<_> = pool.spawn_many((0..500).map(crew)).collect();
    let before: Vec<_> = handles.iter().map(|&handle| address(&pool, handle)).collect();
    pool.clear();
    let again: Vec<_> = pool.spawn_many((0..500).map(crew)).collect();
    assert!(again.iter().zip(&handles).all(|(a, b)| a.index() == b.index() && a != b));
    assert!(again.iter().map(|&handle| address(&pool, handle)).eq(before));
}
