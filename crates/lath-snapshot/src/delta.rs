//! The difference between two snapshots.

use std::fmt;

use lath_schedule::World;

use crate::part::PartDelta;
use crate::snapshot::Snapshot;

/// What has to be changed in one snapshot to make it another: by groups of 64 slots, and in columns
/// field by field.
///
/// If a pool tracks changes ([`Pool::track_changes`](lath_core::Pool::track_changes)), only the
/// groups and fields that were changed since the older snapshot are looked at and kept; otherwise
/// all of it.
///
/// # Examples
///
/// ```
/// use lath_core::{Mut, Thing};
/// use lath_schedule::World;
/// use lath_snapshot::{Delta, Save, SaveWorld, Snapshot};
///
/// #[derive(Thing, Save, Default)]
/// struct Ship { hull: f32 }
///
/// let mut world = World::new();
/// world.saves::<Ship>();
/// world.pool_mut::<Ship>().track_changes();
/// let ships: Vec<_> = (0..10_000).map(|_| world.spawn(Ship::default())).collect();
///
/// let mut old = Snapshot::new();
/// old.take_mut(&mut world)?;
/// world.pool_mut::<Ship>().edit(ships[5000], |ship| ship.hull = 3.0);
///
/// let delta = Delta::since(&old, &world);
/// assert_eq!(delta.groups(), 1); // 64 slots of 10,000
/// let mut new = old.clone();
/// delta.apply(&mut new)?;
/// assert_eq!(new.checksum(), Snapshot::take(&world)?.checksum());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Delta {
    parts: Vec<Box<dyn PartDelta>>,
}

/// A difference was to be applied to a snapshot that it does not start from. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongSnapshot;

impl fmt::Display for WrongSnapshot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the difference starts from another snapshot: apply it to the one that it was made of, or to a clone of that")
    }
}

impl std::error::Error for WrongSnapshot {}

impl Delta {
    /// No difference yet: memory for [`find_since`](Self::find_since).
    ///
    /// # Examples
    ///
    /// See [`find_since`](Self::find_since).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What has changed in a world since a snapshot of it.
    ///
    /// # Examples
    ///
    /// See [`Delta`].
    #[must_use]
    pub fn since(old: &Snapshot, world: &World) -> Self {
        let mut delta = Self::new();
        delta.find_since(old, world);
        delta
    }

    /// As [`since`](Self::since), in the memory of an old difference.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{Delta, SaveWorld, Snapshot};
    /// # let mut world = World::new();
    /// # world.saves_resource::<u32>();
    /// let old = Snapshot::take(&world)?;
    /// let mut delta = Delta::new();
    /// delta.find_since(&old, &world);
    /// # Ok::<(), lath_snapshot::SaveError>(())
    /// ```
    pub fn find_since(&mut self, old: &Snapshot, world: &World) {
        self.fit(old);
        self.parts.iter_mut().zip(&old.parts).for_each(|(delta, part)| delta.since(&**part, world));
    }

    /// What has to be changed in `old` to make it `new`. Both are of the same world, or of worlds
    /// that save the same.
    ///
    /// # Errors
    ///
    /// [`WrongSnapshot`] if they do not have the same pools and resources.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{Delta, SaveWorld, Snapshot};
    /// # let mut world = World::new();
    /// # world.saves_resource::<u32>();
    /// let old = Snapshot::take(&world)?;
    /// world.insert(5u32);
    /// let new = Snapshot::take(&world)?;
    /// let delta = Delta::between(&old, &new)?;
    ///
    /// let mut copy = old.clone();
    /// delta.apply(&mut copy)?;
    /// assert_eq!(copy.checksum(), new.checksum());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn between(old: &Snapshot, new: &Snapshot) -> Result<Self, WrongSnapshot> {
        let mut delta = Self::new();
        let same = old.parts.len() == new.parts.len();
        if !same
            || old
                .parts
                .iter()
                .zip(&new.parts)
                .any(|(a, b)| a.as_any().type_id() != b.as_any().type_id())
        {
            return Err(WrongSnapshot);
        }
        delta.fit(old);
        for (delta, (old, new)) in delta.parts.iter_mut().zip(old.parts.iter().zip(&new.parts)) {
            delta.between(&**old, &**new);
        }
        Ok(delta)
    }

    fn fit(&mut self, old: &Snapshot) {
        if self.parts.len() != old.parts.len()
            || !self.parts.iter().zip(&old.parts).all(|(delta, part)| delta.is_for(&**part))
        {
            self.parts = old.parts.iter().map(|part| part.delta()).collect();
        }
    }

    /// Turns the older snapshot into the newer one.
    ///
    /// # Errors
    ///
    /// [`WrongSnapshot`] if that is not the one that the difference starts from.
    ///
    /// # Examples
    ///
    /// See [`Delta`].
    pub fn apply(&self, snapshot: &mut Snapshot) -> Result<(), WrongSnapshot> {
        let fits = self.parts.len() == snapshot.parts.len()
            && self
                .parts
                .iter()
                .zip(&snapshot.parts)
                .all(|(delta, part)| delta.starts_from(&**part));
        if !fits {
            return Err(WrongSnapshot);
        }
        for (delta, part) in self.parts.iter().zip(&mut snapshot.parts) {
            if !delta.apply(&mut **part) {
                return Err(WrongSnapshot);
            }
        }
        Ok(())
    }

    /// How many bytes it takes, but for what values have on the heap.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_snapshot::Delta;
    /// assert_eq!(Delta::new().bytes(), 0);
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.bytes()).sum()
    }

    /// How many groups of 64 slots differ, in all pools.
    ///
    /// # Examples
    ///
    /// See [`Delta`].
    #[must_use]
    pub fn groups(&self) -> usize {
        self.parts.iter().map(|part| part.groups()).sum()
    }
}

impl fmt::Debug for Delta {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Delta")
            .field("groups", &self.groups())
            .field("bytes", &self.bytes())
            .finish()
    }
}
