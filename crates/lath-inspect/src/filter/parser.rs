//! Words to a tree: `||` binds less than `&&`, which binds less than `!`.

use super::lexer::{Word, words};
use super::{DEEPEST, Expr, Literal, Spot, fault};
use crate::response::Fault;

pub(super) fn parse(text: &str) -> Result<Expr, Fault> {
    let mut parser = Parser { words: words(text)?, at: 0, end: text.chars().count() + 1 };
    let expr = parser.any(0)?;
    match parser.peek() {
        None => Ok(expr),
        Some(Word::Close) => Err(fault(parser.column(), "there is no `(` for this `)`".into())),
        Some(_) => Err(parser.expected("`&&`, `||` or the end")),
    }
}

struct Parser {
    words: Vec<(usize, Word)>,
    at: usize,
    end: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Word> {
        self.words.get(self.at).map(|(_, word)| word)
    }

    fn column(&self) -> usize {
        self.words.get(self.at).map_or(self.end, |(column, _)| *column)
    }

    fn take(&mut self, word: &Word) -> bool {
        let found = self.peek() == Some(word);
        self.at += usize::from(found);
        found
    }

    fn expected(&self, what: &str) -> Fault {
        let end = if self.peek().is_none() { ", but the filter ends" } else { "" };
        fault(self.column(), format!("expected {what}{end}"))
    }

    fn any(&mut self, depth: usize) -> Result<Expr, Fault> {
        let mut list = vec![self.all(depth)?];
        while self.take(&Word::Or) {
            list.push(self.all(depth)?);
        }
        Ok(if list.len() == 1 { list.remove(0) } else { Expr::Or(list) })
    }

    fn all(&mut self, depth: usize) -> Result<Expr, Fault> {
        let mut list = vec![self.one(depth)?];
        while self.take(&Word::And) {
            list.push(self.one(depth)?);
        }
        Ok(if list.len() == 1 { list.remove(0) } else { Expr::And(list) })
    }

    fn one(&mut self, depth: usize) -> Result<Expr, Fault> {
        if depth > DEEPEST {
            return Err(fault(self.column(), format!("more than {DEEPEST} levels of `(` and `!`")));
        }
        if self.take(&Word::Not) {
            return Ok(Expr::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.take(&Word::Open) {
            let inner = self.any(depth + 1)?;
            return if self.take(&Word::Close) { Ok(inner) } else { Err(self.expected("`)`")) };
        }
        let field = self.name("the name of a field")?;
        match self.peek().cloned() {
            Some(Word::Compare(how)) => {
                self.at += 1;
                Ok(Expr::Compare { field, how, with: self.literal()? })
            }
            Some(Word::Name(has)) if has == "has" => {
                self.at += 1;
                let mut flags = vec![self.name("the name of a flag")?];
                while self.take(&Word::Bar) {
                    flags.push(self.name("the name of a flag")?);
                }
                Ok(Expr::Has { field, flags })
            }
            _ => Ok(Expr::Is(field)),
        }
    }

    fn name(&mut self, what: &str) -> Result<Spot, Fault> {
        let column = self.column();
        match self.peek() {
            Some(Word::Name(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok(Spot { name, column })
            }
            _ => Err(self.expected(what)),
        }
    }

    fn literal(&mut self) -> Result<Literal, Fault> {
        let literal = match self.peek() {
            Some(Word::Number(number)) => Literal::Number(*number),
            Some(Word::Text(text)) => Literal::Text(text.clone()),
            Some(Word::Name(word)) if word == "true" => Literal::Number(1.0),
            Some(Word::Name(word)) if word == "false" => Literal::Number(0.0),
            Some(Word::Name(word)) => Literal::Text(word.clone()),
            _ => return Err(self.expected("a number or a text in quotes")),
        };
        self.at += 1;
        Ok(literal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spot(name: &str, column: usize) -> Spot {
        Spot { name: name.into(), column }
    }

    #[test]
    fn or_binds_less_than_and() {
        let expr = parse("a && !b || tags has X|Y").unwrap();
        let left =
            Expr::And(vec![Expr::Is(spot("a", 1)), Expr::Not(Box::new(Expr::Is(spot("b", 7))))]);
        let has = Expr::Has { field: spot("tags", 12), flags: vec![spot("X", 21), spot("Y", 23)] };
        assert_eq!(expr, Expr::Or(vec![left, has]));
    }

    #[test]
    fn errors_say_where() {
        for (text, column, words) in [
            ("", 1, "expected the name of a field"),
            ("hp <", 5, "expected a number"),
            ("hp < 1 x", 8, "expected `&&`"),
            ("(hp", 4, "expected `)`"),
            ("hp)", 3, "no `(`"),
            ("hp & x", 4, "`&&`"),
            ("name ~ \"orc", 8, "no \" at its end"),
            ("hp < 1e", 6, "not a number"),
            ("hp < 1.2.3", 6, "not a number"),
            ("hp # 1", 4, "`#` means nothing"),
            ("é # 1", 3, "`#` means nothing"),
            ("tags has 3", 10, "the name of a flag"),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.column, Some(column), "{text}: {}", error.message);
            assert!(error.message.contains(words), "{text}: {}", error.message);
        }
    }

    #[test]
    fn what_is_too_long_or_too_deep_is_refused() {
        assert!(parse(&"a".repeat(5000)).is_err());
        assert!(parse(&format!("{}a", "!".repeat(4000))).is_err());
        assert!(parse(&format!("{}a{}", "(".repeat(60), ")".repeat(60))).is_ok());
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in "\\PC{0,200}") {
            check(&text)?;
        }

        #[test]
        fn any_words_are_parsed_or_refused(words in prop::collection::vec(prop::sample::select(vec![
            "hp", "<", "<=", "==", "=", "!", "!=", "(", ")", "&&", "||", "&", "|", "has", "~", "\"a\"", "\"", "1", "-1.5e3", ".", "é",
        ]), 0..40), gap in prop::sample::select(vec!["", " "])) {
            check(&words.join(gap))?;
        }
    }

    /// An error points into the text, or right behind it.
    fn check(text: &str) -> Result<(), TestCaseError> {
        if let Err(error) = parse(text) {
            let column = error.column.unwrap_or(0);
            prop_assert!(
                (1..=text.chars().count() + 1).contains(&column),
                "{text:?}: column {column}"
            );
        }
        Ok(())
    }
}
