#![expect(unsafe_code, reason = "says where rows lie, for copies of whole pools")]
//! Rows as one strip of whole rows.

use super::*;
use crate::strips::Strips;

// SAFETY: an element is a whole row, rows of an extent lie side by side, and `FIELDS` says truly
// where a field lies in the value of a row. Besides the stamp and the value a row has the tags,
// which are those of the value, and padding.
unsafe impl<T: Fields> Strips<T> for Rows<T> {
    const STRIPS: usize = 1;

    const STRIDES: [usize; 65] = {
        let mut strides = [0; 65];
        strides[0] = size_of::<Row<T>>();
        strides
    };

    const STRIP_OF: [u8; 64] = [0; 64];

    const WITHIN: [usize; 64] = {
        let (mut within, mut field) = ([0; 64], 0);
        while field < T::FIELDS.len() {
            within[field] = offset_of!(Row<T>, value) + T::FIELDS[field].offset;
            field += 1;
        }
        within
    };

    const TAGS_WITHIN: Option<usize> = Some(offset_of!(Row<T>, tags));

    unsafe fn strip(&self, place: Self::Place, _: usize) -> *mut u8 {
        place.as_ptr().cast()
    }

    unsafe fn put_field<F: Field<Thing = T>>(&self, place: Self::Place, value: F::Value) {
        // SAFETY: the place is ours and nobody else uses its memory (by the caller).
        unsafe { self.field::<F>(place).write(value) };
    }

    unsafe fn drop_field<F: Field<Thing = T>>(&self, place: Self::Place) {
        // SAFETY: the place is ours, and the field holds a value that nobody else uses (by the
        // caller).
        unsafe { self.field::<F>(place).drop_in_place() };
    }
}
