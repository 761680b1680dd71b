//! What does it cost to have something done later?

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lath_core::bitflags::bitflags;
use lath_core::{Handle, Ref, Thing};
use lath_schedule::{Commands, EventReader, EventWriter, Query, Schedule, World};

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u8 { const HOT = 1; }
}

#[derive(Thing, Default)]
struct Spark {
    #[thing(tags)]
    tags: Tags,
    heat: f32,
}

const SPARKS: u32 = 10_000;

fn world() -> World {
    let mut world = World::new();
    world
        .pool_mut::<Spark>()
        .extend((0..SPARKS).map(|n| Spark { heat: n as f32, ..Spark::default() }));
    world
}

/// Measures runs of one system over `SPARKS` things, and checks that as many are there afterwards.
fn measure(criterion: &mut Criterion, name: &str, build: impl FnOnce(&mut Schedule)) {
    let mut world = world();
    let mut schedule = Schedule::new();
    build(&mut schedule);
    let mut group = criterion.benchmark_group("commands");
    group.throughput(Throughput::Elements(u64::from(SPARKS)));
    group.bench_function(name, |bencher| bencher.iter(|| schedule.run(&mut world)));
    group.finish();
    assert_eq!(world.pool::<Spark>().len(), SPARKS as usize);
    assert_eq!(world.command_counts().missed, 0);
}

/// `commands/respawn`: every thing is taken out and another one put in.
fn respawn(criterion: &mut Criterion) {
    measure(criterion, "respawn", |schedule| {
        schedule.add(|sparks: Query<(Handle<Spark>, Ref<spark::heat>)>, mut commands: Commands| {
            for (spark, heat) in &sparks {
                commands.despawn(spark);
                commands.spawn(Spark { heat: *heat, ..Spark::default() });
            }
        });
    });
}

/// `commands/tags`: every thing gets a tag, and loses it.
fn tags(criterion: &mut Criterion) {
    measure(criterion, "tags", |schedule| {
        schedule.add(|sparks: Query<Handle<Spark>>, mut commands: Commands| {
            for spark in &sparks {
                commands.insert_tags(spark, Tags::HOT);
                commands.remove_tags(spark, Tags::HOT);
            }
        });
    });
}

/// `commands/parallel`: every thing gets a tag, from a loop on several threads.
fn parallel(criterion: &mut Criterion) {
    measure(criterion, "parallel", |schedule| {
        schedule.add(|mut sparks: Query<Handle<Spark>>, mut commands: Commands| {
            commands
                .par_each(&mut sparks, |spark, commands| commands.insert_tags(spark, Tags::HOT));
        });
    });
}

/// `commands/events`: an event for every thing, and one who reads them.
fn events(criterion: &mut Criterion) {
    struct Glow(f32);
    measure(criterion, "events", |schedule| {
        schedule.add(|sparks: Query<Ref<spark::heat>>, mut glow: EventWriter<Glow>| {
            glow.extend(sparks.iter().map(|heat| Glow(*heat)));
        });
        schedule.add(|mut glow: EventReader<Glow>| {
            let sum: f64 = glow.read().map(|glow| f64::from(glow.0)).sum();
            assert_eq!(sum, f64::from(SPARKS - 1) * f64::from(SPARKS) / 2.0);
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = respawn, tags, parallel, events
}
criterion_main!(benches);
