//! One, two and three components of each entity, in the order in which they were made: a position to
//! be changed, by a velocity, and by data that every other one has.

#[cfg(feature = "ecs")]
mod ecs;
#[cfg(feature = "flecs")]
mod flecs;

use std::hint::black_box;

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Pool, Ref, View};
use slotmap::{DefaultKey, SlotMap};
use thunderdome::{Arena, Index};

use crate::things::both_ways;
use crate::workload::{Bar, Trial, Workload};
use crate::workloads::mix;

const SIZES: [(&str, u32); 3] = [("1k", 1_000), ("64k", 64_000), ("1m", 1_000_000)];

/// By handle in rows or in a hot group; columns are only reported.
const BARS: &[Bar] = &[Bar::to_best("lath-rows", 1.2), Bar::to_best("lath-hot", 1.2)];

/// By how many components, then by how many entities.
pub(super) fn workloads() -> Vec<Workload> {
    let sizes = |components: fn(&str, u32) -> Workload| SIZES.map(|(size, n)| components(size, n));
    [sizes(everybody::<One>), sizes(everybody::<Two>), sizes(everybody::<Three>)]
        .into_iter()
        .flatten()
        .collect()
}

fn everybody<D: Deed>(size: &str, n: u32) -> Workload {
    let name = format!("outside-unpack-{}-{size}", D::COMPONENTS);
    let about = format!("{} of the components of each of {n} entities", D::COMPONENTS);
    let workload = Workload::new(name, about, BARS)
        .with("raw", move || Unpack::<D, Raw>::new(n))
        .with("slotmap", move || Unpack::<D, SlotMap<DefaultKey, Entity>>::new(n))
        .with("thunderdome", move || Unpack::<D, Arena<Entity>>::new(n));
    #[cfg(feature = "ecs")]
    let workload = workload
        .with("hecs", move || Unpack::<D, ecs::Hecs>::new(n))
        .with("bevy_ecs", move || Unpack::<D, ecs::Bevy>::new(n))
        .with("evenio", move || Unpack::<D, ecs::Evenio>::new(n))
        .with("sparsey", move || Unpack::<D, ecs::Sparsey>::new(n))
        .with("shipyard", move || Unpack::<D, ecs::Shipyard>::new(n));
    #[cfg(feature = "flecs")]
    let workload = workload.with("flecs", move || Unpack::<D, flecs::Flecs>::new(n));
    workload
        .with("lath-rows", move || Unpack::<D, Pool<Entity>>::new(n))
        .with("lath-hot", move || Unpack::<D, Pool<HotEntity>>::new(n))
        .with("lath-columns", move || Unpack::<D, Pool<ColumnEntity>>::new(n))
}

type Pair = [f32; 2];

/// Some data that a system would change.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) struct Data {
    number: i32,
    share: f64,
    flag: bool,
}

bitflags! {
    #[derive(Clone, Copy, Default, PartialEq)]
    pub(crate) struct Has: u8 {
        const DATA = 1;
    }
}

both_ways! {
    /// Everything that an entity may have.
    Entity, ColumnEntity {
        #[thing(tags)]
        has: Has,
        position: Pair,
        velocity: Pair,
        data: Data,
    }
}

/// The same with what all entities have beside the generation.
#[derive(lath_core::Thing, Clone, Copy, Default, PartialEq)]
#[thing(columns)]
struct HotEntity {
    #[thing(tags)]
    has: Has,
    #[thing(hot)]
    position: Pair,
    #[thing(hot)]
    velocity: Pair,
    data: Data,
}

impl From<Entity> for HotEntity {
    fn from(Entity { has, position, velocity, data }: Entity) -> Self {
        Self { has, position, velocity, data }
    }
}

impl Entity {
    fn number(n: u32) -> Self {
        let x = (n % 1024) as f32;
        let has = if n % 2 == 0 { Has::DATA } else { Has::empty() };
        let data = Data { number: (n % 7) as i32, share: 0.5, flag: true };
        Self { has, position: [x, -x], velocity: [1.0, (n % 3) as f32], data }
    }

    #[cfg(feature = "ecs")]
    fn data(&self) -> Option<&Data> {
        self.has.contains(Has::DATA).then_some(&self.data)
    }
}

/// What is done with one, with two and with three components. Sums of small whole numbers: exact.
#[inline(always)]
fn one(position: &mut Pair) {
    position[0] += 1.0;
}

#[inline(always)]
fn two(position: &mut Pair, velocity: &Pair) {
    position[0] += velocity[0];
    position[1] += velocity[1];
}

#[inline(always)]
fn three(position: &mut Pair, velocity: &Pair, data: Option<&Data>) {
    two(position, velocity);
    if let Some(data) = data {
        position[0] -= data.number as f32;
    }
}

/// A world of entities that are asked for by key.
trait World: 'static {
    type Key: Copy + 'static;

    fn new() -> Self;

    /// Puts an entity in; not timed.
    fn add(&mut self, entity: Entity) -> Self::Key;

    fn one(&mut self, keys: &[Self::Key]);
    fn two(&mut self, keys: &[Self::Key]);
    fn three(&mut self, keys: &[Self::Key]);

    /// Where all are, in the order of the keys.
    fn positions(&mut self, keys: &[Self::Key], see: impl FnMut(Pair));
}

/// How many components are asked for.
trait Deed: 'static {
    const COMPONENTS: &'static str;

    fn run<W: World>(world: &mut W, keys: &[W::Key]);
}

macro_rules! deeds {
    ($($name:ident $call:ident)+) => {$(
        struct $name;

        impl Deed for $name {
            const COMPONENTS: &'static str = stringify!($call);

            #[inline(always)]
            fn run<W: World>(world: &mut W, keys: &[W::Key]) {
                world.$call(keys);
            }
        }
    )+};
}

deeds!(One one  Two two  Three three);

/// A world, and the keys of all that is in it. Few are gone through again and again, or the clock
/// would not see them.
struct Unpack<D, W: World> {
    world: W,
    keys: Vec<W::Key>,
    times: u32,
    _deed: std::marker::PhantomData<D>,
}

impl<D: Deed, W: World> Unpack<D, W> {
    fn new(count: u32) -> Self {
        let mut world = W::new();
        let keys = (0..count).map(|n| world.add(Entity::number(n))).collect();
        Self { world, keys, times: (32_000 / count).max(1), _deed: std::marker::PhantomData }
    }
}

impl<D: Deed, W: World> Trial for Unpack<D, W> {
    fn run(&mut self) {
        for _ in 0..self.times {
            D::run(&mut self.world, black_box(&self.keys));
        }
    }

    fn answer(&mut self) -> u64 {
        let mut answer = 0;
        self.world.positions(&self.keys, |[x, y]| {
            answer = mix(mix(answer, u64::from(x.to_bits())), u64::from(y.to_bits()));
        });
        answer
    }
}

/// Rows with a generation.
struct Raw(Vec<(u32, Entity)>);

impl Raw {
    #[inline(always)]
    fn get(&mut self, (index, generation): (u32, u32)) -> Option<&mut Entity> {
        self.0
            .get_mut(index as usize)
            .filter(|(now, _)| *now == generation)
            .map(|(_, entity)| entity)
    }
}

impl World for Raw {
    type Key = (u32, u32);

    fn new() -> Self {
        Self(Vec::new())
    }

    fn add(&mut self, entity: Entity) -> (u32, u32) {
        self.0.push((1, entity));
        (self.0.len() as u32 - 1, 1)
    }

    fn one(&mut self, keys: &[(u32, u32)]) {
        for &key in keys {
            if let Some(entity) = self.get(key) {
                one(&mut entity.position);
            }
        }
    }

    fn two(&mut self, keys: &[(u32, u32)]) {
        for &key in keys {
            if let Some(entity) = self.get(key) {
                two(&mut entity.position, &entity.velocity);
            }
        }
    }

    fn three(&mut self, keys: &[(u32, u32)]) {
        for &key in keys {
            if let Some(Entity { has, position, velocity, data }) = self.get(key) {
                three(position, velocity, has.contains(Has::DATA).then_some(data));
            }
        }
    }

    fn positions(&mut self, _: &[(u32, u32)], mut see: impl FnMut(Pair)) {
        self.0.iter().for_each(|(_, entity)| see(entity.position));
    }
}

/// slotmap and thunderdome share these calls, but no trait; rows of lath share them, too.
macro_rules! rows {
    ($world:ty, $key:ty, $insert:ident) => {
        impl World for $world {
            type Key = $key;

            fn new() -> Self {
                Self::new()
            }

            fn add(&mut self, entity: Entity) -> $key {
                self.$insert(entity)
            }

            fn one(&mut self, keys: &[$key]) {
                for &key in keys {
                    if let Some(entity) = self.get_mut(key) {
                        one(&mut entity.position);
                    }
                }
            }

            fn two(&mut self, keys: &[$key]) {
                for &key in keys {
                    if let Some(entity) = self.get_mut(key) {
                        two(&mut entity.position, &entity.velocity);
                    }
                }
            }

            fn three(&mut self, keys: &[$key]) {
                for &key in keys {
                    if let Some(Entity { has, position, velocity, data }) = self.get_mut(key) {
                        three(position, velocity, has.contains(Has::DATA).then_some(data));
                    }
                }
            }

            fn positions(&mut self, keys: &[$key], mut see: impl FnMut(Pair)) {
                keys.iter().for_each(|&key| see(self[key].position));
            }
        }
    };
}

rows!(SlotMap<DefaultKey, Entity>, DefaultKey, insert);
rows!(Arena<Entity>, Index, insert);

/// lath: the fields that are asked for, by views.
macro_rules! lath {
    ($thing:ident, $field:ident, $with_data:ident) => {
        /// Position, velocity, and data if there is any.
        #[derive(View)]
        #[view($thing)]
        struct $with_data<'a> {
            has: &'a Has,
            position: &'a mut Pair,
            velocity: &'a Pair,
            data: &'a Data,
        }

        impl World for Pool<$thing> {
            type Key = Handle<$thing>;

            fn new() -> Self {
                Self::new()
            }

            fn add(&mut self, entity: Entity) -> Self::Key {
                self.spawn(entity.into())
            }

            fn one(&mut self, keys: &[Self::Key]) {
                for &key in keys {
                    if let Some(mut position) =
                        self.view_mut::<Mut<$field::position>>().get_mut(key)
                    {
                        one(&mut position);
                    }
                }
            }

            fn two(&mut self, keys: &[Self::Key]) {
                for &key in keys {
                    let mut seen =
                        self.view_mut::<(Mut<$field::position>, Ref<$field::velocity>)>();
                    if let Some((mut position, velocity)) = seen.get_mut(key) {
                        two(&mut position, &velocity);
                    }
                }
            }

            fn three(&mut self, keys: &[Self::Key]) {
                for &key in keys {
                    if let Some(seen) = self.view_mut::<$with_data>().get_mut(key) {
                        let data = seen.has.contains(Has::DATA).then_some(seen.data);
                        three(seen.position, seen.velocity, data);
                    }
                }
            }

            fn positions(&mut self, keys: &[Self::Key], mut see: impl FnMut(Pair)) {
                for &key in keys {
                    see(self
                        .view::<Ref<$field::position>>()
                        .get(key)
                        .map_or([0.0; 2], |seen| *seen));
                }
            }
        }
    };
}

lath!(Entity, entity, EntityWithData);
lath!(HotEntity, hot_entity, HotEntityWithData);
lath!(ColumnEntity, column_entity, ColumnEntityWithData);
