#![expect(unsafe_code, reason = "reads and writes the tags that are kept beside the values")]
//! The tags of things, as values and as bitmaps (T1).

use super::*;
use crate::tags::Filter;

impl<T: Thing> Cells<T> {
    /// The tags of the thing that `handle` names.
    #[inline]
    pub(crate) fn tags(&self, handle: Handle<T>) -> Option<T::Tags> {
        // SAFETY: the place is of this storage and holds a value (`find`).
        self.find(handle).map(|place| unsafe { self.values.tags(place) })
    }

    /// Gives the thing that `handle` names exactly these tags. Answers whether there is one.
    #[inline]
    pub(crate) fn set_tags(&mut self, handle: Handle<T>, tags: u64) -> bool {
        match self.tags(handle) {
            Some(before) => self.change_tags(handle, tags, before.widen() & !tags),
            None => false,
        }
    }

    /// Gives the thing that `handle` names the first tags and takes the others. Answers whether
    /// there is one.
    #[inline(always)]
    pub(crate) fn change_tags(&mut self, handle: Handle<T>, insert: u64, remove: u64) -> bool {
        let Some(place) = self.find(handle) else { return false };
        let index = handle.index();
        // Before anything changes: what tags say of themselves is user code, and may panic.
        // SAFETY: the place is of this storage and holds a value (`find`).
        let before = unsafe { self.values.tags(place) }.widen();
        let after = T::Tags::narrow(before & !remove | insert);
        // Live as a rule: it holds a value, and nobody listens.
        if !self.is_observed() || self.is_live_and_marked(index) {
            if !self.tags.insert(index, insert) {
                self.insert_tags_with_room(index, insert);
            }
            self.tags.remove(index, remove);
        }
        // SAFETY: as above; `&mut self` keeps everyone else away.
        unsafe { self.values.set_tags(place, after) };
        true
    }

    /// Marks a slot that is about to change, and answers whether it is live: asked where hardly
    /// ever is anything to do.
    #[cold]
    #[inline(never)]
    fn is_live_and_marked(&self, index: u32) -> bool {
        self.mark(index);
        self.state(index) == State::Live
    }

    /// Notes tags that there was no room for, or none of them that the thing in the slot does not
    /// have.
    #[cold]
    #[inline(never)]
    fn insert_tags_with_room(&mut self, index: u32, tags: u64) {
        if let Err(error) = self.tags.grow(self.last_slot(index), tags) {
            let Some(place) = self.values.place(index) else {
                unreachable!("slot {index} holds a value")
            };
            // SAFETY: the place is of this storage and holds a value: the caller changes its tags.
            let before = unsafe { self.values.tags(place) }.widen();
            self.tags.remove(index, tags & !before);
            panic!("{error}");
        }
        self.tags.insert(index, tags);
    }

    /// Makes room to note the tags of a slot and the cluster of its group.
    #[inline]
    pub(super) fn room_for_tags(&mut self, index: u32, tags: u64) -> Result<(), OutOfMemory> {
        if Self::TAGGED && !self.tags.has_room(index, tags) {
            self.tags.grow(self.last_slot(index), tags)?;
        }
        if self.is_clustered() && !self.clusters.has_room(index, tags) {
            self.clusters.grow_for(tags, self.last_slot(index))?;
        }
        Ok(())
    }

    /// Makes room for the tags that are in use, in new slots.
    #[cold]
    pub(super) fn grow_tags(&mut self, index: u32) -> Result<(), OutOfMemory> {
        if Self::TAGGED {
            self.tags.grow(self.last_slot(index), 0)?;
        }
        if self.is_clustered() { self.clusters.grow(self.last_slot(index)) } else { Ok(()) }
    }

    /// Notes the tags of a slot that became live. There must be room.
    #[inline]
    pub(super) fn note_tags(&mut self, index: u32, tags: u64) {
        if Self::TAGGED {
            self.tags.insert(index, tags);
        }
        if self.is_clustered() {
            self.clusters.note_taken(index, tags);
        }
    }

    /// Forgets what [`note_tags`](Self::note_tags) has noted of a slot that did not become live in
    /// the end.
    pub(super) fn forget_tags(&mut self, index: u32) {
        if Self::TAGGED {
            self.tags.remove(index, u64::MAX);
        }
        if self.is_clustered() {
            self.clusters.note_freed(index, &self.slots);
        }
    }

    /// Makes all memory that `capacity` slots could need, for every tag that there could be and for
    /// staging, and gives up clusters: nothing is left to be made.
    pub(crate) fn fix(&mut self, capacity: u32) -> Result<(), OutOfMemory> {
        self.nursery.reserve(capacity)?;
        self.fix_tags()
    }

    /// Makes room for every tag that there could be, in every slot, and gives up clusters.
    pub(super) fn fix_tags(&mut self) -> Result<(), OutOfMemory> {
        self.clustered = false;
        if Self::TAGGED {
            self.tags.grow(self.last_slot(0), T::Tags::narrow(u64::MAX).widen())
        } else {
            Ok(())
        }
    }

    /// Whether things are kept together by their tags.
    #[inline(always)]
    pub(super) fn is_clustered(&self) -> bool {
        Self::TAGGED && self.clustered
    }

    /// The last slot that has memory, `index` at least.
    pub(super) fn last_slot(&self, index: u32) -> u32 {
        index.max((self.memory() - 1) as u32)
    }

    /// Holds a value that was just written to the tags that there is room for: `Thing::tags` is
    /// user code, and may have said something else when the storage asked again.
    #[inline]
    pub(super) fn hold_to(&mut self, place: Place<T>, tags: u64) {
        // SAFETY: the place is of this storage and holds a value, which nobody else uses
        // (`&mut self`).
        unsafe {
            if Self::TAGGED && self.values.tags(place).widen() != tags {
                self.values.set_tags(place, T::Tags::narrow(tags));
            }
        }
    }

    /// Staged things become live; reserved slots stay. `note` hears the generation of every thing.
    pub(crate) fn commit(&mut self, note: &mut dyn FnMut(u32)) -> u32 {
        _ = self.settle(); // refused: those that got no memory stay in the nursery
        let mut committed = 0;
        let mut from = 0;
        while let Some((number, claimed)) = self.slots.next_claimed(from) {
            for index in ones(claimed).map(|bit| number * GROUP + bit) {
                let Some(stamp) = self.main_stamp(index).filter(|&stamp| is_live(stamp)) else {
                    continue;
                };
                if !self.commit_one(index) {
                    continue;
                }
                self.staged -= 1; // before `note`, which may panic
                note(Handle::<T>::STAMP.generation_of(stamp));
                committed += 1;
            }
            from = number + 1;
        }
        self.slots.tidy_claims();
        committed
    }

    /// How many live things have all of these tags.
    pub(crate) fn count_tagged(&self, tags: u64) -> usize {
        match tags.count_ones() {
            0 => self.slots.live() as usize,
            1 => self.tags.count(tags.trailing_zeros()) as usize,
            _ => Filter::new(&self.slots, self.tags.maps(), tags, 0).count(),
        }
    }

    /// Makes a staged thing live. Answers whether there was memory to note its tags; if not it
    /// stays staged.
    pub(super) fn commit_one(&mut self, index: u32) -> bool {
        let Some(place) = self.values.place(index) else { return false };
        // SAFETY: the place is of this storage and holds a value: callers settle slots with odd
        // stamps (C1).
        let tags = unsafe { self.values.tags(place) }.widen();
        let noted = self.room_for_tags(index, tags).is_ok();
        if noted {
            self.slots.settle(index);
            self.mark(index);
            self.note_tags(index, tags);
        }
        noted
    }

    /// Whether the bitmaps say of every slot what its thing says (T1).
    pub(super) fn check_tags(&self) -> Result<(), &'static str> {
        for index in self.values.memory().ranges().flatten().map(|index| index as u32) {
            let live = self.slots.state(index) == State::Live;
            let tags = match self.values.place(index) {
                // SAFETY: the place is of this storage and, being live, holds a value (C2, C1).
                Some(place) if live => unsafe { self.values.tags(place) }.widen(),
                _ => 0,
            };
            if !self.tags.agrees(index, tags) {
                return Err("T1: a bitmap of tags differs from the tags of a thing");
            }
        }
        if !self.tags.counts_right() {
            return Err("T1: a tag is counted wrongly");
        }
        if self.is_clustered() { self.clusters.check(&self.slots) } else { Ok(()) }
    }
}
