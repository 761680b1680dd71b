//! lath: one fat struct in columns, tags for the sorts, `Schedule`.

use lath_core::bitflags::bitflags;
use lath_core::{Mut, Thing, View};
use lath_schedule::{Query, Schedule, World};

use super::heavy::{self, keep_apart, numbers, toil};
use super::{Hundred, parts};

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u8 { const D = 1; const E = 2; }
}

#[derive(Thing, Default)]
#[thing(columns)]
struct Five {
    #[thing(tags)]
    tags: Tags,
    a: f32,
    b: f32,
    c: f32,
    d: f32,
    e: f32,
}

#[derive(View)]
#[view(Five, with = Tags::D)]
struct WithD<'a> {
    c: &'a mut f32,
    d: &'a mut f32,
}

#[derive(View)]
#[view(Five, with = Tags::E)]
struct WithE<'a> {
    c: &'a mut f32,
    e: &'a mut f32,
}

fn swap_ab(mut all: Query<(Mut<five::a>, Mut<five::b>)>) {
    all.each(|(mut a, mut b)| std::mem::swap(&mut *a, &mut *b));
}

fn swap_cd(mut some: Query<WithD>) {
    some.each(|WithD { c, d }| std::mem::swap(c, d));
}

fn swap_ce(mut some: Query<WithE>) {
    some.each(|WithE { c, e }| std::mem::swap(c, e));
}

struct Both {
    world: World,
    schedule: Schedule,
}

impl Both {
    fn new(each: u32) -> Self {
        let mut world = World::new();
        for n in 0..4 * each {
            let [a, b, c, d, e] = parts(n, each);
            let tags = [Tags::empty(), Tags::empty(), Tags::D, Tags::E][(n / each) as usize];
            world.spawn(Five { tags, a, b, c, d, e });
        }
        let mut schedule = Schedule::new();
        schedule.add((swap_ab, swap_cd, swap_ce));
        Self { world, schedule }
    }

    fn values(&mut self, mut f: impl FnMut(f32, f32)) {
        // Things lie by their tags; they were put in in the order of the larger of A and B.
        let mut all: Vec<_> =
            self.world.pool::<Five>().iter().map(|(_, five)| (*five.a, *five.b, *five.c)).collect();
        all.sort_by(|x, y| x.0.max(x.1).total_cmp(&y.0.max(y.1)));
        all.into_iter().for_each(|(a, _, c)| f(a, c));
    }
}

pub(super) struct ThreeSerial(Both);

impl super::Three for ThreeSerial {
    fn new(each: u32) -> Self {
        Self(Both::new(each))
    }

    fn run(&mut self) {
        self.0.schedule.run_serial(&mut self.0.world);
    }

    fn values(&mut self, f: impl FnMut(f32, f32)) {
        self.0.values(f);
    }
}

pub(super) struct ThreeThreads(Both);

impl super::Three for ThreeThreads {
    fn new(each: u32) -> Self {
        Self(Both::new(each))
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
    serial: bool,
}

impl Empty {
    fn new(serial: bool) -> Self {
        fn empty() {}
        let mut schedule = Schedule::new();
        for _ in 0..100 {
            schedule.add(empty);
        }
        Self { world: World::new(), schedule, serial }
    }

    pub(super) fn serial() -> Self {
        Self::new(true)
    }

    pub(super) fn threads() -> Self {
        Self::new(false)
    }
}

impl Hundred for Empty {
    fn run(&mut self) {
        match self.serial {
            true => self.schedule.run_serial(&mut self.world),
            false => self.schedule.run(&mut self.world),
        }
    }
}

#[derive(Thing, Default)]
#[thing(columns)]
struct Two {
    a: f32,
    b: f32,
}

fn toil_a<const THREADS: bool>(mut all: Query<Mut<two::a>>) {
    keep_apart(THREADS, 0);
    all.each(|mut a| toil(&mut a));
}

fn toil_b<const THREADS: bool>(mut all: Query<Mut<two::b>>) {
    keep_apart(THREADS, 1);
    all.each(|mut b| toil(&mut b));
}

pub(super) struct Heavy<const THREADS: bool> {
    world: World,
    schedule: Schedule,
}

impl<const THREADS: bool> heavy::Heavy for Heavy<THREADS> {
    fn new() -> Self {
        let mut world = World::new();
        world
            .pool_mut::<Two>()
            .extend((0..heavy::THINGS).map(|n| Two { a: numbers(n)[0], b: numbers(n)[1] }));
        let mut schedule = Schedule::new();
        schedule.add((toil_a::<THREADS>, toil_b::<THREADS>));
        Self { world, schedule }
    }

    fn run(&mut self) {
        match THREADS {
            true => self.schedule.run(&mut self.world),
            false => self.schedule.run_serial(&mut self.world),
        }
    }

    fn values(&mut self, mut f: impl FnMut(f32, f32)) {
        self.world.pool::<Two>().iter().for_each(|(_, two)| f(*two.a, *two.b));
    }
}
