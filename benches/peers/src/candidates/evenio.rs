//! evenio: loops are handlers of an event, as its documentation shows. It is here for the rows in which it is the fastest
//! of the entity component systems.

use evenio::prelude::*;

use crate::parts::{Match, Position, Velocity, of_mover};
use crate::store::Movers;
use crate::things::{DT, Mover, Vec3};

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
        world.add_handler(|_: Receiver<Step>, moving: Fetcher<(&mut Position, &Velocity, With<&Match>)>| {
            for (position, velocity, _) in moving {
                position.0 += velocity.0 * DT;
            }
        });
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
    of.iter().filter_map(|&entity| world.get::<Position>(entity)).for_each(|position| see(position.0));
}
