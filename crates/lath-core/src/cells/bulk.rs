#![expect(
    unsafe_code,
    reason = "fills the free slots of a group one after the other, and notes them all at once"
)]
//! Filling the free slots of a group with as many things as there are.

use core::ops::Range;

use super::*;
use crate::state::fitting_kind;

/// The slots of a group that were just filled, and whose handles are still to come.
pub(crate) struct Batch<T: Thing> {
    /// Neighbours that have the same stamp come first.
    run: Range<u32>,
    stamp: u32,
    first: u32,
    bits: u64,
    start: Option<Place<T>>,
}

impl<T: Thing> Batch<T> {
    /// None.
    pub(crate) const EMPTY: Self = Self { run: 0..0, stamp: 0, first: 0, bits: 0, start: None };

    /// How many handles are still to come.
    pub(crate) fn len(&self) -> usize {
        self.run.len() + self.bits.count_ones() as usize
    }

    /// The next handle. The cells are those that the batch was made by, and have not been changed
    /// since.
    #[inline(always)]
    pub(crate) fn next(&mut self, cells: &Cells<T>) -> Option<Handle<T>> {
        match self.run.next() {
            Some(index) => Some(Handle::from_parts(index, self.stamp)),
            None => self.next_one(cells),
        }
    }

    #[inline(always)]
    fn next_one(&mut self, cells: &Cells<T>) -> Option<Handle<T>> {
        let bit = (self.bits != 0).then(|| self.bits.trailing_zeros())?;
        self.bits &= self.bits - 1;
        // SAFETY: both places are of a storage of this type and in one group. It need not even be
        // that of `cells`: memory stays as long as the pool, which is borrowed as long as the batch
        // is kept.
        let stamp = unsafe { cells.values.stamp(T::Storage::step(self.start?, bit)) }
            .load(Ordering::Relaxed);
        Some(Handle::from_parts(self.first + bit, stamp))
    }
}

/// Why a batch ended before the group was full.
pub(crate) enum End {
    /// There are more free slots in other groups.
    Group,
    /// There are no more things.
    Things,
    /// A thing has a kind that does not fit: it is dropped.
    Fault(SpawnFault),
}

impl<T: Thing> Cells<T> {
    /// Whether [`fill_group`](Self::fill_group) can be used at all: things with tags go by their
    /// clusters.
    pub(crate) const BATCHES: bool = !Self::TAGGED;

    /// The batch of one thing that was just spawned.
    pub(crate) fn batch_of(&self, handle: Handle<T>) -> Batch<T> {
        let (number, bit) = (handle.index() / GROUP, handle.index() % GROUP);
        Batch {
            first: number * GROUP,
            bits: 1 << bit,
            start: Some(self.first_place(number)),
            ..Batch::EMPTY
        }
    }

    /// Makes room for `len` slots from `first` on, whole groups of one run that have no memory and
    /// no stamps yet. The place of the first.
    ///
    /// # Safety
    ///
    /// None of them has memory before. The caller sets the stamps of all of them, before anybody
    /// looks at them.
    pub(super) unsafe fn bare_room(
        &mut self,
        first: u32,
        len: u32,
    ) -> Result<Place<T>, OutOfMemory> {
        for index in [first, first + (len - 1)] {
            if !self.slots.has_room(index) {
                self.slots.grow(index)?;
                self.slots.know()?;
            }
        }
        // SAFETY: passed on from the caller.
        unsafe { self.values.grow_bare(first, len) }
    }

    /// Gives slots, at these distances from `start`, the stamps of slots that were never used.
    ///
    /// # Safety
    ///
    /// All of them are of one run of this storage. They hold no values, or none that anybody will
    /// ask for.
    pub(super) unsafe fn set_fresh(&mut self, start: Place<T>, bits: u64) {
        for bit in ones(bits) {
            // SAFETY: both places are of one run of this storage, by the caller; `&mut self` keeps
            // everyone else away. Through a pointer: there may be no stamp yet.
            unsafe { self.values.stamps(T::Storage::step(start, bit)).cast_mut().write(SPENT) };
        }
    }

    /// Fills the free slots of the lowest group that has any, as far as `things` go. `None` if
    /// there is no such group, or no memory for it. If `things` panics, what it gave before stays.
    /// `note` hears every generation.
    #[inline(always)]
    pub(crate) fn fill_group(
        &mut self,
        things: &mut impl Iterator<Item = T>,
        note: &mut impl FnMut(u32),
    ) -> Option<(Batch<T>, End)> {
        let index = self.slots.lowest_free()?;
        let first = index - index % GROUP;
        let fresh = self.values.place(first).is_none();
        let start = if fresh {
            // SAFETY: slots that are filled get a stamp, the others get theirs from `Filled`.
            unsafe { self.bare_room(first, GROUP) }.ok()?
        } else {
            self.values.place(first)?
        };
        let free = self.slots.free_word(first / GROUP);
        let mut filled =
            Filled { cells: self, number: first / GROUP, bits: 0, bare: fresh.then_some(start) };
        let bits = Handle::<T>::STAMP;
        let mut put = |filled: &mut Filled<'_, T>, bit: u32| {
            let Some(value) = things.next() else { return Err(End::Things) };
            let kind = fitting_kind(bits, value.kind()).map_err(End::Fault)?;
            // SAFETY: both places are of this storage and in one group. Nobody else uses the value:
            // the slot is free, and `&mut self`. The stamp is set through a pointer: it may not be
            // one yet.
            unsafe {
                let values = &filled.cells.values;
                let place = T::Storage::step(start, bit);
                let stamp = values.stamps(place).cast_mut();
                let generation = if fresh { 1 } else { bits.generation_of(stamp.read()) + 1 };
                values.prefetch_on(place);
                values.write(place, value);
                stamp.write(bits.stamp(generation, kind));
                filled.bits |= 1 << bit;
                note(generation);
            }
            Ok(())
        };
        let skipped = index % GROUP;
        if fresh && bits.kind == 0 && free == u64::MAX << skipped {
            // Slots that were never used, in a row: all of generation 1.
            let ended = (skipped..GROUP).try_for_each(|bit| put(&mut filled, bit));
            let run = index..index + filled.bits.count_ones();
            return Some((
                Batch { run, stamp: bits.stamp(1, 0), ..Batch::EMPTY },
                ended.err().unwrap_or(End::Group),
            ));
        }
        let ended = ones(free).try_for_each(|bit| put(&mut filled, bit));
        let bits = filled.bits;
        drop(filled);
        Some((
            Batch { first, bits, start: Some(start), ..Batch::EMPTY },
            ended.err().unwrap_or(End::Group),
        ))
    }
}

/// Slots that have a value and a stamp, to be noted as live: also if the things' iterator unwinds.
struct Filled<'a, T: Thing> {
    cells: &'a mut Cells<T>,
    number: u32,
    bits: u64,
    /// The place of the first, if slots that were not filled have no stamp.
    bare: Option<Place<T>>,
}

impl<T: Thing> Drop for Filled<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(start) = self.bare.filter(|_| self.bits != u64::MAX) {
            // SAFETY: the first place of the group; nothing was put into the others.
            unsafe { self.cells.set_fresh(start, !self.bits) };
        }
        if self.bits != 0 {
            self.cells.slots.take_all(self.number, self.bits);
            self.cells.mark(self.number * GROUP);
        }
    }
}
