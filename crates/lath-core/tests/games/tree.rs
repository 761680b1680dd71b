//! Trees against a naive model: for each thing a parent and a `Vec` of children, three relations at
//! once, with despawns and reuse of slots in between. After every step all links are looked at.

use std::collections::{BTreeMap, BTreeSet};

use lath_core::{
    Attached, Branch, Cursor, Handle, LinkError, Mut, Orphans, Pool, Ref, Relation, Thing, Tree,
    TreeMut,
};

use crate::common::dice::Dice;

#[derive(Thing, Clone, Default, Debug)]
struct Node {
    key: u32,
    path: u64,
    size: u32,
}

type H = Handle<Node>;

struct Loose;
impl Relation for Loose {
    const ORPHANS: Orphans = Orphans::Detach;
}

struct Family;
impl Relation for Family {
    const ORPHANS: Orphans = Orphans::Adopt;
}

const RELATIONS: usize = 3;

fn tree_of(pool: &Pool<Node>, relation: usize) -> Tree<'_, Node> {
    [pool.tree_of::<Attached>(), pool.tree_of::<Loose>(), pool.tree_of::<Family>()][relation]
}

fn tree_mut(pool: &mut Pool<Node>, relation: usize) -> TreeMut<'_, Node> {
    match relation {
        0 => pool.tree_of_mut::<Attached>(),
        1 => pool.tree_of_mut::<Loose>(),
        _ => pool.tree_of_mut::<Family>(),
    }
}

/// One relation, as naively as can be.
#[derive(Clone, Default)]
struct Naive {
    orphans: Orphans,
    parent: BTreeMap<H, H>,
    children: BTreeMap<H, Vec<H>>,
}

impl Naive {
    fn kids(&self, node: H) -> Vec<H> {
        self.children.get(&node).cloned().unwrap_or_default()
    }

    fn ancestors(&self, node: H) -> Vec<H> {
        std::iter::successors(self.parent.get(&node).copied(), |at| self.parent.get(at).copied())
            .collect()
    }

    fn preorder(&self, node: H, into: &mut Vec<H>) {
        for child in self.kids(node) {
            into.push(child);
            self.preorder(child, into);
        }
    }

    fn postorder(&self, node: H, into: &mut Vec<H>) {
        for child in self.kids(node) {
            self.postorder(child, into);
        }
        into.push(node);
    }

    fn is_linked(&self, node: H) -> bool {
        self.parent.contains_key(&node) || !self.kids(node).is_empty()
    }

    fn detach(&mut self, node: H) {
        if let Some(parent) = self.parent.remove(&node) {
            self.children.get_mut(&parent).unwrap().retain(|child| *child != node);
        }
    }

    /// Puts a node among the children of a parent.
    fn put(&mut self, node: H, parent: H, at: usize) {
        self.children.entry(parent).or_default().insert(at, node);
        self.parent.insert(node, parent);
    }

    fn place(&self, node: H) -> Option<(H, usize)> {
        let parent = *self.parent.get(&node)?;
        Some((parent, self.kids(parent).iter().position(|child| *child == node).unwrap()))
    }

    fn is_at_or_below(&self, node: H, top: H) -> bool {
        node == top || self.ancestors(node).contains(&top)
    }

    /// Removes a node; answers which children go with it.
    fn remove(&mut self, node: H, orphans: Orphans) -> Vec<H> {
        let kids = self.kids(node);
        let place = self.place(node);
        for &child in &kids {
            self.detach(child);
        }
        self.detach(node);
        self.children.remove(&node);
        match (orphans, place) {
            (Orphans::Despawn, _) => return kids,
            (Orphans::Adopt, Some((parent, at))) => {
                for (n, &child) in kids.iter().enumerate() {
                    self.put(child, parent, at + n);
                }
            }
            _ => {}
        }
        Vec::new()
    }
}

struct Game {
    pool: Pool<Node>,
    live: BTreeSet<H>,
    dead: Vec<H>,
    trees: [Naive; RELATIONS],
    random: Dice,
    keys: u32,
}

impl Game {
    fn new(random: Dice) -> Self {
        let trees = [Orphans::Despawn, Orphans::Detach, Orphans::Adopt]
            .map(|orphans| Naive { orphans, ..Naive::default() });
        Self { pool: Pool::new(), live: BTreeSet::new(), dead: Vec::new(), trees, random, keys: 0 }
    }

    fn some(&mut self) -> H {
        match self.random.u8(..20) {
            0 => self.random.choice(&self.dead).copied().unwrap_or(H::NIL),
            1 => H::NIL,
            _ => self.random.choice(&self.live).copied().unwrap_or(H::NIL),
        }
    }

    fn node(&mut self) -> Node {
        self.keys += 1;
        Node { key: self.random.u32(..8), ..Node::default() }
    }

    /// Those who go with a thing, the thing included, out of the model.
    fn gone(&mut self, node: H, own: Option<Orphans>) -> Vec<H> {
        let mut list = vec![node];
        let mut done = 0;
        while done < list.len() {
            for tree in &mut self.trees {
                let orphans = own.filter(|_| done == 0).unwrap_or(tree.orphans);
                let with = tree.remove(list[done], orphans);
                list.extend(with.into_iter().filter(|child| self.live.contains(child)));
            }
            done += 1;
        }
        for node in &list {
            if self.live.remove(node) {
                self.dead.push(*node);
            }
        }
        list
    }

    fn step(&mut self) {
        let (a, b) = (self.some(), self.some());
        let relation = self.random.usize(..RELATIONS);
        let good = self.live.contains(&a) && self.live.contains(&b);
        let naive = &self.trees[relation];
        match self.random.u8(..160) {
            0..16 => {
                // A population around which all the rest can happen.
                let missing = 30usize.saturating_sub(self.live.len());
                for _ in 0..=missing.min(6) {
                    let node = self.node();
                    let staged = self.random.u8(..6) == 0;
                    let handle = if staged { self.pool.stage(node) } else { self.pool.spawn(node) };
                    self.live.insert(handle);
                }
            }
            16..24 => {
                let node = self.node();
                match self.pool.spawn_child(a, node) {
                    Ok(child) => {
                        let at = self.trees[0].kids(a).len();
                        self.trees[0].put(child, a, at);
                        self.live.insert(child);
                    }
                    Err(_) => assert!(!self.live.contains(&a)),
                }
            }
            24..58 | 100.. => {
                let way = self.random.u8(..6).saturating_sub(2);
                let result = match way {
                    0 => tree_mut(&mut self.pool, relation).attach(a, b),
                    1 => tree_mut(&mut self.pool, relation).attach_first(a, b),
                    2 => tree_mut(&mut self.pool, relation).attach_before(a, b),
                    _ => tree_mut(&mut self.pool, relation).attach_after(a, b),
                };
                let parent = if way < 2 { Some(b) } else { naive.parent.get(&b).copied() };
                match parent {
                    _ if !good => {
                        assert!(matches!(result, Err(LinkError::Stale { .. })), "{result:?}")
                    }
                    None => {
                        assert!(matches!(result, Err(LinkError::NoParent { .. })), "{result:?}")
                    }
                    Some(parent) if naive.is_at_or_below(parent, a) => {
                        assert!(matches!(result, Err(LinkError::Cycle { .. })), "{result:?}");
                    }
                    Some(parent) => {
                        assert_eq!(result, Ok(()));
                        let naive = &mut self.trees[relation];
                        if a != b {
                            naive.detach(a);
                            let kids = naive.kids(parent);
                            let at = match way {
                                0 => kids.len(),
                                1 => 0,
                                _ => {
                                    kids.iter().position(|kid| *kid == b).unwrap()
                                        + usize::from(way == 3)
                                }
                            };
                            naive.put(a, parent, at);
                        }
                    }
                }
            }
            58..61 => match tree_mut(&mut self.pool, relation).detach(a) {
                Ok(parent) => {
                    assert_eq!(parent, naive.parent.get(&a).copied());
                    self.trees[relation].detach(a);
                }
                Err(_) => assert!(!self.live.contains(&a)),
            },
            61..64 => {
                let result = tree_mut(&mut self.pool, relation).move_children(a, b);
                let kids = naive.kids(a);
                if !good {
                    assert!(matches!(result, Err(LinkError::Stale { .. })), "{result:?}");
                } else if a != b && kids.iter().any(|kid| naive.is_at_or_below(b, *kid)) {
                    assert!(matches!(result, Err(LinkError::Cycle { .. })), "{result:?}");
                } else {
                    assert_eq!(result, Ok(()));
                    for kid in if a == b { Vec::new() } else { kids } {
                        self.trees[relation].detach(kid);
                        let at = self.trees[relation].kids(b).len();
                        self.trees[relation].put(kid, b, at);
                    }
                }
            }
            64..70 => {
                let result = tree_mut(&mut self.pool, relation).swap(a, b);
                if !good {
                    assert!(matches!(result, Err(LinkError::Stale { .. })), "{result:?}");
                } else if a != b && (naive.is_at_or_below(a, b) || naive.is_at_or_below(b, a)) {
                    assert!(matches!(result, Err(LinkError::Cycle { .. })), "{result:?}");
                } else if a != b {
                    assert_eq!(result, Ok(()));
                    let naive = &mut self.trees[relation];
                    let places = [naive.place(a), naive.place(b)];
                    for (place, node) in places.into_iter().zip([b, a]) {
                        match place {
                            Some((parent, at)) => {
                                naive.children.get_mut(&parent).unwrap()[at] = node;
                                naive.parent.insert(node, parent);
                            }
                            None => _ = naive.parent.remove(&node),
                        }
                    }
                }
            }
            70..75 => {
                let result = tree_mut(&mut self.pool, relation)
                    .sort_children_by(a, |a, b| a.key.cmp(&b.key));
                assert_eq!(result.is_ok(), self.live.contains(&a));
                let mut kids = self.trees[relation].kids(a);
                kids.sort_by_key(|kid| self.pool[*kid].key);
                if !kids.is_empty() {
                    self.trees[relation].children.insert(a, kids);
                }
            }
            75..80 => {
                assert_eq!(self.pool.despawn(a), self.live.contains(&a));
                self.gone_if_live(a, None);
            }
            80..84 => {
                let orphans =
                    [Orphans::Despawn, Orphans::Detach, Orphans::Adopt][self.random.usize(..3)];
                assert_eq!(self.pool.despawn_with(a, orphans), self.live.contains(&a));
                self.gone_if_live(a, Some(orphans));
            }
            84..87 => {
                assert_eq!(self.pool.take(a).is_some(), self.live.contains(&a));
                self.gone_if_live(a, None);
            }
            87..89 => {
                let epoch = u64::from(self.keys);
                assert_eq!(self.pool.despawn_after(a, epoch), self.live.contains(&a));
                let gone = self.gone_if_live(a, None);
                let distinct: BTreeSet<H> = gone.into_iter().collect();
                assert_eq!(self.pool.reap(epoch) as usize, distinct.len());
            }
            89..91 => {
                let key = self.random.u32(..40);
                self.pool.commit();
                let keys: BTreeMap<H, u32> =
                    self.pool.iter().map(|(handle, node)| (handle, node.key)).collect();
                self.pool.retain(|_, node| node.key != key);
                // In slot order, as the pool does; those that went with another are not asked
                // about.
                for (node, _) in keys.into_iter().filter(|(_, its)| *its == key) {
                    self.gone_if_live(node, None);
                }
                let gone: Vec<H> =
                    self.live.iter().copied().filter(|node| !self.pool.contains(*node)).collect();
                assert!(gone.is_empty(), "{gone:?} went by `retain`");
            }
            91..93 => {
                let copy = self.pool.clone();
                assert_eq!(copy.check_invariants(), Ok(()));
                self.pool = copy;
            }
            93..95 => self.take_tree(a),
            95..97 => self.walk_with_cursor(a),
            97 => {
                let branch = Branch::new(self.node())
                    .with(Branch::new(self.node()).with(self.node()))
                    .with(self.node());
                let root = self.pool.spawn_tree(branch);
                let below: Vec<H> = self.pool.tree().descendants(root).collect();
                let [first, deep, second] = below[..] else { panic!("{below:?}") };
                for (child, parent, at) in [(first, root, 0), (second, root, 1), (deep, first, 0)] {
                    self.trees[0].put(child, parent, at);
                }
                self.live.extend([root, first, second, deep]);
            }
            _ if self.random.u8(..10) == 0 => {
                self.pool.clear();
                self.dead.extend(std::mem::take(&mut self.live));
                for tree in &mut self.trees {
                    (tree.parent, tree.children) = Default::default();
                }
            }
            _ => _ = self.pool.commit(),
        }
    }

    fn gone_if_live(&mut self, node: H, own: Option<Orphans>) -> Vec<H> {
        if self.live.contains(&node) { self.gone(node, own) } else { Vec::new() }
    }

    fn take_tree(&mut self, top: H) {
        let taken = self.pool.take_tree(top);
        assert_eq!(taken.is_some(), self.live.contains(&top));
        let Some(taken) = taken else { return };
        let mut list = vec![top];
        self.trees[0].preorder(top, &mut list);
        assert!(taken.iter().map(|(was, ..)| was).eq(list.iter().copied()));
        for (place, &node) in list.iter().enumerate() {
            let parent = taken.iter().nth(place).unwrap().1.map(|at| list[at]);
            assert_eq!(parent, self.trees[0].parent.get(&node).copied().filter(|_| place > 0));
        }
        let shape: Vec<_> = taken.iter().map(|(_, parent, node)| (parent, node.key)).collect();
        for &node in list.iter().rev() {
            self.gone(node, Some(Orphans::Detach));
        }
        // And back in, under other handles.
        let mut fixed = 0;
        let root = self.pool.graft(taken, |_, map| {
            fixed += 1;
            assert!(list.iter().all(|was| map.get(*was).is_some()));
        });
        assert_eq!(fixed, list.len());
        let now: Vec<H> = std::iter::once(root).chain(self.pool.tree().descendants(root)).collect();
        assert_eq!(now.len(), shape.len());
        for (&node, &(parent, key)) in now.iter().zip(&shape) {
            assert_eq!(self.pool[node].key, key);
            self.live.insert(node);
            if let Some(parent) = parent {
                let at = self.trees[0].kids(now[parent]).len();
                self.trees[0].put(node, now[parent], at);
            }
        }
    }

    /// Walks with a cursor and despawns here and there on the way.
    fn walk_with_cursor(&mut self, top: H) {
        let mut expected = Vec::new();
        self.trees[0].preorder(top, &mut expected);
        let mut cursor = Cursor::below(top);
        let mut seen = Vec::new();
        while let Some(at) = cursor.next(self.pool.tree()) {
            seen.push(at);
            if self.random.u8(..8) == 0 {
                self.pool.despawn(at);
                let gone = self.gone(at, None);
                // Only what was below it in this tree goes from the walk, or what other relations
                // took along.
                expected.retain(|node| seen.contains(node) || !gone.contains(node));
            }
            if !self.live.contains(&top) {
                return;
            }
        }
        let left: Vec<H> = expected.into_iter().filter(|node| self.live.contains(node)).collect();
        seen.retain(|node| self.live.contains(node));
        assert_eq!(seen, left);
    }

    fn assert_same(&mut self) {
        assert_eq!(self.pool.check_invariants(), Ok(()));
        let there: BTreeSet<H> = self.pool.iter_with_staged().map(|(handle, _)| handle).collect();
        assert_eq!(there, self.live);
        for (relation, naive) in self.trees.iter().enumerate() {
            let tree = tree_of(&self.pool, relation);
            assert_eq!(tree.check(), Ok(()));
            for &node in &self.live {
                let kids = naive.kids(node);
                assert_eq!(
                    tree.children(node).collect::<Vec<_>>(),
                    kids,
                    "children of {node} in {relation}"
                );
                assert!(tree.children(node).rev().eq(kids.iter().rev().copied()));
                assert_eq!(tree.parent(node), naive.parent.get(&node).copied());
                assert_eq!(
                    (tree.first_child(node), tree.last_child(node)),
                    (kids.first().copied(), kids.last().copied())
                );
                assert_eq!(tree.child_count(node), kids.len());
                assert_eq!(tree.is_linked(node), naive.is_linked(node));
                let siblings = naive.place(node).map(|(parent, at)| (naive.kids(parent), at));
                let beside = |by: isize| {
                    siblings
                        .as_ref()
                        .and_then(|(all, at)| all.get(at.checked_add_signed(by)?).copied())
                };
                assert_eq!(
                    (tree.next_sibling(node), tree.prev_sibling(node)),
                    (beside(1), beside(-1))
                );
                let ancestors = naive.ancestors(node);
                assert!(tree.ancestors(node).eq(ancestors.iter().copied()));
                assert_eq!(
                    (tree.depth(node), tree.root_of(node)),
                    (ancestors.len(), *ancestors.last().unwrap_or(&node))
                );
                let (mut pre, mut post) = (Vec::new(), Vec::new());
                naive.preorder(node, &mut pre);
                naive.postorder(node, &mut post);
                assert_eq!(tree.descendants(node).collect::<Vec<_>>(), pre);
                assert!(
                    tree.post_order(node).eq(post.into_iter().filter(|_| naive.is_linked(node)))
                );
                assert!(
                    tree.leaves(node)
                        .eq(pre.into_iter().filter(|node| naive.kids(*node).is_empty()))
                );
            }
            let roots = self
                .live
                .iter()
                .filter(|node| !naive.parent.contains_key(node) && !naive.kids(**node).is_empty());
            assert!(tree.roots().eq(roots.copied()));
            for &node in &self.dead {
                assert!(!tree.is_linked(node) && tree.children(node).next().is_none());
            }
            if let (Some(a), Some(b)) =
                (self.random.choice(&self.live).copied(), self.random.choice(&self.live).copied())
            {
                let from_b: Vec<H> = std::iter::once(b).chain(naive.ancestors(b)).collect();
                let common = std::iter::once(a)
                    .chain(naive.ancestors(a))
                    .find(|above| from_b.contains(above));
                assert_eq!(tree.common_ancestor(a, b), common);
                assert_eq!(tree.is_ancestor(a, b), naive.ancestors(b).contains(&a));
            }
        }
        self.sweep();
    }

    /// `down`, `up` and `down_dirty` agree with the model.
    fn sweep(&mut self) {
        let relation = self.random.usize(..RELATIONS);
        let live: Vec<H> = self.pool.handles().collect();
        tree_mut(&mut self.pool, relation)
            .sweep::<Ref<node::path>, (Handle<Node>, Mut<node::path>)>()
            .down(lead);
        tree_mut(&mut self.pool, relation)
            .sweep::<Ref<node::size>, Mut<node::size>>()
            .up(|kids, me| count(kids, me));
        #[cfg(feature = "parallel")]
        self.assert_the_same_on_several_threads(relation);
        let naive = &self.trees[relation];
        let is_live = |node: &H| live.contains(node);
        for &node in &live {
            let mut above: Vec<H> = std::iter::once(node).chain(naive.ancestors(node)).collect();
            // A staged thing is not reached: whoever is below starts anew.
            if let Some(staged) = above.iter().position(|above| !is_live(above)) {
                above.truncate(staged);
            }
            let path = above
                .iter()
                .rev()
                .fold(1u64, |path, above| path.wrapping_mul(31) ^ above.to_bits());
            assert_eq!(self.pool[node].path, path, "the path of {node}");
            fn size(naive: &Naive, node: H, live: &dyn Fn(&H) -> bool) -> u32 {
                1 + naive
                    .kids(node)
                    .into_iter()
                    .filter(|kid| live(kid))
                    .map(|kid| size(naive, kid, live))
                    .sum::<u32>()
            }
            assert_eq!(self.pool[node].size, size(naive, node, &is_live), "the size of {node}");
        }
        // Every third is marked, all that is below it is reached, once.
        tree_mut(&mut self.pool, relation)
            .sweep::<Handle<Node>, Handle<Node>>()
            .down_dirty(|_, _| ());
        self.pool.iter_mut().for_each(|(_, node)| node.size = 0);
        let marked: Vec<H> =
            self.live.iter().copied().filter(|_| self.random.u8(..3) == 0).collect();
        for &node in &marked {
            assert!(tree_mut(&mut self.pool, relation).mark(node));
        }
        #[cfg(feature = "parallel")]
        let mut copy = self.pool.clone();
        let mut order = Vec::new();
        let reached = tree_mut(&mut self.pool, relation)
            .sweep::<Handle<Node>, (Handle<Node>, Mut<node::size>)>()
            .down_dirty(|parent, (me, mut size)| {
                *size += 1;
                order.push((parent, me));
            });
        #[cfg(feature = "parallel")]
        {
            let mut copy = tree_mut(&mut copy, relation);
            let visit = |_: Option<H>, mut size: Mut<node::size>| *size += 1;
            assert_eq!(
                copy.sweep::<Handle<Node>, Mut<node::size>>().par_down_dirty(visit),
                reached
            );
        }
        #[cfg(feature = "parallel")]
        assert!(copy.iter().all(|(node, copied)| self.pool[node].size == copied.size));
        let below = |node: &H| marked.iter().any(|top| naive.is_at_or_below(*node, *top));
        assert_eq!(reached, self.live.iter().filter(|node| below(node)).count());
        for &node in &live {
            assert_eq!(self.pool[node].size, u32::from(below(&node)), "{node}");
        }
        let at: BTreeMap<H, usize> =
            order.iter().enumerate().map(|(n, (_, me))| (*me, n)).collect();
        assert!(order.iter().all(|(parent, me)| {
            parent.is_none_or(|parent| at.get(&parent).is_none_or(|n| *n < at[me]))
        }));
    }

    /// `par_down` and `par_up` find what the other two have found.
    #[cfg(feature = "parallel")]
    fn assert_the_same_on_several_threads(&mut self, relation: usize) {
        let mut copy = self.pool.clone();
        copy.iter_mut().for_each(|(_, node)| (node.path, node.size) = (0, 0));
        tree_mut(&mut copy, relation)
            .sweep::<Ref<node::path>, (Handle<Node>, Mut<node::path>)>()
            .par_down(lead);
        tree_mut(&mut copy, relation)
            .sweep::<Ref<node::size>, Mut<node::size>>()
            .par_up(|kids, me| count(kids, me));
        for (node, copied) in copy.iter() {
            assert_eq!(
                (copied.path, copied.size),
                (self.pool[node].path, self.pool[node].size),
                "{node}"
            );
        }
    }
}

/// A path that is another for every way down.
fn lead(parent: Option<Ref<'_, node::path>>, (me, mut path): (H, Mut<'_, node::path>)) {
    *path = parent.map_or(1, |parent| *parent).wrapping_mul(31) ^ me.to_bits();
}

/// How many there are, with all that is below.
fn count<'x>(children: impl Iterator<Item = Ref<'x, node::size>>, mut size: Mut<'_, node::size>) {
    *size = 1 + children.map(|child| *child).sum::<u32>();
}

/// Plays at most so many steps.
pub(crate) fn play(dice: Dice, steps: usize) {
    let name = dice.to_string();
    let mut game = Game::new(dice);
    for step in 0..steps {
        if !game.random.next_step() {
            break;
        }
        let before = format!("{} things", game.live.len());
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            game.step();
            game.assert_same();
        }));
        if let Err(panic) = result {
            eprintln!("step {step} of {name}, {before}");
            std::panic::resume_unwind(panic);
        }
    }
}
