//! Files: read whole, and replaced whole or not at all.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::SaveError;

/// Bytes between two calls about progress.
const CHUNK: usize = 1 << 20;

pub(super) fn read(path: &Path) -> Result<Vec<u8>, SaveError> {
    fs::read(path).map_err(|error| SaveError::Io { doing: "reading", path: path.into(), error })
}

/// Replaces a file: a new one beside it is written, brought to the disk, and renamed. `done` hears
/// how many bytes were written.
pub(super) fn replace(
    path: &Path,
    bytes: &[u8],
    done: &mut dyn FnMut(u64),
) -> Result<(), SaveError> {
    let io = |doing, path: &Path| {
        let path = path.to_path_buf();
        move |error| SaveError::Io { doing, path, error }
    };
    let no_file = || io::Error::new(io::ErrorKind::InvalidInput, "it has no file name");
    let name = path.file_name().ok_or_else(no_file).map_err(io("writing to", path))?;
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let beside = Beside(folder.join(beside_name(name)));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&beside.0)
        .map_err(io("creating", &beside.0))?;
    let mut written = 0;
    for chunk in bytes.chunks(CHUNK) {
        file.write_all(chunk).map_err(io("writing to", &beside.0))?;
        written += chunk.len() as u64;
        if written < bytes.len() as u64 {
            done(written);
        }
    }
    file.sync_all().map_err(io("bringing to the disk", &beside.0))?;
    drop(file);
    fs::rename(&beside.0, path).map_err(io("renaming to", path))?;
    std::mem::forget(beside);
    sync_folder(folder).map_err(io("bringing to the disk", folder))?;
    done(written);
    sweep(folder, name);
    Ok(())
}

/// The new file: removed again, unless it takes its place.
struct Beside(PathBuf);

impl Drop for Beside {
    fn drop(&mut self) {
        // Whatever went wrong is being reported already.
        let _ = fs::remove_file(&self.0);
    }
}

/// `.evening.lath.1234-0.new`: of this process, and of no other save that it writes at the same
/// time.
fn beside_name(name: &std::ffi::OsStr) -> OsString {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let mut beside = OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}-{}.new", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    beside
}

/// Where a rename is noted.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Removes what processes have left behind that were killed while they wrote the same save. Where
/// it cannot be told whether a process is still there, everything stays.
fn sweep(folder: &Path, name: &std::ffi::OsStr) {
    let (Some(name), true) = (name.to_str(), Path::new("/proc/self").exists()) else { return };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let left = file
            .to_str()
            .and_then(|file| file.strip_prefix('.')?.strip_prefix(name)?.strip_prefix('.'));
        let process =
            left.and_then(|left| left.strip_suffix(".new")?.split('-').next()?.parse::<u32>().ok());
        if process.is_some_and(|id| !Path::new(&format!("/proc/{id}")).exists()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
