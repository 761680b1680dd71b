//! shipyard: components, a workload, which runs on its threads where nothing conflicts.

use shipyard::{Component, Get, IntoIter, View, ViewMut, Workload, World};

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

fn swap_ab(mut a: ViewMut<A>, mut b: ViewMut<B>) {
    (&mut a, &mut b).iter().for_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
}

fn swap_cd(mut c: ViewMut<C>, mut d: ViewMut<D>) {
    (&mut c, &mut d).iter().for_each(|(c, d)| std::mem::swap(&mut c.0, &mut d.0));
}

fn swap_ce(mut c: ViewMut<C>, mut e: ViewMut<E>) {
    (&mut c, &mut e).iter().for_each(|(c, e)| std::mem::swap(&mut c.0, &mut e.0));
}

/// Makes a workload the one that `run` runs.
fn with(world: World, workload: Workload) -> World {
    workload.add_to_world(&world).expect("its name is not taken");
    world
}

fn run(world: &World) {
    world.run_default_workload().expect("nobody else borrows anything");
}

pub(super) struct Three(World);

impl super::Three for Three {
    fn new(each: u32) -> Self {
        let mut world = World::new();
        for n in 0..4 * each {
            let [a, b, c, d, e] = parts(n, each);
            match n / each {
                0 => world.add_entity((A(a), B(b))),
                1 => world.add_entity((A(a), B(b), C(c))),
                2 => world.add_entity((A(a), B(b), C(c), D(d))),
                _ => world.add_entity((A(a), B(b), C(c), E(e))),
            };
        }
        let workload =
            Workload::new("three").with_system(swap_ab).with_system(swap_cd).with_system(swap_ce);
        Self(with(world, workload))
    }

    fn run(&mut self) {
        run(&self.0);
    }

    fn values(&mut self, mut f: impl FnMut(f32, f32)) {
        let mut all = Vec::new();
        self.0.run(|a: View<A>, b: View<B>, c: View<C>| {
            for (id, (a, b)) in (&a, &b).iter().with_id() {
                all.push((a.0, b.0, (&c).get(id).map_or(0.0, |c: &C| c.0)));
            }
        });
        all.sort_by(|x, y| x.0.max(x.1).total_cmp(&y.0.max(y.1)));
        all.into_iter().for_each(|(a, _, c)| f(a, c));
    }
}

pub(super) struct Empty(World);

impl Empty {
    pub(super) fn new() -> Self {
        fn empty() {}
        let workload =
            (0..100).fold(Workload::new("empty"), |workload, _| workload.with_system(empty));
        Self(with(World::new(), workload))
    }
}

impl Hundred for Empty {
    fn run(&mut self) {
        run(&self.0);
    }
}

fn toil_a(mut all: ViewMut<A>) {
    keep_apart(true, 0);
    (&mut all).iter().for_each(|a| toil(&mut a.0));
}

fn toil_b(mut all: ViewMut<B>) {
    keep_apart(true, 1);
    (&mut all).iter().for_each(|b| toil(&mut b.0));
}

pub(super) struct Heavy(World);

impl heavy::Heavy for Heavy {
    fn new() -> Self {
        let mut world = World::new();
        world.bulk_add_entity((0..heavy::THINGS).map(|n| (A(numbers(n)[0]), B(numbers(n)[1]))));
        Self(with(world, Workload::new("heavy").with_system(toil_a).with_system(toil_b)))
    }

    fn run(&mut self) {
        run(&self.0);
    }

    fn values(&mut self, mut f: impl FnMut(f32, f32)) {
        self.0.run(|a: View<A>, b: View<B>| (&a, &b).iter().for_each(|(a, b)| f(a.0, b.0)));
    }
}
