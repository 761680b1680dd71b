//! Despawn and respawn a tenth of 100k things of 100 bytes, picked at random.

use fastrand::Rng;

use crate::candidates::{
    LathColumns, LathColumnsMany, LathRows, LathRowsMany, RawRows, SlotMapBasic, Thunderdome,
};
use crate::store::Lookup;
use crate::things::{ColumnFat, Fat, Sample};
use crate::workload::{Bar, Trial, Workload};
use crate::workloads::mix;

const THINGS: u32 = 100_000;
const PICKS: usize = THINGS as usize / 10;

const BARS: &[Bar] = &[Bar::to_raw("lath-rows", 0.83)];

/// The one workload.
pub(super) fn workloads() -> Vec<Workload> {
    let workload = Workload::new("churn", "despawn and respawn 10 % of 100k × 100 bytes", BARS)
        .with("raw", Churn::<RawRows<Fat>>::new)
        .with("slotmap", Churn::<SlotMapBasic<Fat>>::new)
        .with("thunderdome", Churn::<Thunderdome<Fat>>::new);
    #[cfg(feature = "ecs")]
    let workload = {
        use crate::candidates::{Bevy, Evenio, Hecs, Shipyard, Sparsey};
        workload
            .with("hecs", Churn::<Hecs>::new)
            .with("bevy_ecs", Churn::<Bevy>::new)
            .with("evenio", Churn::<Evenio>::new)
            .with("sparsey", Churn::<Sparsey>::new)
            .with("shipyard", Churn::<Shipyard>::new)
    };
    #[cfg(feature = "flecs")]
    let workload = workload.with("flecs", Churn::<crate::candidates::Flecs>::new);
    vec![
        workload
            .with("lath-rows", Churn::<LathRows<Fat>>::new)
            .with("lath-rows-many", Churn::<LathRowsMany<Fat>>::new)
            .with("lath-columns", Churn::<LathColumns<ColumnFat>>::new)
            .with("lath-columns-many", Churn::<LathColumnsMany<ColumnFat>>::new),
    ]
}

/// A full container, worn by the rounds that went before.
struct Churn<S: Lookup<Fat>> {
    store: S,
    keys: Vec<S::Key>,
    rng: Rng,
    order: Vec<u32>,
    round: u32,
}

impl<S: Lookup<Fat>> Churn<S> {
    fn new() -> Self {
        let mut store = S::new();
        let keys = (0..THINGS).map(|n| store.spawn(Fat::number(n))).collect();
        let mut trial =
            Self { store, keys, rng: Rng::with_seed(3), order: (0..THINGS).collect(), round: 0 };
        // Ten rounds of wear: about two thirds of all things have been replaced, and neighbours are
        // strangers.
        for _ in 0..10 {
            trial.prepare();
            trial.run();
        }
        trial
    }
}

impl<S: Lookup<Fat>> Trial for Churn<S> {
    /// Picks this round's tenth; the same for every candidate.
    fn prepare(&mut self) {
        self.round += 1;
        for i in 0..PICKS {
            let j = self.rng.usize(i..THINGS as usize);
            self.order.swap(i, j);
        }
    }

    fn run(&mut self) {
        let picks = &self.order[..PICKS];
        self.store.despawn_many(picks.iter().map(|&pick| self.keys[pick as usize]));
        for &pick in picks {
            self.keys[pick as usize] = self.store.spawn(Fat::number(pick + self.round));
        }
    }

    fn answer(&mut self) -> u64 {
        self.keys
            .iter()
            .fold(0, |answer, &key| mix(answer, u64::from(self.store.field(key).to_bits())))
    }
}
