//! The values of one field, as bytes: plain ones as they are, others by postcard.

use crate::image::{ImageBuilder, PoolImage};
use lath_core::Home;

use super::bytes::{Reader, Sink};
use crate::bounds::{self, Bounds};
use crate::error::{SaveError, shown};
use crate::save::{Save, SavedField};

/// How the values of a column are written.
pub(crate) const PLAIN: u8 = 0;
pub(crate) const POSTCARD: u8 = 1;
/// Only those that are not at their default: each with its number among the values.
pub(crate) const SPARSE: u8 = 2;

/// A column of a save.
#[derive(Clone, Copy)]
pub(crate) struct Column<'a> {
    pub(crate) name: &'a str,
    /// The type of its values, without paths.
    pub(crate) of: &'a str,
    pub(crate) form: u8,
    /// The bytes of a plain value.
    pub(crate) size: u32,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Column<'a> {
    pub(crate) fn read(from: &mut Reader<'a>) -> Result<Self, SaveError> {
        let (name, of) = (from.text()?, from.text()?);
        let column = Self { name, of, form: from.u8()?, size: from.u32()?, bytes: from.block()? };
        if column.form > SPARSE || (column.form == PLAIN) != (column.size > 0) {
            let name = shown(name);
            return Err(SaveError::damaged(format!("the column `{name}` is in no known form")));
        }
        Ok(column)
    }

    /// The column with this name, or with one of the names that it had.
    pub(crate) fn named<'c>(columns: &'c [Self], name: &str, aliases: &[&str]) -> Option<&'c Self> {
        let with = |name: &str| columns.iter().find(|column| column.name == name);
        with(name).or_else(|| aliases.iter().find_map(|alias| with(alias)))
    }

    /// Hands every value to `put`, in order: there must be `count`.
    pub(crate) fn plain<V>(
        &self,
        count: usize,
        read: impl Fn(&[u8]) -> V,
    ) -> Result<Vec<V>, String> {
        let size = self.size as usize;
        if self.bytes.len() as u64 != count as u64 * size as u64 {
            return Err(format!(
                "{} bytes are not {count} values of {size} bytes",
                self.bytes.len()
            ));
        }
        Ok(self.bytes.chunks_exact(size).map(read).collect())
    }

    /// All values; `None` where one is at its default.
    pub(crate) fn written<V: serde::de::DeserializeOwned>(
        &self,
        count: usize,
    ) -> Result<Vec<Option<V>>, String> {
        let mut rest = self.bytes;
        let mut values = Vec::new();
        let bounds = Bounds::of_bytes(rest.len());
        let next = |rest: &mut &[u8]| {
            bounds::take::<V>(rest, &bounds)
                .map_err(|problem| format!("a value is broken: {problem}"))
        };
        if self.form == SPARSE {
            values.resize_with(count, || None);
            while !rest.is_empty() {
                let place = bounds::take::<u32>(&mut rest, &bounds)?;
                let slot = values.get_mut(place as usize).filter(|slot| slot.is_none());
                *slot.ok_or("a value is given to a thing that is not there, or twice")? =
                    Some(next(&mut rest)?);
            }
        } else {
            for _ in 0..count {
                values.push(Some(next(&mut rest)?));
            }
        }
        if rest.is_empty() {
            Ok(values)
        } else {
            Err(format!("{} bytes are left over", rest.len()))
        }
    }
}

/// Shows the value of a field in every slot that holds one. Takes any closure as one type: what is
/// done with a value takes longer than the call, and this is compiled once for each field instead
/// of once for each use.
pub(crate) fn each_value<T: Save, F: SavedField<Thing = T>>(
    image: &PoolImage<T>,
    f: &mut dyn FnMut(Option<&F::Value>),
) {
    image.each_value::<F>(f);
}

/// Gives a field of the image being built its values, one after the other; `None` is the default.
/// One type of closure, as above.
pub(crate) fn fill_values<T: Save, F: SavedField<Thing = T>>(
    builder: &mut ImageBuilder<T>,
    next: &mut dyn FnMut() -> Result<Option<F::Value>, SaveError>,
) -> Result<(), SaveError> {
    builder.fill::<F, SaveError>(next)
}

/// Writes the column of a field.
pub(crate) fn write_column<T: Save, F: SavedField<Thing = T>>(
    image: &PoolImage<T>,
    out: &mut dyn Sink,
) -> Result<(), SaveError> {
    out.text(F::NAME);
    out.text(&type_name::<F::Value>());
    let mut sparse = false;
    if T::FIELDS[F::INDEX].home == Home::Cold {
        each_value::<T, F>(image, &mut |value| sparse |= value.is_none());
    }
    if let (Some(raw), false) = (F::raw(), sparse) {
        let size = size_of::<F::Value>();
        out.u8(PLAIN);
        out.u32(size as u32);
        out.u64((image.len() * size) as u64);
        if !(raw.all)(image, &mut |bytes| out.put(bytes)) {
            each_value::<T, F>(image, &mut |value| {
                value.into_iter().for_each(|value| out.put((raw.write)(value)))
            });
        }
        return Ok(());
    }
    let (mut bytes, mut place, mut written) = (Vec::new(), 0u32, Ok(()));
    let bounds = Bounds::of_depth();
    each_value::<T, F>(image, &mut |value| {
        if let (Some(value), true) = (value, written.is_ok()) {
            let number = if sparse { bounds::append(&place, &mut bytes, &bounds) } else { Ok(()) };
            written = number.and_then(|()| bounds::append(value, &mut bytes, &bounds));
        }
        place += 1;
    });
    written.and_then(|()| bounds.check_written(bytes.len())).map_err(|problem| {
        SaveError::field(T::NAME, F::NAME, format!("a value cannot be written: {problem}"))
    })?;
    out.u8(if sparse { SPARSE } else { POSTCARD });
    out.u32(0);
    out.u64(bytes.len() as u64);
    out.put(&bytes);
    Ok(())
}

/// Gives a field of the image being built the values of a column. `pool` is for the error.
pub(crate) fn fill_column<T: Save, F: SavedField<Thing = T>>(
    builder: &mut ImageBuilder<T>,
    column: &Column<'_>,
    pool: &str,
) -> Result<(), SaveError> {
    let count = builder.len();
    let fail = |problem: String| SaveError::field(pool, F::NAME, problem);
    match (column.form, F::raw()) {
        (PLAIN, Some(raw)) if column.size as usize == size_of::<F::Value>() => {
            let mut chunks = column.bytes.chunks_exact(column.size as usize);
            if column.bytes.len() as u64 != count as u64 * u64::from(column.size) {
                return Err(fail(format!("{} bytes are not {count} values", column.bytes.len())));
            }
            builder.fill::<F, SaveError>(|| Ok(chunks.next().map(raw.read)))
        }
        (PLAIN, _) => Err(fail(format!(
            "its plain values of {} bytes are not those of this program",
            column.size
        ))),
        _ => {
            let mut values = column.written::<F::Value>(count).map_err(fail)?.into_iter();
            fill_values::<T, F>(builder, &mut || Ok(values.next().flatten()))
        }
    }
}

/// The name of a type without the paths to it, and without what handles are of: `Vec<Handle>`. So a
/// type may be moved, and a thing renamed, without any change to the saves.
pub(crate) fn type_name<V: ?Sized>() -> String {
    without_paths(std::any::type_name::<V>())
}

fn without_paths(name: &str) -> String {
    let mut short = String::new();
    let mut word = String::new();
    for letter in name.chars() {
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter);
        } else if letter == ':' {
            word.clear();
        } else {
            short.push_str(&word);
            word.clear();
            short.push(letter);
        }
    }
    without_things(short + &word)
}

/// Cuts the `<Actor>` off every `Handle<Actor>`.
fn without_things(name: String) -> String {
    let mut left = name.as_str();
    let mut cut = String::new();
    while let Some((before, after)) = left.split_once('<') {
        cut.push_str(before);
        if before.ends_with("Handle") || before.ends_with("HandleRange") {
            let mut depth = 1;
            let end = after.find(|letter| {
                depth += i32::from(letter == '<') - i32::from(letter == '>');
                depth == 0
            });
            left = end.map_or("", |end| &after[end + 1..]);
        } else {
            cut.push('<');
            left = after;
        }
    }
    cut + left
}

#[cfg(test)]
mod tests {
    #[test]
    fn types_are_named_without_their_paths() {
        #[derive(lath_core::Thing, Default)]
        struct Box<V>(V);
        type Two = (Vec<lath_core::Handle<Box<Vec<u8>>>>, [Option<lath_core::Handle<Box<u8>>>; 2]);
        assert_eq!(super::type_name::<Two>(), "(Vec<Handle>, [Option<Handle>; 2])");
        assert_eq!(
            super::type_name::<Option<Vec<(std::string::String, [f32; 3])>>>(),
            "Option<Vec<(String, [f32; 3])>>"
        );
    }
}
