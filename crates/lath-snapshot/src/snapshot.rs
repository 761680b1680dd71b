//! The snapshot: everything that a world saves, copied into memory.

use std::fmt;

use lath_schedule::World;
use xxhash_rust::xxh3::Xxh3;

use crate::error::SaveError;
use crate::file::bytes::Sink;
use crate::part::Part;
use crate::registry::Registry;

/// A copy of all pools and resources that a world saves.
///
/// Plain fields are copied as memory, others are cloned. It has everything: things that are staged
/// or buried, reserved handles, retired slots, tags, links. After it was put back, every handle
/// names what it named, and what is spawned next gets the handle that it would have got.
///
/// Taking it again into the same snapshot, and putting it back, allocate nothing once the memory is
/// there (values that have memory of their own, such as a `String` that grows, aside).
///
/// # Examples
///
/// ```
/// use lath_core::Thing;
/// use lath_schedule::World;
/// use lath_snapshot::{Save, SaveWorld, Snapshot};
///
/// #[derive(Thing, Save, Default)]
/// struct Ship { hull: f32 }
///
/// let mut world = World::new();
/// world.saves::<Ship>();
/// let ship = world.spawn(Ship { hull: 10.0 });
///
/// let before = Snapshot::take(&world)?;
/// let checksum = before.checksum();
/// world.despawn(ship);
/// let next = world.spawn(Ship { hull: 5.0 });
///
/// before.restore(&mut world)?;
/// assert_eq!(world.read(ship).hull, 10.0);
/// assert!(world.get(next).is_none());
/// assert_eq!(Snapshot::take(&world)?.checksum(), checksum);
/// # Ok::<(), lath_snapshot::SaveError>(())
/// ```
#[derive(Default)]
pub struct Snapshot {
    pub(crate) parts: Vec<Box<dyn Part>>,
}

impl Snapshot {
    /// A snapshot of nothing yet: memory for [`take_into`](Self::take_into).
    ///
    /// # Examples
    ///
    /// See [`take_into`](Self::take_into).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Copies what a world saves.
    ///
    /// # Errors
    ///
    /// [`SaveError::Nothing`] if the world was not told to save anything.
    ///
    /// # Examples
    ///
    /// See [`Snapshot`].
    pub fn take(world: &World) -> Result<Self, SaveError> {
        let mut snapshot = Self::new();
        snapshot.take_into(world)?;
        Ok(snapshot)
    }

    /// As [`take`](Self::take), into the memory of an old snapshot.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{Save, SaveWorld, Snapshot};
    /// # #[derive(Thing, Save, Default)] struct Ship {}
    /// # let mut world = World::new();
    /// # world.saves::<Ship>();
    /// let mut last = Snapshot::new();
    /// for _ in 0..3 {
    ///     world.spawn(Ship {});
    ///     last.take_into(&world)?; // allocates at most where the world has grown
    /// }
    /// # Ok::<(), lath_snapshot::SaveError>(())
    /// ```
    pub fn take_into(&mut self, world: &World) -> Result<(), SaveError> {
        self.fit(Registry::of(world)?);
        self.parts.iter_mut().for_each(|part| part.take(world));
        Ok(())
    }

    /// As [`take_into`](Self::take_into), quicker where pools have holes. In pools that track
    /// changes another tick begins, so that a later [`Delta`](crate::Delta) has what was changed
    /// after this moment, and nothing else.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    ///
    /// # Examples
    ///
    /// See [`Delta`](crate::Delta).
    pub fn take_mut(&mut self, world: &mut World) -> Result<(), SaveError> {
        self.fit(Registry::of(world)?);
        self.parts.iter_mut().for_each(|part| part.take_mut(world));
        Ok(())
    }

    /// Has a part for everything that is registered, in order.
    fn fit(&mut self, registry: &Registry) {
        let fits = self.parts.len() == registry.kinds().count()
            && self.parts.iter().zip(registry.kinds()).all(|(part, kind)| kind.makes(&**part));
        if !fits {
            self.parts = registry.kinds().map(|kind| kind.part()).collect();
        }
    }

    /// Makes the world what it was when this was taken. What is not saved stays as it is.
    ///
    /// Handles that were made since then name nothing, until their slots are used again: whoever
    /// keeps handles outside of what is saved has to forget them.
    ///
    /// Another world will do as well, whether or not it was told to save these things.
    ///
    /// # Errors
    ///
    /// [`SaveError`] if a pool is too small or memory is refused. Nothing has changed.
    ///
    /// # Examples
    ///
    /// See [`Snapshot`].
    pub fn restore(&self, world: &mut World) -> Result<(), SaveError> {
        for part in &self.parts {
            part.prepare(world)?;
        }
        self.parts.iter().for_each(|part| part.restore(world));
        Ok(())
    }

    /// A number that is the same for two worlds in the same state, on every machine with the same
    /// byte order, and different, but for one case in 2^64, for two in different ones.
    ///
    /// It is of all that decides what happens next: the saved fields of all things, which slots
    /// they are in, all generations, tags, the order of reuse, the trees that are saved, and the
    /// saved resources. Fields marked `#[thing(skip)]`, how much memory a pool has, counts and
    /// ticks do not matter.
    ///
    /// Fields that are floats are compared by their bits: a machine that computes other bits gets
    /// another checksum, as it should.
    ///
    /// # Examples
    ///
    /// See [`Snapshot`].
    #[must_use]
    pub fn checksum(&self) -> u64 {
        let mut hash = Xxh3::new();
        for part in &self.parts {
            hash.text(part.name());
            if let Err(error) = part.hash(&mut hash) {
                hash.text(&error.to_string()); // a value that serde refuses to write
            }
        }
        hash.digest()
    }

    /// How many bytes it takes, but for what values have on the heap.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{Save, SaveWorld, Snapshot};
    /// # #[derive(Thing, Save, Default)] struct Ship { hull: f32 }
    /// # let mut world = World::new();
    /// # world.saves::<Ship>();
    /// for _ in 0..1000 { world.spawn(Ship { hull: 1.0 }); }
    /// assert!(Snapshot::take(&world)?.bytes() > 4000);
    /// # Ok::<(), lath_snapshot::SaveError>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.bytes()).sum()
    }
}

/// The memory of the copy is reused by `clone_from`.
impl Clone for Snapshot {
    fn clone(&self) -> Self {
        Self { parts: self.parts.iter().map(|part| part.copy()).collect() }
    }

    fn clone_from(&mut self, from: &Self) {
        let same = self.parts.len() == from.parts.len();
        if same
            && self
                .parts
                .iter()
                .zip(&from.parts)
                .all(|(to, from)| to.as_any().type_id() == from.as_any().type_id())
        {
            self.parts.iter_mut().zip(&from.parts).for_each(|(to, from)| to.copy_from(&**from));
        } else {
            *self = from.clone();
        }
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.parts.iter().map(|part| part.name()).collect();
        out.debug_struct("Snapshot").field("of", &names).field("bytes", &self.bytes()).finish()
    }
}
