//! A pool gives all of its memory back: blocks, tables and values of cold fields, sets of tags,
//! links, orders of reuse, copies.

#[path = "../../lath-core/tests/common/allocator.rs"]
mod allocator;

use allocator::assert_gives_all_back;
use fastrand::Rng;
use lath_core::bitflags::bitflags;
use lath_core::{Handle, Pool, Reuse, Thing};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u8 {
        const LEFT = 1;
        const RIGHT = 2;
    }
}

/// A test for one layout, and another one for things of no kind of field that owns anything.
macro_rules! for_layout {
    ($module:ident, $layout:ident, $(#[$cold:meta])?) => {
        mod $module {
            use super::*;

            #[derive(Thing, Clone, Default)]
            #[thing($layout)]
            struct Crew {
                #[thing(tags)]
                tags: Tags,
                name: String,
                $(#[$cold])?
                note: String,
                $(#[$cold])?
                number: u64,
            }

            fn crew(random: &mut Rng) -> Crew {
                let some = |random: &mut Rng| if random.bool() { String::new() } else { "a few bytes".to_owned() };
                Crew {
                    tags: Tags::from_bits_truncate(random.u8(..)),
                    name: some(random),
                    note: some(random),
                    number: random.u64(..3),
                }
            }

            /// Everything that makes memory.
            fn live(seed: u64) {
                let mut random = Rng::with_seed(seed);
                let mut pool = Pool::new();
                pool.set_reuse([Reuse::Lowest, Reuse::Lifo, Reuse::Fifo][seed as usize % 3]);
                if seed % 2 == 0 {
                    pool.track_changes();
                }
                let mut handles: Vec<Handle<Crew>> = Vec::new();
                for _ in 0..40 {
                    match random.u8(..10) {
                        0 => handles.extend((0..random.u32(..400)).map(|_| pool.spawn(crew(&mut random)))),
                        1 => handles.extend((0..random.u32(..50)).map(|_| pool.stage(crew(&mut random)))),
                        2 => _ = pool.commit(),
                        3 => handles.extend(pool.spawn_range(random.u32(..100), |_| crew(&mut random)).unwrap().iter()),
                        4 => handles.retain(|&who| random.bool() || !pool.despawn(who)),
                        5 => handles.retain(|&who| random.u8(..9) > 0 || pool.take(who).is_none()),
                        6 => handles.retain(|&who| random.u8(..9) > 0 || !pool.despawn_after(who, 1)),
                        7 => _ = pool.reap(1),
                        8 => {
                            for &who in &handles {
                                let Crew { name, note, .. } = crew(&mut random);
                                _ = (pool.set::<crew::name>(who, name), pool.set::<crew::note>(who, note));
                            }
                        }
                        _ => {
                            for pair in handles.windows(2) {
                                _ = pool.tree_mut().attach(pair[1], pair[0]);
                            }
                        }
                    }
                }
                let far = Handle::from_bits(1 << 32 | 30_000);
                assert!(pool.spawn_at(far, crew(&mut random)).is_ok());
                let copy = pool.clone();
                pool.clear();
                assert!(copy.len() >= 1 && pool.is_empty());
            }

            #[test]
            fn a_pool_gives_all_of_its_memory_back() {
                for seed in 0..6 {
                    assert_gives_all_back("a pool", || live(seed));
                }
                assert_gives_all_back("an empty pool", || drop(Pool::<Crew>::new()));
            }
        }
    };
}

for_layout!(rows, rows,);
for_layout!(columns, columns,);
for_layout!(cold, columns, #[thing(cold)]);
