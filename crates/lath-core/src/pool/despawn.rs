//! Taking things out.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

use super::Pool;
use crate::cells::{Cells, Ended};
use crate::companion::{Companion, Companions};
use crate::guard::{Guard, for_all};
use crate::handle::Handle;
use crate::reuse::Order;
use crate::side::Tables;
use crate::slots::GROUP;
use crate::storage::ThingMut;
use crate::thing::Thing;
use crate::tree::{Orphans, Trees};

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
        self.cells.drop_alone(handle) || self.despawn_as(handle, None, Fate::Dropped)
    }

    /// Despawns a thing of which somebody else has to hear, and those who leave with it. `orphans`
    /// is what becomes of its own children, if not what the relations say.
    #[inline(never)]
    pub(super) fn despawn_as(
        &mut self,
        handle: Handle<T>,
        orphans: Option<Orphans>,
        fate: Fate,
    ) -> bool {
        if self.cells.settle().is_err() && self.give_up(handle).is_some() {
            return true;
        }
        if self.companions.is_empty() {
            self.update_observed();
        }
        let mut leaving = self.leaving(fate);
        let Leaving { trees, lives } = &mut *leaving;
        let mut others = false;
        let found = lives.end(handle, || others = trees.leave(handle.node(), orphans));
        leaving.run(others);
        leaving.disarm();
        found || fate == Fate::Dropped && self.cancel(handle)
    }

    /// Those who leave with a thing: gone at the latest when this is dropped, so that a `Drop` that
    /// panics does not keep the others.
    #[inline]
    fn leaving<'a>(&'a mut self, fate: Fate) -> Guard<Leaving<'a, T>, fn(&mut Leaving<'a, T>)> {
        let Self { cells, order, graves, companions: Companions { trees, tables }, .. } = self;
        let lives = Lives { cells, order, graves, tables, fate, ended: Ended::default() };
        Guard::new(Leaving { trees, lives }, |leaving| leaving.run(true))
    }

    /// Ends the life of a thing, or of a reservation, for whose slot there is no memory.
    #[cold]
    fn give_up(&mut self, handle: Handle<T>) -> Option<Option<T>> {
        let value = self.cells.give_up(handle)?;
        let mut leaving = self.leaving(Fate::Dropped);
        leaving.tell(handle, None);
        Some(value)
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
        self.take_as(handle, None)
    }

    /// As [`take`](Self::take). `orphans` is what becomes of its children, if not what the
    /// relations say.
    pub(super) fn take_as(&mut self, handle: Handle<T>, orphans: Option<Orphans>) -> Option<T> {
        if self.cells.settle().is_err() {
            if let Some(value) = self.give_up(handle) {
                return value;
            }
        }
        let (value, freed) = self.cells.take(handle)?;
        self.note(freed);
        if !self.companions.is_empty() {
            let mut leaving = self.leaving(Fate::Dropped);
            let others = leaving.tell(handle, orphans);
            leaving.run(others);
            leaving.disarm();
        }
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
        // Where there is no memory to keep it in it is dropped.
        self.despawn_as(handle, None, Fate::Buried { until: epoch })
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
            let exhumed = cells.exhume(index, |freed, cells| order.note_freed(freed, cells));
            reaped += u32::from(exhumed);
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
        let Self { cells, order, graves, companions, .. } = self;
        graves.clear();
        for_all([true, false], |beside| match beside {
            true => companions.clear(),
            false => cells.clear(|freed, cells, ended| order.note(freed, cells, ended)),
        });
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
        self.extract(
            &mut Walk::default(),
            &mut |handle, thing| !keep(handle, thing),
            |pool, one| {
                pool.despawn(one);
                None::<()>
            },
        );
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
    /// let sick_bay: Vec<Crew> = crew.extract_if(|_, who| who.ill).map(|(_, who)| who).collect();
    /// assert_eq!((sick_bay[0].name.as_str(), crew.len()), ("Lin", 1));
    /// ```
    pub fn extract_if<F>(&mut self, which: F) -> ExtractIf<'_, T, F>
    where
        F: FnMut(Handle<T>, ThingMut<'_, T>) -> bool,
    {
        ExtractIf { pool: self, walk: Walk::default(), which }
    }

    /// Goes on with a walk: calls `end` with the things for which `which` says so, until it answers
    /// with something.
    #[inline]
    fn extract<R>(
        &mut self,
        walk: &mut Walk,
        which: &mut impl FnMut(Handle<T>, ThingMut<'_, T>) -> bool,
        mut end: impl FnMut(&mut Self, Handle<T>) -> Option<R>,
    ) -> Option<R> {
        loop {
            while walk.rest != 0 {
                let index = walk.group * GROUP + walk.rest.trailing_zeros();
                walk.rest &= walk.rest - 1;
                // It may have left with another one.
                let Some((handle, thing)) = self.cells.live_mut(index) else { continue };
                if which(handle, thing) {
                    if let Some(result) = end(self, handle) {
                        return Some(result);
                    }
                }
            }
            (walk.group, walk.rest) = self.cells.slots().next_live(walk.next)?;
            walk.next = walk.group + 1;
        }
    }
}

/// How far a walk through the groups of live slots has come.
#[derive(Default)]
struct Walk {
    group: u32,
    /// The slots of the group that are still to come.
    rest: u64,
    next: u32,
}

/// What becomes of a value whose thing leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Dropped,
    /// Kept where it is, until the reaper comes.
    Buried {
        until: u64,
    },
}

/// Things that leave together, parents first: the trees know who.
struct Leaving<'a, T: Thing> {
    trees: &'a mut Trees,
    lives: Lives<'a, T>,
}

impl<T: Thing> Leaving<'_, T> {
    /// Tells everybody beside the slots that a thing has gone. Answers whether others go with it.
    fn tell(&mut self, handle: Handle<T>, orphans: Option<Orphans>) -> bool {
        let others = self.trees.leave(handle.node(), orphans);
        self.lives.tables.leave(handle.node(), None) | others
    }

    /// Ends the lives of all who wait for their turn, if there are others.
    #[inline]
    fn run(&mut self, others: bool) {
        let Self { trees, lives } = self;
        if others {
            let end = |(index, stamp)| _ = lives.end(Handle::from_parts(index, stamp), || {});
            trees.each_leaving(end);
        }
        lives.cells.free_ended(&mut lives.ended);
    }
}

/// A pool in which lives end, but for its trees.
struct Lives<'a, T: Thing> {
    cells: &'a mut Cells<T>,
    order: &'a mut Order,
    graves: &'a mut BinaryHeap<Reverse<(u64, u32)>>,
    tables: &'a mut Tables,
    fate: Fate,
    ended: Ended,
}

impl<T: Thing> Lives<'_, T> {
    /// Ends one life, and tells everybody; the trees by `tell_trees`. Answers whether there was one.
    #[inline(always)]
    fn end(&mut self, handle: Handle<T>, tell_trees: impl FnOnce()) -> bool {
        let Self { cells, order, graves, tables, fate, ended } = self;
        match *fate {
            Fate::Dropped => cells.drop_value(handle, ended, |freed, cells, ended| {
                order.note(freed, cells, ended);
                tell_trees();
                tables.leave(handle.node(), None);
            }),
            Fate::Buried { until } => {
                let buried = cells.bury(handle);
                if buried {
                    graves.push(Reverse((until, handle.index())));
                    tell_trees();
                    tables.leave(handle.node(), None);
                }
                buried
            }
        }
    }
}

/// Takes things out of a pool while walking it: [`Pool::extract_if`].
pub struct ExtractIf<'a, T: Thing, F> {
    pool: &'a mut Pool<T>,
    walk: Walk,
    which: F,
}

impl<T: Thing, F: FnMut(Handle<T>, ThingMut<'_, T>) -> bool> Iterator for ExtractIf<'_, T, F> {
    type Item = (Handle<T>, T);

    fn next(&mut self) -> Option<Self::Item> {
        let Self { pool, walk, which } = self;
        pool.extract(walk, which, |pool, handle| pool.take(handle).map(|thing| (handle, thing)))
    }
}
