//! What requests to the inspector do, and what it can undo.

use super::Model;
use super::past::same;
use super::pool::{PoolModel, Wrong};
use crate::adapter::things::TRAITS;
use crate::answer::{Answer, Ask, Refusal};
use crate::body::{Body, Id};
use crate::program::Call;

/// How many changes are remembered.
const KEPT: usize = 200;

/// How a change is taken back.
#[derive(Clone, Debug)]
pub enum Back {
    /// The field that has this number was as in this body.
    Write(Id, u16, Body),
    /// It was not there.
    Despawn(Id),
    /// It was there, with these parents.
    Again(Id, Body, [Option<Id>; 2]),
    /// It had another parent in this tree, or none.
    Attach(Id, usize, Option<Id>),
}

/// The changes that can be taken back, each with the number of its pool, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Undo(Vec<(usize, Back)>);

impl Undo {
    fn note(&mut self, pool: usize, back: Back) {
        if self.0.len() == KEPT {
            self.0.remove(0);
        }
        self.0.push((pool, back));
    }

    /// Another thing stands for one that has gone.
    fn rename(&mut self, pool: usize, old: Id, new: Id) {
        let swap = |id: &mut Id| *id = if *id == old { new } else { *id };
        for (_, back) in self.0.iter_mut().filter(|(of, _)| *of == pool) {
            match back {
                Back::Write(id, ..) | Back::Despawn(id) => swap(id),
                Back::Again(_, _, parents) => parents.iter_mut().flatten().for_each(swap),
                Back::Attach(id, _, parent) => {
                    swap(id);
                    parent.iter_mut().for_each(swap);
                }
            }
        }
    }
}

/// Which field an edit is about: the one that has this number, or the number.
fn field(ask: &Ask) -> u16 {
    let traits = TRAITS[ask.pool];
    let has_link = traits.number && traits.name != "Ship";
    match ask.b % 5 {
        1 if traits.text => 1,
        2 if traits.tags => 2,
        3 if has_link => 3,
        4 if traits.rare => 4,
        _ => 0,
    }
}

/// Makes a field of a body that of another one.
fn put(body: &mut Body, field: u16, from: &Body) {
    match field {
        1 => body.text.clone_from(&from.text),
        2 => body.tags = from.tags,
        3 => body.link = from.link,
        4 => body.rare.clone_from(&from.rare),
        _ => body.n = from.n,
    }
}

impl PoolModel {
    fn parents(&self, id: Id) -> [Option<Id>; 2] {
        [0, 1].map(|tree| self.trees[tree].parent(id))
    }

    /// Puts a thing below another one; why not, if it cannot be.
    fn attach_asked(&mut self, id: Id, tree: usize, parent: Id) -> Result<(), Refusal> {
        if self.there(id).is_none() || self.there(parent).is_none() {
            return Err(Refusal::Handle);
        }
        if self.trees[tree].is_at_or_below(parent, id) {
            return Err(Refusal::Other);
        }
        self.trees[tree].detach(id);
        self.trees[tree].put_last(id, parent);
        Ok(())
    }
}

fn answered(answer: &Answer, right: Result<(), Refusal>) -> Result<(), Wrong> {
    same(answer, &right.map_or_else(Answer::Refused, |()| Answer::Done))
}

impl Model {
    /// Requests; `None` if it is none.
    pub fn judge_requests(&mut self, ask: &Ask, answer: &Answer) -> Option<Result<(), Wrong>> {
        let [one, two, ..] = ask.who;
        let (b, v) = (ask.b, ask.v);
        let tree = usize::from(b / 2) % 2;
        let pool = &mut self.pools[ask.pool];
        let undo = &mut self.past.undo;
        let gone = pool.there(one).is_none();
        Some(match ask.call {
            Call::AskInspector => pool.is_told(ask, tree, answer),
            Call::InspectorEdits => {
                let field = field(ask);
                let text = format!("edited {v}");
                let value = Body {
                    n: u32::from(v),
                    text: text.clone(),
                    tags: (v % 8) as u8,
                    link: two.bits,
                    rare: text,
                    ..Body::default()
                };
                if field == 3 && two.bits != 0 && pool.there(two).is_none() {
                    return Some(same(answer, &Answer::Refused(Refusal::Kind)));
                }
                let Some(before) = pool.there(one).cloned() else {
                    return Some(same(answer, &Answer::Refused(Refusal::Handle)));
                };
                pool.edit(one, |body| put(body, field, &value));
                undo.note(ask.pool, Back::Write(one, field, before));
                same(answer, &Answer::Done)
            }
            Call::InspectorSpawns => {
                let parent = (b % 2 == 1).then_some(two);
                if parent.is_some_and(|parent| pool.there(parent).is_none()) {
                    return Some(same(answer, &Answer::Refused(Refusal::Handle)));
                }
                match answer {
                    Answer::Refused(Refusal::Other) if pool.room() == 0 => Ok(()),
                    Answer::New(id) => {
                        let begun = pool.spawned(answer, &Body::default(), super::pool::Fate::Live);
                        if let Some(parent) = parent {
                            pool.trees[tree].put_last(*id, parent);
                        }
                        undo.note(ask.pool, Back::Despawn(*id));
                        begun
                    }
                    _ => Err(format!("answered {answer:?}")),
                }
            }
            Call::InspectorDespawns => {
                let Some(body) = pool.there(one).cloned() else {
                    return Some(same(answer, &Answer::Refused(Refusal::Handle)));
                };
                let is_alone = [0, 1].iter().all(|tree| pool.trees[*tree].kids(one).is_empty());
                let (parents, before) = (pool.parents(one), pool.live().len());
                let can_be_kept = is_alone && pool.kind(one) == 0;
                pool.despawn(one, None);
                let gone = before - pool.live().len();
                let can_be_undone = can_be_kept && gone == 1;
                if can_be_undone {
                    undo.note(ask.pool, Back::Again(one, body, parents));
                }
                let right = vec![Answer::Count(gone as u64), Answer::Is(can_be_undone)];
                same(answer, &Answer::All(right))
            }
            Call::InspectorLinks => {
                let parent = pool.trees[tree].parent(one);
                let done = match v % 3 {
                    0 if gone => Err(Refusal::Handle),
                    0 => {
                        pool.trees[tree].detach(one);
                        Ok(())
                    }
                    _ if two.bits == 0 => Err(Refusal::Handle),
                    _ => pool.attach_asked(one, tree, two),
                };
                if done.is_ok() {
                    undo.note(ask.pool, Back::Attach(one, tree, parent));
                }
                answered(answer, done)
            }
            Call::InspectorUndoes => self.undo(answer),
            Call::InspectorIsTold => same(answer, &Answer::Done),
            _ => return None,
        })
    }

    /// Takes the last change back.
    fn undo(&mut self, answer: &Answer) -> Result<(), Wrong> {
        let Some((number, back)) = self.past.undo.0.pop() else {
            return same(answer, &Answer::Refused(Refusal::Other));
        };
        let pool = &mut self.pools[number];
        let there = |found: bool| if found { Ok(()) } else { Err(Refusal::Handle) };
        match back {
            Back::Write(id, field, before) => {
                let found = pool.edit(id, |body| put(body, field, &before));
                answered(answer, there(found))
            }
            Back::Despawn(id) => {
                // Its handle may mean something else now, that is reserved: after a restore.
                let found = pool.there(id).is_some() && pool.despawn(id, None);
                answered(answer, there(found))
            }
            Back::Attach(id, tree, Some(parent)) => {
                let done = pool.attach_asked(id, tree, parent);
                answered(answer, done)
            }
            Back::Attach(id, tree, None) => {
                let found = pool.there(id).is_some();
                pool.trees[tree].detach(id);
                answered(answer, there(found))
            }
            Back::Again(old, body, parents) => match answer {
                Answer::Refused(Refusal::Other) if pool.room() == 0 => Ok(()),
                Answer::Found(new) if new.len() == 1 => {
                    let id = pool.traits().id(new[0].bits);
                    pool.begin(id, super::pool::Fate::Live, &body)?;
                    for (tree, parent) in parents.into_iter().enumerate() {
                        if let Some(parent) = parent {
                            let _ = pool.attach_asked(id, tree, parent); // one that went is none
                        }
                    }
                    self.past.undo.rename(number, old, id);
                    Ok(())
                }
                _ => Err(format!("answered {answer:?}")),
            },
        }
    }
}

impl PoolModel {
    /// What the inspector is asked about it.
    fn is_told(&self, ask: &Ask, tree: usize, answer: &Answer) -> Result<(), Wrong> {
        use super::pool::Fate::{Buried, Live, Reserved, Staged};
        let Answer::All(all) = answer else { return Err(format!("answered {answer:?}")) };
        let [stats, total, found, kids, thing] = &all[..] else {
            return Err(format!("answered {answer:?}"));
        };
        let counts = [
            self.live().len(),
            self.with_fate(|fate| fate == Staged).len(),
            self.with_fate(|fate| fate == Reserved).len(),
            self.with_fate(|fate| matches!(fate, Buried(_))).len(),
            self.retired().len(),
        ];
        let counts = counts.map(|count| Answer::Count(count as u64)).to_vec();
        same(stats, &Answer::All(counts))?;
        let n = |id: &Id| self.there(*id).map_or(0, |body| body.n);
        let mut passing = self.live();
        if self.traits().number {
            passing.retain(|id| n(id) < u32::from(ask.v) * 4);
        }
        same(total, &Answer::Count(passing.len() as u64))?;
        let Answer::Found(found) = found else { return Err(format!("found {found:?}")) };
        let is_ordered = |pair: &[Id]| match ask.b % 2 {
            _ if !self.traits().number => pair[0] < pair[1],
            0 => n(&pair[0]) >= n(&pair[1]),
            _ => n(&pair[0]) <= n(&pair[1]),
        };
        if let Some(pair) = found.windows(2).find(|pair| !is_ordered(pair)) {
            return Err(format!("{pair:?} are not in order"));
        }
        let mut sorted = found.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if passing.len() <= 500 {
            same(&Answer::Found(sorted), &Answer::Found(passing))?;
        } else if found.len() != 500 || sorted.iter().any(|id| !passing.contains(id)) {
            return Err(format!("found {found:?}, of {passing:?}"));
        }
        let one = ask.who[0];
        match self.fate(one) {
            Some(Live | Staged) => {
                same(kids, &Answer::Found(self.trees[tree].kids(one)))?;
                same(thing, &Answer::Done)
            }
            _ => {
                same(kids, &Answer::Refused(Refusal::Handle))?;
                same(thing, &Answer::Refused(Refusal::Handle))
            }
        }
    }
}
