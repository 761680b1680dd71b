//! flecs: components, systems of its pipeline.

use flecs_ecs::prelude::*;

use super::{Hundred, parts};

#[derive(Component)]
struct A(f32);
#[derive(Component)]
struct B(f32);
#[derive(Component)]
struct C(f32);
#[derive(Component)]
struct D(f32);
#[derive(Component)]
struct E(f32);

pub(super) struct Three(World);

impl super::Three for Three {
    fn new(each: u32) -> Self {
        let world = World::new();
        for n in 0..4 * each {
            let [a, b, c, d, e] = parts(n, each);
            let entity = world.entity().set(A(a)).set(B(b));
            match n / each {
                0 => {}
                1 => drop(entity.set(C(c))),
                2 => drop(entity.set(C(c)).set(D(d))),
                _ => drop(entity.set(C(c)).set(E(e))),
            }
        }
        world.system::<(&mut A, &mut B)>().each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
        world.system::<(&mut C, &mut D)>().each(|(c, d)| std::mem::swap(&mut c.0, &mut d.0));
        world.system::<(&mut C, &mut E)>().each(|(c, e)| std::mem::swap(&mut c.0, &mut e.0));
        Self(world)
    }

    fn run(&mut self) {
        self.0.progress();
    }

    fn values(&mut self, mut f: impl FnMut(f32, f32)) {
        let mut all = Vec::new();
        self.0
            .each::<(&A, &B, Option<&C>)>(|(a, b, c)| all.push((a.0, b.0, c.map_or(0.0, |c| c.0))));
        all.sort_by(|x, y| x.0.max(x.1).total_cmp(&y.0.max(y.1)));
        all.into_iter().for_each(|(a, _, c)| f(a, c));
    }
}

pub(super) struct Empty(World);

impl Empty {
    pub(super) fn new() -> Self {
        let world = World::new();
        for _ in 0..100 {
            world.system::<()>().run(|_| {});
        }
        Self(world)
    }
}

impl Hundred for Empty {
    fn run(&mut self) {
        self.0.progress();
    }
}
