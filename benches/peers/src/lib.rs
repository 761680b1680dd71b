//! lath beside its peers: every workload, every candidate, in one process, as ratios to
//! hand-written code.
//!
//! ```text
//! cargo run --release -p lath-peers -- [workload…] [--json | --markdown] [--svg DIR] [--quick] [--check] [--list]
//! ```
//!
//! The entity component systems, indextree and soa-rs take a while to build;
//! `--no-default-features` leaves them out. flecs, which needs a C compiler besides, comes with
//! `--features flecs`.
//!
//! A workload is named in full (`lookup-stale`) or by the start of its name (`spawn`); none means
//! all of them.
//!
//! # How it measures
//!
//! - All candidates of a workload run **interleaved, round by round**, the order turned and
//!   mirrored between rounds, so that a noisy neighbour hurts everyone alike.
//! - A short run is repeated within its round and the median taken, so that it finds its own data
//!   in the caches and not its predecessor's; runs of a millisecond and more are long enough to
//!   bring their data in.
//! - Every run ends in an **answer** that is compared with `raw`'s: a fast wrong answer is not a
//!   result but a failure.
//! - The figure of a candidate is the median over the rounds, with the quartiles as its spread. Its
//!   **ratio** is the median of *its time ÷ raw's time in the same round*; on this kind of machine,
//!   gaps under 15 % are ties.
//! - The row in bytes counts what is asked of the allocator; nothing is timed there. `build` counts
//!   the processor time of compilers (`build_cost`), and is measured only when it is named.
//! - `raw` is what an expert would write by hand for this one workload; each file in `candidates/`
//!   says how it is built. The peers are written the way their own documentation recommends for
//!   speed.
//! - Plain `--release`, default target: no flags that a user of the library would not have.
//! - **Freed pages stay in the process** (`keep_pages`): otherwise the kernel clearing fresh pages
//!   takes most of the time of a million spawns, for every candidate, and what is left says little
//!   about the containers.
//!
//! How to add a candidate, a workload or a form of output: `benches/peers/README.md`.

mod arguments;
mod build_cost;
mod candidates;
mod cores;
mod heap;
mod keep_pages;
mod measure;
#[cfg(feature = "ecs")]
mod parts;
mod progress;
mod report;
mod spread;
mod store;
mod things;
pub mod workload;
mod workloads;

use std::process::ExitCode;

use arguments::Request;
pub use heap::Counting;
use workload::{Bar, Workload};
pub use workloads::all;

/// Reads the command line, measures those of `workloads` that it names, and prints what came out.
///
/// The program that calls this has [`Counting`] for its allocator.
pub fn main(workloads: Vec<Workload>) -> ExitCode {
    let request = Request::parse(std::env::args().skip(1));
    match request.and_then(|request| run(request, workloads)) {
        Ok(verdict) => verdict,
        Err(complaint) => {
            eprintln!("lath-peers: {complaint}");
            ExitCode::from(2)
        }
    }
}

/// Does what was asked for. Fails on requests that make no sense and on wrong answers.
fn run(request: Request, all: Vec<Workload>) -> Result<ExitCode, String> {
    if request.help {
        print!("{}", arguments::USAGE);
        return Ok(ExitCode::SUCCESS);
    }
    if request.list && request.workloads.is_empty() {
        print!("{}", report::text::list(&all));
        return Ok(ExitCode::SUCCESS);
    }
    let chosen = workloads::matching(all, &request.workloads)?;
    if request.list {
        print!("{}", report::text::list(&chosen));
        return Ok(ExitCode::SUCCESS);
    }

    keep_pages::keep_pages();
    let mut outcomes = Vec::new();
    for (i, workload) in chosen.iter().enumerate() {
        let progress = progress::Progress::start(&workload.name, i + 1, chosen.len());
        let outcome = measure::measure(workload, request.effort(), &progress)?;
        progress.finish();
        if !request.json && !request.markdown {
            print!("{}", report::text::outcome(&outcome));
        }
        outcomes.push(outcome);
    }
    if !request.json && !request.markdown && outcomes.len() > 1 {
        print!("{}", report::text::bars(&outcomes));
    }
    if request.json {
        println!("{}", report::json::document(&outcomes));
    }
    if request.markdown {
        print!("{}", report::markdown::document(&outcomes));
    }
    if let Some(folder) = &request.svg {
        report::svg::write(folder, &outcomes)?;
    }

    let mut missed = 0;
    for outcome in &outcomes {
        for verdict in outcome.verdicts().iter().filter(|verdict| !verdict.holds()) {
            missed += 1;
            let Bar { candidate, at_most, .. } = verdict.bar;
            let against = verdict.against;
            let name = &outcome.workload.name;
            eprintln!(
                "missed: {name}: {candidate} is at {:.2} of {against}, should be {at_most:.2}",
                verdict.measured
            );
        }
    }
    Ok(if request.check && missed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
