#![expect(
    unsafe_code,
    reason = "writes values behind a shared reference, into places that this thread alone has"
)]
//! The nursery: what is staged and reserved while others look.
//!
//! A slot is claimed for it at once, so that it has its handle, but nothing of the pool changes: the
//! value waits at a place aside, and moves into its slot when somebody has the pool exclusively
//! ([`settle`](Cells::settle)). Lookups that find nothing in a slot ask here.
//!
//! ```text
//!            stage(&self)                 settle(&mut self)                  commit(&mut self)
//!   free ─────────────────▶ in the nursery ───────────────▶ claimed, staged ─────────────────▶ live
//! ```
//!
//! # Invariants
//!
//! - **N1** A claim is of a slot that is free in `slots`, each slot once. Claims go when somebody
//!   has the cells exclusively, or by who has made them, before anybody else knows the handle.
//! - **N2** The place of a claim whose stamp is odd holds a value, and the stamp stands there too.
//!   Such a claim does not change behind a shared reference.
//! - **N3** Places aside do not move, and each is of one claim at a time.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashMap;

use super::*;
use crate::guard::Guard;
use crate::lock::Lock;

/// What was claimed since somebody had the cells exclusively.
pub(super) struct Nursery<T: Thing> {
    /// How many claims there are.
    count: AtomicU32,
    inner: Lock<Inner<T>>,
}

struct Inner<T: Thing> {
    claims: HashMap<u32, Claim, Mix>,
    /// The slots of each group that are claimed here.
    taken: HashMap<u32, u64, Mix>,
    /// Where values wait.
    aside: T::Storage,
    /// Places aside that are of no claim; all from `fresh` on are not, either.
    spare: Vec<u32>,
    fresh: u32,
    /// The slots in the order in which they were claimed; some may be given up by now.
    order: Vec<u32>,
    /// No slot below this is free and not claimed.
    lowest: u32,
}

/// A slot that is claimed.
#[derive(Clone, Copy)]
struct Claim {
    /// Odd if the value is there. Else what the stamp of the value will be, less one.
    stamp: u32,
    /// Where the value is, or is to be.
    aside: Option<u32>,
    /// Whether it was given up: its slot, which could get no memory to say so, is free but for that.
    is_over: bool,
}

/// A slot that was claimed just now.
struct Claimed<T: Thing> {
    index: u32,
    /// Even: that of the value will be one more.
    stamp: u32,
    /// Where the value is to be, if there is to be one.
    place: Option<Place<T>>,
}

/// Hashes the number of a slot, or of a group.
#[derive(Clone, Copy, Default)]
struct Mix(u64);

impl core::hash::BuildHasher for Mix {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        Self(0)
    }
}

impl core::hash::Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(byte.into()));
    }

    fn write_u32(&mut self, number: u32) {
        // The golden ratio: neighbours end up far from each other, in the high bits too.
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }
}

impl<T: Thing> Nursery<T> {
    pub(super) fn new() -> Self {
        let inner = Inner {
            claims: HashMap::default(),
            taken: HashMap::default(),
            aside: T::Storage::new(),
            spare: Vec::new(),
            fresh: 0,
            order: Vec::new(),
            lowest: 0,
        };
        Self { count: AtomicU32::new(0), inner: Lock::new(inner) }
    }

    /// How many slots are claimed here.
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }

    /// Makes all memory that so many claims can need.
    pub(super) fn reserve(&mut self, slots: u32) -> Result<(), OutOfMemory> {
        let inner = self.inner.get_mut();
        inner.reserve(slots as usize)?;
        inner.aside.memory_mut().reserve(slots.into())
    }
}

impl<T: Thing> Inner<T> {
    fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        let bytes = more.saturating_mul(size_of::<(u32, Claim)>());
        let refused = |_| OutOfMemory { bytes };
        self.claims.try_reserve(more).map_err(refused)?;
        // As many groups, at the worst: later on as many claims allocate nothing.
        let groups = self.claims.capacity() - self.taken.len().min(self.claims.capacity());
        self.taken.try_reserve(groups).map_err(refused)?;
        self.order.try_reserve(more).map_err(|_| OutOfMemory { bytes })?;
        let missing = (self.fresh as usize + more).saturating_sub(self.spare.len());
        self.spare.try_reserve(missing).map_err(|_| OutOfMemory { bytes })
    }

    /// A place for a value, by its number.
    fn spot(&mut self) -> Result<(u32, Place<T>), OutOfMemory> {
        let number = self.spare.last().copied().unwrap_or(self.fresh);
        let place = T::Storage::at(self.aside.memory_mut().open(number)?, number);
        if self.spare.pop().is_none() {
            self.fresh += 1;
        }
        Ok((number, place))
    }

    fn taken(&self, group: u32) -> u64 {
        self.taken.get(&group).copied().unwrap_or(0)
    }

    fn add(&mut self, index: u32, claim: Claim) {
        self.order.push(index);
        self.claims.insert(index, claim);
        *self.taken.entry(index / GROUP).or_insert(0) |= 1 << (index % GROUP);
    }

    /// Forgets a claim, whose value is somewhere else by now.
    fn remove(&mut self, index: u32) {
        if let Some(aside) = self.claims.remove(&index).and_then(|claim| claim.aside) {
            self.spare.push(aside); // there is room: `reserve` was called for each
        }
        if let Some(taken) = self.taken.get_mut(&(index / GROUP)) {
            *taken &= !(1 << (index % GROUP));
        }
        self.lowest = self.lowest.min(index);
    }
}

impl<T: Thing> Cells<T> {
    /// Claims the lowest free slot for a later value: its handle, if there is a slot.
    pub(crate) fn reserve(&self, kind: u32) -> Result<Option<Handle<T>>, OutOfMemory> {
        let claimed = self.claim(kind, 0, false)?;
        Ok(claimed.map(|Claimed { index, stamp, .. }| Handle::from_parts(index, stamp + 1)))
    }

    /// Claims the lowest free slot for a value that lookups find at once. Gives the value back
    /// otherwise.
    pub(crate) fn stage(&self, value: T, kind: u32) -> Result<Handle<T>, (T, Option<OutOfMemory>)> {
        let tags = value.tags().widen(); // before a slot is claimed: it may panic
        let (index, stamp, place) = match self.claim(kind, tags, true) {
            Ok(Some(Claimed { index, stamp, place: Some(place) })) => (index, stamp + 1, place),
            Ok(_) => return Err((value, None)),
            Err(error) => return Err((value, Some(error))),
        };
        // Given up if writing the value panics.
        let claimed = Guard::new(&self.nursery, |nursery| {
            nursery.inner.lock().remove(index);
            nursery.count.fetch_sub(1, Ordering::Relaxed);
        });
        // SAFETY: the place is of this claim alone (N3), which nobody looks into while its stamp is
        // even (N2). Without the lock: what writes a value may be the user's code.
        unsafe {
            self.values.write(place, value);
            T::Storage::stamp(place).write(stamp);
        }
        claimed.disarm();
        if let Some(claim) = self.nursery.inner.lock().claims.get_mut(&index) {
            claim.stamp = stamp;
        }
        Ok(Handle::from_parts(index, stamp))
    }

    /// Claims a slot.
    fn claim(
        &self,
        kind: u32,
        tags: u64,
        with_value: bool,
    ) -> Result<Option<Claimed<T>>, OutOfMemory> {
        let mut inner = self.nursery.inner.lock();
        if inner.claims.is_empty() {
            inner.lowest = 0; // after a claim that was refused nobody settles, and slots become free
        }
        let free = |group: u32| self.slots.free_word(group) & !inner.taken(group);
        let suggested = match self.is_clustered() {
            true => self.clusters.suggest(tags, &self.slots, &free),
            false => None,
        };
        let lowest = match suggested {
            None => self.slots.next_free_by(inner.lowest, &free),
            Some(_) => None,
        };
        let Some(index) = suggested.or(lowest) else { return Ok(None) };
        inner.lowest = lowest.unwrap_or(inner.lowest);
        inner.reserve(1)?;
        let spot = if with_value { Some(inner.spot()?) } else { None };
        let bits = Handle::<T>::STAMP;
        let generation = bits.generation_of(self.main_stamp(index).unwrap_or(SPENT));
        let stamp = bits.stamp(generation, kind);
        inner.add(index, Claim { stamp, aside: spot.map(|(number, _)| number), is_over: false });
        self.nursery.count.fetch_add(1, Ordering::Relaxed);
        self.slots.drop_cursor();
        self.observed.store(true, Ordering::Relaxed);
        Ok(Some(Claimed { index, stamp, place: spot.map(|(_, place)| place) }))
    }

    /// The slots of a group that are claimed in the nursery.
    #[inline]
    pub(super) fn newly_claimed(&self, group: u32) -> u64 {
        if self.nursery.count() == 0 { 0 } else { self.nursery.inner.lock().taken(group) }
    }

    /// The stamp of a slot that is claimed in the nursery, and where its value is.
    #[cold]
    #[inline(never)]
    pub(super) fn in_nursery(&self, index: u32) -> Option<(u32, Option<Place<T>>)> {
        if self.nursery.count() == 0 {
            return None;
        }
        let inner = self.nursery.inner.lock();
        let claim = inner.claims.get(&index).filter(|claim| !claim.is_over)?;
        let Claim { stamp, aside, .. } = *claim;
        let place = aside.filter(|_| is_live(stamp)).and_then(|number| inner.aside.place(number));
        Some((stamp, place))
    }

    /// The place of the value that a handle names, if it is in the nursery.
    #[cold]
    #[inline(never)]
    pub(super) fn find_in_nursery(&self, handle: Handle<T>) -> Option<Place<T>> {
        let (stamp, place) = self.in_nursery(handle.index())?;
        place.filter(|_| stamp == handle.stamp())
    }

    /// All slots that are claimed in the nursery, in order: their stamps, and where the values are.
    pub(super) fn claims(&self) -> Vec<(u32, u32, Option<Place<T>>)> {
        if self.nursery.count() == 0 {
            return Vec::new();
        }
        let inner = self.nursery.inner.lock();
        let claims = inner.claims.iter().filter(|(_, claim)| !claim.is_over);
        let claims = claims.map(|(&index, &Claim { stamp, aside, .. })| {
            let aside = aside.filter(|_| is_live(stamp));
            (index, stamp, aside.and_then(|number| inner.aside.place(number)))
        });
        let mut claims: Vec<_> = claims.collect();
        claims.sort_unstable_by_key(|claim| claim.0);
        claims
    }

    /// The staged things in the nursery, in the order of their slots, and where they are.
    pub(super) fn newly_staged(&self) -> Vec<(Handle<T>, Place<T>)> {
        let staged = |(index, stamp, place): (u32, u32, Option<Place<T>>)| {
            place.map(|place| (Handle::from_parts(index, stamp), place))
        };
        self.claims().into_iter().filter_map(staged).collect()
    }

    /// Moves what is in the nursery into its slots, which are claimed then as all others are.
    /// Whoever has the cells exclusively does so before anything else that has to know.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`] if a slot gets no memory: it and those after it stay in the nursery.
    #[inline]
    pub(crate) fn settle(&mut self) -> Result<(), OutOfMemory> {
        if self.nursery.count() == 0 { Ok(()) } else { self.settle_all() }
    }

    #[cold]
    #[inline(never)]
    fn settle_all(&mut self) -> Result<(), OutOfMemory> {
        let mut order = core::mem::take(&mut self.nursery.inner.get_mut().order);
        order.sort_unstable(); // so that slots get memory in order
        order.dedup(); // a slot that was given up may have been claimed again
        let mut done = 0;
        let settled = order.iter().try_for_each(|&index| {
            self.settle_one(index)?;
            done += 1;
            Ok(())
        });
        let inner = self.nursery.inner.get_mut();
        if settled.is_ok() {
            order.clear();
            inner.claims.clear(); // at once: claims that are removed one by one leave traces
            inner.taken.clear();
            inner.spare.clear();
            inner.fresh = 0;
        } else {
            order.drain(..done).for_each(|index| inner.remove(index));
        }
        inner.lowest = 0; // slots become free from here on
        inner.order = order;
        *self.nursery.count.get_mut() = inner.claims.len() as u32;
        settled
    }

    fn settle_one(&mut self, index: u32) -> Result<(), OutOfMemory> {
        let Some(&claim) = self.nursery.inner.get_mut().claims.get(&index) else { return Ok(()) };
        self.make_room(index)?;
        let Some(to) = self.values.place(index) else { unreachable!("`room` made the place") };
        let inner = self.nursery.inner.get_mut();
        let from = claim.aside.filter(|_| is_live(claim.stamp));
        if let Some(from) = from.and_then(|number| inner.aside.place(number)) {
            // SAFETY: two places of different storages. The first holds a value (N2), and no handle
            // leads there any more; the slot is free (N1), so it holds none.
            unsafe { self.values.transfer(from, to) };
        }
        // SAFETY: the place is of this storage, and nobody else uses it (`&mut self`).
        unsafe { T::Storage::stamp(to).write(claim.stamp) };
        if !claim.is_over {
            self.slots.claim(index);
            self.staged += u32::from(is_live(claim.stamp));
        } else if claim.stamp == SPENT {
            self.slots.take(index);
            self.slots.release(index, true);
        } else {
            self.slots.note_worn(index / GROUP);
        }
        Ok(())
    }

    /// Ends the life of a thing, or of a reservation, that is in the nursery because there was no
    /// memory for its slot: the value, if it has one.
    pub(crate) fn give_up(&mut self, handle: Handle<T>) -> Option<Option<T>> {
        let (stamp, place) = self.in_nursery(handle.index())?;
        if stamp | 1 != handle.stamp() {
            return None;
        }
        let claim = self.nursery.inner.get_mut().claims.get_mut(&handle.index())?;
        claim.stamp = Handle::<T>::STAMP.after_death(handle.stamp());
        claim.is_over = true;
        // SAFETY: the place holds a value (N2), which nobody asks for any more.
        Some(place.map(|place| unsafe { self.values.take(place) }))
    }

    /// Ends all lives and reservations that are left in the nursery.
    pub(super) fn clear_nursery(&mut self) {
        if self.settle().is_ok() {
            return;
        }
        for (index, stamp, _) in self.claims() {
            self.give_up(Handle::from_parts(index, stamp | 1));
        }
    }
}
