//! What is wrong and where, as `compile_error!` on the offending token.

use proc_macro::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};

use crate::template::fill;

/// A sentence for the user and the tokens it is about.
pub(crate) struct Error {
    first: Span,
    last: Span,
    message: String,
}

impl Error {
    pub(crate) fn at(span: Span, message: impl Into<String>) -> Self {
        Self::between(span, span, message)
    }

    /// Blames all tokens from `first` to `last`.
    pub(crate) fn between(first: Span, last: Span, message: impl Into<String>) -> Self {
        Self { first, last, message: message.into() }
    }

    /// `compile_error! { "…" }`. The compiler underlines from its first token to its last.
    /// `std` is the path of the standard library, at a place.
    fn into_tokens(self, std: &impl Fn(Span) -> TokenStream) -> TokenStream {
        let holes = [("std", &std(self.first))];
        let mut tokens = fill("$std::compile_error!", self.first, &holes);
        let mut body =
            Group::new(Delimiter::Brace, TokenTree::from(Literal::string(&self.message)).into());
        body.set_span(self.last);
        tokens.extend([TokenTree::from(body)]);
        tokens
    }
}

/// Everything that is wrong with one item, so that it can be shown at once.
#[derive(Default)]
pub(crate) struct Errors(Vec<Error>);

impl Errors {
    pub(crate) fn push(&mut self, error: Error) {
        self.0.push(error);
    }

    pub(crate) fn at(&mut self, span: Span, message: impl Into<String>) {
        self.push(Error::at(span, message));
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn into_tokens(self, std: impl Fn(Span) -> TokenStream) -> TokenStream {
        self.0.into_iter().map(|error| error.into_tokens(&std)).collect()
    }
}

/// The word of `known` that is nearest to `word`, if it is near enough to have been meant.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = |other: &&str| distance(word, other);
    known.iter().copied().filter(|other| near(other) <= 1 + other.len() / 3).min_by_key(near)
}

/// Quoted and separated by commas.
pub(crate) fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// How many letters have to be changed, added or removed to turn one word into the other.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.bytes().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_the_word_that_was_meant() {
        let known = ["rows", "columns", "handle"];
        assert_eq!(nearest("handel", &known), Some("handle"));
        assert_eq!(nearest("row", &known), Some("rows"));
        assert_eq!(nearest("colums", &known), Some("columns"));
    }

    #[test]
    fn an_unrelated_word_finds_nothing() {
        assert_eq!(nearest("generation", &["rows", "handle"]), None);
        assert_eq!(nearest("", &["rows", "handle"]), None);
    }

    #[test]
    fn distances_are_the_textbook_ones() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "bits"), 4);
        assert_eq!(distance("bits", "bits"), 0);
    }
}
