#![expect(
    unsafe_code,
    reason = "drops the fields of a thing that is in pieces when user code panics"
)]
//! Things in pieces, between their slot and a whole struct: what becomes of the pieces if user code
//! panics.

use core::mem::forget;

use super::*;

/// Drops some fields of a thing, all of them also if one panics; then the others as well.
///
/// # Safety
///
/// `of` is a whole thing. These fields are not used again; none is if this panics.
pub(super) unsafe fn drop_fields<T: Columnar>(of: *mut T, fields: u64) {
    let others = all_fields::<T>() & !fields;
    let mut rest = Rest { drop: DropFields { of, left: fields }, others };
    T::visit(&mut rest.drop);
    forget(rest);
}

/// Makes the defaults of the cold fields that a slot does not have, where a whole thing has them.
/// If one panics, they and the value in the slot are dropped.
///
/// # Safety
///
/// The slot holds a value, which nobody else uses, and which counts as gone if this panics; `to` is
/// memory for a whole thing.
pub(super) unsafe fn make_defaults<T: Columnar>(from: Place<T>, to: *mut T) {
    let mut making = MakeDefaults(Unmade { from, to, made: 0 });
    T::visit(&mut making);
    forget(making);
}

/// All fields, a bit for each.
const fn all_fields<T: Fields>() -> u64 {
    if T::FIELDS.is_empty() { 0 } else { u64::MAX >> (64 - T::FIELDS.len()) }
}

/// Drops some fields of a whole thing. If one of them panics, those that are `left` are still to be
/// dropped.
struct DropFields<T> {
    of: *mut T,
    left: u64,
}

impl<T: Columnar> FieldVisitor<T> for DropFields<T> {
    #[inline(always)]
    fn field<F: Field<Thing = T>>(&mut self) {
        if self.left >> F::INDEX & 1 == 1 {
            self.left &= !(1 << F::INDEX);
            // SAFETY: `of` is a thing whose fields are given up one by one, each of them once (by
            // whoever made this); `FIELDS` says truly where the field lies in it.
            unsafe {
                self.of.byte_add(T::FIELDS[F::INDEX].offset).cast::<F::Value>().drop_in_place()
            };
        }
    }
}

/// Drops what is left when a `Drop` has unwound, and the others, too.
struct Rest<T: Columnar> {
    drop: DropFields<T>,
    others: u64,
}

impl<T: Columnar> Drop for Rest<T> {
    fn drop(&mut self) {
        self.drop.left |= self.others;
        T::visit(&mut self.drop);
    }
}

/// A slot whose value is being moved out, if making a default panics: drops what is in the slot,
/// and the defaults that were made.
struct Unmade<T: Columnar> {
    from: Place<T>,
    to: *mut T,
    /// The defaults that were made, a bit for each.
    made: u64,
}

impl<T: Columnar> FieldVisitor<T> for Unmade<T> {
    fn field<F: Field<Thing = T>>(&mut self) {
        // SAFETY: the slot holds a value that is given up (by whoever made this): every field that
        // is not cold is there. What was made was written to the thing, where `FIELDS` says.
        unsafe {
            match const { is_cold::<F>() } {
                false => self.from.field_unless_cold::<F>().drop_in_place(),
                true if self.made >> F::INDEX & 1 == 1 => {
                    self.to.byte_add(T::FIELDS[F::INDEX].offset).cast::<F::Value>().drop_in_place();
                }
                true => drop(self.from.cold::<F>().take()),
            }
        }
    }
}

impl<T: Columnar> Drop for Unmade<T> {
    fn drop(&mut self) {
        T::visit(self);
    }
}

/// Makes the defaults of the cold fields that a slot does not have, where a whole thing has them:
/// user code, which may panic.
struct MakeDefaults<T: Columnar>(Unmade<T>);

impl<T: Columnar> FieldVisitor<T> for MakeDefaults<T> {
    #[inline(always)]
    fn field<F: Field<Thing = T>>(&mut self) {
        let Unmade { from, to, made } = &mut self.0;
        if const { is_cold::<F>() } && from.cold::<F>().get().is_none() {
            // SAFETY: `to` is memory for a whole thing (by whoever made this), and `FIELDS` says
            // truly where the field lies in it.
            unsafe { T::cold_default(F::INDEX, to.byte_add(T::FIELDS[F::INDEX].offset).cast()) };
            *made |= 1 << F::INDEX;
        }
    }
}
