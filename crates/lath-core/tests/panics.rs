//! A panic in user code (a `Drop`, `Default`, `Clone` or `kind`, an iterator, a closure) leaves the
//! pool consistent and in working order, leaks nothing and drops nothing twice: P5 of the pool.
//!
//! Every call is made again and again, and each time the next of its calls into user code panics.

mod common;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use common::counted::{self, Token, user_code};
use lath_core::bitflags::bitflags;
use lath_core::{FixedPool, Handle, NoTags, Pool, Reuse, Rows, Thing};

/// A thing whose every trait is a call into user code that can panic.
#[derive(Clone, Default)]
struct Bomb {
    value: u64,
    kind: u32,
    _token: Token,
}

/// By hand, so that `kind` is one too.
impl Thing for Bomb {
    type Bits = u32;
    const INDEX_BITS: u32 = 16;
    const KIND_BITS: u32 = 4;
    type Storage = Rows<Self>;
    type Tags = NoTags;

    fn kind(&self) -> u32 {
        user_code("kind");
        self.kind
    }
}

fn bomb(value: u64) -> Bomb {
    Bomb { value, kind: 0, _token: Token::new() }
}

fn bombs(values: std::ops::Range<u64>) -> impl Iterator<Item = Bomb> {
    values.map(|value| {
        user_code("next");
        bomb(value)
    })
}

/// The handles of a pool that has some of everything.
struct Known {
    live: Vec<Handle<Bomb>>,
    staged: Vec<Handle<Bomb>>,
    reserved: Vec<Handle<Bomb>>,
    /// Dead or buried.
    gone: Vec<Handle<Bomb>>,
}

/// A pool that has some of everything; every thing carries the bits of its handle.
fn prepare(reuse: Reuse) -> (Pool<Bomb>, Known) {
    let mut pool = Pool::new();
    pool.set_reuse(reuse);
    let mut live: Vec<_> = pool.spawn_many((0..80).map(bomb)).collect();
    let mut gone: Vec<_> = live.drain(3..7).collect();
    gone.extend(live.drain(60..70));
    for (i, &handle) in gone.iter().enumerate() {
        if i % 2 == 0 {
            pool.despawn(handle);
        } else {
            pool.despawn_after(handle, i as u64);
        }
    }
    gone.push(Handle::NIL);
    let staged: Vec<_> = (0..4).map(|_| pool.stage(bomb(0))).collect();
    let reserved: Vec<_> = (0..3).map(|_| pool.reserve()).collect();
    for &handle in live.iter().chain(&staged) {
        pool.edit(handle, |thing| thing.value = handle.to_bits());
    }
    (pool, Known { live, staged, reserved, gone })
}

/// The pool is consistent, no handle lies, and everything still works.
fn assert_sound(pool: &mut Pool<Bomb>, known: &Known, at: &str) {
    assert_eq!(pool.check_invariants(), Ok(()), "{at}");
    for &handle in known.live.iter().chain(&known.staged) {
        assert!(
            pool.get(handle).is_none_or(|thing| thing.value == handle.to_bits()),
            "{handle} lies, {at}"
        );
    }
    for &handle in &known.gone {
        assert!(pool.get(handle).is_none(), "{handle} rose from the dead, {at}");
        assert_eq!(pool.read(handle).value, 0, "{at}");
    }
    for (handle, thing) in pool.iter_with_staged() {
        assert_eq!(pool.get(handle).map(|found| found.value), Some(thing.value), "{at}");
    }

    let handle = pool.spawn(bomb(5));
    assert_eq!(pool.take(handle).map(|thing| thing.value), Some(5), "{at}");
    let staged = pool.stage(bomb(6));
    pool.commit();
    assert_eq!(pool.iter().filter(|&(handle, _)| handle == staged).count(), 1, "{at}");
    assert_eq!(pool.clone().check_invariants(), Ok(()), "{at}");
    pool.reap(u64::MAX);
    pool.clear();
    assert_eq!((pool.len(), pool.check_invariants()), (0, Ok(())), "{at}");
    let all: Vec<_> = pool.spawn_many((0..200).map(bomb)).collect();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 200, "a slot was handed out twice, {at}");
    assert_eq!((pool.len(), pool.check_invariants()), (200, Ok(())), "{at}");
}

type Call = (&'static str, fn(&mut Pool<Bomb>, &Known));

const CALLS: [Call; 30] = [
    ("new", |_, _| drop(Pool::<Bomb>::new())),
    ("fixed", |_, _| drop(Pool::<Bomb>::fixed(100))),
    ("spawn", |pool, _| assert!(!pool.spawn(bomb(1)).is_nil())),
    ("try_spawn", |pool, _| drop(pool.try_spawn(bomb(1)))),
    ("try_spawn, refused", |pool, _| drop(pool.try_spawn(Bomb { kind: 16, ..bomb(1) }))),
    ("spawn_many", |pool, _| drop(pool.spawn_many(bombs(1..8)))),
    ("spawn_many, handles looked at", |pool, _| {
        for _ in pool.spawn_many(bombs(1..8)) {
            user_code("closure");
        }
    }),
    ("extend", |pool, _| pool.extend(bombs(1..8))),
    ("collect", |_, _| drop(bombs(1..8).collect::<Pool<_>>())),
    ("spawn_range", |pool, _| {
        let range = pool.spawn_range(8, |i| {
            user_code("closure");
            bomb(i.into())
        });
        assert_eq!(range.unwrap().len(), 8);
    }),
    ("spawn_range, refused", |pool, _| {
        let mixed = pool.spawn_range(8, |i| Bomb { kind: u32::from(i == 6), ..bomb(1) });
        assert!(mixed.is_err());
        let too_large = pool.spawn_range(8, |i| Bomb { kind: 16 * u32::from(i == 6), ..bomb(1) });
        assert!(too_large.is_err());
    }),
    ("spawn_at", |pool, known| pool.spawn_at(known.reserved[1], bomb(1)).unwrap()),
    ("spawn_at, refused", |pool, known| assert!(pool.spawn_at(known.live[0], bomb(1)).is_err())),
    ("despawn", |pool, known| {
        for &handle in
            [&known.live[..9], &known.staged, &known.reserved, &known.gone].into_iter().flatten()
        {
            pool.despawn(handle);
        }
    }),
    ("take", |pool, known| known.live.iter().take(3).for_each(|&handle| drop(pool.take(handle)))),
    ("reap", |pool, known| {
        pool.despawn_after(known.staged[0], 2);
        assert_eq!(pool.reap(5), 4);
        assert_eq!(pool.reap(u64::MAX), 4);
    }),
    ("stage", |pool, _| assert!(!pool.stage(bomb(1)).is_nil())),
    ("stage, refused", |pool, _| drop(pool.try_stage(Bomb { kind: 16, ..bomb(1) }))),
    ("a warning when spawning", |pool, _| {
        pool.expect_at_most_or(10, |_| user_code("warning"));
        pool.expect_at_most_or(100, |_| user_code("warning"));
        pool.spawn_many((0..30).map(bomb));
        pool.expect_at_most_or(130, |_| user_code("warning"));
        assert!(pool.spawn_range(40, |_| bomb(1)).is_ok());
    }),
    ("a warning when committing", |pool, _| {
        pool.expect_at_most_or(100, |_| user_code("warning"));
        for _ in 0..30 {
            pool.stage(bomb(1));
        }
        assert_eq!(pool.commit(), 34);
    }),
    ("edit", |pool, known| assert!(pool.edit(known.live[0], |_| user_code("closure")))),
    ("split", |pool, known| {
        let (_, rest) = pool.split(known.live[0]).unwrap();
        rest.stage(bomb(1));
        user_code("closure");
    }),
    ("each_with_rest", |pool, _| {
        let mut round = 0;
        pool.each_with_rest(|_, _, rest| {
            round += 1;
            if round % 9 == 0 {
                user_code("closure");
                rest.stage(bomb(1));
            }
        });
    }),
    ("iter_mut", |pool, _| {
        pool.iter_mut().take(2).for_each(|_| user_code("closure"));
        pool.iter_mut().skip(1).step_by(20).for_each(|_| user_code("closure"));
    }),
    ("despawn_many", |pool, known| {
        let handles = known
            .live
            .iter()
            .take(40)
            .chain(&known.staged)
            .chain(&known.reserved)
            .chain(&known.gone);
        pool.despawn_many(handles.inspect(|_| user_code("next")).copied());
    }),
    ("retain", |pool, _| {
        pool.retain(|handle, _| {
            user_code("closure");
            handle.index() % 5 != 0
        });
    }),
    ("extract_if", |pool, _| {
        let mut drained = pool.extract_if(|handle, _| {
            user_code("closure");
            handle.index() % 5 == 0
        });
        drop(drained.next());
        drop(drained.by_ref().take(3).collect::<Vec<_>>());
    }),
    ("clear", |pool, _| pool.clear()),
    ("clone", |pool, _| drop(pool.clone())),
    ("drop", |pool, _| drop(std::mem::take(pool))),
];

/// Makes one call for every call into user code that it makes, each time with another one that
/// panics. Answers what panicked.
fn survive((name, call): Call, reuse: Reuse) -> BTreeSet<&'static str> {
    let mut panicked = BTreeSet::new();
    for n in 0.. {
        counted::start_anew();
        let (mut pool, known) = prepare(reuse);
        counted::light_fuse(n);
        let outcome = catch_unwind(AssertUnwindSafe(|| call(&mut pool, &known)));
        let blown = counted::put_out();
        let at = format!(
            "after `{name}`, {reuse:?}, with a panic in call {n} into user code, {blown:?}"
        );
        match (outcome, blown) {
            (Ok(()), None) => return panicked,
            (Ok(()), Some(_)) => panic!("a panic got lost, {at}"),
            (Err(failure), None) => resume_unwind(failure),
            (Err(_), Some(what)) => {
                panicked.insert(what);
                assert_sound(&mut pool, &known, &at);
                drop((pool, known));
                counted::assert_all_dropped_once(&at);
            }
        }
    }
    unreachable!()
}

#[test]
fn a_panic_in_user_code_leaves_the_pool_sound_and_nothing_leaks() {
    for reuse in [Reuse::Lowest, Reuse::Lifo, Reuse::Fifo] {
        let panicked: BTreeSet<_> =
            CALLS.into_iter().flat_map(|call| survive(call, reuse)).collect();
        let all = ["Clone", "Default", "Drop", "closure", "kind", "next", "warning"];
        assert!(panicked.into_iter().eq(all), "not every way to panic was tried");
    }
}

#[test]
fn a_panic_does_not_change_which_slot_comes_next() {
    for reuse in [Reuse::Lowest, Reuse::Lifo, Reuse::Fifo] {
        for n in 0..2 {
            let (mut pool, _) = prepare(reuse);
            let expected = pool.clone().spawn(bomb(1));
            counted::light_fuse(n);
            let outcome = catch_unwind(AssertUnwindSafe(|| pool.spawn(bomb(1))));
            match (outcome, counted::put_out()) {
                (Ok(handle), None) => assert_eq!(handle, expected, "{reuse:?}"),
                (_, Some("kind")) => {
                    assert_eq!(pool.spawn(bomb(1)), expected, "{reuse:?}, after a panic in `kind`")
                }
                (_, other) => panic!("{other:?} panicked"),
            }
        }
    }
}

#[test]
fn clear_drops_all_other_things_when_one_drop_panics() {
    for n in 0.. {
        counted::start_anew();
        let (mut pool, known) = prepare(Reuse::Lowest);
        counted::light_fuse(n);
        let outcome = catch_unwind(AssertUnwindSafe(|| pool.clear()));
        if counted::put_out().is_none() {
            assert!(outcome.is_ok() && n > 70);
            break;
        }
        let stats = pool.stats();
        assert_eq!(
            (stats.live, stats.staged, stats.reserved, stats.buried),
            (0, 0, 0, 0),
            "drop {n} panicked"
        );
        assert_eq!(counted::alive(), 1, "only the nil thing is left after drop {n} panicked");
        assert_sound(&mut pool, &known, "after the clear");
    }
}

#[test]
fn dropping_a_pool_drops_all_other_things_when_one_drop_panics() {
    for n in 0.. {
        counted::start_anew();
        let (pool, _) = prepare(Reuse::Lowest);
        counted::light_fuse(n);
        let outcome = catch_unwind(AssertUnwindSafe(|| drop(pool)));
        let blown = counted::put_out();
        assert_eq!(outcome.is_err(), blown.is_some());
        counted::assert_all_dropped_once("after the pool is gone");
        if blown.is_none() {
            assert!(n > 71, "the nil thing and more than seventy others");
            break;
        }
    }
}

/// A way to put a thing into a pool.
type Spawn<T> = (&'static str, fn(&mut Pool<T>) -> Handle<T>);

/// A kind that is another one whenever it is asked for.
#[derive(Default)]
struct Fickle {
    _token: Token,
    asked: std::cell::Cell<u32>,
}

impl Thing for Fickle {
    type Bits = u16;
    const INDEX_BITS: u32 = 10;
    const KIND_BITS: u32 = 2;
    type Storage = Rows<Self>;
    type Tags = NoTags;

    fn kind(&self) -> u32 {
        self.asked.set(self.asked.get() + 1);
        // Fits the first time, and never again.
        if self.asked.get() == 1 { 3 } else { u32::MAX - self.asked.get() }
    }
}

#[test]
fn a_kind_that_changes_when_asked_twice_does_no_harm() {
    let calls: [Spawn<Fickle>; 4] = [
        ("spawn", |pool| pool.spawn(Fickle::default())),
        ("stage", |pool| pool.stage(Fickle::default())),
        ("spawn_range", |pool| pool.spawn_range(1, |_| Fickle::default()).unwrap().first()),
        ("spawn_at", |pool| {
            let handle = pool.reserve_kind(3);
            pool.spawn_at(handle, Fickle::default()).unwrap_or_else(|error| panic!("{error}"));
            handle
        }),
    ];
    for (name, call) in calls {
        counted::start_anew();
        let mut pool = Pool::new();
        let handle = call(&mut pool);
        assert_eq!((handle.kind(), pool.contains(handle)), (3, true), "{name}");
        pool.commit();
        assert!(pool.handles().eq([handle]), "{name}");
        pool.clear();
        assert_eq!((pool.len(), pool.check_invariants()), (0, Ok(())), "{name}");
        drop(pool);
        counted::assert_all_dropped_once(name);
    }
}

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u64 {
        const ALL = u64::MAX;
    }
}

/// Tags that are other ones whenever they are asked for.
#[derive(Default)]
struct FickleTags {
    _token: Token,
    asked: std::cell::Cell<u32>,
}

impl Thing for FickleTags {
    type Bits = u64;
    const INDEX_BITS: u32 = 32;
    type Storage = Rows<Self>;
    type Tags = Tags;

    fn tags(&self) -> Tags {
        self.asked.set(self.asked.get() + 1);
        Tags::from_bits_retain(1 << self.asked.get())
    }
}

#[test]
fn tags_that_change_when_asked_twice_do_no_harm() {
    // A tag that stayed behind without its thing would show views what is not there.
    let calls: [Spawn<FickleTags>; 4] = [
        ("spawn", |pool| pool.spawn(FickleTags::default())),
        ("stage", |pool| pool.stage(FickleTags::default())),
        ("spawn_range", |pool| pool.spawn_range(1, |_| FickleTags::default()).unwrap().first()),
        ("spawn_at", |pool| {
            let handle = pool.reserve();
            pool.spawn_at(handle, FickleTags::default()).unwrap_or_else(|error| panic!("{error}"));
            handle
        }),
    ];
    for (name, call) in calls {
        counted::start_anew();
        let mut pool = Pool::new();
        for _ in 0..3 {
            let handle = call(&mut pool);
            pool.commit();
            assert_eq!(pool.check_invariants(), Ok(()), "{name}");
            assert_eq!(pool.count_tagged(pool.tags(handle)), 1, "{name}");
            pool.despawn(handle);
            assert_eq!(pool.check_invariants(), Ok(()), "{name}");
            for tag in (0..64).map(|bit| Tags::from_bits_retain(1 << bit)) {
                assert_eq!(pool.count_tagged(tag), 0, "{name}");
            }
        }
        drop(pool);
        counted::assert_all_dropped_once(name);
    }
}

const SLOTS: usize = 12;

type FixedCall = (&'static str, fn(&mut FixedPool<Bomb, SLOTS>, &[Handle<Bomb>]));

const FIXED_CALLS: [FixedCall; 11] = [
    ("new", |_, _| drop(FixedPool::<Bomb, SLOTS>::new())),
    ("spawn", |pool, _| assert!(!pool.spawn(bomb(1)).is_nil())),
    ("try_spawn, refused", |pool, _| drop(pool.try_spawn(Bomb { kind: 16, ..bomb(1) }))),
    ("spawn_at", |pool, _| {
        assert!(pool.spawn_at(Handle::from_bits(1 << 16 | SLOTS as u64), bomb(1)).is_ok())
    }),
    ("despawn", |pool, known| known.iter().for_each(|&handle| assert!(pool.despawn(handle)))),
    ("take", |pool, known| known.iter().for_each(|&handle| drop(pool.take(handle)))),
    ("edit", |pool, known| assert!(pool.edit(known[0], |_| user_code("closure")))),
    ("retain", |pool, _| {
        pool.retain(|handle, _| {
            user_code("closure");
            handle.index() % 2 == 0
        });
    }),
    ("clear", |pool, _| pool.clear()),
    ("clone", |pool, _| drop(pool.clone())),
    ("drop", |pool, _| drop(std::mem::take(pool))),
];

#[test]
fn a_panic_in_user_code_leaves_a_fixed_pool_sound_and_nothing_leaks() {
    for (name, call) in FIXED_CALLS {
        for n in 0.. {
            counted::start_anew();
            let mut pool = FixedPool::<Bomb, SLOTS>::new();
            let mut known: Vec<_> = (0..8).map(|_| pool.spawn(bomb(0))).collect();
            let gone = known.remove(2);
            pool.despawn(gone);
            for &handle in &known {
                pool.edit(handle, |thing| thing.value = handle.to_bits());
            }
            counted::light_fuse(n);
            let outcome = catch_unwind(AssertUnwindSafe(|| call(&mut pool, &known)));
            let blown = counted::put_out();
            let at = format!("after `{name}` with a panic in call {n} into user code, {blown:?}");
            match (outcome, blown) {
                (Ok(()), None) => break,
                (Ok(()), Some(_)) => panic!("a panic got lost, {at}"),
                (Err(failure), None) => resume_unwind(failure),
                (Err(_), Some(_)) => {}
            }
            assert_eq!(pool.len(), pool.iter().count(), "{at}");
            assert!(pool.get(gone).is_none(), "{at}");
            for &handle in &known {
                assert!(
                    pool.get(handle).is_none_or(|thing| thing.value == handle.to_bits()),
                    "{handle} lies, {at}"
                );
            }
            pool.clear();
            assert_eq!((pool.len(), counted::alive()), (0, 1), "{at}");
            assert_eq!(
                (0..SLOTS).map(|_| pool.spawn(bomb(1)).index()).collect::<BTreeSet<_>>().len(),
                SLOTS,
                "{at}"
            );
            drop(pool);
            counted::assert_all_dropped_once(&at);
        }
    }
}

/// Tags that panic when they are asked for their bits for the n-th time.
#[derive(Clone, Copy, Default)]
struct Touchy(u8);

thread_local! {
    static LEFT: std::cell::Cell<u32> = const { std::cell::Cell::new(u32::MAX) };
}

impl lath_core::bitflags::Flags for Touchy {
    const FLAGS: &'static [lath_core::bitflags::Flag<Self>] = &[];
    type Bits = u8;

    fn bits(&self) -> u8 {
        LEFT.set(LEFT.get().wrapping_sub(1));
        assert_ne!(LEFT.get(), 0, "asked once too often");
        self.0
    }

    fn from_bits_retain(bits: u8) -> Self {
        Self(bits)
    }
}

#[derive(Thing, Default)]
struct Leaf {
    #[thing(tags)]
    tags: Touchy,
}

#[test]
fn tags_that_panic_while_a_run_is_filled_leave_nothing_of_it() {
    for nth in 1.. {
        let mut pool = Pool::new();
        let mate = pool.spawn(Leaf { tags: Touchy(3) });
        LEFT.set(nth);
        let filled = catch_unwind(AssertUnwindSafe(|| {
            pool.spawn_range(100, |n| Leaf { tags: Touchy(1 + n as u8 % 2) })
        }));
        LEFT.set(u32::MAX);
        assert_eq!(pool.check_invariants(), Ok(()), "{nth}");
        let tagged = [1, 2, 3].map(|tags| pool.count_tagged(Touchy(tags)));
        match filled {
            Ok(run) => {
                assert_eq!((run.unwrap().len(), pool.len(), tagged), (100, 101, [51, 51, 1]));
                break; // nobody was left to panic
            }
            Err(_) => assert_eq!((pool.len(), tagged), (1, [1, 1, 1]), "{nth}"),
        }
        assert!(pool.contains(mate));
        // What was given up can be had by others.
        assert_eq!(
            pool.spawn_range(100, |_| Leaf { tags: Touchy(4) }).unwrap().len(),
            100,
            "{nth}"
        );
        assert_eq!(pool.check_invariants(), Ok(()), "{nth}");
    }
}

#[test]
fn tags_that_panic_while_a_subtree_goes_leave_whole_links_behind() {
    for nth in 1.. {
        let mut pool = Pool::new();
        let root = pool.spawn(Leaf { tags: Touchy(1) });
        let mut all = vec![root];
        for n in 0..40 {
            all.push(pool.spawn_child(all[n / 3], Leaf { tags: Touchy(1) }).unwrap());
        }
        LEFT.set(nth);
        let panicked = catch_unwind(AssertUnwindSafe(|| pool.despawn(all[1]))).is_err();
        LEFT.set(u32::MAX);
        assert_eq!((pool.check_invariants(), pool.tree().check()), (Ok(()), Ok(())), "{nth}");
        // Either it has gone, or nothing has changed for it.
        let linked = pool.tree().descendants(root).any(|who| who == all[1]);
        assert_eq!(linked, pool.contains(all[1]), "{nth}");
        if !panicked {
            break; // nobody was left to panic
        }
    }
}

#[test]
fn tags_that_panic_while_a_thing_comes_or_goes_leave_a_whole_pool_behind() {
    // Where a group has no thing yet, and where one is left to make it full.
    for before in [0, 1, 62, 63, 126, 127] {
        for nth in 1.. {
            let mut pool = Pool::new();
            let some: Vec<_> = (0..before).map(|_| pool.spawn(Leaf { tags: Touchy(1) })).collect();
            LEFT.set(nth);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let more = pool.spawn(Leaf { tags: Touchy(1) });
                assert!(pool.insert_tags(more, Touchy(2)) && pool.remove_tags(more, Touchy(1)));
                assert!(pool.set_tags(more, Touchy(5)));
                some.iter()
                    .chain([&more])
                    .rev()
                    .take(2)
                    .for_each(|&leaf| assert!(pool.despawn(leaf)));
            }));
            LEFT.set(u32::MAX);
            assert_eq!(pool.check_invariants(), Ok(()), "call {nth} after {before} things");
            assert_eq!(pool.len(), pool.iter().count(), "call {nth} after {before} things");
            if outcome.is_ok() {
                assert!(nth > 3, "tags are asked for their bits");
                break;
            }
        }
    }
}

/// What it answers about its tags is user code, also while it is written into its slot.
#[derive(Default)]
struct Shy {
    _token: Token,
}

impl Thing for Shy {
    type Bits = u64;
    const INDEX_BITS: u32 = 32;
    type Storage = Rows<Self>;
    type Tags = Tags;

    fn tags(&self) -> Tags {
        user_code("tags");
        Tags::from_bits_retain(1)
    }
}

type ShyCall = (&'static str, fn(&mut Pool<Shy>));

#[test]
fn a_thing_that_panics_while_it_is_written_into_its_slot_is_nowhere() {
    let calls: [ShyCall; 4] = [
        ("spawn", |pool| _ = pool.spawn(Shy { _token: Token::new() })),
        ("stage", |pool| _ = pool.stage(Shy { _token: Token::new() })),
        ("spawn_range", |pool| _ = pool.spawn_range(3, |_| Shy { _token: Token::new() })),
        ("spawn_at", |pool| {
            let handle = Handle::from_bits(1 << 32 | 50);
            _ = pool.spawn_at(handle, Shy { _token: Token::new() });
        }),
    ];
    for (name, call) in calls {
        for n in 0.. {
            counted::start_anew();
            let mut pool = Pool::new();
            for _ in 0..5 {
                pool.spawn(Shy { _token: Token::new() }); // the next one is like the last
            }
            let alive = counted::alive();
            counted::light_fuse(n);
            let outcome = catch_unwind(AssertUnwindSafe(|| call(&mut pool)));
            counted::put_out();
            let at = format!("after `{name}`, with a panic in call {n}");
            if outcome.is_err() {
                assert_eq!(counted::alive(), alive, "{at}");
                assert_eq!(pool.iter_with_staged().count(), 5, "{at}");
                assert_eq!((pool.stats().staged, pool.stats().reserved), (0, 0), "{at}");
            }
            assert_eq!(pool.check_invariants(), Ok(()), "{at}");
            for index in 6..100 {
                let handle = Handle::from_bits(1 << 32 | index);
                assert!(outcome.is_ok() || pool.get(handle).is_none(), "{handle}, {at}");
            }
            pool.clear();
            assert_eq!(pool.check_invariants(), Ok(()), "{at}");
            drop(pool);
            counted::assert_all_dropped_once(&at);
            if outcome.is_ok() {
                assert!(n > 1, "tags are asked for before and while a thing is written");
                break; // nobody was left to panic
            }
        }
    }
}

#[derive(Thing, Default)]
struct Grumpy {
    panics: bool,
}

impl Drop for Grumpy {
    fn drop(&mut self) {
        assert!(!self.panics, "a bad day");
    }
}

#[test]
fn clearing_a_fixed_pool_goes_on_after_a_drop_that_panics() {
    let mut pool = FixedPool::<Grumpy, 16>::new();
    for n in 0..10 {
        pool.spawn(Grumpy { panics: n == 2 });
    }
    assert!(catch_unwind(AssertUnwindSafe(|| pool.clear())).is_err());
    assert_eq!(pool.len(), 0);
}

/// Beside a thing.
#[derive(Clone)]
struct Luggage {
    _counted: Arc<()>,
    panics: bool,
}

impl Drop for Luggage {
    fn drop(&mut self) {
        assert!(!self.panics || std::thread::panicking(), "a bad day");
    }
}

#[test]
fn a_value_beside_a_thing_that_panics_keeps_neither_the_thing_nor_what_goes_with_it() {
    type Way = (&'static str, fn(&mut Pool<Plain>, Handle<Plain>));
    let ways: [Way; 6] = [
        ("despawn", |pool, top| _ = pool.despawn(top)),
        ("take", |pool, top| _ = pool.take(top)),
        ("despawn_after", |pool, top| _ = pool.despawn_after(top, 1)),
        ("retain", |pool, _| pool.retain(|_, _| false)),
        ("take_tree", |pool, top| _ = pool.take_tree(top)),
        ("clear", |pool, _| pool.clear()),
    ];
    for (name, way) in ways {
        let counted = Arc::new(());
        for nth in 0..9 {
            let mut pool = Pool::new();
            let top = pool.spawn(Plain {});
            let mut all = vec![top];
            for n in 0..8 {
                all.push(pool.spawn_child(all[n / 2], Plain {}).unwrap());
            }
            for (n, &thing) in all.iter().enumerate() {
                let luggage = Luggage { _counted: counted.clone(), panics: n == nth };
                assert!(pool.side_mut().insert(thing, luggage).is_ok());
            }
            assert!(catch_unwind(AssertUnwindSafe(|| way(&mut pool, top))).is_err(), "{name}");
            assert_eq!(pool.check_invariants(), Ok(()), "{name}, number {nth}");
            // One by one, who has not been reached stays.
            if matches!(name, "retain" | "take_tree") {
                drop(catch_unwind(AssertUnwindSafe(|| way(&mut pool, top))));
            }
            assert_eq!(pool.len(), pool.side::<Luggage>().len(), "{name}, number {nth}");
            if !matches!(name, "take_tree") {
                assert!(pool.is_empty(), "{name}, number {nth}");
            }
            drop(pool);
            assert_eq!(Arc::strong_count(&counted), 1, "{name}, number {nth}");
        }
    }
}

#[derive(Thing, Default)]
struct Plain {}
