//! What is left of the world in saves, texts and files.

use super::Model;
use super::past::{Moment, same};
use super::pool::{Fate, PoolModel, Wrong};
use crate::adapter::things::{POOLS, TRAITS};
use crate::answer::{Answer, Ask, Refusal};
use crate::body::Body;
use crate::program::Call;

/// How many saves, and how many texts, there are.
const KEPT: usize = 3;

/// What the world was like when it was saved.
#[derive(Clone, Debug, Default)]
pub struct Saves {
    bytes: [Option<Moment>; KEPT],
    texts: [Option<Moment>; KEPT],
    file: Option<Moment>,
}

impl PoolModel {
    /// What a text has of it: live things, and the links between them.
    fn in_text(mut self) -> Self {
        self.used.retain(|_, (fate, _)| *fate == Fate::Live);
        self.retired.clear();
        self.last = self.used.keys().map(|id| (id.slot, self.traits().generation(*id))).collect();
        for tree in &mut self.trees {
            let links = tree.all();
            tree.clear();
            for (parent, kids) in links {
                for kid in kids {
                    if self.used.contains_key(&parent) && self.used.contains_key(&kid) {
                        tree.put_last(kid, parent);
                    }
                }
            }
        }
        self
    }

    /// Changes whatever there is.
    fn change_all(&mut self, change: impl Fn(&mut Body)) {
        self.used.values_mut().for_each(|(_, body)| change(body));
    }
}

impl Moment {
    fn saved(mut self) -> Self {
        self.pools = self.pools.into_iter().map(PoolModel::saved).collect();
        self
    }

    fn in_text(mut self) -> Self {
        self.pools = self.pools.into_iter().map(PoolModel::in_text).collect();
        self
    }
}

impl Model {
    /// Calls about saves; `None` if it is none of them.
    pub fn judge_saves(&mut self, ask: &Ask, answer: &Answer) -> Option<Result<(), Wrong>> {
        let at = usize::from(ask.v) % KEPT;
        let now = self.moment().saved();
        Some(match ask.call {
            Call::Save => {
                self.past.saves.bytes[at] = Some(now);
                same(answer, &Answer::Done)
            }
            Call::Load => match self.past.saves.bytes[at].clone() {
                None => same(answer, &Answer::Is(false)),
                Some(then) if ask.b % 3 == 2 => then.is_shown_by(answer),
                Some(then) => {
                    self.go_back(then);
                    same(answer, &Answer::Is(true))
                }
            },
            Call::LoadPart => match self.past.saves.bytes[at].clone() {
                None => same(answer, &Answer::Is(false)),
                Some(then) => self.load_part(then, ask.b % 127 + 1, answer),
            },
            Call::WriteText => {
                self.past.saves.texts[at] = Some(now.in_text());
                same(answer, &Answer::Done)
            }
            Call::ReadText => match self.past.saves.texts[at].clone() {
                None => same(answer, &Answer::Is(false)),
                Some(then) => {
                    // A resource that is not there is not in the text.
                    let note = then.note.clone().or(self.note.take());
                    self.go_back(Moment { note, ..then });
                    same(answer, &Answer::Is(true))
                }
            },
            Call::AcrossVersions => {
                let mut then = if ask.v % 2 == 0 { now } else { now.in_text() };
                // What the other version has no field for is lost.
                match ask.b % 2 == 0 || ask.v % 2 == 1 {
                    true => then.pools[0].change_all(|body| body.heat = 0),
                    false => then.pools[0].change_all(|body| body.rare.clear()),
                }
                then.is_shown_by(answer)
            }
            Call::SaveFile => self.save_file(now, ask, answer),
            Call::LoadFile => match self.past.saves.file.clone() {
                None => same(answer, &Answer::Refused(Refusal::Other)),
                Some(then) => {
                    self.go_back(then);
                    same(answer, &Answer::Is(true))
                }
            },
            Call::Garbage => same(answer, &Answer::Done),
            _ => return None,
        })
    }

    /// A world that saves a part has that part of a save and nothing else; and of what it saves
    /// this one takes over that part.
    fn load_part(&mut self, then: Moment, which: u16, answer: &Answer) -> Result<(), Wrong> {
        let empty = |pool: usize| PoolModel::new(TRAITS[pool], self.limits[pool]);
        let mut part = Moment { pools: (0..POOLS).map(empty).collect(), note: None };
        for (pool, was) in then.pools.into_iter().enumerate() {
            if which >> pool & 1 == 1 {
                self.pools[pool] = was.clone();
                part.pools[pool] = was;
            }
        }
        if which >> POOLS & 1 == 1 {
            self.note = then.note.clone();
            part.note = then.note;
        }
        part.is_shown_by(answer)
    }

    /// Until the new file takes the place of the old one the old one is there, and then the new
    /// one, whatever becomes of the process.
    fn save_file(&mut self, now: Moment, ask: &Ask, answer: &Answer) -> Result<(), Wrong> {
        let Answer::All(all) = answer else { return Err(format!("answered {answer:?}")) };
        let [Answer::Is(saved), Answer::Words(hit)] = &all[..] else {
            return Err(format!("answered {answer:?}"));
        };
        let had_one = self.past.saves.file.is_some();
        let has_permissions = usize::from(ask.v) % 7 == 1 && !had_one;
        let nothing_happens = ask.b % 3 == 0 || has_permissions;
        if nothing_happens != (hit == "None") {
            return Err(format!("answered {answer:?}"));
        }
        if *saved != nothing_happens {
            return Err(format!("answered {answer:?}"));
        }
        if nothing_happens || hit == "Some(SyncFolder)" {
            self.past.saves.file = Some(now);
        }
        Ok(())
    }
}
