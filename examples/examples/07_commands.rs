//! A hive: bees are born, dance, and die, and nobody touches the pool while others look.
//!
//! Shows: commands, handles that are good before their things are there, when commands are applied,
//! barriers, commands about things that are gone, hooks, events, and the same handles on any number
//! of threads.
//!
//! Run: `cargo run --example 07_commands`

use lath::prelude::*;

#[derive(Thing, Clone, Default, Debug)]
struct Bee {
    name: &'static str,
    age: u32,
    sister: Handle<Bee>,
}

/// Said by a bee that has found flowers.
struct Dance {
    by: Handle<Bee>,
}

/// A resource, for what a hook hears.
struct Graves(Vec<&'static str>);

fn main() {
    let mut world = World::new();
    world.insert(Graves(Vec::new()));
    world.pool_mut::<Bee>(); // queries want to see a pool, even an empty one
    // Hooks run where commands are applied, in their order.
    world.on_despawn::<Bee>(|world, _, bee| world.resource_mut::<Graves>().0.push(bee.name));

    let mut schedule = Schedule::new();
    schedule.add(hatch.run_if(|hive: PoolRef<Bee>| hive.is_empty()));
    schedule.add(nobody_is_there_yet);
    schedule.barrier(); // from here on the bees are there
    schedule.add((fly, follow, die_twice));
    println!("{}", schedule.explain().unwrap());

    for day in 1..=3 {
        schedule.run(&mut world);
        let hive: Vec<_> =
            world.pool::<Bee>().iter().map(|(who, bee)| format!("{} {who}", bee.name)).collect();
        println!("evening of day {day}: {}", hive.join(", "));
    }

    let counts = world.command_counts();
    println!("dead: {}", world.resource::<Graves>().0.join(", "));
    println!("{} commands applied, {} came too late", counts.applied, counts.missed);
    assert_eq!(counts.missed, 2);

    assert!(swarm(1) == swarm(2) && swarm(2) == swarm(4));
    println!("a swarm on 1, 2 and 4 threads: the same handles");
}

/// Two sisters who know each other before either of them exists.
fn hatch(mut commands: Commands) {
    let ada = commands.spawn(Bee { name: "Ada", ..default() });
    let bea = commands.spawn(Bee { name: "Bea", sister: ada, ..default() });
    commands.set::<bee::sister>(ada, bea);
    println!("to be born: {ada} and {bea}");
}

fn nobody_is_there_yet(bees: Query<Ref<bee::name>>, mut mornings: Local<u32>) {
    *mornings += 1;
    assert_eq!(bees.is_empty(), *mornings == 1);
}

/// Everybody is a day older. Who has been out for the first time dances.
fn fly(mut bees: Query<(Handle<Bee>, Mut<bee::age>)>, mut dances: EventWriter<Dance>) {
    for (bee, mut age) in &mut bees {
        *age += 1;
        if *age == 2 {
            dances.send(Dance { by: bee });
        }
    }
}

/// Reads every dance once. It comes after `fly` in the order, so it does so on the same day.
fn follow(mut dances: EventReader<Dance>, bees: Query<(Ref<bee::name>, Ref<bee::sister>)>) {
    for dance in dances.read() {
        let Some((name, sister)) = bees.get(dance.by) else { continue };
        let Some((sister, _)) = bees.get(*sister) else { continue };
        println!("{} dances, {} follows", *name, *sister);
    }
}

/// Ada dies of age. It is said twice; the second time there is no Ada any more.
fn die_twice(bees: Query<(Handle<Bee>, Ref<bee::name>, Ref<bee::age>)>, mut commands: Commands) {
    for (bee, name, age) in &bees {
        if *name == "Ada" && *age == 3 {
            commands.despawn(bee);
            commands.despawn(bee);
            let heir = commands.spawn(Bee { name: "Cleo", sister: bee, ..default() });
            commands.attach(heir, bee); // nobody to be attached to: nothing happens
        }
    }
}

/// Bees that divide like cells, in a loop on several threads: all handles, in order.
fn swarm(threads: usize) -> Vec<u64> {
    let mut world = World::new();
    for n in 0..9_000 {
        world.spawn(Bee { age: n % 5, ..default() });
    }
    let mut schedule = Schedule::new();
    schedule.threads(threads);
    schedule.add(|mut bees: Query<(Handle<Bee>, Mut<bee::age>)>, mut commands: Commands| {
        commands.par_each(&mut bees, |(bee, mut age), commands| {
            *age += 1;
            match *age % 5 {
                0 => commands.despawn(bee),
                3 => _ = commands.spawn(Bee { sister: bee, ..default() }),
                _ => {}
            }
        });
    });
    for _ in 0..10 {
        schedule.run(&mut world);
    }
    world
        .pool::<Bee>()
        .iter()
        .flat_map(|(who, bee)| [who.to_bits(), bee.sister.to_bits()])
        .collect()
}

// Expected output:
//
// stage 1, on several threads where it saves time:
//   hatch
//   nobody_is_there_yet
// stage 2: the commands of hatch are applied
// stage 3, on several threads where it saves time:
//   fly
//   follow, after fly (events of type `Dance`)
//   die_twice, after fly (field `age` of `Bee`)
// stage 4: the commands of die_twice are applied
//
// to be born: 1v1 and 2v1
// evening of day 1: Ada 1v1, Bea 2v1
// Ada dances, Bea follows
// Bea dances, Ada follows
// evening of day 2: Ada 1v1, Bea 2v1
// evening of day 3: Bea 2v1, Cleo 3v1
// dead: Ada
// 5 commands applied, 2 came too late
// a swarm on 1, 2 and 4 threads: the same handles
