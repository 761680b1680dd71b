//! The programs as a user meets them, without a window.

use std::path::PathBuf;
use std::process::{Command, Output};

use lath_windows::canvas::Pixels;
use lath_windows::xwd::variety;

fn run(program: &str, line: &str) -> Output {
    // A display that is not there: nobody's screen is used by accident.
    Command::new(program).args(line.split_whitespace()).env("DISPLAY", ":987").output().unwrap()
}

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("lath-windows-{name}-{}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const HIERARCHY: &str = env!("CARGO_BIN_EXE_hierarchy");
const SWARM: &str = env!("CARGO_BIN_EXE_swarm");
const SCREENSHOT: &str = env!("CARGO_BIN_EXE_screenshot");

#[test]
fn frames_are_written_without_a_window() {
    for (program, name, line) in
        [(HIERARCHY, "hierarchy", ""), (SWARM, "swarm", "--particles 20000 --tour")]
    {
        let folder = Folder::new(name);
        let output =
            run(program, &format!("{line} --frames 2 --skip 20 --out {}", folder.0.display()));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for frame in 0..2 {
            let png = std::fs::read(folder.0.join(format!("frame_{frame:04}.png"))).unwrap();
            let colors = Pixels::from_png(&png).unwrap().colors();
            assert!(!variety(&colors).is_blank(), "{name}: {:?}", variety(&colors));
        }
        let output = run(program, &format!("--svg {line} --out {}", folder.0.display()));
        assert!(output.status.success());
        assert!(
            std::fs::read_to_string(folder.0.join("frame_0000.svg")).unwrap().starts_with("<svg")
        );
    }
}

#[test]
fn without_drawing_the_times_are_printed() {
    let output = run(SWARM, "--headless --particles 5000 --frames 3 --threads 2");
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("rows") || line.starts_with("columns"))
        .collect();
    assert_eq!(rows.len(), 4, "{text}");
    assert!(text.contains("the same particles in all of them"), "{text}");
}

#[test]
fn bad_arguments_are_refused_in_words() {
    for (program, line, words) in [
        (HIERARCHY, "--fish", "unknown argument `--fish`"),
        (HIERARCHY, "--frames", "needs a number"),
        (HIERARCHY, "--frames 0", "take 1 to"),
        (HIERARCHY, "--svg", "add `--out DIR`"),
        (HIERARCHY, "--out", "needs a folder"),
        (SWARM, "--layout diagonal", "`rows` or `columns`"),
        (SWARM, "--particles 0", "take 1 to 10000000"),
        (SWARM, "--headless --threads 99", "take 1 to 64"),
        (HIERARCHY, "--out /dev/null/no", "cannot be written"),
        (HIERARCHY, "--frames 1", "--out DIR"),
        (SCREENSHOT, "", "usage:"),
        (SCREENSHOT, "no/such/file x.png", "cannot be read"),
    ] {
        let output = run(program, line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(words), "`{line}`: {said}");
        assert!(!said.contains("panicked"), "`{line}`: {said}");
    }
    for program in [HIERARCHY, SWARM] {
        let output = run(program, "--help");
        assert!(
            output.status.success() && String::from_utf8_lossy(&output.stdout).contains("--frames")
        );
    }
}
