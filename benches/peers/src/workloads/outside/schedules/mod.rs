//! What systems do beside going over things: systems that a condition keeps from running, messages
//! from one system to another, and changes that are recorded to be made later. hecs has buffers and
//! no systems; who has none of the three is not here.

#[cfg(feature = "ecs")]
mod ecs;
mod lath;

use std::hint::black_box;

use crate::workload::{Bar, Trial, Workload};

/// How often the hundred systems run in one run.
const TIMES: u32 = 20;
const MESSAGES: u32 = 1_000;
const THINGS: u32 = 1_000;

const BARS: &[Bar] = &[Bar::to_best("lath-serial", 1.0), Bar::to_best("lath", 1.0)];

pub(super) fn workloads() -> Vec<Workload> {
    vec![conditions(), messages(), commands()]
}

fn conditions() -> Workload {
    let about = format!("100 systems that count, every other kept from it, {TIMES} times");
    let workload = Workload::new("outside-conditions", about, BARS)
        .with("raw", || Ticks::new(RawConditions::new(), TIMES));
    #[cfg(feature = "ecs")]
    let workload = workload
        .with("bevy single", || Ticks::new(ecs::BevyConditions::new(false), TIMES))
        .with("bevy multi", || Ticks::new(ecs::BevyConditions::new(true), TIMES))
        .with("shipyard", || Ticks::new(ecs::ShipyardConditions::new(), TIMES));
    workload
        .with("lath-serial", || Ticks::new(lath::Conditions::new(true), TIMES))
        .with("lath", || Ticks::new(lath::Conditions::new(false), TIMES))
}

fn messages() -> Workload {
    let about = format!("{MESSAGES} messages from one system to another");
    let workload = Workload::new("outside-messages", about, BARS)
        .with("raw", || Ticks::new(RawMessages::default(), 1));
    #[cfg(feature = "ecs")]
    let workload = workload
        .with("bevy single", || Ticks::new(ecs::BevyMessages::new(false), 1))
        .with("bevy multi", || Ticks::new(ecs::BevyMessages::new(true), 1))
        .with("evenio", || Ticks::new(ecs::EvenioMessages::new(), 1));
    workload
        .with("lath-serial", || Ticks::new(lath::Messages::new(true), 1))
        .with("lath", || Ticks::new(lath::Messages::new(false), 1))
}

fn commands() -> Workload {
    let about = format!("{THINGS} things despawned and {THINGS} spawned, recorded and then made");
    let workload = Workload::new("outside-commands", about, BARS)
        .with("raw", || Ticks::new(RawCommands::default(), 1));
    #[cfg(feature = "ecs")]
    let workload = workload
        .with("hecs", || Ticks::new(ecs::HecsCommands::new(), 1))
        .with("bevy single", || Ticks::new(ecs::BevyCommands::new(false), 1))
        .with("bevy multi", || Ticks::new(ecs::BevyCommands::new(true), 1))
        .with("evenio", || Ticks::new(ecs::EvenioCommands::new(), 1));
    workload
        .with("lath-serial", || Ticks::new(lath::Commanding::new(true), 1))
        .with("lath", || Ticks::new(lath::Commanding::new(false), 1))
}

/// A schedule, or what stands for one.
trait Ticking {
    fn tick(&mut self);

    /// What came out so far.
    fn result(&mut self) -> u64;
}

struct Ticks<T> {
    ticking: T,
    times: u32,
}

impl<T: Ticking> Ticks<T> {
    fn new(ticking: T, times: u32) -> Self {
        Self { ticking, times }
    }
}

impl<T: Ticking> Trial for Ticks<T> {
    fn run(&mut self) {
        (0..self.times).for_each(|_| self.ticking.tick());
    }

    fn answer(&mut self) -> u64 {
        self.ticking.result()
    }
}

/// What a message says.
fn content(n: u32) -> u64 {
    u64::from(n) * 3
}

/// The value of the n-th thing that is spawned in a tick.
fn value(tick: u32, n: u32) -> f32 {
    (tick % 1024 + n) as f32
}

/// Sums of small whole numbers: exact, in any order.
fn result(values: impl Iterator<Item = f32>) -> u64 {
    values.map(f64::from).sum::<f64>().to_bits()
}

struct RawSystem {
    condition: fn(bool) -> bool,
    run: fn(&mut u64),
}

/// A table of systems and their conditions.
struct RawConditions {
    systems: Vec<RawSystem>,
    flag: bool,
    count: u64,
}

impl RawConditions {
    fn new() -> Self {
        fn yes(flag: bool) -> bool {
            flag
        }
        fn no(flag: bool) -> bool {
            !flag
        }
        fn count(count: &mut u64) {
            *count += 1;
        }
        let system =
            |n: u32| RawSystem { condition: if n % 2 == 0 { yes } else { no }, run: count };
        Self { systems: black_box((0..100).map(system).collect()), flag: true, count: 0 }
    }
}

impl Ticking for RawConditions {
    fn tick(&mut self) {
        for system in &self.systems {
            if (system.condition)(self.flag) {
                (system.run)(&mut self.count);
            }
        }
    }

    fn result(&mut self) -> u64 {
        self.count
    }
}

#[derive(Default)]
struct RawMessages {
    messages: Vec<u64>,
    sum: u64,
}

impl Ticking for RawMessages {
    fn tick(&mut self) {
        self.messages.extend((0..MESSAGES).map(content));
        self.sum += black_box(&mut self.messages).drain(..).sum::<u64>();
    }

    fn result(&mut self) -> u64 {
        self.sum
    }
}

#[derive(Default)]
struct RawCommands {
    things: Vec<[f32; 2]>,
    spawned: Vec<[f32; 2]>,
    tick: u32,
}

impl Ticking for RawCommands {
    fn tick(&mut self) {
        let Self { things, spawned, tick } = self;
        spawned.extend((0..THINGS).map(|n| [value(*tick, n), 1.0]));
        *tick += 1;
        things.clear();
        things.append(black_box(spawned));
    }

    fn result(&mut self) -> u64 {
        result(self.things.iter().map(|thing| thing[0]))
    }
}
