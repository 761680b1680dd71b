#![expect(
    unsafe_code,
    reason = "fills slots whose values nobody can reach until the last one is there"
)]
//! Filling a run of consecutive slots, all or nothing.

use core::mem;

use super::*;
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
        let worn = self.worn_part(first, n);
        for (number, _) in groups_of(first, 0, worn) {
            self.room(number * GROUP).map_err(SpawnFault::OutOfMemory)?;
        }
        if worn < n {
            self.values
                .make_room(u64::from(first) + u64::from(n))
                .map_err(SpawnFault::OutOfMemory)?;
        }
        // The first generation that is new for every slot of the run.
        // SAFETY: the places are of this storage.
        let generations = self.places(first, worn).map(|place| unsafe { self.values.stamp(place) });
        let generation = generations
            .map(|stamp| bits.generation_of(stamp.load(Ordering::Relaxed)))
            .fold(0, u32::max)
            + 1;
        let mut kind = 0;
        // Asked about each value, and does not pass it on: in a `Result`, a value is put together
        // on the stack and copied.
        let mut stamp_of = |i, value: &T| {
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
            Ok(bits.stamp(generation, kind))
        };
        let mut written = Written { cells: self, first, count: 0, worn, made: worn };
        written.fill_worn(&mut f, &mut stamp_of)?;
        written.fill_fresh(n, f, stamp_of)?;
        mem::forget(written);
        self.note_run(first, n, worn, bits.stamp(generation, kind));
        HandleRange::new(Handle::from_parts(first, bits.stamp(generation, kind)), n)
            .map_err(SpawnFault::Handle)
    }

    /// How many of `n` slots from `first` on have to be looked at, as they were used before: all,
    /// unless there is no memory for what follows. Things with tags go one by one, in any case.
    fn worn_part(&self, first: u32, n: u32) -> u32 {
        let (start, end) = (u64::from(first), u64::from(first) + u64::from(n));
        let made = self.values.slots().clamp(start, end);
        // Block by block: some may have been made out of order.
        let mut index = made;
        while let Some(at) = u32::try_from(index).ok().filter(|_| index < end) {
            if self.values.place(at).is_some() {
                return n;
            }
            index += u64::from(T::Storage::run_len(at));
        }
        if Self::TAGGED { n } else { (made - start) as u32 }
    }

    /// Notes that the slots of a run are live. All hold values, and their tags are noted; those
    /// after the first `worn` have their stamps already.
    fn note_run(&mut self, first: u32, n: u32, worn: u32, stamp: u32) {
        // Up to where a group begins, whole groups, and what is left.
        let head = (GROUP - first % GROUP).min(n) % GROUP;
        let (whole, tail) = ((n - head) / GROUP, (n - head) % GROUP);
        for (number, bits) in groups_of(first, 0, head).chain(groups_of(first, n - tail, tail)) {
            self.slots.take_all(number, bits);
        }
        if whole > 0 {
            let start = (first + head) / GROUP;
            self.slots.take_groups(start..start + whole);
        }
        if self.marks.is_some() {
            groups_of(first, 0, n).for_each(|(number, _)| self.mark(number * GROUP));
        }
        for place in self.places(first, worn) {
            // SAFETY: the place is of this storage and, as an odd stamp says (C1), holds a value
            // (by the caller).
            unsafe { self.values.stamp(place).store(stamp, Ordering::Relaxed) };
        }
    }

    /// The places of the slots of a run that has memory, in order.
    fn places(&self, first: u32, n: u32) -> impl Iterator<Item = Place<T>> {
        let groups = groups_of(first, 0, n).map(|(number, bits)| (self.first_place(number), bits));
        groups.flat_map(|(start, bits)| {
            // SAFETY: both places are of this storage and in one group.
            ones(bits).map(move |bit| unsafe { T::Storage::step(start, bit) })
        })
    }
}

/// The groups that `n` slots after the first `skip` from `first` on lie in, and which of their
/// slots these are.
fn groups_of(first: u32, skip: u32, n: u32) -> impl Iterator<Item = (u32, u64)> {
    let (group, first) = (u64::from(GROUP), u64::from(first) + u64::from(skip));
    let end = first + u64::from(n);
    let numbers = first / group..end.div_ceil(group);
    numbers.filter(move |_| n > 0).map(move |number| {
        let skipped = first.saturating_sub(number * group);
        let len = (end - number * group).min(group) - skipped;
        (number as u32, u64::MAX >> (group - len) << skipped)
    })
}

/// Values in free slots, `count` of them from `first` on, that nobody knows of. Dropped unless
/// forgotten.
struct Written<'a, T: Thing> {
    cells: &'a mut Cells<T>,
    first: u32,
    count: u32,
    /// From this one of them on, up to `made`, slots came without stamps, and have those of live
    /// things where there is a value.
    worn: u32,
    made: u32,
}

impl<T: Thing> Written<'_, T> {
    /// Fills the slots that were used before with values. Their stamps still say that there are
    /// none.
    #[inline(always)]
    fn fill_worn(
        &mut self,
        f: &mut impl FnMut(u32) -> T,
        stamp_of: &mut impl FnMut(u32, &T) -> Result<u32, SpawnFault>,
    ) -> Result<(), SpawnFault> {
        for (number, bits) in groups_of(self.first, 0, self.worn) {
            let start = self.cells.first_place(number);
            for bit in ones(bits) {
                let value = f(self.count);
                stamp_of(self.count, &value)?;
                let tags = value.tags().widen();
                // The value is taken only if there is memory to note its tags, too.
                self.cells
                    .room_for_tags(number * GROUP + bit, tags)
                    .map_err(SpawnFault::OutOfMemory)?;
                // SAFETY: both places are of this storage and in one group; nobody else uses the
                // value of a free slot.
                let place = unsafe {
                    let place = T::Storage::step(start, bit);
                    self.cells.values.prefetch_on(place);
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

    /// Makes memory for the slots that are left of `n`, block by block, and fills them with values
    /// and stamps.
    #[inline(always)]
    fn fill_fresh(
        &mut self,
        n: u32,
        mut f: impl FnMut(u32) -> T,
        mut stamp_of: impl FnMut(u32, &T) -> Result<u32, SpawnFault>,
    ) -> Result<(), SpawnFault> {
        while self.count < n {
            // As many as are left in this block, and the groups that they lie in.
            let from = self.first + self.count;
            let len = T::Storage::run_len(from).min(n - self.count);
            let before = from % GROUP;
            let whole = (before + len).next_multiple_of(GROUP);
            // SAFETY: none had memory, as `worn_part` says. Slots of the run get a stamp when they
            // are filled, or from `clear_stamps`, the others below.
            let start = unsafe { self.cells.bare_room(from - before, whole) }
                .map_err(SpawnFault::OutOfMemory)?;
            self.made += len;
            for slot in (0..before).chain(before + len..whole) {
                // SAFETY: both places are of this storage and in one run; slots that are not of the
                // run hold nothing.
                unsafe { self.cells.set_fresh(T::Storage::step(start, slot), 1) };
            }
            for slot in before..before + len {
                let value = f(self.count);
                let stamp = stamp_of(self.count, &value)?;
                let values = &self.cells.values;
                // SAFETY: both places are of this storage and in one run; nobody else uses the
                // value of a free slot. The stamp is set through a pointer: there is none yet.
                unsafe {
                    let place = T::Storage::step(start, slot);
                    values.write(place, value);
                    values.stamps(place).cast_mut().write(stamp);
                }
                self.count += 1;
            }
        }
        Ok(())
    }

    /// Gives slots that came without stamps those of slots that were never used.
    fn clear_stamps(&mut self) {
        for (number, bits) in groups_of(self.first, self.worn, self.made - self.worn) {
            let start = self.cells.first_place(number);
            // SAFETY: the first place of the group; what was put into its slots is dropped after
            // this.
            unsafe { self.cells.set_fresh(start, bits) };
        }
    }
}

impl<T: Thing> Written<'_, T> {
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
        /// Drops those that are left, also when the `Drop` of one has unwound.
        struct Rest<'a, 'b, T: Thing>(&'a mut Written<'b, T>);

        impl<T: Thing> Drop for Rest<'_, '_, T> {
            fn drop(&mut self) {
                self.0.drop_all();
            }
        }

        self.clear_stamps();
        Rest(self).0.drop_all();
    }
}
