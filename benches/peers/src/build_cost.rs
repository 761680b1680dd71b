//! What it costs to build a library from nothing: the processor time of `cargo build --release` in
//! an empty target folder, and how many crates come along.
//!
//! Each library is the only dependency of an empty package in a temporary folder, at the versions
//! of this workspace's `Cargo.lock`, with default features unless the name says otherwise.
//! Processor time, not time on the clock: it does not depend on how many cores there are, and
//! little on what else they do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workload::Trial;

/// Which library to build.
#[derive(Clone, Copy)]
pub(crate) enum Library {
    /// A line of `[dependencies]`.
    Peer(&'static str),
    Lath,
}

/// Builds a library anew with every run.
pub(crate) struct Build {
    library: Library,
    /// The package; nothing if it could not be made.
    folder: Option<PathBuf>,
    crates: usize,
    failure: Option<String>,
}

impl Build {
    /// Makes a package called `name` that depends on the library, and fetches what it needs.
    pub(crate) fn new(name: &'static str, library: Library) -> Self {
        let folder = std::env::temp_dir().join(format!(
            "lath-build-{}-{}",
            std::process::id(),
            name.replace(' ', "-")
        ));
        let mut build = Self { library, folder: Some(folder), crates: 0, failure: None };
        if let Err(failure) = build.set_up() {
            build.failure = Some(format!("{name}: {failure}"));
        }
        build
    }

    fn set_up(&mut self) -> Result<(), String> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let dependency = match self.library {
            Library::Peer(line) => line.to_string(),
            Library::Lath => format!("lath = {{ path = {:?} }}", workspace.join("crates/lath")),
        };
        let manifest = format!(
            "[package]\nname = \"scratch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{dependency}\n"
        );
        let folder = self.folder.as_deref().ok_or("no folder")?;
        let written = fs::create_dir_all(folder.join("src"))
            .and_then(|()| fs::write(folder.join("Cargo.toml"), manifest))
            .and_then(|()| fs::write(folder.join("src/lib.rs"), ""))
            .and_then(|()| fs::copy(workspace.join("Cargo.lock"), folder.join("Cargo.lock")));
        written.map_err(|error| format!("{}: {error}", folder.display()))?;
        cargo(folder, &["fetch"])?;
        let tree =
            cargo(folder, &["tree", "--offline", "--prefix", "none", "--edges", "normal,build"])?;
        self.crates = count_crates(&tree);
        Ok(())
    }

    fn build(&self) -> Result<String, String> {
        cargo(self.folder.as_deref().ok_or("no folder")?, &["build", "--release", "--offline"])
    }
}

impl Trial for Build {
    fn prepare(&mut self) {
        if let Some(folder) = &self.folder {
            // It is not there the first time.
            let _ = fs::remove_dir_all(folder.join("target"));
        }
    }

    fn run(&mut self) {
        if self.failure.is_none() {
            self.failure = self.build().err();
        }
    }

    fn answer(&mut self) -> u64 {
        0
    }

    fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    fn note(&self) -> Option<String> {
        Some(format!("{} crates", self.crates))
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            // What cannot be removed stays in the temporary folder.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Runs cargo in a folder, as if there were no settings but the user's own, and returns what it
/// prints.
fn cargo(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .args(arguments)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("RUSTC_WRAPPER", "");
    let output = command.output().map_err(|error| format!("cargo does not start: {error}"))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`cargo {}` failed:\n{told}", arguments.join(" ")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The packages that `cargo tree --prefix none` names, without the one that depends on them all.
fn count_crates(tree: &str) -> usize {
    let mut names: Vec<&str> = tree.lines().skip(1).filter(|line| !line.is_empty()).collect();
    names.iter_mut().for_each(|line| *line = line.trim_end_matches(" (*)"));
    names.sort_unstable();
    names.dedup();
    names.len()
}

/// Seconds of processor time of all processes that this one started and that have ended, theirs
/// included; nothing where the system does not tell.
pub(crate) fn children_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is a name in brackets that may hold anything. After it, the 14th and 15th
    // are what is looked for, in hundredths of a second.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = |place: usize| fields.get(place)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_counted_once_and_without_the_package_itself() {
        let tree = "scratch v0.0.0 (/tmp/x)\nhecs v0.11.2\nhashbrown v0.17.1\nfoldhash v0.2.0\nhashbrown v0.17.1 (*)\n";
        assert_eq!(count_crates(tree), 3);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_time_of_a_child_is_counted_when_it_has_ended() {
        let before = children_seconds().unwrap();
        let work = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", work]).status().unwrap().success());
        assert!(children_seconds().unwrap() > before);
    }
}
