#![expect(unsafe_code, reason = "the one place that decides whether a slot's memory holds a value")]
//! Slots and values together: everything that can be done to a value, safe for any handle and any
//! order of calls.
//!
//! # Invariants
//!
//! - **C1** A slot whose stamp is odd holds a value; so does a buried slot, and slot 0 (the nil
//!   thing). No other does.
//! - **C2** The stamp of a live slot is odd. The stamp of a claimed slot, which has memory, is odd
//!   if it is staged, even if it is reserved.
//! - **C3** Behind a shared reference neither slots nor stamps change: what comes goes into the
//!   nursery.
//! - **C4** `first` is the place of the first slot of the group that the cursor is at, while it
//!   offers any.
//! - **C5** While `observed` is `false`, nobody but the slots has to hear of what comes and goes.

pub(crate) mod blocks;
mod bulk;
mod changes;
mod deal;
mod despawn;
mod get_many;
mod nursery;
mod others;
mod parallel;
mod run;
mod shed;
mod tagged;
mod views;
mod walk;
mod whole;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::clusters::Clusters;
use crate::error::{HandleError, OutOfMemory, SpawnFault};
use crate::generation::{NIL_SLOT, SPENT, is_live};
use crate::handle::Handle;
use crate::marks::Marks as ChangeMarks;
use crate::memory::unlikely;
use crate::prefetch::SomeFields;
use crate::slots::{GROUP, Slots, ones};
use crate::state::{self, Sight, State};
use crate::storage::{Storage, ThingMut, ThingRef};
use crate::tags::{TagIndex, TagSet};
use crate::thing::Thing;

pub(crate) use bulk::{Batch, End};
pub use deal::Lane;
pub(crate) use despawn::{Ended, Freed};
pub use get_many::GetMany;
use nursery::Nursery;
pub use others::Others;
pub use parallel::Workers;
#[cfg(feature = "parallel")]
pub(crate) use parallel::part;
pub use views::Views;
pub use walk::{Iter, IterMut, ViewIter};

type Place<T> = <<T as Thing>::Storage as Storage<T>>::Place;

#[allow(unreachable_pub, reason = "named by the sealed trait `Reach`, which is public")]
pub struct Cells<T: Thing> {
    slots: Slots,
    values: T::Storage,
    tags: TagIndex<T::Tags>,
    clusters: Clusters,
    /// Whether `clusters` is in use: not in a pool that must not allocate.
    clustered: bool,
    /// `None` while changes are not tracked.
    marks: Option<Box<ChangeMarks>>,
    /// As many slots were asked for when the cells were made.
    room: u64,
    /// The slots whose memory was given back after they had been used, in order, and their stamps:
    /// no handle may be given out again.
    shed: Vec<(u32, u32)>,
    /// How many claimed slots hold a value.
    staged: u32,
    nursery: Nursery<T>,
    /// Whether anybody has to hear of things that come and go (C5). May be `true` all the same.
    observed: AtomicBool,
    /// The first slot of the group that the cursor is at (C4).
    first: First<Place<T>>,
}

/// A place that is kept.
struct First<P>(P);

// SAFETY: nothing but an address. Who uses it has the storage that it is of, and asks nothing of
// other threads that the storage does not.
unsafe impl<P> Send for First<P> {}
// SAFETY: as above.
unsafe impl<P> Sync for First<P> {}

impl<T: Thing> Cells<T> {
    /// Whether the things have tags at all, and so are clustered by them.
    const TAGGED: bool = size_of::<T::Tags>() > 0;

    /// Slots `1..limit`, all free, and the nil thing in slot 0. There is room for all slots below
    /// `room`, which is at least 1.
    pub(crate) fn new(limit: u64, room: u64) -> Result<Self, OutOfMemory> {
        let nil = T::default();
        let nursery = Nursery::new(); // first: it may call `Default`, which may panic
        let mut slots = Slots::new(limit)?;
        slots.grow((room - 1) as u32)?;
        let mut values = T::Storage::new();
        values.memory_mut().reserve(room)?;
        let place = T::Storage::at(values.memory_mut().open(0)?, 0);
        // SAFETY: the place was made just now by this storage, and nobody else knows it.
        unsafe {
            values.write(place, nil);
            T::Storage::stamp(place).write(NIL_SLOT);
        }
        let mut cells = Self {
            slots,
            values,
            tags: TagIndex::default(),
            clusters: Clusters::new(),
            clustered: true,
            marks: None,
            room,
            shed: Vec::new(),
            staged: 0,
            nursery,
            observed: AtomicBool::new(false),
            first: First(place),
        };
        if room > u64::from(GROUP) {
            cells.grow_tags(0)?;
        }
        Ok(cells)
    }

    #[inline]
    pub(crate) fn slots(&self) -> &Slots {
        &self.slots
    }

    /// Whether anybody has to hear of things that come and go.
    #[inline(always)]
    pub(crate) fn is_observed(&mut self) -> bool {
        *self.observed.get_mut()
    }

    /// Notes whether anybody has to hear of things that come and go; the pool says who else there
    /// is.
    #[inline]
    pub(crate) fn set_observed(&mut self, observed: bool) {
        *self.observed.get_mut() = observed || self.marks.is_some() || self.slots.claimed() > 0;
    }

    /// Whether whoever there is hears of all that comes and goes.
    pub(crate) fn hears_all(&self) -> bool {
        self.observed.load(Ordering::Relaxed)
    }

    /// How many slots are reserved or staged.
    pub(crate) fn claimed(&self) -> u32 {
        self.slots.claimed() + self.nursery.count()
    }

    /// How many slots are in use: live, reserved, staged or buried.
    pub(crate) fn used(&self) -> u32 {
        self.slots.used() + self.nursery.count()
    }

    /// Notes how many slots are in use, before many of them are freed.
    pub(crate) fn note_use(&mut self) {
        _ = self.settle(); // refused: those that got no memory stay in the nursery
        self.slots.note_use();
    }

    /// The free slot that a thing with these tags gets: the lowest one, or the lowest of its
    /// cluster.
    #[inline]
    pub(crate) fn next_free(&mut self, tags: u64) -> Option<u32> {
        if self.is_clustered() {
            return self.clusters.next(tags, &mut self.slots);
        }
        let index = self.slots.lowest_free()?;
        // What follows a slot without memory has none either, as a rule.
        if self.values.place(index).is_some() {
            self.prefetch_after(index / GROUP);
        }
        Some(index)
    }

    /// Prefetches the free slots of the first group after this one that has any: they are next.
    /// Slots that were freed here and there are far apart, which the processor does not foresee.
    #[inline]
    fn prefetch_after(&self, number: u32) {
        let Some((next, free)) = self.slots.next_free_group(number + 1) else { return };
        if free == u64::MAX {
            return; // what was never used, or emptied, lies in a row
        }
        if let Some(first) = self.values.place(next * GROUP) {
            for bit in ones(free) {
                // SAFETY: both places are of this storage and in one group.
                T::Storage::prefetch::<AllFields>(unsafe { T::Storage::step(first, bit) });
            }
        }
    }

    /// How many slots have memory, slot 0 included.
    #[inline]
    pub(crate) fn memory(&self) -> u64 {
        self.values.memory().slots().min(self.slots.limit())
    }

    /// How many slots were asked for when the cells were made, slot 0 included.
    pub(crate) fn room(&self) -> u64 {
        self.room
    }

    /// The slots that have memory, or had some, slot 0 included: in order, the latter last.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> {
        let limit = self.slots.limit();
        let memory =
            self.values.memory().ranges().flatten().take_while(move |&index| index < limit);
        memory.map(|index| index as u32).chain(self.shed.iter().map(|kept| kept.0))
    }

    /// How many things are staged. Behind a shared reference, those that are claimed in the nursery
    /// are looked at one by one.
    pub(crate) fn staged(&self) -> u32 {
        self.staged + self.newly_staged().len() as u32
    }

    /// The stamp of a slot; `None` where there is no memory.
    pub(crate) fn stamp(&self, index: u32) -> Option<u32> {
        match self.in_nursery(index) {
            Some((stamp, _)) => Some(stamp),
            None => self.main_stamp(index),
        }
    }

    /// The same, whatever the nursery says.
    fn main_stamp(&self, index: u32) -> Option<u32> {
        // SAFETY: the place is of this storage, whose stamps do not change behind `&self` (C3).
        let stamp =
            self.values.place(index).map(|place| unsafe { T::Storage::stamp(place).read() });
        stamp.or_else(|| self.shed_at(index).map(|at| self.shed[at].1))
    }

    /// What a slot is doing.
    pub(crate) fn state(&self, index: u32) -> State {
        if self.in_nursery(index).is_some() { State::Claimed } else { self.slots.state(index) }
    }

    /// The free slots of a group that can be handed out.
    #[inline]
    pub(crate) fn free_word(&self, group: u32) -> u64 {
        self.slots.free_word(group) & !self.newly_claimed(group)
    }

    /// The place of the first slot of a group that has memory.
    fn first_place(&self, number: u32) -> Place<T> {
        self.values
            .place(number * GROUP)
            .unwrap_or_else(|| unreachable!("group {number} has memory"))
    }

    /// The handle of the value in a slot, if handles reach one there.
    pub(crate) fn handle_at(&self, index: u32) -> Option<Handle<T>> {
        self.stamp(index)
            .filter(|&stamp| is_live(stamp))
            .map(|stamp| Handle::from_parts(index, stamp))
    }

    /// The place of the value that a handle names: it holds one.
    #[inline(always)]
    pub(crate) fn find(&self, handle: Handle<T>) -> Option<Place<T>> {
        if let Some(place) = self.values.find(handle.index()) {
            // SAFETY: the place is of this storage, whose stamps do not change behind `&self` (C3).
            // An equal stamp is odd: handles have odd ones but for nil (H1), whose slot has another
            // even one (G3). The void has even ones only (M2).
            if unsafe { T::Storage::stamp(place).read() } == handle.stamp() {
                return Some(place);
            }
        }
        unlikely();
        self.find_staged(handle)
    }

    /// The same, of what came behind a shared reference.
    #[inline(always)]
    fn find_staged(&self, handle: Handle<T>) -> Option<Place<T>> {
        if self.nursery.count() == 0 { None } else { self.find_in_nursery(handle) }
    }

    #[inline(always)]
    pub(crate) fn contains(&self, handle: Handle<T>) -> bool {
        self.find(handle).is_some()
    }

    #[inline(always)]
    pub(crate) fn get(&self, handle: Handle<T>) -> Option<ThingRef<'_, T>> {
        // SAFETY: the place is of this storage and holds a value (`find`, C1); exclusive access
        // comes from `&mut self` or, in `Others`, excludes this slot.
        self.find(handle).map(|place| unsafe { self.values.get(place) })
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self, handle: Handle<T>) -> Option<ThingMut<'_, T>> {
        if self.marks.is_some() && self.contains(handle) {
            self.mark(handle.index());
        }
        // SAFETY: as in `get`; `&mut self` keeps everyone else away.
        self.find(handle).map(|place| unsafe { self.values.get_mut(place) })
    }

    /// The thing in a slot, if it is live. Its place is found twice: eleven instructions, and
    /// nothing unsafe.
    #[inline]
    pub(crate) fn live_mut(&mut self, index: u32) -> Option<(Handle<T>, ThingMut<'_, T>)> {
        let stamp = self.main_stamp(index).filter(|&stamp| is_live(stamp))?;
        if self.slots.claimed() > 0 && self.state(index) != State::Live {
            return None;
        }
        let handle = Handle::from_parts(index, stamp);
        self.get_mut(handle).map(|thing| (handle, thing))
    }

    /// The nil thing.
    #[inline(always)]
    pub(crate) fn nil(&self) -> ThingRef<'_, T> {
        let Some(place) = self.values.place(0) else { unreachable!("`new` makes slot 0") };
        // SAFETY: the place is of this storage and holds the nil thing (C1), which nobody ever gets
        // exclusive access to: no handle has index 0 and a stamp of `NIL_SLOT` (G3, H1), and slot 0
        // is never live, claimed or buried (S4).
        unsafe { self.values.get(place) }
    }

    /// Exclusive access to several things at once; a handle that comes again is refused.
    pub(crate) fn get_disjoint_mut<const N: usize>(
        &mut self,
        handles: [Handle<T>; N],
    ) -> [Result<ThingMut<'_, T>, HandleError>; N] {
        for handle in handles {
            if self.marks.is_some() && self.contains(handle) {
                self.mark(handle.index());
            }
        }
        let this = &*self;
        this.disjoint(handles, |handle| match this.find(handle) {
            // SAFETY: the place is of this storage and holds a value. Not aliased: the slots are
            // different ones (`disjoint`), and `&mut self` keeps everyone else away for as long as
            // the results live.
            Some(place) => Ok(unsafe { this.values.get_mut(place) }),
            None => Err(this.why_not(handle)),
        })
    }

    /// Asks `f` about each handle. One that comes again is refused: those that `f` finds a thing
    /// for have different slots, since a slot has one stamp.
    fn disjoint<R, const N: usize>(
        &self,
        handles: [Handle<T>; N],
        f: impl Fn(Handle<T>) -> Result<R, HandleError>,
    ) -> [Result<R, HandleError>; N] {
        core::array::from_fn(|i| match handles[i] {
            again if handles[..i].contains(&again) && !again.is_nil() => {
                Err(HandleError::Twice { handle: again.name() })
            }
            handle => f(handle),
        })
    }

    /// Why `find` answers `None`.
    #[cold]
    pub(crate) fn why_not(&self, handle: Handle<T>) -> HandleError {
        state::why_not(handle, self.sight(handle, self.memory()))
    }

    /// Whether a value of kind `kind` may be put where `handle` says.
    pub(crate) fn may_spawn_at(&self, handle: Handle<T>, kind: u32) -> Result<(), SpawnFault> {
        state::may_spawn_at(handle, kind, self.sight(handle, self.slots.limit()))
    }

    fn sight(&self, handle: Handle<T>, slots: u64) -> Sight {
        let index = handle.index();
        let fresh = (u64::from(index) < self.memory()).then_some(SPENT); // there is memory that was never used
        let stamp = self.stamp(index).or(fresh).filter(|_| u64::from(index) < self.slots.limit());
        Sight { state: self.state(index), stamp, slots: (slots - 1) as u32 }
    }

    /// What to say when there is no free slot.
    #[cold]
    pub(crate) fn full(&self) -> SpawnFault {
        SpawnFault::Full {
            capacity: (self.slots.limit() - 1) as u32,
            retired: self.slots.retired(),
        }
    }

    /// Makes room for slot `index`.
    #[inline]
    pub(crate) fn make_room(&mut self, index: u32) -> Result<(), OutOfMemory> {
        if !self.slots.has_room(index) {
            self.slots.grow(index)?;
            if let Some(marks) = &mut self.marks {
                marks.grow(self.slots.numbers().end);
            }
        }
        if self.values.place(index).is_none() {
            let made = self.memory();
            self.values.memory_mut().open(index)?;
            if !self.shed.is_empty() {
                self.put_back_shed();
            }
            if self.memory() > made || u64::from(index) >= made {
                self.grow_tags(index)?;
            }
        }
        Ok(())
    }

    /// Puts a value into the slot that the cursor offers, if that is whose turn it is; otherwise
    /// gives it back. `lowest_first` is asked before the cursor moves: whether the lowest free slot
    /// is whose turn it is.
    #[inline(always)]
    pub(crate) fn spawn_near(
        &mut self,
        marks: Marks,
        value: T,
        lowest_first: impl FnOnce() -> bool,
    ) -> Result<Handle<T>, T> {
        // What the cursor offers is whose turn it is (S5), for things with tags if it is at a group
        // of their cluster.
        let is_its = !self.is_clustered()
            || self.clusters.near(marks.tags, self.slots.lowest()) == Some(self.slots.cursor());
        if !is_its || !self.slots.offers() {
            unlikely();
            if !lowest_first() || !self.move_cursor(marks.tags) {
                return Err(value);
            }
        }
        let Self { slots, values, tags, first, .. } = self;
        let Some(offer) = slots.next_offered() else { return Err(value) };
        let index = offer.index;
        // SAFETY: both places are of this storage and in one group (C4).
        let place = unsafe { T::Storage::step(first.0, offer.bit) };
        if Self::TAGGED && !tags.has_room(index, marks.tags) {
            return Err(value);
        }
        let bits = Handle::<T>::STAMP;
        // SAFETY: the place is of this storage. Nobody else uses the value: the slot is free, and
        // `&mut self`.
        let stamp = unsafe {
            let stamp = T::Storage::stamp(place);
            let live = bits.stamp(bits.generation_of(stamp.read()) + 1, marks.kind);
            T::Storage::prefetch_on(place);
            values.write(place, value);
            stamp.write(live);
            live
        };
        offer.take();
        if Self::TAGGED {
            tags.insert(index, marks.tags);
            self.hold_to(place, marks.tags);
        }
        Ok(Handle::from_parts(index, stamp))
    }

    /// Moves the cursor to the group that the next thing with these tags goes to, if it has a free
    /// slot, and memory or can get some.
    #[cold]
    #[inline(never)]
    fn move_cursor(&mut self, tags: u64) -> bool {
        if self.settle().is_err() {
            return false; // `spawn_anywhere` says why
        }
        let group = match self.is_clustered() {
            true => self
                .clusters
                .near(tags, self.slots.lowest())
                .map(|group| (group, self.slots.free_word(group))),
            false => self.slots.lowest_free_group(),
        };
        let Some((group, free)) = group.filter(|(_, free)| *free != 0) else { return false };
        if self.make_room(group * GROUP).is_err() {
            return false;
        }
        self.first = First(self.first_place(group));
        self.slots.move_cursor(group, free);
        if !self.is_clustered() {
            self.prefetch_after(group);
        }
        true
    }

    /// The cursor offers nothing any more: the order in which slots are used again has changed.
    pub(crate) fn drop_cursor(&mut self) {
        self.slots.drop_cursor();
    }

    /// Opens a free or reserved slot for a value with these marks, of its next generation.
    #[inline]
    pub(crate) fn vacancy(
        &mut self,
        index: u32,
        marks: Marks,
    ) -> Result<Vacancy<'_, T>, OutOfMemory> {
        debug_assert!(matches!(self.slots.state(index), State::Free | State::Claimed));
        let Marks { kind, tags } = marks;
        self.make_room(index)?;
        self.room_for_tags(index, tags)?;
        let Some(place) = self.values.place(index) else { unreachable!("`room` made the place") };
        // SAFETY: the place is of this storage.
        let stamp = unsafe { T::Storage::stamp(place).read() };
        let bits = Handle::<T>::STAMP;
        let stamp = bits.stamp(bits.generation_of(stamp) + 1, kind);
        Ok(Vacancy { cells: self, index, place, stamp, tags })
    }

    /// Sets a stamp; what that means for the slot is the caller's business.
    fn put_stamp(&mut self, index: u32, stamp: u32) {
        if let Some(place) = self.values.place(index) {
            // SAFETY: the place is of this storage.
            unsafe { T::Storage::stamp(place).write(stamp) };
            self.slots.note_worn(index / GROUP);
        } else if let Some(at) = self.shed_at(index) {
            self.shed[at].1 = stamp;
        }
    }
}

/// Every field of a thing.
pub(super) struct AllFields;

impl SomeFields for AllFields {
    const FIELDS: u64 = u64::MAX;
}

/// What a value says about itself. It is asked once: `kind` and `tags` are user code, which may
/// panic or say something else the next time.
#[derive(Clone, Copy)]
pub(crate) struct Marks {
    pub(crate) kind: u32,
    pub(crate) tags: u64,
}

impl Marks {
    #[inline(always)]
    pub(crate) fn of<T: Thing>(value: &T) -> Self {
        Self { kind: value.kind(), tags: value.tags().widen() }
    }
}

/// A slot that waits for its value.
pub(crate) struct Vacancy<'a, T: Thing> {
    cells: &'a mut Cells<T>,
    index: u32,
    place: Place<T>,
    stamp: u32,
    tags: u64,
}

impl<T: Thing> Vacancy<'_, T> {
    /// Gives the value the stamp of this handle instead of the next one.
    pub(crate) fn with_stamp_of(self, handle: Handle<T>) -> Self {
        Self { stamp: handle.stamp(), ..self }
    }

    /// Puts the value there: the slot, which was free or reserved, is live.
    #[inline]
    pub(crate) fn fill(self, value: T) -> Handle<T> {
        debug_assert!(is_live(self.stamp));
        // SAFETY: the place is of this storage. Nobody else uses the value: `&mut Cells` since the
        // vacancy was made. An older value in the slot would be forgotten, not harmed; there is
        // none, as `vacancy` asserts.
        unsafe {
            self.cells.values.write(self.place, value);
            T::Storage::stamp(self.place).write(self.stamp);
        }
        if self.cells.slots.claimed() > 0 && self.cells.slots.state(self.index) == State::Claimed {
            self.cells.slots.settle(self.index);
        } else {
            self.cells.slots.take(self.index);
        }
        self.cells.note_tags(self.index, self.tags);
        self.cells.mark(self.index);
        self.cells.hold_to(self.place, self.tags);
        Handle::from_parts(self.index, self.stamp)
    }
}
