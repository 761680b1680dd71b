//! Recordings: a run as lines of text, to be run again and compared.
//!
//! ```text
//! recording of a colony, format 1
//! seed 1
//! things 5000
//! order 37 plague              before tick 38
//! check 100 0123456789abcdef   the checksum after tick 100
//! end 600 0123456789abcdef
//! ```

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::founding::Charter;
use crate::orders::Order;

const HEADING: &str = "recording of a colony, format 1";
/// How often a checksum is noted, in ticks.
pub(crate) const CHECK_EVERY: u64 = 100;

/// Writes a run down while it happens.
pub(crate) struct Recorder(BufWriter<File>);

impl Recorder {
    /// Begins a new file. One that is there already is left alone.
    pub(crate) fn create(path: &Path, charter: Charter) -> Result<Self, String> {
        let file = File::create_new(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                format!("`--record {}`: there is such a file: take another name", path.display())
            }
            _ => format!("`--record {}`: {error}", path.display()),
        })?;
        let mut recorder = Self(BufWriter::new(file));
        recorder
            .line(format_args!("{HEADING}\nseed {}\nthings {}", charter.seed, charter.things))?;
        Ok(recorder)
    }

    pub(crate) fn order(&mut self, tick: u64, order: Order) -> Result<(), String> {
        self.line(format_args!("order {tick} {order}"))
    }

    pub(crate) fn check(&mut self, tick: u64, checksum: u64) -> Result<(), String> {
        self.line(format_args!("check {tick} {checksum:016x}"))
    }

    pub(crate) fn end(&mut self, tick: u64, checksum: u64) -> Result<(), String> {
        self.line(format_args!("end {tick} {checksum:016x}"))
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) -> Result<(), String> {
        let written = writeln!(self.0, "{line}").and_then(|()| self.0.flush());
        written.map_err(|error| format!("the recording cannot be written: {error}"))
    }
}

/// A run as it was written down.
#[derive(Debug, PartialEq)]
pub(crate) struct Recording {
    pub(crate) charter: Charter,
    pub(crate) orders: Vec<(u64, Order)>,
    pub(crate) checks: Vec<(u64, u64)>,
    pub(crate) ticks: u64,
}

impl Recording {
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("`--replay {}`: {error}", path.display()))?;
        Self::parse(&text).map_err(|problem| format!("`--replay {}`: {problem}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate().map(|(number, line)| (number + 1, line));
        if lines.next().is_none_or(|(_, heading)| heading != HEADING) {
            return Err(format!("not a recording: it does not begin with `{HEADING}`"));
        }
        let mut value = |name: &str| {
            let (number, line) = lines.next().ok_or("the recording is cut off")?;
            let value = line.strip_prefix(name).and_then(|value| value.trim().parse::<u64>().ok());
            value.ok_or_else(|| format!("line {number} is `{line}`, not `{name} NUMBER`"))
        };
        let (seed, things) = (value("seed")?, value("things")?);
        let things = u32::try_from(things).ok().filter(|things| Charter::THINGS.contains(things));
        let things = things.ok_or("line 3: a colony takes 1000 to 5000000 things")?;
        let charter = Charter { seed, things };
        let mut recording = Self { charter, orders: Vec::new(), checks: Vec::new(), ticks: 0 };
        let mut latest = 0;
        for (number, line) in lines {
            let wrong = |problem: String| format!("line {number} is `{line}`: {problem}");
            let [what, tick, rest] = line.split(' ').collect::<Vec<_>>()[..] else {
                return Err(wrong(
                    "not `order TICK NAME`, `check TICK CHECKSUM` or `end TICK CHECKSUM`".into(),
                ));
            };
            let tick: u64 = tick.parse().map_err(|error| wrong(format!("{error}")))?;
            if tick < latest {
                return Err(wrong(format!("it comes after tick {latest}")));
            }
            latest = tick;
            if what == "order" {
                recording.orders.push((tick, rest.parse().map_err(wrong)?));
                continue;
            }
            let checksum =
                u64::from_str_radix(rest, 16).map_err(|error| wrong(format!("{error}")))?;
            recording.checks.push((tick, checksum));
            if what == "end" {
                recording.ticks = tick;
                return Ok(recording);
            }
        }
        Err("the recording is cut off: it has no `end`".into())
    }

    /// Compares the colony after a tick with what was written down, if something was.
    pub(crate) fn compare(&self, tick: u64, checksum: impl Fn() -> u64) -> Result<(), String> {
        for (place, &(_, expected)) in
            self.checks.iter().enumerate().filter(|(_, check)| check.0 == tick)
        {
            let found = checksum();
            if expected != found {
                let before = self.checks[..place].last().map_or(0, |&(tick, _)| tick);
                return Err(format!(
                    "the replay differs: after tick {tick} the recording has the checksum {expected:016x}, and this run \
                     {found:016x}. At tick {before} they agreed: what differs happened in between, or the recording was changed"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "recording of a colony, format 1\nseed 7\nthings 2000\norder 3 storm\ncheck 100 0f\nend 120 10\n";

    #[test]
    fn a_recording_is_read_as_it_was_written() {
        let expected = Recording {
            charter: Charter { seed: 7, things: 2000 },
            orders: vec![(3, Order::Storm)],
            checks: vec![(100, 15), (120, 16)],
            ticks: 120,
        };
        assert_eq!(Recording::parse(GOOD), Ok(expected));
    }

    #[test]
    fn what_is_wrong_with_a_recording_is_said_with_the_line() {
        for (was, is, part) in [
            ("format 1", "format 9", "does not begin with"),
            ("seed 7", "sid 7", "line 2 is `sid 7`"),
            ("things 2000", "things 3", "line 3: a colony takes"),
            ("order 3 storm", "order 3 flood", "line 4 is `order 3 flood`: there is no order"),
            ("check 100 0f", "check 2 0f", "line 5 is `check 2 0f`: it comes after tick 3"),
            ("check 100 0f", "check 100 zz", "invalid digit"),
            ("end 120 10\n", "", "cut off"),
        ] {
            let problem = Recording::parse(&GOOD.replace(was, is)).unwrap_err();
            assert!(problem.contains(part), "`{is}` gave: {problem}");
        }
    }
}
