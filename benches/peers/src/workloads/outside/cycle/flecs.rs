//! Children are things with another component; what is done while a query runs is deferred.

use flecs_ecs::prelude::*;

use super::Family;
use super::ecs::{Child, Parent};

pub(super) struct Flecs {
    parents: Query<&'static Parent>,
    world: World,
}

impl Family for Flecs {
    fn new() -> Self {
        let world = World::new();
        let parents = world.query().set_cached().build();
        world.component::<Child>();
        Self { parents, world }
    }

    fn add(&mut self, value: f32) {
        self.world.entity().set(Parent(value));
    }

    fn bear(&mut self) {
        let world = &self.world;
        self.parents.each(|parent| {
            world.entity().set(Child(parent.0));
        });
    }

    fn bury(&mut self) {
        self.world.delete_entities_with(Child::id());
    }

    fn census(&mut self) -> (usize, f64) {
        let (mut count, mut sum) = (0, 0.0);
        self.world.each::<&Parent>(|one| {
            (count, sum) = (count + 1, sum + f64::from(one.0));
        });
        self.world.each::<&Child>(|one| {
            (count, sum) = (count + 1, sum + f64::from(one.0));
        });
        (count, sum)
    }
}
