//! A garden through a hot day: plants drink, the sun dries the beds, the gardener waters what droops, and goes home at night.
//!
//! Shows: a world, systems and their parameters, why one waits for another, conditions, a set, states, steps at a fixed rate,
//! a struct of parameters, errors with the name of a system, and the same garden on one thread and on several.
//!
//! Run: `cargo run --example 06_systems`

use lath::FixedTime;
use lath::prelude::*;

/// One fat struct: whatever grows in the garden.
#[derive(Thing, Clone, Default, Debug)]
#[thing(columns)]
struct Plant {
    name: &'static str,
    water: f32,
    height: f32,
    sun: f32,
}

/// Plants that drink.
#[derive(View)]
#[view(Plant)]
struct Drinking<'a> {
    water: &'a mut f32,
    height: &'a mut f32,
    sun: &'a f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sky {
    Day,
    Night,
}

/// Resources: values of which there is one.
struct Hour(u32);

#[derive(Default)]
struct Can {
    litres: f32,
}

/// What has happened. Systems that write to it wait for each other, so it is in order; `println!` in them would not be.
#[derive(Default)]
struct Diary(String);

/// What the gardener needs, as one parameter.
#[derive(Params)]
struct Gardener<'w, 's> {
    plants: Query<'w, (Ref<'w, plant::name>, Mut<'w, plant::water>)>,
    can: ResMut<'w, Can>,
    helped: Local<'s, u32>,
}

impl Gardener<'_, '_> {
    fn help(&mut self, below: f32) -> Option<&'static str> {
        let (name, mut water) = (&mut self.plants).into_iter().find(|(_, water)| **water < below)?;
        *water += 3.0;
        self.can.litres -= 3.0;
        *self.helped += 1;
        Some(*name)
    }
}

fn main() {
    let mut schedule = schedule();

    // The order of addition is the meaning. Who waits for whom, and why, follows from the parameters.
    println!("{}", schedule.explain_pair("shine", "tend").unwrap());
    println!("{}", schedule.explain_pair("shine", "tell_time").unwrap());

    let mut world = garden();
    for _ in 0..4 {
        schedule.run(&mut world);
    }
    print!("{}", world.resource::<Diary>().0);
    for (_, plant) in world.pool::<Plant>() {
        println!("{:<5} {:.1} of water, {:.2} tall", plant.name, plant.water, plant.height);
    }

    // The can is empty: the error names the system, and the world goes on.
    world.resource_mut::<Can>().litres = 0.0;
    world.resource_mut::<State<Sky>>().set(Sky::Day);
    let error = schedule.try_run(&mut world).unwrap_err();
    println!("{}", without_place(&error.to_string()));
    world.resource_mut::<Can>().litres = 9.0;
    schedule.run(&mut world);
    println!("{}", world.resource::<Diary>().0.lines().last().unwrap().trim());

    // Threads only make it faster.
    assert!(grown(1) == grown(2) && grown(2) == grown(4));
    println!("on 1, 2 and 4 threads: the same garden");
}

fn schedule() -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add(tell_time);
    schedule.transitions::<Sky>(); // states change here
    schedule.add((|mut diary: ResMut<Diary>| diary.0 += "  the sun rises\n").on_enter(Sky::Day));
    schedule.add((|mut diary: ResMut<Diary>| diary.0 += "  the gardener goes home\n").on_exit(Sky::Day));
    schedule.add((shine.in_set("day"), tend.in_set("day")));
    schedule.set("day").run_if(|sky: Res<State<Sky>>| *sky.get() == Sky::Day);
    // Four small steps for each hour, however long a run is.
    schedule.fixed(4.0, |steps| {
        steps.add(drink);
    });
    schedule.add(nightfall);
    schedule
}

fn tell_time(mut hour: ResMut<Hour>, mut diary: ResMut<Diary>) {
    hour.0 += 1;
    diary.0 += &format!("hour {}\n", hour.0);
}

fn shine(mut plants: Query<(Mut<plant::sun>, Mut<plant::water>)>, time: Res<Time>) {
    plants.par_each(|(mut sun, mut water)| {
        *sun += time.dt;
        *water -= time.dt;
    });
}

/// Fails when the can is empty.
fn tend(mut gardener: Gardener, mut diary: ResMut<Diary>) -> Result<(), String> {
    if gardener.can.litres < 3.0 {
        return Err(format!("the can is empty after {} plants", *gardener.helped));
    }
    if let Some(name) = gardener.help(2.0) {
        diary.0 += &format!("  the gardener waters the {name}\n");
    }
    Ok(())
}

fn drink(mut plants: Query<Drinking>, time: Res<Time>) {
    plants.each(|plant| {
        let sip = (*plant.water).min(time.dt * *plant.sun / 4.0);
        *plant.water -= sip;
        *plant.height += sip / 10.0;
    });
}

fn nightfall(hour: Res<Hour>, mut sky: ResMut<State<Sky>>, fixed: Res<FixedTime>) {
    assert_eq!(fixed.steps, 4);
    if hour.0 == 3 {
        sky.set(Sky::Night); // at the next transition
    }
}

fn garden() -> World {
    let mut world = World::new();
    world.insert(Time { dt: 1.0 });
    world.insert(Hour(0));
    world.insert(Diary::default());
    world.insert(Can { litres: 20.0 });
    world.insert(State::new(Sky::Day));
    for (name, water) in [("rose", 2.5), ("bean", 6.0), ("fern", 4.0)] {
        world.spawn(Plant { name, water, height: 1.0, ..default() });
    }
    world
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
    let plants = world.pool::<Plant>().iter();
    plants.map(|(who, plant)| (who, plant.water.to_bits(), plant.height.to_bits())).collect()
}

/// The message without where the system was added.
fn without_place(message: &str) -> String {
    let (before, rest) = message.split_once(" (added at ").unwrap();
    format!("{before}{}", rest.split_once(')').unwrap().1)
}

// Expected output:
//
// `tend` waits for `shine`, which was added before it: both use field `water` of `Plant`, and one of them writes it
// `shine` and `tell_time` may run at the same time: neither writes anything that the other uses
// hour 1
//   the sun rises
//   the gardener waters the rose
// hour 2
//   the gardener waters the fern
// hour 3
//   the gardener waters the rose
// hour 4
//   the gardener goes home
// rose  3.2 of water, 1.22 tall
// bean  0.8 of water, 1.22 tall
// fern  1.8 of water, 1.22 tall
// system `tend` failed: the can is empty after 3 plants
// the gardener waters the rose
// on 1, 2 and 4 threads: the same garden
