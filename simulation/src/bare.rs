//! As `world`, with memory as the system gives it: for memcheck, which takes what was filled for
//! written.

use std::process::ExitCode;

use lath_simulation::command;

fn main() -> ExitCode {
    command::run()
}
