//! Saves: a snapshot as bytes, and as a file.
//!
//! ```text
//!   header   "LATHSAVE", version, byte order, compression, lengths, checksum of the body, checksum of the header
//!   body     pools:      name, length, slots, columns by field name, trees
//!            resources:  name, length, value
//! ```

pub(crate) mod bytes;
pub(crate) mod column;
mod disk;
pub mod fault;
mod header;
mod info;
pub(crate) mod state;

use std::path::Path;

use lath_schedule::World;

pub(crate) use header::VERSION;
pub use info::{ColumnInfo, PoolInfo, SaveInfo};

use crate::error::{SaveError, shown};
use crate::part::{self, Part};
use crate::registry::Registry;
use crate::snapshot::Snapshot;
use bytes::{Reader, Sink};
use header::Header;

/// How a save is written: compression, and who hears of progress.
///
/// # Examples
///
/// ```
/// use lath_core::Thing;
/// use lath_schedule::World;
/// use lath_snapshot::{Load, Save, SaveWorld, Snapshot, Write};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
///
/// #[derive(Thing, Save, Default)]
/// struct Ship { hull: f32 }
///
/// let mut world = World::new();
/// world.saves::<Ship>();
/// let ship = world.spawn(Ship { hull: 10.0 });
/// # let folder = std::env::temp_dir().join(format!("lath-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("evening.lath");
///
/// let mut last = 0;
/// Write::new().progress(|done, total| last = done * 100 / total).to_file(&Snapshot::take(&world)?, &path)?;
/// assert_eq!(last, 100);
///
/// let mut other = World::new();
/// other.saves::<Ship>();
/// Load::new().from_file(&mut other, &path)?;
/// assert_eq!(other.read(ship).hull, 10.0); // under the same handle
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(()) }
/// ```
#[derive(Default)]
pub struct Write<'a> {
    compressed: bool,
    progress: Option<Progress<'a>>,
    faults: fault::Faults<'a>,
}

type Progress<'a> = Box<dyn FnMut(u64, u64) + 'a>;

impl<'a> Write<'a> {
    /// Not compressed, and nobody hears of progress.
    ///
    /// # Examples
    ///
    /// See [`Write`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Compresses it, by LZ4.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{Load, SaveWorld, Snapshot, Write};
    /// let mut world = World::new();
    /// world.saves_resource::<Vec<u32>>();
    /// world.insert(vec![7u32; 100_000]);
    /// let snapshot = Snapshot::take(&world)?;
    /// let (plain, small) = (Write::new().to_bytes(&snapshot)?, Write::new().compressed().to_bytes(&snapshot)?);
    /// assert!(small.len() * 10 < plain.len());
    /// Load::new().from_bytes(&mut world, &small)?;
    /// # Ok::<(), lath_snapshot::SaveError>(())
    /// ```
    #[cfg(feature = "lz4")]
    #[must_use]
    pub fn compressed(mut self) -> Self {
        self.compressed = true;
        self
    }

    /// Calls `heard` now and then with how much is done, and of how much: the same unit for both.
    /// At the end they are equal.
    ///
    /// # Examples
    ///
    /// See [`Write`].
    #[must_use]
    pub fn progress(mut self, heard: impl FnMut(u64, u64) + 'a) -> Self {
        self.progress = Some(Box::new(heard));
        self
    }

    /// For tests: asks before every step of [`to_file`](Self::to_file) what happens in its place. A
    /// save is then written in several parts, however small it is.
    #[doc(hidden)]
    #[must_use]
    pub fn faults(mut self, fault: impl FnMut(fault::Step) -> Option<fault::Fault> + 'a) -> Self {
        self.faults = Some(Box::new(fault));
        self
    }

    /// Writes a save into memory.
    ///
    /// # Errors
    ///
    /// [`SaveError`] if a value refuses to be written, or a tree is in use that is not saved.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{SaveWorld, Snapshot, Write};
    /// # let mut world = World::new();
    /// # world.saves_resource::<u32>();
    /// let bytes = Write::new().to_bytes(&Snapshot::take(&world)?)?;
    /// assert!(bytes.starts_with(b"LATHSAVE"));
    /// # Ok::<(), lath_snapshot::SaveError>(())
    /// ```
    pub fn to_bytes(mut self, snapshot: &Snapshot) -> Result<Vec<u8>, SaveError> {
        let bytes = self.encode(snapshot, 1)?;
        self.tell(1, 1);
        Ok(bytes)
    }

    /// Writes a save to a file: into a new file in the same folder first, which takes the place of
    /// the old one when all of it is on the disk. Whatever happens, the file is the old save or the
    /// new one, whole.
    ///
    /// A symbolic link stays, and the file that it means is replaced. The new file has the
    /// permissions of the old one and, where the system allows it, its owner and its group. What
    /// saves that were killed have left behind is removed by the next one.
    ///
    /// # Errors
    ///
    /// As [`to_bytes`](Self::to_bytes), or if the system refuses something, or if what is there is
    /// read-only or no ordinary file. The old file is still there; only if the system could not
    /// bring the folder to the disk at the very end, the new one is.
    ///
    /// # Examples
    ///
    /// See [`Write`].
    pub fn to_file(mut self, snapshot: &Snapshot, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let bytes = self.encode(snapshot, 2)?;
        let total = bytes.len() as u64;
        // The first half was to find out what to write.
        let faults = self.faults.take();
        let done = &mut |done| self.tell(total + done, 2 * total);
        disk::replace(path.as_ref(), &bytes, faults, done)
    }

    fn tell(&mut self, done: u64, total: u64) {
        if let Some(heard) = &mut self.progress {
            heard(done, total);
        }
    }

    /// The whole file. `steps` is how many steps like this one there are.
    fn encode(&mut self, snapshot: &Snapshot, steps: u64) -> Result<Vec<u8>, SaveError> {
        let saved: Vec<&dyn Part> =
            snapshot.parts.iter().map(|part| &**part).filter(|part| part.is_saved()).collect();
        let total: u64 = saved.iter().map(|part| part.bytes() as u64 + 1).sum();
        let (mut body, mut done) = (Vec::new(), 0);
        body.u64(saved.len() as u64);
        for part in saved {
            part::write_section(part, &mut body)?;
            done += part.bytes() as u64 + 1;
            self.tell(done.min(total * steps - 1), total * steps);
        }
        Ok(header::wrap(body, self.compressed))
    }
}

/// How a save is read: what may be missing, and who hears of progress.
///
/// A save may come from anywhere: whatever is in it, the result is a world or an error, and takes
/// no more memory than the size of the save accounts for. (What a type's own `Deserialize` does
/// with hostile bytes is up to that type.)
///
/// # Examples
///
/// See [`Write`].
#[derive(Default)]
pub struct Load<'a> {
    ignored: Vec<String>,
    ignore_all: bool,
    progress: Option<Progress<'a>>,
}

impl<'a> Load<'a> {
    /// All that is in the save must be known to the world.
    ///
    /// # Examples
    ///
    /// See [`Write`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out a pool or a resource that the program no longer has.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{Load, SaveError, SaveWorld, Snapshot, Write};
    /// # let mut old = World::new();
    /// # old.saves_resource::<u32>().named("weather");
    /// # let save = Write::new().to_bytes(&Snapshot::take(&old)?)?;
    /// let mut world = World::new();
    /// world.saves_resource::<u64>();
    /// assert!(matches!(Load::new().from_bytes(&mut world, &save), Err(SaveError::Unknown { .. })));
    /// Load::new().ignore("weather").from_bytes(&mut world, &save)?;
    /// # Ok::<(), SaveError>(())
    /// ```
    #[must_use]
    pub fn ignore(mut self, name: impl Into<String>) -> Self {
        self.ignored.push(name.into());
        self
    }

    /// Leaves out all pools and resources that the world was not told about.
    ///
    /// # Examples
    ///
    /// See [`ignore`](Self::ignore).
    #[must_use]
    pub fn ignore_unknown(mut self) -> Self {
        self.ignore_all = true;
        self
    }

    /// Calls `heard` now and then with how much is done, and of how much.
    ///
    /// # Examples
    ///
    /// See [`Write::progress`].
    #[must_use]
    pub fn progress(mut self, heard: impl FnMut(u64, u64) + 'a) -> Self {
        self.progress = Some(Box::new(heard));
        self
    }

    /// Reads a save from a file and makes the world what it was.
    ///
    /// What the world saves and the save does not have (it was added since) stays as it is.
    ///
    /// # Errors
    ///
    /// [`SaveError`] says what is wrong with the save, or what does not fit. The world has not
    /// changed, unless a pool is too small for what is in the save, or memory runs out.
    ///
    /// # Examples
    ///
    /// See [`Write`].
    pub fn from_file(self, world: &mut World, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let bytes = disk::read(path.as_ref())?;
        self.from_bytes(world, &bytes)
    }

    /// As [`from_file`](Self::from_file), from memory.
    ///
    /// # Errors
    ///
    /// As [`from_file`](Self::from_file).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{Load, Save, SaveWorld, Snapshot, Write};
    /// #[derive(Thing, Save, Default)]
    /// struct Ship { hull: f32 }
    ///
    /// let mut world = World::new();
    /// world.saves::<Ship>();
    /// let ship = world.spawn(Ship { hull: 3.0 });
    /// let bytes = Write::new().to_bytes(&Snapshot::take(&world)?)?;
    /// world.despawn(ship);
    ///
    /// Load::new().from_bytes(&mut world, &bytes)?;
    /// assert_eq!(world.read(ship).hull, 3.0); // the same handle
    /// assert!(Load::new().from_bytes(&mut world, &bytes[1..]).is_err());
    /// # Ok::<(), lath_snapshot::SaveError>(())
    /// ```
    pub fn from_bytes(self, world: &mut World, bytes: &[u8]) -> Result<(), SaveError> {
        self.snapshot_from_bytes(world, bytes)?.restore(world)
    }

    /// Reads a save without changing the world, which only says how: the result can be put back
    /// later, or into another world.
    ///
    /// # Errors
    ///
    /// As [`from_file`](Self::from_file).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{Load, SaveWorld, Snapshot, Write};
    /// # let mut world = World::new();
    /// # world.saves_resource::<u32>();
    /// let snapshot = Snapshot::take(&world)?;
    /// let save = Write::new().to_bytes(&snapshot)?;
    /// assert_eq!(Load::new().snapshot_from_bytes(&mut world, &save)?.checksum(), snapshot.checksum());
    /// # Ok::<(), lath_snapshot::SaveError>(())
    /// ```
    pub fn snapshot_from_bytes(
        mut self,
        world: &mut World,
        bytes: &[u8],
    ) -> Result<Snapshot, SaveError> {
        let (_, body) = Header::unwrap(bytes)?;
        Registry::lend(world, |registry, world| self.read_body(registry, world, &body))?
    }

    /// Whether something that the world was not told about is to be left out.
    pub(crate) fn ignores(&self, name: &str) -> bool {
        self.ignore_all || self.ignored.iter().any(|ignored| ignored == name)
    }

    fn read_body(
        &mut self,
        registry: &Registry,
        world: &mut World,
        body: &[u8],
    ) -> Result<Snapshot, SaveError> {
        let mut from = Reader::new(body);
        let total = body.len() as u64;
        let mut parts: Vec<Option<Box<dyn Part>>> = registry.kinds().map(|_| None).collect();
        for _ in 0..from.count(12)? {
            let name = from.text()?;
            let section = from.block()?;
            match registry.kinds().position(|kind| kind.is_saved() && kind.is_called(name)) {
                Some(number) => {
                    let mut section = Reader::new(section);
                    let Some(kind) = registry.kinds().nth(number) else {
                        unreachable!("found just now")
                    };
                    let part = kind.read(world, &mut section)?;
                    if section.left() > 0 {
                        return Err(SaveError::damaged(format!(
                            "`{}` has {} bytes too many",
                            shown(name),
                            section.left()
                        )));
                    }
                    if parts[number].replace(part).is_some() {
                        let name = shown(name);
                        return Err(SaveError::damaged(format!("`{name}` is there twice")));
                    }
                }
                None if self.ignores(name) => {}
                None => {
                    return Err(SaveError::Unknown { what: "pool or resource", name: name.into() });
                }
            }
            if let Some(heard) = &mut self.progress {
                heard(total - from.left() as u64, total);
            }
        }
        if from.left() > 0 {
            return Err(SaveError::damaged(format!("{} bytes are left over", from.left())));
        }
        Ok(Snapshot { parts: parts.into_iter().flatten().collect() })
    }
}
