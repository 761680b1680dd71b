//! Side tables beside the things of a pool.

use core::marker::PhantomData;

use super::Pool;
use crate::error::{OutOfMemory, SideError, SideFault};
use crate::handle::Handle;
use crate::side::Table;
use crate::thing::Thing;

impl<T: Thing> Pool<T> {
    /// The side table of values of type `V`, to be asked: values for some of the things, by their
    /// handles. See [`SideMut`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// struct Captain(&'static str);
    /// let ships = Pool::<Ship>::new();
    /// assert!(ships.side::<Captain>().is_empty()); // nobody has put anything in
    /// ```
    #[inline]
    pub fn side<V: 'static>(&self) -> Side<'_, T, V> {
        Side { table: self.companions.tables.of(), thing: PhantomData }
    }

    /// The side table of values of type `V`, to be changed: one table for each type.
    ///
    /// # Examples
    ///
    /// See [`SideMut`].
    #[inline]
    pub fn side_mut<V: Clone + Send + Sync + 'static>(&mut self) -> SideMut<'_, T, V> {
        SideMut { pool: self, value: PhantomData }
    }
}

/// The values of one type beside the things of a pool, to be asked: [`Pool::side`].
///
/// # Examples
///
/// ```
/// # use lath_core::{Pool, Thing};
/// # #[derive(Thing, Default)] struct Ship {}
/// # #[derive(Clone)] struct Captain(&'static str);
/// let mut ships: Pool<Ship> = (0..3).map(|_| Ship {}).collect();
/// let [lark, _, wren] = ships.handles().collect::<Vec<_>>()[..] else { unreachable!() };
/// ships.side_mut().insert(wren, Captain("Lin"))?;
/// ships.side_mut().insert(lark, Captain("Ada"))?;
///
/// let captains = ships.side::<Captain>();
/// assert_eq!(captains.get(lark).map(|captain| captain.0), Some("Ada"));
/// assert!(captains.iter().map(|(ship, _)| ship).eq([lark, wren])); // in slot order
/// # Ok::<(), lath_core::SideError<Captain>>(())
/// ```
pub struct Side<'a, T: Thing, V> {
    table: Option<&'a Table<V>>,
    thing: PhantomData<fn() -> T>,
}

impl<T: Thing, V> Clone for Side<'_, T, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Thing, V> Copy for Side<'_, T, V> {}

impl<'a, T: Thing, V> Side<'a, T, V> {
    /// The value of a thing, if it has one.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut ships = Pool::new();
    /// let lark = ships.spawn(Ship {});
    /// ships.side_mut::<u32>().insert(lark, 7)?;
    /// assert_eq!(ships.side::<u32>().get(lark), Some(&7));
    /// assert_eq!(ships.side::<u32>().get(Handle::NIL), None);
    /// # Ok::<(), lath_core::SideError<u32>>(())
    /// ```
    #[inline]
    pub fn get(self, handle: Handle<T>) -> Option<&'a V> {
        self.table?.get(handle.node())
    }

    /// Whether a thing has a value.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut ships = Pool::new();
    /// let lark = ships.spawn(Ship {});
    /// ships.side_mut().insert(lark, 7_u32).unwrap();
    /// assert!(ships.side::<u32>().contains(lark));
    /// assert!(!ships.side::<u64>().contains(lark)); // another table
    /// ```
    #[inline]
    pub fn contains(self, handle: Handle<T>) -> bool {
        self.get(handle).is_some()
    }

    /// All things that have a value, and their values, in slot order.
    ///
    /// # Examples
    ///
    /// See [`Side`].
    pub fn iter(self) -> impl Iterator<Item = (Handle<T>, &'a V)> {
        let entries = self.table.into_iter().flat_map(Table::iter);
        entries.map(|((index, stamp), value)| (Handle::from_parts(index, stamp), value))
    }

    /// How many things have a value.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut ships = Pool::new();
    /// let lark = ships.spawn(Ship {});
    /// ships.side_mut().insert(lark, 7_u32).unwrap();
    /// assert_eq!(ships.side::<u32>().len(), 1);
    /// ships.despawn(lark);
    /// assert_eq!(ships.side::<u32>().len(), 0); // the value went with the thing
    /// ```
    #[inline]
    pub fn len(self) -> usize {
        self.table.map_or(0, Table::len)
    }

    /// Whether no thing has a value.
    ///
    /// # Examples
    ///
    /// See [`Pool::side`].
    #[inline]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// The values of one type beside the things of a pool, to be changed: [`Pool::side_mut`].
///
/// For what only some things have and no view asks for, or what comes from another crate: a path
/// that was found, a sound that plays, what a plugin knows. A value goes when its thing does, in
/// whatever way that is; it is copied with the pool, and snapshots put it back, which is why it must
/// be `Clone`. Saves do not have it.
///
/// It takes memory for 64 slots where any of them has a value; what is large is better put into a
/// box.
///
/// # Examples
///
/// ```
/// use lath_core::{Pool, Thing};
/// # #[derive(Thing, Default)] struct Ship {}
/// #[derive(Clone, Debug, PartialEq)]
/// struct Course { waypoints: Vec<(f32, f32)> }
///
/// let mut ships = Pool::new();
/// let lark = ships.spawn(Ship {});
/// let mut courses = ships.side_mut::<Course>();
/// courses.insert(lark, Course { waypoints: vec![(1.0, 2.0)] })?;
/// if let Some(course) = courses.get_mut(lark) {
///     course.waypoints.push((3.0, 4.0));
/// }
/// assert_eq!(ships.side::<Course>().get(lark).map(|course| course.waypoints.len()), Some(2));
///
/// ships.despawn(lark);
/// assert!(ships.side::<Course>().is_empty());
/// # Ok::<(), lath_core::SideError<Course>>(())
/// ```
pub struct SideMut<'a, T: Thing, V> {
    pool: &'a mut Pool<T>,
    value: PhantomData<fn() -> V>,
}

impl<T: Thing, V: Clone + Send + Sync + 'static> SideMut<'_, T, V> {
    /// The same table, to be asked.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut ships = Pool::<Ship>::new();
    /// let crew = ships.side_mut::<u32>();
    /// assert_eq!(crew.as_side().iter().map(|(_, count)| count).sum::<u32>(), 0);
    /// ```
    #[inline]
    pub fn as_side(&self) -> Side<'_, T, V> {
        self.pool.side()
    }

    /// Makes memory for the values of all slots that the pool has memory for: to put one in
    /// allocates nothing then.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut ships = Pool::<Ship>::fixed(1000).unwrap();
    /// ships.side_mut::<u32>().reserve()?;
    /// # Ok::<(), lath_core::OutOfMemory>(())
    /// ```
    pub fn reserve(&mut self) -> Result<(), OutOfMemory> {
        let slots = self.pool.capacity() as u32 + 1;
        self.pool.cells.set_observed(true);
        let table = self.pool.companions.tables.find_or_make::<V>()?;
        (0..slots).step_by(64).try_for_each(|index| table.make_room(index))
    }

    /// Gives a thing a value: answers the one that it had.
    ///
    /// # Errors
    ///
    /// [`SideError`] gives the value back, and nothing has changed: there is no such thing, or
    /// memory is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut ships = Pool::new();
    /// let lark = ships.spawn(Ship {});
    /// let mut crew = ships.side_mut::<u32>();
    /// assert_eq!(crew.insert(lark, 7)?, None);
    /// assert_eq!(crew.insert(lark, 8)?, Some(7));
    /// ships.despawn(lark);
    /// assert_eq!(ships.side_mut().insert(lark, 9).unwrap_err().value, 9);
    /// # Ok::<(), lath_core::SideError<u32>>(())
    /// ```
    pub fn insert(&mut self, handle: Handle<T>, value: V) -> Result<Option<V>, SideError<V>> {
        match self.table_with_room(handle) {
            Ok(table) => Ok(table.insert(handle.node(), value)),
            Err(fault) => Err(SideError { value, fault }),
        }
    }

    fn table_with_room(&mut self, handle: Handle<T>) -> Result<&mut Table<V>, SideFault> {
        self.pool.check(handle).map_err(SideFault::Handle)?;
        self.pool.cells.set_observed(true);
        let table = self.pool.companions.tables.find_or_make().map_err(SideFault::OutOfMemory)?;
        table.make_room(handle.index()).map_err(SideFault::OutOfMemory)?;
        Ok(table)
    }

    /// The value of a thing, to be changed, if it has one.
    ///
    /// # Examples
    ///
    /// See [`SideMut`].
    #[inline]
    pub fn get_mut(&mut self, handle: Handle<T>) -> Option<&mut V> {
        self.pool.companions.tables.of_mut::<V>()?.get_mut(handle.node())
    }

    /// Takes the value of a thing away, if it has one.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut ships = Pool::new();
    /// let lark = ships.spawn(Ship {});
    /// let mut crew = ships.side_mut::<u32>();
    /// crew.insert(lark, 7)?;
    /// assert_eq!(crew.remove(lark), Some(7));
    /// assert_eq!(crew.remove(lark), None);
    /// # Ok::<(), lath_core::SideError<u32>>(())
    /// ```
    pub fn remove(&mut self, handle: Handle<T>) -> Option<V> {
        self.pool.companions.tables.of_mut::<V>()?.remove(handle.node())
    }

    /// All things that have a value, and their values, to be changed, in slot order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut ships: Pool<Ship> = (0..3).map(|_| Ship {}).collect();
    /// let fleet: Vec<_> = ships.handles().collect();
    /// let mut crew = ships.side_mut::<u32>();
    /// for (n, ship) in fleet.into_iter().enumerate() { crew.insert(ship, n as u32)?; }
    /// crew.iter_mut().for_each(|(_, count)| *count += 1);
    /// assert!(ships.side::<u32>().iter().map(|(_, count)| *count).eq([1, 2, 3]));
    /// # Ok::<(), lath_core::SideError<u32>>(())
    /// ```
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Handle<T>, &mut V)> {
        let entries = self.pool.companions.tables.of_mut().into_iter().flat_map(Table::iter_mut);
        entries.map(|((index, stamp), value)| (Handle::from_parts(index, stamp), value))
    }
}
