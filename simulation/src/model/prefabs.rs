//! Prefabs, as lists of bodies.

use super::Model;
use super::past::same;
use super::pool::{Fate, PoolModel, Wrong};
use crate::adapter::things::POOLS;
use crate::answer::{Answer, Ask, Refusal};
use crate::body::{Body, Id};
use crate::program::Call;

/// How deep parts may be nested.
const DEEPEST: usize = 60;

/// A part.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its link does not count.
    body: Body,
    /// The parts above it, and the one that its link names, by their numbers.
    parent: Option<usize>,
    link: Option<usize>,
}

/// The prefabs of each pool.
pub type Prefabs = [[Option<Vec<Part>>; 3]; POOLS];

impl PoolModel {
    /// A thing and what is below it, in order.
    fn family(&self, top: Id) -> Vec<Id> {
        std::iter::once(top).chain(self.trees[0].below(top)).collect()
    }

    fn depth(&self, id: Id, top: Id) -> usize {
        if id == top { 0 } else { 1 + self.trees[0].parent(id).map_or(0, |up| self.depth(up, top)) }
    }
}

impl Model {
    /// Calls about prefabs; `None` if it is none of them.
    pub fn judge_prefabs(&mut self, ask: &Ask, answer: &Answer) -> Option<Result<(), Wrong>> {
        let at = usize::from(ask.v) % 3;
        let pool = &mut self.pools[ask.pool];
        let kept = &mut self.past.prefabs[ask.pool][at];
        Some(match ask.call {
            Call::MakePrefab if pool.there(ask.who[0]).is_none() => {
                same(answer, &Answer::Is(false))
            }
            Call::MakePrefab => {
                let all = pool.family(ask.who[0]);
                let place = |id: Id| all.iter().position(|other| *other == id);
                if all.iter().any(|id| pool.depth(*id, ask.who[0]) > DEEPEST) {
                    return Some(same(answer, &Answer::Refused(Refusal::Other)));
                }
                let part = |id: &Id| {
                    let body = pool.there(*id).cloned().unwrap_or_default();
                    let parent = pool.trees[0].parent(*id).filter(|_| *id != ask.who[0]);
                    let link = all.iter().position(|other| other.bits == body.link);
                    Part { parent: parent.and_then(place), link, body }
                };
                let parts: Vec<Part> = all.iter().map(part).collect();
                let count = parts.len() as u64;
                *kept = Some(parts);
                same(answer, &Answer::Count(count))
            }
            Call::SpawnPrefab => match kept {
                None => same(answer, &Answer::Is(false)),
                Some(parts) if pool.room() < parts.len() as u64 => {
                    same(answer, &Answer::Refused(Refusal::Full))
                }
                Some(parts) => spawn(pool, parts, ask, answer),
            },
            _ => return None,
        })
    }
}

fn spawn(pool: &mut PoolModel, parts: &[Part], ask: &Ask, answer: &Answer) -> Result<(), Wrong> {
    let Answer::NewOnes(new) = answer else { return Err(format!("answered {answer:?}")) };
    if new.len() != parts.len() {
        return Err(format!("{} things came of {} parts", new.len(), parts.len()));
    }
    for (place, (id, part)) in new.iter().zip(parts).enumerate() {
        let mut body = part.body.clone();
        body.link = part.link.map_or(0, |link| new[link].bits);
        let overridden = match ask.b % 3 {
            0 => None,
            1 => Some(0),
            _ => Some(1),
        };
        if overridden == Some(place) {
            body.n = u32::from(ask.v);
        }
        pool.begin(*id, Fate::Live, &body)?;
        if let Some(parent) = part.parent {
            pool.trees[0].put_last(*id, new[parent]);
        }
    }
    Ok(())
}
