#![expect(
    unsafe_code,
    reason = "declares the unsafe traits that describe a struct's fields; holds no unsafe block"
)]
//! The fields of a thing, as types: `actor::pos` knows its value, its number and its place in the
//! struct.

use crate::thing::Thing;

/// One field of a thing. The derive makes an empty enum for each, in a module named after the
/// struct.
///
/// # Safety
///
/// [`INDEX`](Self::INDEX) is the number of a field of [`Thing`](Self::Thing) whose type is
/// [`Value`](Self::Value), and no other marker has the same number. It is described, truthfully, by
/// `FIELDS[INDEX]`.
///
/// # Examples
///
/// ```
/// use lath_core::{Field, Thing};
///
/// #[derive(Thing, Default)]
/// struct Actor { pos: [f32; 2], hp: f32 }
///
/// assert_eq!(<actor::hp as Field>::NAME, "hp");
/// ```
pub unsafe trait Field: Sized + 'static {
    /// The struct that it is a field of.
    type Thing: Fields;
    /// Its type.
    type Value: 'static;
    /// Its number, in the order of declaration.
    const INDEX: usize;
    /// Its name.
    const NAME: &'static str = Self::Thing::FIELDS[Self::INDEX].name;
}

/// What there is to know about a field without knowing its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// Its name.
    pub name: &'static str,
    /// Where it lies in the struct, in bytes.
    pub offset: usize,
    /// Its size in bytes.
    pub size: usize,
    /// Its alignment in bytes.
    pub align: usize,
    /// Where it is kept.
    pub home: Home,
}

/// Where a field is kept when its thing is stored as columns. In rows it is where the struct has
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Home {
    /// A column of its own.
    #[default]
    Column,
    /// Beside the generation, in one small row with the other hot fields: `#[thing(hot)]`.
    Hot,
    /// In a side table, for the things that have it at all: `#[thing(cold)]`.
    Cold,
}

/// All fields of a thing.
///
/// # Safety
///
/// [`FIELDS`](Self::FIELDS) describes every field of the struct, in the order of declaration, with
/// its true offset, size and alignment, and [`TAGS_FIELD`](Self::TAGS_FIELD) the one of them that
/// holds the tags; [`visit`](Self::visit) calls the visitor with the marker of each of them once,
/// in the same order.
pub unsafe trait Fields: Thing {
    /// The fields, in the order of declaration: at most 64.
    const FIELDS: &'static [FieldInfo];

    /// The number of the field marked `#[thing(tags)]`, which is of the type [`Tags`](Thing::Tags).
    /// It is not written through views.
    const TAGS_FIELD: Option<usize> = None;

    /// Shows the marker of every field to `visitor`.
    fn visit<V: FieldVisitor<Self>>(visitor: &mut V);
}

/// Something to be done with every field of a thing.
pub trait FieldVisitor<T: Fields> {
    /// Is called with each field.
    fn field<F: Field<Thing = T>>(&mut self);
}
