//! Bodies in four components. hecs has no loops on threads of its own: its batches are handed to
//! rayon, as its documentation says. bevy_ecs goes over whole tables, without change detection.

use bevy_ecs::query::QueryState;
use evenio::prelude::*;
use legion::IntoQuery;
use rayon::prelude::*;
use shipyard::{IntoIter, View, ViewMut};

use super::{Body, Matrix, Space, bits, toil};
use crate::parts::{Position, Velocity, components};
use crate::things::Vec3;

components! {
    struct Transform(Matrix);
    struct Turn(Vec3);
}

pub(super) type Parts = (Transform, Position, Turn, Velocity);

pub(super) fn parts(n: u32) -> Parts {
    let Body { transform, position, rotation, velocity } = Body::number(n);
    (Transform(transform), Position(position), Turn(rotation), Velocity(velocity))
}

fn see(sum: u64, (transform, position): (&Transform, &Position)) -> u64 {
    sum.wrapping_add(bits(&transform.0, position.0))
}

fn step((position, velocity): (&mut Position, &Velocity)) {
    position.0 += velocity.0;
}

pub(super) struct Hecs(hecs::World);

impl Space for Hecs {
    fn new() -> Self {
        Self(hecs::World::new())
    }

    fn insert(&mut self, count: u32) {
        self.0.spawn_batch((0..count).map(parts));
    }

    fn step(&mut self) {
        self.0.query_mut::<(&mut Position, &Velocity)>().into_iter().for_each(step);
    }

    fn compute(&mut self) {
        let query = self.0.query_mut::<(&mut Transform, &mut Position)>();
        query.into_iter_batched(64).par_bridge().for_each(|batch| {
            batch.for_each(|(transform, position)| toil(&mut transform.0, &mut position.0));
        });
    }

    fn sum(&mut self) -> u64 {
        self.0.query_mut::<(&Transform, &Position)>().into_iter().fold(0, see)
    }
}

pub(super) struct Bevy {
    world: bevy_ecs::world::World,
    moving: QueryState<(&'static mut Position, &'static Velocity)>,
    turning: QueryState<(&'static mut Transform, &'static mut Position)>,
}

impl Space for Bevy {
    fn new() -> Self {
        bevy_tasks::ComputeTaskPool::get_or_init(bevy_tasks::TaskPool::default);
        let mut world = bevy_ecs::world::World::new();
        Self { moving: world.query(), turning: world.query(), world }
    }

    fn insert(&mut self, count: u32) {
        self.world.spawn_batch((0..count).map(parts));
    }

    fn step(&mut self) {
        let tables = self.moving.contiguous_iter_mut(&mut self.world).expect("in tables");
        for (mut positions, velocities) in tables {
            positions.bypass_change_detection().iter_mut().zip(velocities).for_each(step);
        }
    }

    fn compute(&mut self) {
        self.turning.par_iter_mut(&mut self.world).for_each(|(mut transform, mut position)| {
            toil(&mut transform.0, &mut position.0);
        });
    }

    fn sum(&mut self) -> u64 {
        self.turning.iter(&self.world).fold(0, see)
    }
}

pub(super) struct Legion(legion::World);

impl Space for Legion {
    fn new() -> Self {
        Self(legion::World::default())
    }

    fn insert(&mut self, count: u32) {
        self.0.extend((0..count).map(parts));
    }

    fn step(&mut self) {
        <(&mut Position, &Velocity)>::query().for_each_mut(&mut self.0, step);
    }

    fn compute(&mut self) {
        let mut query = <(&mut Transform, &mut Position)>::query();
        query.par_for_each_mut(&mut self.0, |(transform, position)| {
            toil(&mut transform.0, &mut position.0);
        });
    }

    fn sum(&mut self) -> u64 {
        <(&Transform, &Position)>::query().iter(&self.0).fold(0, see)
    }
}

#[derive(GlobalEvent)]
struct Step;

#[derive(GlobalEvent)]
struct Toil;

#[derive(GlobalEvent)]
struct Sum<'a>(&'a mut u64);

/// A thing is spawned empty and its components are put in one by one: there is no other way.
pub(super) struct Evenio(World);

impl Space for Evenio {
    fn new() -> Self {
        let mut world = World::new();
        world.add_handler(|_: Receiver<Step>, moving: Fetcher<(&mut Position, &Velocity)>| {
            moving.into_iter().for_each(step);
        });
        world.add_handler(|_: Receiver<Toil>, all: Fetcher<(&mut Transform, &mut Position)>| {
            all.into_par_iter()
                .for_each(|(transform, position)| toil(&mut transform.0, &mut position.0));
        });
        world.add_handler(|mut sum: ReceiverMut<Sum>, all: Fetcher<(&Transform, &Position)>| {
            *sum.event.0 = all.iter().fold(0, see);
        });
        Self(world)
    }

    fn insert(&mut self, count: u32) {
        for (transform, position, turn, velocity) in (0..count).map(parts) {
            let entity = self.0.spawn();
            self.0.insert(entity, transform);
            self.0.insert(entity, position);
            self.0.insert(entity, turn);
            self.0.insert(entity, velocity);
        }
    }

    fn step(&mut self) {
        self.0.send(Step);
    }

    fn compute(&mut self) {
        self.0.send(Toil);
    }

    fn sum(&mut self) -> u64 {
        let mut sum = 0;
        self.0.send(Sum(&mut sum));
        sum
    }
}

pub(super) struct Sparsey(sparsey::World);

impl Space for Sparsey {
    fn new() -> Self {
        let mut builder = sparsey::World::builder();
        Self(builder.add_group::<(Position, Velocity)>().add_group::<Parts>().build())
    }

    fn insert(&mut self, count: u32) {
        self.0.extend((0..count).map(parts));
    }

    fn step(&mut self) {
        let mut moving = self.0.query_all::<(&mut Position, &Velocity)>();
        let (positions, velocities) = moving.slice().expect("a group");
        positions.iter_mut().zip(velocities).for_each(step);
    }

    fn compute(&mut self) {
        let mut turning = self.0.query_all::<(&mut Transform, &mut Position)>();
        turning.par_for_each(|(transform, position)| toil(&mut transform.0, &mut position.0));
    }

    fn sum(&mut self) -> u64 {
        self.0.query_all::<(&Transform, &Position)>().iter().fold(0, see)
    }
}

pub(super) struct Shipyard(shipyard::World);

impl Space for Shipyard {
    fn new() -> Self {
        Self(shipyard::World::new())
    }

    fn insert(&mut self, count: u32) {
        self.0.bulk_add_entity((0..count).map(parts));
    }

    fn step(&mut self) {
        self.0.run(|mut positions: ViewMut<Position>, velocities: View<Velocity>| {
            (&mut positions, &velocities).iter().for_each(step);
        });
    }

    fn compute(&mut self) {
        self.0.run(|mut transforms: ViewMut<Transform>, mut positions: ViewMut<Position>| {
            (&mut transforms, &mut positions)
                .par_iter()
                .for_each(|(transform, position)| toil(&mut transform.0, &mut position.0));
        });
    }

    fn sum(&mut self) -> u64 {
        self.0.run(|transforms: View<Transform>, positions: View<Position>| {
            (&transforms, &positions).iter().fold(0, see)
        })
    }
}
