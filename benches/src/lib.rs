//! What the benchmarks share: a thing, and pools of it that have lived.
//!
//! One bench file per word (`benches/handle.rs`, `benches/pool.rs`, …); the name of a benchmark is its path
//! (`pool/get/100000`), and every answer is checked: a fast wrong answer is not a result.
//!
//! ```text
//! cargo bench -p lath-benches                 # everything
//! cargo bench -p lath-benches -- pool/get     # by path
//! cargo bench -p lath-benches -- --test       # each once, to see that it works
//! ```

use std::time::{Duration, Instant};

use fastrand::Rng;
use lath_core::{Handle, Pool, Thing};

/// A small ship: 32 bytes of plain data.
#[derive(Thing, Clone, Copy, Default, Debug, PartialEq)]
pub struct Ship {
    /// The number that the fixture gave it, from 1 on; 0 is the nil thing's.
    pub number: u32,
    /// Where it is.
    pub position: [f32; 3],
    /// How far it moves in a step.
    pub velocity: [f32; 3],
    /// What is left of it.
    pub hull: f32,
}

impl Ship {
    /// Makes ship number `number`.
    pub fn new(number: u32) -> Self {
        Self { number, position: [number as f32; 3], velocity: [1.0; 3], hull: 100.0 }
    }
}

/// A pool that has lived, the handles of its ships in random order, and handles that are stale.
pub struct Worn {
    /// The pool.
    pub pool: Pool<Ship>,
    /// Every live ship, shuffled.
    pub live: Vec<Handle<Ship>>,
    /// Ships that are gone; other ships took most of their places.
    pub stale: Vec<Handle<Ship>>,
}

impl Worn {
    /// Fills a pool with `slots` ships, takes a random 40 % out, fills it up again, and takes ships out at random until
    /// `percent` of them are left.
    pub fn new(slots: u32, percent: u32) -> Self {
        let mut worn = Self { pool: Pool::new(), live: Vec::new(), stale: Vec::new() };
        let mut rng = Rng::with_seed(u64::from(slots) + u64::from(percent));
        worn.fill(slots);
        worn.thin(slots / 10 * 6, &mut rng);
        worn.fill(slots);
        worn.thin((u64::from(slots) * u64::from(percent) / 100) as u32, &mut rng);
        rng.shuffle(&mut worn.live);
        rng.shuffle(&mut worn.stale);
        worn
    }

    /// The sum of the numbers of all live ships: the answer that walks and lookups are checked against.
    pub fn total(&self) -> u64 {
        self.live.iter().map(|&ship| u64::from(self.pool.read(ship).number)).sum()
    }

    fn fill(&mut self, slots: u32) {
        while self.live.len() < slots as usize {
            self.live.push(self.pool.spawn(Ship::new(self.live.len() as u32 + 1)));
        }
    }

    fn thin(&mut self, left: u32, rng: &mut Rng) {
        while self.live.len() > left as usize {
            let gone = self.live.swap_remove(rng.usize(..self.live.len()));
            assert!(self.pool.despawn(gone));
            self.stale.push(gone);
        }
    }
}

/// How long `work` takes.
pub fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Runs `round` as often as criterion asks for: for benchmarks that time only a part of each round.
pub fn sum_of_rounds(rounds: u64, mut round: impl FnMut() -> Duration) -> Duration {
    (0..rounds).map(|_| round()).sum()
}
