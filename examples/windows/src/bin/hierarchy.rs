//! A solar system and a crane in a window: poses that follow from those of their parents.
//!
//! Run: `cargo run --release -p lath-windows --bin hierarchy`

#![forbid(unsafe_code)]

use std::process::ExitCode;

use lath_windows::arguments::Show;
use lath_windows::hierarchy::Hierarchy;
use lath_windows::show::{main as run_main, show};

const USAGE: &str = "\
usage: cargo run --release -p lath-windows --bin hierarchy [-- options]

A solar system and a crane: space pauses, d takes a planet away, r starts again, escape ends.

";

fn main() -> ExitCode {
    run_main("hierarchy", USAGE, || {
        let how = Show::parse(std::env::args().skip(1), |_, _| Ok(false))?;
        if how.help {
            return Ok(false);
        }
        show(&mut Hierarchy::new(), &how).map(|()| true)
    })
}
