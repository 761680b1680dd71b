//! What a pool should do, as plainly as can be said: a map of everything that is there.
//!
//! Which slot a new thing gets is the pool's business, as long as its handle was never handed out
//! before; but for a pool without tags that was not told otherwise, which takes the lowest.

use std::collections::{BTreeMap, BTreeSet};

use super::forest::{FALLS, Fall, Forest};
use crate::answer::{Answer, Ask, Hidden, PoolLook, Refusal, Slot};
use crate::body::{Body, Id, Traits};
use crate::program::Call;

/// What a slot that is in use is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Everybody finds it.
    Live,
    /// Lookups find it, loops do not.
    Staged,
    /// Its value has not come yet.
    Reserved,
    /// It is over, and kept until an epoch.
    Buried(u64),
}

/// What was wrong.
pub type Wrong = String;

/// Says what is wrong, unless it is right.
macro_rules! expect {
    ($is:expr, $($words:tt)*) => {
        if !$is {
            return Err(format!($($words)*));
        }
    };
}

/// Values beside things.
#[derive(Clone, Debug, Default)]
struct Beside(BTreeMap<Id, String>);

/// Worlds with equal checksums can differ in them.
impl PartialEq for Beside {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A pool.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolModel {
    traits: Traits,
    /// The last slot that there can be.
    limit: u32,
    /// All that is in use, in slot order.
    pub(super) used: BTreeMap<Id, (Fate, Body)>,
    /// The generation of the last thing that each slot was used for.
    pub(super) last: BTreeMap<u32, u32>,
    /// Slots that are free, and never will be again.
    pub(super) retired: BTreeSet<u32>,
    pub(super) trees: [Forest; 3],
    /// What lies beside things.
    beside: Beside,
    /// Things whose handles nobody has told yet: of a `spawn_many` that was looked at in part.
    untold: Vec<Body>,
    /// Whether new things come into the lowest slot that is free.
    lowest_first: bool,
    /// A call changed numbers in a way that is not modelled: the next look is believed.
    numbers_unknown: bool,
}

impl PoolModel {
    /// An empty pool with so many slots at most.
    pub fn new(traits: Traits, limit: u32) -> Self {
        Self {
            traits,
            limit,
            used: BTreeMap::new(),
            last: BTreeMap::new(),
            retired: BTreeSet::new(),
            trees: FALLS.map(Forest::new),
            beside: Beside::default(),
            untold: Vec::new(),
            lowest_first: true,
            numbers_unknown: false,
        }
    }

    /// The struct that it is a pool of.
    pub fn traits(&self) -> &Traits {
        &self.traits
    }

    /// What lookups find.
    pub fn there(&self, id: Id) -> Option<&Body> {
        match self.used.get(&id)? {
            (Fate::Live | Fate::Staged, body) => Some(body),
            _ => None,
        }
    }

    /// What a handle is used for.
    pub fn fate(&self, id: Id) -> Option<Fate> {
        self.used.get(&id).map(|(fate, _)| *fate)
    }

    /// All that is live, in slot order.
    pub fn live(&self) -> Vec<Id> {
        self.with_fate(|fate| fate == Fate::Live)
    }

    /// All that is used in some way, in slot order.
    pub fn with_fate(&self, which: impl Fn(Fate) -> bool) -> Vec<Id> {
        self.used.iter().filter(|(_, (fate, _))| which(*fate)).map(|(id, _)| *id).collect()
    }

    /// How many slots there are for more.
    pub fn room(&self) -> u64 {
        u64::from(self.limit) - self.used.len() as u64 - self.retired.len() as u64
    }

    /// The slots that are retired.
    pub fn retired(&self) -> &BTreeSet<u32> {
        &self.retired
    }

    /// The generation of the last thing that a slot was used for; 0 if there was none.
    pub fn last_generation(&self, slot: u32) -> u32 {
        self.last.get(&slot).copied().unwrap_or(0)
    }

    /// Changes what is found under a handle.
    pub fn edit(&mut self, id: Id, change: impl FnOnce(&mut Body)) -> bool {
        match self.used.get_mut(&id) {
            Some((Fate::Live | Fate::Staged, body)) => {
                change(body);
                *body = self.traits.keep(body);
                true
            }
            _ => false,
        }
    }

    /// A thing begins under a handle that is new.
    pub fn begin(&mut self, id: Id, fate: Fate, body: &Body) -> Result<(), Wrong> {
        let generation = self.traits.generation(id);
        let last = self.last.get(&id.slot).copied().unwrap_or(0);
        expect!((1..=self.limit).contains(&id.slot), "{id:?} is a slot that there cannot be");
        expect!(generation % 2 == 1, "{id:?} was handed out with the even generation {generation}");
        expect!(
            generation > last,
            "{id:?} has generation {generation}, and there was {last} in its slot"
        );
        let mut in_slot =
            self.used.range(Id { slot: id.slot, bits: 0 }..Id { slot: id.slot + 1, bits: 0 });
        expect!(in_slot.next().is_none(), "{id:?} was handed out while its slot is in use");
        expect!(
            !self.retired.contains(&id.slot),
            "{id:?} was handed out in a slot that is retired"
        );
        self.last.insert(id.slot, generation);
        self.used.insert(id, (fate, self.traits.keep(body)));
        Ok(())
    }

    /// A thing ends.
    fn end(&mut self, id: Id) {
        self.used.remove(&id);
        self.beside.0.remove(&id);
        if self.traits.generation(id) == self.traits.last_generation() {
            self.retired.insert(id.slot);
        }
    }

    /// A thing leaves its trees; answers all that go with it, itself first.
    fn leave(&mut self, id: Id, own: Option<Fall>) -> Vec<Id> {
        let mut leaving = vec![id];
        let mut done = 0;
        while done < leaving.len() {
            for tree in &mut self.trees {
                let fall = own.filter(|_| done == 0).unwrap_or(tree.fall);
                for kid in tree.remove(leaving[done], fall) {
                    if !leaving.contains(&kid) {
                        leaving.push(kid);
                    }
                }
            }
            done += 1;
        }
        leaving.iter().for_each(|id| _ = self.beside.0.remove(id));
        leaving
    }

    /// What lies beside things is not in a save.
    pub(super) fn saved(mut self) -> Self {
        self.beside.0.clear();
        self
    }

    /// A thing goes, and those that go with it. Answers whether there was one.
    pub fn despawn(&mut self, id: Id, own: Option<Fall>) -> bool {
        match self.fate(id) {
            Some(Fate::Live | Fate::Staged | Fate::Reserved) => {
                for id in self.leave(id, own) {
                    self.end(id);
                }
                true
            }
            _ => false,
        }
    }

    /// As [`despawn`](Self::despawn), and what has gone, as it was.
    pub fn despawn_all(&mut self, id: Id) -> (bool, Vec<(Id, Body)>) {
        let before = self.used.clone();
        let leaving = if self.there(id).is_some() { self.clone().leave(id, None) } else { vec![] };
        let found = self.despawn(id, None);
        let gone = leaving.into_iter().filter_map(|id| Some((id, before.get(&id)?.1.clone())));
        (found, gone.collect())
    }

    /// A thing comes at its handle, which may have been kept for it.
    pub fn arrive(&mut self, id: Id, body: &Body) -> Result<(), Wrong> {
        match self.fate(id) {
            Some(Fate::Reserved) => {
                self.used.insert(id, (Fate::Live, self.traits.keep(body)));
                Ok(())
            }
            _ => self.begin(id, Fate::Live, body),
        }
    }

    /// Links two things, if that is possible.
    pub fn attach(&mut self, relation: usize, child: Id, parent: Id, first: bool) -> bool {
        let good = self.there(child).is_some() && self.there(parent).is_some();
        let tree = &mut self.trees[relation];
        if !good || tree.is_at_or_below(parent, child) {
            return false;
        }
        tree.detach(child);
        match first {
            true => tree.put(child, parent, 0),
            false => tree.put_last(child, parent),
        }
        true
    }

    /// Takes a thing from its parent. Answers whether there is such a thing.
    pub fn detach(&mut self, relation: usize, id: Id) -> bool {
        let there = self.there(id).is_some();
        if there {
            self.trees[relation].detach(id);
        }
        there
    }

    /// The parent of a thing, and how many children it has.
    pub fn relatives(&self, relation: usize, id: Id) -> (Option<Id>, usize) {
        (self.trees[relation].parent(id), self.trees[relation].kids(id).len())
    }

    /// Whether there can be a slot of this number.
    pub fn has_slot(&self, slot: u32) -> bool {
        slot <= self.limit
    }

    /// Whether there can be only so many slots that they run out.
    pub fn is_small(&self) -> bool {
        self.limit < 2000
    }

    /// What a spawn of a body may be refused for: `None` if it may not.
    fn refusal(&self, body: &Body) -> Option<Refusal> {
        let kept = self.traits.keep(body);
        match () {
            () if kept.kind >> self.traits.kind_bits != 0 => Some(Refusal::Kind),
            () if self.room() == 0 => Some(Refusal::Full),
            () => None,
        }
    }

    /// Says whether a new thing should have come into a lower slot. Things with tags keep to
    /// themselves.
    fn is_lowest(&self, id: Id) -> Result<(), Wrong> {
        let is_taken = |slot: u32| {
            let all = Id { slot, bits: 0 }..Id { slot: slot + 1, bits: 0 };
            self.retired.contains(&slot) || self.used.range(all).next().is_some()
        };
        match (1..id.slot).find(|slot| !is_taken(*slot)) {
            Some(lower) if self.lowest_first && !self.traits.tags => {
                Err(format!("{id:?} was handed out, though slot {lower} was free"))
            }
            _ => Ok(()),
        }
    }

    /// A thing was to be spawned.
    pub fn spawned(&mut self, answer: &Answer, body: &Body, fate: Fate) -> Result<(), Wrong> {
        match (answer, self.refusal(body)) {
            (Answer::New(id), None) => {
                self.is_lowest(*id)?;
                self.begin(*id, fate, body)
            }
            (Answer::Refused(refusal), Some(expected)) if *refusal == expected => Ok(()),
            (_, expected) => {
                Err(format!("answered {answer:?}, and should have refused for {expected:?}"))
            }
        }
    }

    /// Makes a call, whose answer is known, and says what is wrong with the answer.
    pub fn judge(&mut self, ask: &Ask, answer: &Answer) -> Result<(), Wrong> {
        let [one, two, three, _] = ask.who;
        let (b, v) = (ask.b, ask.v);
        let body = Body::new(v, two);
        let relation = usize::from(b) % 3;
        let is = |expected: bool| match answer {
            Answer::Is(is) if *is == expected => Ok(()),
            _ => Err(format!("answered {answer:?}, and {expected} is right")),
        };
        let same = |expected: Answer| match *answer == expected {
            true => Ok(()),
            false => Err(format!("answered {answer:?}, and {expected:?} is right")),
        };
        match ask.call {
            Call::Spawn | Call::WorldSpawn => self.spawned(answer, &body, Fate::Live),
            Call::Stage => self.spawned(answer, &body, Fate::Staged),
            Call::SpawnMany => {
                let bodies = (0..b % 24)
                    .map(|i| Body::new(v.wrapping_add(i), two))
                    .filter(|body| body.kind < 4);
                let bodies: Vec<_> = bodies.take(self.room().min(24) as usize).collect();
                let Answer::NewOnes(new) = answer else {
                    return Err(format!("answered {answer:?}"));
                };
                let told = bodies.len().min(usize::from(b / 24));
                expect!(new.len() == told, "{} handles instead of {told}", new.len());
                for (id, body) in new.iter().zip(&bodies) {
                    self.begin(*id, Fate::Live, body)?;
                }
                self.untold = bodies[told..].iter().map(|body| self.traits.keep(body)).collect();
                Ok(())
            }
            Call::SpawnRange => {
                let n = u32::from(b % 80);
                match answer {
                    Answer::NewOnes(new) if new.len() == n as usize => {
                        for (i, id) in new.iter().enumerate() {
                            expect!(
                                id.slot == new[0].slot + i as u32,
                                "the range {new:?} has gaps"
                            );
                            let body = Body { kind: 1, ..Body::new(v.wrapping_add(i as u16), two) };
                            self.begin(*id, Fate::Live, &body)?;
                        }
                        Ok(())
                    }
                    Answer::Refused(Refusal::Full) if !self.has_run(n) => Ok(()),
                    _ => Err(format!("answered {answer:?} when {n} in a row were asked for")),
                }
            }
            Call::SpawnAt => {
                let mine = if self.traits.kind_bits == 0 { 0 } else { self.kind(one) };
                let body = Body { kind: if b % 8 == 0 { body.kind } else { mine }, ..body };
                let expected = self.may_spawn_at(one, &body);
                match (answer, expected) {
                    (Answer::New(id), None) if *id == one => {
                        if self.fate(one) == Some(Fate::Reserved) {
                            self.used.insert(one, (Fate::Live, self.traits.keep(&body)));
                            Ok(())
                        } else {
                            self.begin(one, Fate::Live, &body)
                        }
                    }
                    (Answer::Refused(refusal), Some(expected)) if *refusal == expected => Ok(()),
                    _ => Err(format!("answered {answer:?}; the reason to refuse is {expected:?}")),
                }
            }
            Call::StageFromThreads => {
                let Answer::NewOnes(new) = answer else {
                    return Err(format!("answered {answer:?}"));
                };
                let asked = if self.refusal(&body) == Some(Refusal::Kind) {
                    0
                } else {
                    3 * u64::from(b % 12)
                };
                expect!(
                    new.len() as u64 == asked.min(self.room()),
                    "staged {} of {asked}",
                    new.len()
                );
                new.iter().try_for_each(|id| self.begin(*id, Fate::Staged, &body))
            }
            Call::Reserve => {
                let kind = if b % 4 == 0 { u32::from(v) % 4 } else { 0 };
                let expected = match () {
                    () if kind >> self.traits.kind_bits != 0 => Some(Refusal::Kind),
                    () if self.room() == 0 => Some(Refusal::Full),
                    () => None,
                };
                match (answer, expected) {
                    (Answer::New(id), None) => {
                        expect!(self.kind(*id) == kind, "{id:?} is of another kind than {kind}");
                        self.begin(*id, Fate::Reserved, &Body::default())
                    }
                    (Answer::Refused(refusal), Some(expected)) if *refusal == expected => Ok(()),
                    _ => Err(format!("answered {answer:?}; the reason to refuse is {expected:?}")),
                }
            }
            Call::Commit => {
                let staged = self.with_fate(|fate| fate == Fate::Staged);
                for id in &staged {
                    self.used.entry(*id).and_modify(|(fate, _)| *fate = Fate::Live);
                }
                same(Answer::Count(staged.len() as u64))
            }
            Call::Despawn | Call::WorldDespawn => is(self.despawn(one, None)),
            Call::DespawnMany => {
                let gone = ask.who.into_iter().filter(|id| self.despawn(*id, None)).count();
                same(Answer::Count(gone as u64))
            }
            Call::DespawnWith => is(self.despawn(one, Some(FALLS[relation]))),
            Call::DespawnAfter => {
                let there = self.there(one).is_some();
                if there {
                    for id in self.leave(one, None) {
                        self.used
                            .entry(id)
                            .and_modify(|(fate, _)| *fate = Fate::Buried(u64::from(v % 8)));
                    }
                }
                is(there)
            }
            Call::Reap => {
                let due = self.with_fate(
                    |fate| matches!(fate, Fate::Buried(epoch) if epoch <= u64::from(v % 8)),
                );
                due.iter().for_each(|id| self.end(*id));
                same(Answer::Count(due.len() as u64))
            }
            Call::Take => {
                let saw: Vec<_> =
                    self.there(one).map(|body| (one, Some(body.clone()))).into_iter().collect();
                if !saw.is_empty() {
                    self.despawn(one, None);
                }
                same(Answer::Saw(saw))
            }
            Call::Graft if matches!(answer, Answer::Saw(_)) => {
                let below = self.trees[0].below(one);
                let were = [one].into_iter().chain(below);
                let were: Vec<_> = were.filter_map(|id| self.there(id).cloned()).collect();
                let gone: Vec<_> = [one].into_iter().chain(self.trees[0].below(one)).collect();
                gone.iter().rev().for_each(|id| _ = self.despawn(*id, Some(Fall::Stay)));
                expect!(b % 4 == 3 && !were.is_empty(), "nobody was to be taken apart");
                same(Answer::Saw(were.into_iter().map(|body| (Id::NIL, Some(body))).collect()))
            }
            Call::Graft => self.graft(one, answer),
            Call::Retain => {
                let mut asked = Vec::new();
                for id in self.live() {
                    let Some(body) = self.there(id) else { continue };
                    asked.push((id, Some(held(body))));
                    if id.slot % 7 == u32::from(v % 7) {
                        self.despawn(id, None);
                    }
                }
                same(Answer::Saw(asked))
            }
            Call::ExtractIf => {
                let mut drained = Vec::new();
                for id in self.live() {
                    if drained.len() == usize::from(b % 6) {
                        break;
                    }
                    let Some(body) = self.there(id).filter(|_| id.slot % 5 == u32::from(v % 5))
                    else {
                        continue;
                    };
                    drained.push((id, Some(body.clone())));
                    self.despawn(id, None);
                }
                same(Answer::Saw(drained))
            }
            Call::Clear => {
                for id in self.with_fate(|_| true) {
                    self.end(id);
                }
                self.trees.iter_mut().for_each(Forest::clear);
                same(Answer::Done)
            }
            Call::Reclaim => {
                let retired = std::mem::take(&mut self.retired);
                self.last.retain(|slot, _| !retired.contains(slot));
                same(Answer::Count(retired.len() as u64))
            }
            Call::Ask => {
                same(Answer::Saw(ask.who.map(|id| (id, self.there(id).cloned())).to_vec()))
            }
            Call::Edit | Call::GetMut => is(self.edit(one, |body| body.change(v))),
            Call::SetField => is(self.edit(one, |body| body.n = u32::from(v))),
            Call::SetRare => is(self.edit(one, |its| its.rare = body.rare)),
            Call::ViewMut => is(self.edit(one, |body| body.n = u32::from(v) * 2)),
            Call::Disjoint => {
                let mut saw: Vec<(Id, Option<Body>)> = Vec::new();
                for id in ask.who {
                    let twice = saw.iter().any(|(seen, _)| *seen == id);
                    let found = !twice && self.edit(id, |body| body.change(v));
                    saw.push((id, self.there(id).filter(|_| found).map(held)));
                }
                same(Answer::Saw(saw))
            }
            Call::Split => match answer {
                Answer::All(all) if all.len() == 3 && all[0] == Answer::Is(true) => {
                    expect!(self.there(one).is_some(), "split something that is not there");
                    let seen = self.there(two).filter(|_| one != two).cloned();
                    expect!(
                        all[1] == Answer::Saw(vec![(two, seen.clone())]),
                        "saw {:?} instead of {seen:?}",
                        all[1]
                    );
                    self.spawned(&all[2], &body, Fate::Staged)?;
                    self.edit(one, |body| body.change(v));
                    Ok(())
                }
                _ if self.there(one).is_none() => same(Answer::All(vec![Answer::Is(false)])),
                _ => Err(format!("answered {answer:?}")),
            },
            Call::Tags | Call::WorldTags => {
                let way = if ask.call == Call::WorldTags { 0 } else { b % 3 };
                is(self.edit(one, |body| match way {
                    0 => body.tags = (v % 8) as u8,
                    1 => body.tags |= (v % 8) as u8,
                    _ => body.tags &= !(v % 8) as u8,
                }))
            }
            Call::Beside => match b % 4 {
                0 => is(self.beside.0.remove(&one).is_some()),
                1 => is(match self.beside.0.get_mut(&one) {
                    Some(text) => {
                        *text = format!("changed {v}");
                        true
                    }
                    None => false,
                }),
                _ if self.there(one).is_none() => same(Answer::Refused(Refusal::Stale)),
                _ => is(self.beside.0.insert(one, v.to_string()).is_some()),
            },
            Call::IterMut => {
                for id in self.live() {
                    if id.slot % 3 == u32::from(v % 3) {
                        self.edit(id, |body| body.change(v));
                    }
                }
                same(Answer::Done)
            }
            Call::Each => {
                for id in self.live() {
                    self.edit(id, |body| body.n = body.n.wrapping_add(u32::from(v)));
                }
                same(Answer::Done)
            }
            Call::Runs => {
                for id in self.live() {
                    self.edit(id, |body| body.n ^= u32::from(v));
                }
                same(Answer::Done)
            }
            Call::EachWithRest => {
                let Answer::All(new) = answer else { return Err(format!("answered {answer:?}")) };
                let mut new = new.iter();
                for id in self.live() {
                    if let Some(its) = self.there(three).filter(|_| id != three).map(|body| body.n)
                    {
                        self.edit(id, |body| match b % 2 {
                            0 => body.change(its as u16),
                            _ => body.n = body.n.wrapping_add(its),
                        });
                    }
                    if id.slot % 16 == 1 {
                        let Some(answer) = new.next() else {
                            return Err("too few were staged".into());
                        };
                        self.spawned(answer, &body, Fate::Staged)?;
                    }
                }
                expect!(new.next().is_none(), "too many were staged");
                Ok(())
            }
            Call::LookAtMany => same(Answer::Found(self.live())),
            Call::CloneOver | Call::MoveOut | Call::Shrink => same(Answer::Done),
            Call::SetReuse => {
                self.lowest_first = v % 3 == 0;
                Ok(())
            }
            Call::TrackChanges | Call::NextTick => Ok(()),
            Call::ChangedSince => {
                let Answer::Found(found) = answer else {
                    return Err(format!("answered {answer:?}"));
                };
                let live = self.live();
                expect!(
                    found.iter().all(|id| live.contains(id)),
                    "{found:?} changed, and {live:?} are live"
                );
                Ok(())
            }
            // Nothing has changed, then.
            Call::WithoutMemory if *answer == Answer::Refused(Refusal::Memory) => Ok(()),
            Call::WithoutMemory => self.judge(&ask.with_memory(), answer),
            _ => self.judge_tree(ask, answer),
        }
    }

    /// Calls on trees.
    fn judge_tree(&mut self, ask: &Ask, answer: &Answer) -> Result<(), Wrong> {
        let [one, two, ..] = ask.who;
        let (b, v) = (ask.b, ask.v);
        let body = Body::new(v, two);
        let good = self.there(one).is_some() && self.there(two).is_some();
        let same = |expected: Answer| match *answer == expected {
            true => Ok(()),
            false => Err(format!("answered {answer:?}, and {expected:?} is right")),
        };
        let refused = |refusal| same(Answer::Refused(refusal));
        let there = |id| self.there(id).is_some();
        let (is_one, numbers): (bool, BTreeMap<Id, u32>) =
            (there(one), self.used.iter().map(|(id, (_, body))| (*id, body.n)).collect());
        let tree = &mut self.trees[usize::from(b) % 3];
        match ask.call {
            Call::Attach => {
                let way = v % 6;
                let parent = if matches!(way, 1 | 2) { tree.parent(two) } else { Some(two) };
                match parent {
                    _ if !good => refused(Refusal::Stale),
                    None => refused(Refusal::NoParent),
                    Some(parent) if tree.is_at_or_below(parent, one) => refused(Refusal::Cycle),
                    Some(parent) => {
                        if one != two {
                            tree.detach(one);
                            let at = |kid| {
                                tree.kids(parent)
                                    .iter()
                                    .position(|other| *other == kid)
                                    .unwrap_or(0)
                            };
                            let at = match way {
                                0 => 0,
                                1 => at(two),
                                2 => at(two) + 1,
                                _ => tree.kids(parent).len(),
                            };
                            tree.put(one, parent, at);
                        }
                        same(Answer::Done)
                    }
                }
            }
            Call::Detach if is_one => same(Answer::Found(tree.detach(one).into_iter().collect())),
            Call::Detach => refused(Refusal::Stale),
            Call::MoveChildren => match tree.kids(one) {
                _ if !good => refused(Refusal::Stale),
                _ if one == two => same(Answer::Done),
                kids if kids.iter().any(|kid| tree.is_at_or_below(two, *kid)) => {
                    refused(Refusal::Cycle)
                }
                kids => {
                    for kid in kids {
                        tree.detach(kid);
                        tree.put_last(kid, two);
                    }
                    same(Answer::Done)
                }
            },
            Call::SwapPlaces => match () {
                () if !good => refused(Refusal::Stale),
                () if one == two => same(Answer::Done),
                () if tree.is_at_or_below(one, two) || tree.is_at_or_below(two, one) => {
                    refused(Refusal::Cycle)
                }
                () => {
                    tree.swap(one, two);
                    same(Answer::Done)
                }
            },
            Call::SortChildren if !is_one => refused(Refusal::Stale),
            Call::SortChildren => {
                tree.sort(one, |id| if v % 2 == 0 { id.slot % 5 } else { numbers[&id] % 5 });
                same(Answer::Done)
            }
            Call::SpawnChild => match answer {
                Answer::Refused(Refusal::Stale) if !is_one => Ok(()),
                Answer::New(id) if is_one => {
                    self.spawned(answer, &body, Fate::Live)?;
                    self.trees[0].put_last(*id, one);
                    Ok(())
                }
                _ => self.spawned(answer, &body, Fate::Live),
            },
            Call::SpawnTree => {
                let Answer::NewOnes(new) = answer else {
                    return Err(format!("answered {answer:?}"));
                };
                if self.room() < 4 && new.is_empty() {
                    return Ok(());
                }
                expect!(new.len() == 4, "{} things instead of 4", new.len());
                for (n, id) in new.iter().enumerate() {
                    self.begin(
                        *id,
                        Fate::Live,
                        &Body { kind: 0, ..Body::new(v.wrapping_add(n as u16), Id::NIL) },
                    )?;
                }
                for (child, parent) in [(1, 0), (2, 1), (3, 0)] {
                    self.trees[0].put_last(new[child], new[parent]);
                }
                Ok(())
            }
            Call::Mark if v % 4 == 0 => same(Answer::Is(true)),
            Call::Mark => same(Answer::Is(is_one)),
            Call::Cascade => {
                let relation = usize::from(b / 2) % 3;
                for id in self.live() {
                    if self.live_parent(relation, id).is_none() {
                        self.cascade(relation, id, u32::from(v));
                    }
                }
                same(Answer::Done)
            }
            Call::CascadeDirty => {
                self.numbers_unknown = true;
                Ok(())
            }
            Call::Gather => {
                let relation = usize::from(b / 2) % 3;
                for id in self.live() {
                    if self.live_parent(relation, id).is_none() {
                        self.gather(relation, id, u32::from(v));
                    }
                }
                same(Answer::Done)
            }
            Call::WalkTree => {
                let below = if is_one { tree.below(one) } else { Vec::new() };
                if is_one && v % 2 == 0 {
                    for kid in self.trees[0].kids(one) {
                        self.edit(kid, |body| body.change(v));
                    }
                }
                same(Answer::Found(below))
            }
            call => unreachable!("{call:?} is not a call on a pool"),
        }
    }

    /// The parent, if it is live: staged things are not reached, and who is below one starts anew.
    fn live_parent(&self, relation: usize, id: Id) -> Option<Id> {
        self.trees[relation].parent(id).filter(|parent| self.fate(*parent) == Some(Fate::Live))
    }

    fn live_kids(&self, relation: usize, id: Id) -> Vec<Id> {
        self.trees[relation]
            .kids(id)
            .into_iter()
            .filter(|kid| self.fate(*kid) == Some(Fate::Live))
            .collect()
    }

    fn cascade(&mut self, relation: usize, id: Id, above: u32) {
        self.edit(id, |body| body.n = above.wrapping_mul(3).wrapping_add(1));
        let n = self.there(id).map_or(0, |body| body.n);
        for kid in self.live_kids(relation, id) {
            self.cascade(relation, kid, n);
        }
    }

    fn gather(&mut self, relation: usize, id: Id, start: u32) -> u32 {
        let mut sum = start;
        for kid in self.live_kids(relation, id) {
            sum = sum.wrapping_add(self.gather(relation, kid, start));
        }
        self.edit(id, |body| body.n = sum);
        self.there(id).map_or(0, |body| body.n)
    }

    /// The subtree of a thing leaves and comes back under other handles, linked as it was in the
    /// first tree and in no other.
    fn graft(&mut self, one: Id, answer: &Answer) -> Result<(), Wrong> {
        let Answer::NewOnes(new) = answer else { return Err(format!("answered {answer:?}")) };
        let Some(body) = self.there(one).cloned() else {
            expect!(new.is_empty(), "{new:?} came of nothing");
            return Ok(());
        };
        let mut were = vec![(one, body)];
        for id in self.trees[0].below(one) {
            were.push((id, self.there(id).cloned().unwrap_or_default()));
        }
        if new.is_empty() && self.room() < were.len() as u64 {
            return Ok(());
        }
        expect!(new.len() == were.len(), "{} things came of {}", new.len(), were.len());
        let parents: Vec<_> = were.iter().map(|(id, _)| self.trees[0].parent(*id)).collect();
        for (id, _) in were.iter().rev() {
            self.despawn(*id, Some(Fall::Stay));
        }
        for (n, (_, body)) in were.iter().enumerate() {
            self.begin(new[n], Fate::Live, body)?;
            let parent =
                parents[n].and_then(|parent| were.iter().position(|(id, _)| *id == parent));
            if let Some(parent) = parent.filter(|_| n > 0) {
                self.trees[0].put_last(new[n], new[parent]);
            }
        }
        Ok(())
    }

    /// The kind in a handle.
    pub(super) fn kind(&self, id: Id) -> u32 {
        let shift = self.traits.index_bits + self.traits.generation_bits;
        (id.bits.checked_shr(shift).unwrap_or(0) & ((1 << self.traits.kind_bits) - 1)) as u32
    }

    /// What a spawn at a handle may be refused for: `None` if it may not.
    pub fn may_spawn_at(&self, id: Id, body: &Body) -> Option<Refusal> {
        let kind = self.traits.keep(body).kind;
        let mut in_slot =
            self.used.range(Id { slot: id.slot, bits: 0 }..Id { slot: id.slot + 1, bits: 0 });
        match () {
            () if kind >> self.traits.kind_bits != 0 => Some(Refusal::Kind),
            () if id == Id::NIL || id.slot > self.limit || self.kind(id) != kind => {
                Some(Refusal::Handle)
            }
            () if self.fate(id) == Some(Fate::Reserved) => None,
            () if in_slot.next().is_some() => Some(Refusal::Occupied),
            () if self.retired.contains(&id.slot) => Some(Refusal::Handle),
            () if self.traits.generation(id) > self.last.get(&id.slot).copied().unwrap_or(0) => {
                None
            }
            () => Some(Refusal::Handle),
        }
    }

    /// Whether so many slots in a row are free.
    fn has_run(&self, n: u32) -> bool {
        let mut taken: Vec<u32> =
            self.used.keys().map(|id| id.slot).chain(self.retired.iter().copied()).collect();
        taken.sort_unstable();
        let (mut before, mut found) = (0, false);
        for slot in taken.into_iter().chain([self.limit.wrapping_add(1).max(self.limit)]) {
            found |= slot - before > n;
            before = slot;
        }
        found
    }

    /// Takes over what a look shows where a call left it open, and then says what it shows that is
    /// wrong.
    pub fn same_as(&mut self, look: &PoolLook) -> Result<(), Wrong> {
        if !self.untold.is_empty() {
            let mut untold = std::mem::take(&mut self.untold);
            let unknown: Vec<_> =
                look.live.iter().filter(|(id, _)| !self.used.contains_key(id)).collect();
            for (id, body) in unknown {
                let Some(at) = untold.iter().position(|untold| untold == body) else {
                    return Err(format!("{id:?} came from nowhere, with {body:?}"));
                };
                untold.swap_remove(at);
                self.begin(*id, Fate::Live, body)?;
            }
            expect!(untold.is_empty(), "these were never spawned: {untold:?}");
        }
        if std::mem::take(&mut self.numbers_unknown) {
            for (id, seen) in &look.live {
                self.edit(*id, |body| body.n = seen.n);
            }
        }
        let with = |which: Fate| -> Vec<(Id, Body)> {
            let some = self.used.iter().filter(|(_, (fate, _))| *fate == which);
            some.map(|(id, (_, body))| (*id, body.clone())).collect()
        };
        let (live, staged) = (with(Fate::Live), with(Fate::Staged));
        first_difference("live", &look.live, &live)?;
        first_difference("staged", &look.staged, &staged)?;
        let count = |which: fn(Fate) -> bool| self.with_fate(which).len() as u32;
        let counts = [
            live.len() as u32,
            staged.len() as u32,
            count(|fate| fate == Fate::Reserved),
            count(|fate| matches!(fate, Fate::Buried(_))),
            self.retired.len() as u32,
        ];
        expect!(
            look.counts == counts,
            "live, staged, reserved, buried, retired: {:?}, not {counts:?}",
            look.counts
        );
        let tagged = [1, 2, 4]
            .map(|tag| live.iter().filter(|(_, body)| body.tags & tag != 0).count() as u32);
        expect!(look.tagged == tagged, "so many have each tag: {:?}, not {tagged:?}", look.tagged);
        let beside: Vec<_> = self.beside.0.clone().into_iter().collect();
        first_difference("beside things", &look.beside, &beside)?;
        for (relation, (seen, tree)) in look.links.iter().zip(&self.trees).enumerate() {
            first_difference(&format!("linked in tree {relation}"), seen, &tree.all())?;
        }
        Ok(())
    }

    /// After a panic somewhere in a call: what is there now is believed, if it can be what is left
    /// of what was there, or what was to come. `slots` says what each slot is at.
    pub fn adopt(
        &mut self,
        look: &PoolLook,
        hidden: &[(Id, Hidden)],
        slots: &[(u32, Slot)],
    ) -> Result<(), Wrong> {
        (self.untold, self.numbers_unknown) = (Vec::new(), false);
        let seen: BTreeMap<Id, (Fate, Body)> =
            (look.live.iter().map(|(id, body)| (*id, (Fate::Live, body.clone()))))
                .chain(look.staged.iter().map(|(id, body)| (*id, (Fate::Staged, body.clone()))))
                .collect();
        // What is hidden is matched by slot and generation: nobody knows the kind of what is buried.
        let traits = self.traits;
        let same = |one: Id, other: Id| {
            one.slot == other.slot && traits.generation(one) == traits.generation(other)
        };
        for id in self.with_fate(|_| true) {
            if !seen.contains_key(&id) && !hidden.iter().any(|(other, _)| same(id, *other)) {
                self.end(id);
            }
        }
        for (id, hidden) in hidden {
            let fate = match hidden {
                Hidden::Reserved => Fate::Reserved,
                Hidden::Buried(epoch) => Fate::Buried(*epoch),
            };
            match self.used.keys().copied().find(|known| same(*known, *id)) {
                Some(known) => _ = self.used.entry(known).and_modify(|(is, _)| *is = fate),
                None => self.begin(*id, fate, &Body::default())?,
            }
        }
        for (id, (fate, body)) in seen {
            match self.used.contains_key(&id) {
                true => _ = self.used.insert(id, (fate, body)),
                false => self.begin(id, fate, &body)?,
            }
        }
        // What came and went within the call has used up generations.
        let used: BTreeSet<u32> = self.used.keys().map(|id| id.slot).collect();
        for &(slot, at) in slots.iter().filter(|(slot, _)| !used.contains(slot)) {
            match at {
                Slot::At(current) if current > 0 => {
                    let last = self.last.entry(slot).or_default();
                    expect!(current > *last, "slot {slot} is at {current} and was at {last}");
                    *last = current - 1;
                }
                Slot::Retired => _ = self.retired.insert(slot),
                _ => {}
            }
        }
        self.beside.0 = look.beside.iter().cloned().collect();
        if let Some(id) = self.beside.0.keys().find(|id| self.there(**id).is_none()) {
            return Err(format!("something is beside {id:?}, which is not there"));
        }
        for (tree, seen) in self.trees.iter_mut().zip(&look.links) {
            tree.clear();
            for (parent, kids) in seen {
                kids.iter().for_each(|kid| tree.put_last(*kid, *parent));
            }
        }
        Ok(())
    }

    /// The slots that were ever used, and those that a call may have used since: the first ones,
    /// which sets of tags are given one group after another, and any near those that were used.
    pub fn slots_in_reach(&self) -> Vec<u32> {
        const FIRST: u32 = 1000;
        const NEAR: u32 = 100;
        let mut reach: Vec<u32> = (1..=FIRST.min(self.limit)).collect();
        for slot in self.last.keys().copied() {
            let from = reach.last().map_or(1, |last| last + 1).max(slot);
            reach.extend(from..=slot.saturating_add(NEAR).min(self.limit));
        }
        reach
    }
}

/// What is seen of a thing that is lent out to be changed: its cold field is not.
fn held(body: &Body) -> Body {
    Body { rare: String::new(), ..body.clone() }
}

/// The first place where two lists differ.
fn first_difference<T: std::fmt::Debug + PartialEq>(
    what: &str,
    seen: &[T],
    right: &[T],
) -> Result<(), Wrong> {
    let at = seen.iter().zip(right).take_while(|(seen, right)| seen == right).count();
    expect!(
        at == seen.len() && at == right.len(),
        "{what}, number {at} of {}: {:?}, and {:?} is right (of {})",
        seen.len(),
        seen.get(at),
        right.get(at),
        right.len()
    );
    Ok(())
}
