#![expect(
    unsafe_code,
    reason = "fills the free slots of a group one after the other, and notes them all at once"
)]
//! Filling the free slots of a group with as many things as there are.

use super::*;
use crate::state::fitting_kind;

/// The slots of a group that were just filled, and whose handles are still to come.
pub(crate) struct Batch<T: Thing> {
    first: u32,
    bits: u64,
    start: Option<Place<T>>,
}

impl<T: Thing> Batch<T> {
    /// None.
    pub(crate) const EMPTY: Self = Self { first: 0, bits: 0, start: None };

    /// How many handles are still to come.
    pub(crate) fn len(&self) -> usize {
        self.bits.count_ones() as usize
    }

    /// The next handle. The cells are those that the batch was made by, and have not been changed
    /// since.
    #[inline(always)]
    pub(crate) fn next(&mut self, _of: &Cells<T>) -> Option<Handle<T>> {
        let bit = (self.bits != 0).then(|| self.bits.trailing_zeros())?;
        self.bits &= self.bits - 1;
        // SAFETY: both places are of a storage of this type and in one group. It need not even be
        // that of `cells`: memory stays as long as the pool, which is borrowed as long as the batch
        // is kept.
        let stamp = unsafe { T::Storage::stamp(T::Storage::step(self.start?, bit)).read() };
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
        Batch { first: number * GROUP, bits: 1 << bit, start: Some(self.first_place(number)) }
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
        self.settle().ok()?;
        let (number, free) = self.slots.lowest_free_group()?;
        self.make_room(number * GROUP).ok()?;
        let start = self.first_place(number);
        let mut filled = Filled { cells: self, number, bits: 0 };
        let bits = Handle::<T>::STAMP;
        let mut put = |bit: u32| {
            let Some(value) = things.next() else { return Err(End::Things) };
            let kind = fitting_kind(bits, value.kind()).map_err(End::Fault)?;
            // SAFETY: both places are of this storage and in one group. Nobody else uses the value:
            // the slot is free, and `&mut self`.
            unsafe {
                let place = T::Storage::step(start, bit);
                let stamp = T::Storage::stamp(place);
                let generation = bits.generation_of(stamp.read()) + 1;
                T::Storage::prefetch_on(place);
                filled.cells.values.write(place, value);
                stamp.write(bits.stamp(generation, kind));
                filled.bits |= 1 << bit;
                note(generation);
            }
            Ok(())
        };
        // Slots in a row, as mostly where nothing was before, take a straight loop.
        let first = free.trailing_zeros();
        let ended = match free == u64::MAX << first {
            true => (first..GROUP).try_for_each(&mut put),
            false => ones(free).try_for_each(&mut put),
        };
        let bits = filled.bits;
        drop(filled);
        let batch = Batch { first: number * GROUP, bits, start: Some(start) };
        Some((batch, ended.err().unwrap_or(End::Group)))
    }
}

/// Slots that have a value and a stamp, to be noted as live: also if the things' iterator unwinds.
struct Filled<'a, T: Thing> {
    cells: &'a mut Cells<T>,
    number: u32,
    bits: u64,
}

impl<T: Thing> Drop for Filled<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if self.bits != 0 {
            self.cells.slots.take_all(self.number, self.bits);
            self.cells.mark(self.number * GROUP);
        }
    }
}
