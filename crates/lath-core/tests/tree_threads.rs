//! A cascade on several threads leaves the same bytes as one on a single thread, whatever the shape of the tree.
#![cfg(feature = "parallel")]

use fastrand::Rng;
use lath_core::{Handle, LinkError, Mut, Pool, Ref, Thing};

#[derive(Thing, Clone, Default)]
struct Node {
    key: u64,
    path: f32,
}

const THINGS: u64 = 20_000;

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
        ("random", Box::new(move |n| (n > 0 && random.u8(..50) > 0).then(|| random.u64(..n)))),
        ("alone", Box::new(|_| None)),
    ]
}

fn grown(parent: &mut Parent, random: &mut Rng) -> Result<Pool<Node>, LinkError> {
    let mut pool = Pool::new();
    let mut all: Vec<Handle<Node>> = pool.spawn_many((0..THINGS).map(|key| Node { key, path: 0.0 })).collect();
    random.shuffle(&mut all);
    for n in 0..THINGS {
        if let Some(parent) = parent(n) {
            pool.tree_mut().attach(all[n as usize], all[parent as usize])?;
        }
    }
    Ok(pool)
}

fn step(parent: Option<Ref<'_, node::path>>, (mut path, key): (Mut<'_, node::path>, Ref<'_, node::key>)) {
    *path = parent.map_or(1.0, |parent| *parent).sin() * 3.7 + *key as f32;
}

fn bits(pool: &Pool<Node>) -> Vec<u32> {
    pool.iter().map(|(_, node)| node.path.to_bits()).collect()
}

#[test]
fn any_number_of_threads_leaves_the_same_bytes() -> Result<(), LinkError> {
    type Both<'a> = (Mut<'a, node::path>, Ref<'a, node::key>);
    let mut random = Rng::with_seed(3);
    for (shape, mut parent) in shapes() {
        let mut pool = grown(&mut *parent, &mut random)?;
        pool.tree_mut().cascade::<Ref<node::path>, Both>(step);
        let expected = bits(&pool);
        for threads in [1, 2, 3, 8] {
            let mut pool = pool.clone();
            pool.iter_mut().for_each(|(_, node)| node.path = 0.0);
            let rayon = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            rayon.install(|| pool.tree_mut().par_cascade::<Ref<node::path>, Both>(step));
            assert_eq!(bits(&pool), expected, "{shape} on {threads} threads");
            assert_eq!(pool.check_invariants(), Ok(()));

            // Links change, and so do the parts.
            let handles: Vec<_> = pool.handles().collect();
            for _ in 0..50 {
                let (child, parent) = (handles[random.usize(..handles.len())], handles[random.usize(..handles.len())]);
                let _ = pool.tree_mut().attach(child, parent);
            }
            let mut serial = pool.clone();
            serial.tree_mut().cascade::<Ref<node::path>, Both>(step);
            rayon.install(|| pool.tree_mut().par_cascade::<Ref<node::path>, Both>(step));
            assert_eq!(bits(&pool), bits(&serial), "{shape} on {threads} threads, changed");
            assert_eq!(pool.check_invariants(), Ok(()));
        }
    }
    Ok(())
}
