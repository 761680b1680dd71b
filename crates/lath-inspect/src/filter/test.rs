//! A filter against the fields of a pool, and against a thing.

use super::parser::parse;
use super::{Compare, Expr, Literal, Spot, fault};
use crate::column::Column;
use crate::how::Clip;
use crate::response::Fault;
use crate::table::{Row, TableMeta};

/// A filter whose names have been found.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    All(Vec<Test>),
    Any(Vec<Test>),
    Not(Box<Test>),
    Number(Column, Compare, f64),
    /// The text is in lower case for `Like`.
    Text(Column, Compare, String),
    Has(usize, u64),
}

impl Test {
    /// Reads a filter for the things of a pool.
    pub(crate) fn new(meta: &TableMeta, text: &str) -> Result<Self, Fault> {
        Self::of(meta, parse(text)?)
    }

    fn of(meta: &TableMeta, expr: Expr) -> Result<Self, Fault> {
        let each = |list: Vec<Expr>| {
            list.into_iter().map(|expr| Self::of(meta, expr)).collect::<Result<_, _>>()
        };
        Ok(match expr {
            Expr::And(list) => Self::All(each(list)?),
            Expr::Or(list) => Self::Any(each(list)?),
            Expr::Not(expr) => Self::Not(Box::new(Self::of(meta, *expr)?)),
            Expr::Compare { field, how, with } => {
                let column = find(meta, &field)?;
                let is_number = column.is_number(meta);
                match with {
                    Literal::Number(number) if is_number && how != Compare::Like => {
                        Self::Number(column, how, number)
                    }
                    Literal::Number(_) if !is_number => {
                        let message = format!(
                            "`{}` is not a number: compare it with a text in quotes",
                            field.name
                        );
                        return Err(fault(field.column, message));
                    }
                    Literal::Number(number) => Self::Text(column, how, number.to_string()),
                    Literal::Text(text) if how == Compare::Like => {
                        Self::Text(column, how, text.to_lowercase())
                    }
                    Literal::Text(text) => Self::Text(column, how, text),
                }
            }
            Expr::Has { field, flags } => {
                let column = find(meta, &field)?;
                let known = column.field(meta).and_then(|field| field.flags.as_ref());
                let (Column::Field(at), Some(known)) = (&column, known) else {
                    let message = format!(
                        "`{}` has no flags: `has` is for fields made by `bitflags!`",
                        field.name
                    );
                    return Err(fault(field.column, message));
                };
                let mut bits = 0;
                for flag in flags {
                    let Some((_, value)) = known.iter().find(|(name, _)| *name == flag.name) else {
                        let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
                        let message = format!(
                            "`{}` has no flag `{}`, but {}",
                            field.name,
                            flag.name,
                            names.join(", ")
                        );
                        return Err(fault(flag.column, message));
                    };
                    bits |= value;
                }
                Self::Has(*at, bits)
            }
            Expr::Is(field) => {
                let column = find(meta, &field)?;
                if !column.is_number(meta) {
                    let message = format!(
                        "`{}` is neither true nor false: compare it with something",
                        field.name
                    );
                    return Err(fault(field.column, message));
                }
                Self::Number(column, Compare::NotEqual, 0.0)
            }
        })
    }

    /// Whether a thing passes. `clip` is for texts.
    pub(crate) fn passes(&self, row: &dyn Row, clip: &mut Clip) -> bool {
        match self {
            Self::All(list) => list.iter().all(|test| test.passes(row, clip)),
            Self::Any(list) => list.iter().any(|test| test.passes(row, clip)),
            Self::Not(test) => !test.passes(row, clip),
            Self::Number(column, how, with) => {
                column.number(row).is_some_and(|number| how.holds(&number, with))
            }
            Self::Text(column, how, with) => {
                clip.reset(LETTERS);
                column.text(row, clip);
                match how {
                    Compare::Like => clip.text.to_lowercase().contains(with),
                    how => how.holds(clip.text.as_str(), with.as_str()),
                }
            }
            Self::Has(field, bits) => row.flags(*field).is_some_and(|flags| flags & bits == *bits),
        }
    }
}

/// The most letters of a text that are compared.
const LETTERS: usize = 256;

fn find(meta: &TableMeta, spot: &Spot) -> Result<Column, Fault> {
    Column::find(meta, &spot.name).map_err(|error| fault(spot.column, error.message))
}

impl Compare {
    fn holds<V: PartialOrd + ?Sized>(self, one: &V, other: &V) -> bool {
        match self {
            Self::Less => one < other,
            Self::LessOrEqual => one <= other,
            Self::Greater => one > other,
            Self::GreaterOrEqual => one >= other,
            Self::Equal | Self::Like => one == other,
            Self::NotEqual => one != other,
        }
    }
}
