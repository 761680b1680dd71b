//! What does it cost to remember a world, to put it back, to say what has changed, and to save it?

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fastrand::Rng;
use lath_core::{Handle, Thing};
use lath_schedule::World;
use lath_snapshot::{Delta, Load, Save, SaveWorld, Snapshot, Write};

const ACTORS: u32 = 100_000;

/// Plain fields, one that owns memory, and a few in a tree.
#[derive(Thing, Save, Clone, Default)]
#[thing(columns)]
struct Actor {
    pos: [f32; 3],
    vel: [f32; 3],
    hp: f32,
    target: Handle<Actor>,
    #[thing(cold)]
    name: String,
}

/// A worn world: filled, thinned, refilled; one in a hundred has a name, one in ten a parent.
fn world() -> (World, Vec<Handle<Actor>>) {
    let mut rng = Rng::with_seed(6);
    let mut world = World::new();
    world.saves::<Actor>();
    let mut actors: Vec<Handle<Actor>> = Vec::new();
    for round in 0..2 {
        while actors.len() < ACTORS as usize {
            let n = actors.len() as u32;
            let name = if n % 100 == 0 { format!("actor {n}") } else { String::new() };
            let target = actors.last().copied().unwrap_or_default();
            actors.push(world.spawn(Actor {
                pos: [n as f32; 3],
                vel: [1.0; 3],
                hp: 100.0,
                target,
                name,
            }));
        }
        if round == 0 {
            for _ in 0..ACTORS / 10 * 4 {
                let gone = actors.swap_remove(rng.usize(..actors.len()));
                assert!(world.despawn(gone));
            }
        }
    }
    let mut tree = world.pool_mut::<Actor>().tree_mut();
    for pair in actors.chunks(10) {
        tree.attach(pair[1], pair[0]).expect("both are there");
    }
    (world, actors)
}

/// `snapshot/take`, `snapshot/restore` and `snapshot/checksum`, with the buffers of last time.
fn whole(criterion: &mut Criterion) {
    let (mut world, actors) = world();
    let mut snapshot = Snapshot::take(&world).expect("the world saves something");
    let checksum = snapshot.checksum();
    let mut group = criterion.benchmark_group("snapshot");
    group.throughput(Throughput::Bytes(snapshot.bytes() as u64));
    group.bench_function(BenchmarkId::new("take", ACTORS), |bencher| {
        bencher.iter(|| snapshot.take_into(&world).expect("the world saves something"));
    });
    group.bench_function(BenchmarkId::new("restore", ACTORS), |bencher| {
        bencher.iter(|| {
            world.despawn(actors[0]);
            snapshot.restore(&mut world).expect("there is room");
            assert!(world.pool::<Actor>().contains(actors[0]));
        });
    });
    group.bench_function(BenchmarkId::new("checksum", ACTORS), |bencher| {
        bencher.iter(|| assert_eq!(snapshot.checksum(), checksum));
    });
    group.finish();
    assert_eq!(Snapshot::take(&world).expect("the world saves something").checksum(), checksum);
}

/// `snapshot/delta`: what has changed is found and applied; one in a hundred, neighbours.
fn delta(criterion: &mut Criterion) {
    let (mut world, actors) = world();
    world.pool_mut::<Actor>().track_changes();
    world.pool_mut::<Actor>().next_tick();
    let mut copy = Snapshot::take(&world).expect("the world saves something");
    let (mut delta, mut turn) = (Delta::new(), 0);
    let count = ACTORS as usize / 100;
    let mut group = criterion.benchmark_group("snapshot/delta");
    group.throughput(Throughput::Elements(count as u64));
    group.bench_function(BenchmarkId::from_parameter(ACTORS), |bencher| {
        bencher.iter(|| {
            turn += 1;
            let pool = world.pool_mut::<Actor>();
            let start = turn * count % (ACTORS as usize - count);
            for &actor in &actors[start..start + count] {
                assert!(pool.set::<actor::hp>(actor, turn as f32).is_ok());
            }
            pool.next_tick();
            delta.find_since(&copy, &world);
            delta.apply(&mut copy).expect("made for this copy");
        });
    });
    group.finish();
    assert_eq!(
        Snapshot::take(&world).expect("the world saves something").checksum(),
        copy.checksum()
    );
}

/// `snapshot/save` and `snapshot/load`: to bytes by field name, and back.
fn save(criterion: &mut Criterion) {
    let (mut world, _) = world();
    let snapshot = Snapshot::take(&world).expect("the world saves something");
    let bytes = Write::new().to_bytes(&snapshot).expect("everything can be written");
    let mut group = criterion.benchmark_group("snapshot");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function(BenchmarkId::new("save", ACTORS), |bencher| {
        bencher.iter(|| {
            assert_eq!(Write::new().to_bytes(&snapshot).expect("as before").len(), bytes.len())
        });
    });
    group.bench_function(BenchmarkId::new("load", ACTORS), |bencher| {
        bencher.iter(|| {
            Load::new().from_bytes(&mut world, &bytes).expect("it is a save of this world")
        });
    });
    group.finish();
    let again = Snapshot::take(&world).expect("the world saves something");
    assert_eq!(again.checksum(), snapshot.checksum());
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = whole, delta, save
}
criterion_main!(benches);
