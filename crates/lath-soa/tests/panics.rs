//! A panic in user code leaves a pool of columns consistent, leaks nothing, drops nothing twice,
//! and leaves no piece of a thing behind that a later one in the same slot could be taken to have.
//!
//! As in the core: every call is made again and again, and each time the next of its calls into
//! user code panics. Here a thing is taken apart and put together, with cold fields that are
//! compared, made and dropped on the way.

#[allow(dead_code, reason = "the core's tests use more of it")]
#[path = "../../lath-core/tests/common/counted.rs"]
mod counted;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use counted::{Token, user_code};
use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Pool, Reuse, Thing};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u8 {
        const LEFT = 1;
        const RIGHT = 2;
    }
}

/// The value of a cold field: every trait of it is user code.
#[derive(Clone, Default)]
struct Note {
    text: u32,
    _token: Token,
}

impl PartialEq for Note {
    fn eq(&self, other: &Self) -> bool {
        user_code("PartialEq");
        self.text == other.text
    }
}

fn note(text: u32) -> Note {
    Note { text, _token: Token::new() }
}

#[derive(Thing, Clone, Default)]
#[thing(columns, handle(bits = 32, index = 16))]
struct Bomb {
    #[thing(tags)]
    tags: Tags,
    #[thing(cold)]
    name: Note,
    value: u64,
    body: Token,
    #[thing(hot)]
    heart: Token,
    #[thing(cold)]
    scar: Note,
}

type H = Handle<Bomb>;

/// With as many notes as `texts` are not 0.
fn bomb(value: u64, texts: [u32; 2]) -> Bomb {
    let [name, scar] = texts.map(note);
    let tags = [Tags::empty(), Tags::LEFT, Tags::RIGHT][value as usize % 3];
    Bomb { tags, name, value, body: Token::new(), heart: Token::new(), scar }
}

fn bombs(values: std::ops::Range<u64>) -> impl Iterator<Item = Bomb> {
    values.map(|value| {
        user_code("next");
        bomb(value, [value as u32 % 2, value as u32 % 3])
    })
}

struct Known {
    live: Vec<H>,
    staged: Vec<H>,
    reserved: Vec<H>,
    gone: Vec<H>,
}

/// A pool that has some of everything. Notes say the index of their thing, or nothing.
fn prepare(reuse: Reuse) -> (Pool<Bomb>, Known) {
    let mut pool = Pool::new();
    pool.set_reuse(reuse);
    let texts = |n: u32| [if n % 2 == 0 { n } else { 0 }, if n % 3 == 0 { n } else { 0 }];
    let mut live: Vec<H> = pool.spawn_many((1..=20).map(|n| bomb(0, texts(n)))).collect();
    let mut gone: Vec<H> = live.drain(3..9).collect();
    for (i, &handle) in gone.iter().enumerate() {
        assert!(if i % 2 == 0 {
            pool.despawn(handle)
        } else {
            pool.despawn_after(handle, i as u64)
        });
    }
    gone.push(H::NIL);
    let staged = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|texts| pool.stage(bomb(0, texts))).to_vec();
    let reserved = (0..3).map(|_| pool.reserve()).collect();
    for &handle in live.iter().chain(&staged) {
        pool.edit(handle, |thing| {
            *thing.value = handle.to_bits();
            for note in [thing.name, thing.scar].into_iter().flatten() {
                note.text = handle.index();
            }
        });
    }
    (pool, Known { live, staged, reserved, gone })
}

fn assert_sound(pool: &mut Pool<Bomb>, known: &Known, at: &str) {
    assert_eq!(pool.check_invariants(), Ok(()), "{at}");
    for &handle in known.live.iter().chain(&known.staged) {
        let Some(thing) = pool.get(handle) else { continue };
        assert_eq!(*thing.value, handle.to_bits(), "{handle} lies, {at}");
        for text in [thing.name.text, thing.scar.text] {
            assert!(text == 0 || text == handle.index(), "{handle} has the note of {text}, {at}");
        }
    }
    for &handle in &known.gone {
        assert!(pool.get(handle).is_none(), "{handle} rose from the dead, {at}");
        assert_eq!((pool.read(handle).name.text, pool.read(handle).scar.text), (0, 0), "{at}");
    }
    // Whatever is free now holds nothing that a thing without notes could be taken to have.
    let free = 40;
    let bare: Vec<H> = (0..free).map(|_| pool.spawn(bomb(0, [0, 0]))).collect();
    let staged: Vec<H> = (0..free).map(|_| pool.stage(bomb(0, [0, 0]))).collect();
    for &handle in bare.iter().chain(&staged) {
        let thing = pool.get(handle).unwrap();
        assert_eq!(
            (thing.name.text, thing.scar.text),
            (0, 0),
            "{handle} has a note of somebody else, {at}"
        );
    }
    assert_eq!(
        bare.iter().chain(&staged).collect::<BTreeSet<_>>().len(),
        80,
        "a slot was handed out twice, {at}"
    );
    pool.commit();
    assert_eq!(pool.clone().check_invariants(), Ok(()), "{at}");
    pool.reap(u64::MAX);
    pool.clear();
    assert_eq!(
        (pool.len(), pool.stats().reserved, pool.check_invariants()),
        (0, 0, Ok(())),
        "{at}"
    );
}

type Call = (&'static str, fn(&mut Pool<Bomb>, &Known));

const TEXTS: [[u32; 2]; 4] = [[0, 0], [7, 0], [0, 7], [7, 7]];

const CALLS: [Call; 21] = [
    ("new", |_, _| drop(Pool::<Bomb>::new())),
    ("fixed", |_, _| drop(Pool::<Bomb>::fixed(100))),
    ("spawn", |pool, _| {
        TEXTS.iter().for_each(|&texts| assert!(!pool.spawn(bomb(1, texts)).is_nil()))
    }),
    ("try_spawn", |pool, _| TEXTS.iter().for_each(|&texts| drop(pool.try_spawn(bomb(1, texts))))),
    ("spawn_many", |pool, _| drop(pool.spawn_many(bombs(1..8)))),
    ("spawn_range", |pool, _| {
        let range = pool.spawn_range(6, |i| {
            user_code("closure");
            bomb(u64::from(i), [i % 2, i % 3])
        });
        assert_eq!(range.unwrap().len(), 6);
    }),
    ("spawn_at", |pool, known| {
        for (&handle, texts) in known.reserved.iter().zip(TEXTS) {
            assert!(pool.spawn_at(handle, bomb(1, texts)).is_ok());
        }
    }),
    ("stage", |pool, _| {
        TEXTS.iter().for_each(|&texts| assert!(!pool.stage(bomb(1, texts)).is_nil()))
    }),
    ("commit", |pool, _| assert_eq!(pool.commit(), 4)),
    ("despawn", |pool, known| {
        for &handle in known.live[..9].iter().chain(&known.staged).chain(&known.reserved) {
            assert!(pool.despawn(handle));
        }
    }),
    ("take", |pool, known| known.live[..9].iter().for_each(|&handle| drop(pool.take(handle)))),
    ("reap", |pool, _| assert_eq!(pool.reap(u64::MAX), 3)),
    ("set", |pool, known| {
        for &handle in &known.live[..5] {
            let index = handle.index();
            for text in [index, 0, index, index, 0] {
                assert!(pool.set::<bomb::name>(handle, note(text)).is_ok());
            }
        }
        assert!(pool.set::<bomb::scar>(known.gone[0], note(1)).is_err());
        assert!(pool.set::<bomb::body>(known.live[0], Token::new()).is_ok());
    }),
    ("a view of a cold field", |pool, _| {
        pool.view_mut::<Option<Mut<bomb::name>>>().each(|name| {
            if let Some(mut name) = name {
                *name = name.clone();
            }
        });
    }),
    ("split", |pool, known| {
        let (_, rest) = pool.split(known.live[0]).unwrap();
        TEXTS.iter().for_each(|&texts| assert!(!rest.stage(bomb(1, texts)).is_nil()));
    }),
    ("retain", |pool, _| {
        pool.retain(|handle, _| {
            user_code("closure");
            handle.index() % 5 != 0
        });
    }),
    ("extract_if", |pool, _| {
        let mut drained = pool.extract_if(|handle, _| handle.index() % 5 == 0);
        drop(drained.next());
        drop(drained.by_ref().take(3).collect::<Vec<_>>());
    }),
    ("clear", |pool, _| pool.clear()),
    ("clone", |pool, _| drop(pool.clone())),
    ("set_tags", |pool, known| {
        known.live[..5].iter().for_each(|&who| assert!(pool.set_tags(who, Tags::all())))
    }),
    ("drop", |pool, _| drop(std::mem::take(pool))),
];

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
fn a_panic_in_user_code_leaves_no_piece_of_a_thing_behind() {
    let mut panicked = BTreeSet::new();
    for reuse in [Reuse::Lowest, Reuse::Fifo] {
        panicked.extend(CALLS.into_iter().flat_map(|call| survive(call, reuse)));
    }
    let all = ["Clone", "Default", "Drop", "PartialEq", "closure", "next"];
    assert!(panicked.iter().copied().eq(all), "not every way to panic was tried: {panicked:?}");
}

/// A slot that was claimed for a thing that never came would be lost to the pool until it is
/// cleared.
#[test]
fn a_panic_while_a_thing_is_compared_does_not_cost_a_slot() {
    let mut pool = Pool::<Bomb>::fixed(4).unwrap();
    for n in 0..200 {
        counted::light_fuse(n % 7);
        let _ = catch_unwind(AssertUnwindSafe(|| pool.stage(bomb(1, [1, 0]))));
        counted::put_out();
        pool.commit();
        pool.retain(|_, _| false);
        assert_eq!((pool.stats().reserved, pool.stats().staged), (0, 0), "round {n}");
    }
    assert_eq!(pool.check_invariants(), Ok(()));
    (0..4).for_each(|n| assert!(pool.try_spawn(bomb(n, [0, 1])).is_ok()));
}
