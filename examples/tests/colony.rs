//! The showcase as a user meets it: on the command line.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder for one test, empty at first and gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lath-colony-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn colony(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_colony"));
        command.current_dir(&self.0).args(line.split_whitespace()).stdin(Stdio::null());
        command
    }

    /// What the colony prints.
    fn printed(&self, line: &str) -> String {
        let output = self.colony(line).output().unwrap();
        assert!(output.status.success(), "`{line}` failed:\n{}", text(&output.stderr));
        text(&output.stdout)
    }

    /// What it complains about, and its exit code.
    fn complaint(&self, line: &str) -> (String, Option<i32>) {
        let output: Output = self.colony(line).output().unwrap();
        (text(&output.stderr), output.status.code())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn files(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The line of the summary that begins like this. The summary comes last.
fn line<'a>(printed: &'a str, begin: &str) -> &'a str {
    printed
        .lines()
        .rev()
        .find(|line| line.starts_with(begin))
        .unwrap_or_else(|| panic!("no `{begin}` in\n{printed}"))
}

fn checksum(printed: &str) -> String {
    line(printed, "checksum").to_owned()
}

/// The number after a word in a line of the summary.
fn count(printed: &str, begin: &str, word: &str) -> u64 {
    let line = line(printed, begin);
    let after =
        line.split_once(word).unwrap_or_else(|| panic!("no `{word}` in `{line}`")).1.trim_start();
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number after `{word}` in `{line}`"))
}

#[test]
fn the_seed_decides_and_the_threads_do_not() {
    let folder = Folder::new("threads");
    let run = |more: &str| {
        checksum(&folder.printed(&format!("--headless --things 6000 --ticks 150 {more}")))
    };
    let one = run("--seed 3 --threads 1");
    for threads in [2, 3] {
        assert_eq!(run(&format!("--seed 3 --threads {threads}")), one, "{threads} threads");
    }
    assert_ne!(run("--seed 4"), one);
    assert_ne!(checksum(&folder.printed("--headless --things 6000 --ticks 151 --seed 3")), one);
    assert_eq!(folder.files(), 0, "nothing is saved that was not asked for");
}

#[test]
fn everything_happens_and_the_inventories_are_sound() {
    let folder = Folder::new("happens");
    let printed = folder.printed("--headless --things 4000 --ticks 1400 --seed 2");
    for (begin, word) in [
        ("goods", "mined"),
        ("goods", "stored"),
        ("goods", "eaten"),
        ("goods", "used"),
        ("trade", "bought"),
        ("trade", "sold"),
        ("life", "born"),
        ("life", "died"),
        ("life", "built"),
        ("life", "crashed"),
        ("life", "torn"),
        ("life", "found"),
        ("stale handles", "noticed"),
        ("things", "again"),
        ("good handles", "handles"),
    ] {
        assert!(count(&printed, begin, word) > 0, "`{word}` in\n{printed}");
    }
    let stale = line(&printed, "stale handles");
    assert!(
        !stale.contains(" 0 targets")
            && !stale.contains(" 0 offers")
            && !stale.contains(" 0 riders"),
        "{stale}"
    );
    assert!(line(&printed, "good handles").ends_with("meant, 0 to another"), "{printed}");
    assert!(line(&printed, "invariants").ends_with("hold"), "pools, trees and bins:\n{printed}");
    for system in ["think", "walk", "place", "mine", "deliver", "trade", "bury", "weigh", "ledger"]
    {
        assert!(printed.contains(system), "no {system} in\n{printed}");
    }
}

#[test]
fn a_colony_that_was_saved_and_goes_on_is_the_same_as_one_that_never_stopped() {
    let folder = Folder::new("resume");
    let options = "--headless --things 3000 --seed 5";
    let straight = checksum(&folder.printed(&format!("{options} --ticks 700")));
    // Stopped at dusk, between fixed steps, and at the very beginning.
    for ticks in [0, 7, 601, 602, 700] {
        let printed = folder.printed(&format!("{options} --save it.lath --ticks {ticks}"));
        assert!(printed.contains("saved            it.lath"), "{printed}");
    }
    let printed = folder.printed("--headless --save it.lath --ticks 700 --threads 2");
    assert!(printed.contains("goes on from it.lath at tick 700"), "{printed}");
    assert_eq!(checksum(&printed), straight);
    assert_eq!(folder.files(), 1);
}

#[test]
fn a_save_that_does_not_fit_is_named_and_left_alone() {
    let folder = Folder::new("saves");
    folder.printed("--headless --things 1000 --seed 5 --save it.lath --ticks 20");
    let whole = fs::read(folder.file("it.lath")).unwrap();
    let refused = |line: &str, part: &str| {
        let (complaint, code) = folder.complaint(line);
        assert_eq!(code, Some(1), "`{line}`: {complaint}");
        assert!(complaint.contains(part) && complaint.contains("--fresh"), "`{line}`: {complaint}");
    };
    refused(
        "--headless --save it.lath --seed 6",
        "`--seed 6`: it.lath is of the colony with seed 5",
    );
    refused("--headless --save it.lath --things 2000", "`--things 2000`: it.lath");
    refused("--headless --save it.lath --ticks 3", "`--ticks 3`: it.lath is at tick 20 already");
    assert_eq!(fs::read(folder.file("it.lath")).unwrap(), whole);

    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 4;
    for (bytes, part) in
        [(&flipped[..], "damaged"), (&whole[..whole.len() / 3], ""), (b"not a save", "not a save")]
    {
        fs::write(folder.file("it.lath"), bytes).unwrap();
        refused("--headless --save it.lath", part);
        assert_eq!(fs::read(folder.file("it.lath")).unwrap(), bytes);
    }
    let printed =
        folder.printed("--headless --things 1000 --seed 5 --save it.lath --fresh --ticks 20");
    assert!(printed.contains("is founded"), "{printed}");
    assert_eq!(
        fs::read(folder.file("it.lath")).unwrap(),
        whole,
        "the same colony is the same file"
    );
}

#[test]
fn a_recording_is_replayed_and_a_changed_one_is_noticed() {
    let folder = Folder::new("replay");
    let recorded = folder
        .printed("--headless --things 1500 --seed 9 --ticks 250 --record run.txt --threads 1");
    let replayed = folder.printed("--headless --replay run.txt --threads 2");
    assert_eq!(checksum(&replayed), checksum(&recorded));
    assert!(replayed.contains("the same, 3 times compared"), "{replayed}");

    let run = fs::read_to_string(folder.file("run.txt")).unwrap();
    let changed = |was: &str, is: &str, part: &str| {
        assert!(run.contains(was), "{run}");
        fs::write(folder.file("other.txt"), run.replacen(was, is, 1)).unwrap();
        let (complaint, code) = folder.complaint("--headless --replay other.txt");
        assert_eq!(code, Some(1), "{complaint}");
        assert!(complaint.contains(part), "{complaint}");
    };
    changed("seed 9", "seed 8", "after tick 100");
    changed("check 200", "order 150 storm\ncheck 200", "after tick 200");
    changed("end 250", "end 249", "after tick 249");
    changed("check 100", "cheque 100 extra", "line 4");
    let (complaint, code) = folder.complaint("--headless --things 1500 --record run.txt");
    assert_eq!(code, Some(1), "{complaint}");
    assert!(complaint.contains("there is such a file"), "{complaint}");
    assert_eq!(fs::read_to_string(folder.file("run.txt")).unwrap(), run);
}

#[test]
fn orders_that_were_typed_are_part_of_the_recording() {
    let folder = Folder::new("orders");
    let mut command = folder.colony("--things 1000 --ticks 90 --record run.txt");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"plague\nflood\nstorm\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let printed = text(&output.stdout);
    assert!(output.status.success() && printed.contains("there is no order `flood`"), "{printed}");
    let run = fs::read_to_string(folder.file("run.txt")).unwrap();
    assert!(run.contains("plague\n") && run.contains("storm\n"), "{run}");
    assert_eq!(checksum(&folder.printed("--headless --replay run.txt")), checksum(&printed));
}

#[test]
fn a_port_that_is_taken_is_no_obstacle_and_outside_of_a_terminal_there_are_plain_lines() {
    let folder = Folder::new("port");
    let _taken = TcpListener::bind("127.0.0.1:7878"); // by this test, or by somebody else
    let printed = folder.printed("--things 1000 --ticks 70");
    assert!(printed.contains("the inspector takes another port"), "{printed}");
    assert!(printed.contains("inspector: http://127.0.0.1:"), "{printed}");
    assert!(printed.contains("tick ") && !printed.contains('\x1b'), "{printed}");
    assert!(printed.contains("saved            colony-1-1000.lath"), "{printed}");
}

#[cfg(unix)]
#[test]
fn a_colony_that_is_interrupted_saves_and_goes_on_from_there() {
    let folder = Folder::new("interrupted");
    let mut command = folder.colony("--things 1000 --ticks 100000 --save it.lath");
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    // It goes on when it says so first, and hears of signals by then.
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut printed = String::new();
    while !printed.contains("tick ") {
        assert_ne!(output.read_line(&mut printed).unwrap(), 0, "{printed}");
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    output.read_to_string(&mut printed).unwrap();
    assert!(
        child.wait().unwrap().success() && printed.contains("saved            it.lath"),
        "{printed}"
    );
    let tick = count(&printed, "colony  ", "; tick");
    let straight = folder.printed(&format!("--headless --things 1000 --ticks {tick}"));
    assert_eq!(checksum(&straight), checksum(&printed));
    let again = folder.printed(&format!("--headless --save it.lath --ticks {tick}"));
    assert_eq!(checksum(&again), checksum(&printed));
}

#[test]
fn bad_arguments_are_refused_in_words() {
    let folder = Folder::new("arguments");
    for (line, words) in [
        ("--ticks", "`--ticks` needs a number"),
        ("--ticks many", "`--ticks many`: invalid digit"),
        ("--things 0", "`--things 0`: a colony takes 1000 to 5000000 things"),
        ("--threads 0", "`--threads 0`"),
        ("--seed -1", "`--seed -1`"),
        ("--fish 3", "usage:"),
        ("--replay a.txt --ticks 3", "`--ticks` and `--replay`"),
    ] {
        let (complaint, code) = folder.complaint(line);
        assert_eq!(code, Some(2), "`{line}`: {complaint}");
        assert!(complaint.contains(words), "`{line}`: {complaint}");
    }
    let (complaint, code) = folder.complaint("--headless --replay nowhere.txt");
    assert!(code == Some(1) && complaint.contains("`--replay nowhere.txt`"), "{complaint}");
    assert!(folder.printed("--help").contains("--replay FILE"));
    assert_eq!(folder.files(), 0);
}
