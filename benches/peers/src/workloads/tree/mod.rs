//! Trees: building, walking, moving, removing, and transforms from parent to child.

mod forest;
mod lath;
mod raw;
mod slotmap;

use fastrand::Rng;

use self::forest::{Forest, Transforms};
use self::lath::Lath;
use self::raw::Raw;
use self::slotmap::Slots;
use crate::workload::{Bar, Trial, Workload};
use crate::workloads::mix;

const THINGS: u32 = 100_000;

/// The parent of a thing in a tree of fan-out 8.
fn parent(number: u32) -> Option<u32> {
    number.checked_sub(1).map(|number| number / 8)
}

/// The parent of a thing in chains of 100.
fn link_before(number: u32) -> Option<u32> {
    (number % 100 != 0).then(|| number - 1)
}

/// Every question about trees.
pub(super) fn workloads() -> Vec<Workload> {
    macro_rules! compare {
        ($name:literal, $about:literal, $bar:literal, $trial:ident) => {
            Workload::new($name, $about, const { &[Bar::to_raw("lath-rows", $bar)] })
                .with("raw", $trial::<Raw<raw::Small>>::new)
                .with("slotmap", $trial::<Slots>::new)
                .with("lath-rows", $trial::<Lath<lath::Small>>::new)
        };
    }
    macro_rules! transforms {
        ($name:literal, $about:literal, $bar:literal, $parent:ident, $share:literal) => {
            Workload::new($name, $about, const { &[Bar::to_raw("lath-rows", $bar)] })
                .with("raw", || Update::<Raw<raw::Placed>>::new($parent, $share))
                .with("lath-rows", || Update::<Lath<lath::Placed>>::new($parent, $share))
        };
    }
    vec![
        compare!("tree-build", "spawn 100k things as a tree of fan-out 8", 2.0, Build),
        compare!("tree-walk", "walk 100k things depth first", 1.2, Walk),
        compare!("tree-reparent", "move 10k of 100k things below others, cycles refused", 1.9, Reparent),
        compare!("tree-despawn", "remove every other subtree of 100k things", 1.4, Despawn),
        transforms!("tree-transforms", "100k 3D transforms, fan-out 8, all changed", 1.5, parent, 100),
        transforms!("tree-transforms-1%", "100k 3D transforms, fan-out 8, 1 % changed", 1.4, parent, 1),
        transforms!("tree-chains", "3D transforms in 1000 chains of 100, all changed", 1.3, link_before, 100),
    ]
}

/// A tree, and the keys of its things by number.
fn grow<F: Forest>(parent: fn(u32) -> Option<u32>) -> (F, Vec<F::Key>) {
    let mut forest = F::new();
    let mut keys: Vec<F::Key> = Vec::with_capacity(THINGS as usize);
    for number in 0..THINGS {
        let key = match parent(number) {
            Some(parent) => forest.spawn_child(keys[parent as usize], number),
            None => forest.spawn(number),
        };
        keys.push(key);
    }
    (forest, keys)
}

/// The numbers below the root, in the order of a walk.
fn walked<F: Forest>(forest: &F, root: F::Key) -> u64 {
    let mut answer = 0;
    forest.walk(root, |number| answer = mix(answer, u64::from(number)));
    answer
}

struct Build<F: Forest>(Option<(F, Vec<F::Key>)>);

impl<F: Forest> Build<F> {
    fn new() -> Self {
        Self(None)
    }
}

impl<F: Forest> Trial for Build<F> {
    fn prepare(&mut self) {
        self.0 = None;
    }

    fn run(&mut self) {
        self.0 = Some(grow(parent));
    }

    fn answer(&mut self) -> u64 {
        self.0.as_ref().map_or(0, |(forest, keys)| walked(forest, keys[0]))
    }
}

struct Walk<F: Forest> {
    forest: F,
    root: F::Key,
    sum: u64,
}

impl<F: Forest> Walk<F> {
    fn new() -> Self {
        let (forest, keys) = grow::<F>(parent);
        Self { forest, root: keys[0], sum: 0 }
    }
}

impl<F: Forest> Trial for Walk<F> {
    fn run(&mut self) {
        let mut sum = 0u64;
        self.forest.walk(self.root, |number| sum += u64::from(number));
        self.sum = sum;
    }

    fn answer(&mut self) -> u64 {
        self.sum
    }
}

struct Reparent<F: Forest> {
    forest: F,
    keys: Vec<F::Key>,
    rng: Rng,
    moves: Vec<(u32, u32)>,
}

impl<F: Forest> Reparent<F> {
    fn new() -> Self {
        let (forest, keys) = grow::<F>(parent);
        Self { forest, keys, rng: Rng::with_seed(3), moves: Vec::new() }
    }
}

impl<F: Forest> Trial for Reparent<F> {
    /// Every run starts from the same shape: otherwise trees would grow deeper from run to run.
    fn prepare(&mut self) {
        (self.forest, self.keys) = grow(parent);
        self.moves.clear();
        self.moves.extend((0..10_000).map(|_| (self.rng.u32(1..THINGS), self.rng.u32(..THINGS))));
    }

    fn run(&mut self) {
        for &(child, parent) in &self.moves {
            self.forest.attach(self.keys[child as usize], self.keys[parent as usize]);
        }
    }

    fn answer(&mut self) -> u64 {
        walked(&self.forest, self.keys[0])
    }
}

struct Despawn<F: Forest> {
    forest: F,
    keys: Vec<F::Key>,
}

impl<F: Forest> Despawn<F> {
    fn new() -> Self {
        let (forest, keys) = grow(parent);
        Self { forest, keys }
    }
}

impl<F: Forest> Trial for Despawn<F> {
    fn prepare(&mut self) {
        (self.forest, self.keys) = grow(parent);
    }

    fn run(&mut self) {
        // The fourth level: 512 subtrees.
        for number in (73..585).step_by(2) {
            self.forest.despawn(self.keys[number]);
        }
    }

    fn answer(&mut self) -> u64 {
        walked(&self.forest, self.keys[0])
    }
}

struct Update<F: Transforms> {
    forest: F,
    keys: Vec<F::Key>,
    roots: Vec<F::Key>,
    marked: Option<Vec<F::Key>>,
}

impl<F: Transforms> Update<F> {
    /// `share` is how many in a hundred have changed.
    fn new(parent: fn(u32) -> Option<u32>, share: u32) -> Self {
        let (mut forest, keys) = grow::<F>(parent);
        let roots: Vec<_> =
            (0..THINGS).filter(|&number| parent(number).is_none()).map(|number| keys[number as usize]).collect();
        forest.update_all(&roots);
        let mut rng = Rng::with_seed(11);
        let mut pick = || keys[rng.usize(1..keys.len())];
        let marked = (share < 100).then(|| (0..THINGS / 100 * share).map(|_| pick()).collect());
        Self { forest, roots, marked, keys }
    }
}

impl<F: Transforms> Trial for Update<F> {
    fn run(&mut self) {
        match &self.marked {
            Some(marked) => self.forest.update_below(marked),
            None => self.forest.update_all(&self.roots),
        }
    }

    fn answer(&mut self) -> u64 {
        let worlds = self.keys.iter().map(|&key| self.forest.world(key));
        worlds.fold(0, |answer, world| world.iter().fold(answer, |answer, lane| mix(answer, u64::from(lane.to_bits()))))
    }
}
