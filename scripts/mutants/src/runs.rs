//! Runs the tests once per mutant.

use crate::instrument::Mutant;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The tests that play games or try odd things. Others would take long to build, and notice little that these do not.
const TESTS: [(&str, &[&str]); 4] = [
    (
        "lath-core",
        &[
            "model",
            "fixed_model",
            "tree",
            "bad_input",
            "panics",
            "retirement",
            "clusters",
            "threads",
            "systems",
            "handles",
            "far_slots",
        ],
    ),
    ("lath-soa", &["attacks", "model", "tree", "views", "changes", "panics", "threads", "leaks"]),
    ("lath-snapshot", &["images", "memory", "saves", "hostile", "attacks", "refused_states", "text"]),
    ("lath-schedule", &["attacks", "commands", "random_schedules", "hooks"]),
];

struct Binary {
    name: String,
    path: PathBuf,
    folder: PathBuf,
    took: Duration,
    reaches: Vec<u8>,
}

enum Outcome {
    Passed,
    Failed,
    TooLong,
}

pub fn run(copy: &Path, results: &Path, mutants: &[Mutant], out: &BTreeMap<u32, &str>, seconds: u64, files: &[String]) {
    let start = Instant::now();
    let mut binaries = build(copy);
    let trace = std::env::temp_dir().join(format!("lath-trace-{}", std::process::id()));
    for binary in &mut binaries {
        // What it reached, and how long it took, is kept from the last time.
        let kept = binary.path.with_extension("trace");
        let time = binary.path.with_extension("took");
        if !kept.exists() {
            let began = Instant::now();
            let outcome = one(binary, &[("LATH_TRACE", trace.to_str().expect("a path"))], Duration::from_secs(300));
            assert!(matches!(outcome, Outcome::Passed), "{} fails without a mutant", binary.name);
            let began_again = Instant::now();
            assert!(
                matches!(one(binary, &[], Duration::from_secs(300)), Outcome::Passed),
                "{} fails now and then",
                binary.name
            );
            println!("{:>8.2} s  {}", began.elapsed().as_secs_f64(), binary.name);
            std::fs::write(&time, began_again.elapsed().as_secs_f64().to_string()).expect("written");
            std::fs::write(&kept, std::fs::read(&trace).unwrap_or_default()).expect("written");
            _ = std::fs::remove_file(&trace);
        }
        binary.took = Duration::from_secs_f64(std::fs::read_to_string(time).expect("kept").parse().expect("seconds"));
        binary.reaches = std::fs::read(kept).expect("kept");
        binary.reaches.resize(16384, 0);
    }
    // Quick ones first, but those of threads last among the quick: there a fault is often a wait without end.
    binaries
        .sort_by_key(|binary| (binary.took > Duration::from_secs(3), binary.name.ends_with("threads"), binary.took));

    let quick = std::env::var("LATH_QUICK")
        .map_or(Duration::MAX, |text| Duration::from_secs_f64(text.parse().expect("seconds")));
    let done = std::fs::read_to_string(results).unwrap_or_default();
    let done: BTreeSet<&str> = done.lines().filter_map(|line| line.split('\t').nth(2)).collect();
    let mut report = std::fs::File::options().append(true).create(true).open(results).expect("a file for results");
    let place = |mutant: &Mutant| files.iter().position(|file| *file == mutant.file);
    let mut selected: Vec<_> = mutants.iter().filter(|mutant| files.is_empty() || place(mutant).is_some()).collect();
    selected.sort_by_key(|mutant| place(mutant)); // stable
    // Every so many first, from each file, then the ones after these, and so on.
    let every = std::env::var("LATH_EVERY").map_or(1, |text| text.parse().expect("a number"));
    selected.sort_by_key(|mutant| mutant.id % every); // stable
    selected.retain(|mutant| !done.contains(mutant.name.as_str()));
    for mutant in selected {
        let mut line = String::new();
        if let Some(why) = out.get(&mutant.id) {
            write!(line, "out\t{why}").expect("text");
        } else if start.elapsed() > Duration::from_secs(seconds) {
            break;
        } else {
            let reaching = binaries.iter().filter(|binary| binary.reaches[mutant.id as usize] != 0);
            // Slow ones only if there is no quick one, unless everything was asked for.
            let reaching: Vec<_> = reaching.collect();
            let quick = reaching.iter().filter(|binary| binary.took < quick).count();
            let reaching = reaching.into_iter().take(quick.max(1));
            let mut result = "unreached\t-".to_owned();
            for binary in reaching {
                let limit = Duration::from_secs(5).max(binary.took * 6);
                match one(binary, &[("LATH_MUTANT", &mutant.id.to_string())], limit) {
                    Outcome::Passed => result = "missed\t-".to_owned(),
                    Outcome::Failed => result = format!("caught\t{}", binary.name),
                    Outcome::TooLong => result = format!("hung\t{}", binary.name),
                }
                if !result.starts_with("missed") {
                    break;
                }
            }
            line = result;
        }
        writeln!(report, "{line}\t{}", mutant.name).expect("written");
    }
    println!("done, or out of time, after {} s", start.elapsed().as_secs());
}

fn build(copy: &Path) -> Vec<Binary> {
    let mut command = Command::new("cargo");
    command.args(["test", "--no-run", "--message-format=json", "--all-features", "--lib"]).current_dir(copy);
    for (package, tests) in TESTS {
        command.args(["-p", package]).args(tests.iter().flat_map(|test| ["--test", test]));
    }
    let output = command.stderr(Stdio::inherit()).output().expect("cargo");
    assert!(output.status.success(), "the tests do not build");
    let mut found = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let (Some(path), Some(manifest)) = (message["executable"].as_str(), message["manifest_path"].as_str()) else {
            continue;
        };
        if message["profile"]["test"] != true {
            continue; // a program
        }
        let folder = Path::new(manifest).parent().expect("a folder");
        let name = message["target"]["name"].as_str().expect("a name");
        let package = folder.file_name().expect("a name").to_str().expect("text");
        found.push(Binary {
            name: format!("{package} {name}"),
            path: copy.join(path),
            folder: folder.to_owned(),
            took: Duration::ZERO,
            reaches: Vec::new(),
        });
    }
    found
}

/// Runs the tests of one binary, up to the first that fails.
fn one(binary: &Binary, environment: &[(&str, &str)], limit: Duration) -> Outcome {
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -v 12000000; exec \"$0\" 2>/dev/null"]) // a mutant may ask for memory without end
        .arg(&binary.path)
        .envs(environment.iter().copied())
        .current_dir(&binary.folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a test");
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let (tell, hear) = mpsc::channel();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| tell.send(line)));
    // A while in which this program did not run either, as when everything was paused, does not count.
    let (mut left, moment) = (limit, Duration::from_millis(100));
    loop {
        let began = Instant::now();
        let heard = hear.recv_timeout(moment);
        left = left.saturating_sub(began.elapsed().min(2 * moment));
        match heard {
            Ok(line) if line.starts_with("test ") && line.ends_with("FAILED") => {
                _ = child.kill();
                _ = child.wait();
                return Outcome::Failed;
            }
            Ok(_) => {}
            Err(mpsc::RecvTimeoutError::Timeout) if left > Duration::ZERO => {}
            Err(mpsc::RecvTimeoutError::Timeout) => {
                _ = child.kill();
                _ = child.wait();
                return Outcome::TooLong;
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let status = child.wait().expect("it was started");
                return if status.success() { Outcome::Passed } else { Outcome::Failed };
            }
        }
    }
}
