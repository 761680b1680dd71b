//! Entities in two components or three, asked for one by one.

use flecs_ecs::prelude::*;

use super::ecs::{Datum, Position, Velocity, parts};
use super::{Entity as One, Pair, World as Entities, one, three, two};

pub(super) struct Flecs(World);

impl Entities for Flecs {
    type Key = Entity;

    fn new() -> Self {
        Self(World::new())
    }

    fn add(&mut self, entity: One) -> Entity {
        let (position, velocity, data) = parts(&entity);
        let entity = self.0.entity().set(position).set(velocity);
        if let Some(data) = data {
            entity.set(data);
        }
        entity.id()
    }

    fn one(&mut self, keys: &[Entity]) {
        for &key in keys {
            self.0.entity_from_id(key).get::<&mut Position>(|position| one(&mut position.0));
        }
    }

    fn two(&mut self, keys: &[Entity]) {
        for &key in keys {
            self.0.entity_from_id(key).get::<(&mut Position, &Velocity)>(|(position, velocity)| {
                two(&mut position.0, &velocity.0);
            });
        }
    }

    fn three(&mut self, keys: &[Entity]) {
        for &key in keys {
            self.0.entity_from_id(key).get::<(&mut Position, &Velocity, Option<&Datum>)>(
                |(position, velocity, data)| {
                    three(&mut position.0, &velocity.0, data.map(|data| &data.0));
                },
            );
        }
    }

    fn positions(&mut self, keys: &[Entity], mut see: impl FnMut(Pair)) {
        for &key in keys {
            see(self.0.entity_from_id(key).get::<&Position>(|position| position.0));
        }
    }
}
