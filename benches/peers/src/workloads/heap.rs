//! How many bytes of heap a thing of 100 bytes in five parts takes, everything around it included.

use crate::candidates::{LathColumns, LathRows, RawRows, SlotMapBasic, Thunderdome};
use crate::store::Lookup;
use crate::things::{ColumnFat, Fat, Sample};
use crate::workload::{Bar, Trial, Unit, Workload};
use crate::workloads::mix;

const THINGS: u32 = 100_000;

const BARS: &[Bar] = &[Bar::to_raw("lath-rows", 0.85), Bar::to_raw("lath-columns", 0.85)];

/// The one workload. flecs is not here: it asks the C library for memory, which the tool does not
/// see.
pub(super) fn workloads() -> Vec<Workload> {
    let workload = Workload::new(
        "heap-bytes",
        "heap bytes per 5-component thing of 100 bytes, 100k things",
        BARS,
    )
    .counting(Unit::BytesPer(THINGS))
    .with("raw", Fills::<RawRows<Fat>>::new)
    .with("slotmap", Fills::<SlotMapBasic<Fat>>::new)
    .with("thunderdome", Fills::<Thunderdome<Fat>>::new);
    #[cfg(feature = "ecs")]
    let workload = {
        use crate::candidates::{Bevy, Evenio, Hecs, Shipyard, SoaRs, Sparsey};
        workload
            .with("hecs", Fills::<Hecs>::new)
            .with("bevy_ecs", Fills::<Bevy>::new)
            .with("evenio", Fills::<Evenio>::new)
            .with("sparsey", Fills::<Sparsey>::new)
            .with("shipyard", Fills::<Shipyard>::new)
            .with("soa-rs", Fills::<SoaRs>::new)
    };
    vec![
        workload
            .with("lath-rows", Fills::<LathRows<Fat>>::new)
            .with("lath-columns", Fills::<LathColumns<ColumnFat>>::new),
    ]
}

/// A container that is made and filled within the run; what is kept outside has its memory already.
struct Fills<S: Lookup<Fat>> {
    store: Option<S>,
    keys: Vec<S::Key>,
}

impl<S: Lookup<Fat>> Fills<S> {
    fn new() -> Self {
        Self { store: None, keys: Vec::with_capacity(THINGS as usize) }
    }
}

impl<S: Lookup<Fat>> Trial for Fills<S> {
    fn prepare(&mut self) {
        self.store = None;
        self.keys.clear();
    }

    fn run(&mut self) {
        let store = self.store.insert(S::new());
        self.keys.extend((0..THINGS).map(|n| store.spawn(Fat::number(n))));
    }

    fn answer(&mut self) -> u64 {
        let Some(store) = &self.store else { return 0 };
        self.keys.iter().fold(0, |answer, &key| mix(answer, u64::from(store.field(key).to_bits())))
    }
}
