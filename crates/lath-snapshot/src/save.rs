//! What makes a thing one that can be saved: [`Save`], which is derived, and what it says about
//! fields.

use crate::image::PoolImage;
use lath_core::Field;
use lath_core::strips::Snap;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::relink::Relink;

/// A thing that snapshots, saves and prefabs can hold: derive it beside `Thing`.
///
/// # Examples
///
/// ```
/// use lath_core::Thing;
/// use lath_snapshot::Save;
///
/// #[derive(Thing, Save, Default)]
/// struct Ship { hull: f32, name: String }
///
/// assert_eq!(Ship::NAME, "Ship");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be saved",
    label = "this thing does not say how to copy and write its fields",
    note = "put `#[derive(Save)]` beside `#[derive(Thing)]`"
)]
pub trait Save: Snap {
    /// What its pool is called in saves: the name of the struct.
    const NAME: &'static str;

    /// Shows the marker of every field that is saved to `visitor`, until that fails.
    ///
    /// # Errors
    ///
    /// Those of the visitor.
    fn visit_saved<V: SaveVisitor<Self>>(visitor: &mut V) -> Result<(), V::Error>;

    /// The names of tags, as `A | B`; `None` if the thing has no tags.
    fn write_tags(_: Self::Tags) -> Option<String> {
        None
    }

    /// The tags that have these names; `None` if there are none such.
    fn read_tags(_: &str) -> Option<Self::Tags> {
        None
    }
}

/// Something to be done with every field of a thing that is saved.
pub trait SaveVisitor<T: Save> {
    /// What can go wrong.
    type Error;

    /// Is called with each field.
    ///
    /// # Errors
    ///
    /// Whatever the visitor says; no further field is shown then.
    fn field<F: SavedField<Thing = T>>(&mut self) -> Result<(), Self::Error>;
}

/// A value that can be saved: anything that serde can write and read.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` cannot be saved",
    label = "serde cannot write and read it",
    note = "derive `Serialize` and `Deserialize` for it, or put `#[thing(skip)]` on the field"
)]
pub trait SavedValue: Serialize + DeserializeOwned {}

impl<V: Serialize + DeserializeOwned> SavedValue for V {}

/// A field that is saved. The derive implements it for the field's marker.
pub trait SavedField: Field<Thing: Snap, Value: Clone + SavedValue> {
    /// Names that it has in older saves.
    const ALIASES: &'static [&'static str];

    /// How its values are written as plain bytes, if they can be.
    fn raw() -> Option<Raw<Self>>;

    /// Its value in a whole thing.
    fn get(thing: &Self::Thing) -> &Self::Value;

    /// Its value in a whole thing, to be changed.
    fn get_mut(thing: &mut Self::Thing) -> &mut Self::Value;

    /// Replaces the handles inside a value.
    fn relink(value: &mut Self::Value, links: &mut Relink<'_>);
}

/// Hands the bytes of all values of a field to a writer; answers whether there are such bytes.
type WriteAll<T> = fn(&PoolImage<T>, &mut dyn FnMut(&[u8])) -> bool;

/// How the values of a field are written as plain bytes.
pub struct Raw<F: Field<Thing: Snap>> {
    /// All of them, in slot order; answers `false` if they are not kept as bytes.
    pub(crate) all: WriteAll<F::Thing>,
    /// One of them.
    pub(crate) write: fn(&F::Value) -> &[u8],
    /// One of them, out of as many bytes as it has.
    pub(crate) read: fn(&[u8]) -> F::Value,
}
