//! Loops over single floats: five components doubled in five loops; and a position that is moved by
//! a velocity where there is one, among a hundred thousand of one sort and a hundred of fifty.

#[cfg(feature = "ecs")]
mod ecs;

use std::hint::black_box;

use lath_core::bitflags::bitflags;
use lath_core::{Mut, Pool, Ref, View};
use slotmap::{DefaultKey, SlotMap};

use crate::things::both_ways;
use crate::workload::{Bar, Trial, Workload};

const BARS: &[Bar] = &[Bar::to_best("lath-columns", 1.0)];

/// How often the shortest loops run in one run: the clock would not see them otherwise.
const TIMES: u32 = 20;

pub(super) fn workloads() -> Vec<Workload> {
    vec![
        packed(),
        scalars("outside-iterate-100k", "position += velocity, 100000 × 2 floats", ONE_SORT),
        scalars(
            "outside-iterate-100-by-50",
            "position += velocity where there is one, 100 things of 50 sorts, 20 times",
            FIFTY_SORTS,
        ),
    ]
}

fn packed() -> Workload {
    let about = "double five floats of 1000 things in five loops, 20 times";
    let workload = Workload::new("outside-packed-5", about, BARS)
        .with("raw", Doubles::<RawFive>::new)
        .with("slotmap", Doubles::<SlotMap<DefaultKey, Five>>::new);
    #[cfg(feature = "ecs")]
    let workload = workload
        .with("hecs", Doubles::<ecs::HecsFive>::new)
        .with("bevy_ecs", Doubles::<ecs::BevyFive>::new)
        .with("evenio", Doubles::<ecs::EvenioFive>::new)
        .with("sparsey", Doubles::<ecs::SparseyFive>::new)
        .with("shipyard", Doubles::<ecs::ShipyardFive>::new);
    workload
        .with("lath-rows", Doubles::<Pool<Five>>::new)
        .with("lath-columns", Doubles::<Pool<ColumnFive>>::new)
}

/// How many sorts, and how many things of each with a velocity and without one.
#[derive(Clone, Copy)]
struct Mixture {
    sorts: usize,
    moving: u32,
    still: u32,
    times: u32,
}

const ONE_SORT: Mixture = Mixture { sorts: 1, moving: 100_000, still: 0, times: 1 };
/// 25 sorts, each with a velocity and without one: 50.
const FIFTY_SORTS: Mixture = Mixture { sorts: 25, moving: 2, still: 2, times: TIMES };

fn scalars(name: &'static str, about: &'static str, of: Mixture) -> Workload {
    let workload = Workload::new(name, about, BARS)
        .with("raw", move || Moves::<RawScalars>::new(of))
        .with("slotmap", move || Moves::<SlotMap<DefaultKey, Scalar>>::new(of));
    #[cfg(feature = "ecs")]
    let workload = workload
        .with("hecs", move || Moves::<ecs::Hecs>::new(of))
        .with("bevy_ecs", move || Moves::<ecs::Bevy>::new(of))
        .with("evenio", move || Moves::<ecs::Evenio>::new(of))
        .with("sparsey", move || Moves::<ecs::Sparsey>::new(of))
        .with("shipyard", move || Moves::<ecs::Shipyard>::new(of));
    workload
        .with("lath-rows", move || Moves::<Pool<Scalar>>::new(of))
        .with("lath-columns", move || Moves::<Pool<ColumnScalar>>::new(of))
}

/// Things of five floats.
trait OfFive: 'static {
    fn new() -> Self;

    /// Puts one in whose floats are n, n + 1 and so on.
    fn add(&mut self, n: f32);

    /// Multiplies the five, one loop after the other.
    fn scale(&mut self, by: f32);

    /// All floats added up: small whole numbers, exact.
    fn sum(&mut self) -> f64;
}

/// Doubled and halved in turn, so that they never run out of range.
struct Doubles<F> {
    things: F,
    next: f32,
}

impl<F: OfFive> Doubles<F> {
    fn new() -> Self {
        let mut things = F::new();
        (0..1_000_u16).for_each(|n| things.add(f32::from(n)));
        Self { things, next: 2.0 }
    }
}

impl<F: OfFive> Trial for Doubles<F> {
    fn run(&mut self) {
        for _ in 0..TIMES {
            self.things.scale(black_box(self.next));
            self.next = 1.0 / self.next;
        }
    }

    fn answer(&mut self) -> u64 {
        self.things.sum().to_bits()
    }
}

/// Things of one float, some of which have another.
trait Scalars: 'static {
    fn new() -> Self;

    /// Puts one in at `n`, and with a velocity of as much if it moves.
    fn add(&mut self, sort: usize, n: f32, moves: bool);

    /// Adds its velocity to the position of each that has one.
    fn step(&mut self);

    /// The positions of all, added up by their bits.
    fn sum(&mut self) -> u64;
}

/// Things that move on with every run.
struct Moves<S> {
    things: S,
    times: u32,
}

impl<S: Scalars> Moves<S> {
    fn new(of: Mixture) -> Self {
        let mut things = S::new();
        for sort in 0..of.sorts {
            (0..of.moving).for_each(|n| things.add(sort, (n % 1024) as f32, true));
            (0..of.still).for_each(|n| things.add(sort, (n % 1024) as f32, false));
        }
        Self { things, times: of.times }
    }
}

impl<S: Scalars> Trial for Moves<S> {
    fn run(&mut self) {
        for _ in 0..self.times {
            black_box(&mut self.things).step();
        }
    }

    fn answer(&mut self) -> u64 {
        self.things.sum()
    }
}

fn sum_of(sum: u64, position: f32) -> u64 {
    sum.wrapping_add(u64::from(position.to_bits()))
}

/// Five arrays.
#[derive(Default)]
struct RawFive([Vec<f32>; 5]);

impl OfFive for RawFive {
    fn new() -> Self {
        Self::default()
    }

    fn add(&mut self, n: f32) {
        self.0.iter_mut().zip(0_u8..).for_each(|(floats, more)| floats.push(n + f32::from(more)));
    }

    fn scale(&mut self, by: f32) {
        for floats in &mut self.0 {
            floats.iter_mut().for_each(|float| *float *= by);
        }
    }

    fn sum(&mut self) -> f64 {
        self.0.iter().flatten().copied().map(f64::from).sum()
    }
}

both_ways! {
    /// Five floats.
    Five, ColumnFive {
        a: f32,
        b: f32,
        c: f32,
        d: f32,
        e: f32,
    }
}

impl Five {
    fn number(n: f32) -> Self {
        Self { a: n, b: n + 1.0, c: n + 2.0, d: n + 3.0, e: n + 4.0 }
    }

    fn sum(&self) -> f64 {
        [self.a, self.b, self.c, self.d, self.e].into_iter().map(f64::from).sum()
    }
}

impl OfFive for SlotMap<DefaultKey, Five> {
    fn new() -> Self {
        Self::new()
    }

    fn add(&mut self, n: f32) {
        self.insert(Five::number(n));
    }

    fn scale(&mut self, by: f32) {
        self.values_mut().for_each(|five| five.a *= by);
        self.values_mut().for_each(|five| five.b *= by);
        self.values_mut().for_each(|five| five.c *= by);
        self.values_mut().for_each(|five| five.d *= by);
        self.values_mut().for_each(|five| five.e *= by);
    }

    fn sum(&mut self) -> f64 {
        self.values().map(Five::sum).sum()
    }
}

/// Those that move, and the others.
#[derive(Default)]
struct RawScalars {
    positions: Vec<f32>,
    velocities: Vec<f32>,
    still: Vec<f32>,
}

impl Scalars for RawScalars {
    fn new() -> Self {
        Self::default()
    }

    fn add(&mut self, _: usize, n: f32, moves: bool) {
        if moves {
            self.positions.push(n);
            self.velocities.push(n);
        } else {
            self.still.push(n);
        }
    }

    fn step(&mut self) {
        for (position, velocity) in self.positions.iter_mut().zip(&self.velocities) {
            *position += velocity;
        }
    }

    fn sum(&mut self) -> u64 {
        self.positions.iter().chain(&self.still).copied().fold(0, sum_of)
    }
}

bitflags! {
    /// A bit for a velocity, and one for each of the sorts.
    #[derive(Clone, Copy, Default, PartialEq)]
    pub(crate) struct Sort: u32 {
        const MOVES = 1;
        const _ = !0;
    }
}

impl Sort {
    fn new(sort: usize, moves: bool) -> Self {
        Self::from_bits_retain(2 << sort | u32::from(moves))
    }
}

both_ways! {
    /// A position, and a velocity that not all have.
    Scalar, ColumnScalar {
        #[thing(tags)]
        sort: Sort,
        position: f32,
        velocity: f32,
    }
}

impl Scalars for SlotMap<DefaultKey, Scalar> {
    fn new() -> Self {
        Self::new()
    }

    fn add(&mut self, sort: usize, n: f32, moves: bool) {
        self.insert(Scalar { sort: Sort::new(sort, moves), position: n, velocity: n });
    }

    fn step(&mut self) {
        let moving = self.values_mut().filter(|thing| thing.sort.contains(Sort::MOVES));
        moving.for_each(|thing| thing.position += thing.velocity);
    }

    fn sum(&mut self) -> u64 {
        self.values().map(|thing| thing.position).fold(0, sum_of)
    }
}

macro_rules! lath {
    ($five:ident, $of_five:ident, $scalar:ident, $of_scalar:ident, $moving:ident) => {
        impl OfFive for Pool<$five> {
            fn new() -> Self {
                Self::new()
            }

            fn add(&mut self, n: f32) {
                self.spawn(Five::number(n).into());
            }

            fn scale(&mut self, by: f32) {
                self.view_mut::<Mut<$of_five::a>>().each(|mut a| *a *= by);
                self.view_mut::<Mut<$of_five::b>>().each(|mut b| *b *= by);
                self.view_mut::<Mut<$of_five::c>>().each(|mut c| *c *= by);
                self.view_mut::<Mut<$of_five::d>>().each(|mut d| *d *= by);
                self.view_mut::<Mut<$of_five::e>>().each(|mut e| *e *= by);
            }

            fn sum(&mut self) -> f64 {
                let mut sum = 0.0;
                self.view::<Ref<$of_five::a>>().iter().for_each(|a| sum += f64::from(*a));
                self.view::<Ref<$of_five::b>>().iter().for_each(|b| sum += f64::from(*b));
                self.view::<Ref<$of_five::c>>().iter().for_each(|c| sum += f64::from(*c));
                self.view::<Ref<$of_five::d>>().iter().for_each(|d| sum += f64::from(*d));
                self.view::<Ref<$of_five::e>>().iter().for_each(|e| sum += f64::from(*e));
                sum
            }
        }

        #[derive(View)]
        #[view($scalar, with = Sort::MOVES)]
        struct $moving<'a> {
            position: &'a mut f32,
            velocity: &'a f32,
        }

        impl Scalars for Pool<$scalar> {
            fn new() -> Self {
                Self::new()
            }

            fn add(&mut self, sort: usize, n: f32, moves: bool) {
                let sort = Sort::new(sort, moves);
                self.spawn(Scalar { sort, position: n, velocity: n }.into());
            }

            fn step(&mut self) {
                self.view_mut::<$moving>()
                    .each(|$moving { position, velocity }| *position += *velocity);
            }

            fn sum(&mut self) -> u64 {
                self.view::<Ref<$of_scalar::position>>().iter().fold(0, |sum, at| sum_of(sum, *at))
            }
        }
    };
}

lath!(Five, five, Scalar, scalar, Moving);
lath!(ColumnFive, column_five, ColumnScalar, column_scalar, ColumnMoving);
