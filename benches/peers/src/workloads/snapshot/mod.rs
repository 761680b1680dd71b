//! A snapshot of 100k things of four plain fields, taken and put back, buffers kept; and what has
//! changed since, where a hundredth has. A thing is spoilt in between: what was put back is
//! checked.

#[cfg(feature = "ecs")]
mod ecs;

use fastrand::Rng;
use lath_core::{Handle, Mut, Pool, Ref, Thing};
use lath_schedule::{Resident, World};
use lath_snapshot::{Delta, Save, SaveWorld, Snapshot};
use slotmap::{DefaultKey, SlotMap};
use thunderdome::{Arena, Index};

use crate::workload::{Bar, Trial, Workload};

const THINGS: usize = 100_000;
const CHANGES: usize = THINGS / 100;

const FULL: &[Bar] = &[Bar::to_raw("lath-rows", 1.05), Bar::to_raw("lath-columns", 1.05)];
const CHANGED: &[Bar] = &[Bar::to_raw("lath-rows", 0.2), Bar::to_raw("lath-columns", 0.2)];
const SCATTERED: &[Bar] = &[Bar::to_raw("lath-columns", 0.2)];

/// Full snapshots, and differences. Peers that neither have snapshots nor lend out whole columns to
/// be written to are not here, and differences are lath's alone.
pub(super) fn workloads() -> Vec<Workload> {
    let full = "snapshot and restore of 100k × 4 plain fields, buffers kept (raw = memcpy)";
    let near = "what has changed is found and applied: 1 % of 100k, neighbours (raw = all of it, there and back)";
    let far = "the same for one field of 1 % of 100k, scattered (raw = all of it, there and back)";
    let workload = Workload::new("snapshot", full, FULL)
        .with("raw", Raw::new)
        .with("slotmap", Slots::new)
        .with("thunderdome", Places::new);
    #[cfg(feature = "ecs")]
    let workload = workload
        .with("hecs", ecs::Hecs::new)
        .with("bevy_ecs", ecs::Bevy::new)
        .with("sparsey", ecs::Sparsey::new)
        .with("soa-rs", ecs::SoaRs::new);
    vec![
        workload.with("lath-rows", Whole::<Row>::new).with("lath-columns", Whole::<Columns>::new),
        Workload::new("delta", near, CHANGED)
            .with("raw", Raw::new)
            .with("lath-rows", Changed::<Row, false>::new)
            .with("lath-columns", Changed::<Columns, false>::new),
        Workload::new("delta-scattered", far, SCATTERED)
            .with("raw", Raw::new)
            .with("lath-rows", Changed::<Row, true>::new)
            .with("lath-columns", Changed::<Columns, true>::new),
    ]
}

/// A thing of four plain fields.
trait Plain: Save + Resident {
    fn number(n: usize) -> Self;
    fn hp(pool: &Pool<Self>, handle: Handle<Self>) -> f32;
    fn set_hp(pool: &mut Pool<Self>, handle: Handle<Self>, hp: f32);
}

macro_rules! plain {
    ($name:ident, $layout:ident, $hp:ty) => {
        #[derive(Thing, Save, Clone, Default)]
        #[thing($layout)]
        struct $name {
            pos: [f32; 3],
            vel: [f32; 3],
            hp: f32,
            id: u32,
        }

        impl $name {
            fn new(n: usize) -> Self {
                Self { pos: [n as f32; 3], vel: [1.0; 3], hp: n as f32, id: n as u32 }
            }
        }

        impl Plain for $name {
            fn number(n: usize) -> Self {
                Self::new(n)
            }

            fn hp(pool: &Pool<Self>, handle: Handle<Self>) -> f32 {
                pool.view::<Ref<$hp>>().get(handle).map_or(f32::NAN, |hp| *hp)
            }

            fn set_hp(pool: &mut Pool<Self>, handle: Handle<Self>, hp: f32) {
                if let Some(mut old) = pool.view_mut::<Mut<$hp>>().get_mut(handle) {
                    *old = hp;
                }
            }
        }
    };
}

plain!(Row, rows, row::hp);
plain!(Columns, columns, columns::hp);

/// Columns by hand, generations included.
#[derive(Clone)]
struct Arrays {
    pos: Vec<[f32; 3]>,
    vel: Vec<[f32; 3]>,
    hp: Vec<f32>,
    id: Vec<u32>,
    generations: Vec<u32>,
}

impl Arrays {
    fn copy(&mut self, from: &Self) {
        self.pos.copy_from_slice(&from.pos);
        self.vel.copy_from_slice(&from.vel);
        self.hp.copy_from_slice(&from.hp);
        self.id.copy_from_slice(&from.id);
        self.generations.copy_from_slice(&from.generations);
    }
}

struct Raw {
    live: Arrays,
    kept: Arrays,
}

impl Raw {
    fn new() -> Self {
        let live = Arrays {
            pos: vec![[1.0; 3]; THINGS],
            vel: vec![[1.0; 3]; THINGS],
            hp: vec![5.0; THINGS],
            id: (0..THINGS as u32).collect(),
            generations: vec![1; THINGS],
        };
        Self { kept: live.clone(), live }
    }
}

impl Trial for Raw {
    fn run(&mut self) {
        self.kept.copy(&self.live);
        self.live.hp[77] = 0.0;
        self.live.copy(&self.kept);
    }

    fn answer(&mut self) -> u64 {
        u64::from(self.live.hp[77] == 5.0)
    }
}

struct Slots {
    live: SlotMap<DefaultKey, Row>,
    kept: SlotMap<DefaultKey, Row>,
    key: DefaultKey,
}

impl Slots {
    fn new() -> Self {
        let mut live = SlotMap::new();
        let keys: Vec<_> = (0..THINGS).map(|n| live.insert(Row::number(n))).collect();
        Self { kept: live.clone(), live, key: keys[77] }
    }
}

impl Trial for Slots {
    fn run(&mut self) {
        self.kept.clone_from(&self.live);
        self.live[self.key].hp = 0.0;
        self.live.clone_from(&self.kept);
    }

    fn answer(&mut self) -> u64 {
        u64::from(self.live[self.key].hp == 77.0)
    }
}

/// An arena has no way to copy into one that is there: its buffers are not kept.
struct Places {
    live: Arena<Row>,
    kept: Arena<Row>,
    one: Index,
}

impl Places {
    fn new() -> Self {
        let mut live = Arena::new();
        let keys: Vec<_> = (0..THINGS).map(|n| live.insert(Row::number(n))).collect();
        Self { kept: live.clone(), live, one: keys[77] }
    }
}

impl Trial for Places {
    fn run(&mut self) {
        self.kept = self.live.clone();
        self.live[self.one].hp = 0.0;
        self.live = self.kept.clone();
    }

    fn answer(&mut self) -> u64 {
        u64::from(self.live[self.one].hp == 77.0)
    }
}

fn world<T: Plain>() -> (World, Vec<Handle<T>>) {
    let mut world = World::new();
    world.saves::<T>();
    let handles = (0..THINGS).map(|n| world.spawn(T::number(n))).collect();
    (world, handles)
}

struct Whole<T: Plain> {
    world: World,
    snapshot: Snapshot,
    one: Handle<T>,
}

impl<T: Plain> Whole<T> {
    fn new() -> Self {
        let (world, handles) = world::<T>();
        Self { world, snapshot: Snapshot::new(), one: handles[77] }
    }
}

impl<T: Plain> Trial for Whole<T> {
    fn run(&mut self) {
        self.snapshot.take_into(&self.world).expect("the world saves something");
        T::set_hp(self.world.pool_mut(), self.one, 0.0);
        self.snapshot.restore(&mut self.world).expect("there is room");
    }

    fn answer(&mut self) -> u64 {
        u64::from(T::hp(self.world.pool(), self.one) == 77.0)
    }
}

/// A copy that follows a world by differences.
struct Changed<T: Plain, const SCATTERED: bool> {
    world: World,
    handles: Vec<Handle<T>>,
    copy: Snapshot,
    delta: Delta,
    random: Rng,
    round: u32,
}

impl<T: Plain, const SCATTERED: bool> Changed<T, SCATTERED> {
    fn new() -> Self {
        let (mut world, handles) = world::<T>();
        world.pool_mut::<T>().track_changes();
        world.pool_mut::<T>().next_tick();
        let copy = Snapshot::take(&world).expect("the world saves something");
        Self { world, handles, copy, delta: Delta::new(), random: Rng::with_seed(7), round: 0 }
    }
}

impl<T: Plain, const SCATTERED: bool> Trial for Changed<T, SCATTERED> {
    fn prepare(&mut self) {
        self.round += 1;
        let start = self.random.usize(..THINGS - CHANGES);
        let pool = self.world.pool_mut::<T>();
        for n in 0..CHANGES {
            let at = if SCATTERED { self.random.usize(..THINGS) } else { start + n };
            T::set_hp(pool, self.handles[at], self.round as f32);
            if !SCATTERED {
                pool.edit(self.handles[at], |_| {}); // all fields count as changed
            }
        }
        pool.next_tick();
    }

    fn run(&mut self) {
        self.delta.find_since(&self.copy, &self.world);
        self.delta.apply(&mut self.copy).expect("made for this copy");
    }

    /// The copy is compared now and then: that takes longer than the work.
    fn answer(&mut self) -> u64 {
        if self.round % 50 != 1 {
            return 1;
        }
        let now = Snapshot::take(&self.world).expect("the world saves something");
        u64::from(now.checksum() == self.copy.checksum())
    }
}
