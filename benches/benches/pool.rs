//! What does each call of a pool cost, on a pool that has lived?

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lath_benches::{Numbered, Ship, Worn, sum_of_rounds, time};
use lath_core::{Handle, Pool};

const SIZES: [u32; 3] = [1_000, 100_000, 1_000_000];
const SHIPS: u32 = 100_000;
const TENTH: usize = SHIPS as usize / 10;

/// `pool/get`, `pool/view` and `pool/get_many`: live handles in random order, one by one, one by
/// one through a view, and all at once.
fn get(criterion: &mut Criterion) {
    for name in ["pool/get", "pool/view", "pool/get_many"] {
        let mut group = criterion.benchmark_group(name);
        for size in SIZES {
            let worn = Worn::new(size, 100);
            let total = worn.total();
            group.throughput(Throughput::Elements(u64::from(size)));
            group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
                bencher.iter(|| {
                    let sum: u64 = match name {
                        "pool/get" => worn
                            .live
                            .iter()
                            .filter_map(|&ship| worn.pool.get(ship))
                            .map(number)
                            .sum(),
                        "pool/view" => {
                            let ships = worn.pool.view::<&Ship>();
                            worn.live.iter().filter_map(|&ship| ships.get(ship)).map(number).sum()
                        }
                        _ => worn
                            .pool
                            .view::<&Ship>()
                            .get_many(&worn.live)
                            .flatten()
                            .map(number)
                            .sum(),
                    };
                    assert_eq!(sum, total);
                });
            });
        }
        group.finish();
    }
}

/// `pool/read`: live handles with one in ten stale, in random order; the stale ones read the nil
/// thing.
fn read(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pool/read");
    for size in SIZES {
        let worn = Worn::new(size, 90);
        let total = worn.total();
        let stale = worn.stale.iter().take(worn.live.len() / 9);
        let mut handles: Vec<_> = worn.live.iter().chain(stale).copied().collect();
        fastrand::Rng::with_seed(1).shuffle(&mut handles);
        group.throughput(Throughput::Elements(handles.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter(|| {
                let sum: u64 = handles.iter().map(|&ship| number(worn.pool.read(ship))).sum();
                assert_eq!(sum, total);
            });
        });
    }
    group.finish();
}

/// `pool/spawn`: into a new pool that grows.
fn spawn(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pool/spawn");
    for size in SIZES {
        group.throughput(Throughput::Elements(u64::from(size)));
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter_with_large_drop(|| {
                let mut pool = Pool::new();
                for n in 0..size {
                    black_box(pool.spawn(Ship::new(n)));
                }
                assert_eq!(pool.len(), size as usize);
                pool
            });
        });
    }
    group.finish();
}

/// `pool/spawn_many`: the same in bulk.
fn spawn_many(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pool/spawn_many");
    for size in SIZES {
        group.throughput(Throughput::Elements(u64::from(size)));
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter_with_large_drop(|| {
                let mut pool = Pool::new();
                let handles: Vec<_> = pool.spawn_many((0..size).map(Ship::new)).collect();
                assert_eq!(handles.len(), pool.len());
                (pool, handles)
            });
        });
    }
    group.finish();
}

/// `pool/despawn` and `pool/despawn_many`: a tenth of the ships, in random order, one by one and
/// all at once.
fn despawn(criterion: &mut Criterion) {
    let worn = Worn::new(SHIPS, 100);
    for (name, at_once) in [("pool/despawn", false), ("pool/despawn_many", true)] {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(TENTH as u64));
        group.bench_function(BenchmarkId::from_parameter(SHIPS), |bencher| {
            bencher.iter_batched_ref(
                || worn.pool.clone(),
                |pool| {
                    let ships = worn.live[..TENTH].iter().copied();
                    let gone = match at_once {
                        false => ships.filter(|&ship| pool.despawn(ship)).count(),
                        true => pool.despawn_many(ships) as usize,
                    };
                    assert_eq!(gone, TENTH);
                },
                BatchSize::LargeInput,
            );
        });
        group.finish();
    }
}

/// `pool/churn`: a tenth of the ships despawned and spawned again.
fn churn(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pool/churn");
    group.throughput(Throughput::Elements(TENTH as u64));
    let Worn { mut pool, mut live, .. } = Worn::new(SHIPS, 100);
    let mut turn = 0;
    group.bench_function(BenchmarkId::from_parameter(SHIPS), |bencher| {
        bencher.iter(|| {
            let picks = &mut live[turn..turn + TENTH];
            turn = (turn + TENTH) % SHIPS as usize;
            for &ship in &*picks {
                assert!(pool.despawn(ship));
            }
            for ship in picks {
                *ship = pool.spawn(Ship::new(1));
            }
        });
    });
    assert_eq!(live.iter().filter(|&&ship| pool.contains(ship)).count(), pool.len());
    group.finish();
}

/// `pool/iter` and `pool/iter_mut`, by occupancy.
fn iter(criterion: &mut Criterion) {
    for percent in [100, 90, 50, 10, 1] {
        let mut worn = Worn::new(SHIPS, percent);
        let total = worn.total();
        let path = BenchmarkId::new(SHIPS.to_string(), format!("{percent}%"));

        let mut group = criterion.benchmark_group("pool/iter");
        group.throughput(Throughput::Elements(worn.live.len() as u64));
        group.bench_function(path.clone(), |bencher| {
            bencher.iter(|| {
                assert_eq!(worn.pool.iter().map(|(_, ship)| number(ship)).sum::<u64>(), total)
            });
        });
        group.finish();

        let mut group = criterion.benchmark_group("pool/iter_mut");
        group.throughput(Throughput::Elements(worn.live.len() as u64));
        let mut steps = 0;
        group.bench_function(path, |bencher| {
            bencher.iter(|| {
                steps += 1;
                worn.pool.iter_mut().for_each(|(_, ship)| ship.hull += ship.velocity[0]);
            });
        });
        assert!(worn.pool.iter().all(|(_, ship)| ship.hull == worn.pool.read(worn.live[0]).hull));
        assert_eq!(worn.pool.read(worn.live[0]).hull > 100.0, steps > 0);
        group.finish();
    }
}

/// `pool/stage+commit`: a tenth staged behind a shared reference, then committed; despawning them
/// is not timed.
fn stage(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pool/stage+commit");
    group.throughput(Throughput::Elements(TENTH as u64));
    let Worn { mut pool, .. } = Worn::new(SHIPS, 90);
    let mut staged: Vec<Handle<Ship>> = Vec::with_capacity(TENTH);
    group.bench_function(BenchmarkId::from_parameter(SHIPS), |bencher| {
        bencher.iter_custom(|rounds| {
            sum_of_rounds(rounds, || {
                let time = time(|| {
                    staged.extend((0..TENTH as u32).map(|n| pool.stage(Ship::new(n))));
                    assert_eq!(pool.commit() as usize, TENTH);
                });
                staged.drain(..).for_each(|ship| assert!(pool.despawn(ship)));
                time
            })
        });
    });
    group.finish();
}

/// `pool/reserve`: handles now, values later.
fn reserve(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pool/reserve");
    group.throughput(Throughput::Elements(TENTH as u64));
    let Worn { mut pool, .. } = Worn::new(SHIPS, 90);
    let mut reserved: Vec<Handle<Ship>> = Vec::with_capacity(TENTH);
    group.bench_function(BenchmarkId::from_parameter(SHIPS), |bencher| {
        bencher.iter_custom(|rounds| {
            sum_of_rounds(rounds, || {
                let time = time(|| reserved.extend((0..TENTH).map(|_| pool.reserve())));
                assert!(reserved.iter().all(|&ship| !pool.contains(ship)));
                for ship in reserved.drain(..) {
                    pool.spawn_at(ship, Ship::new(1))
                        .expect("a reserved place waits for its value");
                    assert!(pool.despawn(ship));
                }
                time
            })
        });
    });
    group.finish();
}

fn number(ship: &Ship) -> u64 {
    u64::from(ship.number)
}

criterion_group!(benches, get, read, spawn, spawn_many, despawn, churn, iter, stage, reserve);
criterion_main!(benches);
