//! Text that people can read and write, in RON: fields by name, so that some may be missing, and
//! others be there no more.

pub(crate) mod prefab;
mod scene;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use crate::bounds;
use crate::error::SaveError;
use crate::save::{Save, SaveVisitor, SavedField};

pub(crate) use scene::Text;

/// The fields of a thing as they stand in a text: names, and values that nobody has looked into
/// yet.
#[derive(Clone, Default)]
pub(crate) struct FieldTexts(pub(crate) Vec<(String, Raw)>);

/// A value that stays text until it is known what type it has. RON has a type for that, which reads
/// the text a second time, with a bound on its depth that nobody can choose. This asks for the text
/// by the same name, and takes it as it is.
#[derive(Clone)]
pub(crate) struct Raw(pub(crate) String);

const RAW: &str = "$ron::private::RawValue";

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Letters;

        impl Visitor<'_> for Letters {
            type Value = Raw;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a value")
            }

            fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
                Ok(Raw(text.into()))
            }
        }

        deserializer.deserialize_newtype_struct(RAW, Letters)
    }
}

impl<'de> Deserialize<'de> for FieldTexts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = FieldTexts;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("fields, as in `(hull: 3.0, name: \"Ada\")`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FieldTexts, A::Error> {
                let (mut fields, mut names) = (Vec::new(), BTreeSet::new());
                while let Some(Name(name)) = map.next_key()? {
                    if !names.insert(name.clone()) {
                        return Err(A::Error::custom(format!("the field `{name}` is there twice")));
                    }
                    fields.push((name, map.next_value()?));
                }
                Ok(FieldTexts(fields))
            }
        }

        deserializer.deserialize_struct("", &[], Fields)
    }
}

/// A map in which nothing is there twice.
pub(crate) struct Once<K, V>(pub(crate) BTreeMap<K, V>);

impl<K, V> Default for Once<K, V> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<'de, K: Deserialize<'de> + Ord + fmt::Debug, V: Deserialize<'de>> Deserialize<'de>
    for Once<K, V>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<K, V>(BTreeMap<K, V>);

        impl<'de, K: Deserialize<'de> + Ord + fmt::Debug, V: Deserialize<'de>> Visitor<'de>
            for Entries<K, V>
        {
            type Value = Once<K, V>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Once<K, V>, A::Error> {
                while let Some(key) = map.next_key()? {
                    if self.0.contains_key(&key) {
                        return Err(A::Error::custom(format!("{key:?} is there twice")));
                    }
                    self.0.insert(key, map.next_value()?);
                }
                Ok(Once(self.0))
            }
        }

        deserializer.deserialize_map(Entries(BTreeMap::new()))
    }
}

/// The name of a field.
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Word;

        impl Visitor<'_> for Word {
            type Value = Name;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("the name of a field")
            }

            fn visit_str<E>(self, name: &str) -> Result<Name, E> {
                Ok(Name(name.into()))
            }
        }

        deserializer.deserialize_identifier(Word)
    }
}

impl FieldTexts {
    /// The text of a field, by its name or one that it had before.
    fn of<F: SavedField>(&self) -> Option<&str> {
        let mut names = std::iter::once(&F::NAME).chain(F::ALIASES);
        names.find_map(|name| {
            self.0.iter().find(|(field, _)| field == name).map(|(_, text)| text.0.as_str())
        })
    }

    /// The value of a field, if there is one.
    pub(crate) fn value<F: SavedField>(&self, pool: &str) -> Result<Option<F::Value>, SaveError> {
        let Some(text) = self.of::<F>() else { return Ok(None) };
        let value = bounds::read_text(text);
        value.map(Some).map_err(|problem| SaveError::field(pool, F::NAME, problem))
    }

    /// Puts all values into a thing. A name that no field has is an error: it is likelier to be
    /// misspelt than to be old.
    pub(crate) fn put<T: Save>(&self, thing: &mut T) -> Result<(), SaveError> {
        struct Put<'a, T>(&'a FieldTexts, &'a mut T, Vec<&'static str>);

        impl<T: Save> SaveVisitor<T> for Put<'_, T> {
            type Error = SaveError;

            fn field<F: SavedField<Thing = T>>(&mut self) -> Result<(), SaveError> {
                self.2.push(F::NAME);
                self.2.extend(F::ALIASES);
                if let Some(value) = self.0.value::<F>(T::NAME)? {
                    *F::get_mut(self.1) = value;
                }
                Ok(())
            }
        }

        let mut put = Put(self, thing, Vec::new());
        T::visit_saved(&mut put)?;
        match self.0.iter().find(|(name, _)| !put.2.contains(&name.as_str())) {
            Some((name, _)) => {
                let known = put.2.join("`, `");
                Err(SaveError::field(
                    T::NAME,
                    name,
                    format!("there is no such field: the fields are `{known}`"),
                ))
            }
            None => Ok(()),
        }
    }
}

impl FieldTexts {
    /// Moves the fields that are named here from one thing to another.
    pub(crate) fn move_into<T: Save>(&self, from: &mut T, to: &mut T) {
        struct Move<'a, T>(&'a FieldTexts, &'a mut T, &'a mut T);

        impl<T: Save> SaveVisitor<T> for Move<'_, T> {
            type Error = std::convert::Infallible;

            fn field<F: SavedField<Thing = T>>(&mut self) -> Result<(), Self::Error> {
                if self.0.of::<F>().is_some() {
                    std::mem::swap(F::get_mut(self.1), F::get_mut(self.2));
                }
                Ok(())
            }
        }

        T::visit_saved(&mut Move(self, from, to)).unwrap_or_else(|never| match never {});
    }
}

/// A value as text, on one line.
pub(crate) fn write_value<V: serde::Serialize>(value: &V) -> Result<String, String> {
    bounds::write_text(value).map_err(|problem| format!("a value cannot be written: {problem}"))
}

/// Reads a text of ours.
pub(crate) fn read<X: for<'a> Deserialize<'a> + Send>(text: &str) -> Result<X, SaveError> {
    bounds::read_frame(text).map_err(|error| {
        let what = match error.code {
            ron::Error::ExceededRecursionLimit => bounds::Broken::Depth.to_string(),
            code => code.to_string(),
        };
        SaveError::Text { problem: format!("line {}: {what}", error.span.start.line) }
    })
}

/// Tags by name.
pub(crate) fn read_tags<T: Save>(names: &str) -> Result<T::Tags, SaveError> {
    T::read_tags(names)
        .ok_or_else(|| SaveError::pool(T::NAME, format!("`{names}` are not tags of it")))
}

/// The fields of a thing that are not as in the default thing, as `(hull: 3.0)`.
pub(crate) fn write_fields<T: Save>(thing: &T) -> Result<String, SaveError> {
    struct Fields<'a, T>(&'a T, T, String);

    impl<T: Save> SaveVisitor<T> for Fields<'_, T> {
        type Error = SaveError;

        fn field<F: SavedField<Thing = T>>(&mut self) -> Result<(), SaveError> {
            let fail = |problem| SaveError::field(T::NAME, F::NAME, problem);
            let text = write_value(F::get(self.0)).map_err(fail)?;
            if text != write_value(F::get(&self.1)).map_err(fail)? {
                let comma = if self.2.is_empty() { "" } else { ", " };
                self.2 += &format!("{comma}{}: {text}", F::NAME);
            }
            Ok(())
        }
    }

    let mut fields = Fields(thing, T::default(), String::new());
    T::visit_saved(&mut fields)?;
    Ok(format!("({})", fields.2))
}
