//! The pool: a large array of slots that remembers who used to live where.
//!
//! # Invariants
//!
//! - **P1** A handle resolves to the thing that it was made for, or to nothing.
//! - **P2** A slot's generation never decreases; a slot whose generation is spent is handed out no
//!   more.
//! - **P3** With [`Reuse::Lowest`] the slot handed out next follows from which slots are free, and
//!   from nothing else. For things with tags it follows from that and from which tags each group of
//!   slots belongs to.
//! - **P4** Within the high-water mark nothing allocates.
//! - **P5** A panic in the user's code (`Drop`, `Default`, `Clone`, iterators, closures) leaves all
//!   of this true.
//!
//! [`Pool::check_invariants`] looks whether they hold; the model test calls it after every step.

mod access;
mod blocks;
mod changes;
mod despawn;
mod iter;
mod resume;
mod side;
mod spawn;
mod stage;
mod stats;
mod systems;
mod tags;
mod tree;
mod view;

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;
use core::fmt;

use crate::cells::{Cells, Freed};
use crate::companion::{Companion, Companions};
use crate::error::{CapacityError, OutOfMemory};
use crate::reuse::{Order, Reuse};
use crate::storage::CloneStorage;
use crate::thing::Thing;

pub use blocks::next_identity;
pub use despawn::ExtractIf;
pub use side::{Side, SideMut};
pub use spawn::SpawnMany;
pub use stats::{Excess, Stats};

/// The large array of things of one type.
///
/// It grows as needed and never moves a thing. Things are named by [`Handle`](crate::Handle),
/// walked in slot order, and their slots reused, lowest first, under a later generation.
///
/// Calls that can fail for want of a slot or of memory come in two forms: `spawn` panics,
/// `try_spawn` gives the thing back.
///
/// # Examples
///
/// ```
/// use lath_core::{Pool, Thing};
///
/// #[derive(Thing, Default, Debug, PartialEq)]
/// struct Crew { name: &'static str }
///
/// let mut crew = Pool::new();
/// let ada = crew.spawn(Crew { name: "Ada" });
/// assert_eq!(crew.read(ada).name, "Ada");
///
/// crew.despawn(ada);
/// crew.spawn(Crew { name: "Lin" }); // the same slot…
/// assert!(crew.get(ada).is_none()); // …but the old handle knows
/// assert_eq!(crew.read(ada), &Crew::default()); // the nil thing
/// ```
///
/// A reference into the pool cannot be kept across a call that needs the pool exclusively:
///
/// ```compile_fail,E0502
/// # use lath_core::{Pool, Thing};
/// # #[derive(Thing, Default)] struct Crew { name: &'static str }
/// # let mut crew = Pool::<Crew>::new();
/// # let ada = crew.spawn(Crew { name: "Ada" });
/// let reference = crew.read(ada);
/// crew.spawn(Crew { name: "Lin" });
/// println!("{}", reference.name);
/// ```
///
/// [`stage`](Pool::stage) is the way to add while references are held.
pub struct Pool<T: Thing> {
    cells: Cells<T>,
    order: Order,
    /// Buried slots by the epoch after which they may go.
    graves: BinaryHeap<Reverse<(u64, u32)>>,
    counts: stats::Counts,
    companions: Companions,
    /// No two pools have the same: an image knows what it is an image of.
    identity: u64,
}

impl<T: Thing> Pool<T> {
    /// The most slots that the index bits of the handle can name, slot 0 left out.
    const LARGEST: u32 = u32::MAX >> (32 - T::INDEX_BITS);

    /// Makes an empty pool that grows as needed. The first block and the nil thing are made at
    /// once.
    ///
    /// # Panics
    ///
    /// If memory for the first block is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { age: u32 }
    /// let crew = Pool::<Crew>::new();
    /// assert_eq!(crew.read(Handle::NIL).age, 0); // there is something to read even here
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::with_limit(Self::LARGEST, 0).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Makes an empty pool with memory for `capacity` things, that still grows beyond them. As long
    /// as it does not, they all lie in one array.
    ///
    /// # Errors
    ///
    /// [`CapacityError`] if the index bits of the handle cannot name so many slots, or memory is
    /// refused.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// let crew = Pool::<Crew>::with_capacity(1000)?;
    /// assert!(crew.capacity() >= 1000);
    /// # Ok::<(), lath_core::CapacityError>(())
    /// ```
    pub fn with_capacity(capacity: usize) -> Result<Self, CapacityError> {
        Ok(Self::with_limit(Self::LARGEST, Self::checked(capacity)?)?)
    }

    /// Makes a pool of exactly `capacity` slots: all allocation now, none ever again. When it is
    /// full, [`try_spawn`](Self::try_spawn) gives the value back.
    ///
    /// # Errors
    ///
    /// [`CapacityError`] if `capacity` is zero or more than the index bits of the handle can name,
    /// or memory is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{CapacityError, Pool, Thing};
    /// # #[derive(Thing, Default, Debug)] struct Crew {}
    /// let mut boat = Pool::fixed(2)?;
    /// boat.spawn(Crew {});
    /// boat.spawn(Crew {});
    /// assert!(boat.try_spawn(Crew {}).is_err());
    /// assert_eq!(Pool::<Crew>::fixed(0).err(), Some(CapacityError::Zero));
    /// # Ok::<(), CapacityError>(())
    /// ```
    pub fn fixed(capacity: usize) -> Result<Self, CapacityError> {
        let capacity = match Self::checked(capacity)? {
            0 => return Err(CapacityError::Zero),
            capacity => capacity,
        };
        let mut pool = Self::with_limit(capacity, capacity)?;
        pool.cells.fix(capacity)?;
        pool.graves
            .try_reserve(capacity as usize)
            .map_err(|_| OutOfMemory { bytes: (capacity as usize).saturating_mul(16) })?;
        Ok(pool)
    }

    /// No more than `limit` slots, and memory for `room` of them.
    fn with_limit(limit: u32, room: u32) -> Result<Self, OutOfMemory> {
        Ok(Self {
            cells: Cells::new(u64::from(limit) + 1, u64::from(room) + 1)?,
            order: Order::default(),
            graves: BinaryHeap::new(),
            counts: stats::Counts::new(),
            companions: Companions::default(),
            identity: next_identity(),
        })
    }

    fn checked(capacity: usize) -> Result<u32, CapacityError> {
        match u32::try_from(capacity) {
            Ok(capacity) if capacity <= Self::LARGEST => Ok(capacity),
            _ => Err(CapacityError::TooLarge { capacity, largest: Self::LARGEST }),
        }
    }

    /// Which free slot the next thing gets.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Reuse, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// assert_eq!(Pool::<Crew>::new().reuse(), Reuse::Lowest);
    /// ```
    pub fn reuse(&self) -> Reuse {
        self.order.reuse()
    }

    /// Hands out free slots in another order from now on.
    ///
    /// # Examples
    ///
    /// See [`Reuse`].
    pub fn set_reuse(&mut self, reuse: Reuse) {
        _ = self.cells.settle(); // refused: those that got no memory stay in the nursery
        self.cells.drop_cursor();
        self.order = Order::new(reuse, &self.cells);
        self.update_observed();
    }

    /// Notes whether anybody has to hear of things that come and go.
    pub(super) fn update_observed(&mut self) {
        let lists = !self.companions.is_empty() || self.order.reuse() != Reuse::Lowest;
        self.cells.set_observed(lists || self.counts.are_watched());
    }

    fn note(&mut self, freed: Freed) {
        self.order.note_freed(freed, &self.cells);
    }

    /// Looks whether the pool's own bookkeeping is consistent: for tests, and for the suspicious.
    ///
    /// # Errors
    ///
    /// A sentence about the first invariant that does not hold. No sequence of safe calls should
    /// ever lead there.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// assert_eq!(Pool::<Crew>::new().check_invariants(), Ok(()));
    /// ```
    pub fn check_invariants(&self) -> Result<(), &'static str> {
        self.cells.check()?;
        let lists = !self.companions.is_empty() || self.order.reuse() != Reuse::Lowest;
        if (lists || self.counts.are_watched()) && !self.cells.hears_all() {
            return Err("C5: somebody would not hear of what comes and goes");
        }
        if self.graves.len() != self.cells.slots().buried() as usize {
            return Err("the graves are not those of the buried slots");
        }
        self.companions.check(&|index| self.cells.stamp(index))
    }
}

impl<T: Thing> Default for Pool<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Every handle is good in the copy too, staged, reserved and buried ones included, and what is
/// spawned next gets the same handle in both. Others may be staging at the same time: a thing that
/// is just being staged is not in the copy, where its handle waits for a thing like one that was
/// reserved.
///
/// # Panics
///
/// If memory is refused.
impl<T: Thing<Storage: CloneStorage<T>>> Clone for Pool<T> {
    fn clone(&self) -> Self {
        let cells = self.cells.try_clone().unwrap_or_else(|error| panic!("{error}"));
        // As much room as in the original: a copy of a fixed pool does not allocate either.
        let mut graves = BinaryHeap::with_capacity(self.graves.capacity());
        graves.extend(&self.graves);
        let mut companions = Companions::default();
        companions.assign(&self.companions, false);
        let identity = next_identity();
        let mut copy = Self {
            cells,
            order: self.order.clone(),
            graves,
            counts: self.counts,
            companions,
            identity,
        };
        copy.update_observed();
        copy
    }
}

impl<T: Thing> fmt::Debug for Pool<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Pool")
            .field("thing", &core::any::type_name::<T>())
            .field("stats", &self.stats())
            .finish()
    }
}
