//! The last few snapshots, for rolling back.

use lath_schedule::World;

use crate::error::SaveError;
use crate::snapshot::Snapshot;

/// The snapshots of the last `n` ticks, in a ring: the oldest makes room for the newest, and lends
/// it its memory.
///
/// # Examples
///
/// ```
/// use lath_core::Thing;
/// use lath_schedule::World;
/// use lath_snapshot::{History, Save, SaveWorld};
///
/// #[derive(Thing, Save, Default)]
/// struct Ship { x: f32 }
///
/// let mut world = World::new();
/// world.saves::<Ship>();
/// let ship = world.spawn(Ship::default());
/// let mut history = History::new(8);
/// for tick in 0..20 {
///     history.push(&mut world, tick)?; // as it is before the tick
///     world.pool_mut::<Ship>().edit(ship, |ship| ship.x += 1.0);
/// }
/// assert!(!history.restore(&mut world, 3)?); // too long ago
/// assert!(history.restore(&mut world, 15)?);
/// assert_eq!(world.read(ship).x, 15.0);
/// assert_eq!(history.latest(), Some(15)); // what was later has not happened
/// # Ok::<(), lath_snapshot::SaveError>(())
/// ```
#[derive(Debug)]
pub struct History {
    /// In order of age, oldest first. Those after `used` are only memory.
    ring: Vec<(u64, Snapshot)>,
    used: usize,
    most: usize,
}

impl History {
    /// Keeps the last `most` snapshots; at least one.
    ///
    /// # Examples
    ///
    /// See [`History`].
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { ring: Vec::new(), used: 0, most: most.max(1) }
    }

    /// Takes a snapshot and remembers it under `tick`. Those of this tick and later ones are
    /// forgotten, as they have not happened; and so is the oldest, if there are too many.
    ///
    /// # Errors
    ///
    /// As [`Snapshot::take`].
    ///
    /// # Examples
    ///
    /// See [`History`].
    pub fn push(&mut self, world: &mut World, tick: u64) -> Result<&Snapshot, SaveError> {
        self.forget_from(tick);
        if self.used == self.most {
            self.ring[..self.used].rotate_left(1);
            self.used -= 1;
        }
        if self.used == self.ring.len() {
            self.ring.push((tick, Snapshot::new()));
        }
        let (at, snapshot) = &mut self.ring[self.used];
        snapshot.take_mut(world)?;
        *at = tick;
        self.used += 1;
        Ok(&self.ring[self.used - 1].1)
    }

    /// The snapshot of a tick.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_snapshot::History;
    /// assert!(History::new(3).get(7).is_none());
    /// ```
    #[must_use]
    pub fn get(&self, tick: u64) -> Option<&Snapshot> {
        self.ring[..self.used].iter().find(|(at, _)| *at == tick).map(|(_, snapshot)| snapshot)
    }

    /// Makes the world what it was at a tick, and forgets what came after. Answers whether that
    /// tick is still remembered; if not, nothing changed.
    ///
    /// # Errors
    ///
    /// As [`Snapshot::restore`].
    ///
    /// # Examples
    ///
    /// See [`History`].
    pub fn restore(&mut self, world: &mut World, tick: u64) -> Result<bool, SaveError> {
        let Some(snapshot) = self.get(tick) else { return Ok(false) };
        snapshot.restore(world)?;
        self.used = self.ring[..self.used].partition_point(|(at, _)| *at <= tick);
        Ok(true)
    }

    /// The last tick that is remembered.
    ///
    /// # Examples
    ///
    /// See [`History`].
    #[must_use]
    pub fn latest(&self) -> Option<u64> {
        self.ring[..self.used].last().map(|(tick, _)| *tick)
    }

    /// The ticks that are remembered, oldest first.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{History, SaveWorld};
    /// # let mut world = World::new();
    /// # world.saves_resource::<u32>();
    /// let mut history = History::new(3);
    /// for tick in 0..5 { history.push(&mut world, tick)?; }
    /// assert!(history.ticks().eq([2, 3, 4]));
    /// # Ok::<(), lath_snapshot::SaveError>(())
    /// ```
    pub fn ticks(&self) -> impl Iterator<Item = u64> {
        self.ring[..self.used].iter().map(|(tick, _)| *tick)
    }

    /// Forgets a tick and all that came after it. Memory is kept.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{History, SaveWorld};
    /// # let mut world = World::new();
    /// # world.saves_resource::<u32>();
    /// let mut history = History::new(3);
    /// for tick in 0..3 { history.push(&mut world, tick)?; }
    /// history.forget_from(1);
    /// assert!(history.ticks().eq([0]));
    /// # Ok::<(), lath_snapshot::SaveError>(())
    /// ```
    pub fn forget_from(&mut self, tick: u64) {
        self.used = self.ring[..self.used].partition_point(|(at, _)| *at < tick);
    }
}
