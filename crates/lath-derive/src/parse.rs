//! The item that stands under the derive, as plain Rust structs.

use proc_macro::{Delimiter, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

use crate::attr::Attr;
use crate::cursor::{Cursor, flatten, is_group, is_punct, is_word};
use crate::error::Error;

const NOT_AN_ENUM: &str = "a thing is a struct, not an enum: make a struct with the enum as a field; \
    `#[thing(kind)]` on that field puts its value into the handle";
const NOT_A_UNION: &str = "a thing is a struct, not a union: make a struct for each kind of value, \
    or one with a field for each";

/// A struct: `struct Name<generics> where … { fields }`.
pub(crate) struct Struct {
    pub(crate) attrs: Vec<Attr>,
    pub(crate) name: Ident,
    pub(crate) params: Vec<Param>,
    /// What follows `where`, each predicate with a comma after it.
    pub(crate) predicates: TokenStream,
    pub(crate) fields: Vec<Field>,
}

/// A generic parameter. Its default is dropped: an `impl` cannot repeat it.
pub(crate) enum Param {
    Lifetime {
        quote: Span,
        name: Ident,
    },
    /// `X: Bound`, or `const N: usize`.
    Owned {
        name: Ident,
        declared: TokenStream,
    },
}

pub(crate) struct Field {
    pub(crate) attrs: Vec<Attr>,
    /// What follows the dot in `self.hull` or `self.0`.
    pub(crate) member: TokenTree,
    pub(crate) ty: Vec<TokenTree>,
}

impl Struct {
    pub(crate) fn parse(item: TokenStream) -> Result<Self, Error> {
        let mut cursor = Cursor::new(item, Span::call_site());
        let attrs = attributes(&mut cursor);
        visibility(&mut cursor);
        let keyword = cursor.ident("`struct`")?;
        match keyword.to_string().as_str() {
            "struct" => {}
            "enum" => return Err(Error::at(keyword.span(), NOT_AN_ENUM)),
            "union" => return Err(Error::at(keyword.span(), NOT_A_UNION)),
            _ => return Err(Error::at(keyword.span(), "expected `struct`")),
        }
        let name = cursor.ident("the name of the struct")?;
        let params = params(&mut cursor)?;
        // Named fields follow the `where`, tuple fields stand before it.
        let mut predicates = where_clause(&mut cursor);
        let fields = if let Some(body) = cursor.group(Delimiter::Brace) {
            named_fields(Cursor::inside(&body))?
        } else if let Some(body) = cursor.group(Delimiter::Parenthesis) {
            predicates = where_clause(&mut cursor);
            tuple_fields(Cursor::inside(&body))
        } else if cursor.punct(';').is_some() {
            Vec::new()
        } else {
            return Err(cursor.expected("the fields of the struct"));
        };
        Ok(Self { attrs, name, params, predicates, fields })
    }
}

/// All attributes that come next; those of other macros are skipped.
fn attributes(cursor: &mut Cursor) -> Vec<Attr> {
    let mut attrs = Vec::new();
    while cursor.punct('#').is_some() {
        attrs.extend(cursor.group(Delimiter::Bracket).and_then(|body| Attr::parse(&body)));
    }
    attrs
}

/// `pub`, `pub(crate)` and so on, or nothing.
fn visibility(cursor: &mut Cursor) -> TokenStream {
    // What `$vis` of a `macro_rules!` stood for, which may be nothing.
    if let Some(TokenTree::Group(group)) = cursor.peek() {
        let mut inner = group.stream().into_iter();
        if group.delimiter() == Delimiter::None && inner.next().is_none_or(|token| is_word(&token, "pub")) {
            return cursor.group(Delimiter::None).into_iter().map(|group| flatten(group.stream())).collect();
        }
    }
    let mut tokens: Vec<TokenTree> = cursor.keyword("pub").map(TokenTree::from).into_iter().collect();
    if !tokens.is_empty() && cursor.peek().is_some_and(is_restriction) {
        tokens.extend(cursor.group(Delimiter::Parenthesis).map(TokenTree::from));
    }
    tokens.into_iter().collect()
}

/// Whether a `(…)` after `pub` belongs to it. In `struct Pair(pub (f32, f32))` it is a type.
fn is_restriction(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    let mut inner = group.stream().into_iter();
    let first = inner.next();
    let one_of = |words: &[&str]| first.as_ref().is_some_and(|token| words.iter().any(|word| is_word(token, word)));
    group.delimiter() == Delimiter::Parenthesis
        && (one_of(&["in"]) || one_of(&["crate", "self", "super"]) && inner.next().is_none())
}

/// `<…>`, if it comes next.
fn params(cursor: &mut Cursor) -> Result<Vec<Param>, Error> {
    let mut params = Vec::new();
    if cursor.punct('<').is_none() {
        return Ok(params);
    }
    while cursor.punct('>').is_none() {
        attributes(cursor);
        params.push(param(cursor)?);
        if cursor.punct(',').is_none() && !cursor.peek().is_some_and(|token| is_punct(token, '>')) {
            return Err(cursor.expected("`,` or `>`"));
        }
    }
    Ok(params)
}

fn param(cursor: &mut Cursor) -> Result<Param, Error> {
    let ends = |token: &TokenTree| is_punct(token, ',') || is_punct(token, '>');
    if let Some(quote) = cursor.punct('\'') {
        let name = cursor.ident("the name of a lifetime")?;
        cursor.until(ends);
        return Ok(Param::Lifetime { quote: quote.span(), name });
    }
    let keyword = cursor.keyword("const");
    let name = cursor.ident("a generic parameter")?;
    let bounds = cursor.until(|token| ends(token) || is_punct(token, '='));
    if cursor.punct('=').is_some() {
        cursor.until(ends);
    }
    let declared = keyword.into_iter().chain([name.clone()]).map(TokenTree::from).chain(bounds).collect();
    Ok(Param::Owned { name, declared })
}

/// `where …`, if it comes next.
fn where_clause(cursor: &mut Cursor) -> TokenStream {
    if cursor.keyword("where").is_none() {
        return TokenStream::new();
    }
    let mut tokens = cursor.until(|token| is_group(token, Delimiter::Brace) || is_punct(token, ';'));
    if tokens.last().is_some_and(|token| !is_punct(token, ',')) {
        tokens.push(Punct::new(',', Spacing::Alone).into());
    }
    tokens.into_iter().collect()
}

fn named_fields(mut cursor: Cursor) -> Result<Vec<Field>, Error> {
    let mut fields = Vec::new();
    while !cursor.is_empty() {
        let attrs = attributes(&mut cursor);
        visibility(&mut cursor);
        let member = cursor.ident("the name of a field")?;
        if cursor.punct(':').is_none() {
            return Err(cursor.expected("`:` and the type of the field"));
        }
        fields.push(Field { attrs, member: member.into(), ty: ty(&mut cursor) });
    }
    Ok(fields)
}

fn tuple_fields(mut cursor: Cursor) -> Vec<Field> {
    let mut fields = Vec::new();
    while !cursor.is_empty() {
        let attrs = attributes(&mut cursor);
        visibility(&mut cursor);
        let member = Literal::usize_unsuffixed(fields.len()).into();
        fields.push(Field { attrs, member, ty: ty(&mut cursor) });
    }
    fields
}

/// The type of a field and the comma after it.
fn ty(cursor: &mut Cursor) -> Vec<TokenTree> {
    let ty = cursor.until(|token| is_punct(token, ','));
    cursor.punct(',');
    ty
}
