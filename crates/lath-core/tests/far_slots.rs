#![expect(unsafe_code, reason = "a global allocator is unsafe to implement")]
//! Slots that are asked for in any order, near and far: each is fresh when its memory is new,
//! whatever was in that memory, and keeps what it holds when memory is made around it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fastrand::Rng;
use lath_core::{Handle, HandleError, Pool, Thing};

/// Gives memory that is full of ones, as if somebody had used it before.
struct Dirty;

#[global_allocator]
static ALLOCATOR: Dirty = Dirty;

// SAFETY: passes everything on to the system's allocator, and writes only to what that has just
// given.
unsafe impl GlobalAlloc for Dirty {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises; so many bytes were given, unless it is null.
        unsafe {
            let memory = System.alloc(layout);
            if !memory.is_null() {
                memory.write_bytes(0xff, layout.size());
            }
            memory
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[derive(Thing, Clone, Default)]
struct Crew {
    number: u64,
}

/// The generations of all slots that were ever used, and what the live ones hold.
#[derive(Clone, Default)]
struct Model {
    slots: BTreeMap<u32, (u32, Option<u64>)>,
}

impl Model {
    fn generation(&self, index: u32) -> u32 {
        self.slots.get(&index).map_or(0, |slot| slot.0)
    }

    fn is_live(&self, index: u32) -> bool {
        self.generation(index) % 2 == 1
    }

    fn next_free(&self, from: u32) -> u32 {
        (from..).find(|&index| !self.is_live(index)).unwrap()
    }

    fn live(&self) -> impl Iterator<Item = (Handle<Crew>, u64)> {
        self.slots.iter().filter_map(|(&index, &(generation, number))| {
            Some((handle(index, generation), number?))
        })
    }
}

/// A panic that nobody is told of.
fn interrupt<T>() -> T {
    resume_unwind(Box::new(()))
}

fn handle(index: u32, generation: u32) -> Handle<Crew> {
    Handle::from_bits(u64::from(generation) << 32 | u64::from(index))
}

/// A slot at the edge of a block, of a group, or anywhere: blocks are of 1024 slots first, of 2048
/// from 4096 on, and so on.
fn place(random: &mut Rng) -> u32 {
    let edges = [1, 64, 1024, 2048, 3072, 4096, 6144, 8192, 12_288, 16_384, 24_576];
    let edge = edges[random.usize(..edges.len())];
    (edge + random.u32(..70)).saturating_sub(random.u32(..70)).max(1)
}

fn play(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let (mut pool, mut model) = (Pool::new(), Model::default());
    if seed % 4 == 3 {
        pool = Pool::with_capacity(place(&mut random) as usize).unwrap();
    }
    for step in 0..150 {
        let index = place(&mut random);
        match random.u8(..9) {
            0..=2 => {
                let generation = (model.generation(index) + random.u32(1..4)) | 1;
                let spawned =
                    pool.spawn_at(handle(index, generation), Crew { number: step }).is_ok();
                assert_eq!(
                    spawned,
                    !model.is_live(index),
                    "slot {index}, step {step} of seed {seed}"
                );
                if spawned {
                    model.slots.insert(index, (generation, Some(step)));
                }
            }
            3 => {
                let mut index = 0;
                for _ in 0..random.u32(..300) {
                    index = model.next_free(index + 1);
                    let stage = random.u8(..4) == 0;
                    let expected = handle(index, model.generation(index) + 1);
                    let found = if stage {
                        pool.stage(Crew { number: step })
                    } else {
                        pool.spawn(Crew { number: step })
                    };
                    assert_eq!(found, expected, "step {step} of seed {seed}");
                    model.slots.insert(index, (expected.generation(), Some(step)));
                }
                pool.commit();
            }
            4 => {
                // Sometimes one that goes over the ends of several blocks.
                let most = if random.u8(..4) == 0 { 9000 } else { 600 };
                let len = random.u32(1..most);
                let ended = len.saturating_sub(random.u32(..1200));
                let interrupted = catch_unwind(AssertUnwindSafe(|| {
                    pool.spawn_range(ended, |n| {
                        if n == ended / 2 { interrupt() } else { Crew { number: step } }
                    })
                }));
                assert!(ended == 0 || interrupted.is_err());
                if random.u8(..3) > 0 {
                    // All of a run have one generation: the first after that of the oldest.
                    let range = pool.spawn_range(len, |_| Crew { number: step }).unwrap();
                    let first = range.first().index();
                    assert!(
                        (first..first + len).all(|index| !model.is_live(index)),
                        "step {step} of seed {seed}"
                    );
                    for one in range.iter() {
                        assert!(
                            one.generation() > model.generation(one.index()),
                            "{one}, step {step} of seed {seed}"
                        );
                        model.slots.insert(one.index(), (one.generation(), Some(step)));
                    }
                }
            }
            5 | 6 => {
                let gone: Vec<_> =
                    model.live().map(|(who, _)| who).filter(|_| random.u8(..5) == 0).collect();
                for who in gone {
                    assert!(pool.despawn(who));
                    model.slots.insert(who.index(), (who.generation() + 1, None));
                }
            }
            7 => {
                let (count, panics) = (random.u32(..600), random.bool());
                let things = (0..=count).map(|n| match n == count {
                    true if panics => interrupt(),
                    last => (!last).then_some(Crew { number: step }),
                });
                let done = catch_unwind(AssertUnwindSafe(|| {
                    pool.spawn_many(things.map_while(|thing| thing)).for_each(drop)
                }));
                assert_eq!(done.is_err(), panics);
                let mut index = 0;
                for _ in 0..count {
                    index = model.next_free(index + 1);
                    model.slots.insert(index, (model.generation(index) + 1, Some(step)));
                }
            }
            _ => pool = pool.clone(),
        }
        assert!(
            pool.iter().map(|(who, crew)| (who, crew.number)).eq(model.live()),
            "step {step} of seed {seed}"
        );
        if step % 8 == 7 {
            assert_eq!(pool.check_invariants(), Ok(()), "step {step} of seed {seed}");
            let mut from = 0;
            let walked =
                std::iter::from_fn(|| pool.next_from(from).inspect(|who| from = who.index() + 1));
            assert!(
                walked.eq(model.live().map(|(who, _)| who)),
                "bit by bit, step {step} of seed {seed}"
            );
        }
        for _ in 0..40 {
            let index = place(&mut random);
            let generation = model.generation(index);
            assert_eq!(
                pool.contains(handle(index, generation | 1)),
                model.is_live(index),
                "slot {index}"
            );
            match pool.check(handle(index, u32::MAX)) {
                Err(HandleError::Stale { current, .. }) => {
                    assert_eq!(current, generation, "slot {index}")
                }
                Err(HandleError::OutOfRange { slots, .. }) => {
                    assert!(
                        slots < index && generation == 0,
                        "slot {index} has memory, step {step} of seed {seed}"
                    )
                }
                other => panic!("slot {index} says {other:?}"),
            }
        }
        assert!(pool.get(handle(0, u32::MAX)).is_none() && pool.read(Handle::NIL).number == 0);
    }
}

#[test]
fn a_slot_is_fresh_whatever_its_memory_was_and_whenever_it_comes() {
    (0..8).for_each(play);
}

#[test]
fn memory_that_an_interrupted_range_has_left_is_made_ready_when_its_slots_come() {
    let edges = [200, 1023, 1024, 2047, 2048, 4095, 4096, 6143, 6144, 9000];
    for first in [0, 1024, 2050, 5000, 9000] {
        for interrupted_at in [0, 100, 2000, 5000] {
            let mut pool = Pool::new();
            let made = catch_unwind(AssertUnwindSafe(|| {
                pool.spawn_range(9000, |n| {
                    if n == interrupted_at { interrupt() } else { Crew { number: n.into() } }
                })
            }));
            assert!(made.is_err());
            let is_fresh = |pool: &Pool<Crew>| {
                edges.iter().all(|&index| {
                    !pool.contains(handle(index, 1)) && !pool.contains(handle(index, u32::MAX))
                })
            };
            assert!(is_fresh(&pool) && pool.iter().next().is_none(), "{first}, {interrupted_at}");
            assert_eq!(pool.check_invariants(), Ok(()), "{first}, {interrupted_at}");
            // Once more: the memory is there, and nobody has used it.
            let again = catch_unwind(AssertUnwindSafe(|| pool.spawn_range(9500, |_| interrupt())));
            assert!(again.is_err() && is_fresh(&pool));
            if first > 0 {
                pool.spawn_at(handle(first, 1), Crew { number: 7 }).unwrap();
            }
            for index in (1..12_000).filter(|&index| index != first) {
                let expected = handle(index, 1);
                let spawned = if index % 7 == 0 {
                    pool.stage(Crew::default())
                } else {
                    pool.spawn(Crew::default())
                };
                assert_eq!(spawned, expected, "{first}, {interrupted_at}");
                if index % 7 == 0 {
                    pool.commit();
                }
            }
            assert_eq!(
                (pool.len(), pool.check_invariants()),
                (11_999, Ok(())),
                "{first}, {interrupted_at}"
            );
        }
    }
}

#[test]
fn the_last_slot_of_a_block_that_came_early_keeps_its_thing_when_the_others_come() {
    for last in [1023, 2047, 4095, 6143, 8191, 12_287] {
        let mut pool = Pool::new();
        let early = handle(last, 5);
        pool.spawn_at(early, Crew { number: 7 }).unwrap();
        for index in 1..last {
            assert_eq!(pool.spawn(Crew::default()), handle(index, 1));
        }
        assert_eq!(pool.get(early).map(|crew| crew.number), Some(7));
        assert_eq!(pool.spawn(Crew::default()), handle(last + 1, 1));
        assert_eq!((pool.iter().count(), pool.check_invariants()), (last as usize + 1, Ok(())));
    }
}
