//! Files: read whole, and replaced whole or not at all.
//!
//! A save is written to a new file beside the old one, which is then renamed. Who writes a new file
//! holds a lock on it (`File::lock`) until it is renamed; the system lets go of the lock when the
//! process ends, however it ends. So a new file that can be locked is one that nobody writes any
//! more: every save begins with removing those. Process ids say nothing about that: in containers
//! they repeat, and the processes of another container cannot be seen at all.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::fault::{Fault, Faults, Step};
use crate::error::SaveError;

/// Bytes between two calls about progress.
const CHUNK: usize = 1 << 20;
/// Chunks of a file that is written while a test makes steps fail.
const TESTED: usize = 8;
/// As many symbolic links as Linux follows.
const LINKS: usize = 40;
/// Names for a new file that are tried. A name is taken by chance with a probability of 2^-64.
const NAMES: usize = 16;
/// A file name that is longer is not repeated in that of the new file, which would be too long for
/// many file systems.
const LONGEST: usize = 160;

pub(super) fn read(path: &Path) -> Result<Vec<u8>, SaveError> {
    fs::read(path).map_err(refused("reading", path))
}

fn refused(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SaveError {
    move |error| SaveError::Io { doing, path: path.into(), error }
}

/// Replaces a file: a new one beside it is written, brought to the disk, and renamed. `done` hears
/// how many bytes were written.
pub(super) fn replace(
    path: &Path,
    bytes: &[u8],
    mut faults: Faults<'_>,
    done: &mut dyn FnMut(u64),
) -> Result<(), SaveError> {
    let path = &follow(path).map_err(refused("following the links of", path))?;
    let no_file = || io::Error::new(ErrorKind::InvalidInput, "it has no file name");
    let name = path.file_name().ok_or_else(no_file).map_err(refused("writing to", path))?;
    let folder = folder_of(path);
    let old = replaced(path).map_err(refused("writing to", path))?;
    let stem = stem(name);
    sweep(folder, &stem);

    let mut new = New::create(folder, &stem, old.as_ref(), &mut faults)?;
    if let Some(old) = &old {
        new.step(Step::Permissions, &mut faults, |file| keep_permissions(file, old))
            .map_err(refused("setting the permissions of", &new.path))?;
    }
    let (mut written, whole) = (0, bytes.len() as u64);
    for chunk in bytes.chunks(if faults.is_some() { bytes.len() / TESTED + 1 } else { CHUNK }) {
        new.write(chunk, &mut faults).map_err(refused("writing to", &new.path))?;
        written += chunk.len() as u64;
        if written < whole {
            done(written);
        }
    }
    new.step(Step::Sync, &mut faults, |file| file.sync_all())
        .map_err(refused("bringing to the disk", &new.path))?;
    let from = new.path.clone();
    new.step(Step::Rename, &mut faults, |_| fs::rename(from, path))
        .map_err(refused("renaming to", path))?;
    new.is_left = true; // there is no more such file
    new.step(Step::SyncFolder, &mut faults, |_| sync_folder(folder))
        .map_err(refused("bringing to the disk", folder))?;
    done(whole);
    Ok(())
}

/// The file that a path means: links are followed, also to a file that is not there yet.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        match fs::symlink_metadata(&path) {
            Ok(it) if it.is_symlink() => path = folder_of(&path).join(fs::read_link(&path)?),
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(path),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(format!("more than {LINKS} symbolic links, or links in a circle")))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// What is known about the file that will be replaced, if there is one. Whoever could not write to
/// it may not replace it either, and what is no file stays what it is.
fn replaced(path: &Path) -> io::Result<Option<Metadata>> {
    let old = match fs::metadata(path) {
        Ok(old) => old,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if old.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !old.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not an ordinary file"));
    }
    // Those to whom permissions do not apply mean them all the same.
    if old.permissions().readonly() {
        return Err(io::Error::new(ErrorKind::PermissionDenied, "it is read-only"));
    }
    OpenOptions::new().write(true).open(path)?;
    Ok(Some(old))
}

/// A new file: locked by whoever writes it, and removed again, unless it takes its place.
struct New {
    path: PathBuf,
    file: File,
    /// It takes its place, or stays as if the process had been killed.
    is_left: bool,
}

impl New {
    fn create(
        folder: &Path,
        stem: &OsStr,
        old: Option<&Metadata>,
        faults: &mut Faults<'_>,
    ) -> Result<Self, SaveError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        if old.is_some() {
            private(&mut options); // until it has the permissions of the old one
        }
        for _ in 0..NAMES {
            let path = folder.join(new_name(stem));
            let mut create = || match faults.as_mut().and_then(|faults| faults(Step::Open)) {
                Some(Fault::Error(error)) => Err(error),
                Some(Fault::Killed) => Err(killed()),
                None => options.open(&path),
            };
            let file = match create() {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                file => file.map_err(refused("creating", &path))?,
            };
            let new = Self { path, file, is_left: false };
            // Before it was locked, a save of another process may have taken it for a leftover.
            // Where nothing can be locked, nothing is removed.
            match new.file.try_lock() {
                Err(fs::TryLockError::WouldBlock) => {}
                _ if new.path.exists() => return Ok(new),
                _ => {}
            }
        }
        let error = io::Error::from(ErrorKind::AlreadyExists);
        Err(refused("creating a new file in", folder)(error))
    }

    /// Writes a part of the save; where a test makes that fail, half of it, as a full disk does.
    fn write(&mut self, chunk: &[u8], faults: &mut Faults<'_>) -> io::Result<()> {
        let allowed = self.step(Step::Write, faults, |_| Ok(()));
        let len = if allowed.is_ok() { chunk.len() } else { chunk.len() / 2 };
        self.file.write_all(&chunk[..len])?;
        allowed
    }

    /// Does a step, unless a test makes it fail.
    fn step(
        &mut self,
        step: Step,
        faults: &mut Faults<'_>,
        f: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        match faults.as_mut().and_then(|faults| faults(step)) {
            None => f(&mut self.file),
            Some(Fault::Error(error)) => Err(error),
            Some(Fault::Killed) => {
                self.is_left = true;
                Err(killed())
            }
        }
    }
}

impl Drop for New {
    fn drop(&mut self) {
        if !self.is_left {
            // Whatever went wrong is being reported already.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn killed() -> io::Error {
    io::Error::new(ErrorKind::Interrupted, "a test killed the save")
}

/// What the names of new files for a file have in common: `evening.lath`.
fn stem(name: &OsStr) -> OsString {
    let bytes = name.as_encoded_bytes();
    if bytes.len() <= LONGEST { name.into() } else { format!("{:016x}", xxh3_64(bytes)).into() }
}

/// `.evening.lath.1234-0123456789abcdef.new`: another one each time. The process id is for people.
fn new_name(stem: &OsStr) -> OsString {
    let mut name = OsString::from(".");
    name.push(stem);
    name.push(format!(
        ".{}-{:016x}.new",
        std::process::id(),
        RandomState::new().build_hasher().finish()
    ));
    name
}

/// Whether a name is one of those.
fn is_new_name(name: &OsStr, stem: &OsStr) -> bool {
    let middle = || {
        let rest = name.as_encoded_bytes().strip_prefix(b".")?;
        let rest = rest.strip_prefix(stem.as_encoded_bytes())?.strip_prefix(b".")?;
        rest.strip_suffix(b".new")?.split_at_checked(rest.iter().position(|byte| *byte == b'-')?)
    };
    middle().is_some_and(|(process, dash)| {
        !process.is_empty()
            && process.iter().all(u8::is_ascii_digit)
            && dash.len() > 1
            && dash[1..].iter().all(u8::is_ascii_hexdigit)
    })
}

/// Removes what saves of the same file have left behind that were killed.
fn sweep(folder: &Path, stem: &OsStr) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_new_name(&entry.file_name(), stem)
            && entry.file_type().is_ok_and(|what| what.is_file())
        {
            // The lock is held until the file is gone: names are not used twice, so it is this one.
            let left = OpenOptions::new().write(true).open(entry.path());
            if let Some(_locked) = left.ok().filter(|left| left.try_lock().is_ok()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Nobody else may look at it.
#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn private(_: &mut OpenOptions) {}

/// Gives the new file the owner, the group and the permissions of the old one. An owner that the
/// system does not let us give is left out; if it is the group, its members may do what everybody
/// may.
#[cfg(unix)]
fn keep_permissions(new: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let now = new.metadata()?;
    let mut mode = old.mode() & 0o777;
    if now.uid() != old.uid() {
        let _ = fchown(new, Some(old.uid()), None);
    }
    if now.gid() != old.gid() && fchown(new, None, Some(old.gid())).is_err() {
        mode = mode & !0o070 | (mode & 0o007) << 3;
    }
    new.set_permissions(fs::Permissions::from_mode(mode))
}

/// A file that is not read-only has no others.
#[cfg(not(unix))]
fn keep_permissions(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Where a rename is noted.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
