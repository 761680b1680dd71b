//! Walks tokens one at a time.
//!
//! The compiler has already parsed the item once, so what arrives is valid Rust and little can be
//! wrong with it. Two things need care. Angle brackets are plain punctuation: [`Cursor::until`]
//! counts them, and does not mistake the arrow of `fn() -> T` for a closing one. And what a
//! `macro_rules!` variable stood for arrives in an invisible group: [`flatten`] opens such groups
//! where they have no meaning (in types they do: they keep `&$t` together).

use std::iter::Peekable;

use proc_macro::{
    Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree, token_stream,
};

use crate::error::Error;

/// The tokens that are still to be read.
pub(crate) struct Cursor {
    rest: Peekable<token_stream::IntoIter>,
    /// Blamed when the tokens run out.
    end: Span,
}

impl Cursor {
    pub(crate) fn new(tokens: TokenStream, end: Span) -> Self {
        Self { rest: tokens.into_iter().peekable(), end }
    }

    /// The tokens within a group.
    pub(crate) fn inside(group: &Group) -> Self {
        Self::new(group.stream(), group.span_close())
    }

    pub(crate) fn is_empty(&mut self) -> bool {
        self.rest.peek().is_none()
    }

    pub(crate) fn peek(&mut self) -> Option<&TokenTree> {
        self.rest.peek()
    }

    pub(crate) fn next(&mut self) -> Option<TokenTree> {
        self.rest.next()
    }

    pub(crate) fn is_at_comma_or_end(&mut self) -> bool {
        self.rest.peek().is_none_or(|token| is_punct(token, ','))
    }

    /// The next token if it is this sign.
    pub(crate) fn punct(&mut self, sign: char) -> Option<Punct> {
        match self.rest.next_if(|token| is_punct(token, sign)) {
            Some(TokenTree::Punct(punct)) => Some(punct),
            _ => None,
        }
    }

    /// The next token if it is this word.
    pub(crate) fn keyword(&mut self, word: &str) -> Option<Ident> {
        match self.rest.next_if(|token| is_word(token, word)) {
            Some(TokenTree::Ident(ident)) => Some(ident),
            _ => None,
        }
    }

    /// The next token if it is a group with these brackets.
    pub(crate) fn group(&mut self, delimiter: Delimiter) -> Option<Group> {
        match self.rest.next_if(|token| is_group(token, delimiter)) {
            Some(TokenTree::Group(group)) => Some(group),
            _ => None,
        }
    }

    /// The next token, which must be a name.
    pub(crate) fn ident(&mut self, what: &str) -> Result<Ident, Error> {
        match self.rest.next_if(|token| matches!(token, TokenTree::Ident(_))) {
            Some(TokenTree::Ident(ident)) => Ok(ident),
            _ => Err(self.expected(what)),
        }
    }

    /// The error that says what should have come next.
    pub(crate) fn expected(&mut self, what: &str) -> Error {
        let span = self.rest.peek().map_or(self.end, TokenTree::span);
        Error::at(span, format!("expected {what}"))
    }

    /// Everything up to the first token outside of angle brackets for which `stop` holds; that one
    /// is not read.
    pub(crate) fn until(&mut self, stop: impl Fn(&TokenTree) -> bool) -> Vec<TokenTree> {
        let mut taken = Vec::new();
        let (mut depth, mut in_arrow) = (0_u32, false);
        while let Some(token) = self.rest.next_if(|token| depth > 0 || in_arrow || !stop(token)) {
            if is_punct(&token, '<') {
                depth += 1;
            } else if is_punct(&token, '>') && !in_arrow {
                depth = depth.saturating_sub(1);
            }
            in_arrow = matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '-' && sign.spacing() == Spacing::Joint);
            taken.push(token);
        }
        taken
    }
}

pub(crate) fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

pub(crate) fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident.to_string() == word)
}

pub(crate) fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}

/// The tokens, also those within groups, with some of them replaced: `change` sees each with the
/// one before it.
pub(crate) fn rewrite(
    tokens: TokenStream,
    change: &impl Fn(Option<&TokenTree>, &TokenTree) -> Option<TokenStream>,
) -> TokenStream {
    let mut rewritten = TokenStream::new();
    let mut before = None;
    for token in tokens {
        match (&token, change(before.as_ref(), &token)) {
            (_, Some(other)) => rewritten.extend(other),
            (TokenTree::Group(group), None) => {
                let mut copy = Group::new(group.delimiter(), rewrite(group.stream(), change));
                copy.set_span(group.span());
                rewritten.extend([TokenTree::from(copy)]);
            }
            (_, None) => rewritten.extend([token.clone()]),
        }
        before = Some(token);
    }
    rewritten
}

/// Whether the sign is among the tokens, those within groups included.
pub(crate) fn has_punct(tokens: TokenStream, sign: char) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => has_punct(group.stream(), sign),
        token => is_punct(&token, sign),
    })
}

/// The tokens, with invisible groups opened.
pub(crate) fn flatten(tokens: TokenStream) -> TokenStream {
    let open = |token: TokenTree| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => flatten(group.stream()),
        token => token.into(),
    };
    tokens.into_iter().map(open).collect()
}
