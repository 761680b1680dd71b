//! What the inspector costs a tick: with nobody looking, and with somebody who sorts and filters a
//! million things all the time.
//!
//! Run: `cargo run --release -p lath-benches --bin inspect -- [things] [ticks]`
//!
//! Ticks with and without the inspector take turns, so that both see the same machine. What is
//! printed are times of one run on one machine; the claim is the comparison.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lath_core::{Mut, Ref, Thing};
use lath_inspect::{Inspect, Inspector, Request};
use lath_schedule::{Query, Schedule, World};

#[derive(Thing, Inspect, Default)]
#[thing(columns)]
struct Actor {
    x: f32,
    vel: f32,
    hp: f32,
    name: String,
}

fn walk(mut actors: Query<(Mut<actor::x>, Ref<actor::vel>)>) {
    actors.each(|(mut x, vel)| *x += *vel);
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u32>().expect("a number"));
    let things = arguments.next().unwrap_or(1_000_000);
    let ticks = arguments.next().unwrap_or(2000);

    let mut world = World::new();
    let mut state = 1u32;
    for number in 0..things {
        state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let hp = (state >> 8) as f32 / 65_536.0;
        world.spawn(Actor {
            vel: 1.0,
            hp,
            name: if number % 64 == 0 { format!("orc {number}") } else { String::new() },
            x: 0.0,
        });
    }
    let mut schedule = Schedule::new();
    schedule.add(walk);
    let mut inspector = Inspector::new();
    inspector.pool::<Actor>();

    // Nobody looks.
    let (mut without, mut with, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ticks / 2 {
        without.push(time(|| schedule.run(&mut world)));
        let mut took = Duration::ZERO;
        with.push(time(|| {
            for _ in 0..inspector.steps() {
                schedule.run(&mut world);
            }
            took = time(|| {
                inspector.update(&mut world, &mut schedule);
            });
        }));
        alone.push(took);
    }
    println!("{things} things, {ticks} ticks; median, 99 of 100, most");
    show("a tick without the inspector", &mut without);
    show("a tick with it, nobody looking", &mut with);
    show("of that, the update", &mut alone);

    // Somebody looks.
    let stop = Arc::new(AtomicBool::new(false));
    let answers = Arc::new(AtomicU64::new(0));
    let (line, stopped, answered) = (inspector.line(), stop.clone(), answers.clone());
    let asker = std::thread::spawn(move || {
        let targets = [
            "/api/v1/things?pool=Actor&sort=hp&limit=100",
            "/api/v1/things?pool=Actor&filter=hp<10&sort=x&limit=100",
            "/api/v1/things?pool=Actor&filter=name~orc&limit=100",
            "/api/v1/map?pool=Actor&x=x&y=hp&limit=6000",
            "/api/v1/world",
            "/api/v1/schedule",
        ];
        for target in targets.iter().cycle() {
            let response = line.ask(Request::get(target), Duration::from_secs(600));
            if stopped.load(Ordering::Relaxed) {
                return;
            }
            assert_eq!(response.status, 200, "{target}: {}", response.body);
            answered.fetch_add(1, Ordering::Relaxed);
        }
    });
    let (mut updates, mut slices) = (Vec::new(), 0);
    while updates.len() < ticks as usize || answers.load(Ordering::Relaxed) < 6 {
        for _ in 0..inspector.steps() {
            schedule.run(&mut world);
        }
        updates.push(time(|| slices += inspector.update(&mut world, &mut schedule).slices));
    }
    stop.store(true, Ordering::Relaxed);
    while !asker.is_finished() {
        inspector.update(&mut world, &mut schedule);
    }
    asker.join().expect("every answer was good");
    let over = updates.iter().filter(|&&took| took > Duration::from_millis(1)).count();
    let count = updates.len();
    show("an update, somebody asking all the time (budget 1 ms)", &mut updates);
    println!(
        "{count} updates, {over} of them longer than 1 ms; {slices} slices, {} answers",
        answers.load(Ordering::Relaxed)
    );
}

fn time(f: impl FnOnce()) -> Duration {
    let began = Instant::now();
    f();
    began.elapsed()
}

fn show(what: &str, times: &mut [Duration]) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("{what:55} {:>10.1?} {:>10.1?} {:>10.1?}", at(0.5), at(0.99), at(1.0));
}
