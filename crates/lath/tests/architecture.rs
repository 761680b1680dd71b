//! The map agrees with the land: what the README, the guide and `docs/ARCHITECTURE.md` name is
//! there, every file with `unsafe` in it is on the list, and every invariant has a row.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use common::{below, documents, links, read, root, separate};

#[test]
fn every_file_that_the_documents_name_exists() {
    let mut missing = Vec::new();
    for document in documents() {
        let folder = root().join(&document).parent().unwrap().to_path_buf();
        let bases = [vec![folder, root()], short_bases()].concat();
        let text = read(&document);
        let (prose, drawings) = separate(&text);
        for path in
            code_spans(&prose).into_iter().chain(words(&drawings)).filter(|span| is_path(span))
        {
            if !bases.iter().any(|base| is_there(base, path)) {
                missing.push(format!("{document} names `{path}`"));
            }
        }
    }
    assert!(missing.is_empty(), "no such file:\n{}", missing.join("\n"));
}

#[test]
fn every_file_with_unsafe_code_begins_with_a_reason_and_is_on_the_list() {
    let map = read("docs/ARCHITECTURE.md");
    let listed: BTreeSet<&str> = rows(&map, "## Where unsafe lives")
        .into_iter()
        .flat_map(|row| code_spans(row).into_iter().next())
        .collect();
    let mut found = BTreeSet::new();
    // The derive has such code in its templates, not among its own.
    for source in
        library_sources().into_iter().filter(|source| !source.starts_with("crates/lath-derive/"))
    {
        let text = read(&source);
        if has_unsafe_code(&text) {
            assert!(
                gives_a_reason(&text),
                "{source} has unsafe code and does not begin with a reason for it"
            );
            found.insert(source);
        }
    }
    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    let unlisted: Vec<_> = found.difference(&listed).collect();
    let outdated: Vec<_> = listed.difference(&found).collect();
    assert!(unlisted.is_empty(), "not in the table of docs/ARCHITECTURE.md: {unlisted:?}");
    assert!(
        outdated.is_empty(),
        "in the table of docs/ARCHITECTURE.md, but without unsafe code: {outdated:?}"
    );
}

#[test]
fn every_invariant_has_a_row() {
    let map = read("docs/ARCHITECTURE.md");
    let cell =
        |row: &str| row.trim_matches('|').split('|').next().map(|cell| cell.trim().to_string());
    let listed: BTreeSet<String> = rows(&map, "## Invariants")
        .into_iter()
        .filter_map(cell)
        .filter(|name| is_invariant(name))
        .collect();
    let mut stated = BTreeSet::new();
    for source in library_sources() {
        for line in read(&source).lines() {
            let name = line
                .strip_prefix("//! - **")
                .and_then(|rest| rest.split_once("**"))
                .map(|(name, _)| name);
            if let Some(name) = name.filter(|name| is_invariant(name)) {
                assert!(
                    stated.insert(name.to_string()),
                    "{name} is stated twice, the second time in {source}"
                );
            }
        }
    }
    assert_eq!(
        stated, listed,
        "the invariants that the sources state, and those in the table of docs/ARCHITECTURE.md"
    );
}

#[test]
fn every_name_of_the_core_is_in_the_facade() {
    let [core, facade] = ["crates/lath-core/src/lib.rs", "crates/lath/src/lib.rs"].map(read);
    let is_type = |word: &&str| word.starts_with(|c: char| c.is_ascii_uppercase());
    let known: BTreeSet<&str> =
        facade.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_type).collect();
    for exported in core.split("\npub use ").skip(1).filter_map(|rest| rest.split(';').next()) {
        for name in exported.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_type) {
            assert!(
                known.contains(name) || name.starts_with("Core"),
                "`{name}` is missing from crates/lath/src/lib.rs"
            );
        }
    }
}

#[test]
fn the_tests_own_eyes_are_good() {
    let (prose, drawings) = separate(
        "see `a/b.rs`\n```text\n x ▶ c.rs\n```\nand [d](e.md) too\n```rust\nlet f = \"g.rs\";\n```\n",
    );
    assert_eq!(code_spans(&prose), ["a/b.rs"]);
    assert_eq!(
        words(&drawings).into_iter().filter(|word| is_path(word)).collect::<Vec<_>>(),
        ["c.rs"]
    );
    assert_eq!(links(&prose), ["e.md"]);
    for (before, after, expected) in [
        ("let x = ", " { y };", true),
        ("", " impl Send for X {}", true),
        ("// ", " { in a comment }", false),
        ("#![forbid(", "_code)]", false),
    ] {
        assert_eq!(
            has_unsafe_code(&format!("{before}unsafe{after}")),
            expected,
            "{before}…{after}"
        );
    }
    assert!(
        gives_a_reason("#![expect(\n    unsafe_code,\n    reason = \"so\"\n)]")
            && !gives_a_reason("#![expect(unused)]")
    );
    assert!(
        !is_path("and/or else")
            && !is_path("Pool::get")
            && is_path("tests/*.rs")
            && is_path("docs/")
    );
    assert!(
        is_there(&root(), "crates/lath/src/*.rs") && !is_there(&root(), "crates/lath/src/*.py")
    );
}

/// The sources of the libraries; in tests and benches the compiler's lint has the last word.
fn library_sources() -> Vec<String> {
    below("crates", "rs").into_iter().filter(|source| source.contains("/src/")).collect()
}

/// What stands between back-ticks.
fn code_spans(prose: &str) -> Vec<&str> {
    prose.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

fn words(drawings: &str) -> Vec<&str> {
    drawings
        .split_whitespace()
        .map(|word| word.trim_matches(','))
        .filter(|word| word.ends_with(".rs"))
        .collect()
}

/// Whether a word means a file or a folder: it has a slash or a known ending, and no characters
/// that paths do not have.
fn is_path(word: &str) -> bool {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./*".contains(c));
    let ending = [".rs", ".md", ".toml", ".sh"].iter().any(|ending| word.ends_with(ending));
    plain && word.len() > 1 && (word.contains('/') || ending)
}

/// Where names without a folder may be: `handle.rs` in the sources of a crate, `pass/generics.rs`
/// among the cases of a test.
fn short_bases() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    crates
        .flat_map(|folder| [folder.join("src"), folder.join("tests"), folder.join("tests/derive")])
        .collect()
}

/// Whether a path leads somewhere; a `*` stands for anything within its last part.
fn is_there(base: &Path, path: &str) -> bool {
    let (folder, last) = path.trim_end_matches('/').rsplit_once('/').unwrap_or(("", path));
    match last.split_once('*') {
        None => base.join(path).exists(),
        Some((start, end)) => fs::read_dir(base.join(folder)).is_ok_and(|entries| {
            entries.flatten().any(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                name.starts_with(start) && name.ends_with(end)
            })
        }),
    }
}

/// The rows of the first table below a heading, without its own.
fn rows<'a>(document: &'a str, heading: &str) -> Vec<&'a str> {
    let (_, section) =
        document.split_once(heading).unwrap_or_else(|| panic!("no section `{heading}`"));
    let table = section
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'));
    table.skip(2).collect()
}

/// A letter and a number, such as `P1`.
fn is_invariant(name: &str) -> bool {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_uppercase());
    digits.len() + 1 == name.len()
        && !digits.is_empty()
        && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// Whether a source begins with the attribute that allows unsafe code and says why; a long one is
/// on several lines.
fn gives_a_reason(source: &str) -> bool {
    let start: String = source.split_whitespace().take(8).collect();
    // Where a file has none on other processors, for this one.
    let start = start
        .strip_prefix("#![cfg_attr(target_arch=\"x86_64\",")
        .map_or(start.clone(), |rest| format!("#![{rest}"));
    start.starts_with("#![expect(unsafe_code,reason=")
}

/// Whether there is unsafe code outside comments.
fn has_unsafe_code(source: &str) -> bool {
    // Put together here, so that this file is not found by itself.
    let signs = ["{", "impl", "fn", "trait", "extern"].map(|word| ["unsafe", word].join(" "));
    let code = source.lines().map(|line| line.split("//").next().unwrap_or(line));
    code.into_iter().any(|line| signs.iter().any(|sign| line.contains(sign)))
}
