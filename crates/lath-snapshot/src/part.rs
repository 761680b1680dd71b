//! What a snapshot is made of: a copy of each pool and of each resource that is saved, whatever
//! their types.

use std::any::Any;

use lath_schedule::World;
use xxhash_rust::xxh3::Xxh3;

use crate::error::SaveError;
use crate::file::bytes::{Reader, Sink};

/// How to save something: kept in the world, shared by all snapshots.
pub(crate) trait Kind: Send + Sync {
    /// What it is called in saves.
    fn name(&self) -> &str;

    /// Names that it has in older saves.
    fn aliases(&self) -> &[String];

    /// Whether a part was made by this very kind.
    fn makes(&self, part: &dyn Part) -> bool;

    /// Whether it is written to saves, not only copied.
    fn is_saved(&self) -> bool;

    /// A copy of nothing yet.
    fn part(&self) -> Box<dyn Part>;

    /// Whether it has, or had, this name.
    fn is_called(&self, name: &str) -> bool {
        self.name() == name || self.aliases().iter().any(|alias| alias == name)
    }

    /// Reads what [`Part::text`] wrote.
    #[cfg(feature = "text")]
    fn read_text(&self, world: &mut World, text: &str) -> Result<Box<dyn Part>, SaveError>;

    /// Reads what [`Part::write`] wrote after the name. Believes nothing.
    fn read(&self, world: &mut World, from: &mut Reader<'_>) -> Result<Box<dyn Part>, SaveError>;
}

/// A copy of something.
pub(crate) trait Part: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn name(&self) -> &str;

    /// Whether it is written to saves, not only copied.
    fn is_saved(&self) -> bool;

    /// Becomes a copy of what is in the world now.
    fn take(&mut self, world: &World);

    /// As `take`; may begin another tick of changes.
    fn take_mut(&mut self, world: &mut World);

    /// Whether it could be put back; makes room for it.
    fn prepare(&self, world: &mut World) -> Result<(), SaveError>;

    /// Puts it back. `prepare` was called.
    fn restore(&self, world: &mut World);

    /// Writes it, after its name.
    fn write(&self, out: &mut Vec<u8>) -> Result<(), SaveError>;

    /// Writes it as text.
    #[cfg(feature = "text")]
    fn text(&self) -> Result<crate::text::Text, SaveError>;

    /// What of it decides what happens next.
    fn hash(&self, hash: &mut Xxh3) -> Result<(), SaveError>;

    fn copy(&self) -> Box<dyn Part>;

    /// Becomes a copy of another of the same kind.
    fn copy_from(&mut self, other: &dyn Part);

    /// How many bytes it takes, without what values have on the heap.
    fn bytes(&self) -> usize;

    /// An empty difference.
    fn delta(&self) -> Box<dyn PartDelta>;
}

/// The difference between two copies of the same thing.
pub(crate) trait PartDelta: Send + Sync {
    /// Becomes the difference between a copy and the world.
    fn since(&mut self, old: &dyn Part, world: &World);

    /// Becomes the difference between two copies.
    fn between(&mut self, old: &dyn Part, new: &dyn Part);

    /// Whether it is a difference between copies like this one.
    fn is_for(&self, part: &dyn Part) -> bool;

    /// Whether it starts from this very copy.
    fn starts_from(&self, part: &dyn Part) -> bool;

    /// Turns the old copy into the new one; answers whether it was the old one.
    fn apply(&self, part: &mut dyn Part) -> bool;

    fn bytes(&self) -> usize;

    /// How many groups of 64 slots differ.
    fn groups(&self) -> usize;
}

/// Writes a section: what it is called, and what is in it.
pub(crate) fn write_section(part: &dyn Part, out: &mut Vec<u8>) -> Result<(), SaveError> {
    out.text(part.name());
    let start = out.len();
    out.u64(0);
    part.write(out)?;
    let len = (out.len() - start - 8) as u64;
    out[start..start + 8].copy_from_slice(&len.to_le_bytes());
    Ok(())
}
