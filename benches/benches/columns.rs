//! What does each call cost on columns that have lived? The same questions as `pool.rs` asks of
//! rows.

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lath_benches::{ColumnShip, Numbered, WornColumns, column_ship};
use lath_core::{Pool, Ref};

const SIZES: [u32; 3] = [1_000, 100_000, 1_000_000];
const SHIPS: u32 = 100_000;
const TENTH: usize = SHIPS as usize / 10;

/// `columns/get`: references to all fields, of which one is read; live handles in random order.
fn get(criterion: &mut Criterion) {
    lookups(criterion, "columns/get", |worn| {
        worn.live
            .iter()
            .filter_map(|&ship| worn.pool.get(ship))
            .map(|ship| u64::from(*ship.number))
            .sum()
    });
}

/// `columns/view`: a view of the one field that is read.
fn view(criterion: &mut Criterion) {
    lookups(criterion, "columns/view", |worn| {
        let number = |&ship| worn.pool.view::<Ref<column_ship::number>>().get(ship);
        worn.live.iter().filter_map(number).map(|number| u64::from(*number)).sum()
    });
}

/// Measures a sum over all ships in random order, and checks it.
fn lookups(criterion: &mut Criterion, name: &str, sum: impl Fn(&WornColumns) -> u64) {
    let mut group = criterion.benchmark_group(name);
    for size in SIZES {
        let worn = WornColumns::new(size, 100);
        let total = worn.total();
        group.throughput(Throughput::Elements(u64::from(size)));
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter(|| assert_eq!(sum(&worn), total));
        });
    }
    group.finish();
}

/// `columns/spawn`: into a new pool that grows.
fn spawn(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("columns/spawn");
    for size in SIZES {
        group.throughput(Throughput::Elements(u64::from(size)));
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter_with_large_drop(|| {
                let mut pool = Pool::new();
                for n in 0..size {
                    black_box(pool.spawn(ColumnShip::new(n)));
                }
                assert_eq!(pool.len(), size as usize);
                pool
            });
        });
    }
    group.finish();
}

/// `columns/despawn`: a tenth of the ships, in random order.
fn despawn(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("columns/despawn");
    group.throughput(Throughput::Elements(TENTH as u64));
    let worn = WornColumns::new(SHIPS, 100);
    group.bench_function(BenchmarkId::from_parameter(SHIPS), |bencher| {
        bencher.iter_batched_ref(
            || worn.pool.clone(),
            |pool| {
                let gone = worn.live[..TENTH].iter().filter(|&&ship| pool.despawn(ship)).count();
                assert_eq!(gone, TENTH);
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

/// `columns/churn`: a tenth of the ships despawned and spawned again.
fn churn(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("columns/churn");
    group.throughput(Throughput::Elements(TENTH as u64));
    let WornColumns { mut pool, mut live, .. } = WornColumns::new(SHIPS, 100);
    let mut turn = 0;
    group.bench_function(BenchmarkId::from_parameter(SHIPS), |bencher| {
        bencher.iter(|| {
            let picks = &mut live[turn..turn + TENTH];
            turn = (turn + TENTH) % SHIPS as usize;
            for &ship in &*picks {
                assert!(pool.despawn(ship));
            }
            for ship in picks {
                *ship = pool.spawn(ColumnShip::new(1));
            }
        });
    });
    assert_eq!(live.iter().filter(|&&ship| pool.contains(ship)).count(), pool.len());
    group.finish();
}

criterion_group!(benches, get, view, spawn, despawn, churn);
criterion_main!(benches);
