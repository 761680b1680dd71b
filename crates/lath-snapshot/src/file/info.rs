//! What is in a save, without knowing any of its types.

use std::fmt;
use std::path::Path;

use super::bytes::Reader;
use super::column::{Column, PLAIN, SPARSE};
use super::header::Header;
use super::{disk, state};
use crate::error::{SaveError, shown};

/// What is in a save: pools, fields, sizes.
///
/// # Examples
///
/// ```
/// # use lath_core::Thing;
/// # use lath_schedule::World;
/// # use lath_snapshot::{Save, SaveInfo, SaveWorld, Snapshot, Write};
/// # #[derive(Thing, Save, Default)] struct Ship { hull: f32, name: String }
/// # let mut world = World::new();
/// # world.saves::<Ship>();
/// # world.spawn(Ship::default());
/// let save = Write::new().to_bytes(&Snapshot::take(&world)?)?;
/// let info = SaveInfo::from_bytes(&save)?;
/// assert_eq!((info.pools[0].name.as_str(), info.pools[0].live), ("Ship", 1));
/// assert!(info.to_string().contains("hull: f32"));
/// # Ok::<(), lath_snapshot::SaveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SaveInfo {
    /// The version of the format.
    pub version: u32,
    /// Whether it is compressed.
    pub compressed: bool,
    /// The bytes of the whole file.
    pub file_bytes: u64,
    /// The bytes of what is in it, not compressed.
    pub body_bytes: u64,
    /// The checksum of the body.
    pub checksum: u64,
    /// The pools.
    pub pools: Vec<PoolInfo>,
    /// The resources: the name, the type and the bytes of each.
    pub resources: Vec<ColumnInfo>,
}

/// What is in a save of one pool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolInfo {
    /// What it is called.
    pub name: String,
    /// Live things.
    pub live: usize,
    /// Things that are staged or buried.
    pub other: usize,
    /// The bytes of all of it.
    pub bytes: u64,
    /// The fields.
    pub fields: Vec<ColumnInfo>,
    /// The trees, and how many things are linked in each.
    pub trees: Vec<(String, usize)>,
}

/// What is in a save of one field, or of one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnInfo {
    /// What it is called.
    pub name: String,
    /// Its type, without paths.
    pub of: String,
    /// How it is written: as plain bytes, by postcard, or by postcard where it is not at its
    /// default.
    pub form: &'static str,
    /// Its bytes.
    pub bytes: u64,
}

impl SaveInfo {
    /// Looks into a file.
    ///
    /// # Errors
    ///
    /// [`SaveError`] if it is not a save, or not whole.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_snapshot::{SaveError, SaveInfo};
    /// assert!(matches!(SaveInfo::from_file("no/such.lath"), Err(SaveError::Io { .. })));
    /// ```
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, SaveError> {
        Self::from_bytes(&disk::read(path.as_ref())?)
    }

    /// As [`from_file`](Self::from_file), from memory.
    ///
    /// # Errors
    ///
    /// As [`from_file`](Self::from_file).
    ///
    /// # Examples
    ///
    /// See [`SaveInfo`].
    pub fn from_bytes(file: &[u8]) -> Result<Self, SaveError> {
        let (header, body) = Header::unwrap(file)?;
        let mut info = Self {
            version: header.version,
            compressed: header.compressed,
            file_bytes: file.len() as u64,
            body_bytes: header.len,
            checksum: header.checksum,
            pools: Vec::new(),
            resources: Vec::new(),
        };
        let mut from = Reader::new(&body);
        for _ in 0..from.count(12)? {
            let (name, section) = (from.text()?, from.block()?);
            // A resource begins with the name of its type, a pool with the number of its groups.
            match resource(name, section) {
                Some(resource) => info.resources.push(resource),
                None => info.pools.push(pool(name, section)?),
            }
        }
        if from.left() > 0 {
            return Err(SaveError::damaged(format!("{} bytes are left over", from.left())));
        }
        Ok(info)
    }
}

/// A section as a resource, if it is one: that uses it up to the last byte.
fn resource(name: &str, section: &[u8]) -> Option<ColumnInfo> {
    let mut from = Reader::new(section);
    let (of, is_there, bytes) = (from.text().ok()?, from.u8().ok()?, from.block().ok()?);
    let info = ColumnInfo {
        name: name.into(),
        of: of.into(),
        form: "postcard",
        bytes: bytes.len() as u64,
    };
    (from.left() == 0 && is_there <= 1 && !of.is_empty()).then_some(info)
}

fn pool(name: &str, section: &[u8]) -> Result<PoolInfo, SaveError> {
    let mut from = Reader::new(section);
    let state = state::read_state(&mut from)?;
    let mut fields = Vec::new();
    for _ in 0..from.count(21)? {
        let Column { name, of, form, bytes, .. } = Column::read(&mut from)?;
        let form = match form {
            PLAIN => "plain",
            SPARSE => "postcard, where not default",
            _ => "postcard",
        };
        fields.push(ColumnInfo {
            name: name.into(),
            of: of.into(),
            form,
            bytes: bytes.len() as u64,
        });
    }
    let mut trees = Vec::new();
    for _ in 0..from.count(21)? {
        trees.push((from.text()?.to_string(), state::read_tree(&mut from)?.links.len()));
    }
    let live = state.live();
    let other = state.held() - live;
    Ok(PoolInfo { name: name.into(), live, other, bytes: section.len() as u64, fields, trees })
}

impl fmt::Display for SaveInfo {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, compressed, file_bytes, body_bytes, checksum, pools, resources } = self;
        let how = if *compressed { "LZ4" } else { "not compressed" };
        writeln!(
            out,
            "format {version}, {how}, {file_bytes} bytes in the file, {body_bytes} in all"
        )?;
        writeln!(out, "checksum {checksum:016x}, good")?;
        for PoolInfo { name, live, other, bytes, fields, trees } in pools {
            let name = shown(name);
            writeln!(out, "\npool {name}: {live} live, {other} staged or buried, {bytes} bytes")?;
            for ColumnInfo { name, of, form, bytes } in fields {
                let (name, of) = (shown(name), shown(of));
                writeln!(out, "    {name}: {of}, {bytes} bytes, {form}")?;
            }
            for (name, linked) in trees.iter().filter(|(_, linked)| *linked > 0) {
                writeln!(out, "    tree {}: {linked} linked", shown(name))?;
            }
        }
        for ColumnInfo { name, of, bytes, .. } in resources {
            writeln!(out, "\nresource {}: {}, {bytes} bytes", shown(name), shown(of))?;
        }
        Ok(())
    }
}
