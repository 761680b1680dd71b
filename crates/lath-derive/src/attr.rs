//! What is written in `#[thing(…)]`, on the struct and on its fields.
//!
//! To add a key: name it in [`ON_STRUCT`] or [`ON_FIELD`] and read it in [`StructAttrs::read`] or [`FieldAttrs::read`].

use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

use crate::bits::{HandleBits, Part};
use crate::cursor::{Cursor, flatten, is_punct, is_word};
use crate::error::{Error, Errors, list, nearest};

const ON_STRUCT: &[&str] = &["rows", "handle"];
const ON_FIELD: &[&str] = &["kind"];
const IN_HANDLE: &[&str] = &["bits", "index", "kind"];

/// One `#[thing(…)]`, not looked into yet.
pub(crate) struct Attr {
    name: Span,
    /// What follows `thing`.
    body: TokenStream,
}

impl Attr {
    /// Takes what is between the brackets of `#[…]`, or leaves it alone if it is not for us.
    pub(crate) fn parse(brackets: &Group) -> Option<Self> {
        let mut tokens = flatten(brackets.stream()).into_iter();
        let name = tokens.next().filter(|token| is_word(token, "thing"))?;
        Some(Self { name: name.span(), body: tokens.collect() })
    }
}

/// Where the values are kept.
#[derive(Clone, Copy)]
pub(crate) enum Layout {
    Rows,
}

/// What the struct says about itself.
pub(crate) struct StructAttrs {
    pub(crate) layout: Layout,
    /// `None` if it was said wrongly.
    pub(crate) handle: Option<Handle>,
}

/// What `handle(…)` says.
#[derive(Clone, Copy)]
pub(crate) struct Handle {
    pub(crate) bits: HandleBits,
    /// Where bits for a kind were asked for.
    pub(crate) kind: Option<Span>,
}

impl StructAttrs {
    /// Reads all attributes of the struct. What is wrong goes to `errors`.
    pub(crate) fn read(attrs: Vec<Attr>, errors: &mut Errors) -> Self {
        let (mut layout, mut handle) = (None, None);
        for entry in entries_of(attrs, errors) {
            match entry.key.to_string().as_str() {
                "rows" => {
                    entry.expect_no_value(errors);
                    entry.once(&mut layout, Layout::Rows, errors);
                }
                "handle" => {
                    let read = entry.expect_list(errors).and_then(|list| Handle::read(list, errors));
                    entry.once(&mut handle, read, errors);
                }
                key if ON_FIELD.contains(&key) => {
                    let message = format!("`{key}` belongs on a field of the struct, not on the struct itself");
                    errors.at(entry.key.span(), message);
                }
                _ => entry.unknown("on a struct", ON_STRUCT, errors),
            }
        }
        let silent = Handle { bits: HandleBits::DEFAULT, kind: None };
        Self { layout: layout.unwrap_or(Layout::Rows), handle: handle.unwrap_or(Some(silent)) }
    }
}

impl Handle {
    /// Reads what is between the parentheses of `handle(…)`.
    fn read(list: &Group, errors: &mut Errors) -> Option<Self> {
        let (mut bits, mut index, mut kind) = (None, None, None);
        let errors_before = errors.len();
        for entry in entries(list, errors) {
            let slot = match entry.key.to_string().as_str() {
                "bits" => &mut bits,
                "index" => &mut index,
                "kind" => &mut kind,
                _ => {
                    entry.unknown("in `handle(…)`", IN_HANDLE, errors);
                    continue;
                }
            };
            if let Some(number) = entry.expect_number(errors) {
                entry.once(slot, number, errors);
            }
        }
        if errors.len() > errors_before {
            return None;
        }
        let number = |part: Option<(u32, Span)>| part.map(|(number, _)| number);
        match HandleBits::new(number(bits), number(index), number(kind)) {
            Ok(bits) => Some(Self { bits, kind: kind.filter(|_| bits.kind > 0).map(|(_, span)| span) }),
            Err((part, message)) => {
                let blamed = match part {
                    Part::Bits => bits,
                    Part::Index => index,
                    Part::Kind => kind,
                };
                errors.at(blamed.map_or(list.span(), |(_, span)| span), message);
                None
            }
        }
    }
}

/// What a field says about itself.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    /// Where it says that it is the kind.
    pub(crate) kind: Option<Span>,
}

impl FieldAttrs {
    /// Reads all attributes of one field. What is wrong goes to `errors`.
    pub(crate) fn read(attrs: Vec<Attr>, errors: &mut Errors) -> Self {
        let mut read = Self::default();
        for entry in entries_of(attrs, errors) {
            match entry.key.to_string().as_str() {
                "kind" => {
                    entry.expect_no_value(errors);
                    entry.once(&mut read.kind, entry.key.span(), errors);
                }
                key if ON_STRUCT.contains(&key) => {
                    errors.at(entry.key.span(), format!("`{key}` belongs on the struct, not on a field"));
                }
                _ => entry.unknown("on a field", ON_FIELD, errors),
            }
        }
        read
    }
}

/// `key`, `key = value` or `key(…)`.
struct Entry {
    key: Ident,
    value: Value,
}

enum Value {
    None,
    /// What is written after `=`: at least one token.
    Equals(Vec<TokenTree>),
    List(Group),
}

impl Entry {
    /// Reads one entry up to the comma after it.
    fn parse(cursor: &mut Cursor) -> Result<Self, Error> {
        let key = cursor.ident("a key")?;
        let value = if cursor.punct('=').is_some() {
            if cursor.is_at_comma_or_end() {
                return Err(cursor.expected(&format!("a value after `{key} =`")));
            }
            Value::Equals(cursor.until(|token| is_punct(token, ',')))
        } else {
            cursor.group(Delimiter::Parenthesis).map_or(Value::None, Value::List)
        };
        if cursor.is_at_comma_or_end() { Ok(Self { key, value }) } else { Err(cursor.expected("a comma")) }
    }

    /// Fills `slot`, unless an earlier entry has.
    fn once<T>(&self, slot: &mut Option<T>, value: T, errors: &mut Errors) {
        if slot.is_some() {
            errors.at(self.key.span(), format!("`{}` is given twice", self.key));
        } else {
            *slot = Some(value);
        }
    }

    fn expect_no_value(&self, errors: &mut Errors) {
        if !matches!(self.value, Value::None) {
            errors.push(self.wrong_value("takes no value"));
        }
    }

    fn expect_list(&self, errors: &mut Errors) -> Option<&Group> {
        if let Value::List(list) = &self.value {
            return Some(list);
        }
        errors.push(self.wrong_value("needs a list, as in `handle(bits = 32, index = 20)`"));
        None
    }

    fn expect_number(&self, errors: &mut Errors) -> Option<(u32, Span)> {
        let number = match &self.value {
            Value::Equals(tokens) => match &tokens[..] {
                [token] => whole_number(&token.to_string()).map(|number| (number, token.span())),
                _ => None,
            },
            _ => None,
        };
        if number.is_none() {
            errors.push(
                self.wrong_value("needs a plain decimal number, as in `handle(bits = 32, index = 20, kind = 4)`"),
            );
        }
        number
    }

    /// Says that this key `needs` another value, and points at the one that it has.
    fn wrong_value(&self, needs: &str) -> Error {
        let (first, last) = match &self.value {
            Value::None => (self.key.span(), self.key.span()),
            Value::Equals(tokens) => (tokens[0].span(), tokens[tokens.len() - 1].span()),
            Value::List(list) => (list.span(), list.span()),
        };
        Error::between(first, last, format!("`{}` {needs}", self.key))
    }

    fn unknown(&self, place: &str, known: &[&str], errors: &mut Errors) {
        let key = self.key.to_string();
        let meant = nearest(&key, known).map(|word| format!(", did you mean `{word}`?")).unwrap_or_default();
        errors.at(self.key.span(), format!("unknown key `{key}`{meant} (known {place}: {})", list(known)));
    }
}

/// The entries of all `#[thing(…)]` of a struct or a field.
fn entries_of(attrs: Vec<Attr>, errors: &mut Errors) -> Vec<Entry> {
    let mut all = Vec::new();
    for attr in attrs {
        match Cursor::new(attr.body, attr.name).group(Delimiter::Parenthesis) {
            Some(list) => all.extend(entries(&list, errors)),
            None => errors.at(attr.name, "expected a list, as in `#[thing(rows)]`"),
        }
    }
    all
}

/// Entries with commas between them. One that makes no sense is reported and left out.
fn entries(list: &Group, errors: &mut Errors) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut cursor = Cursor::new(flatten(list.stream()), list.span_close());
    while !cursor.is_empty() {
        match Entry::parse(&mut cursor) {
            Ok(entry) => entries.push(entry),
            Err(error) => errors.push(error),
        }
        // The comma, and what is left of a bad entry before it.
        while cursor.next().is_some_and(|token| !is_punct(&token, ',')) {}
    }
    entries
}

/// A decimal number without a suffix.
fn whole_number(text: &str) -> Option<u32> {
    let plain = text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    // Too large for a `u32` is too large for anything here: let the check of the bits say so.
    plain.then(|| text.replace('_', "").parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal_and_whole() {
        assert_eq!(whole_number("20"), Some(20));
        assert_eq!(whole_number("1_6"), Some(16));
        assert_eq!(whole_number("99999999999"), Some(u32::MAX));
        for text in ["0x10", "16u32", "1.5", "\"16\"", "'1'", "true", "WIDTH", "_", "-"] {
            assert_eq!(whole_number(text), None, "{text}");
        }
    }
}
