#![expect(
    unsafe_code,
    reason = "moves the fields of a thing one by one, by the pointers that the layout gives"
)]
//! What is done to all fields of a thing, one after the other.

use alloc::boxed::Box;

use super::*;

/// Moves every field of a whole thing into its columns; cold ones to the heap, unless they are at
/// their default.
pub(super) struct Scatter<T> {
    pub(super) from: *mut T,
    pub(super) to: Place<T>,
    /// The cold fields that are at their default, a bit for each.
    pub(super) at_default: u64,
}

impl<T: Columnar> FieldVisitor<T> for Scatter<T> {
    #[inline(always)]
    fn field<F: Field<Thing = T>>(&mut self) {
        // SAFETY: `from` is a whole thing that is given up field by field, and `to` a slot whose
        // value nobody else uses (by whoever made the `Scatter`); `FIELDS` says truly where the
        // field lies in the one, `layout.rs` where in the other.
        unsafe {
            let from = self.from.byte_add(T::FIELDS[F::INDEX].offset).cast::<F::Value>();
            match const { is_cold::<F>() } {
                false => ptr::copy_nonoverlapping(from, self.to.field_unless_cold::<F>(), 1),
                true if self.at_default >> F::INDEX & 1 == 1 => {} // is dropped where it is
                true => self.to.cold::<F>().put(from.read()),
            }
        }
    }
}

/// Finds the cold fields of a whole thing that are at their default.
pub(super) struct FindDefaults<T> {
    pub(super) of: *const T,
    pub(super) at_default: u64,
}

impl<T: Columnar> FieldVisitor<T> for FindDefaults<T> {
    #[inline(always)]
    fn field<F: Field<Thing = T>>(&mut self) {
        if const { is_cold::<F>() } {
            // SAFETY: `of` is a whole thing (by whoever made this), and `FIELDS` says truly where
            // the field lies in it.
            let is_default = unsafe {
                T::cold_is_default(F::INDEX, self.of.byte_add(T::FIELDS[F::INDEX].offset).cast())
            };
            self.at_default |= u64::from(is_default) << F::INDEX;
        }
    }
}

/// Moves every field of a slot into a whole thing, but for the defaults, which have been made.
pub(super) struct Gather<T> {
    pub(super) from: Place<T>,
    pub(super) to: *mut T,
}

impl<T: Columnar> FieldVisitor<T> for Gather<T> {
    #[inline(always)]
    fn field<F: Field<Thing = T>>(&mut self) {
        // SAFETY: as in `Scatter`, the other way round; the slot holds a value.
        unsafe {
            let to = self.to.byte_add(T::FIELDS[F::INDEX].offset).cast::<F::Value>();
            match const { is_cold::<F>() } {
                false => ptr::copy_nonoverlapping(self.from.field_unless_cold::<F>(), to, 1),
                true => {
                    if let Some(value) = self.from.cold::<F>().take() {
                        to.write(value);
                    }
                }
            }
        }
    }
}

/// Asks for the memory of some fields of a slot. What is cold is elsewhere, and mostly not there at
/// all.
pub(super) struct Fetch<T, S> {
    pub(super) of: Place<T>,
    pub(super) which: PhantomData<S>,
}

impl<T: Columnar, S: SomeFields> FieldVisitor<T> for Fetch<T, S> {
    #[inline(always)]
    fn field<F: Field<Thing = T>>(&mut self) {
        if const { S::FIELDS >> F::INDEX & 1 == 1 && !is_cold::<F>() } {
            prefetch(self.of.field_unless_cold::<F>());
        }
    }
}

/// Makes, or drops, the defaults of cold fields.
pub(super) struct Keep<'a, T: Columnar> {
    pub(super) defaults: &'a mut Defaults,
    pub(super) free: bool,
    pub(super) thing: PhantomData<T>,
}

impl<T: Columnar> FieldVisitor<T> for Keep<'_, T> {
    fn field<F: Field<Thing = T>>(&mut self) {
        if !const { is_cold::<F>() } {
            return;
        }
        let kept = &mut self.defaults.0[const { cold_rank(T::FIELDS, F::INDEX) }];
        if self.free {
            let kept = core::mem::replace(kept, ptr::null_mut());
            if !kept.is_null() {
                // SAFETY: made below out of a box of this type, and reachable no more.
                drop(unsafe { Box::from_raw(kept.cast::<F::Value>()) });
            }
            return;
        }
        let mut value = Box::new(MaybeUninit::<F::Value>::uninit());
        // SAFETY: memory for a value of the field's type; `cold_default` writes one (`Columnar` is
        // unsafe to implement).
        let value = unsafe {
            T::cold_default(F::INDEX, value.as_mut_ptr().cast());
            value.assume_init()
        };
        *kept = Box::into_raw(value).cast();
    }
}

/// Frees the tables of cold values of one group.
pub(super) struct FreeTables<T>(pub(super) Place<T>);

impl<T: Columnar> FieldVisitor<T> for FreeTables<T> {
    fn field<F: Field<Thing = T>>(&mut self) {
        if const { is_cold::<F>() } {
            // SAFETY: the memory of the group goes; nobody uses it any more (`Extent::close`).
            unsafe { self.0.cold::<F>().free_table() };
        }
    }
}

impl<T: Columnar> Drop for Keep<'_, T> {
    /// Goes on where a `Drop` has unwound: what is gone is null.
    fn drop(&mut self) {
        if self.free {
            T::visit(self);
        }
    }
}

/// Says that a group of slots, which nobody has looked at yet, has no cold values.
pub(super) struct ClearCells<T>(pub(super) Place<T>);

impl<T: Columnar> FieldVisitor<T> for ClearCells<T> {
    #[inline(always)]
    fn field<F: Field<Thing = T>>(&mut self) {
        if const { is_cold::<F>() } {
            // SAFETY: the group's own cell, which nobody else uses yet.
            unsafe { self.0.cold::<F>().clear() };
        }
    }
}

/// Moves every field of a thing from slot to slot.
pub(super) struct Transfer<T> {
    pub(super) from: Place<T>,
    pub(super) to: Place<T>,
}

impl<T: Columnar> FieldVisitor<T> for Transfer<T> {
    fn field<F: Field<Thing = T>>(&mut self) {
        // SAFETY: `from` holds a value that is given up field by field, and `to` is another slot
        // whose value nobody else uses (by whoever made this).
        unsafe {
            match const { is_cold::<F>() } {
                false => ptr::copy_nonoverlapping(
                    self.from.field_unless_cold::<F>(),
                    self.to.field_unless_cold::<F>(),
                    1,
                ),
                true => self.from.cold::<F>().transfer(&self.to.cold::<F>()),
            }
        }
    }
}
