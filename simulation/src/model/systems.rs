//! What schedules should do: systems called one by one, in order, and commands kept in a list.

mod happen;
mod order;
mod run;
mod things;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Model;
use super::pool::Wrong;
use crate::adapter::things::POOLS;
use crate::answer::{Answer, Ask};
use crate::body::{Body, Id};
use crate::program::Call;
use crate::spec::{self, Ended, Hook, Item, Jump, Note, Notes, OfSet, Owner, SystemsLook, mix};
use happen::Happened;
use order::Plan;

/// Parts of a second that time is counted in.
const PARTS: u64 = 64;

/// What a timer takes that fires once.
const ONCE: u64 = PARTS * 3 / 4;

/// Beside so many seconds, parts are lost.
const ABSURD: f32 = 1e15;

/// A command that waits.
#[derive(Clone, Debug)]
enum Later {
    Spawn(usize, Id, Body),
    Despawn(usize, Id),
    Attach { relation: usize, pool: usize, child: Id, parent: Id, first: bool },
    Detach { relation: usize, pool: usize, id: Id },
    Tags { pool: usize, id: Id, keep: u8, add: u8 },
    SetNumber(usize, Id, u32),
    Rare(Option<u64>),
    Number(usize, u64),
    Send(u64),
    Close { system: u32, ask: Ask, seen: u64, salt: u64 },
}

/// What a world has beside its pools.
#[derive(Clone, Debug)]
pub struct SystemsModel {
    /// The schedule.
    items: Vec<Item>,
    of_sets: Vec<OfSet>,
    next_system: u32,
    next_hook: u32,
    hooks: Vec<Hook>,
    /// What hooks are still to hear, by pool, and whether they are hearing something.
    pending: [VecDeque<Happened>; POOLS],
    running: [bool; POOLS],
    /// What was noted down by what really ran, and is still to be explained.
    pub notes: Notes,
    /// What can be seen.
    seen: SystemsLook,
    /// How many events there were before those that are kept.
    first: u64,
    cap: Option<usize>,
    /// The event that each reader reads next. After a panic nobody knows.
    readers: BTreeMap<Owner, Option<u64>>,
    /// Values that systems keep, by their place among the parameters.
    locals: BTreeMap<(Owner, u8), Option<u64>>,
    runs: BTreeMap<u32, Option<u64>>,
    state: StateModel,
    /// What is left on the timer and the cooldown, in parts of a second.
    timer: u64,
    cooldown: u64,
    /// The same of the timer that fires once, until it has.
    once: Option<u64>,
    /// The number of the schedule's first clock.
    first_clock: usize,
    /// What is left on each clock and what it has given up, in parts of a second, unless that is
    /// too much to be sure.
    clocks: Vec<(u64, Option<u64>)>,
    given_up_unknown: bool,
    /// Handles that were dealt and whose things have not come.
    dealt: BTreeSet<(usize, Id)>,
    /// What systems below this number know, nobody does: something has panicked.
    unknown_below: u32,
    /// Which events are kept follows from what nobody knows.
    events_unknown: bool,
}

#[derive(Clone, Debug, Default)]
struct StateModel {
    next: Option<u8>,
    left: Option<u8>,
    entered: bool,
    started: bool,
}

impl Default for SystemsModel {
    fn default() -> Self {
        let seen =
            SystemsLook { r: [1, 2, 3, 4], clock: (0, true, false), ..SystemsLook::default() };
        Self {
            items: Vec::new(),
            of_sets: Vec::new(),
            next_system: 0,
            next_hook: 0,
            hooks: Vec::new(),
            pending: Default::default(),
            running: [false; POOLS],
            notes: Notes::new(),
            seen,
            first: 0,
            cap: None,
            readers: BTreeMap::new(),
            locals: BTreeMap::new(),
            runs: BTreeMap::new(),
            state: StateModel::default(),
            timer: PARTS / 2,
            cooldown: 0,
            once: Some(ONCE),
            first_clock: 0,
            clocks: Vec::new(),
            given_up_unknown: false,
            dealt: BTreeSet::new(),
            unknown_below: 0,
            events_unknown: false,
        }
    }
}

impl SystemsModel {
    fn new_schedule(&mut self) {
        self.first_clock = 0;
        self.items.clear();
        self.of_sets.clear();
        self.readers.clear();
        self.locals.clear();
        self.runs.clear();
    }

    /// What was noted down next.
    fn note(&mut self, owner: Owner) -> Result<Note, Wrong> {
        let note = self.notes.get_mut(&owner).and_then(VecDeque::pop_front);
        note.ok_or_else(|| format!("{owner:?} should have done something more"))
    }

    /// A `Local` that grows says how far it is.
    fn local(&mut self, owner: Owner, place: u8, step: u64) -> Result<u64, Wrong> {
        let note = self.note(owner)?;
        let Note::Local(is) = note else { return Err(format!("{owner:?} noted {note:?}")) };
        let start = self.is_known(owner).then_some(0);
        match self.locals.insert((owner, place), Some(is)).unwrap_or(start) {
            Some(before) if before + step != is => {
                Err(format!("a local of {owner:?} went from {before} to {is}"))
            }
            _ => Ok(is),
        }
    }

    /// A reader is there from now on.
    fn register(&mut self, owner: Owner) {
        let start = self.is_known(owner).then_some(self.end());
        self.readers.entry(owner).or_insert(start);
    }

    fn is_known(&self, owner: Owner) -> bool {
        owner.number() >= self.unknown_below
    }

    fn end(&self) -> u64 {
        self.first + self.seen.events.len() as u64
    }

    fn send(&mut self, event: u64) {
        self.seen.events.push(event);
        self.keep_to_cap();
    }

    fn keep_to_cap(&mut self) {
        while self.cap.is_some_and(|cap| self.seen.events.len() > cap) {
            self.seen.events.remove(0);
            self.first += 1;
            self.seen.dropped += 1;
        }
    }

    /// A reader reads all that it has not read. Answers it as one number.
    fn hear(&mut self, owner: Owner) -> Result<u64, Wrong> {
        let note = self.note(owner)?;
        let Note::Heard(heard, missed) = note else {
            return Err(format!("{owner:?} noted {note:?}"));
        };
        let next = self.readers.get(&owner).copied().unwrap_or(None);
        let from = match next {
            Some(next) => next.max(self.first) - self.first,
            None => (self.seen.events.len() as u64).saturating_sub(heard.len() as u64),
        };
        let right = &self.seen.events[from as usize..];
        if heard != right {
            return Err(format!("{owner:?} heard {heard:?}, and {right:?} is right"));
        }
        let right = next.map_or(missed, |next| self.first.saturating_sub(next));
        if missed != right {
            return Err(format!("{owner:?} missed {missed} events, and {right} is right"));
        }
        let end = self.end();
        self.readers.insert(owner, Some(end));
        Ok(heard.iter().fold(heard.len() as u64, |sum, n| mix(sum ^ n)))
    }

    /// How many events wait for a reader, which reads none of them.
    fn waiting(&mut self, owner: Owner) -> Result<u64, Wrong> {
        let note = self.note(owner)?;
        let Note::Heard(_, waiting) = note else { return Err(format!("{owner:?} noted {note:?}")) };
        let next = self.readers.get(&owner).copied().unwrap_or(None);
        let right = next.map_or(waiting, |next| self.end() - next.max(self.first));
        match waiting == right {
            true => Ok(waiting),
            false => Err(format!("{waiting} events wait for {owner:?}, and {right} is right")),
        }
    }

    /// After a run, events that everybody has read are forgotten.
    fn tidy(&mut self) {
        if self.readers.values().any(Option::is_none) {
            self.events_unknown = true;
            return;
        }
        let end = self.end();
        let read = self.readers.values().flatten().min().copied().unwrap_or(end);
        let gone = read.saturating_sub(self.first) as usize;
        self.seen.events.drain(..gone.min(self.seen.events.len()));
        self.first = self.first.max(read);
    }

    /// What should be seen, given what is.
    pub fn same_as(&mut self, look: &SystemsLook) -> Result<(), Wrong> {
        if std::mem::take(&mut self.events_unknown) {
            let gone = self.seen.events.len().saturating_sub(look.events.len());
            self.seen.events.drain(..gone);
            self.first += gone as u64;
        }
        let bits = |parts: u64| (parts as f64 / PARTS as f64).to_bits();
        let clocks = self.clocks.iter().enumerate().map(|(at, (left, given_up))| {
            let seen = look.clocks.get(at).map_or(0, |(_, given_up)| *given_up);
            (bits(*left), given_up.map_or(seen, bits))
        });
        self.seen.clocks = clocks.collect();
        if self.given_up_unknown {
            self.seen.fixed.3 = look.fixed.3;
        }
        let progress = 1.0 - self.timer as f32 / (PARTS / 2) as f32;
        self.seen.clock = (progress.to_bits(), self.cooldown == 0, self.once.is_none());
        match self.seen == *look {
            true => Ok(()),
            false => Err(format!("beside the pools is\n{look:?}, and\n{:?} is right", self.seen)),
        }
    }

    /// After a panic in a call: takes over what is there.
    pub fn adopt(&mut self, ask: &Ask, look: &SystemsLook) {
        match ask.call {
            Call::RunOnce => self.next_system += 1,
            Call::TellWorld if ask.b % 12 == 4 => self.cap = cap(ask),
            _ => {}
        }
        self.seen = look.clone();
        self.notes.clear();
        self.first = 0;
        self.unknown_below = self.next_system;
        self.readers.clear();
        self.locals.clear();
        self.runs.clear();
        self.state = StateModel::default();
        (self.timer, self.cooldown, self.once) = (PARTS / 2, 0, Some(ONCE));
        let parts = |bits: u64| (f64::from_bits(bits) * PARTS as f64) as u64;
        self.clocks = look.clocks.iter().map(|(left, _)| (parts(*left), None)).collect();
        self.pending = Default::default();
        self.running = [false; POOLS];
        self.dealt.clear();
    }
}

/// How many events are kept from now on.
fn cap(ask: &Ask) -> Option<usize> {
    (ask.v % 4 > 0).then_some(usize::from(ask.v) % 40)
}

impl Model {
    /// Calls on schedules, and on what is beside the pools.
    pub fn judge_systems(&mut self, ask: &Ask, answer: &Answer) -> Result<(), Wrong> {
        let systems = &mut self.systems;
        let same = |expected: Answer| match *answer == expected {
            true => Ok(()),
            false => Err(format!("answered {answer:?}, and {expected:?} is right")),
        };
        match ask.call {
            Call::AddSystem | Call::AddSystems | Call::AddToOrder => {
                let items = spec::items(ask, &mut systems.next_system);
                systems.items.extend(items);
                same(Answer::Done)
            }
            Call::AddConflict => same(Answer::Is(true)),
            Call::SaySet => {
                let said = OfSet::new(ask, &mut systems.next_system);
                systems.of_sets.push(said);
                same(Answer::Done)
            }
            Call::NewSchedule => {
                systems.new_schedule();
                systems.first_clock = spec::first_clock(ask);
                same(Answer::Done)
            }
            Call::AddHook => {
                let hooks = Hook::pair(ask, &mut systems.next_hook);
                systems.hooks.extend(hooks);
                same(Answer::Done)
            }
            Call::TellWorld => self.told(ask, answer),
            Call::RunOnce => {
                let system = spec::System::new(ask, self.systems.next_system);
                self.systems.next_system += 1;
                let items = [Item::Systems(vec![system])];
                let plan = Plan::new(&items, &[]);
                let plan = plan.map_err(|ended| format!("{ended:?} of one system"))?;
                let readers = self.systems.readers.clone();
                let ended = self.run_plan(&plan, true)?.err();
                self.systems.readers = readers;
                match (answer, ended) {
                    (Answer::Done, None) => Ok(()),
                    (Answer::Ran(ran), ended) if ran.ended == ended && ended.is_some() => Ok(()),
                    (answer, ended) => Err(format!("ended with {answer:?} instead of {ended:?}")),
                }
            }
            Call::RunSchedule => self.ran(ask, answer),
            call => unreachable!("{call:?} is not about schedules"),
        }?;
        let left: Vec<_> =
            self.systems.notes.iter().filter(|(_, notes)| !notes.is_empty()).collect();
        match left.is_empty() {
            true => Ok(()),
            false => Err(format!("something ran that should not: {left:?}")),
        }
    }

    fn told(&mut self, ask: &Ask, answer: &Answer) -> Result<(), Wrong> {
        let systems = &mut self.systems;
        let n = u64::from(ask.v);
        let expected = match ask.b % 12 {
            0..4 => {
                (0..=n % 3).for_each(|i| systems.send(mix(n + i)));
                Answer::Done
            }
            4 => {
                systems.cap = cap(ask);
                systems.keep_to_cap();
                Answer::Done
            }
            5 => {
                systems.first = systems.end();
                systems.seen.events.clear();
                Answer::Done
            }
            6 | 7 => {
                systems.state.next = Some((n % 3) as u8);
                Answer::Done
            }
            8 => Answer::Is(systems.seen.rare.replace(n).is_some()),
            9 => Answer::Is(systems.seen.rare.as_mut().map(|rare| *rare ^= n).is_some()),
            10 if n % 4 == 1 => {
                Answer::Is(systems.seen.pinned.as_mut().map(|pinned| *pinned ^= n).is_some())
            }
            10 if n % 4 == 0 => Answer::Is(systems.seen.pinned.replace(n).is_some()),
            10 => {
                systems.seen.r[2] = n;
                Answer::Done
            }
            _ => Answer::Is(systems.seen.rare.take().is_some()),
        };
        match *answer == expected {
            true => Ok(()),
            false => Err(format!("answered {answer:?}, and {expected:?} is right")),
        }
    }

    fn ran(&mut self, ask: &Ask, answer: &Answer) -> Result<(), Wrong> {
        let Answer::Ran(ran) = answer else { return Err(format!("answered {answer:?}")) };
        let systems = &mut self.systems;
        let jump = Jump::new(ask.v);
        systems.seen.dt = jump.seconds().to_bits();
        systems.state.next = spec::asked_state(ask).or(systems.state.next);
        let plan = match Plan::new(&systems.items, &systems.of_sets) {
            _ if ask.b % 64 == 7 => Err(Ended::Threads),
            plan => plan,
        };
        let (order, ended) = match plan {
            Err(ended) => {
                systems.new_schedule();
                (Vec::new(), Some(ended))
            }
            Ok(plan) if matches!(jump, Jump::Wrong(_)) => (plan.order, Some(Ended::Time)),
            Ok(plan) => {
                let ended = self.run_plan(&plan, true)?.err();
                self.systems.tidy();
                (plan.order, ended)
            }
        };
        if ran.ended != ended {
            return Err(format!("ended with {:?}, and {ended:?} is right", ran.ended));
        }
        if ran.order != order {
            return Err(format!("the order is {:?}, and {order:?} is right", ran.order));
        }
        let is_planned =
            !matches!(ended, Some(Ended::Circle | Ended::Unknown | Ended::Rate | Ended::Threads));
        for (name, is) in ran.runs.iter().filter(|_| is_planned) {
            let number: u32 = name[1..].parse().map_err(|_| format!("{name} is no system"))?;
            let start = self.systems.is_known(Owner::System(number)).then_some(0);
            match self.systems.runs.get(&number).copied().unwrap_or(start) {
                Some(right) if right != *is => {
                    return Err(format!("{name} has run {is} times, and {right} is right"));
                }
                _ => _ = self.systems.runs.insert(number, Some(*is)),
            }
        }
        Ok(())
    }
}
