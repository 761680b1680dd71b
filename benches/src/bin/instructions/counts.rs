//! The counts that are kept in the repository, and what a new count is compared with them.

use std::fmt;
use std::path::Path;
use std::process::Command;

/// What a count may grow to before somebody has to accept it.
pub(crate) const STRICT: f64 = 1.05;
/// The same where the kept counts were made under other conditions.
pub(crate) const LOOSE: f64 = 1.5;

const ABOUT: &str = "\
# Instructions of one step of each hot path, counted by valgrind's callgrind: scripts/instructions.sh, in CI.
# Growth over 5 % is a failure until it is accepted: scripts/instructions.sh --accept writes this file anew.
";

/// What counts depend on beside the code.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Conditions {
    compiler: String,
    avx2: bool,
}

impl Conditions {
    /// Asks the compiler that is called by default, which is the one that cargo calls, and the
    /// processor.
    pub(crate) fn here() -> Result<Self, String> {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let output = Command::new(rustc)
            .arg("-vV")
            .output()
            .map_err(|error| format!("rustc does not start: {error}"))?;
        let told = String::from_utf8_lossy(&output.stdout);
        let part = |name: &str| {
            told.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("?").to_string()
        };
        #[cfg(target_arch = "x86_64")]
        let avx2 = std::arch::is_x86_feature_detected!("avx2");
        #[cfg(not(target_arch = "x86_64"))]
        let avx2 = false;
        Ok(Self { compiler: format!("rustc {} {}", part("release: "), part("host: ")), avx2 })
    }
}

impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} AVX2", self.compiler, if self.avx2 { "with" } else { "without" })
    }
}

/// Counts by the names of their cases.
#[derive(Debug, PartialEq)]
pub(crate) struct Counts {
    pub(crate) conditions: Conditions,
    counts: Vec<(String, f64)>,
}

impl Counts {
    /// Reads the kept counts. Fails on a file that is not there or makes no sense.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut conditions = None;
        let mut counts = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
            let nonsense = || format!("`{line}` is no count");
            if let Some(from) = line.strip_prefix("from ") {
                let (compiler, avx2) = from.split_once(", ").ok_or_else(nonsense)?;
                conditions =
                    Some(Conditions { compiler: compiler.to_string(), avx2: avx2 == "with AVX2" });
                continue;
            }
            let mut words = line.split_whitespace();
            match (words.next(), words.next().map(str::parse), words.next()) {
                (Some(name), Some(Ok(count)), None) => counts.push((name.to_string(), count)),
                _ => return Err(nonsense()),
            }
        }
        Ok(Self {
            conditions: conditions.ok_or("it does not say which compiler it is from")?,
            counts,
        })
    }

    /// Replaces the kept counts.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        std::fs::write(path, self.to_string())
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    pub(crate) fn of(&self, case: &str) -> Option<f64> {
        self.counts.iter().find(|(name, _)| name == case).map(|&(_, count)| count)
    }

    pub(crate) fn set(&mut self, case: &str, count: f64) {
        match self.counts.iter_mut().find(|(name, _)| name == case) {
            Some((_, old)) => *old = count,
            None => self.counts.push((case.to_string(), count)),
        }
    }

    /// Forgets cases that are gone, and puts the others in this order.
    pub(crate) fn keep_only<'a>(&mut self, cases: impl Iterator<Item = &'a str>) {
        self.counts = cases.filter_map(|case| Some((case.to_string(), self.of(case)?))).collect();
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ABOUT}from {}\n\n", self.conditions)?;
        self.counts.iter().try_for_each(|(name, count)| writeln!(f, "{name:<16} {count:>8.1}"))
    }
}

/// What became of a count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    Same,
    Grown,
    Shrunk,
    New,
}

impl Verdict {
    /// What stands beside the count.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Same => "",
            Self::Grown => "GREW",
            Self::Shrunk => "shrunk; --accept keeps it so",
            Self::New => "new",
        }
    }
}

/// Compares a count with the kept one; strictly, if it was made under the same conditions. A tenth
/// of an instruction is what the file rounds to, and no growth.
pub(crate) fn judge(now: f64, kept: f64, alike: bool) -> Verdict {
    let allowed = if alike { STRICT } else { LOOSE };
    if now > kept * allowed + 0.1 {
        Verdict::Grown
    } else if now < kept / allowed - 0.1 {
        Verdict::Shrunk
    } else {
        Verdict::Same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_over_five_percent_is_a_failure_and_less_is_not() {
        assert_eq!(judge(105.0, 100.0, true), Verdict::Same);
        assert_eq!(judge(105.2, 100.0, true), Verdict::Grown);
        assert_eq!(judge(94.0, 100.0, true), Verdict::Shrunk);
        assert_eq!(judge(0.1, 0.0, true), Verdict::Same);
    }

    #[test]
    fn another_compiler_is_compared_loosely() {
        assert_eq!(judge(149.0, 100.0, false), Verdict::Same);
        assert_eq!(judge(151.0, 100.0, false), Verdict::Grown);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let conditions = Conditions { compiler: "rustc 1.95.0 some-host".to_string(), avx2: true };
        let counts = Counts {
            conditions,
            counts: vec![("get".to_string(), 10.5), ("spawn".to_string(), 61.0)],
        };
        assert_eq!(Counts::parse(&counts.to_string()), Ok(counts));
    }

    #[test]
    fn a_file_that_makes_no_sense_is_refused() {
        assert!(Counts::parse("get 10").unwrap_err().contains("which compiler"));
        assert!(Counts::parse("from rustc, with AVX2\nget ten").unwrap_err().contains("`get ten`"));
        assert!(
            Counts::parse("from rustc, with AVX2\nget 10 11").unwrap_err().contains("`get 10 11`")
        );
    }

    #[test]
    fn accepting_forgets_cases_that_are_gone() {
        let mut counts = Counts::parse("from rustc, with AVX2\ngone 1\nget 10").unwrap();
        counts.set("get", 9.0);
        counts.set("spawn", 60.0);
        counts.keep_only(["spawn", "get"].into_iter());
        assert_eq!(counts.to_string().lines().last(), Some("get                   9.0"));
        assert_eq!((counts.of("gone"), counts.of("spawn")), (None, Some(60.0)));
    }

    #[test]
    fn the_kept_counts_are_those_of_the_cases() {
        let kept =
            Counts::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.txt")).unwrap();
        let names: Vec<_> = kept.counts.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, crate::cases::CASES.iter().map(|case| case.name).collect::<Vec<_>>());
    }
}
