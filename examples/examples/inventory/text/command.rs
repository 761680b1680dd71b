//! What was typed, as a command.

/// A line that was understood. Names are as they were typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Nothing,
    Help,
    Quit,
    Look,
    Inventory,
    Recipes,
    Check,
    Examine(String),
    Take(Count, String),
    Drop(Count, String),
    Put(Count, String, String),
    Split(u32, String),
    Equip(String, Option<String>),
    Unequip(String),
    Craft(String),
    Smash(String),
}

/// How many of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    All,
    Of(u32),
}

/// What `help` prints.
pub(crate) const HELP: &str = "  look                      everything around you, and what is in it
  inventory                 what you carry and hold
  examine X                 one thing: its weight, and what it bears
  take [N] X                into the first of your bags with room for it
  put [N] X into Y          into anything
  drop [N] X                on the floor
  split N X                 one stack becomes two
  equip X [with Y]          into a free hand, or hand Y; it stays in its bag
  unequip X                 out of the hand
  recipes, craft X          something new out of parts that you carry
  smash X                   what was inside lies on the floor then
  check                     whether all rules hold
  quit
X may be a name (`coin`), a name and where it is (`coin in pouch`), or `it`: the last thing that was named.
";

impl Command {
    /// Understands a line. Fails with what to type instead.
    pub(crate) fn parse(line: &str) -> Result<Self, String> {
        let line = line.trim().to_lowercase();
        let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        let rest = rest.trim();
        let bare = |command| {
            if rest.is_empty() { Ok(command) } else { Err(format!("`{verb}` stands alone")) }
        };
        match verb {
            "" => Ok(Self::Nothing),
            "help" | "?" => bare(Self::Help),
            "quit" | "exit" | "q" => bare(Self::Quit),
            "look" | "l" => bare(Self::Look),
            "inventory" | "inv" | "i" => bare(Self::Inventory),
            "recipes" => bare(Self::Recipes),
            "check" => bare(Self::Check),
            "examine" | "x" => Ok(Self::Examine(name(verb, rest)?)),
            "take" | "get" => counted(verb, rest).map(|(count, item)| Self::Take(count, item)),
            "drop" => counted(verb, rest).map(|(count, item)| Self::Drop(count, item)),
            "put" => put(rest),
            "split" => match counted(verb, rest)? {
                (Count::Of(count), item) => Ok(Self::Split(count, item)),
                (Count::All, item) => Err(format!("how many? type `split 2 {item}`")),
            },
            "equip" | "hold" => Ok(match rest.split_once(" with ") {
                Some((item, hand)) => Self::Equip(name(verb, item)?, Some(name(verb, hand)?)),
                None => Self::Equip(name(verb, rest)?, None),
            }),
            "unequip" | "stow" => Ok(Self::Unequip(name(verb, rest)?)),
            "craft" | "make" => Ok(Self::Craft(name(verb, rest)?)),
            "smash" | "break" => Ok(Self::Smash(name(verb, rest)?)),
            _ => Err(format!("`{verb}` is not known here: `help` shows what is")),
        }
    }
}

fn put(rest: &str) -> Result<Command, String> {
    let Some((item, into)) = rest.split_once(" into ") else {
        return Err("into what? type `put X into Y`".into());
    };
    let (count, item) = counted("put", item)?;
    Ok(Command::Put(count, item, name("put", into)?))
}

/// A number, if there is one, and a name.
fn counted(verb: &str, rest: &str) -> Result<(Count, String), String> {
    let (first, others) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if !first.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit()) {
        return Ok((Count::All, name(verb, rest)?));
    }
    let count = first
        .parse()
        .map_err(|_| format!("`{first}` is no number of things: take 1 to {}", u32::MAX))?;
    Ok((Count::Of(count), name(verb, others)?))
}

fn name(verb: &str, words: &str) -> Result<String, String> {
    let words: Vec<_> =
        words.split_whitespace().filter(|word| !["the", "a", "an"].contains(word)).collect();
    if words.is_empty() {
        Err(format!("{verb} what? `look` shows what there is"))
    } else {
        Ok(words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_understood() {
        let coin = || String::from("coin");
        for (line, command) in [
            ("  LOOK ", Command::Look),
            ("take the coin", Command::Take(Count::All, coin())),
            (
                "put 3 coin into  the iron box",
                Command::Put(Count::Of(3), coin(), "iron box".into()),
            ),
            ("split 2 coin", Command::Split(2, coin())),
            ("equip coin with left hand", Command::Equip(coin(), Some("left hand".into()))),
            ("", Command::Nothing),
        ] {
            assert_eq!(Command::parse(line), Ok(command), "`{line}`");
        }
    }

    #[test]
    fn what_is_not_understood_is_answered_with_what_to_type() {
        for (line, part) in [
            ("dance", "`help` shows"),
            ("take", "take what?"),
            ("take the", "take what?"),
            ("take 3", "take what?"),
            ("put coin", "put X into Y"),
            ("put coin into ", "put X into Y"),
            ("split coin", "split 2 coin"),
            ("drop 99999999999 coin", "no number of things"),
            ("split -1 coin", "no number of things"),
            ("look around", "stands alone"),
        ] {
            let complaint = Command::parse(line).unwrap_err();
            assert!(complaint.contains(part), "`{line}` was answered with: {complaint}");
        }
    }
}
