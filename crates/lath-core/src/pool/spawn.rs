//! Putting things in.

use core::iter::FusedIterator;

use super::Pool;
use super::stats::Counts;
use crate::cells::{Batch, Cells, End, Marks};
use crate::error::{SpawnError, SpawnFault};
use crate::handle::{Handle, HandleRange};
use crate::reuse::{Order, Reuse};
use crate::state::fitting_kind;
use crate::thing::Thing;

impl<T: Thing> Pool<T> {
    /// Puts a thing into the next free slot.
    ///
    /// # Panics
    ///
    /// If the pool is full, memory is refused, or the kind does not fit: where that can happen, use
    /// [`try_spawn`](Self::try_spawn), which gives the thing back.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// let mut crew = Pool::new();
    /// let [a, b] = [(); 2].map(|()| crew.spawn(Crew {}));
    /// crew.despawn(a);
    /// let c = crew.spawn(Crew {});
    /// assert_eq!(c.index(), a.index()); // the lowest free slot
    /// assert_eq!(format!("{a} {b} {c}"), "1v1 2v1 1v3");
    /// ```
    #[inline(always)] // so that the value is made in its slot: copied through the stack it costs twice as much
    pub fn spawn(&mut self, value: T) -> Handle<T> {
        match self.spawn_near(value) {
            Ok(handle) => handle,
            Err((marks, value)) => {
                self.spawn_anywhere(marks, value).unwrap_or_else(|error| refuse::<T>(error.fault))
            }
        }
    }

    /// Puts a thing into the next free slot, or gives it back.
    ///
    /// # Errors
    ///
    /// [`SpawnError`], with the thing inside, if the pool is full, memory is refused, or the kind
    /// does not fit in the handle. Nothing changed.
    ///
    /// # Examples
    ///
    /// See [`SpawnError`].
    #[inline(always)] // as for `spawn`
    pub fn try_spawn(&mut self, value: T) -> Result<Handle<T>, SpawnError<T>> {
        match self.spawn_near(value) {
            Ok(handle) => Ok(handle),
            Err((marks, value)) => self.spawn_anywhere(marks, value),
        }
    }

    /// The way that most things go: into a free slot of the group where the last one went.
    #[inline(always)]
    fn spawn_near(&mut self, value: T) -> Result<Handle<T>, (Marks, T)> {
        let Self { cells, order, counts, .. } = self;
        spawn_near(cells, order, counts, value)
    }

    #[inline(never)]
    fn spawn_anywhere(&mut self, marks: Marks, value: T) -> Result<Handle<T>, SpawnError<T>> {
        match self.next_slot(marks) {
            Ok(index) => self.fill(index, marks, None, value),
            Err(fault) => Err(SpawnError { value, fault }),
        }
    }

    /// Puts many things in: an iterator over their handles.
    ///
    /// All things are spawned whether or not the handles are looked at: asking for a handle spawns
    /// the next few, and dropping the iterator the rest. If the things' own iterator panics, what
    /// was spawned until then stays.
    ///
    /// # Panics
    ///
    /// As [`spawn`](Self::spawn).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { age: u32 }
    /// let mut crew = Pool::new();
    /// crew.spawn_many((0..10).map(|age| Crew { age })); // the handles are not wanted: fine
    /// let more: Vec<_> = crew.spawn_many((10..20).map(|age| Crew { age })).collect();
    /// assert_eq!((crew.len(), more.len()), (20, 10));
    /// ```
    pub fn spawn_many<I: IntoIterator<Item = T>>(
        &mut self,
        things: I,
    ) -> SpawnMany<'_, T, I::IntoIter> {
        SpawnMany { pool: self, things: Some(things.into_iter()), batch: Batch::EMPTY }
    }

    /// Puts `n` things into consecutive slots, the lowest run of free ones that is long enough: `f`
    /// makes number 0, 1, ….
    ///
    /// # Errors
    ///
    /// [`SpawnFault::Full`] if there is no such run, [`SpawnFault::OutOfMemory`], or
    /// [`SpawnFault::Handle`] with [`WrongKind`](crate::HandleError::WrongKind) if the things are
    /// not all of one kind, since a range has one kind for all. Things that were already made are
    /// dropped, and nothing changed. The same if `f` panics.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Wagon { number: u32 }
    /// let mut wagons = Pool::new();
    /// let train = wagons.spawn_range(3, |number| Wagon { number }).unwrap();
    /// assert_eq!(wagons[train.get(2).unwrap()].number, 2);
    /// assert_eq!(format!("{train:?}"), "1v1+3");
    /// ```
    #[inline]
    pub fn spawn_range(
        &mut self,
        n: u32,
        f: impl FnMut(u32) -> T,
    ) -> Result<HandleRange<T>, SpawnFault> {
        if n == 0 {
            return Ok(HandleRange::EMPTY);
        }
        self.cells.settle().map_err(SpawnFault::OutOfMemory)?;
        let first = self.cells.slots().free_run(n).ok_or_else(|| self.full())?;
        let range = self.cells.fill_run(first, n, f)?;
        self.note_spawned(range.first().generation());
        Ok(range)
    }

    /// Puts a thing where `handle` says: the handle that the server, the save or the undo knows it
    /// by. O(1).
    ///
    /// The slot must be free and the generation later than any that the slot has had; or the handle
    /// is one that [`reserve`](Self::reserve) gave out. A slot far beyond the others has memory of
    /// its own, and the pool needs a few bits for every slot below it: a pool that is filled from
    /// outside should be [`fixed`](Self::fixed).
    ///
    /// # Errors
    ///
    /// [`SpawnError`], with the thing inside, if the handle is nil, of a slot that the pool cannot
    /// have, of a generation that is over, or of another kind than the thing; if the slot is taken;
    /// or if memory is refused. Nothing changed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, SpawnFault, Thing};
    /// # #[derive(Thing, Default, Debug)] struct Crew {}
    /// let mut server = Pool::new();
    /// let ada = server.spawn(Crew {});
    /// let lin = server.spawn(Crew {});
    ///
    /// let mut client = Pool::new();
    /// client.spawn_at(lin, Crew {}).unwrap(); // in any order
    /// client.spawn_at(ada, Crew {}).unwrap();
    /// assert!(client.contains(ada));
    ///
    /// client.despawn(ada);
    /// let error = client.spawn_at(ada, Crew {}).unwrap_err(); // that life is over
    /// assert_eq!(error.to_string(), "the handle cannot be spawned: 1v1 is stale: slot 1 is now at generation 2, free");
    /// ```
    pub fn spawn_at(&mut self, handle: Handle<T>, value: T) -> Result<(), SpawnError<T>> {
        let marks = Marks::of(&value);
        let settled = self.cells.settle().map_err(SpawnFault::OutOfMemory);
        let checked = settled.and_then(|()| self.cells.may_spawn_at(handle, marks.kind));
        if let Err(fault) = checked {
            return Err(SpawnError { value, fault });
        }
        self.fill(handle.index(), marks, Some(handle), value).map(|_| ())
    }

    /// The slot that the next thing gets.
    #[inline]
    fn next_slot(&mut self, marks: Marks) -> Result<u32, SpawnFault> {
        fitting_kind(Handle::<T>::STAMP, marks.kind)?;
        self.cells.settle().map_err(SpawnFault::OutOfMemory)?;
        match self.order.next(&mut self.cells, marks.tags) {
            Some(index) => Ok(index),
            None => Err(self.full()),
        }
    }

    /// Puts a value into a slot that is free or waits for it, under its next generation or under a
    /// given handle.
    #[inline]
    fn fill(
        &mut self,
        index: u32,
        marks: Marks,
        handle: Option<Handle<T>>,
        value: T,
    ) -> Result<Handle<T>, SpawnError<T>> {
        let vacancy = match self.cells.vacancy(index, marks) {
            Ok(vacancy) => vacancy,
            Err(error) => return Err(SpawnError { value, fault: SpawnFault::OutOfMemory(error) }),
        };
        let handle = match handle {
            None => vacancy.fill(value),
            Some(handle) => vacancy.with_stamp_of(handle).fill(value),
        };
        self.note_spawned(handle.generation());
        Ok(handle)
    }

    /// Counts what was spawned.
    #[inline]
    fn note_spawned(&mut self, largest: u32) {
        let Self { cells, counts, .. } = self;
        counts.note_generation(largest);
        if cells.is_observed() {
            counts.note_used::<T>(cells.used());
        }
    }

    #[cold]
    pub(super) fn full(&self) -> SpawnFault {
        self.cells.full()
    }
}

/// Puts a thing into a free slot of the group where the last one went, or gives it back. Apart from
/// the pool, so that its trees can be looked at meanwhile.
#[inline(always)]
pub(super) fn spawn_near<T: Thing>(
    cells: &mut Cells<T>,
    order: &Order,
    counts: &mut Counts,
    value: T,
) -> Result<Handle<T>, (Marks, T)> {
    let marks = Marks::of(&value);
    if fitting_kind(Handle::<T>::STAMP, marks.kind).is_err() {
        return Err((marks, value));
    }
    let handle = match cells.spawn_near(marks, value, || order.reuse() == Reuse::Lowest) {
        Ok(handle) => handle,
        Err(value) => return Err((marks, value)),
    };
    counts.note_generation(handle.generation());
    if cells.is_observed() {
        return Ok(note_observed(cells, counts, handle));
    }
    Ok(handle)
}

/// Notes a thing that was just spawned, for whoever counts or marks. Gives the handle back: the
/// caller need not keep it meanwhile.
#[cold]
#[inline(never)]
fn note_observed<T: Thing>(
    cells: &mut Cells<T>,
    counts: &mut Counts,
    handle: Handle<T>,
) -> Handle<T> {
    cells.mark_spawned(handle.index());
    counts.note_used::<T>(cells.used());
    handle
}

#[cold]
pub(super) fn refuse<T>(fault: SpawnFault) -> ! {
    panic!("cannot spawn a {}: {fault}", core::any::type_name::<T>())
}

/// Spawns without keeping the handles.
impl<T: Thing> Extend<T> for Pool<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, things: I) {
        self.spawn_many(things);
    }
}

impl<T: Thing> FromIterator<T> for Pool<T> {
    fn from_iter<I: IntoIterator<Item = T>>(things: I) -> Self {
        let mut pool = Self::new();
        pool.extend(things);
        pool
    }
}

/// Spawns things as it is asked for handles, and the rest when it is dropped: [`Pool::spawn_many`].
pub struct SpawnMany<'a, T: Thing, I: Iterator<Item = T>> {
    pool: &'a mut Pool<T>,
    /// Gone when it has ended, and while it runs, so that it is not asked again after a panic.
    things: Option<I>,
    /// Spawned, and their handles not yet asked for.
    batch: Batch<T>,
}

impl<T: Thing, I: Iterator<Item = T>> SpawnMany<'_, T, I> {
    /// Spawns the next things: those that fit into one group of slots.
    #[inline]
    fn next_batch(&mut self) {
        let Some(mut things) = self.things.take() else { return };
        if Cells::<T>::BATCHES && self.pool.order.reuse() == Reuse::Lowest {
            let mut largest = 0;
            let mut note = |generation| largest = largest.max(generation);
            let filled = self.pool.cells.fill_group(&mut things, &mut note);
            self.pool.note_spawned(largest);
            match filled {
                Some((batch, End::Things)) => return self.batch = batch,
                Some((_, End::Fault(fault))) => refuse::<T>(fault),
                Some((batch, End::Group)) => {
                    self.batch = batch;
                    self.things = Some(things);
                    return;
                }
                None => {} // full, or out of memory: `spawn` says it
            }
        }
        let Some(thing) = things.next() else { return };
        let handle = self.pool.spawn(thing);
        self.batch = self.pool.cells.batch_of(handle);
        self.things = Some(things);
    }
}

impl<T: Thing, I: Iterator<Item = T>> Iterator for SpawnMany<'_, T, I> {
    type Item = Handle<T>;

    #[inline]
    fn next(&mut self) -> Option<Handle<T>> {
        if let Some(handle) = self.batch.next(&self.pool.cells) {
            return Some(handle);
        }
        self.next_batch();
        self.batch.next(&self.pool.cells)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let spawned = self.batch.len();
        let (least, most) = self.things.as_ref().map_or((0, Some(0)), I::size_hint);
        (least.saturating_add(spawned), most.and_then(|most| most.checked_add(spawned)))
    }
}

impl<T: Thing, I: Iterator<Item = T>> FusedIterator for SpawnMany<'_, T, I> {}

impl<T: Thing, I: Iterator<Item = T>> Drop for SpawnMany<'_, T, I> {
    fn drop(&mut self) {
        while self.things.is_some() {
            self.next_batch();
        }
    }
}
