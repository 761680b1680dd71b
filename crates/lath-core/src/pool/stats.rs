//! Counting: how full the pool is, and how worn.

use core::any::type_name;
use core::fmt;

use super::Pool;
use crate::memory::unlikely;
use crate::thing::Thing;

/// How full a pool is, and how worn: [`Pool::stats`].
///
/// # Examples
///
/// ```
/// # use lath_core::{Pool, Thing};
/// # #[derive(Thing, Default)] struct Crew {}
/// let mut crew = Pool::new();
/// let ada = crew.spawn(Crew {});
/// crew.spawn(Crew {});
/// crew.despawn(ada);
/// let stats = crew.stats();
/// assert_eq!((stats.live, stats.high_water, stats.largest_generation), (1, 2, 1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Things that iteration finds.
    pub live: u32,
    /// Things that lookups find and iteration does not, until the commit.
    pub staged: u32,
    /// Handles that wait for their value.
    pub reserved: u32,
    /// Things that are dead but kept until their epoch.
    pub buried: u32,
    /// Slots whose generations are spent.
    pub retired: u32,
    /// The most slots that were in use at once, retired ones left out.
    pub high_water: u32,
    /// The largest generation that was ever handed out.
    pub largest_generation: u32,
    /// Slots that have memory.
    pub capacity: u32,
    /// Slots that there can be.
    pub limit: u32,
    /// Whether the bound of [`Pool::expect_at_most`] was passed.
    pub beyond_expected: bool,
}

/// More things than expected: what [`Pool::expect_at_most_or`] hands to its callback.
///
/// # Examples
///
/// ```
/// # use lath_core::{Pool, Thing};
/// # #[derive(Thing, Default)] struct Crew {}
/// let mut crew = Pool::new();
/// crew.expect_at_most_or(1, |excess| assert_eq!(excess.expected, 1));
/// crew.spawn(Crew {});
/// crew.spawn(Crew {}); // the callback runs here, and only here
/// crew.spawn(Crew {});
/// assert!(crew.stats().beyond_expected);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    /// The name of the thing's type.
    pub thing: &'static str,
    /// The bound.
    pub expected: u32,
}

impl fmt::Display for Excess {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "more than the expected {} things of {}: a leak, or `expect_at_most` is too low",
            self.expected, self.thing
        )
    }
}

/// What is counted as things come.
#[derive(Clone, Copy)]
pub(super) struct Counts {
    largest_generation: u32,
    /// More things than this are a reason to warn.
    expected: u32,
    warn: Option<fn(&Excess)>,
    beyond_expected: bool,
}

impl Counts {
    pub(super) const fn new() -> Self {
        Self { largest_generation: 0, expected: u32::MAX, warn: None, beyond_expected: false }
    }

    /// Notes a generation that was handed out.
    #[inline(always)]
    pub(super) fn note_generation(&mut self, generation: u32) {
        if generation > self.largest_generation {
            unlikely(); // a branch, foreseen nearly always, and no store
            self.largest_generation = generation;
        }
    }

    /// Warns, once, if more slots are in use than were expected.
    pub(super) fn note_used<T>(&mut self, used: u32) {
        if used > self.expected && !core::mem::replace(&mut self.beyond_expected, true) {
            if let Some(warn) = self.warn {
                warn(&Excess { thing: type_name::<T>(), expected: self.expected });
            }
        }
    }

    /// Whether somebody said how many things there will be at most.
    pub(super) fn are_watched(&self) -> bool {
        self.expected < u32::MAX
    }

    pub(super) fn largest_generation(&self) -> u32 {
        self.largest_generation
    }

    pub(super) fn set_largest_generation(&mut self, generation: u32) {
        self.largest_generation = generation;
    }
}

impl<T: Thing> Pool<T> {
    /// How many things are live: those that iteration finds.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// let mut crew = Pool::new();
    /// crew.spawn(Crew {});
    /// crew.stage(Crew {}); // not yet
    /// assert_eq!(crew.len(), 1);
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.cells.slots().live() as usize
    }

    /// Whether no thing is live.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// assert!(Pool::<Crew>::new().is_empty()); // the nil thing does not count
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many things there is memory for.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// assert_eq!(Pool::<Crew>::fixed(100).unwrap().capacity(), 100);
    /// ```
    pub fn capacity(&self) -> usize {
        self.cells.memory() as usize - 1
    }

    /// Gives back memory at the end of the pool in which nothing is: after a level with many things,
    /// say. Nothing moves and every handle keeps its meaning, stale ones too: of slots that were
    /// used, the generations are kept. Memory comes in pieces, each as large as all before it, and
    /// a piece goes only as a whole. A [fixed](Self::fixed) pool keeps all it has.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Spark { heat: u32 }
    /// let mut sparks: Pool<Spark> = (0..100_000).map(|heat| Spark { heat }).collect();
    /// let last = sparks.handles().last().unwrap();
    /// sparks.retain(|_, spark| spark.heat < 100);
    /// sparks.shrink_to_fit();
    /// assert!(sparks.capacity() < 5_000);
    ///
    /// sparks.extend((0..100_000).map(|heat| Spark { heat }));
    /// assert!(sparks.get(last).is_none()); // its slot is in use again, in a later generation
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.cells.shrink();
    }

    /// How full the pool is, and how worn. Takes no longer for a large pool than for a small one.
    ///
    /// # Examples
    ///
    /// See [`Stats`].
    pub fn stats(&self) -> Stats {
        let slots = self.cells.slots();
        let staged = self.cells.staged();
        Stats {
            live: slots.live(),
            staged,
            reserved: self.cells.claimed().saturating_sub(staged), // others may be staging
            buried: slots.buried(),
            retired: slots.retired(),
            high_water: slots.high_water().max(self.used()),
            largest_generation: self.counts.largest_generation(),
            capacity: self.capacity() as u32,
            limit: (slots.limit() - 1) as u32,
            beyond_expected: self.counts.beyond_expected,
        }
    }

    /// Warns, once, when more than `n` things are in use: a leak found early. The warning goes to
    /// standard error (with the `std` feature) and is in [`Stats::beyond_expected`]. Nothing is
    /// refused.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// let mut crew = Pool::new();
    /// crew.expect_at_most(100);
    /// crew.spawn(Crew {});
    /// assert!(!crew.stats().beyond_expected);
    /// ```
    pub fn expect_at_most(&mut self, n: u32) {
        self.expect_at_most_or(n, |_excess| {
            #[cfg(feature = "std")]
            std::eprintln!("lath: {_excess}");
        });
    }

    /// Calls `warn`, once, when more than `n` things are in use.
    ///
    /// # Examples
    ///
    /// See [`Excess`].
    pub fn expect_at_most_or(&mut self, n: u32, warn: fn(&Excess)) {
        self.counts.expected = n;
        self.cells.set_observed(true);
        self.counts.warn = Some(warn);
        self.counts.beyond_expected = false;
        self.cells.note_use();
        if self.used() > n {
            self.counts.beyond_expected = true;
            warn(&Excess { thing: type_name::<T>(), expected: n });
        }
    }

    /// Slots in use: live, staged, reserved or buried.
    #[inline]
    pub(super) fn used(&self) -> u32 {
        self.cells.used()
    }
}
