//! `raw` for loops over columns: flat arrays of `f32`, in a plain loop that every compiler
//! vectorises.
//!
//! Three floats of a position lie side by side, and whose they are is no matter while they are
//! moved. Things that do not match are kept out, as an expert would keep them in arrays of their
//! own.

use crate::store::{Kinds, Movers};
use crate::things::{DT, Mover, Vec3};

/// The movers that match.
pub(crate) struct RawMovers {
    positions: Vec<f32>,
    velocities: Vec<f32>,
}

impl Movers for RawMovers {
    fn new() -> Self {
        Self { positions: Vec::new(), velocities: Vec::new() }
    }

    fn spawn(&mut self, Mover { pos, vel }: Mover, matches: bool) {
        if matches {
            self.positions.extend([pos.x, pos.y, pos.z]);
            self.velocities.extend([vel.x, vel.y, vel.z]);
        }
    }

    fn step(&mut self) {
        for (position, velocity) in self.positions.iter_mut().zip(&self.velocities) {
            *position += velocity * DT;
        }
    }

    fn positions(&mut self, mut see: impl FnMut(Vec3)) {
        for position in self.positions.chunks_exact(3) {
            see(Vec3 { x: position[0], y: position[1], z: position[2] });
        }
    }
}

/// The one number that all kinds have.
pub(crate) struct RawKinds(Vec<f32>);

impl Kinds for RawKinds {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn spawn(&mut self, _: usize, data: f32) {
        self.0.push(data);
    }

    fn scale(&mut self, by: f32) {
        self.0.iter_mut().for_each(|data| *data *= by);
    }

    fn data(&mut self, see: impl FnMut(f32)) {
        self.0.iter().copied().for_each(see);
    }
}
