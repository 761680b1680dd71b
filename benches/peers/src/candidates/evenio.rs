//! evenio: loops and many lookups are handlers of events, as its documentation shows. A thing is
//! spawned empty and its components are put in one by one: there is no other way.

use evenio::prelude::*;

use crate::parts::{Data, Health, InParts, Match, Position, Velocity, of_mover, with_kind};
use crate::store::{Kinds, Lookup, Movers, SpawnMany, Store, Tagging};
use crate::things::{DT, Fat, Mover, Small, Vec3};

/// Things that can be put into a world part by part.
pub(crate) trait Inserted: InParts {
    fn insert(self, world: &mut World) -> EntityId;
}

impl Inserted for Small {
    #[inline(always)]
    fn insert(self, world: &mut World) -> EntityId {
        let (entity, (health, position)) = (world.spawn(), self.parts());
        world.insert(entity, health);
        world.insert(entity, position);
        entity
    }
}

impl Inserted for Fat {
    #[inline(always)]
    fn insert(self, world: &mut World) -> EntityId {
        let (entity, (health, position, velocity, rotation, links)) = (world.spawn(), self.parts());
        world.insert(entity, health);
        world.insert(entity, position);
        world.insert(entity, velocity);
        world.insert(entity, rotation);
        world.insert(entity, links);
        entity
    }
}

/// Asks for the fields of many things, added up.
#[derive(GlobalEvent)]
struct Sum<'a> {
    keys: &'a [EntityId],
    sum: &'a mut u32,
}

/// Things in parts.
pub(crate) struct Evenio(World);

impl<T: Inserted> Store<T> for Evenio {
    type Key = EntityId;

    fn new() -> Self {
        let mut world = World::new();
        world.add_handler(|mut asked: ReceiverMut<Sum>, healths: Fetcher<&Health>| {
            let field = |key| healths.get(key).map_or(0.0, |health| health.0);
            *asked.event.sum =
                asked.event.keys.iter().fold(0, |sum, &key| sum.wrapping_add(field(key).to_bits()));
        });
        Self(world)
    }

    #[inline(always)]
    fn spawn(&mut self, thing: T) -> EntityId {
        thing.insert(&mut self.0)
    }

    #[inline(always)]
    fn despawn(&mut self, key: EntityId) {
        self.0.despawn(key);
    }
}

impl<T: Inserted> SpawnMany<T> for Evenio {
    #[inline(always)]
    fn spawn_many(&mut self, things: impl ExactSizeIterator<Item = T>, keys: &mut Vec<EntityId>) {
        keys.extend(things.map(|thing| thing.insert(&mut self.0)));
    }
}

impl<T: Inserted> Lookup<T> for Evenio {
    #[inline(always)]
    fn field(&self, key: EntityId) -> f32 {
        self.0.get::<Health>(key).map_or(0.0, |health| health.0)
    }

    #[inline(always)]
    fn sum(&mut self, keys: &[EntityId]) -> u32 {
        let mut sum = 0;
        self.0.send(Sum { keys, sum: &mut sum });
        sum
    }
}

#[derive(GlobalEvent)]
struct Step;

/// Movers, all of which match.
pub(crate) struct EvenioMovers {
    world: World,
    matching: Vec<EntityId>,
}

impl Movers for EvenioMovers {
    fn new() -> Self {
        let mut world = World::new();
        world.add_handler(|_: Receiver<Step>, moving: Fetcher<(&mut Position, &Velocity)>| {
            for (position, velocity) in moving {
                position.0 += velocity.0 * DT;
            }
        });
        Self { world, matching: Vec::new() }
    }

    fn spawn(&mut self, mover: Mover, _: bool) {
        self.matching.push(spawn(&mut self.world, mover));
    }

    fn step(&mut self) {
        self.world.send(Step);
    }

    fn positions(&mut self, see: impl FnMut(Vec3)) {
        positions(&self.world, &self.matching, see);
    }
}

/// Movers, some of which have the component [`Match`].
pub(crate) struct EvenioMatching {
    world: World,
    matching: Vec<EntityId>,
}

impl Movers for EvenioMatching {
    fn new() -> Self {
        let mut world = World::new();
        world.add_handler(
            |_: Receiver<Step>, moving: Fetcher<(&mut Position, &Velocity, With<&Match>)>| {
                for (position, velocity, _) in moving {
                    position.0 += velocity.0 * DT;
                }
            },
        );
        Self { world, matching: Vec::new() }
    }

    fn spawn(&mut self, mover: Mover, matches: bool) {
        let entity = spawn(&mut self.world, mover);
        if matches {
            self.world.insert(entity, Match());
            self.matching.push(entity);
        }
    }

    fn step(&mut self) {
        self.world.send(Step);
    }

    fn positions(&mut self, see: impl FnMut(Vec3)) {
        positions(&self.world, &self.matching, see);
    }
}

fn spawn(world: &mut World, mover: Mover) -> EntityId {
    let (position, velocity) = of_mover(mover);
    let entity = world.spawn();
    world.insert(entity, position);
    world.insert(entity, velocity);
    entity
}

fn positions(world: &World, of: &[EntityId], mut see: impl FnMut(Vec3)) {
    of.iter()
        .filter_map(|&entity| world.get::<Position>(entity))
        .for_each(|position| see(position.0));
}

#[derive(GlobalEvent)]
struct Scale(f32);

/// Things of 26 kinds: 26 archetypes.
pub(crate) struct EvenioKinds {
    world: World,
    all: Vec<EntityId>,
}

impl Kinds for EvenioKinds {
    fn new() -> Self {
        let mut world = World::new();
        world.add_handler(|scale: Receiver<Scale>, data: Fetcher<&mut Data>| {
            for data in data {
                data.0 *= scale.event.0;
            }
        });
        Self { world, all: Vec::new() }
    }

    fn spawn(&mut self, kind: usize, data: f32) {
        let entity = self.world.spawn();
        self.world.insert(entity, Data(data));
        with_kind!(kind, Kind => self.world.insert(entity, Kind::default()));
        self.all.push(entity);
    }

    fn scale(&mut self, by: f32) {
        self.world.send(Scale(by));
    }

    fn data(&mut self, mut see: impl FnMut(f32)) {
        self.all
            .iter()
            .filter_map(|&entity| self.world.get::<Data>(entity))
            .for_each(|data| see(data.0));
    }
}

/// Numbers that get and lose the component [`Match`].
pub(crate) struct EvenioTagging {
    world: World,
    all: Vec<EntityId>,
}

impl Tagging for EvenioTagging {
    type Key = EntityId;

    fn new() -> Self {
        Self { world: World::new(), all: Vec::new() }
    }

    fn spawn(&mut self, data: f32) -> EntityId {
        let entity = self.world.spawn();
        self.world.insert(entity, Data(data));
        self.all.push(entity);
        entity
    }

    fn tag(&mut self, keys: &[EntityId]) {
        keys.iter().for_each(|&key| self.world.insert(key, Match()));
    }

    fn untag(&mut self, keys: &[EntityId]) {
        keys.iter().for_each(|&key| self.world.remove::<Match>(key));
    }

    fn tagged(&mut self) -> usize {
        self.all.iter().filter(|&&entity| self.world.get::<Match>(entity).is_some()).count()
    }
}
