//! lath beside an older lath: every row in which lath takes part, each of its candidates beside the
//! same candidate on the old crates, round by round in one process.
//!
//! `scripts/before.sh` writes the package around this file: `lath_peers` is the library of the
//! comparison as it is, `lath_peers_before` the same sources linked against the old crates.

use std::collections::HashMap;
use std::process::ExitCode;

use lath_peers::Counting;
use lath_peers::workload::{Bar, Candidate, Trial, Unit, Workload};
use lath_peers_before::workload as before;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many times as long as before a row may take: what is less is within the noise.
const AT_MOST: f64 = 1.05;

fn main() -> ExitCode {
    let mut old: HashMap<String, Vec<before::Candidate>> = lath_peers_before::all()
        .into_iter()
        .map(|workload| (workload.name, workload.candidates))
        .collect();
    let rows = lath_peers::all().into_iter();
    let rows = rows.filter(|row| !row.only_when_named && row.unit != Unit::BuildSeconds);
    let rows = rows.filter_map(|row| {
        let old = old.remove(&row.name).unwrap_or_default();
        beside(row, old)
    });
    lath_peers::main(rows.collect())
}

/// The row with nobody in it but raw, lath, and lath before; nothing if lath is not in it.
fn beside(mut row: Workload, mut old: Vec<before::Candidate>) -> Option<Workload> {
    let mut bars = Vec::new();
    let mut candidates = Vec::new();
    for candidate in row.candidates {
        let Some(rest) = candidate.name.strip_prefix("lath") else {
            if candidate.name == "raw" {
                candidates.push(candidate);
            }
            continue;
        };
        let Some(place) = old.iter().position(|old| old.name == candidate.name) else { continue };
        let before = old.swap_remove(place);
        let name: &'static str = format!("lath-before{rest}").leak();
        bars.push(Bar { candidate: candidate.name, against: name, at_most: AT_MOST });
        candidates.push(candidate);
        let build = before.build;
        candidates.push(Candidate { name, build: Box::new(move || Box::new(Old(build()))) });
    }
    if bars.is_empty() {
        return None;
    }
    row.bars = bars.leak();
    row.candidates = candidates;
    Some(row)
}

/// A trial of the old crates, to those who measure the new ones.
struct Old(Box<dyn before::Trial>);

impl Trial for Old {
    fn prepare(&mut self) {
        self.0.prepare();
    }

    fn run(&mut self) {
        self.0.run();
    }

    fn answer(&mut self) -> u64 {
        self.0.answer()
    }

    fn failure(&mut self) -> Option<String> {
        self.0.failure()
    }

    fn note(&self) -> Option<String> {
        self.0.note()
    }
}
