//! The guide holds together: every page can be found, every link leads somewhere, and every block
//! of Rust is compiled and run.

mod common;

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use common::{below, documents, links, read, root, separate};

#[test]
fn every_page_is_in_the_summary_once() {
    let mut pages = below("docs", "md");
    pages.retain(|page| page != "docs/SUMMARY.md");
    let summary = read("docs/SUMMARY.md");
    let mut listed: Vec<String> =
        links(&summary).into_iter().map(|page| format!("docs/{page}")).collect();
    listed.sort();
    assert_eq!(listed, pages, "left: what docs/SUMMARY.md lists, right: what is in the folder");
}

#[test]
fn every_link_leads_to_a_file_and_every_anchor_to_a_heading() {
    let mut broken = Vec::new();
    for document in documents() {
        let (prose, _) = separate(&read(&document));
        for target in links(&prose).into_iter().filter(|target| !target.contains("://")) {
            if let Err(why) = follow(&document, target) {
                broken.push(format!("{document} links to {target}: {why}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_page_with_rust_in_it_is_compiled_and_run() {
    let with_rust: BTreeSet<String> = documents()
        .into_iter()
        .filter(|document| fences(&read(document)).iter().any(|it| is_rust(it)))
        .collect();
    let facade = read("crates/lath/src/lib.rs");
    let included: BTreeSet<String> = facade
        .split("include_str!(\"../../../")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().into())
        .collect();
    assert_eq!(
        with_rust, included,
        "left: pages with Rust in them, right: those in `guide` of crates/lath/src/lib.rs"
    );
}

#[test]
fn every_block_says_what_it_is_and_no_rust_is_left_out() {
    // A server that goes on for ever.
    let may_be_left_unrun = ["docs/inspector.md"];
    for document in documents() {
        for fence in fences(&read(&document)) {
            let known = match fence.as_str() {
                "rust" | "rust,compile_fail" | "text" | "sh" | "toml" | "mermaid" => true,
                "rust,no_run" => may_be_left_unrun.contains(&document.as_str()),
                _ => false,
            };
            assert!(
                known,
                "{document} has a block marked `{fence}`: a test should run it, or it should be `text`"
            );
        }
    }
}

#[test]
fn every_point_of_the_sources_leads_to_a_page() {
    let text = read("docs/sources.md");
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| point "));
    let unlinked: Vec<_> = rows.clone().filter(|row| links(row).is_empty()).collect();
    assert!(
        rows.count() > 20 && unlinked.is_empty(),
        "no link to where it is explained:\n{}",
        unlinked.join("\n")
    );
}

#[test]
fn the_readme_begins_with_a_short_program_and_three_claims_that_name_their_proof() {
    let readme = read("README.md");
    let (_, rest) = readme.split_once("```rust\n").unwrap();
    let (program, rest) = rest.split_once("```").unwrap();
    let length = program.lines().filter(|line| !line.trim().is_empty()).count();
    assert!(length <= 16, "the first program has {length} lines");
    let (claims, _) = rest.split_once("\n## ").unwrap();
    let claims: Vec<_> = claims.split("\n- ").skip(1).collect();
    assert_eq!(claims.len(), 3);
    assert!(claims.iter().all(|claim| claim.contains("/tests/")), "every claim names a test");
}

#[test]
fn the_tests_own_eyes_are_good() {
    assert_eq!(anchor("## The same bytes"), "the-same-bytes");
    assert_eq!(anchor("# One `each`, followed: `Pool::get`"), "one-each-followed-poolget");
    assert_eq!(fences("```rust\nx\n```\n\n```\ny\n```\n"), ["rust", ""]);
    assert_eq!(headings("# A\n```text\n# no heading\n```\n## A\n"), ["a", "a-1"]);
    assert!(
        follow("docs/trees.md", "pools.md#memory").is_ok()
            && follow("README.md", "docs/pools.md").is_ok()
    );
    for bad in ["pools.md#no-such-heading", "no-such-page.md", "#no-such-heading", "../README.md"] {
        assert!(follow("docs/trees.md", bad).is_err(), "{bad}");
    }
}

/// Whether a link in a document leads somewhere, or why not.
fn follow(document: &str, target: &str) -> Result<(), String> {
    let (path, anchor) =
        target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let page = if path.is_empty() {
        document.into()
    } else {
        resolve(Path::new(document).parent().unwrap(), path)
    };
    if !root().join(&page).exists() {
        return Err("there is no such file".into());
    }
    if document.starts_with("docs/") && !page.starts_with("docs/") {
        return Err("it leads out of the book; name the file in back-ticks instead".into());
    }
    match anchor {
        Some(anchor) if !headings(&read(&page)).iter().any(|heading| heading == anchor) => Err(
            format!("{page} has no such heading; it has: {}", headings(&read(&page)).join(", ")),
        ),
        _ => Ok(()),
    }
}

/// The path from the root, without `..`.
fn resolve(folder: &Path, path: &str) -> String {
    let mut parts = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir => _ = parts.pop(),
            other => parts.push(other),
        }
    }
    parts.to_str().unwrap().replace('\\', "/")
}

/// The anchors of a page's headings, as mdBook and code forges make them.
fn headings(page: &str) -> Vec<String> {
    let (prose, _) = separate(page);
    let mut anchors: Vec<String> = Vec::new();
    for heading in prose
        .lines()
        .filter(|line| line.trim_start_matches('#').starts_with(' ') && line.starts_with('#'))
    {
        let plain = anchor(heading);
        let before = anchors
            .iter()
            .filter(|it| **it == plain || it.starts_with(&format!("{plain}-")))
            .count();
        let taken = anchors.contains(&plain);
        anchors.push(if taken { format!("{plain}-{before}") } else { plain });
    }
    anchors
}

/// `## The same bytes` → `the-same-bytes`
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// What the fenced blocks of a page are marked as.
fn fences(page: &str) -> Vec<String> {
    page.lines()
        .filter_map(|line| line.trim_start().strip_prefix("```"))
        .step_by(2)
        .map(String::from)
        .collect()
}

fn is_rust(fence: &str) -> bool {
    fence.is_empty() || fence.starts_with("rust")
}
