//! Calls on a schedule, and on what a world has besides pools: resources, events, hooks.

mod bodies;
mod hooks;
pub mod marked;

use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lath::prelude::*;
use lath::{
    Cooldown, Events, FixedClocks, FixedTime, PlanError, RunError, State, System, Time, Timer,
};

use super::things::{Layout, Text};
use crate::answer::{Answer, Ask};
use crate::fuse;
use crate::program::Call;
use crate::spec::{Ended, Item, Jump, Note, Notes, OfSet, Owner, Ran, SETS, SystemsLook};
use crate::spec::{Hook, name};
use crate::{game, spec};

/// One of four numbers.
pub struct R<const N: usize>(pub u64);

/// Numbers are added to it in any order.
pub struct Sum(pub u64);

/// A resource that is not always there, and owns memory.
pub struct Rare {
    /// Its number.
    pub n: u64,
    #[expect(dead_code, reason = "its `Drop` is what matters")]
    text: Text,
}

impl Rare {
    /// One with a number.
    pub fn new(n: u64) -> Self {
        Self { n, text: Text::of("rare") }
    }
}

/// What hooks have heard.
pub struct Digest(pub u64);

/// A timer and a cooldown.
pub struct Clock {
    /// Half a second, again and again.
    pub timer: Timer,
    /// A quarter of a second.
    pub cooldown: Cooldown,
    /// Three quarters of a second, once.
    pub once: Timer,
}

impl Clock {
    fn new() -> Self {
        let (timer, cooldown) = (Timer::repeating(0.5), Cooldown::new(0.25));
        Self { timer, cooldown, once: Timer::once(0.75) }
    }
}

/// An event, which owns memory.
pub struct Ping {
    /// Its number.
    pub n: u64,
    #[expect(dead_code, reason = "its `Drop` is what matters")]
    text: Text,
}

impl Ping {
    /// One with a number.
    pub fn new(n: u64) -> Self {
        Self { n, text: Text::of("ping") }
    }
}

/// Where systems note down what the model cannot guess.
#[derive(Clone, Default)]
pub struct Diary(Arc<Mutex<Notes>>);

impl Diary {
    /// Notes something down.
    pub fn note(&self, owner: Owner, note: Note) {
        let mut notes = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        notes.entry(owner).or_default().push_back(note);
    }

    fn take(&self) -> Notes {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}

/// On which threads, and in which order, a schedule runs. The result is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// On the caller's.
    #[default]
    One,
    /// On so many.
    Many(usize),
    /// On so many, in another order for every seed.
    Shuffled(usize, u64),
    /// By `run_serial`, though there are more.
    Serial,
}

/// The schedule of a world, and what was put beside its pools.
pub struct Systems {
    schedule: Schedule,
    threads: Threads,
    diary: Diary,
    /// How many systems and hooks there have been.
    systems: u32,
    hooks: u32,
}

impl Systems {
    /// Puts what systems need into a world.
    pub fn new(world: &mut World, threads: Threads) -> Self {
        world.insert(R::<0>(1));
        world.insert(R::<1>(2));
        world.insert(R::<2>(3));
        world.insert(R::<3>(4));
        world.insert(Sum(0));
        world.insert(Digest(0));
        world.insert(Clock::new());
        world.insert(State::new(0u8));
        world.insert(Time::default());
        world.insert(FixedTime::default());
        world.insert(FixedClocks::default());
        world.events_mut::<Ping>();
        let diary = Diary::default();
        Self { schedule: schedule(threads), threads, diary, systems: 0, hooks: 0 }
    }

    /// What was noted down since this was asked last.
    pub fn notes(&mut self) -> Notes {
        self.diary.take()
    }

    /// After a panic somewhere: lets hooks hear what they have not heard yet, and puts what cannot
    /// be seen from outside into a state that is known.
    pub fn settle<L: Layout>(&mut self, world: &mut World) {
        hooks::flush::<L>(world);
        world.insert(Clock::new());
        world.insert(State::new(0u8));
        // What hooks have done in between is seen, and belongs to no call.
        self.diary.take();
    }

    /// Makes a call.
    pub fn play<L: Layout>(&mut self, world: &mut World, ask: &Ask) -> Answer {
        match ask.call {
            Call::AddSystem | Call::AddSystems | Call::AddToOrder => {
                for item in spec::items(ask, &mut self.systems) {
                    add::<L>(&mut self.schedule, &item, self.threads, &self.diary);
                }
                Answer::Done
            }
            Call::AddConflict => {
                let refused = self.schedule.try_add((
                    |_: ResMut<R<0>>| (),
                    |_: Res<R<0>>, _: ResMut<R<1>>, _: Res<R<1>>| (),
                ));
                Answer::Is(matches!(refused, Err(PlanError::Conflict { .. })))
            }
            Call::SaySet => {
                let said = OfSet::new(ask, &mut self.systems);
                let set = self.schedule.set(SETS[said.set]);
                if let Some(when) = said.when {
                    bodies::set_if(set, when, said.owner(), &self.diary);
                }
                if said.after_other {
                    set.after(SETS[1 - said.set]);
                }
                Answer::Done
            }
            Call::NewSchedule => {
                self.schedule = schedule(self.threads);
                self.schedule.clocks_from(spec::first_clock(ask));
                Answer::Done
            }
            Call::RunSchedule => self.run(world, ask),
            Call::RunOnce => {
                let system = spec::System::new(ask, self.systems);
                self.systems += 1;
                let result = world.run_once(bodies::system::<L>(&system, &self.diary));
                ended(result).map_or(Answer::Done, |ended| {
                    Answer::Ran(Box::new(Ran {
                        order: Vec::new(),
                        runs: Vec::new(),
                        ended: Some(ended),
                    }))
                })
            }
            Call::TellWorld => tell(world, ask),
            Call::AddHook => {
                for hook in Hook::pair(ask, &mut self.hooks) {
                    hooks::add::<L>(world, &hook, &self.diary);
                }
                Answer::Done
            }
            call => unreachable!("{call:?} is not a call on a schedule"),
        }
    }

    fn run(&mut self, world: &mut World, ask: &Ask) -> Answer {
        world.insert(Time { dt: Jump::new(ask.v).seconds() });
        if let Some(state) = spec::asked_state(ask) {
            world.resource_mut::<State<u8>>().set(state);
        }
        if ask.b % 64 == 7 {
            self.schedule.threads(0);
        }
        let order = self.schedule.order();
        let is_planned = order.is_ok();
        assert_eq!(self.schedule.build().is_ok(), is_planned, "built beside ordered");
        let result = match (self.threads, is_planned) {
            (Threads::Serial, true) if Jump::new(ask.v) == Jump::By(0) => {
                // It panics where `try_run` returns an error; fuses and errors come back as words.
                return self.run_serial(world, order.unwrap_or_default());
            }
            _ => self.schedule.try_run(world),
        };
        let answer = Answer::Ran(Box::new(Ran {
            order: order.map(told).unwrap_or_default(),
            runs: self.runs(),
            ended: ended(result),
        }));
        if ask.b % 16 == 3 && is_planned {
            self.describe();
        }
        if let Answer::Ran(ran) = &answer
            && matches!(
                ran.ended,
                Some(Ended::Circle | Ended::Unknown | Ended::Rate | Ended::Threads)
            )
        {
            // Nothing helps but to begin again.
            self.schedule = schedule(self.threads);
        }
        answer
    }

    fn run_serial(&mut self, world: &mut World, order: Vec<String>) -> Answer {
        let schedule = &mut self.schedule;
        // Whether it will end early is not known ahead: the error's words are all that is left.
        let result = fuse::hushed(|| schedule.run_serial(world));
        let ended = result.err().map(|panic| words(&game::message(&*panic)));
        Answer::Ran(Box::new(Ran { order: told(order), runs: self.runs(), ended }))
    }

    /// How often each system has run.
    fn runs(&self) -> Vec<(String, u64)> {
        let lines = self.schedule.report().lines;
        let lines = lines.into_iter().map(|line| (line.name.into_owned(), line.runs));
        let mut lines: Vec<_> = lines.filter(|(name, _)| is_system(name)).collect();
        lines.sort();
        lines
    }

    /// Whatever can be said about a schedule is said without a panic.
    fn describe(&mut self) {
        let schedule = &mut self.schedule;
        let said = [schedule.explain(), schedule.dot(), schedule.mermaid()];
        assert!(said.iter().all(Result::is_ok), "{said:?}");
        let (outline, order) = (schedule.outline(), schedule.order());
        assert!(outline.is_ok(), "{outline:?}");
        let names: Vec<_> =
            order.unwrap_or_default().into_iter().filter(|name| is_system(name)).collect();
        if let [first, .., last] = &names[..] {
            let said = schedule.explain_pair(first, last);
            assert!(said.is_ok(), "{said:?}");
        }
        let report = schedule.report();
        for name in &names {
            assert!(report.line(name).is_some(), "{name} is not in the report");
        }
        schedule.chrome_trace();
        schedule.clear_trace();
        assert!(schedule.spans().is_empty(), "what is cleared");
        schedule.measure_all(names.len() % 2 == 0);
    }
}

fn schedule(threads: Threads) -> Schedule {
    let mut schedule = Schedule::new();
    match threads {
        Threads::One => schedule.threads(1),
        Threads::Many(threads) | Threads::Shuffled(threads, _) => schedule.threads(threads),
        Threads::Serial => schedule.threads(2),
    };
    mix_up(&mut schedule, threads);
    schedule
}

/// Systems run on several threads however little they have to do, and in another order.
fn mix_up(schedule: &mut Schedule, threads: Threads) {
    schedule.parallel_from(Duration::ZERO);
    if let Threads::Shuffled(_, seed) = threads {
        schedule.shuffle(Some(seed));
    }
}

/// Whether this is what the game calls a system.
fn is_system(name: &str) -> bool {
    name.strip_prefix('s').is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The names that the model knows.
fn told(order: Vec<String>) -> Vec<String> {
    let known = |name: &String| is_system(name) || name.starts_with("condition of set");
    order.into_iter().filter(known).collect()
}

/// Adds an entry.
fn add<L: Layout>(schedule: &mut Schedule, item: &Item, threads: Threads, diary: &Diary) {
    let made = |systems: &[spec::System]| -> Vec<System> {
        systems.iter().map(|system| bodies::system::<L>(system, diary)).collect()
    };
    match item {
        Item::Systems(systems) => {
            let mut made = made(systems).into_iter();
            match [(); 4].map(|()| made.next()) {
                [Some(a), Some(b), Some(c), Some(d)] => schedule.add((a, b, c, d)),
                [Some(a), Some(b), Some(c), None] => schedule.add((a, b, c)),
                [Some(a), Some(b), ..] => schedule.add((a, b)),
                [Some(a), ..] => schedule.add(a),
                _ => schedule,
            };
        }
        Item::Chain(systems) => {
            let mut made = made(systems).into_iter();
            match [(); 4].map(|()| made.next()) {
                [Some(a), Some(b), Some(c), Some(d)] => schedule.chain((a, b, c, d)),
                [Some(a), Some(b), Some(c), None] => schedule.chain((a, b, c)),
                [Some(a), Some(b), ..] => schedule.chain((a, b)),
                [Some(a), ..] => schedule.chain(a),
                _ => schedule,
            };
        }
        Item::Barrier => _ = schedule.barrier(),
        Item::Transitions => _ = schedule.transitions::<u8>(),
        Item::Fixed(fixed) => {
            schedule.fixed_limit(f64::from(fixed.hz), fixed.limit, |steps| {
                mix_up(steps, threads);
                fixed.items.iter().for_each(|item| add::<L>(steps, item, threads, diary));
            });
        }
    }
}

/// Why a run ended early.
fn ended(result: Result<(), RunError>) -> Option<Ended> {
    Some(match result.err()? {
        RunError::Plan(PlanError::Cycle { .. }) => Ended::Circle,
        RunError::Plan(PlanError::Unknown { .. }) => Ended::Unknown,
        RunError::Plan(PlanError::BadRate { .. }) => Ended::Rate,
        RunError::Plan(PlanError::Threads(_)) => Ended::Threads,
        RunError::BadTime { .. } => Ended::Time,
        RunError::Missing { system, .. } => Ended::Missing(system.name.into_owned()),
        RunError::Failed { system, error } => {
            assert_eq!(error.to_string(), bodies::ERROR);
            Ended::Failed(system.name.into_owned())
        }
        RunError::Panicked { system, payload } => {
            Ended::Panicked(system.name.into_owned(), game::message(&*payload.0))
        }
        error => panic!("an error that there should not be: {error}"),
    })
}

/// The same out of the words of an error.
fn words(text: &str) -> Ended {
    let name = text.split('`').nth(1).unwrap_or_default().to_owned();
    match () {
        () if text.contains(fuse::MESSAGE) => Ended::Panicked(name, fuse::MESSAGE.into()),
        () if text.contains(bodies::ERROR) => Ended::Failed(name),
        () if text.contains("cannot run: the world has no") => Ended::Missing(name),
        () => Ended::Panicked(name, text.into()),
    }
}

/// Calls on the world about what is beside its pools.
fn tell(world: &mut World, ask: &Ask) -> Answer {
    let n = u64::from(ask.v);
    match ask.b % 12 {
        0..4 => (0..=n % 3).for_each(|i| world.send(Ping::new(spec::mix(n + i)))),
        4 => world.events_mut::<Ping>().set_cap((n % 4 > 0).then_some(n as usize % 40)),
        5 => world.events_mut::<Ping>().clear(),
        6 | 7 => world.resource_mut::<State<u8>>().set((n % 3) as u8),
        8 => return Answer::Is(world.insert(Rare::new(n)).is_some()),
        9 => {
            let found = world.try_resource_mut::<Rare>().map(|rare| rare.n ^= n);
            return Answer::Is(found.is_ok());
        }
        10 if n % 4 == 1 => {
            let found = world.pinned_mut::<Rc<u64>>().map(|pinned| *pinned = Rc::new(**pinned ^ n));
            return Answer::Is(found.is_ok());
        }
        10 if n % 4 == 0 => {
            let before = world.insert_pinned(Rc::new(n));
            return Answer::Is(before.is_some());
        }
        10 => _ = world.insert(R::<2>(n)),
        _ => return Answer::Is(world.remove::<Rare>().is_some()),
    }
    Answer::Done
}

/// All that can be seen besides pools.
pub fn look(world: &World) -> SystemsLook {
    let clock = world.resource::<Clock>();
    let fixed = world.resource::<FixedTime>();
    let clocks = world.resource::<FixedClocks>();
    let events = world.resource::<Events<Ping>>();
    let counts = world.command_counts();
    let bits = |(left, given_up): (&f64, &f64)| (left.to_bits(), given_up.to_bits());
    let is_named = world.resource_names().iter().any(|name| name.ends_with("::Rare"));
    assert_eq!(is_named, world.try_resource::<Rare>().is_ok(), "whether a resource is named");
    SystemsLook {
        r: [
            world.resource::<R<0>>().0,
            world.resource::<R<1>>().0,
            world.resource::<R<2>>().0,
            world.resource::<R<3>>().0,
        ],
        sum: world.resource::<Sum>().0,
        rare: world.try_resource::<Rare>().ok().map(|rare| rare.n),
        pinned: world.pinned::<Rc<u64>>().ok().map(|pinned| **pinned),
        heard: world.resource::<Digest>().0,
        state: *world.resource::<State<u8>>().get(),
        clock: (clock.timer.progress().to_bits(), clock.cooldown.is_ready(), clock.once.is_done()),
        dt: world.resource::<Time>().dt.to_bits(),
        fixed: (fixed.step.to_bits(), fixed.steps, fixed.alpha.to_bits(), fixed.given_up.to_bits()),
        clocks: clocks.left.iter().zip(&clocks.given_up).map(bits).collect(),
        events: events.iter().map(|ping| ping.n).collect(),
        dropped: events.dropped(),
        commands: (counts.applied, counts.missed),
    }
}
