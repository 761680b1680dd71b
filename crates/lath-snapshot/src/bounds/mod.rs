//! Values of any type, read and written within bounds: not nested deeper than [`DEEPEST`] levels,
//! and no lists that claim to be much longer than what they take in the save.
//!
//! Reading and writing a value calls itself for what is inside, once for each level, and nobody
//! else counts: a type that contains itself (`struct Node { kids: Vec<Node> }`) would use as much
//! stack as a save asks for. So what serde is given is wrapped, on the way in ([`read`]) and on the
//! way out ([`write`]), and what is inside of it again; each wrapper knows how many levels are left.
//! Both ways count the same: a save that cannot be loaded again is not written.

mod read;
mod write;

use std::cell::Cell;
use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;
#[cfg(feature = "text")]
use serde::de::{Deserialize, DeserializeSeed, Deserializer};

/// How deep a value may be nested. Every list, map, tuple, struct, enum and `Some` is a level; in
/// text that nobody asks for, or that is kept until it is known what it is, it is two.
/// Measured: a thread with 2 MB of stack reads and writes that in a debug build, as bytes and as
/// text (`crates/lath-snapshot/tests/nested.rs`).
pub(crate) const DEEPEST: usize = 256;

/// Entries of lists that may take no bytes at all: those of a `Vec<()>`, for example. All lists of a
/// column have so many together, beyond one for each byte.
const FREE: usize = 1 << 20;

/// Lists that are nested no deeper than this may ask for all their memory before they are read.
/// Others grow: what they claim is not added up over all levels.
const TRUSTED: usize = 8;

/// What a column, or a resource, may still have in it.
pub(crate) struct Bounds {
    /// Entries of lists.
    entries: Cell<usize>,
    broken: Cell<Option<Broken>>,
}

#[derive(Clone, Copy)]
pub(crate) enum Broken {
    Depth,
    Entries,
}

impl Bounds {
    /// Of what is read from so many bytes.
    pub(crate) fn of_bytes(bytes: usize) -> Self {
        Self { entries: Cell::new(bytes.saturating_add(FREE)), broken: Cell::new(None) }
    }

    /// Of what is being written, or of a text, where every entry takes a letter.
    pub(crate) fn of_depth() -> Self {
        Self { entries: Cell::new(usize::MAX), broken: Cell::new(None) }
    }

    /// Whether what was written within these bounds can be read again from so many bytes.
    pub(crate) fn check_written(&self, bytes: usize) -> Result<(), String> {
        if usize::MAX - self.entries.get() <= bytes.saturating_add(FREE) {
            Ok(())
        } else {
            Err(Broken::Entries.to_string())
        }
    }

    /// What is wrong: that of ours which the format has no words for, or what it says itself.
    fn problem(&self, error: impl Display) -> String {
        self.broken.take().map_or_else(|| error.to_string(), |broken| broken.to_string())
    }

    fn count_entry(&self) -> Result<(), Broken> {
        match self.entries.get().checked_sub(1) {
            Some(left) => {
                self.entries.set(left);
                Ok(())
            }
            None => self.fail(Broken::Entries),
        }
    }

    fn fail<X>(&self, broken: Broken) -> Result<X, Broken> {
        self.broken.set(Some(broken));
        Err(broken)
    }
}

impl Display for Broken {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Depth => write!(out, "it is nested deeper than {DEEPEST} levels"),
            Self::Entries => write!(
                out,
                "its lists have more than {FREE} entries beyond one for each of its bytes"
            ),
        }
    }
}

/// Something of serde, and how many levels may be inside of it.
struct Bounded<'b, X> {
    inner: X,
    left: usize,
    bounds: &'b Bounds,
    /// Whether it is that of a list or a map, whose entries count.
    is_list: bool,
}

impl<'b, X> Bounded<'b, X> {
    fn new(inner: X, bounds: &'b Bounds) -> Self {
        Self { inner, left: DEEPEST, bounds, is_list: false }
    }

    /// Something else at the same level.
    fn at<Y>(&self, inner: Y) -> Bounded<'b, Y> {
        Bounded { inner, left: self.left, bounds: self.bounds, is_list: false }
    }

    /// One level down.
    fn down(self) -> Result<Self, Broken> {
        match self.left.checked_sub(1) {
            Some(left) => Ok(Self { left, ..self }),
            None => self.bounds.fail(Broken::Depth),
        }
    }
}

/// Reads a value from the first of `bytes`, and leaves the others.
pub(crate) fn take<V: DeserializeOwned>(bytes: &mut &[u8], bounds: &Bounds) -> Result<V, String> {
    let mut from = postcard::Deserializer::from_bytes(bytes);
    let value = V::deserialize(Bounded::new(&mut from, bounds));
    let value = value.map_err(|error| bounds.problem(error))?;
    *bytes = from.finalize().map_err(|error| bounds.problem(error))?;
    Ok(value)
}

/// Writes a value after `bytes`, which are lost if that fails.
pub(crate) fn append<V: Serialize>(
    value: &V,
    bytes: &mut Vec<u8>,
    bounds: &Bounds,
) -> Result<(), String> {
    let longer = postcard::to_extend(&Bounded::new(value, bounds), std::mem::take(bytes));
    *bytes = longer.map_err(|error| bounds.problem(error))?;
    Ok(())
}

/// Levels as RON counts them: each of ours is one or two of its own, and there is more around a
/// value. Ours are the bound that a value meets first.
#[cfg(feature = "text")]
fn ron() -> ron::Options {
    ron::Options::default().with_recursion_limit(4 * DEEPEST)
}

/// Reads a text whose values stay text.
///
/// RON looks into them all the same, to see where they end, and takes some kilobytes of stack for
/// each level, more than a small stack has. So where there may be many levels, that is done on a
/// stack that is large enough for as many as [`ron`] allows.
#[cfg(feature = "text")]
pub(crate) fn read_frame<X: for<'a> Deserialize<'a> + Send>(
    text: &str,
) -> Result<X, ron::error::SpannedError> {
    /// As deep as a text may be on any stack.
    const SHALLOW: usize = 64;
    const STACK: usize = 16 << 20;

    // Brackets inside of strings are none, but do no harm.
    let shallow = || ron::Options::default().from_str(text);
    if text.matches(['(', '[', '{']).nth(SHALLOW).is_none() {
        return shallow();
    }
    std::thread::scope(|threads| {
        let large = std::thread::Builder::new().name("lath text".into()).stack_size(STACK);
        match large.spawn_scoped(threads, || ron().from_str(text)) {
            Ok(reader) => reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => shallow(), // where there are no threads, texts are less deep
        }
    })
}

/// Reads a value from text.
#[cfg(feature = "text")]
pub(crate) fn read_text<V: DeserializeOwned>(text: &str) -> Result<V, String> {
    struct Value<'b, V>(&'b Bounds, std::marker::PhantomData<V>);

    impl<'de, V: DeserializeOwned> DeserializeSeed<'de> for Value<'_, V> {
        type Value = V;

        fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<V, D::Error> {
            V::deserialize(Bounded::new(from, self.0))
        }
    }

    let bounds = Bounds::of_depth();
    ron()
        .from_str_seed(text, Value(&bounds, std::marker::PhantomData))
        .map_err(|error| bounds.problem(error))
}

/// A value as text, on one line.
#[cfg(feature = "text")]
pub(crate) fn write_text<V: Serialize>(value: &V) -> Result<String, String> {
    let bounds = Bounds::of_depth();
    ron().to_string(&Bounded::new(value, &bounds)).map_err(|error| bounds.problem(error))
}
