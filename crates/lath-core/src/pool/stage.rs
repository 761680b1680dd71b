//! Adding while others hold references: staging, reserving, and the commit.

use super::Pool;
use super::spawn::refuse;
use crate::cells::{Cells, Iter, Others};
use crate::error::{SpawnError, SpawnFault};
use crate::handle::Handle;
use crate::state::fitting_kind;
use crate::thing::Thing;

impl<T: Thing> Pool<T> {
    /// Puts a thing in while others hold references: lookups find it at once, iteration from the
    /// [`commit`](Self::commit) on.
    ///
    /// It waits aside, where references to it stay good, and moves into its slot when somebody has
    /// the pool exclusively. Several threads may stage at the same time;
    /// then the handles that each gets depend on timing.
    ///
    /// # Panics
    ///
    /// As [`spawn`](Self::spawn).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { name: &'static str }
    /// let mut crew = Pool::new();
    /// let ada = crew.spawn(Crew { name: "Ada" });
    ///
    /// let held = crew.read(ada);
    /// let lin = crew.stage(Crew { name: "Lin" });
    /// assert_eq!((held.name, crew.read(lin).name), ("Ada", "Lin")); // both are good
    ///
    /// assert_eq!(crew.iter().count(), 1);
    /// crew.commit();
    /// assert_eq!(crew.iter().count(), 2);
    /// ```
    pub fn stage(&self, value: T) -> Handle<T> {
        self.try_stage(value).unwrap_or_else(|error| refuse::<T>(error.fault))
    }

    /// Stages a thing, or gives it back.
    ///
    /// # Errors
    ///
    /// As [`try_spawn`](Self::try_spawn).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default, Debug)] struct Crew { name: &'static str }
    /// let boat = Pool::fixed(1).unwrap();
    /// boat.try_stage(Crew { name: "Ada" }).unwrap();
    /// assert_eq!(boat.try_stage(Crew { name: "Lin" }).unwrap_err().value.name, "Lin");
    /// ```
    pub fn try_stage(&self, value: T) -> Result<Handle<T>, SpawnError<T>> {
        stage(&self.cells, value)
    }

    /// Gives out a handle whose value comes later, by [`spawn_at`](Self::spawn_at). From any
    /// thread: others that reserve or stage at the same time wait a moment.
    ///
    /// Until then lookups find nothing under it, and [`despawn`](Self::despawn) gives it up. A
    /// thing with kinds gets kind 0; see [`reserve_kind`](Self::reserve_kind).
    ///
    /// # Panics
    ///
    /// If the pool is full or memory is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { friend: Handle<Crew> }
    /// let mut crew = Pool::new();
    /// let ada = crew.reserve(); // Ada and Lin know each other: one of the handles must come first
    /// let lin = crew.spawn(Crew { friend: ada });
    /// assert!(crew.get(ada).is_none());
    /// crew.spawn_at(ada, Crew { friend: lin }).unwrap();
    /// assert!(crew.contains(crew[lin].friend));
    /// ```
    pub fn reserve(&self) -> Handle<T> {
        self.reserve_kind(0)
    }

    /// Gives out a handle whose value comes later, or says why not.
    ///
    /// # Errors
    ///
    /// [`SpawnFault`] if the pool is full or memory is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// let boat = Pool::<Crew>::fixed(1).unwrap();
    /// assert!(boat.try_reserve().is_ok());
    /// assert!(boat.try_reserve().is_err());
    /// ```
    pub fn try_reserve(&self) -> Result<Handle<T>, SpawnFault> {
        self.try_reserve_kind(0)
    }

    /// Gives out a handle of a given kind whose value comes later.
    ///
    /// # Panics
    ///
    /// If the pool is full, memory is refused, or the kind does not fit in the handle.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] #[thing(handle(kind = 4))] struct Item { #[thing(kind)] sort: u8 }
    /// let mut items = Pool::new();
    /// let sword = items.reserve_kind(3);
    /// assert!(items.spawn_at(sword, Item { sort: 4 }).is_err());
    /// assert!(items.spawn_at(sword, Item { sort: 3 }).is_ok());
    /// ```
    pub fn reserve_kind(&self, kind: u32) -> Handle<T> {
        self.try_reserve_kind(kind).unwrap_or_else(|fault| refuse::<T>(fault))
    }

    /// Gives out a handle of a given kind whose value comes later, or says why not.
    ///
    /// # Errors
    ///
    /// [`SpawnFault`] if the pool is full, memory is refused, or the kind does not fit in the
    /// handle.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// let boat = Pool::<Crew>::fixed(1).unwrap();
    /// assert!(boat.try_reserve_kind(0).is_ok());
    /// assert!(boat.try_reserve_kind(0).is_err());
    /// ```
    pub fn try_reserve_kind(&self, kind: u32) -> Result<Handle<T>, SpawnFault> {
        let kind = fitting_kind(Handle::<T>::STAMP, kind)?;
        self.cells.reserve(kind).map_err(SpawnFault::OutOfMemory)?.ok_or_else(|| self.full())
    }

    /// Makes all staged things live: iteration finds them from now on. Answers how many. Nothing
    /// moves, every handle stays good, and reserved handles stay reserved.
    ///
    /// # Examples
    ///
    /// See [`stage`](Self::stage).
    pub fn commit(&mut self) -> u32 {
        let Self { cells, counts, .. } = self;
        counts.note_used::<T>(cells.used());
        cells.commit(&mut |generation| counts.note_generation(generation))
    }

    /// Looks at all things, staged ones included, in slot order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// let mut crew = Pool::new();
    /// crew.spawn(Crew {});
    /// crew.stage(Crew {});
    /// assert_eq!((crew.iter().count(), crew.iter_with_staged().count()), (1, 2));
    /// ```
    pub fn iter_with_staged(&self) -> Iter<'_, T> {
        Iter::new(&self.cells, true)
    }
}

fn stage<T: Thing>(cells: &Cells<T>, value: T) -> Result<Handle<T>, SpawnError<T>> {
    match fitting_kind(Handle::<T>::STAMP, value.kind()) {
        Ok(kind) => cells.stage(value, kind).map_err(|(value, out_of_memory)| SpawnError {
            value,
            fault: out_of_memory.map_or_else(|| cells.full(), SpawnFault::OutOfMemory),
        }),
        Err(fault) => Err(SpawnError { value, fault }),
    }
}

impl<T: Thing> Others<'_, T> {
    /// Puts a new thing in, to be live from the pool's next [`commit`](Pool::commit) on.
    ///
    /// # Panics
    ///
    /// As [`Pool::spawn`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Cell { size: u32 }
    /// let mut cells: Pool<Cell> = [4, 7].map(|size| Cell { size }).into_iter().collect();
    /// cells.each_with_rest(|_, cell, rest| {
    ///     if cell.size > 5 {
    ///         cell.size /= 2;
    ///         rest.stage(Cell { size: cell.size });
    ///     }
    /// });
    /// cells.commit();
    /// assert_eq!(cells.iter().map(|(_, cell)| cell.size).collect::<Vec<_>>(), [4, 3, 3]);
    /// ```
    pub fn stage(&self, value: T) -> Handle<T> {
        self.try_stage(value).unwrap_or_else(|error| refuse::<T>(error.fault))
    }

    /// Puts a new thing in, or gives it back.
    ///
    /// # Errors
    ///
    /// As [`Pool::try_spawn`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default, Debug)] struct Cell {}
    /// let mut cells = Pool::fixed(1).unwrap();
    /// cells.spawn(Cell {});
    /// cells.each_with_rest(|_, _, rest| assert!(rest.try_stage(Cell {}).is_err()));
    /// ```
    pub fn try_stage(&self, value: T) -> Result<Handle<T>, SpawnError<T>> {
        stage(self.cells(), value)
    }
}
