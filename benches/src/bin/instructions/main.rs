//! Counts the instructions of one step of each hot path, with valgrind's callgrind, and compares
//! them with those that are kept in `benches/instructions.txt`. The counts are the same on every
//! run, however busy the machine.
//!
//! ```text
//! scripts/instructions.sh [CASE…]      count, compare, fail on growth over 5 %
//! scripts/instructions.sh --accept     count, and keep the new counts
//! ```
//!
//! Each case runs twice in a process of its own, with different numbers of rounds. The difference
//! of the two counts, divided by the steps that lie between them, is what one step takes, whatever
//! the set-up.
//!
//! Compilers differ, and so do processors: where the kept counts are from another compiler, or
//! where AVX2 is there for one and not for the other, only growth over 50 % fails.

mod callgrind;
mod cases;
mod counts;

use std::path::PathBuf;
use std::process::ExitCode;

use cases::{CASES, Case};
use counts::{Conditions, Counts, Verdict};

const USAGE: &str = "\
usage: instructions [CASE…] [--accept] [--list]

  CASE      count only these; none: all of them
  --accept  keep what was counted, in benches/instructions.txt
  --list    show the cases
  --help    show this
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(complaint) => {
            eprintln!("instructions: {complaint}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode, String> {
    // What callgrind counts.
    if let ["--run", name, rounds] = arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        let rounds = rounds.parse().map_err(|_| format!("`{rounds}` is no number of rounds"))?;
        (case(name)?.run)(rounds);
        return Ok(ExitCode::SUCCESS);
    }
    let (mut accept, mut chosen) = (false, Vec::new());
    for argument in arguments {
        match argument.as_str() {
            "--accept" => accept = true,
            "--list" => {
                CASES.iter().for_each(|case| println!("{:<16} {}", case.name, case.about));
                return Ok(ExitCode::SUCCESS);
            }
            "--help" | "-h" => {
                print!("{USAGE}");
                return Ok(ExitCode::SUCCESS);
            }
            option if option.starts_with('-') => {
                return Err(format!("unknown option `{option}`\n\n{USAGE}"));
            }
            name => chosen.push(case(name)?),
        }
    }
    if chosen.is_empty() {
        chosen.extend(CASES);
    }
    count(&chosen, accept)
}

fn case(name: &str) -> Result<&'static Case, String> {
    CASES
        .iter()
        .find(|case| case.name == name)
        .ok_or_else(|| format!("no case is called `{name}`; --list shows them all"))
}

/// Counts the chosen cases, then compares them with the kept counts or replaces those.
fn count(chosen: &[&Case], accept: bool) -> Result<ExitCode, String> {
    let here = Conditions::here()?;
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("instructions.txt");
    let mut kept = Counts::read(&path)?;
    let alike = kept.conditions == here;
    if !alike && !accept {
        println!("The kept counts are from {}; here is {here}.", kept.conditions);
        println!("So only growth over {:.0} % fails.", (counts::LOOSE - 1.0) * 100.0);
    }
    println!("{:<16} {:>10} {:>10}", "case", "now", "kept");
    let mut grown = Vec::new();
    let mut new = Vec::new();
    for case in chosen {
        let now = callgrind::per_step(case)?;
        let (shown, verdict) = match kept.of(case.name) {
            None => ("–".to_string(), Verdict::New),
            Some(before) => (format!("{before:.1}"), counts::judge(now, before, alike)),
        };
        println!(
            "{:<16} {now:>10.1} {shown:>10}  {}",
            case.name,
            if accept { "" } else { verdict.word() }
        );
        match verdict {
            Verdict::Grown => grown.push(case.name),
            Verdict::New => new.push(case.name),
            Verdict::Same | Verdict::Shrunk => {}
        }
        if accept {
            kept.set(case.name, now);
        }
    }
    if accept {
        if !alike && chosen.len() < CASES.len() {
            return Err(format!(
                "the kept counts are from {}: accept all of them, or none",
                kept.conditions
            ));
        }
        kept.keep_only(CASES.iter().map(|case| case.name));
        kept.conditions = here;
        kept.write(&path)?;
        println!("kept in benches/instructions.txt");
        return Ok(ExitCode::SUCCESS);
    }
    if grown.is_empty() && new.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    for (names, what) in [(grown, "grew"), (new, "not kept yet")] {
        if !names.is_empty() {
            eprintln!("instructions: {what}: {}", names.join(", "));
        }
    }
    eprintln!(
        "If that is meant to be: scripts/instructions.sh --accept, and say why in the commit."
    );
    Ok(ExitCode::FAILURE)
}
