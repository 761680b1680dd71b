#![expect(
    unsafe_code,
    reason = "fills slots whose values nobody can reach until the last one is there"
)]
//! Filling a run of consecutive slots, all or nothing.

use core::mem;

use super::*;
use crate::guard::Guard;
use crate::handle::HandleRange;
use crate::state::fitting_kind;

impl<T: Thing> Cells<T> {
    /// Fills the `n` free slots from `first` on with what `f` makes, under one generation. If a
    /// value is refused, or memory, or `f` panics, those already made are dropped and nothing has
    /// changed.
    #[inline(always)]
    pub(crate) fn fill_run(
        &mut self,
        first: u32,
        n: u32,
        mut f: impl FnMut(u32) -> T,
    ) -> Result<HandleRange<T>, SpawnFault> {
        let bits = Handle::<T>::STAMP;
        let end = u64::from(first) + u64::from(n);
        self.values.memory_mut().reserve(end).map_err(SpawnFault::OutOfMemory)?;
        for (number, _) in groups_of(first, n) {
            self.make_room(number * GROUP).map_err(SpawnFault::OutOfMemory)?;
        }
        // The first generation that is new for every slot of the run.
        // SAFETY: the places are of this storage.
        let stamps = self.places(first, n).map(|place| unsafe { T::Storage::stamp(place).read() });
        let generation = stamps.map(|stamp| bits.generation_of(stamp)).fold(0, u32::max) + 1;
        let mut kind = 0;
        // Asked about each value, and does not pass it on: in a `Result`, a value is put together
        // on the stack and copied.
        let mut check = |i, value: &T| {
            let its_kind = fitting_kind(bits, value.kind())?;
            if i == 0 {
                kind = its_kind;
            } else if its_kind != kind {
                let handle =
                    Handle::<T>::from_parts(first + i, bits.stamp(generation, kind)).name();
                return Err(SpawnFault::Handle(HandleError::WrongKind {
                    handle,
                    kind,
                    expected: its_kind,
                }));
            }
            Ok(())
        };
        let mut written = Written { cells: self, first, count: 0 };
        written.fill(n, &mut f, &mut check)?;
        mem::forget(written);
        self.note_run(first, n, bits.stamp(generation, kind));
        HandleRange::new(Handle::from_parts(first, bits.stamp(generation, kind)), n)
            .map_err(SpawnFault::Handle)
    }

    /// Notes that the slots of a run are live. All hold values, and their tags are noted.
    fn note_run(&mut self, first: u32, n: u32, stamp: u32) {
        // Up to where a group begins, whole groups, and what is left.
        let head = (GROUP - first % GROUP).min(n) % GROUP;
        let (whole, tail) = ((n - head) / GROUP, (n - head) % GROUP);
        for (number, bits) in groups_of(first, head).chain(groups_of(first + (n - tail), tail)) {
            self.slots.take_all(number, bits);
        }
        if whole > 0 {
            let start = (first + head) / GROUP;
            self.slots.take_groups(start..start + whole);
        }
        if self.marks.is_some() {
            groups_of(first, n).for_each(|(number, _)| self.mark(number * GROUP));
        }
        for place in self.places(first, n) {
            // SAFETY: the place is of this storage and, as an odd stamp says (C1), holds a value
            // (by the caller).
            unsafe { T::Storage::stamp(place).write(stamp) };
        }
    }

    /// The places of the slots of a run that has memory, in order.
    fn places(&self, first: u32, n: u32) -> impl Iterator<Item = Place<T>> {
        let groups = groups_of(first, n).map(|(number, bits)| (self.first_place(number), bits));
        groups.flat_map(|(start, bits)| {
            // SAFETY: both places are of this storage and in one group.
            ones(bits).map(move |bit| unsafe { T::Storage::step(start, bit) })
        })
    }
}

/// The groups that `n` slots from `first` on lie in, and which of their slots these are.
fn groups_of(first: u32, n: u32) -> impl Iterator<Item = (u32, u64)> {
    let (group, first) = (u64::from(GROUP), u64::from(first));
    let end = first + u64::from(n);
    let numbers = first / group..end.div_ceil(group);
    numbers.filter(move |_| n > 0).map(move |number| {
        let skipped = first.saturating_sub(number * group);
        let len = (end - number * group).min(group) - skipped;
        (number as u32, u64::MAX >> (group - len) << skipped)
    })
}

/// Values in free slots, `count` of them from `first` on, that nobody knows of: their stamps say
/// that there are none. Dropped unless forgotten.
struct Written<'a, T: Thing> {
    cells: &'a mut Cells<T>,
    first: u32,
    count: u32,
}

impl<T: Thing> Written<'_, T> {
    /// Fills `n` slots with values.
    #[inline(always)]
    fn fill(
        &mut self,
        n: u32,
        f: &mut impl FnMut(u32) -> T,
        check: &mut impl FnMut(u32, &T) -> Result<(), SpawnFault>,
    ) -> Result<(), SpawnFault> {
        for (number, bits) in groups_of(self.first, n) {
            let start = self.cells.first_place(number);
            let (first, len) = (bits.trailing_zeros(), bits.count_ones());
            for bit in first..first + len {
                let value = f(self.count);
                check(self.count, &value)?;
                let tags = value.tags().widen();
                // The value is taken only if there is memory to note its tags, too.
                self.cells
                    .room_for_tags(number * GROUP + bit, tags)
                    .map_err(SpawnFault::OutOfMemory)?;
                // SAFETY: both places are of this storage and in one group; nobody else uses the
                // value of a free slot.
                let place = unsafe {
                    let place = T::Storage::step(start, bit);
                    self.cells.values.write(place, value);
                    place
                };
                self.count += 1;
                self.cells.hold_to(place, tags);
                // Now, and not when the run is done: tags are not asked again, since what they say
                // of themselves is user code.
                self.cells.note_tags(number * GROUP + bit, tags);
            }
        }
        Ok(())
    }

    fn drop_all(&mut self) {
        while self.count > 0 {
            self.count -= 1;
            let index = self.first + self.count;
            self.cells.forget_tags(index);
            if let Some(place) = self.cells.values.place(index) {
                // SAFETY: the place is of this storage and holds a value that was put there, and it
                // is not counted any more, so this is its last use.
                unsafe { self.cells.values.drop_in_place(place) };
            }
        }
    }
}

impl<T: Thing> Drop for Written<'_, T> {
    fn drop(&mut self) {
        // Goes on when a `Drop` has unwound.
        Guard::new(self, |written| written.drop_all()).drop_all();
    }
}
