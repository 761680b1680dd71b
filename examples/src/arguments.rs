//! The command line: how many ships, for how long, which battle, and on how many threads.

/// What `--help` prints.
pub(crate) const USAGE: &str = "\
usage: cargo run --release -- [options]

  --ticks N   how long the battle lasts             (600)
  --ships N   how many ships there are, 2 to 1000000  (10000)
  --seed N    which battle                          (1)
  --threads N how many threads, 1 to 256: the battle is the same (as many as there are processors)
  --report    show how long each system takes
  --help      show this
";

const MOST_SHIPS: u32 = 1_000_000;
const MOST_THREADS: usize = 256;

/// A parsed command line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) ticks: u32,
    pub(crate) ships: u32,
    pub(crate) seed: u64,
    pub(crate) threads: Option<usize>,
    pub(crate) report: bool,
    pub(crate) help: bool,
}

impl Request {
    /// Reads the arguments that follow the program's name. Fails, in words, on whatever makes no sense.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut request = Self { ticks: 600, ships: 10_000, seed: 1, threads: None, report: false, help: false };
        let mut arguments = arguments.into_iter();
        while let Some(option) = arguments.next() {
            match option.as_str() {
                "--ticks" => request.ticks = number(&option, arguments.next())?,
                "--ships" => request.ships = number(&option, arguments.next())?,
                "--seed" => request.seed = number(&option, arguments.next())?,
                "--threads" => request.threads = Some(number(&option, arguments.next())?),
                "--report" => request.report = true,
                "--help" | "-h" => request.help = true,
                _ => return Err(format!("unknown argument `{option}`\n\n{USAGE}")),
            }
        }
        match (request.ships, request.threads) {
            (2..=MOST_SHIPS, None | Some(1..=MOST_THREADS)) => Ok(request),
            (2..=MOST_SHIPS, Some(threads)) => Err(format!("`--threads {threads}`: take 1 to {MOST_THREADS}")),
            (ships, _) => Err(format!("`--ships {ships}`: a battle takes 2 to {MOST_SHIPS} ships")),
        }
    }
}

fn number<N: std::str::FromStr<Err: std::fmt::Display>>(option: &str, value: Option<String>) -> Result<N, String> {
    let value = value.ok_or_else(|| format!("`{option}` needs a number after it"))?;
    value.parse().map_err(|error| format!("`{option} {value}`: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Request, String> {
        Request::parse(line.split_whitespace().map(String::from))
    }

    #[test]
    fn options_come_in_any_order_and_the_rest_has_defaults() {
        let expected = Request { ticks: 600, ships: 20, seed: 7, threads: Some(3), report: false, help: false };
        assert_eq!(parse("--seed 7 --threads 3 --ships 20"), Ok(expected));
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        for (line, part) in [
            ("--ticks", "`--ticks` needs a number"),
            ("--ticks soon", "`--ticks soon`: invalid digit"),
            ("--ticks -1", "`--ticks -1`: invalid digit"),
            ("--ships 1", "2 to 1000000"),
            ("--threads 0", "take 1 to 256"),
            ("--ships 99999999999", "too large"),
            ("--boats 3", "unknown argument `--boats`"),
            ("3", "unknown argument `3`"),
        ] {
            let complaint = parse(line).unwrap_err();
            assert!(complaint.contains(part), "`{line}` was refused with: {complaint}");
        }
    }
}
