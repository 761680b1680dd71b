//! Bodies in four components: from one array each, and a cached query over whole tables.

use flecs_ecs::prelude::*;

use super::ecs::{Transform, Turn, parts};
use super::{Space, bits, toil};
use crate::parts::{Position, Velocity};

pub(super) struct Flecs {
    moving: Query<(&'static mut Position, &'static Velocity)>,
    turning: Query<(&'static mut Transform, &'static mut Position)>,
    world: World,
}

impl Space for Flecs {
    fn new() -> Self {
        let world = World::new();
        let moving = world.query().set_cached().build();
        let turning = world.query().set_cached().build();
        Self { moving, turning, world }
    }

    fn insert(&mut self, count: u32) {
        let (mut transforms, mut positions) = (Vec::new(), Vec::new());
        let (mut turns, mut velocities): (Vec<Turn>, Vec<Velocity>) = (Vec::new(), Vec::new());
        for (transform, position, turn, velocity) in (0..count).map(parts) {
            transforms.push(transform);
            positions.push(position);
            turns.push(turn);
            velocities.push(velocity);
        }
        let mut bulk = self.world.entity_bulk(count);
        bulk.set(&transforms).set(&positions).set(&turns).set(&velocities).build();
    }

    fn step(&mut self) {
        self.moving.run(|mut tables| {
            while tables.next() {
                let mut positions = tables.field_mut::<Position>(0);
                let velocities = tables.field::<Velocity>(1);
                let all = positions.as_mut_slice().iter_mut().zip(velocities.as_slice());
                all.for_each(|(position, velocity)| position.0 += velocity.0);
            }
        });
    }

    fn compute(&mut self) {
        self.turning.each(|(transform, position)| toil(&mut transform.0, &mut position.0));
    }

    fn sum(&mut self) -> u64 {
        let mut sum = 0u64;
        self.turning.each(|(transform, position)| {
            sum = sum.wrapping_add(bits(&transform.0, position.0));
        });
        sum
    }
}
