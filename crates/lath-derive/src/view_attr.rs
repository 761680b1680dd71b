//! What `#[view(…)]` says:
//! `#[view(game::Actor, with = Tags::MOVES, without = Tags::FROZEN, module = game::actor)]`.

use proc_macro::{Ident, Spacing, Span, TokenStream, TokenTree};

use crate::case::module_of;
use crate::cursor::{Cursor, is_punct};
use crate::entry::{Attr, Entry};
use crate::error::{Error, Errors};
use crate::root::Root;
use crate::template::fill;

const EXAMPLE: &str = "#[view(Actor)]";
const KEYS: &[&str] = &["with", "without", "module"];

/// What the struct says about itself.
pub(crate) struct ViewAttrs {
    pub(crate) thing: ThingPath,
    /// The tags that a thing must have, as expressions of which each is a set of tags.
    pub(crate) with: Vec<TokenStream>,
    /// The tags that a thing must not have.
    pub(crate) without: Vec<TokenStream>,
    /// The path of the field markers.
    pub(crate) module: TokenStream,
}

/// The path of a thing: `game::Actor<X>`.
pub(crate) struct ThingPath {
    /// All of it.
    pub(crate) ty: TokenStream,
    /// `X`.
    pub(crate) arguments: TokenStream,
    /// `game::actor`.
    module: TokenStream,
}

impl ViewAttrs {
    /// Reads the attributes of the struct called `name`. What is wrong goes to `errors`.
    pub(crate) fn read(attrs: Vec<Attr>, name: &Ident, errors: &mut Errors) -> Option<Self> {
        let mut attrs = attrs.into_iter();
        let Some(attr) = attrs.next() else {
            errors.at(name.span(), format!("say whose fields these are: add `{EXAMPLE}`"));
            return None;
        };
        for more in attrs {
            errors.at(more.name, "`view` is given twice: put everything into the first one");
        }
        match attr.list(EXAMPLE).and_then(|mut list| Ok((ThingPath::parse(&mut list)?, list))) {
            Ok((thing, rest)) => Some(Self::read_rest(thing, rest, errors)),
            Err(error) => {
                errors.push(error);
                None
            }
        }
    }

    fn read_rest(thing: ThingPath, mut cursor: Cursor, errors: &mut Errors) -> Self {
        if cursor.punct(',').is_none() && !cursor.is_empty() {
            errors.push(cursor.expected("a comma"));
        }
        let (mut with, mut without, mut module) = (None, None, None);
        for entry in Entry::all(cursor, errors) {
            match entry.key.to_string().as_str() {
                key @ ("with" | "without") => {
                    let example = format!("{key} = Tags::MOVES");
                    if let Some(tokens) = entry.expect_value("tags", &example, errors) {
                        let slot = if key == "with" { &mut with } else { &mut without };
                        entry.once(slot, alternatives(tokens), errors);
                    }
                }
                "module" => match entry.expect_value("a path", "module = game::actor", errors) {
                    Some(tokens) if is_path(tokens) => {
                        entry.once(&mut module, tokens.iter().cloned().collect(), errors);
                    }
                    Some(_) => {
                        errors.push(entry.wrong_value("needs a path, as in `module = game::actor`"))
                    }
                    None => {}
                },
                _ => entry.unknown("in `#[view(…)]`, after the thing", KEYS, errors),
            }
        }
        let module = module.unwrap_or_else(|| thing.module.clone());
        Self { thing, with: with.unwrap_or_default(), without: without.unwrap_or_default(), module }
    }
}

impl ThingPath {
    /// Reads the path that comes first, up to the comma after it.
    fn parse(cursor: &mut Cursor) -> Result<Self, Error> {
        let missing = "the thing whose fields these are, as in `#[view(Actor)]`";
        if cursor.is_at_comma_or_end() {
            return Err(cursor.expected(missing));
        }
        let tokens = cursor.until(|token| is_punct(token, ','));
        let (first, last) = (tokens[0].span(), tokens[tokens.len() - 1].span());
        if KEYS.iter().any(|key| tokens[0].to_string() == *key)
            && tokens.get(1).is_some_and(|next| is_punct(next, '='))
        {
            return Err(Error::at(first, format!("expected {missing}, before `{}`", tokens[0])));
        }
        let angle = tokens.iter().position(|token| is_punct(token, '<'));
        let (path, arguments) = tokens.split_at(angle.unwrap_or(tokens.len()));
        let arguments = match arguments {
            [] => TokenStream::new(),
            [_, arguments @ .., close] if is_punct(close, '>') => {
                arguments.iter().cloned().collect()
            }
            _ => return Err(Error::between(first, last, format!("expected {missing}"))),
        };
        let path = match path {
            // The two colons of `Actor::<X>`.
            [path @ .., a, b] if angle.is_some() && is_punct(a, ':') && is_punct(b, ':') => path,
            path => path,
        };
        let Some((TokenTree::Ident(name), prefix)) = path.split_last().filter(|_| is_path(path))
        else {
            return Err(Error::between(first, last, format!("expected {missing}")));
        };
        let module = prefix.iter().cloned().chain([module_of(name, name.span()).into()]).collect();
        Ok(Self { ty: tokens.into_iter().collect(), arguments, module })
    }
}

/// Names with two colons between them, and perhaps before them.
fn is_path(tokens: &[TokenTree]) -> bool {
    let mut rest = tokens;
    if let [a, b, more @ ..] = rest {
        if is_punct(a, ':') && is_punct(b, ':') {
            rest = more;
        }
    }
    loop {
        match rest {
            [TokenTree::Ident(_)] => return true,
            [TokenTree::Ident(_), a, b, more @ ..] if is_punct(a, ':') && is_punct(b, ':') => {
                rest = more
            }
            _ => return false,
        }
    }
}

/// The parts of `Tags::A | Tags::B`: as an operator, `|` cannot be used in a constant.
fn alternatives(tokens: &[TokenTree]) -> Vec<TokenStream> {
    let is_bar = |token: &TokenTree| matches!(token, TokenTree::Punct(bar) if bar.as_char() == '|' && bar.spacing() == Spacing::Alone);
    let parts = tokens
        .split(is_bar)
        .map(|part| part.iter().cloned().collect())
        .collect::<Vec<TokenStream>>();
    // Not an operator between two sets, then: leave it to the compiler.
    if parts.iter().any(TokenStream::is_empty) {
        vec![tokens.iter().cloned().collect()]
    } else {
        parts
    }
}

/// The bits of all the tags: an expression for a constant. Errors about a set point at it, and at
/// the thing.
pub(crate) fn tag_bits(sets: &[TokenStream], thing: &TokenStream, root: Root) -> TokenStream {
    let at_first = |tokens: &TokenStream| {
        let first = tokens.clone().into_iter().next();
        first.map_or_else(Span::call_site, |token| token.span().resolved_at(Span::call_site()))
    };
    let tags = root.fill("<$thing as $core::Thing>::Tags", at_first(thing), &[("thing", thing)]);
    let mut bits = fill("0", Span::call_site(), &[]);
    for set in sets {
        // The trait is for `NoTags` only: it has no `bits` of its own, and a second error about
        // that would not help.
        bits.extend(root.fill(
            "| { use $core::bitflags::Flags as _; let tags: $tags = $set; tags.bits() as $std::primitive::u64 }",
            at_first(set),
            &[("tags", &tags), ("set", set)],
        ));
    }
    bits
}
