//! What the code that the derives write needs beside the traits that it implements.
//!
//! That code stands among names that are not ours, and between macros that may make something else
//! of the same tokens each time. So it finds the standard library by way of this module, lets the
//! compiler read a type of the user's once, and asks whether a field really has that type.

use core::marker::PhantomData;

use crate::field::{Field, FieldInfo, Fields, Home};
#[cfg(feature = "alloc")]
use crate::view::View;

/// The standard library. A crate can put something else in the place of `::core`, by
/// `extern crate self as core`; not in the place of this.
pub use core as std;

/// The type that is written at a place of `Self`.
///
/// It is the only place where a derive repeats a type of the user's: there, `Self` is the struct,
/// and nothing around it has a name. All else is said of `<Actor as TypeAt<actor::pos>>::Type`,
/// which is the same type wherever it stands, whatever a macro in it would make of being asked
/// again.
pub trait TypeAt<Place> {
    /// It.
    type Type;
}

/// A type, and no other that it could be converted to or lives longer than.
pub struct Exactly<V>(PhantomData<*mut V>);

impl<V> Exactly<V> {
    /// The type of a value. What the reference is to is not looked at.
    pub fn of(_: &mut V) -> Self {
        Self(PhantomData)
    }
}

/// Asks the compiler whether a field has the type that its marker names: else this cannot be
/// called.
pub fn is_value_of<F: Field>(_: Exactly<F::Value>) {}

/// Asks the compiler whether two views are of the same thing: else this cannot be called.
#[cfg(feature = "alloc")]
#[inline(always)]
pub fn are_of_one_thing<V: View, W: View<Thing = V::Thing>>() {}

/// What there is to know about the field of a marker.
pub const fn info<F: Field>(name: &'static str, offset: usize, home: Home) -> FieldInfo {
    FieldInfo { name, offset, size: size_of::<F::Value>(), align: align_of::<F::Value>(), home }
}

/// Makes sure that these are the numbers of all fields, in order: two derives on one struct may
/// have been shown different ones.
///
/// # Panics
///
/// If they are not.
pub const fn assert_all_fields<T: Fields>(numbers: &[usize]) {
    const CHANGED: &str = "the derives of this struct have not seen the same fields: put them into one `#[derive(…)]`";
    assert!(numbers.len() == T::FIELDS.len(), "{}", CHANGED);
    let mut at = 0;
    while at < numbers.len() {
        assert!(numbers[at] == at, "{}", CHANGED);
        at += 1;
    }
}
