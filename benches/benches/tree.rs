//! What do links cost, on a tree whose things came and went, and were moved about?

use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fastrand::Rng;
use lath_core::{Handle, Mut, Pool, Ref, Thing};

const NODES: u32 = 100_000;

/// A part of something larger.
#[derive(Thing, Clone, Copy, Default)]
struct Part {
    number: u32,
    depth: u32,
    below: u32,
}

impl Part {
    fn new(number: u32) -> Self {
        Self { number, ..Self::default() }
    }
}

/// A worn tree: fan-out 8, then a third of the subtrees near the leaves taken out and as many
/// things put in elsewhere, and a tenth of all moved below others.
struct Worn {
    pool: Pool<Part>,
    root: Handle<Part>,
    /// All but the root.
    parts: Vec<Handle<Part>>,
}

impl Worn {
    fn new() -> Self {
        let mut rng = Rng::with_seed(8);
        let mut pool = Pool::new();
        let root = pool.spawn(Part::new(0));
        let mut parts = vec![root];
        for number in 1..NODES {
            parts.push(
                pool.spawn_child(parts[(number as usize - 1) / 8], Part::new(number))
                    .expect("the parent is there"),
            );
        }
        for &part in parts[parts.len() / 64..parts.len() / 8].iter().step_by(3) {
            pool.despawn(part);
        }
        parts.retain(|&part| pool.contains(part));
        for number in parts.len() as u32..NODES {
            let parent = parts[rng.usize(..parts.len())];
            parts.push(pool.spawn_child(parent, Part::new(number)).expect("the parent is there"));
        }
        parts.swap_remove(0);
        rng.shuffle(&mut parts);
        let mut worn = Self { pool, root, parts };
        for (child, parent) in worn.moves(&mut rng, NODES as usize / 10) {
            // A cycle is refused, and nothing happens.
            let _ = worn.pool.tree_mut().attach(child, parent);
        }
        assert_eq!(worn.pool.tree().descendants(root).count(), worn.parts.len());
        worn
    }

    fn moves(&self, rng: &mut Rng, count: usize) -> Vec<(Handle<Part>, Handle<Part>)> {
        let mut pick = || self.parts[rng.usize(..self.parts.len())];
        (0..count).map(|_| (pick(), pick())).collect()
    }
}

/// `tree/spawn_child`: a tree of fan-out 8 from nothing.
fn spawn_child(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tree/spawn_child");
    group.throughput(Throughput::Elements(u64::from(NODES)));
    group.bench_function(BenchmarkId::from_parameter(NODES), |bencher| {
        bencher.iter_with_large_drop(|| {
            let mut pool = Pool::new();
            let mut parts = vec![pool.spawn(Part::new(0))];
            for number in 1..NODES {
                let parent = parts[(number as usize - 1) / 8];
                parts.push(
                    pool.spawn_child(parent, Part::new(number)).expect("the parent is there"),
                );
            }
            assert_eq!(pool.tree().child_count(parts[0]), 8);
            pool
        });
    });
    group.finish();
}

/// `tree/attach`: a tenth of all moved below others, cycles refused. `tree/detach`: a tenth taken
/// out of the tree.
fn edit(criterion: &mut Criterion) {
    let worn = Worn::new();
    let moves = worn.moves(&mut Rng::with_seed(5), NODES as usize / 10);
    let mut group = criterion.benchmark_group("tree");
    group.throughput(Throughput::Elements(moves.len() as u64));
    group.bench_function(BenchmarkId::new("attach", NODES), |bencher| {
        bencher.iter_batched_ref(
            || worn.pool.clone(),
            |pool| {
                let mut tree = pool.tree_mut();
                let moved = moves
                    .iter()
                    .filter(|&&(child, parent)| tree.attach(child, parent).is_ok())
                    .count();
                assert!(moved > moves.len() / 2, "most of them make no cycle");
            },
            BatchSize::LargeInput,
        );
    });
    group.bench_function(BenchmarkId::new("detach", NODES), |bencher| {
        bencher.iter_batched_ref(
            || worn.pool.clone(),
            |pool| {
                let mut tree = pool.tree_mut();
                let all = worn.parts[..moves.len()].iter();
                let detached = all
                    .filter(|&&part| tree.detach(part).is_ok_and(|parent| parent.is_some()))
                    .count();
                assert_eq!(detached, moves.len());
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

/// `tree/descendants` and `tree/post_order`: depth first, on the way down and on the way up.
fn walk(criterion: &mut Criterion) {
    let Worn { pool, root, parts } = Worn::new();
    let total: u64 = parts.iter().map(|&part| u64::from(pool[part].number)).sum();
    let number = |part| u64::from(pool[part].number);
    let mut group = criterion.benchmark_group("tree");
    group.throughput(Throughput::Elements(parts.len() as u64));
    group.bench_function(BenchmarkId::new("descendants", NODES), |bencher| {
        bencher.iter(|| assert_eq!(pool.tree().descendants(root).map(number).sum::<u64>(), total));
    });
    group.bench_function(BenchmarkId::new("post_order", NODES), |bencher| {
        bencher.iter(|| assert_eq!(pool.tree().post_order(root).map(number).sum::<u64>(), total));
    });
    group.finish();
}

/// `tree/despawn`: half of the children of the root, with all below them.
fn despawn(criterion: &mut Criterion) {
    let worn = Worn::new();
    let tops: Vec<_> = worn.pool.tree().children(worn.root).step_by(2).collect();
    let doomed: usize = tops.iter().map(|&top| worn.pool.tree().descendants(top).count() + 1).sum();
    let mut group = criterion.benchmark_group("tree/despawn");
    group.throughput(Throughput::Elements(doomed as u64));
    group.bench_function(BenchmarkId::from_parameter(NODES), |bencher| {
        bencher.iter_batched_ref(
            || worn.pool.clone(),
            |pool| {
                tops.iter().for_each(|&top| assert!(pool.despawn(top)));
                assert_eq!(pool.len(), worn.pool.len() - doomed);
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

/// `tree/down`: depths from above, all or below one in a hundred. `tree/up`: sizes from
/// below.
fn sweep(criterion: &mut Criterion) {
    let Worn { mut pool, root, parts } = Worn::new();
    let mut group = criterion.benchmark_group("tree");
    group.throughput(Throughput::Elements(parts.len() as u64));
    fn deeper(parent: Option<Ref<'_, part::depth>>, mut depth: Mut<'_, part::depth>) {
        *depth = parent.map_or(0, |parent| *parent + 1);
    }
    group.bench_function(BenchmarkId::new("down", NODES), |bencher| {
        bencher.iter(|| pool.tree_mut().sweep::<Ref<part::depth>, Mut<part::depth>>().down(deeper));
    });
    let marked = &parts[..parts.len() / 100];
    group.bench_function(BenchmarkId::new("down_dirty", NODES), |bencher| {
        bencher.iter(|| {
            let mut tree = pool.tree_mut();
            marked.iter().for_each(|&part| assert!(tree.mark(part)));
            assert!(
                tree.sweep::<Ref<part::depth>, Mut<part::depth>>().down_dirty(deeper)
                    >= marked.len()
            );
        });
    });
    pool.tree_mut().sweep::<Ref<part::depth>, Mut<part::depth>>().down(deeper);
    assert!(parts.iter().all(|&part| pool[part].depth as usize == pool.tree().depth(part)));

    group.bench_function(BenchmarkId::new("up", NODES), |bencher| {
        bencher.iter(|| {
            pool.tree_mut().sweep::<Ref<part::below>, Mut<part::below>>().up(
                |children, mut below| {
                    *below = children.map(|child| *child + 1).sum();
                },
            );
        });
    });
    pool.tree_mut().sweep::<Ref<part::below>, Mut<part::below>>().up(|children, mut below| {
        *below = children.map(|child| *child + 1).sum();
    });
    assert_eq!(pool[root].below as usize, parts.len());
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = spawn_child, edit, walk, despawn, sweep
}
criterion_main!(benches);
