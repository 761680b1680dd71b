//! Walks over a worn container: filled, thinned, refilled, and scattered down to what its occupancy
//! says.

use fastrand::Rng;
use lath_core::{Rows, Thing};

use crate::candidates::{LathRows, RawPacked, SlotMapBasic, SlotMapDense, SlotMapHop, Thunderdome};
use crate::store::Walk;
use crate::things::{Large, Sample, Small};
use crate::workload::{Bar, Point, Trial, Workload};

const SLOTS: u32 = 100_000;

/// Faster than slotmap's at every occupancy, whatever raw does: packing moves things, and handles
/// would have to follow.
const BARS: &[Bar] = &[Bar { candidate: "lath-rows", against: "slotmap", at_most: 1.0 }];

/// Reading and changing, small things and large, by occupancy.
pub(super) fn workloads() -> Vec<Workload> {
    let mut all = Vec::new();
    for percent in [100, 90, 50, 10, 1] {
        all.push(compare::<Sum, Small>(percent));
        all.push(compare::<Sum, Large>(percent));
        all.push(compare::<Step, Small>(percent));
        all.push(compare::<Step, Large>(percent));
    }
    all
}

fn compare<D: Deed<T>, T: Sample + Thing<Storage = Rows<T>>>(percent: u32) -> Workload {
    let (deed, size) = (D::NAME, size_of::<T>());
    let name = format!("iterate-worn-{percent}-{deed}-{size}");
    Workload::new(name, format!("{deed} {size}-byte things, {percent} % of 100k slots, worn"), BARS)
        .with("raw", move || Walks::<D, T, RawPacked<T>>::new(percent))
        .with("slotmap", move || Walks::<D, T, SlotMapBasic<T>>::new(percent))
        .with("slotmap-hop", move || Walks::<D, T, SlotMapHop<T>>::new(percent))
        .with("slotmap-dense", move || Walks::<D, T, SlotMapDense<T>>::new(percent))
        .with("thunderdome", move || Walks::<D, T, Thunderdome<T>>::new(percent))
        .with("lath-rows", move || Walks::<D, T, LathRows<T>>::new(percent))
        .at(Point {
            chart: "occupancy",
            title: "Cost of a walk by occupancy, 100k slots, worn",
            plot: format!("{deed}, {size} bytes"),
            axis: "% of the slots are live",
            x: f64::from(percent),
            things: SLOTS / 100 * percent,
        })
}

/// What is done to every thing.
trait Deed<T>: 'static {
    const NAME: &'static str;

    /// Returns what came out, if anything did.
    fn run(store: &mut impl Walk<T>) -> u64;
}

/// Adds up the fields.
struct Sum;

impl<T: Sample> Deed<T> for Sum {
    const NAME: &'static str = "sum";

    #[inline]
    fn run(store: &mut impl Walk<T>) -> u64 {
        sum(store)
    }
}

/// Changes every thing by what another of its fields says.
struct Step;

impl<T: Sample> Deed<T> for Step {
    const NAME: &'static str = "step";

    #[inline]
    fn run(store: &mut impl Walk<T>) -> u64 {
        store.walk_mut(T::step);
        0
    }
}

/// Of the bits: exact in any order, and no chain of float additions that would hide the cost of the
/// walk.
#[inline]
fn sum<T: Sample>(store: &impl Walk<T>) -> u64 {
    let mut sum = 0u32;
    store.walk(|thing| sum = sum.wrapping_add(thing.field().to_bits()));
    u64::from(sum)
}

/// A worn container.
struct Walks<D, T, S> {
    store: S,
    result: u64,
    _deed: std::marker::PhantomData<(D, T)>,
}

impl<D: Deed<T>, T: Sample, S: Walk<T>> Walks<D, T, S> {
    /// Fills it, takes a random 40 % out, fills it up again, and takes things out at random until
    /// `percent` are left.
    fn new(percent: u32) -> Self {
        let mut rng = Rng::with_seed(4);
        let mut store = S::new();
        let mut keys = Vec::new();
        let fill = |store: &mut S, keys: &mut Vec<S::Key>| {
            while keys.len() < SLOTS as usize {
                keys.push(store.spawn(T::number(keys.len() as u32)));
            }
        };
        let mut thin = |store: &mut S, keys: &mut Vec<S::Key>, left: u32| {
            while keys.len() > left as usize {
                store.despawn(keys.swap_remove(rng.usize(..keys.len())));
            }
        };
        fill(&mut store, &mut keys);
        thin(&mut store, &mut keys, SLOTS / 10 * 6);
        fill(&mut store, &mut keys);
        thin(&mut store, &mut keys, SLOTS / 100 * percent);
        Self { store, result: 0, _deed: std::marker::PhantomData }
    }
}

impl<D: Deed<T>, T: Sample, S: Walk<T>> Trial for Walks<D, T, S> {
    fn run(&mut self) {
        self.result = D::run(&mut self.store);
    }

    fn answer(&mut self) -> u64 {
        self.result ^ sum(&self.store)
    }
}
