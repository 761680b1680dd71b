//! Loops are given the things that are live, each once, and never a slot that is free: whatever the
//! number of things, and wherever the holes are.

use std::cell::Cell;

use lath_core::{Mut, Pool, Ref, Thing};

macro_rules! for_layout {
    ($module:ident, $layout:ident, $slices:expr) => {
        mod $module {
            use super::*;

            #[derive(Thing, Default)]
            #[thing($layout)]
            struct Crew {
                number: u32,
            }

            fn assert_each_once(pool: &mut Pool<Crew>, at: &str) {
                let mut seen = Vec::new();
                pool.view_mut::<Ref<crew::number>>().each(|number| seen.push(*number));
                let expected: Vec<u32> =
                    pool.view::<Ref<crew::number>>().iter().map(|number| *number).collect();
                assert_eq!((seen.len(), &seen), (pool.len(), &expected), "{at}");
                assert!(!seen.contains(&0), "a slot that is free was shown, {at}");
                seen.sort_unstable();
                seen.dedup();
                assert_eq!(seen.len(), pool.len(), "{at}");
                if $slices {
                    let mut all = Vec::new();
                    pool.view_mut::<Ref<crew::number>>()
                        .slices(|numbers: &[u32]| all.extend_from_slice(numbers));
                    assert_eq!(all, expected, "{at}");
                }
            }

            #[test]
            fn every_number_of_things_is_walked_to_its_end_and_no_further() {
                for count in 0..280 {
                    let mut pool: Pool<Crew> = (1..=count).map(|number| Crew { number }).collect();
                    assert_each_once(&mut pool, &format!("{count} things"));
                }
            }

            #[test]
            fn holes_of_every_length_are_passed_over() {
                for seed in 0..200 {
                    let mut random = fastrand::Rng::with_seed(seed);
                    let mut pool: Pool<Crew> = (1..=400).map(|number| Crew { number }).collect();
                    for _ in 0..random.u8(1..6) {
                        let (from, len) = (random.u32(1..400), random.u32(1..140));
                        pool.retain(|who, _| !(from..from + len).contains(&who.index()));
                    }
                    assert_each_once(&mut pool, &format!("seed {seed}"));
                }
            }
        }
    };
}
for_layout!(in_rows, rows, false);
for_layout!(in_columns, columns, true);

thread_local! {
    static SHARED: Pool<Sly> = Pool::new();
    static STAGES: Cell<u32> = const { Cell::new(0) };
}

/// A cold value that stages things into the pool that it is in whenever it is compared or dropped.
#[derive(Default, Clone)]
struct Meddler(u32);

impl Meddler {
    fn meddle() {
        if STAGES.get() > 0 {
            STAGES.set(STAGES.get() - 1);
            let _ = SHARED.try_with(|pool| {
                assert!(!pool.stage(Sly { note: Meddler(1), ..Sly::default() }).is_nil())
            });
        }
    }
}

impl PartialEq for Meddler {
    fn eq(&self, other: &Self) -> bool {
        Self::meddle();
        self.0 == other.0
    }
}

impl Drop for Meddler {
    fn drop(&mut self) {
        Self::meddle();
    }
}

#[derive(Thing, Default)]
#[thing(columns)]
struct Sly {
    number: u32,
    #[thing(cold)]
    note: Meddler,
}

#[test]
fn a_thing_may_stage_others_while_it_is_staged_itself() {
    SHARED.with(|pool| {
        STAGES.set(40);
        let staged: Vec<_> =
            (1..=20).map(|number| (number, pool.stage(Sly { number, note: Meddler(0) }))).collect();
        STAGES.set(0);
        assert_eq!(pool.check_invariants(), Ok(()));
        for (number, who) in staged {
            let found = pool.get(who).unwrap();
            assert_eq!((*found.number, found.note.0), (number, 0));
        }
        assert_eq!(pool.stats().staged, 60);
    });
}

#[test]
fn views_of_cold_fields_are_of_different_things() {
    let mut pool: Pool<Sly> =
        (1..=200).map(|number| Sly { number, note: Meddler(number % 3) }).collect();
    let mut kept = Vec::new();
    let mut views = pool.view_mut::<(Ref<sly::number>, Option<Mut<sly::note>>)>();
    views.each(|(number, note)| kept.push((number.into_inner(), note)));
    for (number, note) in &mut kept {
        assert_eq!(note.as_ref().map_or(0, |note| note.0), **number % 3);
        if let Some(note) = note {
            note.0 = 9;
        }
    }
    assert_eq!(pool.iter().filter(|(_, thing)| thing.note.0 == 9).count(), 134);
}

/// Loops skip over full groups eight at a time, so a hole must be seen wherever it is: at the edges
/// of groups and of eights, and however many full groups lie before it.
#[test]
fn one_hole_anywhere_is_seen_by_every_loop() {
    #[derive(Thing, Default)]
    #[thing(columns)]
    struct Mote {
        id: u32,
        seen: u32,
    }

    const LEN: u32 = 64 * 8 * 5;
    let mut pool: Pool<Mote> = (1..LEN).map(|id| Mote { id, seen: 0 }).collect();
    let near = |edge: u32| [edge - 1, edge, edge + 1];
    let mut holes: Vec<u32> = (1..40).flat_map(|n| near(n * 64)).collect();
    holes.extend([1, 2, 63 * 8, LEN - 1]);
    for hole in holes {
        let handle = pool.handles().find(|handle| handle.index() == hole).unwrap();
        let mote = pool.take(handle).unwrap();
        pool.view_mut::<Mut<mote::seen>>().each(|mut seen| *seen += 1);
        pool.view_mut::<Mut<mote::seen>>()
            .slices(|seen| seen.iter_mut().for_each(|seen| *seen += 1));
        let (mut rows, mut runs) = (0, 0);
        pool.view_mut::<Ref<mote::id>>().each(|id| {
            assert_ne!(*id, mote.id, "what is gone was shown");
            rows += 1;
        });
        pool.view_mut::<Ref<mote::id>>().slices(|ids| {
            assert!(!ids.contains(&mote.id), "what is gone was in a run");
            runs += ids.len();
        });
        assert_eq!((rows, runs), (pool.len(), pool.len()), "with a hole at {hole}");
        assert!(
            pool.iter().all(|(_, mote)| *mote.seen == 2),
            "somebody was missed, with a hole at {hole}"
        );
        pool.view_mut::<Mut<mote::seen>>().each(|mut seen| *seen = 0);
        assert_eq!(pool.spawn(mote).index(), hole, "the slot is the only free one");
    }
}
