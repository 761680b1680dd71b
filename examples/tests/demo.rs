//! The demo as a user meets it: on the command line.

use std::process::{Command, Output};

fn demo(line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lath-examples")).args(line.split_whitespace()).output().unwrap()
}

/// What the demo prints, without the one line that differs from run to run.
fn printed(line: &str) -> String {
    let output = demo(line);
    assert!(output.status.success(), "`{line}` failed:\n{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter(|line| !line.starts_with("time ")).flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn the_same_request_gives_the_same_battle() {
    let once = printed("--ships 300 --ticks 120 --seed 9");
    assert!(once.contains("invariants       hold"), "{once}");
    assert_eq!(once, printed("--seed 9 --ships 300 --ticks 120"));
    assert_ne!(once, printed("--ships 300 --ticks 120 --seed 10"));
}

#[test]
fn the_battle_is_the_same_on_any_number_of_threads() {
    let one = printed("--ships 5000 --ticks 60 --threads 1");
    for threads in [2, 3, 8] {
        assert_eq!(one, printed(&format!("--ships 5000 --ticks 60 --threads {threads}")), "{threads} threads");
    }
}

#[test]
fn the_report_names_every_system() {
    let report = printed("--ships 100 --ticks 5 --report");
    for system in ["muster", "steer", "sail", "fire", "land", "take_prizes", "sink", "launch"] {
        assert!(report.contains(system), "no {system} in\n{report}");
    }
}

#[test]
fn no_ticks_are_a_battle_too() {
    assert!(printed("--ships 2 --ticks 0").contains("2 live"));
}

#[test]
fn bad_arguments_are_refused_in_words() {
    for (line, words) in [("--ticks", "needs a number"), ("--ships 0", "2 to 1000000"), ("--fish 3", "usage:")] {
        let output = demo(line);
        assert_eq!(output.status.code(), Some(2), "`{line}`");
        assert!(String::from_utf8_lossy(&output.stderr).contains(words), "`{line}`");
    }
    assert!(demo("--help").status.success());
}
