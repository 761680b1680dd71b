//! Things of 16 bytes in two components that come and go: created and destroyed, few and many, one
//! after the other and at once; and asked for in an order that nothing foresees.

use std::marker::PhantomData;

use fastrand::Rng;

use crate::candidates::{
    LathColumns, LathColumnsMany, LathRows, LathRowsMany, RawRows, SlotMapBasic, Thunderdome,
};
use crate::store::{Clear, Lookup, SpawnMany};
use crate::things::{ColumnSmall, Sample, Small};
use crate::workload::{Bar, Trial, Workload};
use crate::workloads::mix;

const SIZES: [(&str, u32); 3] = [("1k", 1_000), ("64k", 64_000), ("1m", 1_000_000)];

const CREATE: &[Bar] = &[Bar::to_best("lath-rows", 1.3)];
const DESTROY: &[Bar] = &[Bar::to_best("lath-rows", 1.3)];
const CREATE_DELETE: &[Bar] = &[Bar::to_best("lath-rows", 2.5)];
const BATCH: &[Bar] = &[Bar::to_best("lath-rows", 1.1)];
const RANDOM_FEW: &[Bar] = &[Bar::to_best("lath-rows", 1.3), Bar::to_best("lath-rows-many", 0.8)];
const RANDOM_MANY: &[Bar] = &[Bar::to_best("lath-rows", 1.5), Bar::to_best("lath-rows-many", 0.8)];

/// Everybody, with the trial `$trial`.
macro_rules! everybody {
    ($trial:ident, $n:expr, $workload:expr) => {{
        let n = $n;
        let workload = $workload
            .with("raw", move || $trial::<RawRows<Small>>::new(n))
            .with("slotmap", move || $trial::<SlotMapBasic<Small>>::new(n))
            .with("thunderdome", move || $trial::<Thunderdome<Small>>::new(n));
        #[cfg(feature = "ecs")]
        let workload = {
            use crate::candidates::{Bevy, Evenio, Hecs, Shipyard, Sparsey};
            workload
                .with("hecs", move || $trial::<Hecs>::new(n))
                .with("bevy_ecs", move || $trial::<Bevy>::new(n))
                .with("evenio", move || $trial::<Evenio>::new(n))
                .with("sparsey", move || $trial::<Sparsey>::new(n))
                .with("shipyard", move || $trial::<Shipyard>::new(n))
        };
        #[cfg(feature = "flecs")]
        let workload = workload.with("flecs", move || $trial::<crate::candidates::Flecs>::new(n));
        workload
            .with("lath-rows", move || $trial::<LathRows<Small>>::new(n))
            .with("lath-rows-many", move || $trial::<LathRowsMany<Small>>::new(n))
            .with("lath-columns", move || $trial::<LathColumns<ColumnSmall>>::new(n))
            .with("lath-columns-many", move || $trial::<LathColumnsMany<ColumnSmall>>::new(n))
    }};
}

pub(super) fn workloads() -> Vec<Workload> {
    let mut all = Vec::new();
    for (size, n) in SIZES {
        let about = format!("create {n} things of two components, new container");
        all.push(everybody!(
            Create,
            n,
            Workload::new(format!("outside-create-{size}"), about, CREATE)
        ));
    }
    for (size, n) in SIZES {
        let about = format!("destroy {n} things of two components, in the order they came");
        let row = Workload::new(format!("outside-destroy-{size}"), about, DESTROY);
        all.push(everybody!(Destroy, n, row));
    }
    let about = "create a thing of two components and delete it, 1000 times";
    let row = Workload::new("outside-create-delete", about, CREATE_DELETE);
    all.push(everybody!(CreateDelete, 1_000, row));
    all.push(batch());
    for (size, n) in SIZES {
        let about = format!("handle → one f32, {n} things of 16 bytes, in random order");
        let bars = if n > 1_000 { RANDOM_MANY } else { RANDOM_FEW };
        let row = Workload::new(format!("outside-random-{size}"), about, bars);
        all.push(everybody!(Random, n, row));
    }
    all
}

fn batch() -> Workload {
    let about = "spawn 1000 things of two components at once, then clear";
    let workload = Workload::new("outside-spawn-batch", about, BATCH)
        .with("raw", || Batch::<RawRows<Small>>::new(1_000))
        .with("slotmap", || Batch::<SlotMapBasic<Small>>::new(1_000));
    #[cfg(feature = "ecs")]
    let workload = {
        use crate::candidates::{Bevy, Hecs, Shipyard, Sparsey};
        workload
            .with("hecs", || Batch::<Hecs>::new(1_000))
            .with("bevy_ecs", || Batch::<Bevy>::new(1_000))
            .with("sparsey", || Batch::<Sparsey>::new(1_000))
            .with("shipyard", || Batch::<Shipyard>::new(1_000))
    };
    workload
        .with("lath-rows", || Batch::<LathRows<Small>>::new(1_000))
        .with("lath-columns", || Batch::<LathColumns<ColumnSmall>>::new(1_000))
}

/// The fields of what the keys name, in their order.
fn fields<S: Lookup<Small>>(store: &S, keys: &[S::Key]) -> u64 {
    keys.iter().fold(0, |answer, &key| mix(answer, u64::from(store.field(key).to_bits())))
}

/// Creates things in a new container.
struct Create<S: Lookup<Small>> {
    store: S,
    keys: Vec<S::Key>,
    count: u32,
}

impl<S: Lookup<Small>> Create<S> {
    fn new(count: u32) -> Self {
        Self { store: S::new(), keys: Vec::with_capacity(count as usize), count }
    }

    fn fill(&mut self) {
        self.keys.extend((0..self.count).map(|n| self.store.spawn(Small::number(n))));
    }
}

impl<S: Lookup<Small>> Trial for Create<S> {
    fn run(&mut self) {
        self.fill();
    }

    fn answer(&mut self) -> u64 {
        let answer = fields(&self.store, &self.keys);
        self.keys.clear();
        self.store = S::new();
        answer
    }
}

/// Destroys what was created before.
struct Destroy<S: Lookup<Small>>(Create<S>);

impl<S: Lookup<Small>> Destroy<S> {
    fn new(count: u32) -> Self {
        Self(Create::new(count))
    }
}

impl<S: Lookup<Small>> Trial for Destroy<S> {
    fn prepare(&mut self) {
        self.0.fill();
    }

    fn run(&mut self) {
        self.0.store.despawn_many(self.0.keys.iter().copied());
    }

    /// The things are gone: each of their fields reads as 0.
    fn answer(&mut self) -> u64 {
        self.0.answer()
    }
}

/// One thing at a time, in a container that is otherwise empty.
struct CreateDelete<S: Lookup<Small>> {
    store: S,
    times: u32,
    last: Option<S::Key>,
}

impl<S: Lookup<Small>> CreateDelete<S> {
    fn new(times: u32) -> Self {
        Self { store: S::new(), times, last: None }
    }
}

impl<S: Lookup<Small>> Trial for CreateDelete<S> {
    fn run(&mut self) {
        for n in 0..self.times {
            let key = self.store.spawn(Small::number(n));
            self.store.despawn(key);
            self.last = Some(key);
        }
    }

    fn answer(&mut self) -> u64 {
        let last: Vec<_> = self.last.into_iter().collect();
        fields(&self.store, &last)
    }
}

/// Many things at once, and a container that is emptied at once.
struct Batch<S: SpawnMany<Small>> {
    store: S,
    keys: Vec<S::Key>,
    count: usize,
    _small: PhantomData<Small>,
}

impl<S: SpawnMany<Small> + Lookup<Small> + Clear> Batch<S> {
    fn new(count: usize) -> Self {
        Self { store: S::new(), keys: Vec::with_capacity(count), count, _small: PhantomData }
    }
}

impl<S: SpawnMany<Small> + Lookup<Small> + Clear> Trial for Batch<S> {
    fn run(&mut self) {
        self.keys.clear();
        let things = (0..self.count).map(|n| Small::number(n as u32));
        self.store.spawn_many(things, &mut self.keys);
        self.store.clear();
    }

    /// Spawned once more, so that there is something to be seen.
    fn answer(&mut self) -> u64 {
        self.keys.clear();
        let things = (0..self.count).map(|n| Small::number(n as u32));
        self.store.spawn_many(things, &mut self.keys);
        let answer = fields(&self.store, &self.keys);
        self.store.clear();
        answer
    }
}

/// A full container and keys in random order. Few are gone through again and again, or the clock
/// would not see them.
struct Random<S: Lookup<Small>> {
    store: S,
    keys: Vec<S::Key>,
    times: u32,
    sum: u32,
}

impl<S: Lookup<Small>> Random<S> {
    fn new(count: u32) -> Self {
        let mut store = S::with_room(count as usize);
        let mut keys: Vec<_> = (0..count).map(|n| store.spawn(Small::number(n))).collect();
        Rng::with_seed(1).shuffle(&mut keys);
        Self { store, keys, times: (64_000 / count).max(1), sum: 0 }
    }
}

impl<S: Lookup<Small>> Trial for Random<S> {
    fn run(&mut self) {
        for _ in 0..self.times {
            self.sum = self.sum.wrapping_add(self.store.sum(std::hint::black_box(&self.keys)));
        }
    }

    fn answer(&mut self) -> u64 {
        u64::from(std::mem::take(&mut self.sum))
    }
}
