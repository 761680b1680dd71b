//! evenio has handlers of events instead of systems, called one after the other.

use evenio::prelude::*;

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

#[derive(GlobalEvent)]
struct Tick;

pub(super) struct Three {
    world: World,
    all: Vec<EntityId>,
}

impl super::Three for Three {
    fn new(each: u32) -> Self {
        let mut world = World::new();
        let mut all = Vec::new();
        for n in 0..4 * each {
            let [a, b, c, d, e] = parts(n, each);
            let entity = world.spawn();
            all.push(entity);
            world.insert(entity, A(a));
            world.insert(entity, B(b));
            if n / each > 0 {
                world.insert(entity, C(c));
            }
            match n / each {
                2 => world.insert(entity, D(d)),
                3 => world.insert(entity, E(e)),
                _ => {}
            }
        }
        world.add_handler(|_: Receiver<Tick>, all: Fetcher<(&mut A, &mut B)>| {
            all.into_iter().for_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
        });
        world.add_handler(|_: Receiver<Tick>, some: Fetcher<(&mut C, &mut D)>| {
            some.into_iter().for_each(|(c, d)| std::mem::swap(&mut c.0, &mut d.0));
        });
        world.add_handler(|_: Receiver<Tick>, some: Fetcher<(&mut C, &mut E)>| {
            some.into_iter().for_each(|(c, e)| std::mem::swap(&mut c.0, &mut e.0));
        });
        Self { world, all }
    }

    fn run(&mut self) {
        self.world.send(Tick);
    }

    fn values(&mut self, mut f: impl FnMut(f32, f32)) {
        for &entity in &self.all {
            let a = self.world.get::<A>(entity).map_or(0.0, |a| a.0);
            f(a, self.world.get::<C>(entity).map_or(0.0, |c| c.0));
        }
    }
}

pub(super) struct Empty(World);

impl Empty {
    pub(super) fn new() -> Self {
        let mut world = World::new();
        for _ in 0..100 {
            world.add_handler((|_: Receiver<Tick>| {}).no_type_id());
        }
        Self(world)
    }
}

impl Hundred for Empty {
    fn run(&mut self) {
        self.0.send(Tick);
    }
}
