//! A game: a program is played by several worlds and by the model, which must agree after every
//! step.

use std::fmt;
use std::sync::Mutex;

use crate::adapter::Setup;
use crate::adapter::systems::Threads;
use crate::adapter::things::{First, POOLS, Second, TRAITS};
use crate::adapter::world::{Real, Route, Side};
use crate::answer::{Answer, Ask, Look};
use crate::body::Id;
use crate::faults;
use crate::fuse;
use crate::model::Model;
use crate::model::pool::Fate;
use crate::program::{Call, FAR, Step};
use crate::spec::Notes;

/// Where and why a game failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The number of the step.
    pub step: usize,
    /// What was asked.
    pub ask: String,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "step {}, {}:\n{}", self.step, self.ask, self.what)
    }
}

/// The routes along which a program is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crowd {
    /// One world only.
    Alone,
    /// Every route there is.
    All,
    /// One world, in which callbacks panic.
    Faults,
}

/// So many handles of each pool are remembered.
const REMEMBERED: usize = 400;

/// A program that is being played.
pub struct Game {
    model: Model,
    sides: Vec<Box<dyn Side>>,
    /// The handles that were handed out, by pool, in the order in which they were.
    names: [Vec<Id>; POOLS],
    /// Whether systems are played, and not copies of the world.
    systems: bool,
}

impl Game {
    /// A game in which nothing has happened.
    pub fn new(setup: &Setup, crowd: Crowd) -> Self {
        let mut sides: Vec<Box<dyn Side>> =
            vec![Box::new(Real::<First>::new(setup, Route::Straight, Threads::One))];
        if crowd == Crowd::All {
            sides.push(Box::new(Real::<Second>::new(setup, Route::Straight, Threads::Many(2))));
            sides.push(Box::new(Real::<First>::new(setup, Route::Clones, Threads::Serial)));
            if setup.systems {
                sides.push(Box::new(Real::<First>::new(setup, Route::Straight, setup.threads)));
            } else {
                sides.push(Box::new(Real::<First>::new(setup, Route::Rewinds, Threads::One)));
                sides.push(Box::new(Real::<First>::new(setup, Route::Saves, Threads::One)));
            }
        }
        Self::of(setup, sides)
    }

    /// A game of certain worlds, in which nothing has happened.
    pub fn of(setup: &Setup, sides: Vec<Box<dyn Side>>) -> Self {
        let systems = setup.systems;
        Self { model: Model::new(setup), sides, names: Default::default(), systems }
    }

    /// The first world.
    pub fn side(&mut self) -> &mut dyn Side {
        &mut *self.sides[0]
    }

    /// The thing that a number means: most of the time one that is there.
    fn who(&self, pool: usize, number: u16) -> Id {
        let model = &self.model.pools[pool];
        let of = |all: &[Id]| all[all.len() - 1 - usize::from(number / 16) % all.len()];
        let used =
            || model.with_fate(|fate| matches!(fate, Fate::Live | Fate::Staged | Fate::Reserved));
        match number % 16 {
            0 => Id::NIL,
            1 => made_up(pool, number / 16),
            2 | 3 if !self.names[pool].is_empty() => of(&self.names[pool]),
            _ => match used() {
                used if used.is_empty() => Id::NIL,
                used => of(&used),
            },
        }
    }

    /// A handle that nobody has had, in a slot that is far from all others; if there can be any.
    fn far(&self, pool: usize, number: u16) -> Option<Id> {
        const REGIONS: [u32; 4] = [580, 1500, 4200, 9000];
        let (model, traits) = (&self.model.pools[pool], TRAITS[pool]);
        let slot = REGIONS[usize::from(number) % REGIONS.len()] + u32::from(number / 4 % 90);
        let generation = match model.last_generation(slot) {
            0 => 1,
            last => last.checked_add(2).filter(|next| *next <= traits.last_generation())?,
        };
        let bits = u64::from(slot) | u64::from(generation) << traits.index_bits;
        model.has_slot(slot).then(|| traits.id(bits))
    }

    /// Whether a step is not played: copies of the world beside systems, see `known.rs`.
    pub fn skips(&self, step: Step) -> bool {
        self.systems && step.call.is_of_copies()
    }

    /// What a step asks.
    pub fn ask(&self, step: Step) -> Ask {
        let Step { call, pool, a, b, v } = step;
        let pool = usize::from(pool) % POOLS;
        let mut who = [a, b, a ^ v, b.wrapping_add(v)].map(|number| self.who(pool, number));
        if call == Call::SpawnAt && b % 4 == FAR {
            who[0] = self.far(pool, a).unwrap_or(who[0]);
        }
        Ask { call, pool, who, b, v }
    }

    /// Plays a step in all worlds and compares.
    pub fn step(&mut self, ask: &Ask) -> Result<(), String> {
        let (mut answers, mut notes) = (Vec::new(), Vec::new());
        for side in &mut self.sides {
            let answer = fuse::hushed(|| side.play(ask));
            answers.push(answer.map_err(|panic| format!("{}: {}", side.name(), message(&*panic)))?);
            notes.push(side.notes());
        }
        if let Some(other) = notes.iter().position(|other| *other != notes[0]) {
            return Err(format!(
                "{} noted\n{:?}\nand the first\n{:?}",
                self.sides[other].name(),
                notes[other],
                notes[0]
            ));
        }
        self.model.systems.notes = notes.swap_remove(0);
        for (side, answer) in self.sides.iter().zip(&answers).skip(1) {
            let is_hint = is_hint(ask.call, side.route())
                || is_checksum(ask.call) && side.layout() != self.sides[0].layout();
            if answer != &answers[0] && !is_hint {
                return Err(format!(
                    "{} answered {answer:?}, and {:?} was answered first",
                    side.name(),
                    answers[0]
                ));
            }
        }
        self.judged(ask, &answers[0])?;
        let first = look(&*self.sides[0])?;
        for side in &self.sides[1..] {
            let look = look(&**side)?;
            if look != first {
                return Err(format!(
                    "{} looks otherwise:\n{look:?}\nand the first\n{first:?}",
                    side.name()
                ));
            }
        }
        Ok(())
    }

    /// What systems noted down in a call.
    pub fn hear(&mut self, notes: Notes) {
        self.model.systems.notes = notes;
    }

    /// The model judges an answer and what is to be seen after it.
    pub fn judged(&mut self, ask: &Ask, answer: &Answer) -> Result<(), String> {
        self.model.judge(ask, answer)?;
        self.remember(ask, answer);
        self.model.same_as(&look(&*self.sides[0])?)
    }

    /// A call has panicked on the way: the model takes over what is there, if it can be what was
    /// left.
    pub fn adopt(&mut self, ask: &Ask) -> Result<(), String> {
        let look = look(&*self.sides[0])?;
        self.model.adopt(ask, &look, &*self.sides[0])?;
        if ask.call.is_noted_by_the_inspector() {
            self.model.past.undo = Default::default();
        }
        self.model.same_as(&look)?;
        let (names, model) = (&mut self.names[ask.pool], &self.model.pools[ask.pool]);
        names.extend(
            model
                .with_fate(|_| true)
                .into_iter()
                .filter(|id| !names.contains(id))
                .collect::<Vec<_>>(),
        );
        self.forget_reclaimed(ask);
        Ok(())
    }

    /// A call has panicked on the way that does all it should have done when it is made again:
    /// whatever is there is whole, and then it is what is right.
    pub fn again(&mut self, ask: &Ask) -> Result<(), String> {
        look(&*self.sides[0])?;
        self.step(ask)
    }

    fn remember(&mut self, ask: &Ask, answer: &Answer) {
        let names = &mut self.names[ask.pool];
        match answer {
            Answer::New(id) => names.push(*id),
            Answer::NewOnes(ids) => names.extend(ids),
            Answer::All(all) => all.iter().for_each(|answer| {
                if let Answer::New(id) = answer {
                    names.push(*id);
                }
            }),
            _ => {}
        }
        let too_many = names.len().saturating_sub(REMEMBERED);
        names.drain(..too_many);
        self.forget_reclaimed(ask);
    }

    /// Whoever reclaims slots vouches that no handle of them is left.
    fn forget_reclaimed(&mut self, ask: &Ask) {
        if ask.call == Call::Reclaim {
            let model = &self.model.pools[ask.pool];
            self.names[ask.pool]
                .retain(|id| model.fate(*id).is_some() || model.last_generation(id.slot) > 0);
        }
    }

    /// Plays a program to its end, or to its first failure.
    pub fn play(&mut self, program: &[Step]) -> Result<(), Failure> {
        for (number, step) in program.iter().enumerate() {
            if self.skips(*step) {
                continue;
            }
            let ask = self.ask(*step);
            self.step(&ask).map_err(|what| Failure {
                step: number,
                ask: format!("{ask:?}"),
                what,
            })?;
        }
        Ok(())
    }
}

/// What can be seen of a world.
fn look(side: &dyn Side) -> Result<Look, String> {
    fuse::hushed(|| side.look()).map_err(|panic| format!("{}: {}", side.name(), message(&*panic)))
}

/// Whether an answer says more than routes have to agree about: a copy keeps no marks of changes.
fn is_hint(call: Call, route: Route) -> bool {
    route != Route::Straight && call.is_about_ticks()
}

/// Whether the answer may be a checksum, which is of what pools have in their layout.
fn is_checksum(call: Call) -> bool {
    matches!(call, Call::TakeSnapshot | Call::RestoreSnapshot | Call::BringUpToDate)
}

/// A handle that nobody handed out, perhaps.
fn made_up(pool: usize, number: u16) -> Id {
    let traits = TRAITS[pool];
    let (slot, generation) = (u64::from(number % 128) + 1, u64::from(number / 128 % 8) * 2 + 1);
    let kind = u64::from(number / 1024) & ((1 << traits.kind_bits) - 1);
    let bits = slot | generation << traits.index_bits;
    let bits = if traits.kind_bits > 0 {
        bits | kind << (traits.index_bits + traits.generation_bits)
    } else {
        bits
    };
    traits.id(bits)
}

/// What a panic says.
pub fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "a panic".into())
}

/// Plays a program from an empty world.
pub fn try_play(program: &[Step], crowd: Crowd) -> Result<(), Failure> {
    // Fuses burn for the whole process.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if crowd == Crowd::Faults {
        return faults::try_play(program);
    }
    let setup = Setup::of(program);
    let owned = fuse::owned();
    let mut game = Game::new(&setup, crowd);
    game.play(program)?;
    drop(game);
    if fuse::owned() != owned {
        let what = format!("{} values were not dropped", fuse::owned() - owned);
        return Err(Failure { step: program.len(), ask: "the end".into(), what });
    }
    Ok(())
}
