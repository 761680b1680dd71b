//! The command line: which workloads, how long, and what to print.

use std::path::PathBuf;

use crate::measure::Effort;

/// What `--help` prints.
pub(crate) const USAGE: &str = "\
usage: lath-peers [workload…] [options]

  workload   a name, or the start of names (`spawn`); none, or `all`: all of them but `build`
  --list     show the workloads, their candidates and their bars
  --quick    fewer rounds: a first impression
  --json     print one JSON document instead of the tables
  --markdown print tables for docs/measurements.md instead
  --svg DIR  also draw the results, one file per chart
  --check    exit with 1 if lath misses a bar
  --help     show this
";

/// A parsed command line.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Request {
    /// Names or beginnings of names; empty means all.
    pub(crate) workloads: Vec<String>,
    pub(crate) list: bool,
    pub(crate) quick: bool,
    pub(crate) json: bool,
    pub(crate) markdown: bool,
    /// Where the charts go, if any are to be drawn.
    pub(crate) svg: Option<PathBuf>,
    pub(crate) check: bool,
    pub(crate) help: bool,
}

impl Request {
    /// Reads the arguments that follow the program's name. Fails on an option that does not exist
    /// or lacks its folder.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut request = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--list" => request.list = true,
                "--quick" => request.quick = true,
                "--json" => request.json = true,
                "--markdown" => request.markdown = true,
                "--svg" => match arguments.next().filter(|folder| !folder.starts_with('-')) {
                    Some(folder) => request.svg = Some(folder.into()),
                    None => return Err(format!("`--svg` needs a folder\n\n{USAGE}")),
                },
                "--check" => request.check = true,
                "--help" | "-h" => request.help = true,
                option if option.starts_with('-') => {
                    return Err(format!("unknown option `{option}`\n\n{USAGE}"));
                }
                _ => request.workloads.push(argument),
            }
        }
        if request.json && request.markdown {
            return Err(
                "`--json` and `--markdown` both want to be all that is printed: choose one"
                    .to_string(),
            );
        }
        Ok(request)
    }

    /// How long each workload may take.
    pub(crate) fn effort(&self) -> Effort {
        if self.quick { Effort::QUICK } else { Effort::FULL }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Request, String> {
        Request::parse(line.split_whitespace().map(String::from))
    }

    #[test]
    fn options_and_names_come_in_any_order() {
        let request = parse("--quick lookup --check spawn").unwrap();
        assert_eq!(request.workloads, ["lookup", "spawn"]);
        assert!(request.quick && request.check && !request.json);
    }

    #[test]
    fn charts_need_a_folder() {
        assert_eq!(parse("tag --svg charts").unwrap().svg, Some("charts".into()));
        assert!(parse("--svg").unwrap_err().contains("a folder"));
        assert!(parse("--svg --quick").unwrap_err().contains("a folder"));
    }

    #[test]
    fn one_form_of_output_is_enough() {
        assert!(parse("--markdown tag").unwrap().markdown);
        assert!(parse("--markdown --json").unwrap_err().contains("choose one"));
    }

    #[test]
    fn an_unknown_option_is_named() {
        assert!(parse("--fast").unwrap_err().contains("`--fast`"));
    }
}
