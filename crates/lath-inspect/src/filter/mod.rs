//! Filters: `hp < 10 && name ~ "orc" || tags has MOVES`.
//!
//! 1. `lexer`: letters to words, each with its column.
//! 2. `parser`: words to a tree.
//! 3. `test`: the tree against the fields of a pool, and against a thing.

mod lexer;
mod parser;
mod test;

pub(crate) use test::Test;

use crate::response::Fault;

/// The most letters of a filter.
const MOST_LETTERS: usize = 4096;

/// The deepest nesting: a filter is walked by recursion.
const DEEPEST: usize = 64;

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    /// The text has the other in it, in whatever case.
    Like,
}

/// A filter as it was written.
#[derive(Clone, Debug, PartialEq)]
enum Expr {
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    Compare { field: Spot, how: Compare, with: Literal },
    Has { field: Spot, flags: Vec<Spot> },
    Is(Spot),
}

#[derive(Clone, Debug, PartialEq)]
enum Literal {
    Number(f64),
    Text(String),
}

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq)]
struct Spot {
    name: String,
    column: usize,
}

fn fault(column: usize, message: String) -> Fault {
    Fault {
        status: 400,
        message: format!("{message} (at column {column} of the filter)"),
        column: Some(column),
    }
}
