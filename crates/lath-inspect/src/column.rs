//! A column: a field, a number within a field, or what the handle says.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::fields::FieldMeta;
use crate::how::{Clip, names_of};
use crate::response::Fault;
use crate::table::{Row, TableMeta};

/// What a table shows, a filter compares, a map draws.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Column {
    Slot,
    Generation,
    Field(usize),
    /// A path into the JSON of a field.
    Part(usize, Vec<String>),
}

/// The most letters of a cell.
const CELL: usize = 120;

impl Column {
    /// Finds `hp`, `pos.x`, `slot` or `generation`.
    pub(crate) fn find(meta: &TableMeta, name: &str) -> Result<Self, Fault> {
        let (field, path) =
            name.split_once('.').map_or((name, None), |(field, path)| (field, Some(path)));
        if let Some(at) = meta.fields.iter().position(|known| known.name == field) {
            let Some(path) = path else { return Ok(Self::Field(at)) };
            let known = &meta.fields[at].parts;
            if !known.is_empty() && !known.iter().any(|part| part == path) {
                let message = format!("`{field}` has no number `{path}`, but {}", known.join(", "));
                return Err(Fault::new(400, message));
            }
            return Ok(Self::Part(at, path.split('.').map(str::to_owned).collect()));
        }
        match name {
            "slot" => Ok(Self::Slot),
            "generation" => Ok(Self::Generation),
            _ => {
                let known: Vec<_> = meta.fields.iter().map(|field| field.name).collect();
                let message = format!(
                    "{} has no field `{name}`: it has {}, slot, generation",
                    meta.name,
                    known.join(", ")
                );
                Err(Fault::new(400, message))
            }
        }
    }

    pub(crate) fn name(&self, meta: &TableMeta) -> String {
        match self {
            Self::Slot => "slot".to_owned(),
            Self::Generation => "generation".to_owned(),
            Self::Field(field) => meta.fields[*field].name.to_owned(),
            Self::Part(field, path) => format!("{}.{}", meta.fields[*field].name, path.join(".")),
        }
    }

    /// Whether there is a number, as far as is known.
    pub(crate) fn is_number(&self, meta: &TableMeta) -> bool {
        match self {
            Self::Field(field) => meta.fields[*field].is_number,
            Self::Slot | Self::Generation | Self::Part(..) => true,
        }
    }

    pub(crate) fn field<'a>(&self, meta: &'a TableMeta) -> Option<&'a FieldMeta> {
        match self {
            Self::Field(field) | Self::Part(field, _) => Some(&meta.fields[*field]),
            _ => None,
        }
    }

    pub(crate) fn number(&self, row: &dyn Row) -> Option<f64> {
        match self {
            Self::Slot => Some(f64::from(row.slot())),
            Self::Generation => Some(f64::from(row.generation())),
            Self::Field(field) => row.number(*field),
            Self::Part(field, path) => {
                let json = row.json(*field)?;
                let mut at = &json;
                for name in path {
                    at = match at {
                        Value::Array(list) => list.get(name.parse::<usize>().ok()?)?,
                        Value::Object(map) => map.get(name)?,
                        _ => return None,
                    };
                }
                at.as_f64()
            }
        }
    }

    pub(crate) fn text(&self, row: &dyn Row, out: &mut Clip) {
        match self {
            Self::Field(field) => row.show(*field, out),
            other => {
                if let Some(number) = other.number(row) {
                    // A number that came from an `f32` is written like one.
                    let short = number as f32;
                    let _ = if f64::from(short) == number {
                        write!(out, "{short}")
                    } else {
                        write!(out, "{number}")
                    };
                }
            }
        }
    }

    /// What a table shows: text, the number if it is one, flags by name, the handle if it is one.
    pub(crate) fn cell(&self, meta: &TableMeta, row: &dyn Row) -> Value {
        let mut clip = Clip::new(CELL);
        let mut cell = json!({});
        if let Self::Field(field) = self {
            if let (Some(names), Some(bits)) = (&meta.fields[*field].flags, row.flags(*field)) {
                let names = names_of(names, bits);
                cell["text"] = names.join(" ").into();
                cell["flags"] = names.into();
                return cell;
            }
            if let Some(bits) = row.link(*field) {
                cell["link"] = if bits == 0 { Value::Null } else { bits.to_string().into() };
            }
        }
        self.text(row, &mut clip);
        cell["text"] = clip.text.into();
        if let Some(number) = self.number(row) {
            cell["number"] = number.into(); // null if it is not a number that JSON has
        }
        cell
    }
}

/// How a thing is called: by its name if it has one, else by its tags.
pub(crate) fn label(meta: &TableMeta, row: &dyn Row) -> String {
    let mut clip = Clip::new(40);
    if let Some(field) = meta.label {
        row.show(field, &mut clip);
    }
    if !clip.text.is_empty() {
        return clip.text;
    }
    let tags = meta.fields.iter().position(|field| field.is_tags);
    let flags = tags.and_then(|at| Some((row.flags(at)?, meta.fields[at].flags.as_ref()?)));
    flags.map(|(bits, names)| names_of(names, bits).join(" ")).unwrap_or_default()
}
