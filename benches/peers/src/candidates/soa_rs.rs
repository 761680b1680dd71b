//! soa-rs: `Soa`, a vector of structs in columns; walks over the slices of the fields. It names nothing, so it takes part
//! where nothing is taken out.

use soa_rs::{Soa, Soars};

use crate::store::{Lookup, Movers, Store};
use crate::things::{DT, Fat, Mover, Vec3};

#[derive(Soars)]
struct FatParts {
    position: [f32; 3],
    velocity: [f32; 3],
    rotation: [f32; 4],
    stats: [f32; 8],
    links: [u32; 7],
}

/// Fat things; a key is an index.
pub(crate) struct SoaRs(Soa<FatParts>);

impl Store<Fat> for SoaRs {
    type Key = usize;

    fn new() -> Self {
        Self(Soa::new())
    }

    #[inline(always)]
    fn spawn(&mut self, thing: Fat) -> usize {
        let Fat { position, velocity, rotation, stats, links } = thing;
        self.0.push(FatParts { position, velocity, rotation, stats, links });
        self.0.len() - 1
    }

    fn despawn(&mut self, _: usize) {
        unreachable!("what is taken out of a vector changes the indices of the others");
    }
}

impl Lookup<Fat> for SoaRs {
    #[inline(always)]
    fn field(&self, key: usize) -> f32 {
        self.0.position().get(key).map_or(0.0, |position| position[0])
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
