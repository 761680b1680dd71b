//! How far an item can be seen: `pub`, `pub(crate)` and so on, or nothing.

use std::cmp::Reverse;

use proc_macro::{Delimiter, Span, TokenStream, TokenTree};

use crate::cursor::{Cursor, flatten, is_word};
use crate::template::fill;

/// A visibility, as it was written and as a distance.
#[derive(Clone)]
pub(crate) struct Visibility {
    tokens: TokenStream,
    reach: Reach,
}

/// From narrow to wide. Whether a path from the crate's root reaches further than one from here
/// cannot be told from the tokens alone; that it does is the usual case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// This many modules up from where it is written: 0 is the same as nothing at all.
    Up(usize),
    /// This many modules down from the root of the crate.
    Down(Reverse<usize>),
    Everywhere,
}

impl Visibility {
    pub(crate) fn parse(cursor: &mut Cursor) -> Self {
        // What `$vis` of a `macro_rules!` stood for, which may be nothing.
        if let Some(TokenTree::Group(group)) = cursor.peek() {
            let mut inner = group.stream().into_iter();
            if group.delimiter() == Delimiter::None
                && inner.next().is_none_or(|token| is_word(&token, "pub"))
            {
                let tokens = cursor.group(Delimiter::None).map(|group| flatten(group.stream()));
                return Self::new(tokens.into_iter().flatten().collect());
            }
        }
        let mut tokens: Vec<TokenTree> =
            cursor.keyword("pub").map(TokenTree::from).into_iter().collect();
        if !tokens.is_empty() && cursor.peek().is_some_and(is_restriction) {
            tokens.extend(cursor.group(Delimiter::Parenthesis).map(TokenTree::from));
        }
        Self::new(tokens)
    }

    fn new(mut tokens: Vec<TokenTree>) -> Self {
        let reach = match &tokens[..] {
            [] => Reach::Up(0),
            [_, TokenTree::Group(path)] => {
                let words = flatten(path.stream())
                    .into_iter()
                    .filter(|token| matches!(token, TokenTree::Ident(_)));
                Reach::new(&words.map(|word| word.to_string()).collect::<Vec<_>>())
            }
            _ => Reach::Everywhere,
        };
        // Lints about what the macro writes are not for the user: they pass over code whose first
        // token is the macro's.
        for token in &mut tokens {
            token.set_span(token.span().resolved_at(Span::call_site()));
        }
        Self { tokens: tokens.into_iter().collect(), reach }
    }

    /// The visibility, to be written where it was found.
    pub(crate) fn here(&self) -> TokenStream {
        self.tokens.clone()
    }

    /// The same visibility, to be written in a module beside the item, as if it stood at `span`.
    pub(crate) fn one_module_down(&self, span: Span) -> TokenStream {
        match self.reach {
            Reach::Up(0) => fill("pub(super)", span, &[]),
            Reach::Up(modules) => {
                fill(&format!("pub(in super{})", "::super".repeat(modules)), span, &[])
            }
            Reach::Down(_) | Reach::Everywhere => {
                let mut tokens = self.tokens.clone().into_iter().collect::<Vec<_>>();
                tokens.iter_mut().for_each(|token| token.set_span(span));
                tokens.into_iter().collect()
            }
        }
    }

    /// The one that reaches less far.
    pub(crate) fn narrower<'a>(&'a self, other: &'a Self) -> &'a Self {
        if self.reach < other.reach { self } else { other }
    }
}

impl Reach {
    /// Reads the words within the parentheses of `pub(…)`.
    fn new(words: &[String]) -> Self {
        let path = if words[0] == "in" { &words[1..] } else { words };
        match path.first().map(String::as_str) {
            Some("self" | "super") => Self::Up(path.iter().filter(|word| *word == "super").count()),
            // `crate`, or what it is called within a `macro_rules!`.
            _ => Self::Down(Reverse(path.len().saturating_sub(1))),
        }
    }
}

/// Whether a `(…)` after `pub` belongs to it. In `struct Pair(pub (f32, f32))` it is a type.
fn is_restriction(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    let mut inner = group.stream().into_iter();
    let first = inner.next();
    let one_of = |words: &[&str]| {
        first.as_ref().is_some_and(|token| words.iter().any(|word| is_word(token, word)))
    };
    group.delimiter() == Delimiter::Parenthesis
        && (one_of(&["in"]) || one_of(&["crate", "self", "super"]) && inner.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(words: &str) -> Reach {
        Reach::new(&words.split(' ').map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn paths_are_counted_from_here_or_from_the_root() {
        assert_eq!(
            [reach("self"), reach("in self"), reach("super")],
            [Reach::Up(0), Reach::Up(0), Reach::Up(1)]
        );
        assert_eq!(reach("in super super"), Reach::Up(2));
        assert_eq!([reach("crate"), reach("in $crate")], [Reach::Down(Reverse(0)); 2]);
        assert_eq!(reach("in crate game actor"), Reach::Down(Reverse(2)));
    }

    #[test]
    fn every_step_reaches_further() {
        let steps = [
            reach("self"),
            reach("super"),
            reach("in super super"),
            reach("in crate a b"),
            reach("in crate a"),
            reach("crate"),
            Reach::Everywhere,
        ];
        assert!(steps.is_sorted_by(|a, b| a < b));
    }
}
