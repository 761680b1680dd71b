//! `docs/SAFETY.md` has a row for all unsafe code: the blocks and impls of every file are counted,
//! here and there.
//!
//! That is all that this notices: a block that nobody has looked at. It cannot tell whether the
//! reasoning of a row is right. Only the test that a row names can, and only if somebody has broken
//! the code on purpose and seen it fail.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Blocks and impls.
type Count = [usize; 2];

#[test]
fn every_unsafe_block_and_impl_has_a_row_in_the_audit() {
    let listed = listed();
    let mut wrong = Vec::new();
    let mut found = BTreeMap::new();
    for source in sources(&root().join("crates")) {
        let name = source.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
        let count = count(&fs::read_to_string(&source).unwrap());
        if count != [0, 0] {
            found.insert(name, count);
        }
    }
    for (file, [blocks, impls]) in &found {
        let [listed_blocks, listed_impls] = listed.get(file).copied().unwrap_or_default();
        if (*blocks, *impls) != (listed_blocks, listed_impls) {
            wrong.push(format!(
                "{file} has {blocks} blocks and {impls} impls, the rows say {listed_blocks} and {listed_impls}"
            ));
        }
    }
    wrong.extend(
        listed
            .keys()
            .filter(|file| !root().join(file).exists())
            .map(|file| format!("{file} is not there")),
    );
    let unused =
        listed.iter().filter(|(file, count)| **count != [0, 0] && !found.contains_key(*file));
    wrong.extend(unused.map(|(file, _)| format!("{file} has rows, but no unsafe code")));
    assert!(
        wrong.is_empty(),
        "look at what is new: which obligation, which invariant, which test? Then write it down in docs/SAFETY.md:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_sums_are_those_of_the_rows() {
    let text = audit();
    let [blocks, impls] =
        listed().values().fold([0, 0], |[b, i], [blocks, impls]| [b + blocks, i + impls]);
    let prose = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        prose.contains(&format!("There are {blocks} blocks and {impls} impls.")),
        "{blocks} blocks, {impls} impls"
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().parent().unwrap().to_path_buf()
}

fn audit() -> String {
    fs::read_to_string(root().join("docs/SAFETY.md")).unwrap()
}

/// What the rows of each file add up to.
fn listed() -> BTreeMap<String, Count> {
    let text = audit();
    let (_, table) = text.split_once("## The table").expect("there is a table");
    let mut listed = BTreeMap::new();
    for row in table.split("\n## ").next().unwrap().lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [file, blocks, impls] = [cells[1].trim_matches('`'), cells[2], cells[3]];
        let counted: &mut Count = listed.entry(file.to_owned()).or_default();
        counted[0] += blocks.parse::<usize>().expect("a number of blocks");
        counted[1] += impls.parse::<usize>().expect("a number of impls");
        assert!(cells[4..7].iter().all(|cell| !cell.is_empty()), "an empty cell: {row}");
    }
    listed
}

/// The sources of the libraries.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            all.extend(sources(&entry));
        } else if entry.extension().is_some_and(|ending| ending == "rs")
            && entry.iter().any(|part| part == "src")
        {
            all.push(entry);
        }
    }
    all.sort();
    all
}

/// Blocks and impls, comments left out.
fn count(source: &str) -> Count {
    // Put together here, so that this file is not found by itself.
    let signs = ["{", "impl"].map(|word| ["unsafe", word].join(" "));
    let code: Vec<&str> =
        source.lines().map(|line| line.split("//").next().unwrap_or(line)).collect();
    signs.map(|sign| code.iter().map(|line| line.matches(&sign).count()).sum())
}
