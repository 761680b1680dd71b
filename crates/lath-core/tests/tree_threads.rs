//! Sweeps on several threads leave the same bytes as those on a single thread, whatever the shape
//! of the tree.
#![cfg(feature = "parallel")]

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use fastrand::Rng;
use lath_core::{Handle, LinkError, Mut, Pool, Ref, Thing};

#[derive(Thing, Clone, Default)]
struct Node {
    key: u64,
    path: f32,
    weight: f32,
}

type H = Handle<Node>;

const THINGS: u64 = 5_000;

/// No machine is so busy that another thread needs longer to begin.
const PATIENCE: Duration = Duration::from_secs(300);

/// Which thing is the parent of which, things counted from 0.
type Parent = dyn FnMut(u64) -> Option<u64>;

/// Several shapes, with their names.
fn shapes() -> Vec<(&'static str, Box<Parent>)> {
    let mut random = Rng::with_seed(5);
    vec![
        ("one root", Box::new(|n| (n > 0).then_some(0))),
        ("fan-out 8", Box::new(|n| n.checked_sub(1).map(|n| n / 8))),
        ("one chain", Box::new(|n| n.checked_sub(1))),
        ("chains of 100", Box::new(|n| (n % 100 > 0).then(|| n - 1))),
        ("pairs", Box::new(|n| (n % 2 > 0).then(|| n - 1))),
        ("random", Box::new(move |n| (n > 0 && random.u8(..50) > 0).then(|| random.u64(..n)))),
        ("alone", Box::new(|_| None)),
    ]
}

fn grown(parent: &mut Parent, random: &mut Rng) -> Result<Pool<Node>, LinkError> {
    let mut pool = Pool::new();
    let mut all: Vec<H> =
        pool.spawn_many((0..THINGS).map(|key| Node { key, ..Node::default() })).collect();
    random.shuffle(&mut all);
    for n in 0..THINGS {
        if let Some(parent) = parent(n) {
            pool.tree_mut().attach(all[n as usize], all[parent as usize])?;
        }
    }
    Ok(pool)
}

/// Threads: one, two, an odd number, and more than there are processors.
fn threads() -> [rayon::ThreadPool; 4] {
    [1, 2, 3, 8]
        .map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap())
}

type Way<'a> = (Mut<'a, node::path>, Ref<'a, node::key>);
type Load<'a> = (Mut<'a, node::weight>, Ref<'a, node::key>);

/// Depends on the parent, in a way that does not forgive another order.
fn step(parent: Option<Ref<'_, node::path>>, (mut path, key): Way<'_>) {
    *path = parent.map_or(1.0, |parent| *parent).sin() * 3.7 + *key as f32;
}

/// As `step`; and a second call for the same thing would show.
fn step_again(parent: Option<Ref<'_, node::path>>, (mut path, key): Way<'_>) {
    *path = parent.map_or(1.0, |parent| *parent).sin() * 3.7 + *path * 0.5 + *key as f32;
}

/// Sums of floats depend on the order of the children.
fn weigh<'x>(children: impl Iterator<Item = Ref<'x, node::weight>>, (mut weight, key): Load<'_>) {
    *weight = children.fold(*key as f32 * 0.1, |sum, child| sum * 0.7 + *child);
}

/// One way to sweep, on one thread or on several.
type Sweep = fn(&mut Pool<Node>, &[H], bool) -> usize;

const SWEEPS: [(&str, Sweep); 3] = [
    ("down", |pool, _, par| {
        let mut tree = pool.tree_mut();
        if par {
            tree.sweep::<Ref<node::path>, Way>().par_down(step)
        } else {
            tree.sweep::<Ref<node::path>, Way>().down(step)
        }
        0
    }),
    ("up", |pool, _, par| {
        let mut tree = pool.tree_mut();
        if par {
            tree.sweep::<Ref<node::weight>, Load>().par_up(|children, me| weigh(children, me));
        } else {
            tree.sweep::<Ref<node::weight>, Load>().up(|children, me| weigh(children, me));
        }
        0
    }),
    ("down_dirty", |pool, marked, par| {
        let mut tree = pool.tree_mut();
        marked.iter().for_each(|&node| assert!(tree.mark(node)));
        if par {
            tree.sweep::<Ref<node::path>, Way>().par_down_dirty(step_again)
        } else {
            tree.sweep::<Ref<node::path>, Way>().down_dirty(step_again)
        }
    }),
];

fn bits(pool: &Pool<Node>) -> Vec<[u32; 2]> {
    pool.iter().map(|(_, node)| [node.path.to_bits(), node.weight.to_bits()]).collect()
}

#[test]
fn a_long_sweep_is_shared_out_where_there_are_threads() -> Result<(), LinkError> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut pool = grown(&mut |n| n.checked_sub(1).map(|n| n / 8), &mut Rng::with_seed(3))?;
    let root = pool.tree().roots().next().unwrap();
    let sweeps: [(&str, SweepWith); 3] = [
        ("down", |pool, _, come| {
            pool.tree_mut().sweep::<Ref<node::path>, Way>().par_down(|_, _| come())
        }),
        ("up", |pool, _, come| {
            pool.tree_mut().sweep::<Ref<node::weight>, Load>().par_up(|_, _| come())
        }),
        ("down_dirty", |pool, root, come| {
            let mut tree = pool.tree_mut();
            assert!(tree.mark(root));
            tree.sweep::<Ref<node::path>, Way>().par_down_dirty(|_, _| come());
        }),
    ];
    for (name, sweep) in sweeps {
        let (seen, start) = (Mutex::new(HashSet::new()), Instant::now());
        // Again until another thread has come; not for ever.
        while seen.lock().unwrap().len() < 2 && start.elapsed() < PATIENCE {
            let calls = AtomicU64::new(0);
            // Whoever is alone after a while waits for another, a little in every call: what it
            // shares out next, that one can take.
            let come = || {
                let mut seen = seen.lock().unwrap();
                seen.insert(std::thread::current().id());
                let is_alone = seen.len() < 2;
                drop(seen);
                if calls.fetch_add(1, Relaxed) > THINGS / 4 && is_alone {
                    std::thread::sleep(Duration::from_millis(1));
                }
            };
            threads.install(|| sweep(&mut pool, root, &come));
            assert_eq!(calls.into_inner(), THINGS, "{name}");
        }
        assert_eq!(seen.into_inner().unwrap().len(), 2, "{name}");
    }
    Ok(())
}

type SweepWith = fn(&mut Pool<Node>, H, &(dyn Fn() + Sync));

#[test]
fn any_number_of_threads_leaves_the_same_bytes() -> Result<(), LinkError> {
    let (mut random, threads) = (Rng::with_seed(3), threads());
    for (shape, mut parent) in shapes() {
        let mut pool = grown(&mut *parent, &mut random)?;
        let all: Vec<H> = pool.handles().collect();
        for change in 0..3 {
            if change > 0 {
                // Links change, and so do the parts; things go, and others come.
                for _ in 0..50 {
                    let [child, parent] = [(); 2].map(|()| all[random.usize(..all.len())]);
                    let _ = pool.tree_mut().attach(child, parent);
                }
                pool.despawn_with(all[random.usize(..all.len())], lath_core::Orphans::Adopt);
            }
            // Few, many, and one that has a lot below it.
            let root =
                pool.tree().roots().max_by_key(|&root| pool.tree().descendants(root).count());
            let share = [2, 200, 0][change];
            let is_marked = |_: &H| share > 0 && random.u32(..share) == 0;
            let marked: Vec<H> =
                pool.handles().filter(is_marked).chain(root.filter(|_| share == 0)).collect();
            for (name, sweep) in SWEEPS {
                let mut serial = pool.clone();
                let expected = (sweep(&mut serial, &marked, false), bits(&serial));
                for threads in &threads {
                    let mut pool = pool.clone();
                    let reached = threads.install(|| sweep(&mut pool, &marked, true));
                    assert!(
                        (reached, bits(&pool)) == expected,
                        "{name}, {shape}, {threads:?}, change {change}"
                    );
                    assert_eq!(pool.check_invariants(), Ok(()));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_sweep_from_outside_of_the_threads_is_the_same() -> Result<(), LinkError> {
    let pool = grown(&mut |n| n.checked_sub(1).map(|n| n / 8), &mut Rng::with_seed(1))?;
    let all: Vec<H> = pool.handles().collect();
    for (name, sweep) in SWEEPS {
        let [one, several] = [false, true].map(|par| {
            let mut pool = pool.clone();
            (sweep(&mut pool, &all[..10], par), bits(&pool))
        });
        assert!(one == several, "{name}");
    }
    Ok(())
}

#[test]
fn a_panic_comes_out_and_leaves_the_pool_and_the_next_sweep_in_order() -> Result<(), LinkError> {
    let pool = grown(&mut |n| n.checked_sub(1).map(|n| n / 8), &mut Rng::with_seed(9))?;
    let root = pool.tree().roots().next().unwrap();
    for threads in threads() {
        for (name, sweep) in SWEEPS {
            // At the root, in the trunk, and far down; and some of them at once.
            for bad in [1, 10, 1_500, 4_800] {
                let mut pool = pool.clone();
                pool.tree_mut().sweep::<H, H>().down_dirty(|_, _| ());
                pool.tree_mut().mark(root);
                let is_bad = |key: u64| key % bad == 0;
                let result = threads.install(|| {
                    catch_unwind(AssertUnwindSafe(|| {
                        let mut tree = pool.tree_mut();
                        match name {
                            "down" => tree
                                .sweep::<Ref<node::path>, Way>()
                                .par_down(|_, (_, key)| fail(is_bad(*key))),
                            "up" => tree
                                .sweep::<Ref<node::weight>, Load>()
                                .par_up(|_, (_, key)| fail(is_bad(*key))),
                            _ => {
                                tree.sweep::<Ref<node::path>, Way>()
                                    .par_down_dirty(|_, (_, key)| fail(is_bad(*key)));
                            }
                        }
                    }))
                });
                let told = result.unwrap_err().downcast_ref::<&str>().copied();
                assert_eq!(told, Some("meant to"), "{name}, {threads:?}, every {bad}th");
                assert_eq!(pool.check_invariants(), Ok(()));
                assert_eq!(pool.len(), THINGS as usize);
                if name == "down_dirty" {
                    // The marks are gone, as with one thread.
                    assert_eq!(pool.tree_mut().sweep::<H, H>().par_down_dirty(|_, _| ()), 0);
                }
                let mut serial = pool.clone();
                let expected = (sweep(&mut serial, &[root], false), bits(&serial));
                assert!(
                    expected == (threads.install(|| sweep(&mut pool, &[root], true)), bits(&pool))
                );
            }
        }
    }
    Ok(())
}

/// Not `panic!`: the message of a panic that is meant would only be noise.
fn fail(now: bool) {
    if now {
        std::panic::resume_unwind(Box::new("meant to"));
    }
}

/// Marks outlive the thing that was marked. Where generations are reclaimed another thing can have
/// its slot and its stamp.
#[test]
fn a_mark_of_a_thing_that_is_gone_reaches_nobody_and_nobody_is_reached_twice() {
    #[derive(Thing, Clone, Default)]
    #[thing(handle(bits = 16, index = 12))]
    struct Small {
        visits: u32,
    }

    for par in [false, true] {
        let mut pool = Pool::<Small>::new();
        let top = pool.spawn(Small::default());
        pool.tree_mut().mark(top);
        pool.tree_mut().sweep::<Handle<Small>, Handle<Small>>().down_dirty(|_, _| ());
        let first = pool.spawn(Small::default());
        pool.tree_mut().mark(first);
        let mut last = first;
        // Until the slot retires.
        while last.index() == first.index() {
            pool.despawn(last);
            last = pool.spawn(Small::default());
        }
        pool.despawn(last);
        assert!(pool.reclaim_retired() > 0);
        let again = pool.spawn(Small::default());
        assert_eq!(again, first, "the same bits once more");
        let sweep = |pool: &mut Pool<Small>| {
            let mut tree = pool.tree_mut();
            if par {
                tree.sweep::<Handle<Small>, Mut<small::visits>>()
                    .par_down_dirty(|_, mut visits| *visits += 1)
            } else {
                tree.sweep::<Handle<Small>, Mut<small::visits>>()
                    .down_dirty(|_, mut visits| *visits += 1)
            }
        };
        // A child of it is marked. It is not.
        let child = pool.spawn_child(again, Small::default()).unwrap();
        pool.tree_mut().mark(child);
        let mut unmarked = pool.clone();
        assert_eq!(
            (sweep(&mut unmarked), unmarked[again].visits, unmarked[child].visits),
            (1, 0, 1)
        );
        pool.tree_mut().mark(again);
        assert_eq!((sweep(&mut pool), pool[again].visits, pool[child].visits), (2, 1, 1));
    }
}
