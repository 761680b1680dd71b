//! The item that stands under the derive, as plain Rust structs.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

use crate::cursor::{Cursor, flatten, is_group, is_punct, is_word, rewrite};
use crate::entry::Attr;
use crate::error::Error;
use crate::template::fill;
use crate::vis::Visibility;

/// What a macro says to items that are not for it.
pub(crate) struct Rules {
    /// The name of its attributes.
    pub(crate) attr: &'static str,
    pub(crate) not_an_enum: &'static str,
    pub(crate) not_a_union: &'static str,
}

/// A struct: `struct Name<generics> where … { fields }`.
pub(crate) struct Struct {
    pub(crate) attrs: Vec<Attr>,
    /// Where it says `#[repr(packed)]`.
    pub(crate) packed: Option<Span>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    pub(crate) params: Vec<Param>,
    /// What follows `where`, each predicate with a comma after it.
    pub(crate) predicates: TokenStream,
    pub(crate) shape: Shape,
    pub(crate) fields: Vec<Field>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Named,
    Tuple,
    Unit,
}

/// A generic parameter. Its default is dropped: an `impl` cannot repeat it.
pub(crate) enum Param {
    Lifetime {
        quote: Span,
        name: Ident,
    },
    /// `X: Bound`.
    Type {
        name: Ident,
        declared: TokenStream,
    },
    /// `const N: usize`.
    Const {
        name: Ident,
        ty: Vec<TokenTree>,
        declared: TokenStream,
    },
}

pub(crate) struct Field {
    pub(crate) attrs: Vec<Attr>,
    pub(crate) vis: Visibility,
    /// What follows the dot in `self.hull` or `self.0`.
    pub(crate) member: TokenTree,
    pub(crate) ty: Vec<TokenTree>,
}

impl Struct {
    pub(crate) fn parse(item: TokenStream, rules: &Rules) -> Result<Self, Error> {
        let mut cursor = Cursor::new(item, Span::call_site());
        let brackets = attributes(&mut cursor);
        let vis = Visibility::parse(&mut cursor);
        let keyword = cursor.ident("`struct`")?;
        match keyword.to_string().as_str() {
            "struct" => {}
            "enum" => return Err(Error::at(keyword.span(), rules.not_an_enum)),
            "union" => return Err(Error::at(keyword.span(), rules.not_a_union)),
            _ => return Err(Error::at(keyword.span(), "expected `struct`")),
        }
        let name = cursor.ident("the name of the struct")?;
        let params = params(&mut cursor)?;
        // Named fields follow the `where`, tuple fields stand before it.
        let mut predicates = where_clause(&mut cursor);
        let (shape, fields) = if let Some(body) = cursor.group(Delimiter::Brace) {
            (Shape::Named, named_fields(Cursor::inside(&body), rules)?)
        } else if let Some(body) = cursor.group(Delimiter::Parenthesis) {
            predicates = where_clause(&mut cursor);
            (Shape::Tuple, tuple_fields(Cursor::inside(&body), rules))
        } else if cursor.punct(';').is_some() {
            (Shape::Unit, Vec::new())
        } else {
            return Err(cursor.expected("the fields of the struct"));
        };
        let attrs = ours(&brackets, rules);
        let packed = brackets.iter().find_map(packed);
        let mut parsed = Self { attrs, packed, vis, name, params, predicates, shape, fields };
        parsed.name_self();
        Ok(parsed)
    }

    /// Replaces `Self` by the name of the struct in the bounds: they will be repeated where it
    /// means something else.
    fn name_self(&mut self) {
        let arguments = self.arguments();
        let replace = |tokens: &mut TokenStream| {
            *tokens = with_self_named(std::mem::take(tokens), &self.name, &arguments);
        };
        replace(&mut self.predicates);
        for param in &mut self.params {
            if let Param::Type { declared, .. } = param {
                replace(declared);
            }
        }
    }

    /// The same in the types of the fields, for a derive that repeats them anywhere but in an
    /// `impl` for the struct.
    pub(crate) fn name_self_in_fields(&mut self) {
        let arguments = self.arguments();
        for field in &mut self.fields {
            let ty = std::mem::take(&mut field.ty).into_iter().collect();
            field.ty = with_self_named(ty, &self.name, &arguments).into_iter().collect();
        }
    }

    /// What stands between `<` and `>` where the struct is used.
    fn arguments(&self) -> TokenStream {
        let mut arguments = TokenStream::new();
        for param in &self.params {
            arguments.extend(param.argument());
            arguments.extend([TokenTree::from(Punct::new(',', Spacing::Alone))]);
        }
        arguments
    }
}

impl Param {
    /// The parameter where it is used.
    pub(crate) fn argument(&self) -> TokenStream {
        match self {
            Self::Lifetime { quote, name } => {
                let mut mark = Punct::new('\'', Spacing::Joint);
                mark.set_span(*quote);
                [TokenTree::from(mark), name.clone().into()].into_iter().collect()
            }
            Self::Type { name, .. } | Self::Const { name, .. } => {
                TokenTree::from(name.clone()).into()
            }
        }
    }
}

/// The tokens with `Name::<arguments>` for `Self`, which is good both in a type and in an
/// expression.
pub(crate) fn with_self_named(
    tokens: TokenStream,
    name: &Ident,
    arguments: &TokenStream,
) -> TokenStream {
    rewrite(tokens, &|_, token| {
        is_word(token, "Self").then(|| {
            let mut name = name.clone();
            name.set_span(token.span());
            let name = TokenTree::from(name).into();
            let code = if arguments.is_empty() { "$name" } else { "$name::<$arguments>" };
            fill(code, token.span(), &[("name", &name), ("arguments", arguments)])
        })
    })
}

/// What is between the brackets of all attributes that come next.
fn attributes(cursor: &mut Cursor) -> Vec<Group> {
    let mut attrs = Vec::new();
    while cursor.punct('#').is_some() {
        attrs.extend(cursor.group(Delimiter::Bracket));
    }
    attrs
}

/// The attributes of ours.
fn ours(brackets: &[Group], rules: &Rules) -> Vec<Attr> {
    brackets.iter().filter_map(|body| Attr::parse(body, rules.attr)).collect()
}

/// Where it says `packed` in `#[repr(…)]`.
fn packed(brackets: &Group) -> Option<Span> {
    let mut tokens = flatten(brackets.stream()).into_iter();
    tokens.next().filter(|token| is_word(token, "repr"))?;
    let Some(TokenTree::Group(list)) = tokens.next() else { return None };
    flatten(list.stream())
        .into_iter()
        .find(|token| is_word(token, "packed"))
        .map(|token| token.span())
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
    let ty = bounds.get(1..).map(<[TokenTree]>::to_vec).unwrap_or_default();
    let is_const = keyword.is_some();
    let declared =
        keyword.into_iter().chain([name.clone()]).map(TokenTree::from).chain(bounds).collect();
    Ok(if is_const { Param::Const { name, ty, declared } } else { Param::Type { name, declared } })
}

/// `where …`, if it comes next.
fn where_clause(cursor: &mut Cursor) -> TokenStream {
    if cursor.keyword("where").is_none() {
        return TokenStream::new();
    }
    let mut tokens =
        cursor.until(|token| is_group(token, Delimiter::Brace) || is_punct(token, ';'));
    if tokens.last().is_some_and(|token| !is_punct(token, ',')) {
        tokens.push(Punct::new(',', Spacing::Alone).into());
    }
    tokens.into_iter().collect()
}

fn named_fields(mut cursor: Cursor, rules: &Rules) -> Result<Vec<Field>, Error> {
    let mut fields = Vec::new();
    while !cursor.is_empty() {
        let attrs = ours(&attributes(&mut cursor), rules);
        let vis = Visibility::parse(&mut cursor);
        let member = cursor.ident("the name of a field")?;
        if cursor.punct(':').is_none() {
            return Err(cursor.expected("`:` and the type of the field"));
        }
        fields.push(Field { attrs, vis, member: member.into(), ty: ty(&mut cursor) });
    }
    Ok(fields)
}

fn tuple_fields(mut cursor: Cursor, rules: &Rules) -> Vec<Field> {
    let mut fields = Vec::new();
    while !cursor.is_empty() {
        let attrs = ours(&attributes(&mut cursor), rules);
        let vis = Visibility::parse(&mut cursor);
        let mut member = Literal::usize_unsuffixed(fields.len());
        let ty = ty(&mut cursor);
        member.set_span(ty.first().map_or_else(Span::call_site, TokenTree::span));
        fields.push(Field { attrs, vis, member: member.into(), ty });
    }
    fields
}

/// The type of a field and the comma after it.
fn ty(cursor: &mut Cursor) -> Vec<TokenTree> {
    let ty = cursor.until(|token| is_punct(token, ','));
    cursor.punct(',');
    ty
}
