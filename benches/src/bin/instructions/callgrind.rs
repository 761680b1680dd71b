//! Runs a case under callgrind.

use std::process::Command;

use crate::cases::Case;

/// How many rounds the shorter and the longer run have.
const FEW: u32 = 4;
pub(crate) const MANY: u32 = 12;

/// The instructions of one step of `case`.
pub(crate) fn per_step(case: &Case) -> Result<f64, String> {
    let [few, many] = [instructions(case, FEW)?, instructions(case, MANY)?];
    let between = many
        .checked_sub(few)
        .ok_or_else(|| format!("{}: more rounds took fewer instructions", case.name))?;
    Ok(between as f64 / f64::from((MANY - FEW) * case.steps))
}

/// All instructions of a process that runs `case`.
fn instructions(case: &Case, rounds: u32) -> Result<u64, String> {
    let me = std::env::current_exe().map_err(|error| format!("where am I? {error}"))?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(me)
        .args(["--run", case.name, &rounds.to_string()])
        .output()
        .map_err(|error| format!("valgrind does not start: {error}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    let collected = told.lines().find_map(|line| line.split_once("Collected :"));
    match collected.and_then(|(_, count)| count.trim().parse().ok()) {
        Some(count) if output.status.success() => Ok(count),
        _ => Err(format!("{}: valgrind failed:\n{told}", case.name)),
    }
}
