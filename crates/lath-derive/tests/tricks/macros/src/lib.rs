//! Macros that try to deceive the derives of lath. None of them writes unsafe code.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use proc_macro::{Delimiter, Spacing, TokenStream, TokenTree};

/// Puts its argument in the place of the item: what a derive above it has read is not what is
/// there.
#[proc_macro_attribute]
pub fn replace_by(instead: TokenStream, _: TokenStream) -> TokenStream {
    instead
}

/// Puts its argument before the item.
#[proc_macro_attribute]
pub fn prefix(before: TokenStream, item: TokenStream) -> TokenStream {
    before.into_iter().chain(item).collect()
}

/// `by_turns!(name: u8; String)` is another of the parts each time that it is expanded, and begins
/// again after the last.
#[proc_macro]
pub fn by_turns(parts: TokenStream) -> TokenStream {
    static TURNS: LazyLock<Mutex<HashMap<String, usize>>> = LazyLock::new(Mutex::default);

    let mut tokens = parts.into_iter();
    let name = tokens.next().expect("a name").to_string();
    let rest: Vec<TokenTree> = tokens.skip(1).collect();
    let parts: Vec<&[TokenTree]> = rest
        .split(|token| matches!(token, TokenTree::Punct(end) if end.as_char() == ';'))
        .collect();
    let mut turns = TURNS.lock().expect("nobody panicked");
    let turn = turns.entry(name).or_default();
    let part = parts[*turn % parts.len()];
    *turn += 1;
    part.iter().cloned().collect()
}

/// `u8` if all signs of the argument stand by themselves, `[u8; 1]` if one touches the next,
/// `[u8; 2]` if something came in an invisible group.
#[proc_macro]
pub fn by_spacing(tokens: TokenStream) -> TokenStream {
    let (mut touching, mut grouped) = (false, false);
    for token in tokens {
        match token {
            TokenTree::Punct(sign) => touching |= sign.spacing() == Spacing::Joint,
            TokenTree::Group(group) => grouped |= group.delimiter() == Delimiter::None,
            _ => {}
        }
    }
    let code = match (touching, grouped) {
        (_, true) => "[u8; 2]",
        (true, false) => "[u8; 1]",
        (false, false) => "u8",
    };
    code.parse().expect("Rust")
}
