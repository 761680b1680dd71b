//! Staging and reserving from several threads at once, while others look: every handle is distinct,
//! every value is found, and nothing that was there moves.
//!
//! The loops are short, so that they also run under ThreadSanitizer.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use lath_core::bitflags::bitflags;
use lath_core::{Handle, HandleError, Pool, Rows, SpawnFault, Thing};

#[derive(Thing, Default)]
struct Crew {
    number: u64,
    /// The number again: a half-written thing would show.
    name: String,
}

fn crew(number: u64) -> Crew {
    Crew { number, name: number.to_string() }
}

fn assert_whole(crew: &Crew) {
    assert!(
        crew.number == 0 || crew.name == crew.number.to_string(),
        "a torn value: {} {}",
        crew.number,
        crew.name
    );
}

/// Runs `f(0)` to `f(threads - 1)` at once and collects what they answer.
fn at_once<R: Send>(threads: u64, f: impl Fn(u64) -> R + Sync) -> Vec<R> {
    let start = Barrier::new(threads as usize);
    thread::scope(|scope| {
        let run = |thread| {
            let (start, f) = (&start, &f);
            scope.spawn(move || {
                start.wait();
                f(thread)
            })
        };
        let running: Vec<_> = (0..threads).map(run).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Sets a flag at the end of its scope, also when an assertion in it fails: otherwise those who
/// wait for it wait forever.
struct SetWhenDropped<'a>(&'a AtomicBool);

impl Drop for SetWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn assert_distinct(handles: &[Handle<Crew>]) {
    let slots: BTreeSet<_> = handles.iter().map(|handle| handle.index()).collect();
    assert_eq!(slots.len(), handles.len(), "a slot was handed out twice");
}

/// How many things each of four threads stages.
const EACH: u64 = 1500;

/// Stages things from four threads, and says who has which number.
fn stage_at_once(pool: &Pool<Crew>) -> Vec<(Handle<Crew>, u64)> {
    let staged = at_once(4, |thread| {
        let numbers = thread * EACH + 1..=(thread + 1) * EACH;
        numbers.map(|number| (pool.stage(crew(number)), number)).collect::<Vec<_>>()
    });
    let staged: Vec<_> = staged.into_iter().flatten().collect();
    assert_distinct(&staged.iter().map(|&(handle, _)| handle).collect::<Vec<_>>());
    staged
}

/// Many slots at once bring memory for some more, which nobody has used when the threads come to
/// it.
#[test]
fn memory_that_was_made_for_many_at_once_is_staged_into_by_several_threads() {
    for _ in 0..4 {
        let mut pool = Pool::new();
        let before = pool.spawn_range(1500, |number| crew(number.into())).unwrap();
        let staged = stage_at_once(&pool);
        assert_eq!(pool.commit(), 4 * EACH as u32);
        assert_eq!(pool.check_invariants(), Ok(()));
        let numbered = staged.into_iter().chain(before.iter().zip(0..));
        numbered.for_each(|(handle, number)| assert_eq!(pool[handle].number, number));
    }
}

#[test]
fn an_empty_pool_grows_while_several_threads_stage() {
    for _ in 0..4 {
        let mut pool = Pool::new();
        let staged = stage_at_once(&pool);
        assert!(
            staged.iter().all(|(handle, _)| (1..=4 * EACH).contains(&handle.index().into())),
            "slots were left out"
        );
        let before: Vec<_> =
            staged.iter().map(|&(handle, _)| std::ptr::from_ref(pool.read(handle))).collect();
        assert_eq!((pool.len(), pool.stats().staged), (0, 4 * EACH as u32));
        assert_eq!(pool.check_invariants(), Ok(()));
        for (&(handle, _), address) in staged.iter().zip(before) {
            assert!(std::ptr::eq(&pool[handle], address), "{handle} moved");
        }
        assert_eq!(pool.commit(), 4 * EACH as u32);
        for &(handle, number) in &staged {
            assert_eq!(pool[handle].number, number);
            assert_whole(&pool[handle]);
        }
        assert_eq!((pool.iter().count(), pool.check_invariants()), (4 * EACH as usize, Ok(())));
    }
}

#[test]
fn some_stage_and_some_reserve_while_others_look() {
    const EACH: u64 = 400;
    let mut pool = Pool::new();
    let known: Vec<_> = pool.spawn_many((1..200).map(crew)).collect();
    for &handle in known.iter().step_by(3) {
        pool.despawn(handle);
    }
    let addresses = |pool: &Pool<Crew>| -> Vec<_> {
        known
            .iter()
            .map(|&handle| pool.get(handle).map(|crew| std::ptr::from_ref(crew).addr()))
            .collect()
    };
    let (before, live) = (addresses(&pool), pool.len());
    let done = AtomicBool::new(false);
    let made = thread::scope(|scope| {
        let _until_then = SetWhenDropped(&done);
        for _ in 0..2 {
            scope.spawn(|| {
                let held = pool.read(known[1]);
                while !done.load(Ordering::Relaxed) {
                    assert_eq!(pool.iter().count(), live, "iteration found a staged thing");
                    pool.iter_with_staged().for_each(|(_, crew)| assert_whole(crew));
                    assert!(pool.iter_with_staged().count() >= live);
                    assert_eq!(addresses(&pool), before, "a thing moved");
                    assert_eq!((held.number, pool.len()), (2, live));
                    assert!(pool.check(known[0]).is_err() && pool.read(known[0]).number == 0);
                    let stats = pool.stats();
                    assert!(stats.live as usize == live && stats.high_water as usize >= live);
                }
            });
        }
        let made = at_once(4, |thread| {
            let make = |i| match (thread + i) % 2 {
                0 => (pool.stage(crew(thread * EACH + i + 1000)), thread * EACH + i + 1000),
                _ => (pool.reserve(), 0),
            };
            (0..EACH)
                .map(make)
                .inspect(|&(handle, number)| assert_eq!(pool.read(handle).number, number))
                .collect::<Vec<_>>()
        });
        made.into_iter().flatten().collect::<Vec<_>>()
    });
    assert_distinct(&made.iter().map(|&(handle, _)| handle).collect::<Vec<_>>());
    assert_eq!(pool.check_invariants(), Ok(()));
    assert_eq!(pool.commit(), 2 * EACH as u32);
    for (handle, number) in made {
        if number == 0 {
            assert!(matches!(pool.check(handle), Err(HandleError::Pending { .. })));
            pool.spawn_at(handle, crew(7)).unwrap_or_else(|error| panic!("{error}"));
        }
        assert_eq!(
            pool.get(handle).map(|crew| crew.number),
            Some(if number == 0 { 7 } else { number })
        );
    }
    assert_eq!((pool.len(), pool.check_invariants()), (live + 4 * EACH as usize, Ok(())));
}

#[test]
fn a_handle_that_another_thread_hears_of_shows_the_whole_value_or_nothing() {
    for round in 0..20 {
        let pool = Pool::new();
        let told = AtomicU64::new(0);
        at_once(3, |thread| {
            for number in 1..=100 {
                if thread == 0 {
                    // Relaxed: only the pool makes sure that the value is seen with its handle.
                    told.store(pool.stage(crew(number)).to_bits(), Ordering::Relaxed);
                } else {
                    let handle = Handle::from_bits(told.load(Ordering::Relaxed));
                    if let Some(crew) = pool.get(handle) {
                        assert_whole(crew);
                        assert_eq!(crew.number, u64::from(handle.index()), "round {round}");
                    }
                    pool.iter_with_staged().for_each(|(_, crew)| assert_whole(crew));
                }
            }
        });
        assert_eq!(pool.check_invariants(), Ok(()));
    }
}

#[test]
fn the_last_slots_of_a_fixed_pool_go_to_exactly_as_many_threads() {
    for _ in 0..10 {
        let pool = Pool::fixed(150).unwrap();
        let answers = at_once(4, |thread| {
            (0..60).map(|i| pool.try_stage(crew(thread * 100 + i))).collect::<Vec<_>>()
        });
        let (good, bad): (Vec<_>, Vec<_>) = answers.into_iter().flatten().partition(Result::is_ok);
        assert_eq!((good.len(), bad.len()), (150, 90));
        assert_distinct(&good.into_iter().filter_map(Result::ok).collect::<Vec<_>>());
        let full = SpawnFault::Full { capacity: 150, retired: 0 };
        assert!(bad.into_iter().filter_map(Result::err).all(|error| error.fault == full));
        assert_eq!(pool.check_invariants(), Ok(()));
    }
}

#[test]
fn worn_slots_are_staged_under_new_generations() {
    let mut pool = Pool::new();
    let old: Vec<_> = pool.spawn_many((1..=500).map(crew)).collect();
    pool.clear();
    let staged: Vec<_> =
        at_once(4, |_| (0..125).map(|i| pool.stage(crew(i))).collect::<Vec<_>>()).concat();
    assert_distinct(&staged);
    assert!(
        staged.iter().all(|handle| handle.generation() == 3),
        "lowest slots first, all used before"
    );
    assert!(old.iter().all(|&handle| !pool.contains(handle)));
}

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u32 {
        const LEFT = 1;
        const RIGHT = 2;
    }
}

#[derive(Default)]
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

#[test]
fn things_with_tags_are_staged_from_several_threads() {
    let mut pool = Pool::new();
    for tags in [Tags::LEFT, Tags::RIGHT] {
        pool.spawn(Tagged { tags });
    }
    let staged: Vec<_> = at_once(4, |thread| {
        let tags = if thread % 2 == 0 { Tags::LEFT } else { Tags::RIGHT };
        (0..300).map(|_| pool.stage(Tagged { tags })).collect::<Vec<_>>()
    })
    .concat();
    assert_eq!(staged.iter().map(|handle| handle.index()).collect::<BTreeSet<_>>().len(), 1200);
    assert_eq!((pool.count_tagged(Tags::LEFT), pool.check_invariants()), (1, Ok(())));
    assert_eq!(pool.commit(), 1200);
    assert_eq!((pool.count_tagged(Tags::LEFT), pool.count_tagged(Tags::RIGHT)), (601, 601));
    assert_eq!(pool.check_invariants(), Ok(()));
}

#[test]
fn made_up_handles_just_beyond_the_slots_that_others_stage_name_whole_things_or_nothing() {
    let pool = Pool::<Crew>::new();
    let end = 6000; // across many borders of blocks: of 128 slots, of 256, of 512
    at_once(4, |thread| {
        if thread < 2 {
            for n in 0..end / 2 {
                pool.stage(crew(n + 1));
            }
            return;
        }
        for index in (1..end).rev().cycle().take(3 * end as usize) {
            if let Some(crew) = pool.get(Handle::from_bits(1 << 32 | index)) {
                assert_whole(crew);
            }
            assert!(pool.get(Handle::from_bits(3 << 32 | index)).is_none());
        }
    });
}
