//! Puts many mutants into one copy of the code, each behind a switch, and runs the tests once per
//! mutant.
//!
//! `cargo mutants --list --json` says what to change. A copy is changed so that every mutant is a
//! branch: `a + b` becomes `(if on(7) { a - b } else { a + b })`. What does not compile in that
//! form is taken out again and listed. The tests are then built once, and run for each mutant with
//! its number in `LATH_MUTANT`: test by test those that reach the branch, quick ones first, until
//! one fails.
//!
//! Usage: lath-mutants LIST.json COPY RESULTS SECONDS FILE…

mod instrument;
mod runs;

use instrument::{Chunk, Mutant};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

const REFUSED: &str = "does not compile as a branch";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [list, copy, results, seconds, files @ ..] = &arguments[..] else {
        panic!("usage: lath-mutants LIST.json COPY RESULTS SECONDS FILE…")
    };
    let copy = Path::new(copy);
    let mutants = instrument::read(Path::new(list));
    // What does not compile as a branch, from the last time.
    let kept = Path::new(results).with_file_name("refused.txt");
    let known = std::fs::read_to_string(&kept).unwrap_or_default();
    let known: BTreeSet<&str> = known.lines().collect();
    let mut out: BTreeMap<u32, &str> = mutants
        .iter()
        .filter(|mutant| known.contains(mutant.name.as_str()))
        .map(|mutant| (mutant.id, REFUSED))
        .collect();
    let originals: BTreeMap<String, String> = mutants
        .iter()
        .map(|mutant| mutant.file.clone())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|file| (file.clone(), std::fs::read_to_string(&file).expect("a source")))
        .collect();
    let mut early = BTreeSet::new();
    for round in 1.. {
        let mut chunks = BTreeMap::new();
        for (file, source) in &originals {
            // Only the files that were asked for: less to compile, and quicker tests.
            let asked = files.is_empty() || files.contains(file);
            let own = mutants
                .iter()
                .filter(|mutant| mutant.file == *file && !out.contains_key(&mutant.id));
            let own: Vec<&Mutant> = own.filter(|_| asked).collect();
            let rewritten = instrument::instrument(source, file, &own);
            out.extend(rewritten.out);
            early.extend(rewritten.early);
            write(&copy.join(file), &rewritten.text);
            chunks.insert(file.clone(), rewritten.chunks);
        }
        add_switch(copy);
        let refused = compile(copy, &chunks);
        println!("round {round}: {} mutants do not compile", refused.len());
        if refused.is_empty() {
            break;
        }
        out.extend(refused.into_iter().map(|id| (id, REFUSED)));
    }
    let refused = mutants.iter().filter(|mutant| out.get(&mutant.id) == Some(&REFUSED));
    std::fs::write(kept, refused.map(|mutant| format!("{}\n", mutant.name)).collect::<String>())
        .expect("written");
    runs::run(
        copy,
        Path::new(results),
        &mutants,
        (&out, &early),
        seconds.parse().expect("seconds"),
        files,
    );
}

/// Writes a file, unless it is there already: it would be compiled anew.
fn write(path: &Path, text: &str) {
    if std::fs::read_to_string(path).is_ok_and(|there| there == text) {
        return;
    }
    std::fs::write(path, text).expect("written");
}

fn add_switch(copy: &Path) {
    let folder = copy.join("crates/lath-core/src");
    write(&folder.join("mutant.rs"), include_str!("switch.rs"));
    let lib = std::fs::read_to_string(folder.join("lib.rs")).expect("lib.rs");
    if !lib.contains("pub mod mutant;") {
        let lib = format!(
            "#![feature(core_intrinsics, const_eval_select)]\n{lib}\n#[doc(hidden)] pub mod mutant;\n"
        );
        std::fs::write(folder.join("lib.rs"), lib).expect("written");
    }
}

/// The mutants that the compiler complains about.
fn compile(copy: &Path, chunks: &BTreeMap<String, Vec<Chunk>>) -> BTreeSet<u32> {
    let output = Command::new("cargo")
        .args([
            "check",
            "--message-format=json",
            "-p",
            "lath-core",
            "-p",
            "lath-soa",
            "--all-features",
        ])
        .current_dir(copy)
        .output()
        .expect("cargo");
    let mut refused = BTreeSet::new();
    let mut unplaced = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let message = &message["message"];
        if message["level"] != "error" {
            continue;
        }
        let mut spans: Vec<_> = message["spans"].as_array().into_iter().flatten().collect();
        spans.sort_by_key(|span| span["is_primary"] != true);
        let place = |span: &&serde_json::Value| {
            let at = span["byte_start"].as_u64()? as usize;
            let found = chunks.get(span["file_name"].as_str()?)?;
            found.iter().find(|chunk| chunk.range.contains(&at)).map(|chunk| chunk.id)
        };
        match spans.iter().find_map(place) {
            Some(id) => _ = refused.insert(id),
            // A match that is not complete without its last arm.
            None if message["code"]["code"] == "E0004" => {
                let file = spans
                    .iter()
                    .find_map(|span| chunks.get(span["file_name"].as_str()?))
                    .expect("a file");
                refused.extend(file.iter().filter(|chunk| chunk.is_arm).map(|chunk| chunk.id));
            }
            None if !spans.is_empty() => unplaced.push(message["rendered"].to_string()),
            None => {}
        }
    }
    if refused.is_empty() && !output.status.success() {
        panic!(
            "the copy does not compile: {unplaced:#?}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    refused
}
