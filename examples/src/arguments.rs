//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

use crate::founding::Charter;

/// What `--help` prints.
pub(crate) const USAGE: &str = "\
usage: cargo run --release -- [options]

  --things N     how many things there are at first, 1000 to 5000000        (150000)
  --seed N       which colony                                               (1)
  --ticks N      runs until tick N: until stopped in a terminal, else       (2000)
  --threads N    1 to 256: the colony is the same          (one for each processor)
  --headless     no pace, no map, no keys, no inspector, no save unless asked for
  --save FILE    where to go on from, and where to save    (colony-SEED-THINGS.lath)
  --fresh        begin anew even if there is a save; it is replaced at the end
  --record FILE  begin anew and write the run down: orders, and a checksum now and then
  --replay FILE  run what was written down, and compare
  --help         show this

While it runs, in a terminal: `feast`, `plague`, `storm` or `levy` and Enter; Ctrl-C, or `q` and Enter, saves and
ends it. The inspector's address is printed at the start.

The checksum at the end depends on the seed, the number of things and the number of ticks only (and on
orders, and on what is changed in the inspector): not on threads, nor on saves in between.
";

const THREADS: std::ops::RangeInclusive<usize> = 1..=256;

/// A parsed command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Request {
    pub(crate) things: Option<u32>,
    pub(crate) seed: Option<u64>,
    pub(crate) ticks: Option<u64>,
    pub(crate) threads: Option<usize>,
    pub(crate) headless: bool,
    pub(crate) save: Option<PathBuf>,
    pub(crate) fresh: bool,
    pub(crate) record: Option<PathBuf>,
    pub(crate) replay: Option<PathBuf>,
    pub(crate) help: bool,
}

impl Request {
    /// Reads the arguments that follow the program's name. Fails, in words, on whatever makes no
    /// sense.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut request = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(option) = arguments.next() {
            match option.as_str() {
                "--things" => request.things = Some(number(&option, arguments.next())?),
                "--seed" => request.seed = Some(number(&option, arguments.next())?),
                "--ticks" => request.ticks = Some(number(&option, arguments.next())?),
                "--threads" => request.threads = Some(number(&option, arguments.next())?),
                "--headless" => request.headless = true,
                "--save" => request.save = Some(file(&option, arguments.next())?),
                "--fresh" => request.fresh = true,
                "--record" => request.record = Some(file(&option, arguments.next())?),
                "--replay" => request.replay = Some(file(&option, arguments.next())?),
                "--help" | "-h" => request.help = true,
                _ => return Err(format!("unknown argument `{option}`\n\n{USAGE}")),
            }
        }
        request.check()?;
        Ok(request)
    }

    fn check(&self) -> Result<(), String> {
        let (least, most) = Charter::THINGS.into_inner();
        if let Some(things) = self.things.filter(|things| !Charter::THINGS.contains(things)) {
            return Err(format!("`--things {things}`: a colony takes {least} to {most} things"));
        }
        let (least, most) = THREADS.into_inner();
        if let Some(threads) = self.threads.filter(|threads| !THREADS.contains(threads)) {
            return Err(format!("`--threads {threads}`: take {least} to {most}"));
        }
        let given = [
            ("--record", self.record.is_some()),
            ("--save", self.save.is_some()),
            ("--fresh", self.fresh),
            ("--seed", self.seed.is_some()),
            ("--things", self.things.is_some()),
            ("--ticks", self.ticks.is_some()),
        ];
        let clash = |with: &[&str]| {
            given.iter().find(|(name, given)| *given && with.contains(name)).map(|&(name, _)| name)
        };
        if let (Some(name), true) = (
            clash(&["--record", "--save", "--fresh", "--seed", "--things", "--ticks"]),
            self.replay.is_some(),
        ) {
            return Err(format!(
                "`{name}` and `--replay` do not go together: the recording says what is run"
            ));
        }
        if let (Some(name), true) = (clash(&["--save", "--fresh"]), self.record.is_some()) {
            return Err(format!(
                "`{name}` and `--record` do not go together: a recording begins anew and is not saved"
            ));
        }
        Ok(())
    }
}

fn number<N: FromStr<Err: std::fmt::Display>>(
    option: &str,
    value: Option<String>,
) -> Result<N, String> {
    let value = value.ok_or_else(|| format!("`{option}` needs a number after it"))?;
    value.parse().map_err(|error| format!("`{option} {value}`: {error}"))
}

fn file(option: &str, value: Option<String>) -> Result<PathBuf, String> {
    let value = value.filter(|value| !value.is_empty() && !value.starts_with("--"));
    value.map(PathBuf::from).ok_or_else(|| format!("`{option}` needs the name of a file after it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Request, String> {
        Request::parse(line.split_whitespace().map(String::from))
    }

    #[test]
    fn options_come_in_any_order_and_nothing_is_needed() {
        assert_eq!(parse(""), Ok(Request::default()));
        let expected = Request {
            seed: Some(7),
            threads: Some(3),
            things: Some(2000),
            headless: true,
            ..Request::default()
        };
        assert_eq!(parse("--seed 7 --threads 3 --headless --things 2000"), Ok(expected));
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        for (line, part) in [
            ("--ticks", "`--ticks` needs a number"),
            ("--ticks soon", "`--ticks soon`: invalid digit"),
            ("--ticks -1", "`--ticks -1`: invalid digit"),
            ("--things 10", "`--things 10`: a colony takes 1000 to 5000000"),
            ("--things 99999999999", "too large"),
            ("--threads 0", "`--threads 0`: take 1 to 256"),
            ("--save", "`--save` needs the name of a file"),
            ("--save --headless", "`--save` needs the name of a file"),
            ("--replay a --seed 3", "`--seed` and `--replay`"),
            ("--record a --save b", "`--save` and `--record`"),
            ("--boats 3", "unknown argument `--boats`"),
            ("3", "unknown argument `3`"),
        ] {
            let complaint = parse(line).unwrap_err();
            assert!(complaint.contains(part), "`{line}` was refused with: {complaint}");
        }
    }
}
