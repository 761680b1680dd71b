//! The same step over the few of a million things that match: they were spawned so, in random
//! order.

use fastrand::Rng;

use crate::candidates::{
    LathColumnMatching, LathRowMatching, RawMovers, SlotMapMatching, ThunderdomeMatching,
};
use crate::store::Movers;
use crate::workload::{Bar, Workload};
use crate::workloads::iterate::Steps;

const THINGS: u32 = 1_000_000;

const ONE: &[Bar] = &[Bar::to_raw("lath-columns", 1.5)];
const TEN: &[Bar] = &[Bar::to_raw("lath-columns", 1.3)];
const FIFTY: &[Bar] = &[Bar::to_raw("lath-columns", 1.2)];

/// By how many match.
pub(super) fn workloads() -> Vec<Workload> {
    vec![compare("match-1", 1, ONE), compare("match-10", 10, TEN), compare("match-50", 50, FIFTY)]
}

fn compare(name: &'static str, percent: u32, bars: &'static [Bar]) -> Workload {
    let workload =
        Workload::new(name, format!("pos += vel · dt where {percent} % of 1M match"), bars)
            .with("raw", move || steps::<RawMovers>(percent))
            .with("slotmap", move || steps::<SlotMapMatching>(percent))
            .with("thunderdome", move || steps::<ThunderdomeMatching>(percent));
    #[cfg(feature = "ecs")]
    let workload = {
        use crate::candidates::{
            BevyMatching, EvenioMatching, HecsMatching, ShipyardMatching, SoaRsMatching,
            SparseyMatching,
        };
        workload
            .with("hecs", move || steps::<HecsMatching>(percent))
            .with("bevy_ecs", move || steps::<BevyMatching>(percent))
            .with("evenio", move || steps::<EvenioMatching>(percent))
            .with("sparsey", move || steps::<SparseyMatching>(percent))
            .with("shipyard", move || steps::<ShipyardMatching>(percent))
            .with("soa-rs", move || steps::<SoaRsMatching>(percent))
    };
    #[cfg(feature = "flecs")]
    let workload =
        workload.with("flecs", move || steps::<crate::candidates::FlecsMatching>(percent));
    workload
        .with("lath-rows", move || steps::<LathRowMatching>(percent))
        .with("lath-columns", move || steps::<LathColumnMatching>(percent))
}

/// The same ones match for every candidate.
fn steps<M: Movers>(percent: u32) -> Steps<M> {
    let mut rng = Rng::with_seed(5);
    Steps::new(THINGS, |_| rng.u32(..100) < percent)
}
