//! Things of 26 kinds that have one number in common, and a loop over that number: "fragmented
//! iteration".

use std::hint::black_box;

use crate::candidates::{LathColumnKinds, LathRowKinds, RawKinds, SlotMapKinds, ThunderdomeKinds};
use crate::store::Kinds;
use crate::things::KINDS;
use crate::workload::{Bar, Trial, Workload};

const FEW: &[Bar] = &[Bar::to_raw("lath-columns", 1.2)];
const MANY: &[Bar] = &[Bar::to_raw("lath-columns", 1.0)];

/// Few and many of each kind. A loop over 520 numbers is too short for the clock, so it runs a
/// hundred times.
pub(super) fn workloads() -> Vec<Workload> {
    vec![
        compare("kinds-20", "26 kinds × 20, one shared f32, 100 times", 20, 100, FEW),
        compare("kinds-4000", "26 kinds × 4000, one shared f32", 4000, 1, MANY),
    ]
}

pub(super) fn compare(
    name: &'static str,
    about: &'static str,
    each: u32,
    times: u32,
    bars: &'static [Bar],
) -> Workload {
    let workload = Workload::new(name, about, bars)
        .with("raw", move || Scales::<RawKinds>::new(each, times))
        .with("slotmap", move || Scales::<SlotMapKinds>::new(each, times))
        .with("thunderdome", move || Scales::<ThunderdomeKinds>::new(each, times));
    #[cfg(feature = "ecs")]
    let workload = {
        use crate::candidates::{
            BevyKinds, EvenioKinds, HecsKinds, ShipyardKinds, SoaRsKinds, SparseyKinds,
        };
        workload
            .with("hecs", move || Scales::<HecsKinds>::new(each, times))
            .with("bevy_ecs", move || Scales::<BevyKinds>::new(each, times))
            .with("evenio", move || Scales::<EvenioKinds>::new(each, times))
            .with("sparsey", move || Scales::<SparseyKinds>::new(each, times))
            .with("shipyard", move || Scales::<ShipyardKinds>::new(each, times))
            .with("soa-rs", move || Scales::<SoaRsKinds>::new(each, times))
    };
    #[cfg(feature = "flecs")]
    let workload =
        workload.with("flecs", move || Scales::<crate::candidates::FlecsKinds>::new(each, times));
    workload
        .with("lath-rows", move || Scales::<LathRowKinds>::new(each, times))
        .with("lath-columns", move || Scales::<LathColumnKinds>::new(each, times))
}

/// Numbers that are doubled and halved in turn, so that they never run out of range.
struct Scales<K> {
    kinds: K,
    times: u32,
    next: f32,
}

impl<K: Kinds> Scales<K> {
    fn new(each: u32, times: u32) -> Self {
        let mut kinds = K::new();
        for kind in 0..KINDS {
            (0..each).for_each(|n| kinds.spawn(kind, n as f32));
        }
        Self { kinds, times, next: 2.0 }
    }
}

impl<K: Kinds> Trial for Scales<K> {
    fn run(&mut self) {
        for _ in 0..self.times {
            self.kinds.scale(black_box(self.next));
            self.next = 1.0 / self.next;
        }
    }

    fn answer(&mut self) -> u64 {
        let mut answer = 0u64;
        self.kinds.data(|data| answer = answer.wrapping_add(u64::from(data.to_bits())));
        answer
    }
}
