//! What each kind of system does.

use super::{Later, ONCE, PARTS};
use crate::answer::{Answer, Ask, Refusal};
use crate::body::{Body, Id};
use crate::model::Model;
use crate::model::pool::Wrong;
use crate::program::Call;
use crate::spec::{CROWD, Kind, Note, Owner, System, digest, mix, tree_ask};

impl Model {
    /// A system does what it does. Answers whether it did, or returned an error.
    pub(super) fn call(
        &mut self,
        spec: &System,
        lanes: usize,
        later: &mut Vec<Later>,
    ) -> Result<bool, Wrong> {
        let System { number, kind, pool, salt, who, way, .. } = spec.clone();
        let owner = Owner::System(number);
        let r = self.systems.seen.r;
        match kind {
            Kind::Mix => match way % 4 {
                0 => self.systems.seen.r[1] = mix(r[1] ^ r[0] ^ salt),
                1 => self.systems.seen.r[2] = mix(r[2] ^ r[1] ^ salt),
                2 => {
                    self.systems.seen.r[3] = mix(r[2] ^ salt);
                    self.systems.seen.r[0] = mix(r[3] ^ r[0]);
                }
                _ => self.systems.seen.r[3] = mix(r[3] ^ salt),
            },
            Kind::Count => {
                let runs = self.systems.local(owner, 0, 1)?;
                self.systems.seen.r[0] = mix(r[0] ^ runs ^ salt);
            }
            Kind::OneThread => _ = self.systems.local(owner, 0, 1)?,
            Kind::Add => {
                let sum = &mut self.systems.seen.sum;
                *sum = sum.wrapping_add(salt ^ u64::from(number));
            }
            Kind::Maybe => {
                let rare = self.systems.seen.rare.unwrap_or(salt);
                self.systems.seen.r[1] = mix(r[1] ^ rare);
            }
            Kind::Needs => {
                let rare = self.systems.seen.rare.unwrap_or(0);
                self.systems.seen.r[2] = mix(r[2] ^ rare ^ salt);
            }
            Kind::Pinned => {
                let pinned = self.systems.seen.pinned.unwrap_or(0);
                let drawn = mix(pinned ^ r[0] ^ salt);
                match way % 2 {
                    0 => self.systems.seen.pinned = Some(drawn),
                    _ => self.systems.seen.r[0] = drawn,
                }
            }
            Kind::Bundle => {
                let (runs, own) =
                    (self.systems.local(owner, 0, 1)?, self.systems.local(owner, 1, 2)?);
                let waiting = self.systems.waiting(owner)?;
                self.systems.seen.r[1] = mix(r[1] ^ r[0] ^ runs ^ salt);
                self.systems.seen.r[2] = mix(r[2] ^ own ^ waiting);
            }
            Kind::SetState => {
                let drawn = r[0] ^ salt;
                if drawn % 2 == 0 {
                    self.systems.state.next = Some((drawn / 2 % 3) as u8);
                }
            }
            Kind::Tick => self.tick(owner, way)?,
            Kind::Hear => {
                let heard = self.systems.hear(owner)?;
                self.systems.seen.r[3] = mix(r[3] ^ heard);
            }
            Kind::Send => {
                for n in 0..=salt % 3 {
                    self.systems.send(mix(r[0] ^ salt ^ n));
                }
            }
            Kind::Put => later.push(match way % 4 {
                0 | 1 => Later::Rare(Some(salt)),
                2 => Later::Rare(None),
                _ => Later::Number(3, salt),
            }),
            Kind::Close => {
                later.push(Later::Close { system: number, ask: spec.call(), seen: r[0], salt });
            }
            Kind::Fail | Kind::FailBetween => {
                let r = mix(r[0] ^ salt);
                self.systems.seen.r[0] = r;
                later.push(Later::Number(1, salt));
                return Ok(r % 4 != 1);
            }
            Kind::World | Kind::Alone => self.answered(owner, &spec.call())?,
            Kind::ChangeTree => self.answered(owner, &tree_ask(spec))?,
            Kind::Cascade => {
                let call = if salt >> 16 & 1 == 0 { Call::Cascade } else { Call::Gather };
                let ask = Ask { call, pool, who, b: way, v: salt as u16 };
                self.judge(&ask, &Answer::Done)?;
            }
            Kind::Launch => self.launch(spec, lanes, later)?,
            Kind::Overtake if self.pools[pool].live().len() > CROWD => {}
            Kind::Overtake => {
                let ask = spec.overtaking();
                later.push(Later::Close { system: number, ask, seen: 0, salt });
                for body in spec.overtaken() {
                    self.dealt(owner, pool, &body, lanes, later)?;
                }
            }
            Kind::Divide => self.divide(spec, lanes, later)?,
            _ => self.things(spec, later),
        }
        Ok(true)
    }

    fn tick(&mut self, owner: Owner, way: u16) -> Result<(), Wrong> {
        let dt = f32::from_bits(self.systems.seen.dt);
        let systems = &mut self.systems;
        let parts = (f64::from(dt) * PARTS as f64) as u64;
        let period = PARTS / 2;
        let fired = if dt > 2000.0 {
            systems.timer = period;
            1
        } else if parts >= systems.timer {
            let over = parts - systems.timer;
            systems.timer = period - over % period;
            over / period + 1
        } else {
            systems.timer -= parts;
            0
        };
        systems.cooldown = systems.cooldown.saturating_sub(parts);
        systems.once = match systems.once {
            Some(left) => left.checked_sub(parts).filter(|left| *left > 0),
            None if way % 2 == 0 => Some(ONCE),
            None => None,
        };
        let used = systems.cooldown == 0;
        if used {
            systems.cooldown = PARTS / 4;
        }
        match systems.note(owner)? {
            Note::Fired(is, was_used) if (u64::from(is), was_used) == (fired, used) => Ok(()),
            note => Err(format!("{owner:?} noted {note:?}; {fired} and {used} are right")),
        }
    }

    /// A thing is to come: the handle was dealt.
    fn dealt(
        &mut self,
        owner: Owner,
        pool: usize,
        body: &Body,
        lanes: usize,
        later: &mut Vec<Later>,
    ) -> Result<Option<Id>, Wrong> {
        let answer = self.answer(owner)?;
        let model = &self.pools[pool];
        let others = self.systems.dealt.iter().filter(|(of, _)| *of == pool).count() as u64;
        let kept = model.traits().keep(body);
        let wrong = |why: &str| Err(format!("{owner:?} was dealt {answer:?}: {why}"));
        let kind_fits = kept.kind >> model.traits().kind_bits == 0;
        match answer {
            Answer::Refused(Refusal::Kind) if !kind_fits => Ok(None),
            // With others each has a share only.
            Answer::Refused(Refusal::Full) if model.is_small() && lanes > 1 => Ok(None),
            Answer::Refused(Refusal::Full) if model.room() <= others => Ok(None),
            Answer::New(id) if kind_fits => {
                if model.may_spawn_at(id, body).is_some() {
                    return wrong("nothing can come there");
                }
                if !self.systems.dealt.insert((pool, id)) {
                    return wrong("somebody else was, too");
                }
                later.push(Later::Spawn(pool, id, body.clone()));
                Ok(Some(id))
            }
            _ => wrong("that cannot be"),
        }
    }

    fn launch(&mut self, spec: &System, lanes: usize, later: &mut Vec<Later>) -> Result<(), Wrong> {
        let System { number, pool, salt, who, way, .. } = *spec;
        let owner = Owner::System(number);
        let runs = self.systems.local(owner, 0, 1)?;
        if self.pools[pool].live().len() > CROWD {
            return Ok(());
        }
        let mut last = who[0];
        for n in 0..1 + salt % 3 {
            let body = Body::new((salt >> 16) as u16 ^ (runs + n) as u16, who[1]);
            if let Some(new) = self.dealt(owner, pool, &body, lanes, later)? {
                let (child, parent) = if way % 4 == 3 { (last, new) } else { (new, last) };
                let relation = [0, 0, 1, 2][usize::from(way % 4)];
                later.push(Later::Attach { relation, pool, child, parent, first: way % 4 == 1 });
                last = new;
            }
        }
        Ok(())
    }

    fn divide(&mut self, spec: &System, lanes: usize, later: &mut Vec<Later>) -> Result<(), Wrong> {
        let System { number, pool, salt, .. } = *spec;
        let owner = Owner::System(number);
        let live = self.pools[pool].live();
        for &me in &live {
            let drawn = mix(me.bits ^ salt);
            let tags = (drawn >> 8) as u8 % 8;
            match drawn % 16 {
                0 | 1 if live.len() <= CROWD => {
                    let body = Body::new((drawn >> 16) as u16, me);
                    // Every part of the loop has a share of its own.
                    if let Some(child) = self.dealt(owner, pool, &body, lanes + 1, later)? {
                        let relation = 0;
                        later.push(Later::Attach {
                            relation,
                            pool,
                            child,
                            parent: me,
                            first: false,
                        });
                    }
                }
                2 | 3 => later.push(Later::Tags { pool, id: me, keep: 7, add: tags }),
                4 => later.push(Later::Tags { pool, id: me, keep: !tags, add: 0 }),
                5 => later.push(Later::Tags { pool, id: me, keep: 0, add: tags }),
                6 | 7 => {
                    let n = self.pools[pool].there(me).map_or(0, |body| body.n);
                    later.push(Later::SetNumber(pool, me, n / 2));
                }
                8 => later.push(Later::Detach { relation: 0, pool, id: me }),
                9 => later.push(Later::Detach { relation: 2, pool, id: me }),
                _ => {}
            }
        }
        Ok(())
    }

    /// Systems about which there is nothing to note down.
    fn things(&mut self, spec: &System, later: &mut Vec<Later>) {
        let System { kind, pool, salt, who, way, .. } = *spec;
        let r = self.systems.seen.r;
        let live = self.pools[pool].live();
        match kind {
            Kind::Each => {
                let by = (r[0] ^ salt) as u32;
                for id in live {
                    self.pools[pool].edit(id, |body| body.n = body.n.wrapping_add(by));
                }
            }
            Kind::Fold => {
                let start = mix(live.len() as u64 ^ u64::from(live.is_empty()));
                let n = |id: Id| self.pools[pool].there(id).map_or(0, |body| u64::from(body.n));
                self.systems.seen.r[1] =
                    live.into_iter().fold(r[1] ^ start, |sum, id| mix(sum ^ id.bits ^ n(id)));
            }
            Kind::Lookup => {
                for id in who {
                    let before = self.pools[pool].there(id).map(|body| body.n);
                    if way % 2 == 0 {
                        self.pools[pool].edit(id, |body| {
                            body.n = body.n.wrapping_mul(5).wrapping_add(salt as u32);
                        });
                    }
                    let found = match way % 2 {
                        0 => u64::from(before.is_some()),
                        _ => before.map_or(salt, u64::from),
                    };
                    let r = &mut self.systems.seen.r[2];
                    *r = mix(*r ^ found);
                }
            }
            Kind::Rest => {
                for id in live.into_iter().filter(|id| *id != who[2]) {
                    if let Some(its) = self.pools[pool].there(who[2]).map(|body| body.n) {
                        self.pools[pool].edit(id, |body| body.n = body.n.wrapping_add(its));
                    }
                }
            }
            Kind::Read => {
                let pool = &self.pools[pool];
                let seen = |id: Id| digest(pool.there(id).unwrap_or(&Body::default()));
                let sum = live
                    .iter()
                    .fold(r[2] ^ live.len() as u64, |sum, id| mix(sum ^ id.bits ^ seen(*id)));
                self.systems.seen.r[2] = who
                    .into_iter()
                    .fold(sum, |sum, id| mix(sum ^ u64::from(pool.there(id).is_some()) ^ seen(id)));
            }
            Kind::LookAtTree => {
                let relation = usize::from(way % 3);
                self.systems.seen.r[1] = live.into_iter().fold(r[1], |sum, id| {
                    let (parent, kids) = self.pools[pool].relatives(relation, id);
                    mix(sum ^ parent.map_or(0, |parent| parent.bits) ^ kids as u64)
                });
            }
            Kind::Marked => self.marked(pool, salt as u32),
            Kind::TwoPools => self.two_pools(pool, salt as u32),
            Kind::Sweep => {
                for id in live {
                    let n = self.pools[pool].there(id).map_or(0, |body| u64::from(body.n));
                    if mix(id.bits ^ n ^ salt) % 6 == 0 {
                        later.push(Later::Despawn(pool, id));
                    }
                }
            }
            Kind::SendLater => {
                for id in live {
                    let n = self.pools[pool].there(id).map_or(0, |body| u64::from(body.n));
                    let drawn = mix(id.bits ^ n ^ salt);
                    if drawn % 4 == 0 {
                        later.push(Later::Send(drawn));
                    }
                }
            }
            Kind::Order => {
                let [child, parent, three, four] = who;
                let attach =
                    |relation, first| Later::Attach { relation, pool, child, parent, first };
                later.push(match way % 6 {
                    0 => Later::Despawn(pool, child),
                    1 => attach(0, false),
                    2 => attach(2, false),
                    3 => attach(1, false),
                    4 => Later::Detach { relation: 1, pool, id: child },
                    _ => attach(0, true),
                });
                let add = (salt >> 8) as u8 % 8;
                later.push(Later::Tags { pool, id: three, keep: 7, add });
                later.push(Later::SetNumber(pool, four, salt as u32));
            }
            kind => unreachable!("{kind:?} is noted down"),
        }
    }

    fn marked(&mut self, pool: usize, salt: u32) {
        let pool = [0, 2, 5][pool % 3];
        let model = &mut self.pools[pool];
        for id in model.live() {
            model.edit(id, |body| match pool {
                0 if body.tags & 3 == 1 => {
                    body.n ^= salt;
                    body.heat = body.heat.wrapping_add(body.n);
                    body.text = "marked".into();
                }
                2 if body.tags & 2 != 0 => body.n = body.n.wrapping_add(body.heat ^ salt),
                5 if body.tags & 4 == 0 => {
                    body.n ^= salt;
                    body.text = "marked".into();
                }
                _ => {}
            });
        }
    }

    fn two_pools(&mut self, pool: usize, salt: u32) {
        let fold = |model: &Self, pool: usize, sum: u32, of: fn(&Body) -> u32| {
            let pool = &model.pools[pool];
            pool.live()
                .into_iter()
                .filter_map(|id| pool.there(id))
                .fold(sum, |sum, body| sum.wrapping_mul(3) ^ of(body))
        };
        if pool % 2 == 0 {
            let sum = fold(self, 1, salt, |body| body.n);
            for id in self.pools[0].live() {
                self.pools[0].edit(id, |body| body.n ^= sum);
            }
        } else {
            let sum = fold(self, 5, salt, |body| body.n);
            let sum = fold(self, 0, sum, |body| body.heat);
            for id in self.pools[1].live() {
                self.pools[1].edit(id, |body| body.n = body.n.wrapping_add(sum ^ id.slot));
            }
        }
    }
}
