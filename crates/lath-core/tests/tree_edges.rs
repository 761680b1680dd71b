//! Trees at the edges: very deep ones, bad input, panics in the middle, slots that are used again.

use fastrand::Rng;
use std::collections::BTreeSet;

use lath_core::{Cursor, Handle, LinkError, Mut, Orphans, Pool, Ref, Reuse, Thing, Tree};

#[derive(Thing, Clone, Default, Debug)]
struct Node {
    key: u32,
    path: u64,
    size: u32,
}

type H = Handle<Node>;

/// A tree of random shape under one root, and all its things.
fn grown(count: u32) -> (Pool<Node>, Vec<H>) {
    let mut random = Rng::with_seed(7);
    let mut pool = Pool::new();
    let mut all = vec![pool.spawn(Node::default())];
    for key in 1..count {
        let parent = all[random.usize(..all.len())];
        all.push(pool.spawn_child(parent, Node { key, ..Node::default() }).unwrap());
    }
    (pool, all)
}

#[test]
fn a_chain_of_a_million_is_walked_swept_and_despawned() {
    const LENGTH: u32 = 1_000_000;
    let mut pool = Pool::new();
    let all: Vec<H> =
        pool.spawn_many((0..LENGTH).map(|key| Node { key, ..Node::default() })).collect();
    // Against the slots: every parent comes after its child.
    for pair in all.windows(2) {
        pool.tree_mut().attach(pair[0], pair[1]).unwrap();
    }
    let (&leaf, &root) = (all.first().unwrap(), all.last().unwrap());
    let tree = pool.tree();
    assert_eq!((tree.depth(leaf), tree.root_of(leaf)), (LENGTH as usize - 1, root));
    assert_eq!(tree.descendants(root).count(), LENGTH as usize - 1);
    assert!(tree.post_order(root).eq(all.iter().copied()));
    assert_eq!(tree.leaves(root).collect::<Vec<_>>(), [leaf]);
    assert_eq!(tree.common_ancestor(leaf, root), Some(root));
    assert_eq!(pool.check_invariants(), Ok(()));

    pool.tree_mut().sweep::<Ref<node::path>, Mut<node::path>>().down(|parent, mut path| {
        *path = parent.map_or(0, |parent| *parent + 1);
    });
    assert_eq!(pool[leaf].path, u64::from(LENGTH) - 1);
    pool.tree_mut().sweep::<Ref<node::size>, Mut<node::size>>().up(|children, mut size| {
        *size = 1 + children.map(|child| *child).sum::<u32>();
    });
    assert_eq!(pool[root].size, LENGTH);

    // All marked: every thing comes once, and no way up is gone twice.
    for &node in &all {
        pool.tree_mut().mark(node);
    }
    let mut count = 0;
    assert_eq!(pool.tree_mut().sweep::<H, H>().down_dirty(|_, _| count += 1), LENGTH as usize);
    assert_eq!(count, LENGTH);

    assert!(matches!(
        pool.tree_mut().attach(root, leaf),
        Err(LinkError::Cycle { levels: 999_999, .. })
    ));
    pool.despawn(all[LENGTH as usize / 2]);
    assert_eq!(pool.len(), LENGTH as usize / 2 - 1);
    let top = pool.take_tree(root).unwrap();
    assert_eq!((top.len(), pool.len()), (LENGTH as usize / 2 - 1, 0));
}

#[test]
fn an_error_changes_nothing() {
    let (mut pool, all) = grown(100);
    let (root, inner) = (all[0], all[1]);
    let leaf = pool.tree().leaves(root).next().unwrap();
    let other =
        Pool::<Node>::from_iter((0..300).map(|_| Node::default())).handles().last().unwrap();
    let gone = pool.spawn(Node::default());
    pool.despawn(gone);
    let before = pool.tree().draw(root, |node| node);
    let mut errors = 0;
    for bad in [H::NIL, gone, other] {
        let mut tree = pool.tree_mut();
        let results = [
            tree.attach(bad, root),
            tree.attach(leaf, bad),
            tree.attach_first(bad, root),
            tree.attach_first(leaf, bad),
            tree.attach_before(bad, leaf),
            tree.attach_before(leaf, bad),
            tree.attach_after(bad, leaf),
            tree.attach_after(leaf, bad),
            tree.detach(bad).map(drop),
            tree.move_children(bad, root),
            tree.move_children(root, bad),
            tree.swap(bad, root),
            tree.swap(root, bad),
            tree.sort_children_by(bad, |_, _| unreachable!()),
        ];
        for result in results {
            assert!(matches!(result, Err(LinkError::Stale { .. })), "{result:?}");
            errors += 1;
        }
        assert!(
            pool.spawn_child(bad, Node { key: 5, ..Node::default() })
                .is_err_and(|error| error.value.key == 5)
        );
    }
    assert_eq!(errors, 42);
    let mut tree = pool.tree_mut();
    let cycles = [
        tree.attach(root, root),
        tree.attach(root, leaf),
        tree.attach_first(root, leaf),
        tree.attach_before(root, leaf),
        tree.attach_after(root, leaf),
        tree.move_children(root, leaf),
        tree.swap(root, inner),
        tree.swap(inner, root),
    ];
    for result in cycles {
        assert!(matches!(result, Err(LinkError::Cycle { .. })), "{result:?}");
    }
    for result in [tree.attach_before(leaf, root), tree.attach_after(leaf, root)] {
        assert!(matches!(result, Err(LinkError::NoParent { .. })), "{result:?}");
    }
    assert_eq!(pool.tree().draw(root, |node| node), before);
    assert_eq!(pool.check_invariants(), Ok(()));
}

/// Whom a sweep over what is marked comes to, in the order of slots.
fn marked(pool: &mut Pool<Node>) -> Vec<H> {
    let mut seen = Vec::new();
    let count = pool.tree_mut().sweep::<H, H>().down_dirty(|_, me| seen.push(me));
    assert_eq!(count, seen.len());
    seen.sort();
    seen
}

#[test]
fn whatever_is_moved_is_marked_by_itself() {
    let mut pool = Pool::new();
    let [root, a, b, c, d] = [0; 5].map(|key| pool.spawn(Node { key, ..Node::default() }));
    for (child, parent) in [(a, root), (b, a), (d, c)] {
        pool.tree_mut().attach(child, parent).unwrap();
    }
    assert_eq!(marked(&mut pool), [], "nobody has asked for marks yet");
    pool.tree_mut().mark(root);
    assert_eq!(marked(&mut pool), [root, a, b]);

    pool.tree_mut().attach(c, root).unwrap();
    assert_eq!(marked(&mut pool), [c, d]);
    pool.tree_mut().detach(c).unwrap();
    assert_eq!(marked(&mut pool), [c, d]);
    pool.tree_mut().attach_before(c, a).unwrap();
    assert_eq!(marked(&mut pool), [c, d]);
    pool.tree_mut().attach_after(c, a).unwrap();
    assert_eq!(marked(&mut pool), [c, d]);
    pool.tree_mut().swap(b, d).unwrap();
    assert_eq!(marked(&mut pool), [b, d]);
    pool.tree_mut().move_children(c, a).unwrap();
    assert_eq!(marked(&mut pool), [b]);
    let fresh = pool.spawn_child(b, Node::default()).unwrap();
    assert_eq!(marked(&mut pool), [fresh]);
    assert_eq!(marked(&mut pool), []);
}

/// The things of a pool that have no parent, in slot order.
fn without_parent(pool: &Pool<Node>) -> Vec<H> {
    pool.handles().filter(|&me| pool.tree().parent(me).is_none()).collect()
}

#[test]
fn a_sweep_of_any_length_reaches_what_a_walk_does_parents_first_and_with_their_parents() {
    let mut random = Rng::with_seed(9);
    let (mut pool, mut all) = grown(1000);
    for round in 0..60 {
        // Things that are not linked, subtrees that have gone, roots that were children, and the
        // other way round.
        all.extend((0..random.u8(..100)).map(|_| pool.spawn(Node::default())));
        for _ in 0..random.u8(..20) {
            let [child, parent] = [(); 2].map(|()| all[random.usize(..all.len())]);
            match random.u8(..4) {
                0 => _ = pool.tree_mut().detach(child),
                1 => _ = pool.despawn(child),
                _ => _ = pool.tree_mut().attach(child, parent), // or not, if that is below it
            }
        }
        all.retain(|&me| pool.contains(me));
        marked(&mut pool);

        let marks: Vec<H> = (0..random.u8(..200)).map(|_| all[random.usize(..all.len())]).collect();
        let mut expected = Vec::new();
        marks.iter().for_each(|&top| assert!(pool.tree_mut().mark(top)));
        // By slot, in whatever order they were marked.
        for top in BTreeSet::from_iter(marks.iter().copied()) {
            let tree = pool.tree();
            if !tree.ancestors(top).any(|above| marks.contains(&above)) {
                expected.extend(
                    std::iter::once(top)
                        .chain(tree.descendants(top))
                        .map(|me| (tree.parent(me), me)),
                );
            }
        }
        let mut seen = Vec::new();
        let count =
            pool.tree_mut().sweep::<H, H>().down_dirty(|parent, me| seen.push((parent, me)));
        assert_eq!(
            (count, &seen),
            (expected.len(), &expected),
            "below the marks, in round {round}"
        );

        seen.clear();
        pool.tree_mut().sweep::<H, H>().down(|parent, me| seen.push((parent, me)));
        let (first, rest) = seen.split_at(without_parent(&pool).len());
        let expected: Vec<_> = without_parent(&pool).into_iter().map(|me| (None, me)).collect();
        assert_eq!(first, expected, "without a parent, in round {round}");
        let tree = pool.tree();
        assert!(
            rest.iter().all(|&(parent, me)| parent.is_some() && tree.parent(me) == parent),
            "in round {round}"
        );
        let mut reached: Vec<H> = seen.iter().map(|&(_, me)| me).collect();
        reached.sort();
        assert_eq!(reached, pool.handles().collect::<Vec<_>>(), "all, in round {round}");
        assert_eq!(pool.check_invariants(), Ok(()));
    }
}

#[test]
fn children_are_not_moved_to_their_own_parent_nor_below_themselves() {
    let mut pool = Pool::new();
    let [root, a, b, c] = [0; 4].map(|key| pool.spawn(Node { key, ..Node::default() }));
    for (child, parent) in [(a, root), (c, root), (b, a)] {
        pool.tree_mut().attach(child, parent).unwrap();
    }
    assert_eq!(pool.tree_mut().move_children(root, root), Ok(()));
    for (to, levels) in [(a, 0), (b, 1)] {
        match pool.tree_mut().move_children(root, to) {
            Err(LinkError::Cycle { child, parent, levels: found }) => {
                assert_eq!((child.index, parent.index, found), (a.index(), to.index(), levels));
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(pool.tree().children(root).eq([a, c]) && pool.tree().children(a).eq([b]));
}

#[test]
fn a_slot_that_is_used_again_has_no_links() {
    let mut pool = Pool::new();
    let root = pool.spawn(Node::default());
    let child = pool.spawn_child(root, Node::default()).unwrap();
    pool.despawn(child);
    let other = pool.spawn(Node::default());
    assert_eq!(other.index(), child.index());
    assert!(!pool.tree().is_linked(other) && !pool.tree().is_linked(child));
    assert_eq!(pool.tree().child_count(root), 0);
    pool.tree_mut().attach(other, root).unwrap();
    assert_eq!(pool.tree().parent(child), None);
    assert!(pool.tree_mut().attach(child, root).is_err());
}

/// Panics when it is dropped, if it was told to.
#[derive(Thing, Default)]
struct Touchy {
    bomb: bool,
    counter: Option<std::rc::Rc<std::cell::Cell<u32>>>,
}

impl Drop for Touchy {
    fn drop(&mut self) {
        if let Some(counter) = &self.counter {
            counter.set(counter.get() + 1);
        }
        assert!(!self.bomb, "boom");
    }
}

#[test]
fn a_drop_that_panics_does_not_keep_the_rest_of_the_subtree() {
    for way in 0..3 {
        let dropped = std::rc::Rc::new(std::cell::Cell::new(0));
        let mut pool = Pool::new();
        let touchy = |bomb| Touchy { bomb, counter: Some(dropped.clone()) };
        let root = pool.spawn(touchy(false));
        let top = pool.spawn_child(root, touchy(false)).unwrap();
        for n in 0..10 {
            let child = pool.spawn_child(top, touchy(n == 3)).unwrap();
            pool.spawn_child(child, touchy(false)).unwrap();
        }
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match way {
            0 => assert!(pool.despawn(top)),
            1 => assert!(pool.take(top).is_some()),
            _ => pool.retain(|handle, _| handle != top),
        }));
        assert!(result.is_err());
        assert_eq!((dropped.get(), pool.len()), (21, 1));
        assert_eq!(pool.check_invariants(), Ok(()));
        assert!(!pool.tree().is_linked(root));
    }
}

#[test]
fn a_comparison_that_panics_leaves_the_children_as_they_were() {
    let (mut pool, all) = grown(60);
    let before = pool.tree().draw(all[0], |node| node);
    let mut calls = 0;
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = pool.tree_mut().sort_children_by(all[0], |a, b| {
            calls += 1;
            assert!(calls < 2, "boom");
            b.key.cmp(&a.key)
        });
    }));
    assert!(result.is_err());
    assert_eq!(pool.tree().draw(all[0], |node| node), before);
    assert_eq!(pool.check_invariants(), Ok(()));
}

#[test]
fn children_are_changed_while_their_links_are_walked() {
    let (mut pool, all) = grown(50);
    let (tree, mut things) = pool.tree_and_things();
    for node in tree.descendants(all[0]) {
        let depth = tree.depth(node) as u32;
        things.edit(node, |node| node.size = depth);
        for sibling in tree.children(node).rev() {
            *things.view_mut::<Mut<node::path>>().get_mut(sibling).unwrap() += 1;
        }
    }
    assert!(all[1..].iter().all(|node| pool[*node].size as usize == pool.tree().depth(*node)));
}

#[test]
fn whole_subtrees_go_from_a_pool_with_one_tree_and_nothing_else_does() {
    let mut random = Rng::with_seed(11);
    let (mut pool, all) = grown(3000);
    let mut gone = std::collections::BTreeSet::new();
    while gone.len() < 2500 {
        let top = all[random.usize(1..all.len())];
        let below: Vec<H> = pool.tree().descendants(top).collect();
        let used = pool.len();
        assert_eq!(pool.despawn(top), gone.insert(top));
        gone.extend(&below);
        assert!(all.iter().all(|&who| pool.contains(who) != gone.contains(&who)));
        assert_eq!(pool.len() + gone.len(), 3000);
        assert!(pool.len() < used || below.is_empty());
        assert_eq!(pool.check_invariants(), Ok(()));
        assert_eq!(pool.stats().high_water, 3000);
    }
    // Their slots are used again, the lowest first.
    let mut free: Vec<u32> = gone.iter().map(|who| who.index()).collect();
    free.sort();
    let again: Vec<u32> = free.iter().map(|_| pool.spawn(Node::default()).index()).collect();
    assert_eq!(again, free);
}

/// A picture, made level by level.
fn drawn(tree: Tree<'_, Node>, at: H, indent: &str, picture: &mut String) {
    let children: Vec<H> = tree.children(at).collect();
    for (n, &child) in children.iter().enumerate() {
        let (branch, below) =
            if n + 1 == children.len() { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        *picture += &format!("{indent}{branch}{child}\n");
        drawn(tree, child, &format!("{indent}{below}"), picture);
    }
}

#[test]
fn a_picture_shows_every_thing_below_its_parent_from_wherever_it_is_drawn() {
    let (pool, all) = grown(200);
    for &top in &all {
        let mut expected = format!("{top}\n");
        drawn(pool.tree(), top, "", &mut expected);
        assert_eq!(pool.tree().draw(top, |who| who), expected);
    }
}

#[test]
fn a_cursor_goes_on_or_past_what_is_below_wherever_it_is() {
    let (pool, all) = grown(300);
    let (tree, mut random) = (pool.tree(), Rng::with_seed(3));
    for _ in 0..300 {
        let top = all[random.usize(..all.len())];
        let below: Vec<H> = tree.descendants(top).collect();
        let (mut cursor, mut reached) = (Cursor::below(top), 0);
        loop {
            let skips = random.bool();
            let found = if skips { cursor.skip(tree) } else { cursor.next(tree) };
            if skips && reached > 0 {
                reached += tree.descendants(below[reached - 1]).count();
            }
            assert_eq!(found, below.get(reached).copied());
            if found.is_none() {
                break;
            }
            reached += 1;
        }
    }
}

#[test]
fn a_cursor_goes_on_after_a_thing_that_has_gone_and_ends_at_one_that_was_moved_away() {
    for skips in [false, true] {
        let step = |cursor: &mut Cursor<Node>, pool: &Pool<Node>| match skips {
            true => cursor.skip(pool.tree()),
            false => cursor.next(pool.tree()),
        };
        let mut pool = Pool::new();
        let [hull, mast, flag, oar, quay, crane] = [(); 6].map(|()| pool.spawn(Node::default()));
        for (child, parent) in [(mast, hull), (oar, hull), (flag, mast)] {
            pool.tree_mut().attach(child, parent).unwrap();
        }
        let mut cursor = Cursor::below(hull);
        assert_eq!(step(&mut cursor, &pool), Some(mast));
        assert!(pool.despawn(mast));
        assert_eq!(step(&mut cursor, &pool), Some(oar));
        for child in [oar, crane] {
            pool.tree_mut().attach(child, quay).unwrap();
        }
        assert_eq!(step(&mut cursor, &pool), None);
    }
}

#[test]
fn things_are_there_and_seen_beside_the_tree_if_they_are_in_the_pool() {
    let mut pool: Pool<Node> = (0..100).map(|key| Node { key, ..Node::default() }).collect();
    let all: Vec<H> = pool.handles().collect();
    assert!(pool.despawn(all[7]));
    let (_, things) = pool.tree_and_things();
    for (key, &who) in all.iter().enumerate() {
        assert_eq!(things.contains(who), key != 7);
        let seen = things.view::<Ref<node::key>>().get(who).map(|key| *key as usize);
        assert_eq!(seen, (key != 7).then_some(key));
    }
}

/// As `Node`, with something to drop: such things go one by one.
#[derive(Thing, Clone, Default, Debug)]
struct Named {
    name: String,
}

/// The slots that are handed out after a family has gone together, and after everything has.
fn slots_after<T: Thing>(reuse: Reuse) -> Vec<u32> {
    let mut pool = Pool::<T>::new();
    pool.set_reuse(reuse);
    let all: Vec<Handle<T>> = (0..200).map(|_| pool.spawn(T::default())).collect();
    for n in 1..100 {
        pool.tree_mut().attach(all[n * 37 % 199 + 1], all[0]).unwrap();
    }
    assert!(pool.despawn_with(all[0], Orphans::Despawn));
    assert_eq!(pool.len(), 100);
    let mut slots: Vec<u32> = (0..120).map(|_| pool.spawn(T::default()).index()).collect();
    pool.clear();
    slots.extend((0..50).map(|_| pool.spawn(T::default()).index()));
    slots
}

#[test]
fn slots_of_a_family_come_in_the_order_of_reuse_whether_or_not_there_is_something_to_drop() {
    for reuse in [Reuse::Lowest, Reuse::Lifo, Reuse::Fifo] {
        assert_eq!(slots_after::<Node>(reuse), slots_after::<Named>(reuse), "{reuse:?}");
    }
    assert_ne!(slots_after::<Node>(Reuse::Lifo), slots_after::<Node>(Reuse::Lowest));
}

#[test]
fn a_cursor_says_where_it_is_and_things_are_seen_and_changed_meanwhile() {
    let (mut pool, all) = grown(200);
    let mut cursor = Cursor::below(all[0]);
    assert_eq!(cursor.at(), all[0]);
    while let Some(who) = cursor.next(pool.tree()) {
        assert_eq!(cursor.at(), who);
    }
    let (tree, mut things) = pool.tree_and_things();
    for who in tree.descendants(all[0]) {
        let above =
            tree.parent(who).and_then(|parent| things.get(parent)).map(|parent| parent.path);
        things.get_mut(who).unwrap().path = above.unwrap() + 1;
    }
    for &who in &all {
        assert_eq!(pool[who].path, pool.tree().ancestors(who).count() as u64);
    }
}
