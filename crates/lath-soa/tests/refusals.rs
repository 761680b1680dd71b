//! An allocator that refuses: whichever allocation of a call it is, the call says so, gives back
//! what it was given, and leaves the pool as it was. Then everything goes on.
//!
//! What is looked at after every call: things, handles, tags, links, and the pool's own check. Not
//! part of it is memory that is asked for through `Box` and `Vec`, as in the rest of Rust: of cold
//! values, of the order of a sweep, of the list of relations. If that is refused the program ends.

#[path = "../../lath-core/tests/common/allocator.rs"]
mod allocator;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use allocator::refusing;
use lath_core::bitflags::bitflags;
use lath_core::{
    CapacityError, Handle, LinkError, Pool, Ref, Reuse, SpawnError, SpawnFault, Thing,
};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u8 {
        const LEFT = 1;
        const RIGHT = 2;
        const RARE = 4;
    }
}

/// How many things there are before: at the borders of groups and of blocks, and elsewhere.
const BEFORE: [u64; 8] = [0, 1, 63, 64, 127, 255, 511, 1023];

/// How many a call adds.
const MORE: u64 = 150;

fn tags(number: u64) -> Tags {
    [Tags::empty(), Tags::LEFT, Tags::RIGHT, Tags::LEFT | Tags::RIGHT][number as usize % 4]
}

/// Does something that may panic for want of memory. Answers whether it did.
fn lacks_memory(f: impl FnOnce()) -> bool {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(()) => false,
        Err(panic) => {
            let told = panic.downcast::<String>().expect("a sentence");
            assert!(told.contains("out of memory"), "{told}");
            true
        }
    }
}

/// All tests, for one layout. `count` says how many have a tag, if things have tags.
macro_rules! for_layout {
    ($module:ident, $layout:ident, $(#[$tagged:meta])? tags, |$counted:ident, $tag:ident| $count:expr) => {
        mod $module {
            use super::*;

            #[derive(Thing, Clone, Default)]
            #[thing($layout)]
            struct Crew {
                $(#[$tagged])?
                tags: Tags,
                number: u64,
                #[thing(hot)]
                again: u64,
            }

            type H = Handle<Crew>;

            fn crew(number: u64) -> Crew {
                Crew { tags: tags(number), number, again: number }
            }

            /// A pool, what should be in it, and what a call has added, with room: no test asks for
            /// memory itself.
            struct Game {
                pool: Pool<Crew>,
                model: BTreeMap<H, u64>,
                came: Vec<(H, u64)>,
                failed: usize,
            }

            impl Game {
                fn new(mut pool: Pool<Crew>, before: u64) -> Self {
                    let model = (0..before).map(|number| (pool.spawn(crew(number)), number)).collect();
                    Self { pool, model, came: Vec::with_capacity(MORE as usize), failed: 0 }
                }

                fn note(&mut self, number: u64, result: Result<H, SpawnError<Crew>>) {
                    match result {
                        Ok(who) => self.came.push((who, number)),
                        Err(error) => {
                            assert!(matches!(error.fault, SpawnFault::OutOfMemory(_)), "{error}");
                            assert_eq!((error.value.number, error.value.again), (number, number), "given back");
                            self.failed += 1;
                        }
                    }
                }

                #[track_caller]
                fn assert_consistent(&mut self, what: &str) {
                    let Self { pool, model, came, .. } = self;
                    model.extend(came.drain(..));
                    assert_eq!(pool.check_invariants(), Ok(()), "{what}");
                    assert_eq!((pool.len(), pool.iter().count()), (model.len(), model.len()), "{what}");
                    for (&who, &number) in &*model {
                        let found = pool.view::<(Ref<crew::number>, Ref<crew::again>)>().get(who);
                        assert_eq!(found.map(|(number, again)| (*number, *again)), Some((number, number)), "{what}");
                    }
                    for tag in [Tags::LEFT, Tags::RIGHT, Tags::RARE] {
                        let ($counted, $tag) = (&*pool, tag);
                        let expected = model.values().filter(|number| tags(**number).contains(tag)).count();
                        let count: Option<usize> = $count;
                        assert_eq!(count.unwrap_or(expected), expected, "{what}");
                    }
                }
            }

            /// Does `call` with its allocation 0 refused, then 1, and so on until there are no
            /// more; each time in a pool of its own, and then once more. `losses` is how many of
            /// the things may fail to come if one allocation is refused.
            fn refuse_each(what: &str, losses: usize, make: fn() -> Pool<Crew>, call: impl Fn(&mut Game)) {
                let mut refusals = 0;
                for before in BEFORE {
                    for n in 0.. {
                        let what = format!("{what} after {before} things, allocation {n}");
                        let mut game = Game::new(make(), before);
                        let ((), refused) = refusing(n, || call(&mut game));
                        assert!(game.failed <= losses, "{what}: {} failed", game.failed);
                        game.assert_consistent(&what);
                        let failed = std::mem::take(&mut game.failed);
                        call(&mut game);
                        game.assert_consistent(&what);
                        assert_eq!(game.failed, 0, "{what}");
                        if !refused {
                            assert_eq!(failed, 0, "{what}");
                            break;
                        }
                        refusals += 1;
                    }
                }
                assert!(refusals > 0, "{what} needs no memory: this shows nothing");
            }

            /// A pool that knows every set of tags, and a tree.
            fn warm() -> Pool<Crew> {
                let mut pool = Pool::new();
                (0..4).for_each(|number| assert!(!pool.spawn(crew(number)).is_nil()));
                pool.clear();
                pool.tree_mut();
                pool
            }

            /// Slots of several generations and in no order, for lists of free slots.
            fn worn(reuse: Reuse) -> Pool<Crew> {
                let mut pool = Pool::new();
                pool.set_reuse(reuse);
                let all: Vec<H> = pool.spawn_many((0..40).map(crew)).collect();
                all.iter().step_by(3).chain(all.iter().skip(1).step_by(3)).for_each(|&who| assert!(pool.despawn(who)));
                pool.clear();
                pool
            }

            #[test]
            fn try_spawn_gives_the_thing_back() {
                for make in [warm, || worn(Reuse::Lowest), || worn(Reuse::Lifo), || worn(Reuse::Fifo)] {
                    refuse_each("try_spawn", 1, make, |game| {
                        for number in 5000..5000 + MORE {
                            let result = game.pool.try_spawn(crew(number));
                            game.note(number, result);
                        }
                    });
                }
            }

            #[test]
            fn try_spawn_gives_the_first_thing_with_its_tags_back() {
                refuse_each("try_spawn", 1, Pool::new, |game| {
                    for number in 5000..5004 {
                        let result = game.pool.try_spawn(crew(number));
                        game.note(number, result);
                    }
                });
            }

            #[test]
            fn spawn_many_panics_and_keeps_what_came_before() {
                refuse_each("spawn_many", MORE as usize, warm, |game| {
                    let Game { pool, came, .. } = game;
                    let failed = lacks_memory(|| {
                        let numbers = 5000..5000 + MORE;
                        came.extend(pool.spawn_many(numbers.clone().map(crew)).zip(numbers));
                    });
                    // Those that came and were not answered for are there, too.
                    let unknown = pool.iter().map(|(who, _)| who).filter(|who| !game.model.contains_key(who));
                    let unknown: Vec<H> = unknown.filter(|who| !came.iter().any(|(known, _)| known == who)).collect();
                    assert!(failed || unknown.is_empty());
                    for who in unknown {
                        let number = *pool.view::<Ref<crew::number>>().get(who).unwrap();
                        came.push((who, number));
                    }
                    game.failed += usize::from(failed);
                });
            }

            #[test]
            fn spawn_range_spawns_all_or_none() {
                refuse_each("spawn_range", 1, warm, |game| {
                    match game.pool.spawn_range(MORE as u32, |n| crew(5000 + u64::from(n))) {
                        Ok(range) => game.came.extend(range.iter().zip(5000..)),
                        Err(fault) => {
                            assert!(matches!(fault, SpawnFault::OutOfMemory(_)), "{fault}");
                            game.failed += 1;
                        }
                    }
                });
            }

            #[test]
            fn spawn_at_gives_the_thing_back() {
                refuse_each("spawn_at", 1, warm, |game| {
                    // Near, and far beyond the others; the second time a later life of the same
                    // slots.
                    for index in [1500, 9000, 40_000] {
                        let [first, second] = [1, 3].map(|generation| H::from_bits(generation << 32 | index));
                        let who = if game.pool.despawn(first) { second } else { first };
                        game.model.remove(&first);
                        let result = game.pool.spawn_at(who, crew(index)).map(|()| who);
                        game.note(index, result);
                    }
                });
            }

            #[test]
            fn try_stage_gives_the_thing_back_and_the_commit_comes_later() {
                refuse_each("try_stage", 1, warm, |game| {
                    for number in 5000..5000 + MORE {
                        let result = game.pool.try_stage(crew(number));
                        game.note(number, result);
                    }
                    // A thing whose tags could not be noted for want of memory stays staged.
                    game.pool.commit();
                    game.pool.commit();
                    let stats = game.pool.stats();
                    assert_eq!((stats.staged, stats.reserved), (0, 0), "a slot that found no memory is nobody's");
                });
            }

            #[test]
            fn what_waits_for_memory_is_taken_out_once() {
                refuse_each("take of what is staged", 1, warm, |game| {
                    for number in 5000..5000 + MORE {
                        let result = game.pool.try_stage(crew(number));
                        game.note(number, result);
                    }
                    // The first of these has no memory to move to if it is refused.
                    while let Some((who, number)) = game.came.pop() {
                        let thing = game.pool.take(who).map(|thing| thing.number);
                        assert_eq!((thing, game.pool.contains(who)), (Some(number), false));
                        assert!(game.pool.take(who).is_none(), "taken twice");
                    }
                });
            }

            #[test]
            fn try_reserve_says_so_and_spawn_at_comes_later() {
                refuse_each("try_reserve", 2, warm, |game| {
                    for number in 5000..5000 + MORE {
                        match game.pool.try_reserve() {
                            Ok(who) => {
                                let result = game.pool.spawn_at(who, crew(number)).map(|()| who);
                                game.note(number, result);
                            }
                            Err(fault) => {
                                assert!(matches!(fault, SpawnFault::OutOfMemory(_)), "{fault}");
                                game.failed += 1;
                            }
                        }
                    }
                });
            }

            #[test]
            fn a_pool_is_made_whole_or_not_at_all() {
                type Make = fn() -> Result<Pool<Crew>, CapacityError>;
                let makes: [(Make, usize); 3] = [
                    (|| Pool::with_capacity(3000), 3000),
                    (|| Pool::fixed(3000), 3000),
                    (|| Pool::fixed(1), 1),
                ];
                for (make, capacity) in makes {
                    for n in 0.. {
                        let (result, refused) = refusing(n, make);
                        match result {
                            Err(CapacityError::OutOfMemory(error)) => assert!(refused && error.bytes > 0),
                            Err(other) => panic!("{other}"),
                            Ok(pool) => {
                                assert!(!refused && n > 0, "allocation {n} was refused, and nothing was said");
                                Game::new(pool, capacity as u64).assert_consistent("a new pool");
                                break;
                            }
                        }
                    }
                }
            }

            #[test]
            fn a_copy_is_made_whole_or_not_at_all() {
                let mut original = Game::new(Pool::new(), 700);
                original.pool.retain(|who, _| who.index() % 3 > 0);
                original.model.retain(|who, _| who.index() % 3 > 0);
                for n in 0.. {
                    let mut copy = None;
                    let (failed, refused) = refusing(n, || lacks_memory(|| copy = Some(original.pool.clone())));
                    assert_eq!(failed, refused, "allocation {n}");
                    original.assert_consistent("the original");
                    if let Some(pool) = copy {
                        Game { pool, model: original.model.clone(), came: Vec::new(), failed: 0 }.assert_consistent("the copy");
                        break;
                    }
                }
            }

            #[test]
            fn links_say_so_and_stay_as_they_are() {
                let mut refusals = 0;
                for n in 0.. {
                    let Game { mut pool, model, .. } = Game::new(Pool::new(), 700);
                    let all: Vec<H> = model.into_keys().collect();
                    pool.tree_mut().attach(all[1], all[0]).unwrap(); // the list of relations is there, and some rows
                    let mut failed = 0;
                    let ((), refused) = refusing(n, || {
                        for pair in all.windows(2) {
                            match pool.tree_mut().attach(pair[1], pair[0]) {
                                Ok(()) => {}
                                Err(LinkError::OutOfMemory(error)) => failed += usize::from(error.bytes > 0),
                                Err(other) => panic!("{other}"),
                            }
                        }
                        failed += usize::from(pool.tree_mut().reserve().is_err());
                    });
                    assert_eq!((failed, pool.check_invariants()), (usize::from(refused), Ok(())), "allocation {n}");
                    assert_eq!(pool.tree().depth(all[699]), if failed == 0 { 699 } else { pool.tree().depth(all[699]) });
                    for pair in all.windows(2) {
                        pool.tree_mut().attach(pair[1], pair[0]).unwrap();
                    }
                    assert_eq!((pool.tree().depth(all[699]), pool.check_invariants()), (699, Ok(())));
                    refusals += usize::from(refused);
                    if !refused {
                        break;
                    }
                }
                assert!(refusals > 1);
            }

            #[test]
            fn a_child_that_cannot_be_linked_or_spawned_is_given_back() {
                refuse_each("spawn_child", 1, warm, |game| {
                    let Some(parent) = game.model.keys().next().copied() else { return };
                    for number in 5000..5000 + MORE {
                        let result = match game.pool.spawn_child(parent, crew(number)) {
                            Err(SpawnError { value, fault: SpawnFault::Link(LinkError::OutOfMemory(error)) }) => {
                                Err(SpawnError { value, fault: SpawnFault::OutOfMemory(error) })
                            }
                            other => other,
                        };
                        game.note(number, result);
                    }
                });
            }

            /// Marks have no error to give: then all counts as changed.
            #[test]
            fn a_mark_that_finds_no_memory_reports_everything() {
                for n in 0.. {
                    let mut game = Game::new(Pool::new(), 300);
                    game.pool.track_changes();
                    // The list of fields is a `Vec`.
                    game.pool.view_mut::<lath_core::Mut<crew::again>>().each(|_| ());
                    let seen = game.pool.tick();
                    game.pool.next_tick();
                    let ((), refused) = refusing(n, || {
                        for number in 5000..5000 + 40 * MORE {
                            match game.pool.try_spawn(crew(number)) {
                                Ok(who) => assert!(game.pool.set::<crew::again>(who, number).is_ok()),
                                Err(error) => assert!(matches!(error.fault, SpawnFault::OutOfMemory(_)), "{error}"),
                            }
                        }
                    });
                    let reported = game.pool.changed_since::<crew::again>(seen).collect::<std::collections::BTreeSet<_>>();
                    assert!(game.pool.handles().all(|who| game.model.contains_key(&who) || reported.contains(&who)));
                    assert_eq!(game.pool.check_invariants(), Ok(()));
                    if !refused {
                        break;
                    }
                }
            }

            #[test]
            fn a_change_is_reported_whatever_memory_there_is_for_its_mark() {
                let mut refusals = 0;
                // The first memory is for the marks themselves, without which there are none.
                for n in 1..8 {
                    let mut game = Game::new(Pool::new(), 300);
                    let who = game.pool.handles().next().unwrap();
                    let ((), refused) = refusing(n, || {
                        game.pool.track_changes();
                        game.pool.prepare_marks(<lath_core::Mut<crew::again> as lath_core::View>::WRITES);
                    });
                    refusals += u32::from(refused);
                    let seen = game.pool.tick();
                    game.pool.next_tick();
                    assert!(game.pool.set::<crew::again>(who, 7).is_ok());
                    let changed = game.pool.changed_since::<crew::again>(seen);
                    assert!(changed.into_iter().any(|changed| changed == who), "refusal {n}");
                }
                assert!(refusals > 2, "{refusals}");
            }
        }
    };
}

for_layout!(in_rows, rows, tags, |_pool, _tag| None);
for_layout!(in_columns, columns, tags, |_pool, _tag| None);
for_layout!(
    with_tags_in_rows,
    rows,
    #[thing(tags)]
    tags,
    |pool, tag| Some(pool.count_tagged(tag))
);
for_layout!(
    with_tags_in_columns,
    columns,
    #[thing(tags)]
    tags,
    |pool, tag| Some(pool.count_tagged(tag))
);

/// Before the memory that is refused there may have been some for millions of slots.
#[test]
fn a_slot_at_the_far_end_that_finds_no_memory_leaves_no_long_way_behind() {
    macro_rules! for_layout {
        ($layout:ident) => {{
            #[derive(Thing, Clone, Default)]
            #[thing($layout)]
            struct Crew {
                number: u64,
            }

            let mut refusals = 0;
            for n in 0.. {
                let mut pool = Pool::new();
                let near: Vec<_> = (0..70).map(|number| pool.spawn(Crew { number })).collect();
                let far = Handle::from_bits(1 << 32 | 0xffff_fff0);
                let (result, refused) = refusing(n, || pool.spawn_at(far, Crew { number: n }));
                if !refused {
                    break; // it is there, or the system has not that much either
                }
                assert_eq!(result.unwrap_err().value.number, n);
                assert_eq!((pool.len(), pool.check_invariants()), (70, Ok(())));
                assert!(pool.despawn_after(near[3], 1) && pool.reap(1) == 1);
                assert_eq!((pool.reclaim_retired(), pool.check_invariants()), (0, Ok(())));
                assert_eq!((pool.clone().len(), pool.iter().count()), (69, 69));
                refusals += 1;
            }
            assert!(refusals > 3);
        }};
    }
    for_layout!(rows);
    for_layout!(columns);
}

/// A tag that was never used needs a bitmap, wherever the thing is.
#[test]
fn a_new_tag_says_so_and_changes_nothing() {
    #[derive(Thing, Default)]
    struct Crew {
        #[thing(tags)]
        tags: Tags,
    }

    let mut refusals = 0;
    for n in 0.. {
        let mut pool = Pool::new();
        let all: Vec<_> = (0..9000).map(|n| pool.spawn(Crew { tags: tags(n % 2) })).collect();
        let ((), refused) = refusing(n, || {
            for &who in &all {
                let before = pool.tags(who);
                if lacks_memory(|| assert!(pool.insert_tags(who, Tags::RARE))) {
                    assert_eq!(pool.tags(who), before);
                }
            }
        });
        assert_eq!(pool.check_invariants(), Ok(()));
        let lacking = all.iter().filter(|who| !pool.has(**who, Tags::RARE)).count();
        assert_eq!(
            (lacking, pool.count_tagged(Tags::RARE)),
            (usize::from(refused), 9000 - usize::from(refused))
        );
        assert!(all.iter().all(|&who| pool.insert_tags(who, Tags::RARE)));
        assert_eq!((pool.count_tagged(Tags::RARE), pool.check_invariants()), (9000, Ok(())));
        refusals += usize::from(refused);
        if !refused {
            break;
        }
    }
    assert!(refusals > 0);
}
