//! soa-rs: `Soa`, a vector of structs in columns; walks over the slices of the fields. It names
//! nothing, so it takes part where nothing is taken out, and not in lookups: an index asks for no
//! generation. What matches and what kind a thing is of, are fields like others.

use soa_rs::{Soa, Soars};

use crate::store::{Kinds, Lookup, Movers, SpawnMany, Store};
use crate::things::{DT, Fat, Mover, Vec3};

#[derive(Soars)]
struct FatParts {
    health: f32,
    position: [f32; 3],
    velocity: [f32; 3],
    rotation: [f32; 4],
    links: [u32; 14],
}

/// Fat things; a key is an index.
pub(crate) struct SoaRs(Soa<FatParts>);

impl FatParts {
    #[inline(always)]
    fn of(thing: Fat) -> Self {
        let Fat { health, position, velocity, rotation, links } = thing;
        Self { health, position, velocity, rotation, links }
    }
}

impl Store<Fat> for SoaRs {
    type Key = usize;

    fn new() -> Self {
        Self(Soa::new())
    }

    #[inline(always)]
    fn spawn(&mut self, thing: Fat) -> usize {
        self.0.push(FatParts::of(thing));
        self.0.len() - 1
    }

    fn despawn(&mut self, _: usize) {
        unreachable!("what is taken out of a vector changes the indices of the others");
    }
}

impl SpawnMany<Fat> for SoaRs {
    #[inline(always)]
    fn spawn_many(&mut self, things: impl ExactSizeIterator<Item = Fat>, keys: &mut Vec<usize>) {
        let first = self.0.len();
        self.0.reserve(things.len());
        self.0.extend(things.map(FatParts::of));
        keys.extend(first..self.0.len());
    }
}

impl Lookup<Fat> for SoaRs {
    #[inline(always)]
    fn field(&self, key: usize) -> f32 {
        self.0.health().get(key).copied().unwrap_or(0.0)
    }
}

#[derive(Soars)]
struct MoverParts {
    pos: Vec3,
    vel: Vec3,
}

/// Movers, all of which match.
pub(crate) struct SoaRsMovers(Soa<MoverParts>);

impl Movers for SoaRsMovers {
    fn new() -> Self {
        Self(Soa::new())
    }

    fn spawn(&mut self, mover: Mover, _: bool) {
        self.0.push(MoverParts { pos: mover.pos, vel: mover.vel });
    }

    fn step(&mut self) {
        let movers = self.0.slices_mut();
        for (pos, &mut vel) in movers.pos.iter_mut().zip(movers.vel) {
            *pos += vel * DT;
        }
    }

    fn positions(&mut self, see: impl FnMut(Vec3)) {
        self.0.pos().iter().copied().for_each(see);
    }
}

#[derive(Soars)]
struct MatchingParts {
    pos: Vec3,
    vel: Vec3,
    matches: bool,
}

/// Movers, some of which match.
pub(crate) struct SoaRsMatching(Soa<MatchingParts>);

impl Movers for SoaRsMatching {
    fn new() -> Self {
        Self(Soa::new())
    }

    fn spawn(&mut self, mover: Mover, matches: bool) {
        self.0.push(MatchingParts { pos: mover.pos, vel: mover.vel, matches });
    }

    fn step(&mut self) {
        let movers = self.0.slices_mut();
        for ((pos, &mut vel), &mut matches) in
            movers.pos.iter_mut().zip(movers.vel).zip(movers.matches)
        {
            if matches {
                *pos += vel * DT;
            }
        }
    }

    fn positions(&mut self, mut see: impl FnMut(Vec3)) {
        let all = self.0.pos().iter().zip(self.0.matches());
        all.filter(|&(_, &matches)| matches).for_each(|(&pos, _)| see(pos));
    }
}

#[derive(Soars)]
struct KindParts {
    data: f32,
    kind: usize,
    own: f32,
}

/// Things of 26 kinds: what they have in common is one array.
pub(crate) struct SoaRsKinds(Soa<KindParts>);

impl Kinds for SoaRsKinds {
    fn new() -> Self {
        Self(Soa::new())
    }

    fn spawn(&mut self, kind: usize, data: f32) {
        self.0.push(KindParts { data, kind, own: 0.0 });
    }

    fn scale(&mut self, by: f32) {
        self.0.data_mut().iter_mut().for_each(|data| *data *= by);
    }

    fn data(&mut self, see: impl FnMut(f32)) {
        self.0.data().iter().copied().for_each(see);
    }
}
