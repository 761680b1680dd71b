//! What can be done with the values of a field: show, read, write, compare, follow.

use std::any::TypeId;
use std::fmt;

use serde_json::Value;

/// Writes a value as text.
type Write<V> = fn(&V, &mut dyn fmt::Write) -> fmt::Result;

/// What can be done with the values of a type: made by the derive of [`Inspect`](crate::Inspect).
pub struct How<V> {
    pub(crate) show: Show<V>,
    pub(crate) json: Json<V>,
    pub(crate) number: Option<NumberHow<V>>,
    pub(crate) flags: Option<FlagsHow<V>>,
    pub(crate) link: Option<LinkHow<V>>,
}

impl<V> How<V> {
    /// Puts the answers of the [probe](crate::probe) together.
    #[doc(hidden)]
    pub fn new(
        show: Show<V>,
        json: Json<V>,
        number: Option<NumberHow<V>>,
        flags: Option<FlagsHow<V>>,
        link: Option<LinkHow<V>>,
    ) -> Self {
        Self { show, json, number, flags, link }
    }

    /// The value as JSON: a handle as the text of its bits or `null`, flags as a list of names, the
    /// rest by serde.
    pub(crate) fn read(&self, value: &V) -> Option<Value> {
        if let Some(link) = &self.link {
            let bits = (link.bits)(value);
            return Some(if bits == 0 { Value::Null } else { bits.to_string().into() });
        }
        if let Some(flags) = &self.flags {
            return Some(flags.list((flags.widen)(value)).into());
        }
        self.json.read.and_then(|read| read(value))
    }

    /// The value that some JSON means.
    pub(crate) fn write(&self, json: Value) -> Result<V, String> {
        if let Some(link) = &self.link {
            let bits = match &json {
                Value::Null => Some(0),
                Value::String(text) if text.is_empty() => Some(0),
                Value::String(text) => text.parse().ok(),
                Value::Number(number) => number.as_u64(),
                _ => None,
            };
            let handle = bits.and_then(link.from_bits);
            return handle.ok_or_else(|| {
                format!("expected the bits of a handle as text, or null, not {json}")
            });
        }
        if let Some(flags) = &self.flags {
            return flags.parse(&json).map(flags.narrow);
        }
        match self.json.write {
            Some(write) => write(json),
            None => Err("the type of this field does not implement serde's `Deserialize`".into()),
        }
    }

    /// The value as the text of JSON: numbers as they are written in their own type, not as the
    /// nearest of another.
    pub(crate) fn read_text(&self, value: &V) -> Option<String> {
        match (&self.link, &self.flags, self.json.text) {
            (None, None, Some(text)) => text(value),
            _ => self.read(value).map(|json| json.to_string()),
        }
    }

    /// Whether values can be read from JSON: tried with one, since a type that borrows says that it
    /// can and cannot.
    pub(crate) fn is_editable(&self, sample: &V) -> bool {
        if self.link.is_some() || self.flags.is_some() {
            return true;
        }
        let can_read = || self.read(sample).is_some_and(|json| self.write(json).is_ok());
        self.json.write.is_some() && (self.number.is_some() || can_read())
    }
}

/// How a value becomes text.
pub struct Show<V>(pub(crate) Write<V>);

impl<V> Show<V> {
    pub(crate) fn new(write: Write<V>) -> Self {
        Self(write)
    }
}

/// How a value becomes JSON and JSON a value.
pub struct Json<V> {
    pub(crate) read: Option<fn(&V) -> Option<Value>>,
    pub(crate) text: Option<fn(&V) -> Option<String>>,
    pub(crate) write: Option<fn(Value) -> Result<V, String>>,
}

/// How a value becomes a number.
pub struct NumberHow<V> {
    pub(crate) get: fn(&V) -> f64,
    pub(crate) is_bool: bool,
}

/// The flags of a type.
pub struct FlagsHow<V> {
    pub(crate) names: Vec<(&'static str, u64)>,
    pub(crate) widen: fn(&V) -> u64,
    pub(crate) narrow: fn(u64) -> V,
}

impl<V> FlagsHow<V> {
    fn list(&self, bits: u64) -> Vec<String> {
        names_of(&self.names, bits)
    }

    fn parse(&self, json: &Value) -> Result<u64, String> {
        bits_of(&self.names, json)
    }
}

/// Flags from a list of their names, or from a number.
fn bits_of(names: &[(&'static str, u64)], json: &Value) -> Result<u64, String> {
    let known = || names.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let one = |name: &str| {
        let found = names.iter().find(|flag| flag.0 == name).map(|flag| flag.1);
        let bits = found
            .or_else(|| name.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok()));
        bits.ok_or_else(|| format!("there is no flag `{name}`: the flags are {}", known()))
    };
    match json {
        Value::Array(names) => names.iter().try_fold(0, |bits, name| match name {
            Value::String(name) => Ok(bits | one(name)?),
            other => Err(format!("expected the name of a flag, not {other}")),
        }),
        Value::Number(number) if number.is_u64() => Ok(number.as_u64().unwrap_or(0)),
        other => Err(format!("expected a list of flags, of {}, not {other}", known())),
    }
}

/// The names of the flags that are set; bits without a name as one hexadecimal number.
pub(crate) fn names_of(names: &[(&'static str, u64)], bits: u64) -> Vec<String> {
    let mut left = bits;
    let mut list = Vec::new();
    for &(name, flag) in names {
        if flag != 0 && bits & flag == flag && left & flag != 0 {
            list.push(name.to_owned());
            left &= !flag;
        }
    }
    if left != 0 {
        list.push(format!("{left:#x}"));
    }
    list
}

/// Where a handle leads.
pub struct LinkHow<V> {
    pub(crate) thing: TypeId,
    pub(crate) bits: fn(&V) -> u64,
    pub(crate) from_bits: fn(u64) -> Option<V>,
}

/// What is a number to sort by, to compare with and to draw.
pub trait Number {
    /// Whether it is shown as true or false.
    const IS_BOOL: bool = false;
    /// The nearest number that all others can be compared with.
    fn as_f64(&self) -> f64;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Number for $number {
            fn as_f64(&self) -> f64 {
                *self as f64
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64);

impl Number for bool {
    const IS_BOOL: bool = true;
    fn as_f64(&self) -> f64 {
        f64::from(u8::from(*self))
    }
}

/// The last part of a path: `demo::Actor` is `Actor`. Paths in angle brackets are shortened, too.
pub(crate) fn short(path: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for letter in path.chars() {
        match letter {
            ':' => word.clear(),
            letter if letter.is_alphanumeric() || letter == '_' => word.push(letter),
            letter => {
                out.push_str(&word);
                word.clear();
                out.push(letter);
            }
        }
    }
    out + &word
}

/// Text that stops growing at a limit, and what is writing it with it.
pub(crate) struct Clip {
    pub(crate) text: String,
    left: usize,
}

impl Clip {
    pub(crate) fn new(letters: usize) -> Self {
        Self { text: String::new(), left: letters }
    }

    /// Starts again.
    pub(crate) fn reset(&mut self, letters: usize) {
        self.text.clear();
        self.left = letters;
    }
}

impl fmt::Write for Clip {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        for letter in more.chars() {
            if self.left == 0 {
                self.text.push('…');
                return Err(fmt::Error);
            }
            self.left -= 1;
            self.text.push(letter);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shortened_within_brackets_too() {
        assert_eq!(short("a::b::Pair<c::D, alloc::string::String>"), "Pair<D, String>");
        assert_eq!(short("f32"), "f32");
        assert_eq!(short("[f32; 2]"), "[f32; 2]");
    }

    #[test]
    fn long_text_is_clipped_and_stops_whoever_writes_it() {
        let mut clip = Clip::new(5);
        assert!(fmt::Write::write_fmt(&mut clip, format_args!("{:?}", vec![1; 1000])).is_err());
        assert_eq!(clip.text, "[1, 1…");
    }

    #[test]
    fn flags_without_a_name_are_a_number() {
        assert_eq!(names_of(&[("A", 1), ("B", 2), ("AB", 3)], 7), ["A", "B", "0x4"]);
        assert_eq!(names_of(&[], 0), Vec::<String>::new());
    }
}
