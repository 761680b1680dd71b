//! A step of things that move: pos += vel · dt, over all of them, in containers that nothing was
//! ever taken out of.

use crate::candidates::{
    LathColumnMovers, LathRowMovers, RawMovers, SlotMapMovers, ThunderdomeMovers,
};
use crate::store::Movers;
use crate::things::Mover;
use crate::workload::{Bar, Trial, Workload};

const BARS: &[Bar] = &[Bar::to_raw("lath-columns", 1.1)];

/// Few, some and many.
pub(super) fn workloads() -> Vec<Workload> {
    [("iterate-10k", 10_000), ("iterate-100k", 100_000), ("iterate-1m", 1_000_000)]
        .into_iter()
        .map(|(name, n)| compare(name, format!("pos += vel · dt, 3 × f32, {n} things"), n, BARS))
        .collect()
}

pub(super) fn compare(
    name: impl Into<String>,
    about: impl Into<String>,
    n: u32,
    bars: &'static [Bar],
) -> Workload {
    let workload = Workload::new(name, about, bars)
        .with("raw", move || Steps::<RawMovers>::new(n, |_| true))
        .with("slotmap", move || Steps::<SlotMapMovers>::new(n, |_| true))
        .with("thunderdome", move || Steps::<ThunderdomeMovers>::new(n, |_| true));
    #[cfg(feature = "ecs")]
    let workload = {
        use crate::candidates::{
            BevyMovers, EvenioMovers, HecsMovers, ShipyardMovers, SoaRsMovers, SparseyMovers,
        };
        workload
            .with("hecs", move || Steps::<HecsMovers>::new(n, |_| true))
            .with("bevy_ecs", move || Steps::<BevyMovers>::new(n, |_| true))
            .with("evenio", move || Steps::<EvenioMovers>::new(n, |_| true))
            .with("sparsey", move || Steps::<SparseyMovers>::new(n, |_| true))
            .with("shipyard", move || Steps::<ShipyardMovers>::new(n, |_| true))
            .with("soa-rs", move || Steps::<SoaRsMovers>::new(n, |_| true))
    };
    #[cfg(feature = "flecs")]
    let workload =
        workload.with("flecs", move || Steps::<crate::candidates::FlecsMovers>::new(n, |_| true));
    workload
        .with("lath-rows", move || Steps::<LathRowMovers>::new(n, |_| true))
        .with("lath-columns", move || Steps::<LathColumnMovers>::new(n, |_| true))
}

/// Things that move on with every run.
pub(super) struct Steps<M>(M);

impl<M: Movers> Steps<M> {
    /// Spawns `n` movers, of which those match that `matches` says yes to.
    pub(super) fn new(n: u32, mut matches: impl FnMut(u32) -> bool) -> Self {
        let mut movers = M::new();
        for n in 0..n {
            movers.spawn(Mover::number(n), matches(n));
        }
        Self(movers)
    }
}

impl<M: Movers> Trial for Steps<M> {
    fn run(&mut self) {
        self.0.step();
    }

    /// Of the bits: exact, and the same in any order.
    fn answer(&mut self) -> u64 {
        let mut answer = 0u64;
        self.0.positions(|pos| {
            let bits = [pos.x, pos.y, pos.z].map(|value| u64::from(value.to_bits()));
            answer = answer.wrapping_add(bits[0] ^ bits[1] << 16 ^ bits[2] << 32);
        });
        answer
    }
}
