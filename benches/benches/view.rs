//! What does a loop over a view cost, by how full the pool is, by how many things match, and by the
//! kind of loop?

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fastrand::Rng;
use lath_benches::{ColumnShip, Ship, Worn, WornColumns, column_ship, ship};
use lath_core::bitflags::bitflags;
use lath_core::{Mut, Pool, Ref, Thing, View};

const SHIPS: u32 = 100_000;

#[inline(always)]
fn step(position: &mut [f32; 3], velocity: &[f32; 3]) {
    position.iter_mut().zip(velocity).for_each(|(position, velocity)| *position += velocity);
}

type Columns<'a> = (Mut<'a, column_ship::position>, Ref<'a, column_ship::velocity>);
type Rows<'a> = (Mut<'a, ship::position>, Ref<'a, ship::velocity>);

/// Measures a step of all ships of a worn pool by each of the loops; every ship has made as many as
/// any other.
macro_rules! loops {
    ($criterion:expr, $layout:literal, $worn:expr, $first:expr, $($name:literal: |$pool:ident| $step:expr),+ $(,)?) => {$(
        for percent in [100, 50, 10, 1] {
            let mut worn = $worn(percent);
            let mut group = $criterion.benchmark_group(concat!("view/", $name));
            group.throughput(Throughput::Elements(worn.live.len() as u64));
            let mut steps = 0u32;
            group.bench_function(BenchmarkId::new($layout, format!("{percent}%")), |bencher| {
                bencher.iter(|| {
                    steps += 1;
                    let $pool = &mut worn.pool;
                    $step;
                });
            });
            group.finish();
            for &ship in &worn.live {
                // Whole numbers stay exact in a float up to 2^24.
                let (number, x): (u32, f32) = $first(&worn.pool, ship);
                assert!(steps > 1 << 23 || x == (number + steps) as f32, "ship {number} made other steps than {steps}");
            }
        }
    )+};
}

/// `view/each`, `view/query`, `view/runs`, `view/par_each`: the same step by each kind of loop.
fn kinds(criterion: &mut Criterion) {
    let first = |pool: &Pool<ColumnShip>, ship| {
        let ship = pool.read(ship);
        (*ship.number, ship.position[0])
    };
    loops!(criterion, "columns", |percent| WornColumns::new(SHIPS, percent), first,
        "each": |pool| pool.view_mut::<Columns>().each(|(mut position, velocity)| step(&mut position, &velocity)),
        "query": |pool| pool.view_mut::<Columns>().iter_mut().for_each(|(mut position, velocity)| step(&mut position, &velocity)),
        "runs": |pool| pool.view_mut::<Columns>().slices(|(positions, velocities)| {
            positions.iter_mut().zip(velocities).for_each(|(position, velocity)| step(position, velocity));
        }),
        "par_each": |pool| pool.view_mut::<Columns>().par_each(|(mut position, velocity)| step(&mut position, &velocity)),
    );
    let first = |pool: &Pool<Ship>, ship| (pool.read(ship).number, pool.read(ship).position[0]);
    loops!(criterion, "rows", |percent| Worn::new(SHIPS, percent), first,
        "each": |pool| pool.view_mut::<Rows>().each(|(mut position, velocity)| step(&mut position, &velocity)),
        "query": |pool| pool.view_mut::<Rows>().iter_mut().for_each(|(mut position, velocity)| step(&mut position, &velocity)),
    );
}

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u32 { const MOVES = 1; const FROZEN = 2; }
}

#[derive(Thing, Clone, Copy, Default)]
#[thing(columns)]
struct Body {
    #[thing(tags)]
    tags: Tags,
    x: f32,
}

#[derive(View)]
#[view(Body, with = Tags::MOVES, without = Tags::FROZEN)]
struct Moving<'a> {
    x: &'a mut f32,
}

/// `view/tags`: those of a million that move and are not frozen; spawned with their tags, at
/// random, or given them later.
fn tags(criterion: &mut Criterion) {
    const BODIES: u32 = 1_000_000;
    for percent in [1, 10, 50] {
        for when in ["spawned", "given"] {
            let mut rng = Rng::with_seed(9);
            let mut moving = 0;
            let mut pool = Pool::new();
            for _ in 0..BODIES {
                let frozen = if rng.u32(..100) < 10 { Tags::FROZEN } else { Tags::empty() };
                let moves = if rng.u32(..100) < percent { Tags::MOVES } else { Tags::empty() };
                moving += usize::from(frozen.is_empty() && !moves.is_empty());
                match when {
                    "spawned" => pool.spawn(Body { tags: frozen | moves, x: 0.0 }),
                    _ => {
                        let body = pool.spawn(Body::default());
                        pool.insert_tags(body, frozen | moves);
                        body
                    }
                };
            }
            let mut group = criterion.benchmark_group("view/tags");
            group.throughput(Throughput::Elements(moving as u64));
            group.bench_function(BenchmarkId::new(when, format!("{percent}%")), |bencher| {
                bencher.iter(|| pool.view_mut::<Moving>().each(|body| *body.x += 1.0));
            });
            group.finish();
            pool.view_mut::<Moving>().each(|body| *body.x += 1.0);
            assert_eq!(pool.view_mut::<Moving>().count(), moving);
            let moved = pool.view::<Ref<body::x>>().iter().filter(|x| **x > 0.0).count();
            assert_eq!(moved, moving, "those that moved are those that move");
        }
    }
}

/// `view/changed`: finding the one in a thousand that has changed since the last tick.
fn changed(criterion: &mut Criterion) {
    let WornColumns { mut pool, live, .. } = WornColumns::new(SHIPS, 90);
    pool.track_changes();
    let since = pool.tick();
    pool.next_tick();
    let some = &live[..live.len() / 1000];
    some.iter().for_each(|&ship| assert!(pool.set::<column_ship::hull>(ship, 50.0).is_ok()));
    let mut group = criterion.benchmark_group("view/changed");
    group.bench_function(BenchmarkId::from_parameter(SHIPS), |bencher| {
        bencher.iter(|| {
            // Marks are kept per group of 64 slots: there are more candidates than changes.
            let hulls = pool.changed_since::<column_ship::hull>(since);
            let hurt = hulls.filter(|&ship| *pool.read(ship).hull < 100.0).count();
            assert_eq!(hurt, some.len());
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = kinds, tags, changed
}
criterion_main!(benches);
