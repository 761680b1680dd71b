//! The program `lath`: looks into saves.
//!
//! `lath save-info FILE` says which pools and resources are in a save, how many things, which
//! fields, and how large they are.

use std::process::ExitCode;

use lath_snapshot::SaveInfo;

const USAGE: &str = "usage: lath save-info FILE";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["save-info", path] => match SaveInfo::from_file(path) {
            Ok(info) => {
                print!("{info}");
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("{path}: {error}");
                ExitCode::FAILURE
            }
        },
        ["--help" | "-h"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
