//! All calls on lath. Nothing else in this package knows it, so that a change of names changes this
//! folder alone.

pub mod copies;
pub mod files;
pub mod garbage;
pub mod pool;
pub mod prefabs;
pub mod requests;
pub mod saves;
pub mod things;
pub mod versions;
pub mod world;

use crate::body::Traits;
use things::{POOLS, TRAITS};

/// How a world is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// Pools that have so many slots at most.
    pub fixed: [Option<u16>; POOLS],
}

impl Setup {
    /// The setup that a number stands for.
    pub fn new(number: u16) -> Self {
        let fixed = |pool: usize| (number >> pool & 1 == 1).then_some(40 + number / 64 % 200);
        Self { fixed: std::array::from_fn(fixed) }
    }

    /// The last slot that there can be in a pool.
    pub fn limit(&self, pool: usize) -> u32 {
        let Traits { index_bits, .. } = TRAITS[pool];
        self.fixed[pool].map_or(u32::MAX >> (32 - index_bits), u32::from)
    }
}
