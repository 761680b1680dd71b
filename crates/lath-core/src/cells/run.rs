#![expect(unsafe_code, reason = "fills slots whose values nobody can reach until the last one is there")]
//! Filling a run of consecutive slots, all or nothing.

use core::mem;

use super::*;
use crate::handle::HandleRange;
use crate::state::fitting_kind;

impl<T: Thing> Cells<T> {
    /// Fills the free slots `first..first + n`, which have room, with what `f` makes, under one generation. If a value
    /// is refused, or `f` panics, those already made are dropped and nothing has changed.
    pub(crate) fn fill_run(
        &mut self,
        first: u32,
        n: u32,
        mut f: impl FnMut(u32) -> T,
    ) -> Result<HandleRange<T>, SpawnFault> {
        let bits = Handle::<T>::STAMP;
        // The first generation that is new for every slot of the run.
        let generation = (first..first + n).filter_map(|index| self.stamp(index)).fold(0, u32::max) + 1;
        let mut written = Written { cells: self, first, count: 0 };
        let mut kind = 0;
        for i in 0..n {
            let value = f(i);
            let its_kind = fitting_kind(bits, value.kind())?;
            if i == 0 {
                kind = its_kind;
            } else if its_kind != kind {
                let handle = Handle::<T>::from_parts(first + i, bits.stamp(generation, kind)).name();
                return Err(SpawnFault::Handle(HandleError::WrongKind { handle, kind, expected: its_kind }));
            }
            written.push(value)?;
        }
        mem::forget(written);
        let stamp = bits.stamp(generation, kind);
        for index in first..first + n {
            let Some(place) = self.values.place(index) else { unreachable!("there is room") };
            // SAFETY: the place is of this storage and, as an odd stamp says (C1), holds a value: `written` put it there.
            let tags = unsafe {
                self.values.stamp(place).store(stamp, Ordering::Relaxed);
                self.values.tags(place)
            };
            self.slots.take(index);
            self.mark(index);
            self.note_tags(index, tags.widen());
        }
        HandleRange::new(Handle::from_parts(first, stamp), n).map_err(SpawnFault::Handle)
    }
}

/// Values in free slots, `count` of them from `first` on: no stamp says that they are there. Dropped unless forgotten.
struct Written<'a, T: Thing> {
    cells: &'a mut Cells<T>,
    first: u32,
    count: u32,
}

impl<T: Thing> Written<'_, T> {
    /// Takes the value only if there is memory to note its tags, too.
    fn push(&mut self, value: T) -> Result<(), SpawnFault> {
        let index = self.first + self.count;
        let tags = value.tags().widen();
        self.cells.room_for_tags(index, tags).map_err(SpawnFault::OutOfMemory)?;
        let Some(place) = self.cells.values.place(index) else { unreachable!("there is room") };
        // SAFETY: the place is of this storage, and nobody else uses the value of a free slot.
        unsafe { self.cells.values.write(place, value) };
        self.count += 1;
        self.cells.hold_to(place, tags);
        Ok(())
    }
}

impl<T: Thing> Written<'_, T> {
    fn drop_all(&mut self) {
        while self.count > 0 {
            self.count -= 1;
            if let Some(place) = self.cells.values.place(self.first + self.count) {
                // SAFETY: the place is of this storage and holds a value: `push` wrote it, and it is not counted any
                // more, so this is its last use.
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

        Rest(self).0.drop_all();
    }
}
