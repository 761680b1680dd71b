//! What the world was like when copies of it were made.

use super::Model;
use super::pool::{PoolModel, Wrong};
use super::prefabs::Prefabs;
use super::requests::Undo;
use super::saves::Saves;
use crate::answer::{Answer, Ask, Look};
use crate::program::Call;

/// How many copies of a kind there are.
const KEPT: usize = 3;

/// What the resource that is saved says.
pub type Note = (u64, Vec<String>);

/// What the world was like once.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Its pools.
    pub pools: Vec<PoolModel>,
    /// The resource that is saved.
    pub note: Option<Note>,
}

impl Moment {
    /// Says what a look at another world shows that was not so then.
    pub fn is_shown_by(&self, answer: &Answer) -> Result<(), Wrong> {
        let Answer::Look(look) = answer else { return Err(format!("answered {answer:?}")) };
        let mut then = self.clone();
        for (pool, look) in then.pools.iter_mut().zip(&look.pools) {
            let name = pool.traits().name;
            pool.same_as(look)
                .map_err(|wrong| format!("in the pool of {name} of another world: {wrong}"))?;
        }
        same_note(then.note.as_ref(), look)
    }
}

/// Says whether a look shows another note.
pub fn same_note(note: Option<&Note>, look: &Look) -> Result<(), Wrong> {
    let right = ("notes".to_owned(), format!("{note:?}"));
    match look.values.contains(&right) {
        true => Ok(()),
        false => Err(format!("{right:?} is not among {:?}", look.values)),
    }
}

/// All moments that are remembered.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// Snapshots, and their checksums.
    kept: [Option<(u64, Moment)>; KEPT],
    /// The history, oldest first.
    ticks: Vec<(u64, Moment)>,
    tick: u64,
    /// Saves.
    pub saves: Saves,
    /// Prefabs of each pool.
    pub prefabs: Prefabs,
    /// What the inspector can undo.
    pub undo: Undo,
}

impl Past {
    /// Notes a snapshot. Equal checksums mean equal worlds.
    fn keep(&mut self, at: usize, checksum: u64, now: Moment) -> Result<(), Wrong> {
        let same = self.kept.iter().flatten().find(|(known, _)| *known == checksum);
        if let Some((_, then)) = same.filter(|(_, then)| *then != now) {
            return Err(format!("{then:?} and {now:?} have the checksum {checksum:x}"));
        }
        self.kept[at] = Some((checksum, now));
        Ok(())
    }
}

impl Model {
    /// What the world is like now.
    pub fn moment(&self) -> Moment {
        Moment { pools: self.pools.clone(), note: self.note.clone() }
    }

    /// The world is what it was.
    pub fn go_back(&mut self, moment: Moment) {
        (self.pools, self.note) = (moment.pools, moment.note);
    }

    /// Calls about copies of the world; `None` if it is none of them.
    pub fn judge_copies(&mut self, ask: &Ask, answer: &Answer) -> Option<Result<(), Wrong>> {
        let (at, other) = (usize::from(ask.v) % KEPT, usize::from(ask.v / 4) % KEPT);
        let now = self.moment();
        Some(match ask.call {
            Call::Note => {
                let was = self.note.is_some();
                if ask.b % 4 == 0 {
                    self.note = None;
                } else {
                    let (points, words) = self.note.get_or_insert_default();
                    *points += u64::from(ask.v);
                    words.push(format!("word {}", ask.v));
                    words.truncate(3);
                }
                same(answer, &Answer::Is(was))
            }
            Call::TakeSnapshot => match answer {
                Answer::Count(checksum) => self.past.keep(at, *checksum, now),
                _ => Err(format!("answered {answer:?}")),
            },
            Call::RestoreSnapshot => match self.past.kept[at].clone() {
                None => same(answer, &Answer::Is(false)),
                Some((_, then)) if ask.b % 4 == 3 => then.is_shown_by(answer),
                Some((checksum, then)) => {
                    self.go_back(then);
                    same(answer, &Answer::Count(checksum))
                }
            },
            Call::PushHistory => {
                let tick = self.past.tick;
                self.past.ticks.retain(|(known, _)| *known < tick);
                self.past.ticks.push((tick, now));
                let too_many = self.past.ticks.len().saturating_sub(KEPT);
                self.past.ticks.drain(..too_many);
                self.past.tick += 1;
                self.same_ticks(answer)
            }
            Call::RestoreHistory => {
                let tick = self.past.tick.saturating_sub(u64::from(ask.v) % (KEPT as u64 + 2));
                if ask.b % 4 == 3 {
                    self.past.ticks.retain(|(known, _)| *known < tick);
                    return Some(self.same_ticks(answer));
                }
                let then = self.past.ticks.iter().find(|(known, _)| *known == tick).cloned();
                if let Some((_, then)) = then {
                    self.go_back(then);
                    self.past.ticks.retain(|(known, _)| *known <= tick);
                    self.past.tick = tick;
                }
                self.same_ticks(answer)
            }
            Call::BringUpToDate => match (self.past.kept[at].is_some(), answer) {
                (true, Answer::Count(checksum)) => self.past.keep(at, *checksum, now),
                (true, _) => Err(format!("answered {answer:?}")),
                (false, _) => same(answer, &Answer::Is(false)),
            },
            Call::Between => match (&self.past.kept[at], &self.past.kept[other]) {
                (Some(_), Some((_, then))) => then.is_shown_by(answer),
                _ => same(answer, &Answer::Is(false)),
            },
            _ => return None,
        })
    }

    fn same_ticks(&self, answer: &Answer) -> Result<(), Wrong> {
        let ticks: Vec<u64> = self.past.ticks.iter().map(|(tick, _)| *tick).collect();
        same(answer, &Answer::Words(format!("{ticks:?} {}", self.past.tick)))
    }
}

/// Says whether an answer is the right one.
pub fn same(answer: &Answer, right: &Answer) -> Result<(), Wrong> {
    match answer == right {
        true => Ok(()),
        false => Err(format!("answered {answer:?}, and {right:?} is right")),
    }
}
