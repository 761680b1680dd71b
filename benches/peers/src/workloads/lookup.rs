//! A random handle → one `f32`: a million things, asked for in an order that no cache foresees.

use fastrand::Rng;
use lath_core::{Rows, Thing};

use crate::candidates::{LathRows, LathRowsRead, RawFields, SlotMapBasic, Thunderdome};
use crate::store::Lookup;
use crate::things::{Fat, Sample, Small};
use crate::workload::{Bar, Trial, Workload};

const THINGS: u32 = 1_000_000;

const SMALL: &[Bar] = &[Bar::to_raw("lath-rows", 1.3)];
const STALE: &[Bar] = &[Bar::to_raw("lath-rows", 1.3)];
/// The bars of this row are for columns and hot groups, which are still to come.
const FAT: &[Bar] = &[];

/// Fresh, with stale handles among them, and in fat things.
pub(super) fn workloads() -> Vec<Workload> {
    vec![
        compare::<Small>("lookup", "random handle → one f32, 16-byte thing, 1M", 0.0, SMALL),
        compare::<Small>("lookup-stale", "the same, 10 % of the handles stale", 0.1, STALE),
        compare::<Fat>("lookup-fat", "random handle → one f32, 100-byte thing, 1M", 0.0, FAT),
    ]
}

fn compare<T: Sample + Thing<Storage = Rows<T>>>(
    name: &'static str,
    about: &'static str,
    stale: f64,
    bars: &'static [Bar],
) -> Workload {
    Workload::new(name, about, bars)
        .with("raw", move || Lookups::<T, RawFields>::new(stale))
        .with("slotmap", move || Lookups::<T, SlotMapBasic<T>>::new(stale))
        .with("thunderdome", move || Lookups::<T, Thunderdome<T>>::new(stale))
        .with("lath-rows", move || Lookups::<T, LathRows<T>>::new(stale))
        .with("lath-rows-read", move || Lookups::<T, LathRowsRead<T>>::new(stale))
}

/// A full store and the keys in the order in which they are looked up.
struct Lookups<T, S: Lookup<T>> {
    store: S,
    keys: Vec<S::Key>,
    sum: u32,
    _thing: std::marker::PhantomData<T>,
}

impl<T: Sample, S: Lookup<T>> Lookups<T, S> {
    /// Fills the store, shuffles the keys, then replaces a part `stale` of the things: their places are taken by others.
    fn new(stale: f64) -> Self {
        let mut store = S::new();
        let mut keys: Vec<_> = (0..THINGS).map(|n| store.spawn(T::number(n))).collect();
        Rng::with_seed(1).shuffle(&mut keys);
        let gone = (f64::from(THINGS) * stale) as usize;
        for &key in &keys[..gone] {
            store.despawn(key);
        }
        for n in 0..gone as u32 {
            store.spawn(T::number(n));
        }
        Rng::with_seed(2).shuffle(&mut keys);
        Self { store, keys, sum: 0, _thing: std::marker::PhantomData }
    }
}

impl<T: Sample, S: Lookup<T>> Trial for Lookups<T, S> {
    fn run(&mut self) {
        // The bits are added, not the floats: a chain of float additions would hide the cost of finding them.
        self.sum = self.keys.iter().fold(0, |sum, &key| sum.wrapping_add(self.store.field(key).to_bits()));
    }

    fn answer(&mut self) -> u64 {
        u64::from(self.sum)
    }
}
