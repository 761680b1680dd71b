//! Runs the tests once per mutant.

use crate::instrument::Mutant;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

/// The tests that play games, try odd things, refuse memory or count it. Those of other crates
/// would take long to build, and notice little that these do not.
const TESTS: [(&str, &[&str]); 4] = [
    (
        "lath-core",
        &[
            "addresses",
            "allocations",
            "attacks",
            "bad_input",
            "clusters",
            "crew",
            "despawn",
            "far_slots",
            "fixed_model",
            "handles",
            "model",
            "odd_types",
            "panics",
            "retirement",
            "systems",
            "threads",
            "tree",
            "tree_allocations",
            "tree_edges",
            "tree_threads",
        ],
    ),
    (
        "lath-soa",
        &[
            "attacks", "changes", "leaks", "marks", "model", "panics", "refusals", "threads",
            "tree", "views",
        ],
    ),
    (
        "lath-snapshot",
        &[
            "attacks",
            "blocks",
            "differences",
            "extents",
            "hostile",
            "images",
            "memory",
            "refused_states",
            "saves",
            "text",
        ],
    ),
    ("lath-schedule", &["attacks", "commands", "hooks", "random_schedules"]),
];

/// A test that takes longer than one of these is run after all that do not.
const ROUNDS: [Duration; 4] = [
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::MAX,
];

struct Binary {
    name: String,
    path: PathBuf,
    folder: PathBuf,
    tests: Vec<Test>,
}

struct Test {
    name: String,
    took: Duration,
    reaches: Vec<u8>,
}

enum Outcome {
    Passed,
    Failed(String),
    TooLong,
}

pub fn run(
    copy: &Path,
    results: &Path,
    mutants: &[Mutant],
    (out, early): (&BTreeMap<u32, &str>, &BTreeSet<u32>),
    seconds: u64,
    files: &[String],
) {
    let start = Instant::now();
    let mut binaries = build(copy);
    binaries.iter_mut().for_each(trace);
    let tests = binaries.iter().flat_map(|binary| &binary.tests);
    println!(
        "{} tests, {:.1?} together",
        tests.clone().count(),
        tests.map(|test| test.took).sum::<Duration>()
    );

    let quick = std::env::var("LATH_QUICK")
        .map_or(Duration::MAX, |text| Duration::from_secs_f64(text.parse().expect("seconds")));
    let done = std::fs::read_to_string(results).unwrap_or_default();
    let done: BTreeSet<&str> = done.lines().filter_map(|line| line.split('\t').nth(2)).collect();
    let report = std::fs::File::options()
        .append(true)
        .create(true)
        .open(results)
        .expect("a file for results");
    let place = |mutant: &Mutant| files.iter().position(|file| *file == mutant.file);
    let mut selected: Vec<_> =
        mutants.iter().filter(|mutant| files.is_empty() || place(mutant).is_some()).collect();
    selected.sort_by_key(|mutant| place(mutant)); // stable
    // Every so many first, from each file, then the ones after these, and so on.
    let every = std::env::var("LATH_EVERY").map_or(1, |text| text.parse().expect("a number"));
    selected.sort_by_key(|mutant| mutant.id % every); // stable
    selected.retain(|mutant| !done.contains(mutant.name.as_str()));
    let jobs = std::env::var("LATH_JOBS").map_or(1, |text| text.parse().expect("a number"));
    let (selected, report) = (Mutex::new(selected.into_iter()), Mutex::new(report));
    let work = || {
        let mut order: Vec<&Binary> = binaries.iter().collect();
        loop {
            let Some(mutant) = selected.lock().expect("nobody panics").next() else { return };
            let line = match out.get(&mutant.id) {
                Some(why) => format!("out\t{why}"),
                None if start.elapsed() > Duration::from_secs(seconds) => continue,
                None => match meet(&mut order, mutant.id, quick) {
                    line if line.starts_with("unreached") && early.contains(&mutant.id) => {
                        "out\tcomputed at compile time".to_owned()
                    }
                    line => line,
                },
            };
            writeln!(report.lock().expect("nobody panics"), "{line}\t{}", mutant.name)
                .expect("written");
        }
    };
    std::thread::scope(|scope| (0..jobs).for_each(|_| _ = scope.spawn(work)));
    println!("done, or out of time, after {} s", start.elapsed().as_secs());
}

/// Runs the tests that reach the mutant, quick ones first, until one fails.
fn meet(binaries: &mut [&Binary], mutant: u32, quick: Duration) -> String {
    let mut result = "unreached\t-".to_owned();
    let mut shortest = Duration::ZERO;
    for longest in ROUNDS {
        for at in 0..binaries.len() {
            let binary = binaries[at];
            let tests: Vec<&Test> = binary
                .tests
                .iter()
                .filter(|test| {
                    (shortest..longest).contains(&test.took) && test.reaches[mutant as usize] != 0
                })
                // Slow ones only if there is no quick one, unless everything was asked for.
                .filter(|test| test.took < quick || result.starts_with("unreached"))
                .collect();
            if tests.is_empty() {
                continue;
            }
            let limit = tests.iter().map(|test| test.took).sum::<Duration>() * 6;
            let names: Vec<&str> = tests.iter().map(|test| test.name.as_str()).collect();
            match one(binary, &names, &[("LATH_MUTANT", &mutant.to_string())], limit) {
                Outcome::Passed => {
                    result = "missed\t-".to_owned();
                    continue;
                }
                Outcome::Failed(test) => result = format!("caught\t{} {test}", binary.name),
                Outcome::TooLong => result = format!("hung\t{}", binary.name),
            }
            // What noticed this one is likely to notice the next, which is often in the same
            // function.
            binaries[..=at].rotate_right(1);
            return result;
        }
        shortest = longest;
    }
    result
}

fn build(copy: &Path) -> Vec<Binary> {
    let mut command = Command::new("cargo");
    command
        .args(["test", "--no-run", "--message-format=json", "--all-features", "--lib"])
        .current_dir(copy);
    let crates = std::env::var("LATH_CRATES").ok();
    let wanted = |package: &str| {
        crates.as_ref().is_none_or(|names| names.split_whitespace().any(|name| name == package))
    };
    for (package, tests) in TESTS.into_iter().filter(|(package, _)| wanted(package)) {
        command.args(["-p", package]).args(tests.iter().flat_map(|test| ["--test", test]));
    }
    let output = command.stderr(Stdio::inherit()).output().expect("cargo");
    assert!(output.status.success(), "the tests do not build");
    let mut found = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let (Some(path), Some(manifest)) =
            (message["executable"].as_str(), message["manifest_path"].as_str())
        else {
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
            tests: Vec::new(),
        });
    }
    found
}

/// Finds which mutants each test of a binary reaches, and how long it takes; kept until the binary
/// is another one.
fn trace(binary: &mut Binary) {
    let listed =
        Command::new(&binary.path).args(["--list", "--format", "terse"]).output().expect("a test");
    let changed = |path: &Path| std::fs::metadata(path).and_then(|found| found.modified()).ok();
    for line in String::from_utf8_lossy(&listed.stdout).lines() {
        let Some(name) = line.strip_suffix(": test") else { continue };
        let kept = binary.path.with_extension(format!("{}.trace", name.replace("::", "-")));
        if changed(&kept) < changed(&binary.path) {
            let limit = Duration::from_secs(300);
            let text = kept.to_str().expect("a path");
            _ = std::fs::remove_file(&kept);
            let outcome = one(binary, &[name], &[("LATH_TRACE", text)], limit);
            assert!(
                matches!(outcome, Outcome::Passed),
                "{} {name} fails without a mutant",
                binary.name
            );
            let began = Instant::now();
            let outcome = one(binary, &[name], &[], limit);
            assert!(
                matches!(outcome, Outcome::Passed),
                "{} {name} fails now and then",
                binary.name
            );
            let took = u64::try_from(began.elapsed().as_micros()).expect("not that long");
            let mut reaches = std::fs::read(&kept).unwrap_or_default();
            reaches.resize(16384, 0);
            reaches.extend(took.to_le_bytes());
            std::fs::write(&kept, reaches).expect("written");
        }
        let mut reaches = std::fs::read(kept).expect("kept");
        let took = reaches.split_off(16384).try_into().expect("a number");
        let took = Duration::from_micros(u64::from_le_bytes(took));
        binary.tests.push(Test { name: name.to_owned(), took, reaches });
    }
}

/// Runs some tests of one binary, up to the first that fails.
///
/// The limit is one of processor time, as the machine may be busy with other things. A test that
/// waits for ever takes none; it is over when it has not got on for a while.
fn one(binary: &Binary, tests: &[&str], environment: &[(&str, &str)], limit: Duration) -> Outcome {
    let limit = limit.as_secs().max(2).to_string();
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -c 0; ulimit -v 12000000; ulimit -S -t $0; exec \"$@\" 2>/dev/null"]) // a mutant may ask for memory without end
        .arg(limit)
        .arg(&binary.path)
        .arg("--exact")
        .args(tests)
        .envs(environment.iter().copied())
        .current_dir(&binary.folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a test");
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let (tell, hear) = mpsc::channel();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| tell.send(line)));
    let (mut used, mut idle) = (0, 0);
    loop {
        match hear.recv_timeout(Duration::from_millis(100)) {
            Ok(line) => {
                if let Some(name) =
                    line.strip_prefix("test ").and_then(|line| line.strip_suffix(" ... FAILED"))
                {
                    end(&mut child);
                    return Outcome::Failed(name.to_owned());
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let now = processor_time(&child);
                idle = if now == used { idle + 1 } else { 0 };
                used = now;
                if idle == 60 {
                    end(&mut child);
                    return Outcome::TooLong;
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let status = child.wait().expect("it was started");
                return match status.signal() {
                    Some(24) => Outcome::TooLong, // SIGXCPU
                    Some(signal) => Outcome::Failed(format!("(signal {signal})")),
                    None if status.success() => Outcome::Passed,
                    None => Outcome::Failed(String::new()),
                };
            }
        }
    }
}

fn end(child: &mut Child) {
    _ = child.kill();
    _ = child.wait();
}

/// How many ticks of the clock a process has used.
fn processor_time(child: &Child) -> u64 {
    let line = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let fields = line.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum() // after the name: in the program, in the system
}
