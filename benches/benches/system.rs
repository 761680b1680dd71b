//! What does a schedule cost beside the work of its systems, and what do several threads save?

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use lath_core::{Mut, Ref, Thing};
use lath_schedule::{Query, ResMut, Schedule, World};

#[derive(Thing, Default)]
#[thing(columns)]
struct Body {
    x: f32,
    y: f32,
    heat: f32,
}

const BODIES: u32 = 20_000;

fn empty() {}

fn heavy_x(mut bodies: Query<Mut<body::x>>) {
    bodies.each(|mut x| *x = (0..20).fold(*x, |x, _| (x + 1.0).sqrt()));
}

fn heavy_y(mut bodies: Query<Mut<body::y>>) {
    bodies.each(|mut y| *y = (0..20).fold(*y, |y, _| (y + 1.0).sqrt()));
}

/// `system/empty`: systems that do nothing, per run of all of them.
fn run_empty(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("system/empty");
    for count in [1, 10, 100, 1000] {
        let mut schedule = Schedule::new();
        for _ in 0..count {
            schedule.add(empty);
        }
        let mut world = World::new();
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            bencher.iter(|| schedule.run(&mut world));
        });
    }
    group.finish();
}

/// `system/build`: from systems to a plan, each writing one of eight resources.
fn build(criterion: &mut Criterion) {
    struct Slot<const N: usize>(u64);
    fn write<const N: usize>(mut slot: ResMut<Slot<N>>) {
        slot.0 += 1;
    }
    fn of(count: usize) -> Schedule {
        let mut schedule = Schedule::new();
        for n in 0..count {
            match n % 8 {
                0 => schedule.add(write::<0>),
                1 => schedule.add(write::<1>),
                2 => schedule.add(write::<2>),
                3 => schedule.add(write::<3>),
                4 => schedule.add(write::<4>),
                5 => schedule.add(write::<5>),
                6 => schedule.add(write::<6>),
                _ => schedule.add(write::<7>),
            };
        }
        schedule
    }
    let mut group = criterion.benchmark_group("system/build");
    for count in [10, 100, 1000] {
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            bencher.iter_batched(
                || of(count),
                |mut schedule| {
                    schedule.build().expect("no circles");
                    schedule
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

/// `system/heavy`: two systems that have nothing in common, on one thread and on two.
fn heavy(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("system/heavy");
    for threads in [1, 2] {
        let mut world = World::new();
        world.pool_mut::<Body>().extend((0..BODIES).map(|n| Body {
            x: n as f32,
            y: n as f32,
            heat: 0.0,
        }));
        let mut schedule = Schedule::new();
        schedule.threads(threads).add((heavy_x, heavy_y));
        group.bench_function(BenchmarkId::from_parameter(threads), |bencher| {
            bencher.iter(|| schedule.run(&mut world));
        });
        let sum: f32 = world.pool::<Body>().view::<Ref<body::x>>().iter().map(|x| *x).sum();
        assert!(black_box(sum).is_finite());
    }
    group.finish();
}

/// `system/par_each`: one loop, on one thread and on two.
fn par_each(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("system/par_each");
    for threads in [1, 2] {
        let mut world = World::new();
        world
            .pool_mut::<Body>()
            .extend((0..BODIES).map(|n| Body { heat: n as f32, ..Body::default() }));
        let mut schedule = Schedule::new();
        schedule.threads(threads).add(|mut bodies: Query<Mut<body::heat>>| {
            bodies.par_each(|mut heat| *heat = (0..20).fold(*heat, |heat, _| (heat + 1.0).sqrt()));
        });
        group.bench_function(BenchmarkId::from_parameter(threads), |bencher| {
            bencher.iter(|| schedule.run(&mut world));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = run_empty, build, heavy, par_each
}
criterion_main!(benches);
