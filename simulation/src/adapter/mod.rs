//! All calls on lath. Nothing else in this package knows it, so that a change of names changes this
//! folder alone.

pub mod copies;
pub mod files;
pub mod garbage;
pub mod pool;
pub mod prefabs;
pub mod requests;
pub mod saves;
pub mod systems;
pub mod things;
pub mod versions;
pub mod world;

use crate::body::Traits;
use crate::program::Step;
use systems::Threads;
use things::{POOLS, TRAITS};

/// How a world is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// Pools that have so many slots at most.
    pub fixed: [Option<u16>; POOLS],
    /// Whether systems are played, or copies of the world: not both in one program, see `known.rs`.
    pub systems: bool,
    /// How a twin runs its schedules.
    pub threads: Threads,
}

impl Setup {
    /// The setup that a program is played in: its first step says how, and what it calls whether
    /// there are systems.
    pub fn of(program: &[Step]) -> Self {
        let number = program.first().map_or(0, |step| step.v);
        let systems = program.iter().any(|step| step.call.is_of_systems());
        Self { systems, ..Self::new(number) }
    }

    fn new(number: u16) -> Self {
        let fixed = |pool: usize| (number >> pool & 1 == 1).then_some(40 + number / 64 % 200);
        let threads = match number / 8 % 4 {
            0 => Threads::Many(8),
            1 => Threads::Many(3),
            _ => Threads::Shuffled(3, u64::from(number)),
        };
        Self { fixed: std::array::from_fn(fixed), systems: false, threads }
    }

    /// The last slot that there can be in a pool.
    pub fn limit(&self, pool: usize) -> u32 {
        let Traits { index_bits, .. } = TRAITS[pool];
        self.fixed[pool].map_or(u32::MAX >> (32 - index_bits), u32::from)
    }
}
