//! How fast is a handle by itself: packing, unpacking, comparing?

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lath_benches::{Ship, Worn, sum_of_rounds, time};
use lath_core::Handle;

const HANDLES: u32 = 100_000;

/// `handle/bits`: to bits and back, as a save or a packet does.
fn bits(criterion: &mut Criterion) {
    let Worn { live, .. } = Worn::new(HANDLES, 100);
    let mut group = criterion.benchmark_group("handle");
    group.throughput(Throughput::Elements(u64::from(HANDLES)));
    group.bench_function(BenchmarkId::new("bits", HANDLES), |bencher| {
        bencher.iter(|| {
            let same = live
                .iter()
                .filter(|&&ship| Handle::<Ship>::from_bits(black_box(ship.to_bits())) == ship)
                .count();
            assert_eq!(same, live.len());
        });
    });
    group.finish();
}

/// `handle/sort`: by slot, the order in which a pool is walked.
fn sort(criterion: &mut Criterion) {
    let Worn { pool, live, .. } = Worn::new(HANDLES, 100);
    let sorted: Vec<_> = pool.handles().collect();
    let mut group = criterion.benchmark_group("handle");
    group.throughput(Throughput::Elements(u64::from(HANDLES)));
    group.bench_function(BenchmarkId::new("sort", HANDLES), |bencher| {
        bencher.iter_custom(|rounds| {
            sum_of_rounds(rounds, || {
                let mut handles = live.clone();
                let time = time(|| handles.sort_unstable());
                assert_eq!(handles, sorted);
                time
            })
        });
    });
    group.finish();
}

criterion_group!(benches, bits, sort);
criterion_main!(benches);
