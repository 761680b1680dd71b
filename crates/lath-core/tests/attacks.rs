//! Safe code that tries to break a pool: leaked guards, views that are kept, calls from within
//! calls, the last slots that there are.

#![allow(
    clippy::forget_non_drop,
    reason = "whether a guard has a `Drop` is not what its user should have to know"
)]

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::mem;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use lath_core::{Handle, Mut, NoTags, Pool, Ref, Reuse, Rows, SpawnFault, Thing};

#[derive(Thing, Clone, Default, Debug, PartialEq)]
struct Crew {
    name: String,
    age: u32,
}

fn crew(age: u32) -> Crew {
    Crew { name: age.to_string(), age }
}

#[test]
fn a_guard_that_is_never_dropped_leaves_the_pool_whole() {
    let mut pool = Pool::new();
    mem::forget(pool.spawn_many((0..100).map(crew)));
    assert_eq!((pool.len(), pool.check_invariants()), (0, Ok(()))); // nothing was asked of it
    let mut spawning = pool.spawn_many((0..100).map(crew));
    let first = spawning.next().unwrap();
    mem::forget(spawning);
    assert!(pool.contains(first) && pool.len() <= 100);
    assert_eq!(pool.check_invariants(), Ok(()));

    pool.extend((0..100).map(crew));
    let count = pool.len();
    let mut draining = pool.extract_if(|who, _| who.index() % 2 == 0);
    let taken = [draining.next(), draining.next()].into_iter().flatten().count();
    mem::forget(draining);
    assert_eq!((pool.len(), pool.check_invariants()), (count - taken, Ok(())));

    let mut walk = pool.iter_mut();
    walk.next().unwrap().1.age = 77;
    mem::forget(walk);
    let mut walk = pool.view_mut::<Mut<crew::age>>().into_iter();
    *walk.next().unwrap() += 1;
    mem::forget(walk);
    mem::forget(pool.split(first));
    mem::forget(pool.tree_mut());
    assert_eq!(pool.check_invariants(), Ok(()));
    assert_eq!(pool.spawn_range(3, crew).unwrap().len(), 3);
}

#[test]
fn views_that_are_kept_are_of_different_things() {
    let mut pool: Pool<Crew> = (0..1000).map(crew).collect();
    pool.retain(|who, _| who.index() % 7 != 0);
    let mut kept = Vec::new();
    let mut views = pool.view_mut::<(Ref<crew::name>, Mut<crew::age>)>();
    views.each(|(name, age)| kept.push((name.into_inner(), age.into_inner())));
    let different: BTreeSet<*const u32> = kept.iter().map(|(_, age)| &raw const **age).collect();
    assert_eq!(different.len(), kept.len());
    for (name, age) in &mut kept {
        assert_eq!(**name, age.to_string());
        **age += 1;
    }
    assert!(pool.iter().all(|(_, thing)| thing.name == (thing.age - 1).to_string()));
}

thread_local! {
    static SHARED: Pool<Sly> = Pool::new();
    static STAGES: Cell<u32> = const { Cell::new(0) };
}

/// Stages others into the pool that it is in whenever it is cloned or dropped.
#[derive(Thing, Default)]
struct Sly {
    number: u32,
}

impl Sly {
    fn meddle() {
        if STAGES.get() > 0 {
            STAGES.set(STAGES.get() - 1);
            // Not while the thread, and the pool, are going away.
            let _ = SHARED.try_with(|pool| assert!(!pool.stage(Sly { number: 1 }).is_nil()));
        }
    }
}

impl Clone for Sly {
    fn clone(&self) -> Self {
        Self::meddle();
        Self { number: self.number }
    }
}

impl Drop for Sly {
    fn drop(&mut self) {
        Self::meddle();
    }
}

#[test]
fn a_clone_may_stage_into_the_pool_that_is_being_copied() {
    SHARED.with(|pool| {
        (0..100).for_each(|number| assert!(!pool.stage(Sly { number }).is_nil()));
        STAGES.set(50);
        let copy = pool.clone();
        STAGES.set(0);
        assert_eq!((copy.check_invariants(), pool.check_invariants()), (Ok(()), Ok(())));
        assert_eq!((pool.stats().staged, copy.iter_with_staged().count() >= 100), (150, true));
        for (who, thing) in copy.iter_with_staged() {
            assert_eq!(pool.get(who).map(|found| found.number), Some(thing.number));
        }
        STAGES.set(10);
        drop(copy); // its things stage into the other one
        assert_eq!((pool.stats().staged, pool.check_invariants()), (160, Ok(())));
        STAGES.set(0);
    });
}

#[test]
fn what_a_clone_stages_into_the_pool_that_is_being_copied_is_not_copied_in_turn() {
    SHARED.with(|pool| {
        (0..100).for_each(|number| assert!(!pool.stage(Sly { number }).is_nil()));
        let known: Vec<_> =
            pool.iter_with_staged().map(|(who, thing)| (who, thing.number)).collect();
        STAGES.set(u32::MAX);
        let mut copy = pool.clone();
        let clones = u32::MAX - STAGES.replace(0);
        assert_eq!((clones, pool.stats().staged), (100, 200));
        assert!(copy.iter_with_staged().map(|(who, thing)| (who, thing.number)).eq(known));
        assert_eq!((copy.check_invariants(), pool.check_invariants()), (Ok(()), Ok(())));
        assert_eq!((copy.commit(), copy.len(), copy.check_invariants()), (100, 100, Ok(())));
    });
}

#[test]
fn a_pool_can_be_copied_while_others_stage() {
    let pool = Pool::<Crew>::new();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            (0..3000).for_each(|age| assert!(!pool.stage(crew(age)).is_nil()));
            done.store(true, Ordering::Relaxed);
        });
        let mut seen = 0;
        while !done.load(Ordering::Relaxed) || seen == 0 {
            let before: Vec<Handle<Crew>> = pool.iter_with_staged().map(|(who, _)| who).collect();
            let mut copy = pool.clone();
            assert_eq!(copy.check_invariants(), Ok(()));
            assert!(
                before.iter().all(|&who| copy.get(who) == pool.get(who)),
                "what was there is in the copy"
            );
            let staged = copy.stats().staged;
            assert_eq!((copy.commit(), copy.check_invariants()), (staged, Ok(())));
            assert!(copy.iter().all(|(who, thing)| pool.get(who) == Some(thing)));
            seen += 1;
        }
    });
}

/// Generations of one bit: every slot has one life.
#[derive(Thing, Default, Debug)]
#[thing(handle(bits = 16, index = 15))]
struct Spark {
    heat: u8,
}

#[test]
fn the_last_slot_of_a_small_handle_is_used_once_and_no_other_comes_after_it() {
    let mut pool = Pool::new();
    let all: BTreeSet<Handle<Spark>> =
        (0..(1 << 15) - 1).map(|_| pool.spawn(Spark { heat: 1 })).collect();
    assert_eq!(all.len(), (1 << 15) - 1);
    for _ in 0..2 {
        let full = pool.try_spawn(Spark { heat: 2 }).unwrap_err();
        assert!(matches!(full.fault, SpawnFault::Full { .. }), "{full}");
        assert!(pool.try_stage(Spark { heat: 2 }).is_err() && pool.try_reserve().is_err());
        assert!(pool.spawn_range(1, |_| Spark { heat: 2 }).is_err());
    }
    pool.clear();
    assert!(pool.try_spawn(Spark { heat: 2 }).is_err(), "all of them are retired");
    assert!(all.iter().all(|&spark| pool.get(spark).is_none()));
    for bits in 0..=u64::from(u16::MAX) {
        assert!(pool.get(Handle::<Spark>::from_bits(bits)).is_none());
    }
    assert_eq!((pool.reclaim_retired(), pool.check_invariants()), ((1 << 15) - 1, Ok(())));
    assert!(pool.try_spawn(Spark { heat: 2 }).is_ok());
}

/// Between the things that are near and one that is far, nothing has memory: all that walks the
/// slots gets across.
#[test]
fn a_thing_that_is_far_from_all_others_is_one_of_them() {
    thread_local!(static DROPPED: Cell<u32> = const { Cell::new(0) });

    #[derive(Thing, Default, Debug)]
    struct Far {
        number: u32,
        _token: Token,
    }

    #[derive(Default, Debug)]
    struct Token;

    impl Drop for Token {
        fn drop(&mut self) {
            DROPPED.set(DROPPED.get() + 1);
        }
    }

    let far = Handle::<Far>::from_bits(1 << 32 | 50_000_000);
    let mut pool = Pool::new();
    pool.track_changes();
    let near = pool.spawn(Far { number: 1, _token: Token });
    pool.spawn_at(far, Far { number: 2, _token: Token }).unwrap();
    assert_eq!(pool.iter().map(|(who, _)| who).collect::<Vec<_>>(), [near, far]);
    assert_eq!(pool.view::<Ref<far::number>>().iter().map(|number| *number).sum::<u32>(), 3);
    let tick = pool.next_tick();
    pool.edit(far, |thing| thing.number = 3);
    assert!(pool.changed_since::<far::number>(tick - 1).any(|who| who == far));
    pool.retain(|_, thing| thing.number < 3);
    assert_eq!((pool.len(), DROPPED.get()), (1, 1));
    assert!(pool.stage(Far { number: 4, _token: Token }).index() < 100);
    let again = Handle::<Far>::from_bits(3 << 32 | 50_000_000);
    pool.spawn_at(again, Far { number: 5, _token: Token }).unwrap();
    pool.clear();
    assert_eq!((pool.len(), DROPPED.get()), (0, 4));
    assert!(
        [near, far, again].iter().all(|&who| pool.get(who).is_none()),
        "a handle is good after `clear`"
    );
    pool.spawn_at(Handle::from_bits(5 << 32 | 50_000_000), Far { number: 6, _token: Token })
        .unwrap();
    drop(pool);
    assert_eq!(DROPPED.get(), 6, "and the nil thing");
}

/// Every call that walks the slots gets past the last one that a handle can name.
#[test]
fn the_last_slot_of_all_can_be_used() {
    #[derive(Thing, Default, Debug)]
    struct Far {
        drops: String,
    }
    let mut pool = Pool::new();
    let last = Handle::<Far>::from_bits(1 << 32 | u64::from(u32::MAX));
    match pool.spawn_at(last, Far::default()) {
        Ok(()) => {}
        // The map of so many slots is gigabytes of addresses, though not of memory.
        Err(error) => return assert!(matches!(error.fault, SpawnFault::OutOfMemory(_)), "{error}"),
    }
    pool.retain(|_, _| true);
    assert_eq!(pool.extract_if(|_, _| false).count(), 0);
    assert_eq!(pool.iter().map(|(who, _)| who).collect::<Vec<_>>(), [last]);
    pool.view_mut::<Mut<far::drops>>().each(|mut drops| drops.push('x'));
    assert_eq!(pool.view::<Ref<far::drops>>().iter().count(), 1);
    pool.each_with_rest(|who, _, rest| assert!(rest.get(who).is_none()));
    assert_eq!(pool.get(last).map(|far| &*far.drops), Some("x"));
    // Freed last, it is used first.
    pool.set_reuse(Reuse::Lifo);
    assert!(pool.despawn(last));
    let some: Vec<_> = pool.spawn_many([Far::default(), Far::default()]).collect();
    assert_eq!((some.len(), some[0].index()), (2, u32::MAX));
    pool.clear();
    assert_eq!((pool.len(), pool.get(last).is_none()), (0, true));
}

thread_local! {
    static WATCHED: OnceCell<Rc<Pool<Onlooker>>> = const { OnceCell::new() };
    static SEEN: Cell<usize> = const { Cell::new(0) };
}

/// Looks at its pool whenever it is asked for its tags, also while it is written to its place.
#[derive(Default)]
struct Onlooker;

impl Thing for Onlooker {
    type Bits = u64;
    const INDEX_BITS: u32 = 32;
    type Storage = Rows<Self>;
    type Tags = NoTags;

    fn tags(&self) -> NoTags {
        if let Some(pool) = WATCHED.with(|pool| pool.get().cloned()) {
            SEEN.set(pool.iter_with_staged().count());
        }
        NoTags
    }
}

#[test]
fn a_thing_that_is_being_staged_is_not_seen_before_it_is_there() {
    let pool = Rc::new(Pool::new());
    WATCHED.with(|watched| assert!(watched.set(pool.clone()).is_ok()));
    for before in 0..5 {
        pool.stage(Onlooker);
        assert_eq!(SEEN.get(), before);
    }
}
