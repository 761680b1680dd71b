//! A tag for every thing, one by one, and off again.

use crate::candidates::{
    LathColumnTagging, LathRowTagging, RawTagging, SlotMapTagging, ThunderdomeTagging,
};
use crate::store::Tagging;
use crate::workload::{Bar, Trial, Workload};

const BARS: &[Bar] = &[Bar::to_raw("lath-rows", 1.5), Bar::to_raw("lath-columns", 1.5)];

/// Few and many.
pub(super) fn workloads() -> Vec<Workload> {
    vec![compare("tag-10k", 10_000, BARS), compare("tag-100k", 100_000, BARS)]
}

pub(super) fn compare(name: &'static str, n: u32, bars: &'static [Bar]) -> Workload {
    let workload = Workload::new(
        name,
        format!("add a tag to each of {n} things, then remove it from each"),
        bars,
    )
    .with("raw", move || Tags::<RawTagging>::new(n))
    .with("slotmap", move || Tags::<SlotMapTagging>::new(n))
    .with("thunderdome", move || Tags::<ThunderdomeTagging>::new(n));
    #[cfg(feature = "ecs")]
    let workload = {
        use crate::candidates::{
            BevyTagging, EvenioTagging, HecsTagging, ShipyardTagging, SparseyTagging,
        };
        workload
            .with("hecs", move || Tags::<HecsTagging>::new(n))
            .with("bevy_ecs", move || Tags::<BevyTagging>::new(n))
            .with("evenio", move || Tags::<EvenioTagging>::new(n))
            .with("sparsey", move || Tags::<SparseyTagging>::new(n))
            .with("shipyard", move || Tags::<ShipyardTagging>::new(n))
    };
    #[cfg(feature = "flecs")]
    let workload = workload.with("flecs", move || Tags::<crate::candidates::FlecsTagging>::new(n));
    workload
        .with("lath-rows", move || Tags::<LathRowTagging>::new(n))
        .with("lath-columns", move || Tags::<LathColumnTagging>::new(n))
}

/// Things without the tag, and their keys in the order in which they were spawned.
struct Tags<T: Tagging> {
    things: T,
    keys: Vec<T::Key>,
}

impl<T: Tagging> Tags<T> {
    fn new(n: u32) -> Self {
        let mut things = T::new();
        let keys = (0..n).map(|n| things.spawn(n as f32)).collect();
        Self { things, keys }
    }
}

impl<T: Tagging> Trial for Tags<T> {
    fn run(&mut self) {
        self.things.tag(&self.keys);
        self.things.untag(&self.keys);
    }

    /// Nobody has the tag any more; and half of them have it if half of them get it.
    fn answer(&mut self) -> u64 {
        let none = self.things.tagged();
        let half = &self.keys[..self.keys.len() / 2];
        self.things.tag(half);
        let some = self.things.tagged();
        self.things.untag(half);
        (none as u64) << 32 | some as u64
    }
}
