//! An adventurer in a cellar: bags in bags, stacks, weights, hands, a chest that is smashed, a
//! torch that is made.
//!
//! Shows: one pool and two trees (what is in what, what holds what), sums over a tree (a sweep up),
//! what becomes of children when a parent goes (`Orphans::Adopt`), refusals that change nothing,
//! and a handle that knows when its thing is gone. The rules are in `rules/`, a small library to
//! copy from; the talking is in `text/`.
//!
//! Run: `cargo run --example inventory`, or with `-- --story`, which prints `story.txt`

#![forbid(unsafe_code)]

mod rules;
mod text;

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use text::{Command, Session};

const USAGE: &str = "\
usage: cargo run --example inventory [-- options]

  (none)          type commands at a prompt; `help` shows them
  --story         perform the story that comes with the demo
  --script FILE   perform the commands in a file: one on each line, `#` begins a remark; of a transcript with lines
                  that begin with `> `, those are the commands
  --help          show this

Ends with 1 if a command of a file or of a pipe was not understood.
";

/// The commands and all that they answer, as `tests/inventory.rs` compares it.
const STORY: &str = include_str!("story.txt");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        [] => talk(),
        ["--story"] => perform(STORY),
        ["--script", file] => match std::fs::read_to_string(file) {
            Ok(script) => perform(&script),
            Err(error) => Err(format!("{file} cannot be read: {error}")),
        },
        ["--script"] => Err("`--script` needs a file after it".into()),
        ["--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("inventory: unknown arguments `{}`\n\n{USAGE}", arguments.join(" "));
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(0) => ExitCode::SUCCESS,
        Ok(lines) => {
            eprintln!("inventory: {lines} of the lines were not understood");
            ExitCode::FAILURE
        }
        Err(complaint) => {
            eprintln!("inventory: {complaint}");
            ExitCode::FAILURE
        }
    }
}

/// Answers what is typed, until `quit` or the end of the input. Counts what was not understood,
/// except for people, who see it.
fn talk() -> Result<usize, String> {
    let person = io::stdin().is_terminal();
    if person {
        println!("You are in a cellar. Type `help` for the commands, `quit` to leave.");
    }
    let (mut session, mut lost) = (session()?, 0);
    let mut input = io::stdin().lock();
    loop {
        if person {
            print!("> ");
            io::stdout().flush().map_err(|error| error.to_string())?;
        }
        let mut line = Vec::new();
        let read = input
            .read_until(b'\n', &mut line)
            .map_err(|error| format!("the input cannot be read: {error}"))?;
        let line = String::from_utf8_lossy(&line);
        if read == 0 || !answer(&mut session, line.trim(), person, &mut lost) {
            return Ok(if person { 0 } else { lost });
        }
    }
}

/// Performs a script, with its commands among the answers. Counts what was not understood.
fn perform(script: &str) -> Result<usize, String> {
    let is_transcript = script.lines().any(|line| line.starts_with("> "));
    let (mut session, mut lost) = (session()?, 0);
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with('#') {
            println!("{line}");
            continue;
        }
        let command = if is_transcript { line.strip_prefix("> ") } else { Some(line) };
        let Some(line) = command else { continue };
        if !answer(&mut session, line, false, &mut lost) {
            break;
        }
    }
    Ok(lost)
}

/// Answers one line. False if it was the last.
fn answer(session: &mut Session, line: &str, person: bool, lost: &mut usize) -> bool {
    if !person && !line.is_empty() {
        println!("> {line}");
    }
    match Command::parse(line) {
        Ok(Command::Quit) => return false,
        Ok(command) => print!("{}", session.perform(command)),
        Err(complaint) => {
            *lost += 1;
            println!("{complaint}");
        }
    }
    true
}

fn session() -> Result<Session, String> {
    Session::new().map_err(|refusal| format!("the cellar could not be furnished: {refusal}"))
}
