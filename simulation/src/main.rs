//! Plays for so many seconds: `world SECONDS [SEED]`. Fresh memory is filled with poison.

use std::process::ExitCode;

use lath_simulation::command;
use lath_simulation::poison::Poisoned;

#[global_allocator]
static POISONED: Poisoned = Poisoned;

fn main() -> ExitCode {
    command::run()
}
