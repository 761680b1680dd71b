#![expect(unsafe_code, reason = "says where columns lie, for copies of whole pools")]
//! Columns as strips: the head first, then every field that has a column of its own.

use lath_core::Home;
use lath_core::strips::Strips;

use super::*;

/// How many fields before `field` have a column of their own.
const fn own_columns<T: Fields>(field: usize) -> usize {
    let (mut count, mut i) = (0, 0);
    while i < field {
        count += matches!(T::FIELDS[i].home, Home::Column) as usize;
        i += 1;
    }
    count
}

/// The column of a strip.
const fn column_of<T: Fields>(strip: usize) -> Column {
    if strip == 0 {
        return head_column(T::FIELDS);
    }
    let mut field = 0;
    while !(matches!(T::FIELDS[field].home, Home::Column) && own_columns::<T>(field) + 1 == strip) {
        field += 1;
    }
    field_column(T::FIELDS, field)
}

const fn strips<T: Fields>() -> usize {
    own_columns::<T>(T::FIELDS.len()) + 1
}

/// The columns of all strips, so that they are computed once, by the compiler.
const fn all_columns<T: Fields>() -> [Column; 65] {
    let (mut columns, mut strip) = ([column_of::<T>(0); 65], 0);
    while strip < strips::<T>() {
        columns[strip] = column_of::<T>(strip);
        strip += 1;
    }
    columns
}

// SAFETY: an element of a strip is one of its column, columns of a block do not overlap, and
// elements lie side by side (K1).
// The head has the stamp at
// its start, and its hot fields where `layout.rs` says; the other columns are of one field each.
// The tags are in their field. Cold fields are in no strip.
unsafe impl<T: Columnar> Strips<T> for Columns<T> {
    const STRIPS: usize = strips::<T>();

    const STRIDES: [usize; 65] = {
        let (mut strides, mut strip) = ([0; 65], 0);
        while strip < strips::<T>() {
            strides[strip] = column_of::<T>(strip).stride;
            strip += 1;
        }
        strides
    };

    const STRIP_OF: [u8; 64] = {
        let (mut strip_of, mut field) = ([u8::MAX; 64], 0);
        while field < T::FIELDS.len() {
            strip_of[field] = match T::FIELDS[field].home {
                Home::Hot => 0,
                Home::Column => own_columns::<T>(field) as u8 + 1,
                Home::Cold => u8::MAX,
            };
            field += 1;
        }
        strip_of
    };

    const WITHIN: [usize; 64] = {
        let (mut within, mut field) = ([0; 64], 0);
        while field < T::FIELDS.len() {
            if !matches!(T::FIELDS[field].home, Home::Cold) {
                within[field] = field_column(T::FIELDS, field).within;
            }
            field += 1;
        }
        within
    };

    const TAGS_WITHIN: Option<usize> = None;

    unsafe fn strip(&self, place: Place<T>, strip: usize) -> *mut u8 {
        place.element(const { all_columns::<T>() }[strip])
    }

    unsafe fn put_field<F: Field<Thing = T>>(&self, place: Place<T>, value: F::Value) {
        if const { is_cold::<F>() } {
            return place.cold::<F>().put(value); // where none is, by the caller
        }
        // SAFETY: the slot is ours and nobody else uses its memory (by the caller).
        unsafe { place.field_unless_cold::<F>().write(value) };
    }

    unsafe fn drop_field<F: Field<Thing = T>>(&self, place: Place<T>) {
        // SAFETY: the slot is ours; a field with a column holds a value, and nobody else uses it
        // (by the caller).
        unsafe {
            match const { is_cold::<F>() } {
                true => drop(place.cold::<F>().take()),
                false => place.field_unless_cold::<F>().drop_in_place(),
            }
        }
    }
}
