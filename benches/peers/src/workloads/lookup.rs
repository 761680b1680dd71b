//! A random handle → one `f32`: a million things, asked for in an order that no cache foresees.

use fastrand::Rng;

#[cfg(feature = "ecs")]
use crate::candidates::{Bevy, Evenio, Hecs, Shipyard, Sparsey};
use crate::candidates::{
    Grown, LathColumns, LathColumnsMany, LathRows, LathRowsMany, LathRowsRead, RawFields,
    SlotMapBasic, SlotMapHop, Thunderdome,
};
use crate::store::Lookup;
use crate::things::{ColumnFat, ColumnSmall, Fat, HotFat, Sample, Small};
use crate::workload::{Bar, Trial, Workload};

const THINGS: u32 = 1_000_000;

const SMALL: &[Bar] = &[Bar::to_raw("lath-rows", 1.3)];
const STALE: &[Bar] = &[Bar::to_raw("lath-rows", 1.3)];
const FAT: &[Bar] = &[Bar::to_raw("lath-columns", 2.0), Bar::to_raw("lath-hot", 1.3)];

/// Everybody but lath. soa-rs is not here: what it has are indices, and no generations to look at.
macro_rules! peers {
    ($thing:ty, $workload:expr, $stale:expr) => {{
        let workload = $workload
            .with("raw", move || Lookups::<$thing, RawFields>::new(THINGS, $stale))
            .with("slotmap", move || Lookups::<$thing, SlotMapBasic<$thing>>::new(THINGS, $stale))
            .with("slotmap-hop", move || Lookups::<$thing, SlotMapHop<$thing>>::new(THINGS, $stale))
            .with("thunderdome", move || {
                Lookups::<$thing, Thunderdome<$thing>>::new(THINGS, $stale)
            });
        #[cfg(feature = "ecs")]
        let workload = workload
            .with("hecs", move || Lookups::<$thing, Hecs>::new(THINGS, $stale))
            .with("bevy_ecs", move || Lookups::<$thing, Bevy>::new(THINGS, $stale))
            .with("evenio", move || Lookups::<$thing, Evenio>::new(THINGS, $stale))
            .with("sparsey", move || Lookups::<$thing, Sparsey>::new(THINGS, $stale))
            .with("shipyard", move || Lookups::<$thing, Shipyard>::new(THINGS, $stale));
        #[cfg(feature = "flecs")]
        let workload = workload.with("flecs", move || {
            Lookups::<$thing, crate::candidates::Flecs>::new(THINGS, $stale)
        });
        workload
    }};
}

/// Fresh, with stale handles among them, and in fat things.
pub(super) fn workloads() -> Vec<Workload> {
    vec![
        small("lookup", "random handle → one f32, 16-byte thing, 1M", 0.0, SMALL),
        small("lookup-stale", "the same, 10 % of the handles stale", 0.1, STALE),
        fat("lookup-fat", "random handle → one f32, 100-byte thing, 1M", FAT),
    ]
}

fn small(name: &'static str, about: &'static str, stale: f64, bars: &'static [Bar]) -> Workload {
    peers!(Small, Workload::new(name, about, bars), stale)
        .with("lath-rows", move || Lookups::<Small, LathRows<Small>>::new(THINGS, stale))
        .with("lath-rows-grown", move || {
            Lookups::<Small, Grown<LathRows<Small>>>::new(THINGS, stale)
        })
        .with("lath-rows-read", move || Lookups::<Small, LathRowsRead<Small>>::new(THINGS, stale))
        .with("lath-rows-read-grown", move || {
            Lookups::<Small, Grown<LathRowsRead<Small>>>::new(THINGS, stale)
        })
        .with("lath-rows-many", move || Lookups::<Small, LathRowsMany<Small>>::new(THINGS, stale))
        .with("lath-columns", move || {
            Lookups::<Small, LathColumns<ColumnSmall>>::new(THINGS, stale)
        })
        .with("lath-columns-many", move || {
            Lookups::<Small, LathColumnsMany<ColumnSmall>>::new(THINGS, stale)
        })
}

fn fat(name: &'static str, about: &'static str, bars: &'static [Bar]) -> Workload {
    peers!(Fat, Workload::new(name, about, bars), 0.0)
        .with("lath-rows", || Lookups::<Fat, LathRows<Fat>>::new(THINGS, 0.0))
        .with("lath-rows-read", || Lookups::<Fat, LathRowsRead<Fat>>::new(THINGS, 0.0))
        .with("lath-rows-many", || Lookups::<Fat, LathRowsMany<Fat>>::new(THINGS, 0.0))
        .with("lath-columns", || Lookups::<Fat, LathColumns<ColumnFat>>::new(THINGS, 0.0))
        .with("lath-columns-many", || Lookups::<Fat, LathColumnsMany<ColumnFat>>::new(THINGS, 0.0))
        .with("lath-hot", || Lookups::<Fat, LathColumns<HotFat>>::new(THINGS, 0.0))
        .with("lath-hot-grown", || Lookups::<Fat, Grown<LathColumns<HotFat>>>::new(THINGS, 0.0))
        .with("lath-hot-many", || Lookups::<Fat, LathColumnsMany<HotFat>>::new(THINGS, 0.0))
}

/// A full store and the keys in the order in which they are looked up.
pub(super) struct Lookups<T, S: Lookup<T>> {
    store: S,
    keys: Vec<S::Key>,
    sum: u32,
    _thing: std::marker::PhantomData<T>,
}

impl<T: Sample, S: Lookup<T>> Lookups<T, S> {
    /// Fills the store, shuffles the keys, then replaces a part `stale` of the things: their places
    /// are taken by others. A million lookups are enough, however many things there are.
    pub(super) fn new(things: u32, stale: f64) -> Self {
        let mut store = S::with_room(things as usize);
        let mut keys: Vec<_> = (0..things).map(|n| store.spawn(T::number(n))).collect();
        Rng::with_seed(1).shuffle(&mut keys);
        let gone = (f64::from(things) * stale) as usize;
        for &key in &keys[..gone] {
            store.despawn(key);
        }
        for n in 0..gone as u32 {
            store.spawn(T::number(n));
        }
        Rng::with_seed(2).shuffle(&mut keys);
        keys.truncate(THINGS as usize);
        Self { store, keys, sum: 0, _thing: std::marker::PhantomData }
    }
}

impl<T: Sample, S: Lookup<T>> Trial for Lookups<T, S> {
    fn run(&mut self) {
        self.sum = self.store.sum(&self.keys);
    }

    fn answer(&mut self) -> u64 {
        u64::from(self.sum)
    }
}
