//! What `#[thing(…)]` says, on the struct and on its fields.
//!
//! To add a key: name it in [`ON_STRUCT`] or [`ON_FIELD`] and read it in [`StructAttrs::read`] or
//! [`FieldAttrs::read`].

use proc_macro::{Group, Ident, Literal, Span};

use crate::bits::{HandleBits, Part};
use crate::cursor::{Cursor, flatten};
use crate::entry::{Attr, Entry};
use crate::error::Errors;

const ON_STRUCT: &[&str] = &["rows", "columns", "handle", "module"];
const ON_FIELD: &[&str] = &["kind", "tags", "hot", "cold", "skip", "alias"];
const IN_HANDLE: &[&str] = &["bits", "index", "kind"];

/// Where the values are kept.
#[derive(Clone, Copy)]
pub(crate) enum Layout {
    Rows,
    /// With the place where it says so.
    Columns(Span),
}

/// What the struct says about itself.
pub(crate) struct StructAttrs {
    pub(crate) layout: Layout,
    /// `None` if it was said wrongly.
    pub(crate) handle: Option<Handle>,
    /// The module of the field markers, if it is not to be called after the struct.
    pub(crate) module: Option<Ident>,
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
        let (mut layout, mut handle, mut module) = (None, None, None);
        for entry in entries_of(attrs, errors) {
            match entry.key.to_string().as_str() {
                key @ ("rows" | "columns") => {
                    entry.expect_no_value(errors);
                    let said = if key == "rows" {
                        Layout::Rows
                    } else {
                        Layout::Columns(entry.key.span())
                    };
                    match layout {
                        Some(Layout::Rows) if key != "rows" => {
                            errors.at(entry.key.span(), "`rows` is given already")
                        }
                        Some(Layout::Columns(_)) if key != "columns" => {
                            errors.at(entry.key.span(), "`columns` is given already");
                        }
                        _ => entry.once(&mut layout, said, errors),
                    }
                }
                "handle" => {
                    let list = entry.expect_list("handle(bits = 32, index = 20)", errors);
                    let read = list.and_then(|list| Handle::read(list, errors));
                    entry.once(&mut handle, read, errors);
                }
                "module" => {
                    if let Some(name) = entry.expect_name("module = actor_fields", errors) {
                        entry.once(&mut module, name, errors);
                    }
                }
                key if ON_FIELD.contains(&key) => {
                    let message = format!(
                        "`{key}` belongs on a field of the struct, not on the struct itself"
                    );
                    errors.at(entry.key.span(), message);
                }
                _ => entry.unknown("on a struct", ON_STRUCT, errors),
            }
        }
        let silent = Handle { bits: HandleBits::DEFAULT, kind: None };
        Self {
            layout: layout.unwrap_or(Layout::Rows),
            handle: handle.unwrap_or(Some(silent)),
            module,
        }
    }
}

impl Handle {
    /// Reads what is between the parentheses of `handle(…)`.
    fn read(list: &Group, errors: &mut Errors) -> Option<Self> {
        let (mut bits, mut index, mut kind) = (None, None, None);
        let errors_before = errors.len();
        let cursor = Cursor::new(flatten(list.stream()), list.span_close());
        for entry in Entry::all(cursor, errors) {
            let slot = match entry.key.to_string().as_str() {
                "bits" => &mut bits,
                "index" => &mut index,
                "kind" => &mut kind,
                _ => {
                    entry.unknown("in `handle(…)`", IN_HANDLE, errors);
                    continue;
                }
            };
            if let Some(number) =
                entry.expect_number("handle(bits = 32, index = 20, kind = 4)", errors)
            {
                entry.once(slot, number, errors);
            }
        }
        if errors.len() > errors_before {
            return None;
        }
        let number = |part: Option<(u32, Span)>| part.map(|(number, _)| number);
        match HandleBits::new(number(bits), number(index), number(kind)) {
            Ok(bits) => {
                Some(Self { bits, kind: kind.filter(|_| bits.kind > 0).map(|(_, span)| span) })
            }
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

/// What a field says about itself: where each word stands, if it does.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    pub(crate) kind: Option<Span>,
    pub(crate) tags: Option<Span>,
    pub(crate) hot: Option<Span>,
    pub(crate) cold: Option<Span>,
    /// Not saved.
    pub(crate) skip: Option<Span>,
    /// Names that it has in older saves.
    pub(crate) aliases: Vec<Literal>,
}

impl FieldAttrs {
    /// Reads all attributes of one field. What is wrong goes to `errors`.
    pub(crate) fn read(attrs: Vec<Attr>, errors: &mut Errors) -> Self {
        let mut read = Self::default();
        for entry in entries_of(attrs, errors) {
            let slot = match entry.key.to_string().as_str() {
                "kind" => &mut read.kind,
                "tags" => &mut read.tags,
                "hot" => &mut read.hot,
                "cold" => &mut read.cold,
                "skip" => &mut read.skip,
                "alias" => {
                    read.aliases.extend(entry.expect_text("alias = \"old_name\"", errors));
                    continue;
                }
                key if ON_STRUCT.contains(&key) => {
                    errors.at(
                        entry.key.span(),
                        format!("`{key}` belongs on the struct, not on a field"),
                    );
                    continue;
                }
                _ => {
                    entry.unknown("on a field", ON_FIELD, errors);
                    continue;
                }
            };
            entry.expect_no_value(errors);
            entry.once(slot, entry.key.span(), errors);
        }
        read.refuse_contradictions(errors);
        read
    }

    fn refuse_contradictions(&mut self, errors: &mut Errors) {
        if let (Some(skip), Some(_)) = (self.skip, self.aliases.first()) {
            errors.at(
                skip,
                "a field that is not saved has no name in older saves: keep `skip` or `alias`",
            );
        }
        if let (Some(_), Some(skip)) = (self.tags, self.skip) {
            errors.at(skip, "tags are saved with the slots of a pool: remove `skip`");
        }
        if let (Some(_), Some(cold)) = (self.hot, self.cold) {
            errors.at(cold, "a field is hot or cold, not both: keep one of the two words");
        }
        if let (Some(_), Some(cold)) = (self.tags, self.cold) {
            errors.at(cold, "every filter looks at the tags, they cannot be cold: remove `cold`");
        }
        if let (Some(tags), Some(_)) = (self.tags, self.kind) {
            errors.at(tags, "tags change and a kind does not: keep them in two fields");
            self.tags = None;
        }
    }
}

/// The entries of all `#[thing(…)]` of a struct or a field.
fn entries_of(attrs: Vec<Attr>, errors: &mut Errors) -> Vec<Entry> {
    let mut all = Vec::new();
    for attr in attrs {
        match attr.list("#[thing(rows)]") {
            Ok(list) => all.extend(Entry::all(list, errors)),
            Err(error) => errors.push(error),
        }
    }
    all
}
