//! What happens to a world: commands are applied, things come and go, hooks hear of it.

use super::Later;
use crate::answer::{Answer, Ask};
use crate::body::{Body, Id};
use crate::model::Model;
use crate::model::pool::{Fate, Wrong};
use crate::program::Call;
use crate::spec::{Hook, Note, Owner, digest, mix};

/// What hooks hear of.
#[derive(Clone, Debug)]
pub(super) enum Happened {
    /// A thing has come.
    Spawned(Id),
    /// A thing has gone.
    Despawned(Id, Body),
    /// The tags of a thing have changed, from these to those.
    Tagged(Id, u8, u8),
}

impl Happened {
    fn on(&self) -> u16 {
        match self {
            Self::Spawned(_) => 0,
            Self::Despawned(..) => 1,
            Self::Tagged(..) => 2,
        }
    }
}

impl Model {
    /// Commands are applied, those of one system after those of another.
    pub(super) fn apply(&mut self, queues: Vec<Vec<Later>>) -> Result<(), Wrong> {
        let all: Vec<Later> = queues.into_iter().flatten().collect();
        // If anybody could take the handles that were dealt, they are kept for their things.
        if !self.systems.hooks.is_empty() || all.iter().any(|l| matches!(l, Later::Close { .. })) {
            for later in &all {
                if let Later::Spawn(pool, id, _) = later {
                    self.pools[*pool].begin(*id, Fate::Reserved, &Body::default())?;
                }
            }
        }
        for later in all {
            match self.apply_one(later)? {
                true => self.systems.seen.commands.0 += 1,
                false => self.systems.seen.commands.1 += 1,
            }
        }
        Ok(())
    }

    fn apply_one(&mut self, later: Later) -> Result<bool, Wrong> {
        Ok(match later {
            Later::Spawn(pool, id, body) => {
                let comes = self.pools[pool].may_spawn_at(id, &body).is_none();
                if comes {
                    self.pools[pool].arrive(id, &body)?;
                    self.happened(pool, Happened::Spawned(id))?;
                }
                comes
            }
            Later::Despawn(pool, id) => self.despawn(pool, id)?,
            Later::Attach { relation, pool, child, parent, first } => {
                self.pools[pool].attach(relation, child, parent, first)
            }
            Later::Detach { relation, pool, id } => self.pools[pool].detach(relation, id),
            Later::Tags { pool, id, keep, add } => {
                self.change_tags(pool, id, |tags| tags & keep | add)?
            }
            Later::SetNumber(pool, id, n) => self.pools[pool].edit(id, |body| body.n = n),
            Later::Rare(rare) => {
                let before = std::mem::replace(&mut self.systems.seen.rare, rare);
                rare.is_some() || before.is_some()
            }
            Later::Number(which, n) => {
                self.systems.seen.r[which] = n;
                true
            }
            Later::Send(n) => {
                self.systems.send(n);
                true
            }
            Later::Close { system, ask, seen, salt } => {
                self.answered(Owner::Closure(system), &ask)?;
                let r = &mut self.systems.seen.r;
                r[0] = mix(r[0] ^ seen ^ salt);
                true
            }
        })
    }

    /// A call was made by a system, which noted down the answer.
    pub(super) fn answered(&mut self, owner: Owner, ask: &Ask) -> Result<(), Wrong> {
        let answer = self.answer(owner)?;
        self.judge(ask, &answer).map_err(|wrong| format!("{owner:?}, {ask:?}: {wrong}"))
    }

    /// What somebody has noted down as an answer.
    pub(super) fn answer(&mut self, owner: Owner) -> Result<Answer, Wrong> {
        match self.systems.note(owner)? {
            Note::Answered(answer) => Ok(answer),
            note => Err(format!("{owner:?} noted {note:?}")),
        }
    }

    /// Calls on the world about one pool, of which hooks hear.
    pub(in crate::model) fn judge_world(
        &mut self,
        ask: &Ask,
        answer: &Answer,
    ) -> Result<(), Wrong> {
        let one = ask.who[0];
        let expected = match ask.call {
            Call::WorldSpawn => {
                let body = Body::new(ask.v, ask.who[1]);
                self.pools[ask.pool].spawned(answer, &body, Fate::Live)?;
                if let Answer::New(id) = answer {
                    self.happened(ask.pool, Happened::Spawned(*id))?;
                }
                return Ok(());
            }
            Call::WorldDespawn => self.despawn(ask.pool, one)?,
            _ => self.change_tags(ask.pool, one, |_| (ask.v % 8) as u8)?,
        };
        match answer {
            Answer::Is(is) if *is == expected => Ok(()),
            _ => Err(format!("answered {answer:?}, and {expected} is right")),
        }
    }

    /// A thing goes, and all that goes with it. Answers whether there was one.
    pub(super) fn despawn(&mut self, pool: usize, id: Id) -> Result<bool, Wrong> {
        let (found, gone) = self.pools[pool].despawn_all(id);
        for (id, body) in gone {
            self.systems.pending[pool].push_back(Happened::Despawned(id, body));
        }
        self.hear_of(pool)?;
        Ok(found)
    }

    /// The tags of a thing change. Answers whether there is one.
    pub(super) fn change_tags(
        &mut self,
        pool: usize,
        id: Id,
        change: impl FnOnce(u8) -> u8,
    ) -> Result<bool, Wrong> {
        let Some(before) = self.pools[pool].there(id).map(|body| body.tags) else {
            return Ok(false);
        };
        self.pools[pool].edit(id, |body| body.tags = change(before));
        let after = self.pools[pool].there(id).map_or(0, |body| body.tags);
        self.happened(pool, Happened::Tagged(id, before, after))?;
        Ok(true)
    }

    fn happened(&mut self, pool: usize, what: Happened) -> Result<(), Wrong> {
        self.systems.pending[pool].push_back(what);
        self.hear_of(pool)
    }

    /// Hooks hear what there is to hear, unless they are hearing something already.
    fn hear_of(&mut self, pool: usize) -> Result<(), Wrong> {
        if std::mem::replace(&mut self.systems.running[pool], true) {
            return Ok(());
        }
        while let Some(what) = self.systems.pending[pool].pop_front() {
            let hooks = self.systems.hooks.clone();
            for hook in hooks.iter().filter(|hook| hook.pool == pool && hook.on == what.on()) {
                self.hear(hook, &what)?;
            }
        }
        self.systems.running[pool] = false;
        Ok(())
    }

    fn hear(&mut self, hook: &Hook, what: &Happened) -> Result<(), Wrong> {
        let number = match what {
            Happened::Spawned(id) => id.bits,
            Happened::Despawned(id, body) => id.bits ^ digest(body),
            Happened::Tagged(id, before, after) => {
                id.bits ^ u64::from(*before) << 32 ^ u64::from(*after)
            }
        };
        let heard = &mut self.systems.seen.heard;
        *heard = mix(*heard ^ mix(number ^ u64::from(hook.number)));
        let salt = hook.salt;
        match (what, hook.act) {
            (Happened::Spawned(id), 1) => {
                self.change_tags(hook.pool, *id, |_| (salt % 8) as u8)?;
            }
            (Happened::Spawned(id), 2) if self.pools[hook.pool].live().len() > 40 => {
                self.despawn(hook.pool, *id)?;
            }
            (Happened::Spawned(_), 3) | (Happened::Despawned(..) | Happened::Tagged(..), 1) => {
                self.systems.send(u64::from(salt));
            }
            (Happened::Despawned(..), 2) => {
                let answer = self.answer(Owner::Hook(hook.number))?;
                self.pools[3].spawned(&answer, &Body::default(), Fate::Live)?;
                if let Answer::New(id) = answer {
                    self.happened(3, Happened::Spawned(id))?;
                }
            }
            (Happened::Despawned(..), 3) => self.systems.seen.r[0] ^= u64::from(salt),
            _ => {}
        }
        Ok(())
    }
}
