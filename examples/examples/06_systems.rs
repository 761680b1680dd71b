//! A garden through a hot day: the sun dries the beds, the gardener waters what droops, and goes
//! home at night.
//!
//! Shows: a world, systems and what their parameters say, why one waits for another, states, steps
//! at a fixed rate, an error with the name of its system, and the same garden on one thread and on
//! several.
//!
//! Run: `cargo run --example 06_systems`

use lath::prelude::*;

#[derive(Thing, Clone, Default, Debug)]
#[thing(columns)]
struct Plant {
    name: &'static str,
    water: f32,
    height: f32,
    sun: f32,
}

#[derive(Clone, Copy, PartialEq)]
enum Sky {
    Day,
    Night,
}

/// A resource: a value of which there is one. Systems that write to it wait for each other, so the
/// diary is in order.
struct Gardener {
    hour: u32,
    can: f32,
    diary: String,
}

fn main() {
    let mut schedule = Schedule::new();
    schedule.add(tell_time); // the order of addition is the meaning
    schedule.transitions::<Sky>(); // states change here
    schedule.add(
        (|mut who: ResMut<Gardener>| who.diary += "  the gardener goes home\n").on_exit(Sky::Day),
    );
    schedule.add((shine.while_in(Sky::Day), tend.while_in(Sky::Day)));
    schedule.fixed(4.0, |steps| _ = steps.add(drink)); // four steps for each second, however long a run is
    let nightfall = |mut sky: ResMut<State<Sky>>| sky.set(Sky::Night); // at the next transition
    schedule.add(nightfall.run_if(|who: Res<Gardener>| who.hour == 3));

    // Who waits for whom, and why, follows from the parameters.
    println!("{}", schedule.explain_pair("shine", "tend").unwrap());
    println!("{}", schedule.explain_pair("shine", "tell_time").unwrap());

    let mut world = World::new();
    world.insert(Time { dt: 1.0 });
    world.insert(Gardener { hour: 0, can: 20.0, diary: String::new() });
    world.insert(State::new(Sky::Day));
    for (name, water) in [("rose", 2.5), ("bean", 6.0), ("fern", 4.0)] {
        world.spawn(Plant { name, water, height: 1.0, ..default() });
    }
    for _ in 0..4 {
        schedule.run(&mut world);
    }
    print!("{}", world.resource::<Gardener>().diary);
    for (_, plant) in world.pool::<Plant>() {
        println!("{} has {:.1} of water, is {:.2} tall", plant.name, plant.water, plant.height);
    }

    // The can is empty: the error names the system, and the world is there as before.
    world.resource_mut::<Gardener>().can = 0.0;
    world.resource_mut::<State<Sky>>().set(Sky::Day);
    let error = schedule.try_run(&mut world).unwrap_err().to_string();
    assert!(error.contains("`tend`") && error.ends_with("the can is empty"), "{error}");
    assert_eq!(world.resource::<Gardener>().hour, 5);

    // Threads only make it faster.
    assert!(grown(1) == grown(2) && grown(2) == grown(4));
    println!("on 1, 2 and 4 threads: the same garden");
}

fn tell_time(mut who: ResMut<Gardener>) {
    let who = &mut *who; // so that its fields can be borrowed one by one
    who.hour += 1;
    who.diary += &format!("hour {}\n", who.hour);
}

fn shine(mut plants: Query<(Mut<plant::sun>, Mut<plant::water>)>, time: Res<Time>) {
    plants.par_each(|(mut sun, mut water)| {
        *sun += time.dt;
        *water -= time.dt;
    });
}

/// Waters the first plant that droops. Fails when the can is empty.
fn tend(
    mut plants: Query<(Ref<plant::name>, Mut<plant::water>)>,
    mut who: ResMut<Gardener>,
) -> Result<(), String> {
    if who.can < 3.0 {
        return Err("the can is empty".into());
    }
    if let Some((name, mut water)) = plants.iter_mut().find(|(_, water)| **water < 2.0) {
        *water += 3.0;
        who.can -= 3.0;
        who.diary += &format!("  the gardener waters the {}\n", *name);
    }
    Ok(())
}

fn drink(
    mut plants: Query<(Mut<plant::water>, Mut<plant::height>, Ref<plant::sun>)>,
    time: Res<Time>,
) {
    plants.each(|(mut water, mut height, sun)| {
        let sip = water.min(time.dt * *sun / 4.0);
        *water -= sip;
        *height += sip / 10.0;
    });
}

/// A large garden after a while, on so many threads: every bit of it.
fn grown(threads: usize) -> Vec<(Handle<Plant>, u32, u32)> {
    let mut world = World::new();
    world.insert(Time { dt: 0.25 });
    for n in 0..20_000 {
        world.spawn(Plant { water: (n % 7) as f32, sun: (n % 3) as f32, ..default() });
    }
    let mut schedule = Schedule::new();
    schedule.threads(threads).add((shine, drink));
    for _ in 0..20 {
        schedule.run(&mut world);
    }
    world
        .pool::<Plant>()
        .iter()
        .map(|(who, plant)| (who, plant.water.to_bits(), plant.height.to_bits()))
        .collect()
}

// Expected output:
//
// `tend` waits for `shine`, which was added before it: both use field `water` of `Plant`, and one of them writes it
// `shine` and `tell_time` may run at the same time: neither writes anything that the other uses
// hour 1
//   the gardener waters the rose
// hour 2
//   the gardener waters the fern
// hour 3
//   the gardener waters the rose
// hour 4
//   the gardener goes home
// rose has 3.2 of water, is 1.22 tall
// bean has 0.8 of water, is 1.22 tall
// fern has 1.8 of water, is 1.22 tall
// on 1, 2 and 4 threads: the same garden
