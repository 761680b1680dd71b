//! Spawning 100-byte things: one at a time and in bulk, into a new container and into one that was
//! filled and emptied.

use crate::candidates::{LathColumns, LathRows, RawRows, SlotMapBasic, Thunderdome};
use crate::store::{Lookup, SpawnMany, Store};
use crate::things::{ColumnFat, Fat, Sample};
use crate::workload::{Bar, Trial, Workload};
use crate::workloads::mix;

const SINGLY_10K: &[Bar] = &[Bar::to_raw("lath-rows", 0.95)];
const SINGLY_1M: &[Bar] = &[Bar::to_raw("lath-rows", 0.9)];
const EMPTIED: &[Bar] = &[Bar::to_raw("lath-rows", 0.7)];
const IN_BULK: &[Bar] = &[Bar::to_raw("lath-rows", 1.0)];

/// One at a time or in bulk, few or many, new or worn.
pub(super) fn workloads() -> Vec<Workload> {
    vec![
        compare::<Singly>(
            "spawn-10k",
            "10k × 100 bytes, one at a time, new container",
            10_000,
            false,
            SINGLY_10K,
        ),
        compare::<Singly>(
            "spawn-1m",
            "1M × 100 bytes, one at a time, new container",
            1_000_000,
            false,
            SINGLY_1M,
        ),
        compare::<Singly>(
            "spawn-emptied-10k",
            "10k × 100 bytes into an emptied container",
            10_000,
            true,
            EMPTIED,
        ),
        compare::<InBulk>(
            "spawn-bulk-10k",
            "10k × 100 bytes in bulk, new container",
            10_000,
            false,
            IN_BULK,
        ),
        compare::<InBulk>(
            "spawn-bulk-1m",
            "1M × 100 bytes in bulk, new container",
            1_000_000,
            false,
            IN_BULK,
        ),
    ]
}

fn compare<H: How>(
    name: &'static str,
    about: &'static str,
    n: u32,
    emptied: bool,
    bars: &'static [Bar],
) -> Workload {
    let workload = Workload::new(name, about, bars)
        .with("raw", move || Spawns::<H, RawRows<Fat>>::new(n, emptied))
        .with("slotmap", move || Spawns::<H, SlotMapBasic<Fat>>::new(n, emptied))
        .with("thunderdome", move || Spawns::<H, Thunderdome<Fat>>::new(n, emptied));
    #[cfg(feature = "ecs")]
    let workload = {
        use crate::candidates::{Bevy, Evenio, Hecs, Shipyard, SoaRs, Sparsey};
        let workload = workload
            .with("hecs", move || Spawns::<H, Hecs>::new(n, emptied))
            .with("bevy_ecs", move || Spawns::<H, Bevy>::new(n, emptied))
            .with("evenio", move || Spawns::<H, Evenio>::new(n, emptied))
            .with("sparsey", move || Spawns::<H, Sparsey>::new(n, emptied))
            .with("shipyard", move || Spawns::<H, Shipyard>::new(n, emptied));
        // It cannot take single things out.
        if emptied {
            workload
        } else {
            workload.with("soa-rs", move || Spawns::<H, SoaRs>::new(n, emptied))
        }
    };
    #[cfg(feature = "flecs")]
    let workload =
        workload.with("flecs", move || Spawns::<H, crate::candidates::Flecs>::new(n, emptied));
    workload
        .with("lath-rows", move || Spawns::<H, LathRows<Fat>>::new(n, emptied))
        .with("lath-columns", move || Spawns::<H, LathColumns<ColumnFat>>::new(n, emptied))
}

/// How things are put in.
trait How: 'static {
    fn spawn<S: SpawnMany<Fat>>(store: &mut S, count: u32, keys: &mut Vec<S::Key>);
}

struct Singly;

impl How for Singly {
    #[inline(always)]
    fn spawn<S: SpawnMany<Fat>>(store: &mut S, count: u32, keys: &mut Vec<S::Key>) {
        keys.extend((0..count).map(|n| store.spawn(Fat::number(n))));
    }
}

struct InBulk;

impl How for InBulk {
    #[inline(always)]
    fn spawn<S: SpawnMany<Fat>>(store: &mut S, count: u32, keys: &mut Vec<S::Key>) {
        store.spawn_many((0..count as usize).map(|n| Fat::number(n as u32)), keys);
    }
}

/// A container to spawn into, and room for the keys.
struct Spawns<H, S: Store<Fat>> {
    store: S,
    keys: Vec<S::Key>,
    count: u32,
    emptied: bool,
    _how: std::marker::PhantomData<H>,
}

impl<H: How, S: SpawnMany<Fat> + Lookup<Fat>> Spawns<H, S> {
    fn new(count: u32, emptied: bool) -> Self {
        let keys = Vec::with_capacity(count as usize);
        let mut trial =
            Self { store: S::new(), keys, count, emptied, _how: std::marker::PhantomData };
        trial.run();
        trial.tidy();
        trial
    }

    /// Empties the container, or replaces it by a new one.
    fn tidy(&mut self) {
        if self.emptied {
            self.keys.drain(..).for_each(|key| self.store.despawn(key));
        } else {
            self.keys.clear();
            self.store = S::new();
        }
    }
}

impl<H: How, S: SpawnMany<Fat> + Lookup<Fat>> Trial for Spawns<H, S> {
    fn run(&mut self) {
        H::spawn(&mut self.store, self.count, &mut self.keys);
    }

    fn answer(&mut self) -> u64 {
        let answer = self
            .keys
            .iter()
            .fold(0, |answer, &key| mix(answer, u64::from(self.store.field(key).to_bits())));
        self.tidy();
        answer
    }
}
