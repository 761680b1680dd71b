//! Every example prints exactly what the comment at the end of its source says.
//!
//! `cargo test` builds the examples beside the tests; after `cargo test --test expected_output`
//! alone they may be missing or old.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const HEADING: &str = "// Expected output:";

#[test]
fn every_example_prints_what_its_source_says() {
    let sources = sources();
    assert!(!sources.is_empty());
    for source in sources {
        let name = source.file_stem().unwrap().to_str().unwrap();
        let output = Command::new(built(name)).output().unwrap_or_else(|error| {
            panic!("{name} could not be run ({error}): `cargo test -p lath-examples` builds it");
        });
        assert!(
            output.status.success(),
            "{name} failed:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let printed = String::from_utf8(output.stdout).unwrap();
        let expected = expected(&source);
        assert!(
            printed == expected,
            "{name} printed\n\n{printed}\nwhere {} says\n\n{expected}",
            source.display()
        );
    }
}

#[test]
fn every_rung_of_the_ladder_is_a_small_story() {
    let rungs = sources()
        .into_iter()
        .filter(|source| source.file_name().unwrap().to_str().unwrap().starts_with('0'));
    let words = ["handles", "pool", "tree", "columns", "view", "systems", "commands", "snapshot"];
    let names = rungs.clone().map(|rung| rung.file_stem().unwrap().to_str().unwrap().to_string());
    let expected = words.iter().zip(1..).map(|(word, rung)| format!("0{rung}_{word}"));
    assert!(names.eq(expected), "one rung for each of {words:?}, in this order");
    for rung in rungs {
        let text = fs::read_to_string(&rung).unwrap();
        let (story, _) = text.split_once(HEADING).unwrap();
        let lines = story.trim_end().lines().count();
        assert!(
            (40..=140).contains(&lines),
            "{} has {lines} lines before its output",
            rung.display()
        );
        for part in ["//! Shows: ", "//! Run: `cargo run --example ", "\nfn main() ", "assert"] {
            assert!(text.contains(part), "{} has no `{part}`", rung.display());
        }
    }
}

/// The examples' sources, in order.
fn sources() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut sources: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    sources.sort();
    sources
}

/// Where cargo puts the example: this test runs in `deps`, beside which there is `examples`.
fn built(name: &str) -> PathBuf {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    deps.with_file_name("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION)
}

/// The lines of the comment at the end of the source.
fn expected(source: &Path) -> String {
    let text = fs::read_to_string(source).unwrap();
    let Some((_, block)) = text.split_once(HEADING) else {
        panic!("{} does not end with `{HEADING}`", source.display());
    };
    let lines = block.trim_start_matches(['\r', '\n']).lines().map(|line| {
        let line = line
            .strip_prefix("//")
            .unwrap_or_else(|| panic!("`{line}` follows the output of {}", source.display()));
        line.strip_prefix(' ').unwrap_or(line)
    });
    // The first line only sets the output off from the heading.
    lines.skip(1).flat_map(|line| [line, "\n"]).collect()
}
