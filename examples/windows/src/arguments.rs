//! The command line: what both demos understand, and how each adds its own.

use std::path::PathBuf;

/// Where frames go, and how many there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Show {
    /// How many; a window without a number stays until it is closed.
    pub frames: Option<u32>,
    /// A folder for files, instead of a window.
    pub out: Option<PathBuf>,
    /// SVG files instead of PNG.
    pub svg: bool,
    /// How many ticks pass before the first frame.
    pub skip: u32,
    /// Only the usage was asked for.
    pub help: bool,
}

/// What [`Show::parse`] understands, for the usage of a demo.
pub const SHOW_USAGE: &str = "\
  --frames N   end after N frames                        (the window: when it is closed, files: 1)
  --out DIR    write frames into a folder, without a window
  --svg        as SVG, not as PNG
  --skip N     so many ticks before the first frame      (0)
  --help       show this
";

/// More frames than anybody has room for.
const MOST_FRAMES: u32 = 1_000_000;

/// The arguments that were not looked at yet.
pub type Rest<'a> = dyn Iterator<Item = String> + 'a;

impl Show {
    /// Reads the arguments that follow the program's name. What is not known here is offered to
    /// `other`, which says whether it knows the option, and takes its values from the rest.
    ///
    /// # Errors
    ///
    /// If something makes no sense, in words.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_windows::arguments::{Show, number};
    ///
    /// let mut fish = 0;
    /// let line = "--frames 3 --fish 5 --svg --out pictures".split(' ').map(String::from);
    /// let show = Show::parse(line, |option, rest| match option {
    ///     "--fish" => number(option, rest, 1, 9).map(|n| { fish = n; true }),
    ///     _ => Ok(false),
    /// });
    /// assert_eq!((show.unwrap().frames, fish), (Some(3), 5));
    /// ```
    pub fn parse(
        arguments: impl IntoIterator<Item = String>,
        mut other: impl FnMut(&str, &mut Rest<'_>) -> Result<bool, String>,
    ) -> Result<Self, String> {
        let mut show = Self::default();
        let mut rest = arguments.into_iter();
        while let Some(option) = rest.next() {
            match option.as_str() {
                "--frames" => show.frames = Some(number(&option, &mut rest, 1, MOST_FRAMES)?),
                "--skip" => show.skip = number(&option, &mut rest, 0, MOST_FRAMES)?,
                "--out" => {
                    show.out = Some(rest.next().ok_or("`--out` needs a folder after it")?.into())
                }
                "--svg" => show.svg = true,
                "--help" | "-h" => show.help = true,
                _ if other(&option, &mut rest)? => {}
                _ => {
                    return Err(format!(
                        "unknown argument `{option}`: `--help` shows what there is"
                    ));
                }
            }
        }
        if show.svg && show.out.is_none() {
            return Err("`--svg` is about files: add `--out DIR`".into());
        }
        Ok(show)
    }
}

/// The value of an option: a number within bounds.
///
/// # Errors
///
/// If there is none.
pub fn number(option: &str, rest: &mut Rest<'_>, least: u32, most: u32) -> Result<u32, String> {
    let value = rest.next().ok_or_else(|| format!("`{option}` needs a number after it"))?;
    let number = value.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("`{option} {value}`: take {least} to {most}"))
}
