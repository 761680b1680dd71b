//! From the name of a struct to the name of the module that holds its fields: `HTTPServer` →
//! `http_server`.

use proc_macro::{Ident, Span};

/// Words that only `r#` makes names, in any edition.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// Words that nothing makes names.
const NEVER_NAMES: &[&str] = &["crate", "self", "super"];

/// The module of the struct called `name`.
pub(crate) fn module_of(name: &Ident, span: Span) -> Ident {
    match snake(bare(&name.to_string())) {
        word if NEVER_NAMES.contains(&word.as_str()) => Ident::new(&format!("{word}_"), span),
        word if KEYWORDS.contains(&word.as_str()) => Ident::new_raw(&word, span),
        word => Ident::new(&word, span),
    }
}

/// A name without the `r#` before it.
pub(crate) fn bare(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// Puts `_` between words. A word begins at a capital after a small letter, and at the last capital
/// of several if a small letter follows. Digits belong to what is before them.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    let (mut after_small, mut after_letter) = (false, false);
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let before_small = letters.peek().is_some_and(|next| next.is_lowercase());
        if letter.is_uppercase() && after_letter && (after_small || before_small) {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
        after_letter = letter != '_';
        after_small = letter.is_lowercase() || after_small && letter.is_numeric();
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_as_a_reader_would() {
        let names = [
            ("Actor", "actor"),
            ("HTTPServer", "http_server"),
            ("HttpServer", "http_server"),
            ("ServerHTTP", "server_http"),
            ("HTTP2Server", "http2_server"),
            ("Vec2", "vec2"),
            ("Vec2D", "vec2_d"),
            ("A", "a"),
            ("AB", "ab"),
            ("A1B", "a1b"),
            ("ABc", "a_bc"),
            ("_Hidden", "_hidden"),
            ("Snake_Case", "snake_case"),
            ("already_snake", "already_snake"),
            ("ÄrgerÖl", "ärger_öl"),
        ];
        for (name, expected) in names {
            assert_eq!(snake(name), expected, "{name}");
        }
    }

    #[test]
    fn the_keywords_can_be_searched_by_eye() {
        assert!(KEYWORDS.is_sorted());
    }
}
