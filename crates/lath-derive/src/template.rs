//! Rust code with holes, in place of `quote!`.

use proc_macro::{Group, Span, TokenStream, TokenTree};

use crate::cursor::is_punct;

/// Reads `code` as Rust and puts the tokens named `x` where it says `$x`.
///
/// What is put in keeps its own spans, so errors about it point at the user's code. The code around
/// it gets `span`.
pub(crate) fn fill(code: &str, span: Span, holes: &[(&str, &TokenStream)]) -> TokenStream {
    let tokens = code
        .parse()
        .unwrap_or_else(|error| unreachable!("the template `{code}` is not Rust: {error}"));
    fill_tokens(tokens, span, holes)
}

fn fill_tokens(tokens: TokenStream, span: Span, holes: &[(&str, &TokenStream)]) -> TokenStream {
    let mut filled = TokenStream::new();
    let mut tokens = tokens.into_iter();
    while let Some(mut token) = tokens.next() {
        if is_punct(&token, '$') {
            let name = tokens.next().map(|name| name.to_string()).unwrap_or_default();
            let hole = holes.iter().find(|hole| hole.0 == name);
            let (_, content) =
                hole.unwrap_or_else(|| unreachable!("nothing was given for `${name}`"));
            filled.extend((*content).clone());
            continue;
        }
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), fill_tokens(group.stream(), span, holes)).into();
        }
        token.set_span(span);
        filled.extend([token]);
    }
    filled
}
