//! How cost grows with the number of things: a step, a lookup and a spawn, from a thousand to ten
//! million.

use crate::candidates::{
    LathColumnMovers, LathColumns, LathRowMovers, LathRows, RawFields, RawMovers, RawRows,
    SlotMapBasic, SlotMapMovers, Thunderdome,
};
use crate::store::Lookup;
use crate::things::{ColumnSmall, Sample, Small};
use crate::workload::{Point, Trial, Workload};
use crate::workloads::iterate::Steps;
use crate::workloads::lookup::Lookups;
use crate::workloads::mix;

const SIZES: [(&str, u32); 5] =
    [("1k", 1_000), ("10k", 10_000), ("100k", 100_000), ("1m", 1_000_000), ("10m", 10_000_000)];

/// Three plots of one chart, with a line per candidate.
pub(super) fn workloads() -> Vec<Workload> {
    let at = |plot: &str, n, things| {
        let (plot, x) = (plot.to_string(), f64::from(n));
        Point {
            chart: "scale",
            title: "Cost by the number of things",
            plot,
            axis: "things",
            x,
            things,
        }
    };
    let steps = SIZES.map(|(name, n)| steps(name, n).at(at("pos += vel · dt", n, n)));
    let lookups = SIZES
        .map(|(name, n)| lookups(name, n).at(at("random lookup of one f32", n, n.min(1_000_000))));
    let spawns =
        SIZES.map(|(name, n)| spawns(name, n).at(at("spawn 16 bytes, one at a time", n, n)));
    steps.into_iter().chain(lookups).chain(spawns).collect()
}

fn steps(name: &str, n: u32) -> Workload {
    let workload =
        Workload::new(format!("scale-iterate-{name}"), format!("pos += vel · dt, {n} things"), &[])
            .with("raw", move || Steps::<RawMovers>::new(n, |_| true))
            .with("slotmap", move || Steps::<SlotMapMovers>::new(n, |_| true));
    #[cfg(feature = "ecs")]
    let workload = {
        use crate::candidates::{BevyMovers, HecsMovers};
        workload
            .with("hecs", move || Steps::<HecsMovers>::new(n, |_| true))
            .with("bevy_ecs", move || Steps::<BevyMovers>::new(n, |_| true))
    };
    workload
        .with("lath-rows", move || Steps::<LathRowMovers>::new(n, |_| true))
        .with("lath-columns", move || Steps::<LathColumnMovers>::new(n, |_| true))
}

fn lookups(name: &str, n: u32) -> Workload {
    let about = format!("random handle → one f32, 16-byte thing, {n} things, at most 1M lookups");
    Workload::new(format!("scale-lookup-{name}"), about, &[])
        .with("raw", move || Lookups::<Small, RawFields>::new(n, 0.0))
        .with("slotmap", move || Lookups::<Small, SlotMapBasic<Small>>::new(n, 0.0))
        .with("thunderdome", move || Lookups::<Small, Thunderdome<Small>>::new(n, 0.0))
        .with("lath-rows", move || Lookups::<Small, LathRows<Small>>::new(n, 0.0))
        .with("lath-columns", move || Lookups::<Small, LathColumns<ColumnSmall>>::new(n, 0.0))
}

fn spawns(name: &str, n: u32) -> Workload {
    let about = format!("{n} × 16 bytes, one at a time, new container");
    Workload::new(format!("scale-spawn-{name}"), about, &[])
        .with("raw", move || Spawns::<RawRows<Small>>::new(n))
        .with("slotmap", move || Spawns::<SlotMapBasic<Small>>::new(n))
        .with("thunderdome", move || Spawns::<Thunderdome<Small>>::new(n))
        .with("lath-rows", move || Spawns::<LathRows<Small>>::new(n))
        .with("lath-columns", move || Spawns::<LathColumns<ColumnSmall>>::new(n))
}

/// A new container for every run, and room for the keys.
struct Spawns<S: Lookup<Small>> {
    store: S,
    keys: Vec<S::Key>,
    count: u32,
}

impl<S: Lookup<Small>> Spawns<S> {
    fn new(count: u32) -> Self {
        Self { store: S::new(), keys: Vec::with_capacity(count as usize), count }
    }
}

impl<S: Lookup<Small>> Trial for Spawns<S> {
    fn run(&mut self) {
        self.keys.extend((0..self.count).map(|n| self.store.spawn(Small::number(n))));
    }

    fn answer(&mut self) -> u64 {
        let answer = self
            .keys
            .iter()
            .fold(0, |answer, &key| mix(answer, u64::from(self.store.field(key).to_bits())));
        self.keys.clear();
        self.store = S::new();
        answer
    }
}
