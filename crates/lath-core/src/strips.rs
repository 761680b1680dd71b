#![expect(
    unsafe_code,
    reason = "declares the unsafe traits by which pools are copied; holds no unsafe block"
)]
//! What it takes to copy a whole pool quickly: where its memory lies as plain arrays, and which
//! fields are plain.

use crate::field::{Field, Fields};
use crate::storage::Storage;

/// A storage as arrays: each run of slots is one *strip*, or several side by side, of equal
/// elements.
///
/// Rows have one strip, of whole rows; columns have one of stamps and hot fields and one for each
/// other field that has a column. The stamp of a slot is at the start of its element in strip 0.
///
/// # Safety
///
/// - [`strip`](Self::strip) points to [`STRIDES`](Self::STRIDES)`[strip]` bytes of the slot, which
///   nothing outside the place uses, and those of the next slot of the run follow.
/// - The value of a field that has a strip lies within the element of that strip, at
///   [`WITHIN`](Self::WITHIN), and nowhere else. The bytes of an element that belong to no field,
///   nor to the stamp or to tags of the storage's own, may be anything.
/// - [`put_field`](Self::put_field) and [`drop_field`](Self::drop_field) touch that field of their
///   place and nothing else.
pub unsafe trait Strips<T: Fields>: Storage<T> {
    /// How many strips there are: at most 65.
    const STRIPS: usize;

    /// How long an element of each strip is, in bytes.
    const STRIDES: [usize; 65];

    /// The strip that each field is in; [`NO_STRIP`](Self::NO_STRIP) for a field that is kept
    /// elsewhere.
    const STRIP_OF: [u8; 64];

    /// Where in the element of its strip each field is.
    const WITHIN: [usize; 64];

    /// Where in the element of strip 0 the storage keeps tags of its own, if it keeps any beside
    /// the value: a `T::Tags`.
    const TAGS_WITHIN: Option<usize>;

    /// The strip of a field that has none.
    const NO_STRIP: u8 = u8::MAX;

    /// The element of a slot. The pointer is good for the whole run of the place.
    ///
    /// # Safety
    ///
    /// The place is of this storage, and there is such a strip.
    unsafe fn strip(&self, place: Self::Place, strip: usize) -> *mut u8;

    /// Puts a value into a field that has none.
    ///
    /// # Safety
    ///
    /// The place is of this storage, nobody else uses its memory, and the field holds no value.
    unsafe fn put_field<F: Field<Thing = T>>(&self, place: Self::Place, value: F::Value);

    /// Drops the value of a field, which then holds none; a field without a strip is at its default
    /// then.
    ///
    /// # Safety
    ///
    /// The place is of this storage, and the field holds a value, or has no strip. Nobody else uses
    /// it.
    unsafe fn drop_field<F: Field<Thing = T>>(&self, place: Self::Place);
}

/// A thing whose pools can be copied field by field: `#[derive(Save)]` implements it.
///
/// # Safety
///
/// A bit of [`PLAIN`](Self::PLAIN) is set only if the type of the field with that number is `Copy`;
/// [`visit_cloned`](Self::visit_cloned) calls the visitor with the marker of each field once, in
/// the order of declaration.
pub unsafe trait Snap: Fields<Storage: Strips<Self>> {
    /// The fields that are `Copy`, a bit for each.
    const PLAIN: u64;

    /// Shows the marker of every field to `visitor`.
    fn visit_cloned<V: ClonedVisitor<Self>>(visitor: &mut V);
}

/// Something to be done with every field of a thing, all of which can be cloned.
pub trait ClonedVisitor<T: Fields> {
    /// Is called with each field.
    fn field<F: Field<Thing = T, Value: Clone>>(&mut self);
}

/// Tells at compile time whether a type is `Copy`: `Probe::<X>::IS_COPY`, with [`NotCopy`] in
/// scope.
///
/// If it is, the constant of the type itself is found; if not, that of the trait. In generic code
/// the answer is that for the bounds that are written there.
///
/// # Examples
///
/// ```
/// use lath_core::strips::{NotCopy as _, Probe};
/// assert!(Probe::<[f32; 3]>::IS_COPY);
/// assert!(!Probe::<String>::IS_COPY);
/// ```
pub struct Probe<X: ?Sized>(core::marker::PhantomData<X>);

impl<X: Copy> Probe<X> {
    /// Yes.
    pub const IS_COPY: bool = true;
}

/// What [`Probe`] answers for other types.
pub trait NotCopy {
    /// No.
    const IS_COPY: bool = false;
}

impl<X: ?Sized> NotCopy for Probe<X> {}

/// Which strips of a thing can be copied as bytes: those that have plain fields only.
pub(crate) const fn byte_strips<T: Snap>() -> u128 {
    let strip_of = <T::Storage as Strips<T>>::STRIP_OF;
    let mut strips = (1u128 << <T::Storage as Strips<T>>::STRIPS) - 1;
    let mut field = 0;
    while field < T::FIELDS.len() {
        if strip_of[field] != u8::MAX && T::PLAIN >> field & 1 == 0 {
            strips &= !(1 << strip_of[field]);
        }
        field += 1;
    }
    // Stamps go with the tags that the pool knows: where those cannot be copied, neither are.
    if let (None, Some(tags)) = (<T::Storage as Strips<T>>::TAGS_WITHIN, T::TAGS_FIELD) {
        if strips >> strip_of[tags] & 1 == 0 {
            strips &= !1;
        }
    }
    strips
}
