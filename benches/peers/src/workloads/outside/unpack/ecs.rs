//! Entities in two components or three, asked for one by one through one view or prepared query for
//! all of them.

use bevy_ecs::query::QueryState;
use evenio::prelude::*;
use shipyard::{Get, View, ViewMut};

use super::{Data, Entity, Pair, World as Entities, one, three, two};
use crate::parts::components;

components! {
    struct Position(Pair);
    struct Velocity(Pair);
    struct Datum(Data);
}

/// Two components, and perhaps a third.
pub(super) fn parts(entity: &Entity) -> (Position, Velocity, Option<Datum>) {
    (Position(entity.position), Velocity(entity.velocity), entity.data().copied().map(Datum))
}

pub(super) struct Hecs(hecs::World);

impl Entities for Hecs {
    type Key = hecs::Entity;

    fn new() -> Self {
        Self(hecs::World::new())
    }

    fn add(&mut self, entity: Entity) -> hecs::Entity {
        match parts(&entity) {
            (position, velocity, Some(data)) => self.0.spawn((position, velocity, data)),
            (position, velocity, None) => self.0.spawn((position, velocity)),
        }
    }

    fn one(&mut self, keys: &[hecs::Entity]) {
        let mut view = self.0.view_mut::<&mut Position>();
        for &key in keys {
            if let Some(position) = view.get_mut(key) {
                one(&mut position.0);
            }
        }
    }

    fn two(&mut self, keys: &[hecs::Entity]) {
        let mut view = self.0.view_mut::<(&mut Position, &Velocity)>();
        for &key in keys {
            if let Some((position, velocity)) = view.get_mut(key) {
                two(&mut position.0, &velocity.0);
            }
        }
    }

    fn three(&mut self, keys: &[hecs::Entity]) {
        let mut view = self.0.view_mut::<(&mut Position, &Velocity, Option<&Datum>)>();
        for &key in keys {
            if let Some((position, velocity, data)) = view.get_mut(key) {
                three(&mut position.0, &velocity.0, data.map(|data| &data.0));
            }
        }
    }

    fn positions(&mut self, keys: &[hecs::Entity], mut see: impl FnMut(Pair)) {
        let view = self.0.view_mut::<&Position>();
        keys.iter().for_each(|&key| see(view.get(key).map_or([0.0; 2], |p: &Position| p.0)));
    }
}

type Three = (&'static mut Position, &'static Velocity, Option<&'static Datum>);

pub(super) struct Bevy {
    world: bevy_ecs::world::World,
    one: QueryState<&'static mut Position>,
    two: QueryState<(&'static mut Position, &'static Velocity)>,
    three: QueryState<Three>,
}

impl Entities for Bevy {
    type Key = bevy_ecs::entity::Entity;

    fn new() -> Self {
        let mut world = bevy_ecs::world::World::new();
        Self { one: world.query(), two: world.query(), three: world.query(), world }
    }

    fn add(&mut self, entity: Entity) -> Self::Key {
        match parts(&entity) {
            (position, velocity, Some(data)) => self.world.spawn((position, velocity, data)).id(),
            (position, velocity, None) => self.world.spawn((position, velocity)).id(),
        }
    }

    fn one(&mut self, keys: &[Self::Key]) {
        let mut query = self.one.query_mut(&mut self.world);
        for &key in keys {
            if let Ok(mut position) = query.get_mut(key) {
                one(&mut position.0);
            }
        }
    }

    fn two(&mut self, keys: &[Self::Key]) {
        let mut query = self.two.query_mut(&mut self.world);
        for &key in keys {
            if let Ok((mut position, velocity)) = query.get_mut(key) {
                two(&mut position.0, &velocity.0);
            }
        }
    }

    fn three(&mut self, keys: &[Self::Key]) {
        let mut query = self.three.query_mut(&mut self.world);
        for &key in keys {
            if let Ok((mut position, velocity, data)) = query.get_mut(key) {
                three(&mut position.0, &velocity.0, data.map(|data| &data.0));
            }
        }
    }

    fn positions(&mut self, keys: &[Self::Key], mut see: impl FnMut(Pair)) {
        let query = self.one.query(&self.world);
        keys.iter().for_each(|&key| see(query.get(key).map_or([0.0; 2], |position| position.0)));
    }
}

#[derive(GlobalEvent)]
struct One<'a>(&'a [EntityId]);

#[derive(GlobalEvent)]
struct Two<'a>(&'a [EntityId]);

#[derive(GlobalEvent)]
struct All<'a>(&'a [EntityId]);

pub(super) struct Evenio(World);

impl Entities for Evenio {
    type Key = EntityId;

    fn new() -> Self {
        let mut world = World::new();
        world.add_handler(|asked: Receiver<One>, mut all: Fetcher<&mut Position>| {
            for &key in asked.event.0 {
                if let Ok(position) = all.get_mut(key) {
                    one(&mut position.0);
                }
            }
        });
        world.add_handler(|asked: Receiver<Two>, mut all: Fetcher<(&mut Position, &Velocity)>| {
            for &key in asked.event.0 {
                if let Ok((position, velocity)) = all.get_mut(key) {
                    two(&mut position.0, &velocity.0);
                }
            }
        });
        world.add_handler(
            |asked: Receiver<All>, mut all: Fetcher<(&mut Position, &Velocity, Option<&Datum>)>| {
                for &key in asked.event.0 {
                    if let Ok((position, velocity, data)) = all.get_mut(key) {
                        three(&mut position.0, &velocity.0, data.map(|data| &data.0));
                    }
                }
            },
        );
        Self(world)
    }

    fn add(&mut self, entity: Entity) -> EntityId {
        let ((position, velocity, data), entity) = (parts(&entity), self.0.spawn());
        self.0.insert(entity, position);
        self.0.insert(entity, velocity);
        if let Some(data) = data {
            self.0.insert(entity, data);
        }
        entity
    }

    fn one(&mut self, keys: &[EntityId]) {
        self.0.send(One(keys));
    }

    fn two(&mut self, keys: &[EntityId]) {
        self.0.send(Two(keys));
    }

    fn three(&mut self, keys: &[EntityId]) {
        self.0.send(All(keys));
    }

    fn positions(&mut self, keys: &[EntityId], mut see: impl FnMut(Pair)) {
        keys.iter().for_each(|&key| see(self.0.get::<Position>(key).map_or([0.0; 2], |p| p.0)));
    }
}

pub(super) struct Sparsey(sparsey::World);

impl Entities for Sparsey {
    type Key = sparsey::Entity;

    fn new() -> Self {
        Self(
            sparsey::World::builder()
                .add_group::<(Position, Velocity)>()
                .register::<Datum>()
                .build(),
        )
    }

    fn add(&mut self, entity: Entity) -> sparsey::Entity {
        match parts(&entity) {
            (position, velocity, Some(data)) => self.0.create((position, velocity, data)),
            (position, velocity, None) => self.0.create((position, velocity)),
        }
    }

    fn one(&mut self, keys: &[sparsey::Entity]) {
        let mut positions = self.0.borrow_mut::<Position>();
        for &key in keys {
            if let Some(position) = positions.get_mut(key) {
                one(&mut position.0);
            }
        }
    }

    fn two(&mut self, keys: &[sparsey::Entity]) {
        let (mut positions, velocities) =
            (self.0.borrow_mut::<Position>(), self.0.borrow::<Velocity>());
        for &key in keys {
            if let (Some(position), Some(velocity)) = (positions.get_mut(key), velocities.get(key))
            {
                two(&mut position.0, &velocity.0);
            }
        }
    }

    fn three(&mut self, keys: &[sparsey::Entity]) {
        let (mut positions, velocities) =
            (self.0.borrow_mut::<Position>(), self.0.borrow::<Velocity>());
        let data = self.0.borrow::<Datum>();
        for &key in keys {
            if let (Some(position), Some(velocity)) = (positions.get_mut(key), velocities.get(key))
            {
                three(&mut position.0, &velocity.0, data.get(key).map(|data| &data.0));
            }
        }
    }

    fn positions(&mut self, keys: &[sparsey::Entity], mut see: impl FnMut(Pair)) {
        let positions = self.0.borrow::<Position>();
        keys.iter().for_each(|&key| see(positions.get(key).map_or([0.0; 2], |p| p.0)));
    }
}

pub(super) struct Shipyard(shipyard::World);

impl Entities for Shipyard {
    type Key = shipyard::EntityId;

    fn new() -> Self {
        Self(shipyard::World::new())
    }

    fn add(&mut self, entity: Entity) -> Self::Key {
        match parts(&entity) {
            (position, velocity, Some(data)) => self.0.add_entity((position, velocity, data)),
            (position, velocity, None) => self.0.add_entity((position, velocity)),
        }
    }

    fn one(&mut self, keys: &[Self::Key]) {
        self.0.run(|mut positions: ViewMut<Position>| {
            for &key in keys {
                if let Ok(mut position) = (&mut positions).get(key) {
                    one(&mut position.0);
                }
            }
        });
    }

    fn two(&mut self, keys: &[Self::Key]) {
        self.0.run(|mut positions: ViewMut<Position>, velocities: View<Velocity>| {
            for &key in keys {
                if let Ok((mut position, velocity)) = (&mut positions, &velocities).get(key) {
                    two(&mut position.0, &velocity.0);
                }
            }
        });
    }

    fn three(&mut self, keys: &[Self::Key]) {
        self.0.run(
            |mut positions: ViewMut<Position>, velocities: View<Velocity>, data: View<Datum>| {
                for &key in keys {
                    if let Ok((mut position, velocity)) = (&mut positions, &velocities).get(key) {
                        let data = (&data).get(key).ok().map(|data: &Datum| &data.0);
                        three(&mut position.0, &velocity.0, data);
                    }
                }
            },
        );
    }

    fn positions(&mut self, keys: &[Self::Key], mut see: impl FnMut(Pair)) {
        self.0.run(|positions: View<Position>| {
            keys.iter()
                .for_each(|&key| see((&positions).get(key).map_or([0.0; 2], |p: &Position| p.0)));
        });
    }
}
