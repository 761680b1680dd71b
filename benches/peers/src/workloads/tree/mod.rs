//! Trees: building, walking, moving, removing, and transforms from parent to child.

#[cfg(feature = "ecs")]
mod bevy;
#[cfg(feature = "flecs")]
mod flecs;
mod forest;
#[cfg(feature = "ecs")]
mod indextree;
mod lath;
mod linked;
mod raw;

use fastrand::Rng;

use self::forest::{Affine, Forest, Transforms};
use self::lath::Lath;
use self::linked::{InArena, InSlotMap, Links};
use self::raw::Raw;
use crate::workload::{Bar, Trial, Workload};
use crate::workloads::mix;

const THINGS: u32 = 100_000;

/// Which thing is the parent of which, and whether things are spawned in another order than that of
/// their numbers.
#[derive(Clone, Copy)]
struct Shape {
    parent: fn(u32) -> Option<u32>,
    shuffled: bool,
}

/// A tree of fan-out 8, parents first.
const FAN: Shape =
    Shape { parent: |number| number.checked_sub(1).map(|number| number / 8), shuffled: false };
const SHUFFLED: Shape = Shape { shuffled: true, ..FAN };
/// Chains of 100.
const CHAINS: Shape =
    Shape { parent: |number| (number % 100 != 0).then(|| number - 1), shuffled: false };
/// One parent, and the others are its children.
const SIBLINGS: Shape = Shape { parent: |number| (number != 0).then_some(0), shuffled: false };

/// How many things in a hundred have changed.
#[derive(Clone, Copy)]
enum Changed {
    All,
    Percent(u32),
}

/// Every question about trees.
pub(super) fn workloads() -> Vec<Workload> {
    macro_rules! compare {
        ($name:literal, $about:literal, $bars:expr, $trial:ident) => {{
            let workload = Workload::new($name, $about, const { $bars })
                .with("raw", $trial::<Raw<forest::Small>>::new)
                .with("slotmap", $trial::<Links<InSlotMap, forest::Small>>::new)
                .with("thunderdome", $trial::<Links<InArena, forest::Small>>::new);
            #[cfg(feature = "ecs")]
            let workload = workload
                .with("indextree", $trial::<indextree::Index<forest::Small>>::new)
                .with("bevy_ecs", $trial::<bevy::Bevy<bevy::Small>>::new);
            // To free siblings takes it a time that grows with the square of their number: minutes.
            #[cfg(feature = "flecs")]
            let workload = match $name {
                "tree-oldest" => workload,
                _ => workload.with("flecs", $trial::<flecs::Flecs<flecs::Small>>::new),
            };
            workload
                .with("lath-rows", $trial::<Lath<lath::Small>>::new)
                .with("lath-columns", $trial::<Lath<lath::ColumnSmall>>::new)
        }};
    }
    vec![
        compare!("tree-build", "spawn 100k things as a tree of fan-out 8", &[bar(2.0)], Build),
        compare!("tree-walk", "walk 100k things depth first", &[bar(1.2)], Walk),
        compare!(
            "tree-reparent",
            "move 10k of 100k things below others, cycles refused",
            &[bar(1.9)],
            Reparent
        ),
        compare!("tree-despawn", "remove every other subtree of 100k things", &[bar(1.4)], Despawn),
        compare!("tree-oldest", "remove the oldest of 100k siblings, 100 times", &[], Oldest),
        transforms(
            "tree-transforms",
            "100k 3D transforms, fan-out 8, all changed",
            const { &[bar(1.5)] },
            FAN,
            Changed::All,
        ),
        transforms(
            "tree-transforms-1%",
            "100k 3D transforms, fan-out 8, 1 % changed",
            const { &[bar(1.4)] },
            FAN,
            Changed::Percent(1),
        ),
        transforms(
            "tree-transforms-0%",
            "100k 3D transforms, fan-out 8, nothing changed, 100 times",
            &[],
            FAN,
            Changed::Percent(0),
        ),
        transforms(
            "tree-transforms-shuffled",
            "100k 3D transforms, fan-out 8, spawned in random order, all changed",
            &[],
            SHUFFLED,
            Changed::All,
        ),
        transforms(
            "tree-chains",
            "3D transforms in 1000 chains of 100, all changed",
            const { &[bar(1.3)] },
            CHAINS,
            Changed::All,
        ),
        on_two_threads(
            "tree-threads",
            "100k 3D transforms, fan-out 8, all changed, on two threads",
            FAN,
            Changed::All,
        ),
        on_two_threads(
            "tree-threads-10%",
            "100k 3D transforms, fan-out 8, 10 % changed, on two threads",
            FAN,
            Changed::Percent(10),
        ),
    ]
}

const fn bar(at_most: f64) -> Bar {
    Bar::to_raw("lath-rows", at_most)
}

fn transforms(
    name: &'static str,
    about: &'static str,
    bars: &'static [Bar],
    shape: Shape,
    changed: Changed,
) -> Workload {
    let workload = Workload::new(name, about, bars)
        .with("raw", move || Update::<Raw<forest::Placed>>::new(shape, changed))
        .with("slotmap", move || Update::<Links<InSlotMap, forest::Placed>>::new(shape, changed))
        .with("thunderdome", move || Update::<Links<InArena, forest::Placed>>::new(shape, changed));
    #[cfg(feature = "ecs")]
    let workload = workload
        .with("indextree", move || Update::<indextree::Index<forest::Placed>>::new(shape, changed))
        .with("bevy_ecs", move || Update::<bevy::Bevy<bevy::Placed>>::new(shape, changed))
        .with("bevy_transform", move || Update::<bevy::BevyTransform>::new(shape, changed));
    #[cfg(feature = "flecs")]
    let workload =
        workload.with("flecs", move || Update::<flecs::Flecs<flecs::Placed>>::new(shape, changed));
    workload
        .with("lath-rows", move || Update::<Lath<lath::Placed>>::new(shape, changed))
        .with("lath-columns", move || Update::<Lath<lath::ColumnPlaced>>::new(shape, changed))
}

/// What a second thread brings. The hand-written code has one.
fn on_two_threads(
    name: &'static str,
    about: &'static str,
    shape: Shape,
    changed: Changed,
) -> Workload {
    Workload::new(name, about, &[])
        .with("raw", move || Update::<Raw<forest::Placed>>::new(shape, changed))
        .with("lath-rows", move || Update::<Lath<lath::Placed>>::new(shape, changed))
        .with("lath-rows-2", move || Update::<Lath<lath::Placed, 2>>::new(shape, changed))
}

/// A tree, and the keys of its things by number.
fn grow<F: Forest>(shape: Shape) -> (F, Vec<F::Key>) {
    let mut forest = F::new();
    if shape.shuffled {
        let mut order: Vec<u32> = (0..THINGS).collect();
        Rng::with_seed(17).shuffle(&mut order);
        let mut keys: Vec<_> =
            order.into_iter().map(|number| (number, forest.spawn(number))).collect();
        keys.sort_unstable_by_key(|&(number, _)| number);
        let keys: Vec<F::Key> = keys.into_iter().map(|(_, key)| key).collect();
        for number in 0..THINGS {
            if let Some(parent) = (shape.parent)(number) {
                forest.attach(keys[number as usize], keys[parent as usize]);
            }
        }
        return (forest, keys);
    }
    let mut keys: Vec<F::Key> = Vec::with_capacity(THINGS as usize);
    for number in 0..THINGS {
        let key = match (shape.parent)(number) {
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
        self.0 = Some(grow(FAN));
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
        let (forest, keys) = grow::<F>(FAN);
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
        let (forest, keys) = grow::<F>(FAN);
        Self { forest, keys, rng: Rng::with_seed(3), moves: Vec::new() }
    }
}

impl<F: Forest> Trial for Reparent<F> {
    /// Every run starts from the same shape: otherwise trees would grow deeper from run to run.
    fn prepare(&mut self) {
        (self.forest, self.keys) = grow(FAN);
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
        let (forest, keys) = grow(FAN);
        Self { forest, keys }
    }
}

impl<F: Forest> Trial for Despawn<F> {
    fn prepare(&mut self) {
        (self.forest, self.keys) = grow(FAN);
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

/// The children of one thing.
struct Oldest<F: Forest> {
    forest: F,
    keys: Vec<F::Key>,
}

impl<F: Forest> Oldest<F> {
    fn new() -> Self {
        let (forest, keys) = grow(SIBLINGS);
        Self { forest, keys }
    }
}

impl<F: Forest> Trial for Oldest<F> {
    fn prepare(&mut self) {
        (self.forest, self.keys) = grow(SIBLINGS);
    }

    fn run(&mut self) {
        for &oldest in &self.keys[1..=100] {
            self.forest.despawn(oldest);
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
    /// Those that have changed, if not all have.
    marked: Option<Vec<F::Key>>,
    /// How often a run does it: nothing to do is done too quickly for the clock.
    times: u32,
    /// What should come out, if it is to be known before.
    expected: Option<Vec<Affine>>,
}

impl<F: Transforms> Update<F> {
    fn new(shape: Shape, changed: Changed) -> Self {
        let (mut forest, keys) = grow::<F>(shape);
        let is_root = |number: &u32| (shape.parent)(*number).is_none();
        let roots: Vec<u32> = (0..THINGS).filter(is_root).collect();
        let expected = (!F::EXACT).then(|| {
            let (mut raw, keys) = grow::<Raw<forest::Placed>>(shape);
            raw.update_all(&roots.iter().map(|&number| keys[number as usize]).collect::<Vec<_>>());
            keys.iter().map(|&key| raw.world(key)).collect()
        });
        let roots: Vec<F::Key> = roots.into_iter().map(|number| keys[number as usize]).collect();
        forest.update_all(&roots);
        let mut rng = Rng::with_seed(11);
        let mut pick = || keys[rng.usize(1..keys.len())];
        let (marked, times) = match changed {
            Changed::All => (None, 1),
            Changed::Percent(0) => (Some(Vec::new()), 100),
            Changed::Percent(share) => {
                (Some((0..THINGS / 100 * share).map(|_| pick()).collect()), 1)
            }
        };
        Self { forest, roots, marked, keys, times, expected }
    }
}

impl<F: Transforms> Trial for Update<F> {
    fn prepare(&mut self) {
        self.forest.touch(self.marked.as_ref().unwrap_or(&self.keys));
    }

    fn run(&mut self) {
        for _ in 0..self.times {
            match &self.marked {
                Some(marked) => self.forest.update_below(std::hint::black_box(marked)),
                None => self.forest.update_all(&self.roots),
            }
        }
    }

    /// Of the bits. Where those may differ: of the bits that there should be, if what is there is
    /// as good.
    fn answer(&mut self) -> u64 {
        let worlds = self.keys.iter().map(|&key| self.forest.world(key));
        let hash = |answer, world: Affine| {
            world.iter().fold(answer, |answer, lane| mix(answer, lane.to_bits().into()))
        };
        let Some(expected) = &self.expected else { return worlds.fold(0, hash) };
        let is_close = |(lane, expected): (&f32, &f32)| {
            (lane - expected).abs() <= 1e-3 * (1.0 + expected.abs())
        };
        let is_good =
            worlds.zip(expected).all(|(world, expected)| world.iter().zip(expected).all(is_close));
        if is_good { expected.iter().copied().fold(0, hash) } else { 0 }
    }
}
