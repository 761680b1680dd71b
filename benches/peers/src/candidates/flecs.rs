//! flecs: cached queries over whole tables, by the calls that its documentation recommends for
//! speed. A tag is a component without data.

use flecs_ecs::prelude::*;

use crate::parts::{Data, Health, InParts, Match, Position, Velocity, of_mover, with_kind};
use crate::store::{Kinds, Lookup, Movers, SpawnMany, Store, Tagging};
use crate::things::{DT, Fat, Mover, Small, Vec3};

/// Things that can be put into a world: part by part, or many at once from one array per component.
pub(crate) trait Set: InParts {
    fn set(self, world: &World) -> Entity;
    fn set_many(world: &World, things: impl ExactSizeIterator<Item = Self>) -> Vec<Entity>;
}

impl Set for Small {
    #[inline(always)]
    fn set(self, world: &World) -> Entity {
        let (health, position) = self.parts();
        world.entity().set(health).set(position).id()
    }

    fn set_many(world: &World, things: impl ExactSizeIterator<Item = Self>) -> Vec<Entity> {
        let count = things.len() as u32;
        let (healths, positions): (Vec<_>, Vec<_>) = things.map(Self::parts).unzip();
        world.entity_bulk(count).set(&healths).set(&positions).build()
    }
}

impl Set for Fat {
    #[inline(always)]
    fn set(self, world: &World) -> Entity {
        let (health, position, velocity, rotation, links) = self.parts();
        world.entity().set(health).set(position).set(velocity).set(rotation).set(links).id()
    }

    fn set_many(world: &World, things: impl ExactSizeIterator<Item = Self>) -> Vec<Entity> {
        let count = things.len();
        let (mut positions, mut velocities) =
            (Vec::with_capacity(count), Vec::with_capacity(count));
        let (mut rotations, mut healths) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut links_of = Vec::with_capacity(count);
        for (health, position, velocity, rotation, links) in things.map(Self::parts) {
            positions.push(position);
            velocities.push(velocity);
            rotations.push(rotation);
            healths.push(health);
            links_of.push(links);
        }
        let mut bulk = world.entity_bulk(count as u32);
        bulk.set(&healths).set(&positions).set(&velocities).set(&rotations).set(&links_of).build()
    }
}

/// Things in parts.
pub(crate) struct Flecs(World);

impl<T: Set> Store<T> for Flecs {
    type Key = Entity;

    fn new() -> Self {
        Self(World::new())
    }

    #[inline(always)]
    fn spawn(&mut self, thing: T) -> Entity {
        thing.set(&self.0)
    }

    #[inline(always)]
    fn despawn(&mut self, key: Entity) {
        self.0.entity_from_id(key).destruct();
    }
}

impl<T: Set> SpawnMany<T> for Flecs {
    #[inline(always)]
    fn spawn_many(&mut self, things: impl ExactSizeIterator<Item = T>, keys: &mut Vec<Entity>) {
        keys.extend(T::set_many(&self.0, things));
    }
}

impl<T: Set> Lookup<T> for Flecs {
    #[inline(always)]
    fn field(&self, key: Entity) -> f32 {
        // Whoever keeps ids for long has to ask whether they are alive.
        if !self.0.is_alive(key) {
            return 0.0;
        }
        self.0.entity_from_id(key).try_get::<&Health>(|health| health.0).unwrap_or(0.0)
    }
}

/// Movers, all of which match.
pub(crate) struct FlecsMovers {
    moving: Query<(&'static mut Position, &'static Velocity)>,
    world: World,
}

impl Movers for FlecsMovers {
    fn new() -> Self {
        let world = World::new();
        let moving = world.query().set_cached().build();
        Self { moving, world }
    }

    fn spawn(&mut self, mover: Mover, _: bool) {
        let (position, velocity) = of_mover(mover);
        self.world.entity().set(position).set(velocity);
    }

    fn step(&mut self) {
        step(&self.moving);
    }

    fn positions(&mut self, mut see: impl FnMut(Vec3)) {
        self.moving.each(|(position, _)| see(position.0));
    }
}

/// Movers, some of which have the tag [`Match`].
pub(crate) struct FlecsMatching {
    moving: Query<(&'static mut Position, &'static Velocity)>,
    world: World,
}

impl Movers for FlecsMatching {
    fn new() -> Self {
        let world = World::new();
        let moving = world.query().with(Match::id()).set_cached().build();
        Self { moving, world }
    }

    fn spawn(&mut self, mover: Mover, matches: bool) {
        let (position, velocity) = of_mover(mover);
        let entity = self.world.entity().set(position).set(velocity);
        if matches {
            entity.add(Match::id());
        }
    }

    fn step(&mut self) {
        step(&self.moving);
    }

    fn positions(&mut self, mut see: impl FnMut(Vec3)) {
        self.moving.each(|(position, _)| see(position.0));
    }
}

fn step(moving: &Query<(&'static mut Position, &'static Velocity)>) {
    moving.run(|mut tables| {
        while tables.next() {
            let mut positions = tables.field_mut::<Position>(0);
            let velocities = tables.field::<Velocity>(1);
            for (position, velocity) in
                positions.as_mut_slice().iter_mut().zip(velocities.as_slice())
            {
                position.0 += velocity.0 * DT;
            }
        }
    });
}

/// Things of 26 kinds: 26 tables.
pub(crate) struct FlecsKinds {
    data: Query<&'static mut Data>,
    world: World,
}

impl Kinds for FlecsKinds {
    fn new() -> Self {
        let world = World::new();
        let data = world.query().set_cached().build();
        Self { data, world }
    }

    fn spawn(&mut self, kind: usize, data: f32) {
        let entity = self.world.entity().set(Data(data));
        with_kind!(kind, Kind => { entity.set(Kind::default()); });
    }

    fn scale(&mut self, by: f32) {
        self.data.run(|mut tables| {
            while tables.next() {
                tables.field_mut::<Data>(0).as_mut_slice().iter_mut().for_each(|data| data.0 *= by);
            }
        });
    }

    fn data(&mut self, mut see: impl FnMut(f32)) {
        self.data.each(|data| see(data.0));
    }
}

/// Numbers that get and lose the tag [`Match`].
pub(crate) struct FlecsTagging {
    tagged: Query<()>,
    world: World,
}

impl Tagging for FlecsTagging {
    type Key = Entity;

    fn new() -> Self {
        let world = World::new();
        let tagged = world.query().with(Match::id()).build();
        Self { tagged, world }
    }

    fn spawn(&mut self, data: f32) -> Entity {
        self.world.entity().set(Data(data)).id()
    }

    fn tag(&mut self, keys: &[Entity]) {
        for &key in keys {
            self.world.entity_from_id(key).add(Match::id());
        }
    }

    fn untag(&mut self, keys: &[Entity]) {
        for &key in keys {
            self.world.entity_from_id(key).remove(Match::id());
        }
    }

    fn tagged(&mut self) -> usize {
        self.tagged.count() as usize
    }
}
