//! What the benchmarks share: a thing, and pools of it that have lived.
//!
//! One bench file per word (`benches/handle.rs`, `benches/pool.rs`, …); the name of a benchmark is
//! its path (`pool/get/100000`), and every answer is checked: a fast wrong answer is not a result.
//!
//! ```text
//! cargo bench -p lath-benches                 # everything
//! cargo bench -p lath-benches -- pool/get     # by path
//! cargo bench -p lath-benches -- --test       # each once, to see that it works
//! ```

use std::time::{Duration, Instant};

use fastrand::Rng;
use lath_core::{Handle, Pool, Thing};

/// Something with a number, in either layout.
pub trait Numbered: Thing {
    /// Makes number `number`.
    fn new(number: u32) -> Self;

    /// The number of a thing; 0 if it is gone.
    fn number(pool: &Pool<Self>, handle: Handle<Self>) -> u32;
}

/// Declares a ship of 32 bytes of plain data in a layout.
macro_rules! ship {
    ($(#[$about:meta])* $Ship:ident, $layout:ident, |$pool:ident, $handle:ident| $number:expr) => {
        $(#[$about])*
        #[derive(Thing, Clone, Copy, Default, Debug, PartialEq)]
        #[thing($layout)]
        pub struct $Ship {
            /// The number that the fixture gave it, from 1 on; 0 is the nil thing's.
            pub number: u32,
            /// Where it is.
            pub position: [f32; 3],
            /// How far it moves in a step.
            pub velocity: [f32; 3],
            /// What is left of it.
            pub hull: f32,
        }

        impl Numbered for $Ship {
            fn new(number: u32) -> Self {
                Self { number, position: [number as f32; 3], velocity: [1.0; 3], hull: 100.0 }
            }

            #[inline(always)]
            fn number($pool: &Pool<Self>, $handle: Handle<Self>) -> u32 {
                $number
            }
        }
    };
}

ship!(
    /// A small ship, in rows.
    Ship, rows, |pool, handle| pool.read(handle).number
);
ship!(
    /// A small ship, in columns.
    ColumnShip, columns, |pool, handle| *pool.read(handle).number
);

/// A pool that has lived, the handles of its ships in random order, and handles that are stale.
pub struct WornOf<T: Numbered> {
    /// The pool.
    pub pool: Pool<T>,
    /// Every live ship, shuffled.
    pub live: Vec<Handle<T>>,
    /// Ships that are gone; other ships took most of their places.
    pub stale: Vec<Handle<T>>,
}

/// A worn pool of rows.
pub type Worn = WornOf<Ship>;
/// A worn pool of columns.
pub type WornColumns = WornOf<ColumnShip>;

impl<T: Numbered> WornOf<T> {
    /// Fills a pool with `slots` ships, takes a random 40 % out, fills it up again, and takes ships
    /// out at random until `percent` of them are left.
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

    /// The sum of the numbers of all live ships: the answer that walks and lookups are checked
    /// against.
    pub fn total(&self) -> u64 {
        self.live.iter().map(|&ship| u64::from(T::number(&self.pool, ship))).sum()
    }

    fn fill(&mut self, slots: u32) {
        while self.live.len() < slots as usize {
            self.live.push(self.pool.spawn(T::new(self.live.len() as u32 + 1)));
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
