//! What can go wrong, and what to do about it.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::image::RestoreError;

/// Why a world could not be saved, loaded, or put back. Nothing in the world has changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum SaveError {
    /// The system refused something.
    Io {
        /// What was being done.
        doing: &'static str,
        /// To which file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file does not begin like a save.
    NotASave,
    /// The save is of a later version of the format than this program knows.
    Newer {
        /// That version.
        version: u32,
    },
    /// The save was written on a machine that orders the bytes of numbers the other way round.
    ByteOrder,
    /// The save is compressed, and this program was built without the means to read it.
    Compressed,
    /// The save is not whole: cut off, or changed after it was written.
    Damaged {
        /// What was noticed.
        what: String,
    },
    /// There is something in the save that the world was not told about.
    Unknown {
        /// A pool, a resource or a tree.
        what: &'static str,
        /// Its name in the save.
        name: String,
    },
    /// There is something in the world that it was not told to save.
    Unregistered {
        /// A tree, for example.
        what: &'static str,
        /// Its name.
        name: String,
        /// The call that would tell it.
        call: &'static str,
    },
    /// A field or a resource of the save cannot be turned into what the program has.
    Field {
        /// The pool, or the resource.
        pool: String,
        /// The field; empty for a resource.
        field: String,
        /// What is wrong.
        problem: String,
    },
    /// The slots or links of a pool contradict each other, or do not fit.
    Pool {
        /// The pool.
        pool: String,
        /// What is wrong.
        problem: String,
    },
    /// The world was not told to save anything.
    Nothing,
    /// A text could not be read.
    Text {
        /// What is wrong, and where.
        problem: String,
    },
}

impl SaveError {
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged { what: what.into() }
    }

    pub(crate) fn pool(pool: &str, problem: impl fmt::Display) -> Self {
        Self::Pool { pool: pool.into(), problem: problem.to_string() }
    }

    pub(crate) fn field(pool: &str, field: &str, problem: impl fmt::Display) -> Self {
        Self::Field { pool: pool.into(), field: field.into(), problem: problem.to_string() }
    }

    pub(crate) fn restore(pool: &str, error: RestoreError) -> Self {
        Self::pool(pool, error)
    }
}

/// A name from a save, as it may be shown: it is not long, and a terminal takes no part of it for
/// an order.
pub(crate) fn shown(name: &str) -> String {
    const LONGEST: usize = 100;
    let mut shown: String = name.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if name.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

impl fmt::Display for SaveError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { doing, path, error } => write!(out, "{doing} {}: {error}", path.display()),
            Self::NotASave => out.write_str("not a save of lath: it begins with something else"),
            Self::Newer { version } => write!(
                out,
                "the save has format {version}, and this program reads up to format {}: use a newer version of the program",
                crate::file::VERSION
            ),
            Self::ByteOrder => out.write_str(
                "the save was written on a machine with the other byte order: load it there and save it as text instead",
            ),
            Self::Compressed => out.write_str("the save is compressed: build the program with the feature `lz4`"),
            Self::Damaged { what } => write!(out, "the save is damaged: {what}"),
            Self::Unknown { what, name } => write!(
                out,
                "the save has a {what} `{name}`, which this world was not told about: register it before loading, or drop it \
                 with `Load::ignore`",
                name = shown(name)
            ),
            Self::Unregistered { what, name, call } => {
                write!(out, "the {what} `{name}` is in use but would not be saved: call `{call}` once")
            }
            Self::Field { pool, field, problem } if field.is_empty() => write!(out, "resource `{pool}`: {problem}"),
            Self::Field { pool, field, problem } => write!(out, "field `{field}` of `{pool}`: {problem}"),
            Self::Pool { pool, problem } => write!(out, "pool `{pool}`: {problem}"),
            Self::Nothing => out.write_str(
                "the world was not told to save anything: call `world.saves::<T>()` for each thing and \
                 `world.saves_resource::<R>()` for each resource",
            ),
            Self::Text { problem } => out.write_str(problem),
        }
    }
}

impl std::error::Error for SaveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}
