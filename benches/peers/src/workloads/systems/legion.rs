//! legion: components, `Schedule` with its threads.

use legion::systems::SystemBuilder;
use legion::{IntoQuery, Resources, Schedule, World};

use super::heavy::{self, keep_apart, numbers, toil};
use super::{Hundred, parts};

struct A(f32);
struct B(f32);
struct C(f32);
struct D(f32);
struct E(f32);

pub(super) struct Three {
    world: World,
    resources: Resources,
    schedule: Schedule,
}

impl super::Three for Three {
    fn new(each: u32) -> Self {
        let mut world = World::default();
        for n in 0..4 * each {
            let [a, b, c, d, e] = parts(n, each);
            match n / each {
                0 => world.push((A(a), B(b))),
                1 => world.push((A(a), B(b), C(c))),
                2 => world.push((A(a), B(b), C(c), D(d))),
                _ => world.push((A(a), B(b), C(c), E(e))),
            };
        }
        let ab = SystemBuilder::new("ab").with_query(<(&mut A, &mut B)>::query()).build(
            |_, world, _, query| {
                query.for_each_mut(world, |(a, b)| std::mem::swap(&mut a.0, &mut b.0));
            },
        );
        let cd = SystemBuilder::new("cd").with_query(<(&mut C, &mut D)>::query()).build(
            |_, world, _, query| {
                query.for_each_mut(world, |(c, d)| std::mem::swap(&mut c.0, &mut d.0));
            },
        );
        let ce = SystemBuilder::new("ce").with_query(<(&mut C, &mut E)>::query()).build(
            |_, world, _, query| {
                query.for_each_mut(world, |(c, e)| std::mem::swap(&mut c.0, &mut e.0));
            },
        );
        let schedule = Schedule::builder().add_system(ab).add_system(cd).add_system(ce).build();
        Self { world, resources: Resources::default(), schedule }
    }

    fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    fn values(&mut self, mut f: impl FnMut(f32, f32)) {
        let mut query = <(&A, &B, Option<&C>)>::query();
        let mut all: Vec<_> =
            query.iter(&self.world).map(|(a, b, c)| (a.0, b.0, c.map_or(0.0, |c| c.0))).collect();
        all.sort_by(|x, y| x.0.max(x.1).total_cmp(&y.0.max(y.1)));
        all.into_iter().for_each(|(a, _, c)| f(a, c));
    }
}

pub(super) struct Empty {
    world: World,
    resources: Resources,
    schedule: Schedule,
}

impl Empty {
    pub(super) fn new() -> Self {
        let mut builder = Schedule::builder();
        for _ in 0..100 {
            builder.add_system(SystemBuilder::new("empty").build(|_, _, _, _| {}));
        }
        Self { world: World::default(), resources: Resources::default(), schedule: builder.build() }
    }
}

impl Hundred for Empty {
    fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }
}

pub(super) struct Heavy {
    world: World,
    resources: Resources,
    schedule: Schedule,
}

impl heavy::Heavy for Heavy {
    fn new() -> Self {
        let mut world = World::default();
        world.extend(
            (0..heavy::THINGS).map(|n| (A(numbers(n)[0]), B(numbers(n)[1]))).collect::<Vec<_>>(),
        );
        let a =
            SystemBuilder::new("a").with_query(<&mut A>::query()).build(|_, world, _, query| {
                keep_apart(true, 0);
                query.for_each_mut(world, |a| toil(&mut a.0));
            });
        let b =
            SystemBuilder::new("b").with_query(<&mut B>::query()).build(|_, world, _, query| {
                keep_apart(true, 1);
                query.for_each_mut(world, |b| toil(&mut b.0));
            });
        let schedule = Schedule::builder().add_system(a).add_system(b).build();
        Self { world, resources: Resources::default(), schedule }
    }

    fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    fn values(&mut self, mut f: impl FnMut(f32, f32)) {
        <(&A, &B)>::query().iter(&self.world).for_each(|(a, b)| f(a.0, b.0));
    }
}
