//! Things that go: one by one or many at once, and whoever has to hear of it.

use lath_core::{Handle, Pool, Reuse, Thing};

#[derive(Thing, Default, Clone, Debug, PartialEq)]
struct Crew {
    number: u32,
}

/// A pool of so many, and a few thousand slots that were used before.
fn crew(count: u32) -> (Pool<Crew>, Vec<Handle<Crew>>) {
    let mut pool = Pool::new();
    let gone: Vec<_> = pool.spawn_many((0..3000).map(|number| Crew { number })).collect();
    assert_eq!(pool.despawn_many(gone), 3000);
    let handles = (0..count).map(|number| pool.spawn(Crew { number })).collect();
    (pool, handles)
}

#[test]
fn many_at_once_go_as_they_would_one_by_one() {
    for (seed, count) in [0, 1, 63, 64, 65, 128, 200, 1000, 3000].into_iter().enumerate() {
        let mut random = fastrand::Rng::with_seed(seed as u64);
        let (mut pool, handles) = crew(count);
        // Some twice, some that are gone already, some that never were.
        let mut list: Vec<_> = handles.iter().copied().filter(|_| random.u8(..4) > 0).collect();
        list.extend(
            (0..list.len() / 8).map(|_| list[random.usize(..list.len())]).collect::<Vec<_>>(),
        );
        list.extend([Handle::NIL, Handle::from_bits(u64::MAX)]);
        random.shuffle(&mut list);
        let (mut one_by_one, mut expected) = (pool.clone(), 0);
        for &handle in &list {
            expected += u32::from(one_by_one.despawn(handle));
        }
        assert_eq!(pool.despawn_many(list.iter().copied()), expected, "of {count}");
        assert_eq!(pool.despawn_many(list), 0, "of {count}");
        assert!(pool.iter().eq(one_by_one.iter()), "of {count}");
        assert_eq!((pool.check_invariants(), pool.stats()), (Ok(()), one_by_one.stats()));
        for number in 0..300 {
            assert_eq!(
                pool.spawn(Crew { number }),
                one_by_one.spawn(Crew { number }),
                "of {count}"
            );
        }
    }
}

/// The common way asks once whether anybody has to hear of a thing that goes: what is asked for
/// later has to count all the same.
#[test]
fn who_comes_later_hears_of_things_that_go() {
    type Case = (&'static str, fn(&mut Pool<Crew>, [Handle<Crew>; 3]));
    let cases: [Case; 3] = [
        ("a tree", |pool, [parent, child, _]| {
            pool.tree_mut().attach(child, parent).unwrap();
            assert!(pool.despawn(parent) && !pool.contains(child));
        }),
        ("an order of reuse", |pool, [a, b, c]| {
            pool.set_reuse(Reuse::Lifo);
            assert_eq!([c, a, b].map(|handle| pool.despawn(handle)), [true; 3]);
            let next = [(); 3].map(|()| pool.spawn(Crew::default()).index());
            assert_eq!(next, [b.index(), a.index(), c.index()]);
        }),
        ("marks", |pool, [a, ..]| {
            pool.track_changes();
            let before = pool.tick();
            pool.next_tick();
            assert!(pool.despawn(a));
            let group: Vec<_> = pool
                .changed_since::<crew::number>(before)
                .map(|handle| handle.index() / 64)
                .collect();
            assert!(
                !group.is_empty() && group.iter().all(|&group| group == a.index() / 64),
                "{group:?}"
            );
        }),
    ];
    for (name, case) in cases {
        let (mut pool, handles) = crew(200);
        // The first is despawned with care, the second the common way.
        assert!(pool.despawn(handles[190]) && pool.despawn(handles[191]), "{name}");
        case(&mut pool, [handles[100], handles[101], handles[150]]);
        assert_eq!(pool.check_invariants(), Ok(()), "{name}");
    }
}

/// Spawning asks one question for several, too.
#[test]
fn who_comes_later_hears_of_things_that_come() {
    let (mut pool, _) = crew(100);
    pool.expect_at_most_or(101, |_| {});
    pool.spawn(Crew::default());
    assert!(!pool.stats().beyond_expected);
    pool.spawn(Crew::default());
    assert!(pool.stats().beyond_expected);

    let (mut pool, _) = crew(100);
    pool.track_changes();
    let before = pool.tick();
    pool.next_tick();
    let handle = pool.spawn(Crew { number: 1 });
    assert!(pool.changed_since::<crew::number>(before).any(|other| other == handle));
}

#[test]
fn slots_that_a_run_takes_are_no_longer_where_the_next_thing_goes() {
    let mut pool = Pool::new();
    pool.spawn_many((0..63).map(|number| Crew { number }));
    // The next group is at hand, and wholly free again.
    let lone = pool.spawn(Crew::default());
    assert!(pool.despawn(lone));
    let run = pool.spawn_range(128, |number| Crew { number }).unwrap();
    assert_eq!(run.first().index(), lone.index());
    let next = pool.spawn(Crew { number: 1000 });
    assert_eq!(next.index(), run.first().index() + 128);
    assert!(run.iter().enumerate().all(|(n, handle)| pool[handle].number == n as u32));
    assert_eq!(pool.check_invariants(), Ok(()));
}
