//! Schedulers: three small systems that conflict in part, a hundred systems that do nothing, and
//! two that have much to do.

#[cfg(feature = "ecs")]
mod bevy;
#[cfg(feature = "ecs")]
mod evenio;
#[cfg(feature = "flecs")]
mod flecs;
mod heavy;
#[cfg(feature = "ecs")]
mod hecs;
mod lath;
#[cfg(feature = "ecs")]
mod legion;
#[cfg(feature = "ecs")]
mod shipyard;

use std::hint::black_box;

use crate::workload::{Bar, Trial, Workload};
use crate::workloads::mix;

const THREE: &[Bar] = &[Bar::to_raw("lath-serial", 1.1), Bar::to_raw("lath", 1.1)];
const EMPTY: &[Bar] = &[Bar::to_raw("lath-serial", 5.0), Bar::to_raw("lath", 10.0)];

/// How often the hundred empty systems run in one run.
const TIMES: u32 = 50;

pub(super) fn workloads() -> Vec<Workload> {
    vec![three("systems-3", 10_000, THREE), empty("systems-100", EMPTY), heavy::workload()]
}

/// A way to run the three systems: swap A with B in all, C with D where there is D, C with E where
/// there is E.
trait Three {
    /// A world of `each` things of each of the four sorts AB, ABC, ABCD, ABCE; `A` of the n-th
    /// thing is n, and so on.
    fn new(each: u32) -> Self;

    fn run(&mut self);

    /// A and C of all things, in the order in which they were put in.
    fn values(&mut self, f: impl FnMut(f32, f32));
}

/// Three systems over `each` things of each sort.
pub(super) fn three(name: &'static str, each: u32, bars: &'static [Bar]) -> Workload {
    let about = format!("three systems over 4 × {each} things");
    let workload =
        Workload::new(name, about, bars).with("raw", move || Steps::<RawThree>::new(each));
    #[cfg(feature = "ecs")]
    let workload = workload
        .with("hecs calls", move || Steps::<hecs::Three>::new(each))
        .with("bevy single", move || Steps::<bevy::ThreeSingle>::new(each))
        .with("bevy multi", move || Steps::<bevy::ThreeMulti>::new(each))
        .with("legion", move || Steps::<legion::Three>::new(each))
        .with("shipyard", move || Steps::<shipyard::Three>::new(each))
        .with("evenio", move || Steps::<evenio::Three>::new(each));
    #[cfg(feature = "flecs")]
    let workload = workload.with("flecs", move || Steps::<flecs::Three>::new(each));
    workload
        .with("lath-serial", move || Steps::<lath::ThreeSerial>::new(each))
        .with("lath", move || Steps::<lath::ThreeThreads>::new(each))
}

/// A hundred systems that do nothing.
pub(super) fn empty(name: &'static str, bars: &'static [Bar]) -> Workload {
    let workload = Workload::new(name, format!("100 empty systems, {TIMES} times"), bars)
        .with("raw", Table::new);
    #[cfg(feature = "ecs")]
    let workload = workload
        .with("bevy single", || Often(bevy::Empty::single()))
        .with("bevy multi", || Often(bevy::Empty::multi()))
        .with("legion", || Often(legion::Empty::new()))
        .with("shipyard", || Often(shipyard::Empty::new()))
        .with("evenio", || Often(evenio::Empty::new()));
    #[cfg(feature = "flecs")]
    let workload = workload.with("flecs", || Often(flecs::Empty::new()));
    workload
        .with("lath-serial", || Often(lath::Empty::serial()))
        .with("lath", || Often(lath::Empty::threads()))
}

/// Runs the three systems once.
struct Steps<T>(T);

impl<T: Three> Steps<T> {
    fn new(each: u32) -> Self {
        Self(T::new(each))
    }
}

impl<T: Three> Trial for Steps<T> {
    fn run(&mut self) {
        self.0.run();
    }

    fn answer(&mut self) -> u64 {
        let mut answer = 0;
        self.0.values(|a, c| {
            answer = mix(mix(answer, u64::from(a.to_bits())), u64::from(c.to_bits()))
        });
        answer
    }
}

/// Five columns of floats, packed, and where each sort begins.
struct RawThree {
    each: usize,
    a: Vec<f32>,
    b: Vec<f32>,
    c: Vec<f32>,
    d: Vec<f32>,
    e: Vec<f32>,
}

impl Three for RawThree {
    fn new(each: u32) -> Self {
        let each = each as usize;
        let count = 4 * each;
        let column =
            |offset: f32, from: usize, to: usize| (from..to).map(|n| n as f32 + offset).collect();
        Self {
            each,
            a: column(0.0, 0, count),
            b: column(0.25, 0, count),
            c: column(0.5, each, count),
            d: column(0.75, 2 * each, 3 * each),
            e: column(0.875, 3 * each, count),
        }
    }

    fn run(&mut self) {
        let Self { each, a, b, c, d, e } = self;
        let each = *each;
        a.swap_with_slice(b);
        c[each..2 * each].swap_with_slice(d);
        c[2 * each..].swap_with_slice(e);
    }

    fn values(&mut self, mut f: impl FnMut(f32, f32)) {
        let none = std::iter::repeat_n(&0.0, self.each);
        for (&a, &c) in self.a.iter().zip(none.chain(&self.c)) {
            f(a, c);
        }
    }
}

/// The values of the n-th thing: A, B, C, D, E; those that its sort does not have are 0.
fn parts(n: u32, each: u32) -> [f32; 5] {
    let value = |offset: f32, has: bool| if has { n as f32 + offset } else { 0.0 };
    let sort = n / each;
    [
        n as f32,
        n as f32 + 0.25,
        value(0.5, sort > 0),
        value(0.75, sort == 2),
        value(0.875, sort == 3),
    ]
}

/// A way to run a hundred empty systems.
trait Hundred {
    fn run(&mut self);
}

struct Often<H>(H);

impl<H: Hundred> Trial for Often<H> {
    fn run(&mut self) {
        (0..TIMES).for_each(|_| self.0.run());
    }

    fn answer(&mut self) -> u64 {
        0
    }
}

/// A hundred calls through a table.
struct Table(Vec<fn()>);

impl Table {
    fn new() -> Often<Self> {
        Often(Self(black_box((0..100).map(|_| empty_call as fn()).collect())))
    }
}

impl Hundred for Table {
    fn run(&mut self) {
        self.0.iter().for_each(|call| call());
    }
}

fn empty_call() {}
