//! The documents, as the tests read them.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files below `folder` that end in `extension`, relative to the root, in order.
pub(crate) fn below(folder: &str, extension: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|its| its == extension) {
                files.push(path.to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    files.sort();
    files
}

pub(crate) fn documents() -> Vec<String> {
    let mut documents = below("docs", "md");
    documents.extend(["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(String::from));
    documents
}

/// The text without its fenced blocks, and the blocks that are marked as `text`.
pub(crate) fn separate(text: &str) -> (String, String) {
    let (mut prose, mut drawings) = (String::new(), String::new());
    let mut fence = None;
    for line in text.lines() {
        match (line.trim_start().strip_prefix("```"), fence) {
            (Some(language), None) => fence = Some(language),
            (Some(_), Some(_)) => fence = None,
            (None, None) => prose.extend([line, "\n"]),
            (None, Some("text")) => drawings.extend([line, "\n"]),
            (None, Some(_)) => {}
        }
    }
    (prose, drawings)
}

/// The targets of links.
pub(crate) fn links(prose: &str) -> Vec<&str> {
    prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}
