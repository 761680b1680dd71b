//! A thousand things; each has one more spawned for it, and then all of those go.

#[cfg(feature = "ecs")]
mod ecs;
#[cfg(feature = "flecs")]
mod flecs;

use lath_core::bitflags::bitflags;
use lath_core::{Pool, Ref};
use slotmap::{DefaultKey, SlotMap};
use thunderdome::Arena;

use crate::things::both_ways;
use crate::workload::{Bar, Trial, Workload};

const THINGS: u16 = 1_000;

const BARS: &[Bar] = &[Bar::to_best("lath-rows", 1.5)];

pub(super) fn workloads() -> Vec<Workload> {
    let about = format!("each of {THINGS} things spawns one, then all of those are destroyed");
    let workload = Workload::new("outside-cycle", about, BARS)
        .with("raw", Cycles::<Raw>::new)
        .with("slotmap", Cycles::<InSlotMap>::new)
        .with("thunderdome", Cycles::<InArena>::new);
    #[cfg(feature = "ecs")]
    let workload = workload
        .with("hecs", Cycles::<ecs::Hecs>::new)
        .with("bevy_ecs", Cycles::<ecs::Bevy>::new)
        .with("evenio", Cycles::<ecs::Evenio>::new)
        .with("sparsey", Cycles::<ecs::Sparsey>::new)
        .with("shipyard", Cycles::<ecs::Shipyard>::new);
    #[cfg(feature = "flecs")]
    let workload = workload.with("flecs", Cycles::<flecs::Flecs>::new);
    vec![
        workload
            .with("lath-rows", Cycles::<InPool<Thing>>::new)
            .with("lath-columns", Cycles::<InPool<ColumnThing>>::new),
    ]
}

/// A world of parents, and now and then children.
trait Family: 'static {
    fn new() -> Self;

    /// Puts a parent in.
    fn add(&mut self, value: f32);

    /// Spawns a child of the same value for each parent.
    fn bear(&mut self);

    /// Destroys all children.
    fn bury(&mut self);

    /// How many there are, and the values of all added up; small whole numbers, exact.
    fn census(&mut self) -> (usize, f64);
}

struct Cycles<F>(F);

impl<F: Family> Cycles<F> {
    fn new() -> Self {
        let mut family = F::new();
        (0..THINGS).for_each(|n| family.add(f32::from(n)));
        family.bear();
        let count = 2 * usize::from(THINGS);
        assert_eq!(family.census().0, count, "each has a child, and {count} there are");
        family.bury();
        Self(family)
    }
}

impl<F: Family> Trial for Cycles<F> {
    fn run(&mut self) {
        self.0.bear();
        self.0.bury();
    }

    fn answer(&mut self) -> u64 {
        let (count, sum) = self.0.census();
        count as u64 ^ sum.to_bits()
    }
}

/// Two arrays.
#[derive(Default)]
struct Raw {
    parents: Vec<f32>,
    children: Vec<f32>,
}

impl Family for Raw {
    fn new() -> Self {
        Self::default()
    }

    fn add(&mut self, value: f32) {
        self.parents.push(value);
    }

    fn bear(&mut self) {
        self.children.extend(&self.parents);
        std::hint::black_box(&mut self.children);
    }

    fn bury(&mut self) {
        self.children.clear();
    }

    fn census(&mut self) -> (usize, f64) {
        let all = self.parents.iter().chain(&self.children);
        (all.clone().count(), all.copied().map(f64::from).sum())
    }
}

bitflags! {
    #[derive(Clone, Copy, Default, PartialEq)]
    pub(crate) struct Is: u8 {
        const CHILD = 1;
    }
}

both_ways! {
    /// A value, and whether it is a child's.
    Thing, ColumnThing {
        #[thing(tags)]
        is: Is,
        value: f32,
    }
}

impl Thing {
    fn parent(value: f32) -> Self {
        Self { is: Is::empty(), value }
    }

    fn child(value: f32) -> Self {
        Self { is: Is::CHILD, value }
    }
}

/// slotmap and thunderdome share these calls, but no trait. The values are kept aside while
/// children come, in memory that stays.
macro_rules! map {
    ($name:ident, $map:ty) => {
        struct $name {
            map: $map,
            values: Vec<f32>,
        }

        impl Family for $name {
            fn new() -> Self {
                Self { map: <$map>::new(), values: Vec::new() }
            }

            fn add(&mut self, value: f32) {
                self.map.insert(Thing::parent(value));
            }

            fn bear(&mut self) {
                let Self { map, values } = self;
                values.extend(map.iter().map(|(_, thing)| thing.value));
                for value in values.drain(..) {
                    map.insert(Thing::child(value));
                }
            }

            fn bury(&mut self) {
                self.map.retain(|_, thing| !thing.is.contains(Is::CHILD));
            }

            fn census(&mut self) -> (usize, f64) {
                let all = self.map.iter().map(|(_, thing)| f64::from(thing.value));
                (self.map.len(), all.sum())
            }
        }
    };
}

map!(InSlotMap, SlotMap<DefaultKey, Thing>);
map!(InArena, Arena<Thing>);

/// A pool, and values that are kept aside while children come.
struct InPool<T: lath_core::Thing> {
    pool: Pool<T>,
    values: Vec<f32>,
}

macro_rules! lath {
    ($thing:ident, $field:ident, |$one:ident| $is:expr) => {
        impl Family for InPool<$thing> {
            fn new() -> Self {
                Self { pool: Pool::new(), values: Vec::new() }
            }

            fn add(&mut self, value: f32) {
                self.pool.spawn(Thing::parent(value).into());
            }

            fn bear(&mut self) {
                let Self { pool, values } = self;
                pool.view_mut::<Ref<$field::value>>().each(|value| values.push(*value));
                pool.extend(values.drain(..).map(|value| $thing::from(Thing::child(value))));
            }

            fn bury(&mut self) {
                self.pool.retain(|_, $one| !$is.contains(Is::CHILD));
            }

            fn census(&mut self) -> (usize, f64) {
                let all = self.pool.view::<Ref<$field::value>>().iter();
                (self.pool.len(), all.map(|value| f64::from(*value)).sum())
            }
        }
    };
}

lath!(Thing, thing, |one| one.is);
lath!(ColumnThing, column_thing, |one| *one.is);
