//! bevy_ecs: components, `Schedule` with either executor.

use bevy_ecs::prelude::{Component, Query, Schedule, World};
use bevy_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor};

use super::heavy::{self, keep_apart, numbers, toil};
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

fn swap_ab(mut all: Query<(&mut A, &mut B)>) {
    all.iter_mut().for_each(|(mut a, mut b)| std::mem::swap(&mut a.0, &mut b.0));
}

fn swap_cd(mut some: Query<(&mut C, &mut D)>) {
    some.iter_mut().for_each(|(mut c, mut d)| std::mem::swap(&mut c.0, &mut d.0));
}

fn swap_ce(mut some: Query<(&mut C, &mut E)>) {
    some.iter_mut().for_each(|(mut c, mut e)| std::mem::swap(&mut c.0, &mut e.0));
}

struct Both {
    world: World,
    schedule: Schedule,
}

impl Both {
    fn new(multi: bool, each: u32) -> Self {
        let mut world = World::new();
        for n in 0..4 * each {
            let [a, b, c, d, e] = parts(n, each);
            match n / each {
                0 => world.spawn((A(a), B(b))),
                1 => world.spawn((A(a), B(b), C(c))),
                2 => world.spawn((A(a), B(b), C(c), D(d))),
                _ => world.spawn((A(a), B(b), C(c), E(e))),
            };
        }
        let mut schedule = schedule(multi);
        schedule.add_systems((swap_ab, swap_cd, swap_ce));
        Self { world, schedule }
    }

    fn values(&mut self, mut f: impl FnMut(f32, f32)) {
        let mut all: Vec<_> = self
            .world
            .query::<(&A, &B, Option<&C>)>()
            .iter(&self.world)
            .map(|(a, b, c)| (a.0, b.0, c.map_or(0.0, |c| c.0)))
            .collect();
        all.sort_by(|x, y| x.0.max(x.1).total_cmp(&y.0.max(y.1)));
        all.into_iter().for_each(|(a, _, c)| f(a, c));
    }
}

fn schedule(multi: bool) -> Schedule {
    bevy_tasks::ComputeTaskPool::get_or_init(bevy_tasks::TaskPool::default);
    let mut schedule = Schedule::default();
    if multi {
        schedule.set_executor(MultiThreadedExecutor::new());
    } else {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
    schedule
}

pub(super) struct ThreeSingle(Both);

impl super::Three for ThreeSingle {
    fn new(each: u32) -> Self {
        Self(Both::new(false, each))
    }

    fn run(&mut self) {
        self.0.schedule.run(&mut self.0.world);
    }

    fn values(&mut self, f: impl FnMut(f32, f32)) {
        self.0.values(f);
    }
}

pub(super) struct ThreeMulti(Both);

impl super::Three for ThreeMulti {
    fn new(each: u32) -> Self {
        Self(Both::new(true, each))
    }

    fn run(&mut self) {
        self.0.schedule.run(&mut self.0.world);
    }

    fn values(&mut self, f: impl FnMut(f32, f32)) {
        self.0.values(f);
    }
}

pub(super) struct Empty {
    world: World,
    schedule: Schedule,
}

impl Empty {
    fn new(multi: bool) -> Self {
        fn empty() {}
        let mut schedule = schedule(multi);
        for _ in 0..100 {
            schedule.add_systems(empty);
        }
        Self { world: World::new(), schedule }
    }

    pub(super) fn single() -> Self {
        Self::new(false)
    }

    pub(super) fn multi() -> Self {
        Self::new(true)
    }
}

impl Hundred for Empty {
    fn run(&mut self) {
        self.schedule.run(&mut self.world);
    }
}

fn toil_a<const MULTI: bool>(mut all: Query<&mut A>) {
    keep_apart(MULTI, 0);
    all.iter_mut().for_each(|mut a| toil(&mut a.0));
}

fn toil_b<const MULTI: bool>(mut all: Query<&mut B>) {
    keep_apart(MULTI, 1);
    all.iter_mut().for_each(|mut b| toil(&mut b.0));
}

pub(super) struct Heavy<const MULTI: bool> {
    world: World,
    schedule: Schedule,
}

impl<const MULTI: bool> heavy::Heavy for Heavy<MULTI> {
    fn new() -> Self {
        let mut world = World::new();
        world.spawn_batch((0..heavy::THINGS).map(|n| (A(numbers(n)[0]), B(numbers(n)[1]))));
        let mut schedule = schedule(MULTI);
        schedule.add_systems((toil_a::<MULTI>, toil_b::<MULTI>));
        Self { world, schedule }
    }

    fn run(&mut self) {
        self.schedule.run(&mut self.world);
    }

    fn values(&mut self, mut f: impl FnMut(f32, f32)) {
        self.world.query::<(&A, &B)>().iter(&self.world).for_each(|(a, b)| f(a.0, b.0));
    }
}
