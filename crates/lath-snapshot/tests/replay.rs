//! A world that is taken back to a tick and played again, on another number of threads, comes to
//! the same bytes and handles.

use std::time::Duration;

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Ref, Thing};
use lath_schedule::{Commands, EventReader, EventWriter, Query, ResMut, Schedule, TreeMut, World};
use lath_snapshot::{Save, SaveWorld, Snapshot};
use serde::{Deserialize, Serialize};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u8 { const YOUNG = 1; const OLD = 2; }
}

#[derive(Thing, Save, Clone, Default, Debug)]
#[thing(columns)]
struct Cell {
    #[thing(tags)]
    tags: Tags,
    age: u32,
    luck: u64,
    rival: Handle<Cell>,
    #[thing(cold)]
    name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Tally {
    births: u64,
    deaths: u64,
}

struct Born(Handle<Cell>);

fn next(luck: u64) -> u64 {
    luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
}

fn roll(mut cells: Query<(Mut<cell::luck>, Mut<cell::age>)>) {
    cells.par_each(|(mut luck, mut age)| {
        *luck = next(*luck);
        *age += 1;
    });
}

/// Births and deaths, from a loop on several threads.
fn divide(
    mut cells: Query<(Handle<Cell>, Ref<cell::luck>, Ref<cell::age>)>,
    mut commands: Commands,
) {
    commands.par_each(&mut cells, |(me, luck, age), commands| match *luck >> 58 {
        0..=2 => {
            let tags = if *age > 5 { Tags::OLD } else { Tags::YOUNG };
            let luck = luck.rotate_left(7);
            let name = if luck % 5 == 0 { format!("{me:?}") } else { String::new() };
            let child = commands.spawn(Cell { tags, luck, rival: me, name, ..Cell::default() });
            commands.attach(child, me);
            commands.run(move |world| world.send(Born(child)));
        }
        3..=5 => commands.despawn(me),
        6 => commands.insert_tags(me, Tags::OLD),
        7 => commands.detach(me),
        _ => {}
    });
}

fn mingle(
    mut tree: TreeMut<Cell>,
    cells: Query<(Handle<Cell>, Ref<cell::rival>, Ref<cell::luck>)>,
) {
    for (me, rival, luck) in &cells {
        if *luck >> 60 == 9 {
            tree.attach(me, *rival).ok(); // not below itself, and not below the dead
        }
    }
}

fn count(mut births: EventReader<Born>, mut tally: ResMut<Tally>, cells: Query<Ref<cell::age>>) {
    tally.births += births.read().map(|born| u64::from(born.0.index())).sum::<u64>();
    tally.deaths = tally.deaths.wrapping_mul(31).wrapping_add(cells.count() as u64);
}

fn schedule(threads: usize) -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add((roll, divide, mingle));
    schedule.barrier();
    schedule.add(|cells: Query<Handle<Cell>>, mut tally: EventWriter<u32>| {
        tally.send(cells.count() as u32)
    });
    schedule.add(count);
    schedule.threads(threads).parallel_from(Duration::ZERO);
    schedule
}

fn world() -> World {
    let mut world = World::new();
    world.saves::<Cell>();
    world.saves_resource::<Tally>();
    world.insert(Tally::default());
    for n in 0..20_000 {
        let tags = if n % 3 == 0 { Tags::OLD } else { Tags::YOUNG };
        world.spawn(Cell { tags, luck: next(n), ..Cell::default() });
    }
    world
}

#[test]
fn a_world_that_is_taken_back_and_played_again_comes_to_the_same_bytes_and_handles() {
    let mut world = world();
    let mut first = schedule(2);
    (0..15).for_each(|_| first.run(&mut world));
    let middle = Snapshot::take(&world).unwrap();
    (0..15).for_each(|_| first.run(&mut world));
    let end = Snapshot::take(&world).unwrap();
    let handles: Vec<_> = world.pool::<Cell>().handles().collect();
    assert_ne!(middle.checksum(), end.checksum());
    assert!(world.command_counts().applied > 10_000);

    for threads in [1, 3] {
        middle.restore(&mut world).unwrap();
        let mut again = schedule(threads);
        (0..15).for_each(|_| again.run(&mut world));
        assert_eq!(
            Snapshot::take(&world).unwrap().checksum(),
            end.checksum(),
            "on {threads} threads"
        );
        assert!(world.pool::<Cell>().handles().eq(handles.iter().copied()), "on {threads} threads");
    }
}
