//! Walks never allocate; linking, unlinking and sweeping do not after the first time.

#[path = "common/allocator.rs"]
mod allocator;

use allocator::assert_allocates_nothing;
use lath_core::{Cursor, Handle, Mut, Orphans, Pool, Ref, Relation, Thing};

#[derive(Thing, Clone, Default)]
struct Node {
    weight: u64,
    total: u64,
}

struct Carried;
impl Relation for Carried {
    const ORPHANS: Orphans = Orphans::Adopt;
}

const THINGS: usize = 2000;

/// Every way to link and to unlink, on things that are there.
fn edit(pool: &mut Pool<Node>, all: &[Handle<Node>]) {
    let (root, rest) = all.split_first().unwrap();
    for (n, &node) in rest.iter().enumerate() {
        pool.tree_mut().attach(node, all[n / 3]).unwrap();
        pool.tree_of_mut::<Carried>().attach_first(node, *root).unwrap();
    }
    let tree = &mut pool.tree_mut();
    for pair in rest.chunks_exact(2).step_by(5) {
        let _ = tree.swap(pair[0], pair[1]);
        let _ = tree.attach_after(pair[0], pair[1]);
        let _ = tree.attach_before(pair[0], pair[1]);
        let _ = tree.move_children(pair[0], pair[1]);
    }
    pool.tree_of_mut::<Carried>().sort_children_by(*root, |a, b| b.weight.cmp(&a.weight)).unwrap();
    for &node in rest.iter().step_by(7) {
        pool.tree_mut().detach(node).unwrap();
    }
}

fn sweep(pool: &mut Pool<Node>) {
    pool.tree_mut().sweep::<Ref<node::total>, (Mut<node::total>, Ref<node::weight>)>().down(
        |parent, (mut total, weight)| {
            *total = *weight + parent.map_or(0, |parent| *parent);
        },
    );
    pool.tree_mut().sweep::<Ref<node::total>, (Mut<node::total>, Ref<node::weight>)>().up(
        |children, (mut total, weight)| {
            *total = *weight + children.map(|child| *child).sum::<u64>();
        },
    );
}

fn sweep_marked(pool: &mut Pool<Node>, all: &[Handle<Node>]) {
    for &node in all.iter().step_by(10) {
        pool.tree_mut().mark(node);
    }
    pool.tree_mut()
        .sweep::<Ref<node::total>, Mut<node::total>>()
        .down_dirty(|_, mut total| *total = 0);
}

fn walk(pool: &mut Pool<Node>, all: &[Handle<Node>]) {
    let (tree, mut things) = pool.tree_and_things();
    let mut seen = 0;
    for &node in all.iter().step_by(50) {
        seen += tree.children(node).rev().count()
            + tree.ancestors(node).count()
            + tree.descendants(node).count();
        seen += tree.post_order(node).count()
            + tree.leaves(node).count()
            + tree.depth(node)
            + tree.child_count(node);
        seen += usize::from(tree.common_ancestor(node, all[0]).is_some());
        assert!(tree.children(node).all(|child| things.edit(child, |child| child.weight += 1)));
        let mut cursor = Cursor::below(node);
        while cursor.next(tree).is_some() {
            seen += 1;
        }
    }
    assert!(seen + tree.roots().count() > all.len());
}

#[test]
fn walks_edits_and_sweeps_allocate_nothing_after_the_first_time() {
    let mut pool = Pool::new();
    let mut all = Vec::with_capacity(THINGS);
    for round in 0..4 {
        let mut work = || {
            all.clear();
            for weight in 0..THINGS as u64 {
                all.push(pool.spawn(Node { weight: weight * 7919 % 100, total: 0 }));
            }
            edit(&mut pool, &all);
            sweep(&mut pool);
            sweep_marked(&mut pool, &all);
            walk(&mut pool, &all);
            pool.tree_mut().sweep::<Ref<node::total>, Ref<node::total>>().down_dirty(|_, _| ());
            pool.despawn_with(all[3], Orphans::Adopt);
            pool.despawn(all[0]);
            pool.retain(|_, _| false);
        };
        match round {
            0 | 1 => work(), // from the second on, what is moved is marked
            _ => assert_allocates_nothing("a round like those before", work),
        }
        assert_eq!((pool.len(), pool.check_invariants()), (0, Ok(())));
    }
}

/// Counted on a single thread: there are no others, and what the threads need among themselves is
/// rayon's business.
#[cfg(feature = "parallel")]
#[test]
fn sweeps_that_are_shared_out_allocate_nothing_after_the_first_time() {
    let mut pool = Pool::new();
    let all: Vec<_> =
        (0..THINGS as u64).map(|weight| pool.spawn(Node { weight, total: 0 })).collect();
    let thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut work = || {
        edit(&mut pool, &all);
        let mut tree = pool.tree_mut();
        tree.sweep::<Ref<node::total>, Mut<node::total>>()
            .par_down(|parent, mut me| *me = parent.map_or(0, |above| *above + 1));
        tree.sweep::<Ref<node::total>, Mut<node::total>>()
            .par_up(|children, mut me| *me = children.map(|below| *below).sum());
        all.iter().for_each(|&node| assert!(tree.mark(node)));
        assert!(
            tree.sweep::<Ref<node::total>, Mut<node::total>>().par_down_dirty(|_, mut me| *me = 0)
                == THINGS
        );
    };
    thread.install(|| {
        (0..3).for_each(|_| work()); // from the second on, what is moved is marked
        (0..3).for_each(|_| assert_allocates_nothing("a round like those before", &mut work));
    });
}

#[test]
fn a_first_walk_allocates_nothing_and_neither_does_a_pool_without_trees() {
    let mut pool = Pool::new();
    let all: Vec<_> =
        (0..THINGS as u64).map(|weight| pool.spawn(Node { weight, total: 0 })).collect();
    assert_allocates_nothing("asking a tree that is not there", || {
        assert_eq!(pool.tree().parent(all[5]), None);
        assert_eq!(pool.tree_of::<Carried>().roots().count(), 0);
    });
    for pair in all.windows(2) {
        pool.tree_mut().attach(pair[1], pair[0]).unwrap();
    }
    assert_allocates_nothing("a first walk", || walk(&mut pool, &all));
}

#[test]
fn links_that_were_reserved_are_there() {
    let mut pool = Pool::fixed(THINGS).unwrap();
    let all: Vec<_> =
        (0..THINGS as u64).map(|weight| pool.spawn(Node { weight, total: 0 })).collect();
    pool.tree_mut().reserve().unwrap();
    assert_allocates_nothing("linking", || {
        for pair in all.windows(2) {
            pool.tree_mut().attach(pair[1], pair[0]).unwrap();
        }
    });
}
