//! What is said when something is not there: what exists, and what was probably meant.

use std::error::Error;
use std::fmt;

/// A pool or a resource was asked for that the world does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Whether it was a pool of things or a resource.
    pub what: MissingKind,
    /// The type that was asked for.
    pub name: &'static str,
    /// The types of the same kind that there are.
    pub present: Vec<&'static str>,
}

/// What is [`Missing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingKind {
    /// A pool of things.
    Pool,
    /// A resource.
    Resource,
    /// A resource of one thread: there is none, or it belongs to another thread.
    Pinned,
}

impl Missing {
    /// The one that was probably meant.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// #[derive(Debug)] struct Score(u32);
    /// #[derive(Debug)] struct Scores(u32);
    /// let mut world = World::new();
    /// world.insert(Scores(3));
    /// let missing = world.try_resource::<Score>().unwrap_err();
    /// assert!(missing.suggestion().unwrap().ends_with("Scores"));
    /// ```
    pub fn suggestion(&self) -> Option<&'static str> {
        closest(short_name(self.name), &mut self.present.iter().copied())
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its `write!` is a call; that of a `Formatter` is copied to each place.
        let out: &mut dyn fmt::Write = out;
        let Self { what, name, present } = self;
        let short = short_name(name);
        let (kind, plural, cure) = match what {
            MissingKind::Pool => {
                ("pool of", "pools", format!("`world.add_pool(Pool::<{short}>::new())`"))
            }
            MissingKind::Resource => {
                ("resource", "resources", format!("`world.insert({short} {{ … }})`"))
            }
            MissingKind::Pinned => (
                "pinned resource",
                "pinned resources",
                format!("`world.insert_pinned({short} {{ … }})` on this thread"),
            ),
        };
        write!(out, "the world has no {kind} `{name}` (")?;
        if present.is_empty() {
            write!(out, "it has no {plural} at all")?;
        } else {
            write!(out, "its {plural}: ")?;
            for (i, name) in present.iter().enumerate() {
                write!(out, "{}`{}`", if i == 0 { "" } else { ", " }, short_name(name))?;
            }
        }
        match self.suggestion() {
            Some(meant) => write!(out, "; was `{meant}` meant?)")?,
            None => write!(out, ")")?,
        }
        write!(out, ": put it in before, by {cure}")
    }
}

impl Error for Missing {}

/// The last part of the path of a type: `Actor` of `game::Actor`, `Pool<Actor>` of
/// `lath::Pool<game::Actor>`.
pub(crate) fn short_name(name: &'static str) -> &'static str {
    let end = name.find('<').unwrap_or(name.len());
    &name[last_of(&name[..end])..]
}

/// Where the last name of a path begins.
fn last_of(path: &str) -> usize {
    path.as_bytes().windows(2).rposition(|letters| letters == b"::").map_or(0, |at| at + 2)
}

/// Names with something between them.
pub(crate) fn joined(names: &[&str], between: &str) -> String {
    let mut text = String::new();
    for (place, name) in names.iter().enumerate() {
        text += if place == 0 { "" } else { between };
        text += name;
    }
    text
}

/// A type as one would write it: `Query<(Mut<ship::x>, Handle<Ship>)>`, without the paths of types
/// and without `'_`.
pub(crate) fn as_written(name: &str) -> String {
    let is_path = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let mut written = String::new();
    let mut rest = name;
    while !rest.is_empty() {
        let end = rest.find(|letter| !is_path(letter)).unwrap_or(rest.len());
        let (path, after) = rest.split_at(end);
        // Types begin with a capital letter. Fields do not, and are named with their module.
        let last = last_of(path);
        let is_field = last > 0
            && path[last..].starts_with(|letter: char| letter.is_lowercase() || letter == '_');
        let from = if is_field { last_of(&path[..last - 2]) } else { last };
        // What is written as `Query` in a system is another name of a type of the core.
        written += if path == "lath_core::cells::views::Views" { "Query" } else { &path[from..] };
        let end = after.find(is_path).unwrap_or(after.len());
        written += &after[..end];
        rest = &after[end..];
    }
    without(&without(&written, "'_, "), "<'_>")
}

/// A text without every piece that is like this.
fn without(text: &str, piece: &str) -> String {
    let (mut left, mut rest) = (String::new(), text.chars());
    loop {
        match rest.as_str().strip_prefix(piece) {
            Some(after) => rest = after.chars(),
            None => match rest.next() {
                Some(letter) => left.push(letter),
                None => return left,
            },
        }
    }
}

/// The name that looks most like the one that was asked for, if any looks like it at all.
pub(crate) fn closest<'a>(
    asked: &str,
    names: &mut dyn Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let looks = |name: &'a str| {
        let end = name.find('<').unwrap_or(name.len());
        let short = &name[last_of(&name[..end])..end];
        (distance(&asked.to_lowercase(), &short.to_lowercase()), name)
    };
    names
        .map(looks)
        .min()
        .filter(|&(far, _)| far <= asked.chars().count().max(3) / 3)
        .map(|(_, name)| name)
}

/// How many letters must be put in, taken out or changed to get from one word to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..b.len() {
            let changed = diagonal + usize::from(letter != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_are_found() {
        assert_eq!(closest("Scor", &mut ["a::Time", "a::Score"].into_iter()), Some("a::Score"));
        assert_eq!(closest("Zebra", &mut ["a::Time", "a::Score"].into_iter()), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn paths_are_shortened_up_to_their_arguments() {
        assert_eq!(short_name("a::b::Pool<c::d::Actor>"), "Pool<c::d::Actor>");
        assert_eq!(short_name("u32"), "u32");
        let query = "lath::param::Query<'_, (a::Moving<'_>, lath::Mut<'_, game::ship::x>, \
                     lath::Handle<game::Ship>)>";
        assert_eq!(as_written(query), "Query<(Moving, Mut<ship::x>, Handle<Ship>)>");
        assert_eq!(as_written("&mut lath::World"), "&mut World");
    }
}
