//! The `impl Thing`, and what else there is to say about the struct as a whole.

use proc_macro::{Ident, Literal, Span, TokenStream, TokenTree};

use crate::attr::{Handle, Layout, StructAttrs};
use crate::bits::HandleBits;
use crate::case::{bare, module_of};
use crate::columns;
use crate::cursor::flatten;
use crate::error::Errors;
use crate::fields::{self, ThingField};
use crate::generics::Generics;
use crate::parse::{Rules, Shape, Struct};
use crate::root::Root;
use crate::template::fill;
use crate::vis::Visibility;

pub(crate) const RULES: Rules = Rules {
    attr: "thing",
    not_an_enum: "a thing is a struct, not an enum: make a struct with the enum as a field; `#[thing(kind)]` on that \
        field puts its value into the handle",
    not_a_union: "a thing is a struct, not a union: make a struct for each kind of value, or one with a field for each",
};

/// A struct that is a thing, and what its attributes say.
pub(crate) struct Thing {
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    /// Where the field markers are.
    pub(crate) module: Ident,
    pub(crate) generics: Generics,
    pub(crate) shape: Shape,
    pub(crate) fields: Vec<ThingField>,
}

/// What the attributes of the struct say besides.
pub(crate) struct Said {
    layout: Layout,
    handle: Option<Handle>,
    /// The module of the field markers was given a name.
    has_own_module: bool,
}

impl Thing {
    /// Reads the attributes of a struct and its fields. Nothing if there are lifetimes.
    pub(crate) fn read(parsed: Struct, root: Root, errors: &mut Errors) -> Option<(Self, Said)> {
        let Struct { attrs, packed, vis, name, params, predicates, shape, fields } = parsed;
        if let Some(packed) = packed {
            errors.at(
                packed,
                "views borrow single fields, which a packed struct does not allow: remove `packed`",
            );
        }
        let StructAttrs { layout, handle, module } = StructAttrs::read(attrs, errors);
        let fields = ThingField::read_all(fields, errors);
        let generics = Generics::new(&name, params, predicates, root, errors)?;
        let has_own_module = module.is_some();
        let module =
            module.unwrap_or_else(|| module_of(&name, name.span().resolved_at(Span::call_site())));
        Some((
            Self { vis, name, module, generics, shape, fields },
            Said { layout, handle, has_own_module },
        ))
    }
}

/// What `#[derive(Thing)]` adds to a struct: a few `impl`s, or everything that is wrong with the
/// struct.
pub(crate) fn derive(item: TokenStream, root: Root) -> TokenStream {
    let mut errors = Errors::default();
    let code = match Struct::parse(item, &RULES) {
        Ok(parsed) => write(parsed, root, &mut errors),
        Err(error) => {
            errors.push(error);
            None
        }
    };
    let mut output = errors.into_tokens(|span| root.std(span));
    output.extend(code);
    output
}

/// The code. Unless there are lifetimes it is written in spite of errors: without it, every use of
/// the struct would be reported as well.
fn write(parsed: Struct, root: Root, errors: &mut Errors) -> Option<TokenStream> {
    let (thing, Said { layout, handle, has_own_module }) = Thing::read(parsed, root, errors)?;
    let kind = kind_field(&thing.fields, handle.as_ref(), errors);
    let tags = tags_field(&thing.fields, errors);
    let Thing { name, module, .. } = &thing;
    let named_alike = bare(&module.to_string()) == bare(&name.to_string());
    if named_alike && !thing.fields.is_empty() {
        let advice = if has_own_module {
            "choose another name"
        } else {
            "name it with `#[thing(module = …)]`"
        };
        let message =
            format!("the module of the fields cannot have the name of the struct: {advice}");
        errors.at(if has_own_module { module.span() } else { name.span() }, message);
    }
    let mut code = implementation(&thing, layout, handle, kind, tags, root);
    if !named_alike || thing.fields.is_empty() {
        code.extend(fields::write(&thing, tags, root));
        if let Layout::Columns(said) = layout {
            code.extend(columns::write(&thing, said, root));
        }
    }
    Some(code)
}

fn implementation(
    thing: &Thing,
    layout: Layout,
    handle: Option<Handle>,
    kind: Option<usize>,
    tags: Option<usize>,
    root: Root,
) -> TokenStream {
    let HandleBits { bits, index, kind: kind_bits } =
        handle.map_or(HandleBits::DEFAULT, |handle| handle.bits);
    let number = |number| TokenStream::from(TokenTree::from(Literal::u32_unsuffixed(number)));
    let no_tags = || root.fill("type Tags = $core::NoTags;", Span::call_site(), &[]);
    root.fill(
        "#[automatically_derived]
        impl<$params> $core::Thing for $name<$arguments> where $predicates {
            type Bits = $std::primitive::$bits;
            const INDEX_BITS: $std::primitive::u32 = $index;
            const KIND_BITS: $std::primitive::u32 = $kind_bits;
            type Storage = $storage;
            $tags
            $kind
        }",
        Span::call_site(),
        &[
            ("name", &TokenTree::from(thing.name.clone()).into()),
            ("params", &thing.generics.params),
            ("arguments", &thing.generics.arguments),
            ("predicates", &thing.generics.thing_predicates),
            ("bits", &TokenTree::from(Ident::new(&format!("u{bits}"), Span::call_site())).into()),
            ("index", &number(index)),
            ("kind_bits", &number(kind_bits)),
            ("storage", &storage(layout, root)),
            ("tags", &tags.map_or_else(no_tags, |tags| tags_methods(&thing.fields[tags]))),
            ("kind", &kind.map(|kind| kind_method(&thing.fields[kind], root)).unwrap_or_default()),
        ],
    )
}

/// The type that keeps the values.
fn storage(layout: Layout, root: Root) -> TokenStream {
    match layout {
        Layout::Rows => fill("$core::Rows<Self>", Span::call_site(), &[("core", &root.core())]),
        Layout::Columns(said) => {
            let span = said.resolved_at(Span::call_site());
            fill("$soa::Columns<Self>", span, &[("soa", &root.soa(span))])
        }
    }
}

/// The field marked `#[thing(kind)]`, which there must be if the handle has bits for it and must
/// not be otherwise.
fn kind_field(
    fields: &[ThingField],
    handle: Option<&Handle>,
    errors: &mut Errors,
) -> Option<usize> {
    let mut found = None;
    for (i, field) in fields.iter().enumerate() {
        let Some(mark) = field.attrs.kind else { continue };
        if let Some(earlier) = found {
            let earlier: &ThingField = &fields[earlier];
            errors
                .at(mark, format!("a thing has one kind, and `{}` is it already", earlier.member));
            continue;
        }
        if handle.is_some_and(|handle| handle.kind.is_none()) {
            let advice = "say how many with `#[thing(handle(kind = 4))]` on the struct";
            errors.at(mark, format!("the handle has no bits for a kind: {advice}"));
        }
        found = Some(i);
    }
    match (found, handle.and_then(|handle| handle.kind)) {
        (None, Some(asked)) => errors
            .at(asked, "the handle has bits for a kind, but no field is marked `#[thing(kind)]`"),
        (Some(kind), _) if is_float(&fields[kind].ty) => {
            errors.at(
                fields[kind].ty_span(),
                "a kind is an integer or an enum without fields, not a float",
            );
            found = None;
        }
        _ => {}
    }
    found
}

/// Floats are refused by name: a cast would accept and round them.
fn is_float(ty: &TokenStream) -> bool {
    let ty = flatten(ty.clone()).to_string();
    matches!(ty.as_str(), "f16" | "f32" | "f64" | "f128")
}

/// `fn kind`. Every integer and every discriminant fits in an `i128` (but the upper half of `u128`,
/// which turns negative); what a `u32` cannot hold becomes its maximum, which is above every kind.
/// Errors of the cast point at the field's type.
fn kind_method(field: &ThingField, root: Root) -> TokenStream {
    root.fill(
        "#[inline]
        fn kind(&self) -> $std::primitive::u32 {
            let kind = self.$member as $std::primitive::i128;
            $std::convert::TryFrom::try_from(kind).unwrap_or($std::primitive::u32::MAX)
        }",
        field.ty_span().resolved_at(Span::call_site()),
        &[("member", &field.member.clone().into())],
    )
}

/// The field marked `#[thing(tags)]`.
fn tags_field(fields: &[ThingField], errors: &mut Errors) -> Option<usize> {
    let mut found = None;
    for (i, field) in fields.iter().enumerate() {
        match (field.attrs.tags, found) {
            (Some(mark), Some(earlier)) => {
                let earlier: &ThingField = &fields[earlier];
                let message = format!(
                    "a thing has one field for all its tags, and `{}` is it already: move the flags there",
                    earlier.member
                );
                errors.at(mark, message);
            }
            (Some(_), None) => found = Some(i),
            (None, _) => {}
        }
    }
    found
}

/// What a thing with tags says about them. Errors about their type point at it. It is
/// the field's, since `tags` and `put_tags` convert it to and fro. (The marker would know, but may
/// be too private to be asked.)
fn tags_methods(field: &ThingField) -> TokenStream {
    fill(
        "type Tags = $ty;
        #[inline]
        fn tags(&self) -> Self::Tags {
            self.$member
        }
        #[inline]
        fn put_tags(&mut self, tags: Self::Tags) {
            self.$member = tags;
        }",
        field.ty_span().resolved_at(Span::call_site()),
        &[("ty", &field.ty), ("member", &field.member.clone().into())],
    )
}
