//! Taking things out.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::Pool;
use crate::cells::{Cells, Ended};
use crate::handle::Handle;
use crate::reuse::Reuse;
use crate::storage::ThingMut;
use crate::thing::Thing;
use crate::tree::Orphans;

/// Of how many things memory is asked for before the first of them is despawned.
const AHEAD: usize = 64;

impl<T: Thing> Pool<T> {
    /// Drops the thing that `handle` names and ends its generation. Answers whether there was one.
    ///
    /// Despawning twice is harmless. A staged thing goes at once, a reserved handle is given up. If
    /// the thing's `Drop` panics, it counts as gone.
    ///
    /// A thing that is linked leaves all its trees; what becomes of its children is up to each
    /// [`Relation`](crate::Relation). Those that go with it are dropped after it, also if a `Drop`
    /// panics.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// let mut crew = Pool::new();
    /// let ada = crew.spawn(Crew {});
    /// assert!(crew.despawn(ada));
    /// assert!(!crew.despawn(ada));
    /// ```
    #[inline]
    pub fn despawn(&mut self, handle: Handle<T>) -> bool {
        self.cells.drop_alone(handle) || self.despawn_with_care(handle)
    }

    /// As [`despawn`](Self::despawn), for all cases.
    #[inline(never)]
    fn despawn_with_care(&mut self, handle: Handle<T>) -> bool {
        if self.cells.settle().is_err() && self.cells.give_up(handle).is_some() {
            return true;
        }
        self.update_observed();
        if self.trees.is_empty() {
            self.despawn_alone(handle)
        } else {
            self.despawn_linked(handle, None)
        }
    }

    /// Takes many things out of the pool and drops them, as [`despawn`](Self::despawn) does, one
    /// after the other: how many of them there were.
    ///
    /// Where they lie here and there in a large pool that is faster than one call for each: the
    /// memory of those that come later is fetched ahead. For that it knows some handles before it
    /// is their turn: if a `Drop` or the iterator panics, the last few that the iterator gave may
    /// still be there.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { age: u32 }
    /// let mut crew: Pool<Crew> = (0..100).map(|age| Crew { age }).collect();
    /// let old: Vec<_> = crew.iter().filter(|(_, one)| one.age >= 60).map(|(who, _)| who).collect();
    /// assert_eq!(crew.despawn_many(old.iter().copied()), 40);
    /// assert_eq!(crew.despawn_many(old), 0); // gone already: fine
    /// assert_eq!(crew.len(), 60);
    /// ```
    pub fn despawn_many(&mut self, handles: impl IntoIterator<Item = Handle<T>>) -> u32 {
        let mut handles = handles.into_iter();
        let mut asked = [Handle::NIL; AHEAD];
        let mut count = 0;
        loop {
            let mut len = 0;
            for (place, handle) in asked.iter_mut().zip(&mut handles) {
                self.cells.prefetch_stamp(handle);
                *place = handle;
                len += 1;
            }
            count +=
                asked[..len].iter().map(|&handle| u32::from(self.despawn(handle))).sum::<u32>();
            if len < AHEAD {
                return count;
            }
        }
    }

    /// Despawns a thing and those who leave with it. `orphans` is what becomes of its own children,
    /// if not what the relations say.
    #[inline(never)]
    pub(super) fn despawn_linked(&mut self, handle: Handle<T>, orphans: Option<Orphans>) -> bool {
        _ = self.cells.settle(); // refused: those that got no memory stay in the nursery
        if !self.contains(handle) {
            return self.cancel(handle);
        }
        if self.trees.part_leaf(handle) {
            return self.despawn_alone(handle);
        }
        Leaving::new(self, handle, orphans).despawn();
        true
    }

    /// Despawns a thing without a look at any tree.
    #[inline]
    fn despawn_alone(&mut self, handle: Handle<T>) -> bool {
        let Self { cells, order, .. } = self;
        cells.drop_value(handle, |freed, cells| order.note(freed, cells)) || self.cancel(handle)
    }

    #[cold]
    fn cancel(&mut self, handle: Handle<T>) -> bool {
        if self.cells.claimed() == 0 {
            return false;
        }
        self.cells.cancel(handle).map(|freed| self.note(freed)).is_some()
    }

    /// Moves the thing that `handle` names out of the pool and ends its generation; `None` if there
    /// is none.
    ///
    /// It leaves its trees as by [`despawn`](Self::despawn): children that go with it are dropped.
    /// [`take_tree`](Self::take_tree) takes them along.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { name: String }
    /// let mut crew = Pool::new();
    /// let ada = crew.spawn(Crew { name: "Ada".into() });
    /// assert_eq!(crew.take(ada).map(|ada| ada.name), Some("Ada".to_string()));
    /// assert!(crew.take(ada).is_none());
    /// ```
    #[inline]
    pub fn take(&mut self, handle: Handle<T>) -> Option<T> {
        if self.cells.settle().is_err() {
            if let Some(value) = self.cells.give_up(handle) {
                return value;
            }
        }
        if self.trees.is_empty() { self.take_alone(handle) } else { self.take_linked(handle, None) }
    }

    /// Takes a thing, and despawns those who leave with it.
    #[inline(never)]
    pub(super) fn take_linked(&mut self, handle: Handle<T>, orphans: Option<Orphans>) -> Option<T> {
        _ = self.cells.settle(); // refused: those that got no memory stay in the nursery
        if !self.contains(handle) {
            return None;
        }
        // Without a list, which needs memory: a child for whose links there was none is taken back.
        if self.trees.part_leaf(handle) {
            return self.take_alone(handle);
        }
        let mut leaving = Leaving::new(self, handle, orphans);
        let value = leaving.next().and_then(|handle| leaving.pool.take_alone(handle));
        leaving.despawn();
        value
    }

    /// Takes a thing without a look at any tree.
    #[inline]
    fn take_alone(&mut self, handle: Handle<T>) -> Option<T> {
        let (value, freed) = self.cells.take(handle)?;
        self.note(freed);
        Some(value)
    }

    /// Ends the generation of the thing that `handle` names, but keeps its value where it is until
    /// [`reap`](Self::reap) is called with `epoch` or more: for the frames during which the GPU
    /// still uses it. Answers whether there was one. It leaves its trees at once, and children that
    /// go with it are kept as long as it is.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Buffer {}
    /// let mut buffers = Pool::new();
    /// let buffer = buffers.spawn(Buffer {});
    /// let frame = 7;
    /// buffers.despawn_after(buffer, frame + 2);
    /// assert!(!buffers.contains(buffer)); // dead at once
    /// assert_eq!(buffers.reap(frame + 1), 0);
    /// assert_eq!(buffers.reap(frame + 2), 1); // dropped, its slot free
    /// ```
    pub fn despawn_after(&mut self, handle: Handle<T>, epoch: u64) -> bool {
        if self.cells.settle().is_err() && self.cells.give_up(handle).is_some() {
            return true; // there is no memory to keep it in
        }
        if self.trees.is_empty() || !self.contains(handle) {
            return self.bury(handle, epoch);
        }
        let mut leaving = Leaving::new(self, handle, None);
        while let Some(handle) = leaving.next() {
            leaving.pool.bury(handle, epoch);
        }
        true
    }

    fn bury(&mut self, handle: Handle<T>, epoch: u64) -> bool {
        let buried = self.cells.bury(handle);
        if buried {
            self.graves.push(Reverse((epoch, handle.index())));
        }
        buried
    }

    /// Drops the things whose epoch has come, by epoch and then by slot. Answers how many.
    ///
    /// # Examples
    ///
    /// See [`despawn_after`](Self::despawn_after).
    pub fn reap(&mut self, epoch: u64) -> u32 {
        _ = self.cells.settle(); // refused: those that got no memory stay in the nursery
        let mut reaped = 0;
        while self.graves.peek().is_some_and(|Reverse((due, _))| *due <= epoch) {
            let Some(Reverse((_, index))) = self.graves.pop() else { break };
            let Self { cells, order, .. } = self;
            reaped += u32::from(cells.exhume(index, |freed, cells| order.note(freed, cells)));
        }
        reaped
    }

    /// Despawns everything: live, staged and buried things are dropped, reserved handles given up.
    /// Every old handle stays dead, and memory is kept.
    ///
    /// If the `Drop` of one thing panics, the others are dropped all the same before the panic goes
    /// on.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// let mut crew = Pool::new();
    /// let ada = crew.spawn(Crew {});
    /// crew.clear();
    /// crew.spawn(Crew {}); // in the same slot
    /// assert!(!crew.contains(ada));
    /// ```
    pub fn clear(&mut self) {
        let Self { cells, order, graves, trees, .. } = self;
        graves.clear();
        trees.clear();
        if Cells::<T>::PLAIN && order.reuse() == Reuse::Lowest {
            cells.note_use();
            cells.end_all_plain();
        }
        cells.clear(&mut |freed, cells| order.note(freed, cells));
    }

    /// Makes retired slots usable again, from generation 1 on. Answers how many.
    ///
    /// Call this only at a moment when no old handle can be left, such as a change of level: an old
    /// handle of such a slot would name the new thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// #[derive(Thing, Default, Debug)]
    /// #[thing(handle(bits = 16, index = 15))] // one bit of generation: a slot is used once
    /// struct Spark {}
    ///
    /// let mut sparks = Pool::fixed(1).unwrap();
    /// let spark = sparks.spawn(Spark {});
    /// sparks.despawn(spark);
    /// assert!(sparks.try_spawn(Spark {}).is_err());
    /// assert_eq!(sparks.reclaim_retired(), 1);
    /// assert_eq!(sparks.spawn(Spark {}), spark); // the reason for the warning above
    /// ```
    pub fn reclaim_retired(&mut self) -> u32 {
        let retired = self.cells.slots().retired();
        let mut from = 1;
        while let Some(index) = self.cells.reclaim_next(from) {
            self.order.note_reclaimed(index, &self.cells);
            from = index.saturating_add(1);
        }
        retired
    }

    /// Keeps the things for which `keep` says so and despawns the others, in slot order. It is not
    /// asked about children that have gone with their parent by then.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Spark { ttl: u32 }
    /// let mut sparks: Pool<Spark> = (0..4).map(|ttl| Spark { ttl }).collect();
    /// sparks.retain(|_, spark| { spark.ttl = spark.ttl.saturating_sub(1); spark.ttl > 0 });
    /// assert_eq!(sparks.len(), 2);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(Handle<T>, ThingMut<'_, T>) -> bool) {
        let mut from = 0;
        while let Some(handle) = self.next_handle(&mut from) {
            if !self.get_mut(handle).is_none_or(|thing| keep(handle, thing)) {
                self.despawn(handle);
            }
        }
    }

    /// Takes the things for which `which` says so out of the pool, one by one, in slot order: an
    /// iterator over handles and things.
    ///
    /// The iterator looks no further than it is asked: what it has not reached when it is dropped
    /// stays.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { name: String, ill: bool }
    /// let mut crew = Pool::new();
    /// crew.spawn(Crew { name: "Ada".into(), ill: false });
    /// crew.spawn(Crew { name: "Lin".into(), ill: true });
    /// let sick_bay: Vec<Crew> = crew.drain_where(|_, who| who.ill).map(|(_, who)| who).collect();
    /// assert_eq!((sick_bay[0].name.as_str(), crew.len()), ("Lin", 1));
    /// ```
    pub fn drain_where<F>(&mut self, which: F) -> DrainWhere<'_, T, F>
    where
        F: FnMut(Handle<T>, ThingMut<'_, T>) -> bool,
    {
        DrainWhere { pool: self, from: 0, which }
    }

    /// The next live thing at slot `from` or later; `from` moves on past it, also past the last
    /// slot of all.
    fn next_handle(&self, from: &mut u64) -> Option<Handle<T>> {
        let index = self.cells.next_live(u32::try_from(*from).ok()?)?;
        *from = u64::from(index) + 1;
        self.cells.handle_at(index)
    }
}

/// Things that leave together, parents first: unlinked when it is their turn, and despawned at the
/// latest when this is dropped, so that a `Drop` that panics does not keep the others.
struct Leaving<'a, T: Thing> {
    pool: &'a mut Pool<T>,
    list: Vec<Handle<T>>,
    done: usize,
    /// What becomes of the children of the first, if not what the relations say.
    orphans: Option<Orphans>,
}

impl<'a, T: Thing> Leaving<'a, T> {
    fn new(pool: &'a mut Pool<T>, handle: Handle<T>, orphans: Option<Orphans>) -> Self {
        let list = pool.trees.leave(handle);
        Self { pool, list, done: 0, orphans }
    }

    /// Who is next: unlinked, and still there unless it has been on the list before.
    #[inline]
    fn next(&mut self) -> Option<Handle<T>> {
        let next = *self.list.get(self.done)?;
        self.done += 1;
        self.pool.trees.part(next, self.orphans.take(), &mut self.list);
        Some(next)
    }

    /// Despawns all that are left.
    fn despawn(&mut self) {
        if Cells::<T>::PLAIN && self.pool.order.reuse() == Reuse::Lowest {
            return self.despawn_plain();
        }
        while let Some(handle) = self.next() {
            self.pool.despawn_alone(handle);
        }
    }

    /// The same where no code of the user's runs, and no order of freeing is to be kept: a group of
    /// slots at a time. Children tend to be neighbours.
    fn despawn_plain(&mut self) {
        self.pool.cells.note_use();
        let mut ended = Ended::default();
        if let ([top], 0, None) = (&self.list[..], self.done, self.orphans) {
            let Pool { cells, trees, .. } = &mut *self.pool;
            self.done =
                usize::from(trees.part_all(*top, |handle| cells.end_plain(handle, &mut ended)));
        }
        while let Some(handle) = self.next() {
            self.pool.cells.end_plain(handle, &mut ended);
        }
        self.pool.cells.free_ended(&mut ended);
    }
}

impl<T: Thing> Drop for Leaving<'_, T> {
    fn drop(&mut self) {
        self.despawn();
        self.pool.trees.left(core::mem::take(&mut self.list));
    }
}

/// Takes things out of a pool while walking it: [`Pool::drain_where`].
pub struct DrainWhere<'a, T: Thing, F> {
    pool: &'a mut Pool<T>,
    from: u64,
    which: F,
}

impl<T: Thing, F: FnMut(Handle<T>, ThingMut<'_, T>) -> bool> Iterator for DrainWhere<'_, T, F> {
    type Item = (Handle<T>, T);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(handle) = self.pool.next_handle(&mut self.from) {
            if self.pool.get_mut(handle).is_some_and(|thing| (self.which)(handle, thing)) {
                return self.pool.take(handle).map(|thing| (handle, thing));
            }
        }
        None
    }
}
