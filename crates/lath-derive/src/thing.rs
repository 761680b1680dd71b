//! The `impl Thing`.

use proc_macro::{Ident, Literal, Span, TokenStream, TokenTree};

use crate::attr::{FieldAttrs, Handle, Layout, StructAttrs};
use crate::bits::HandleBits;
use crate::cursor::flatten;
use crate::error::{Error, Errors};
use crate::parse::{Field, Param, Struct};
use crate::template::fill;

/// From where the crates of lath can be reached.
#[derive(Clone, Copy)]
pub(crate) enum Root {
    /// Through `lath`, the only crate that most users name.
    Facade,
    /// Each by its own name.
    Core,
}

impl Root {
    /// The path of one of the crates of lath.
    fn path(self, name: &str) -> TokenStream {
        let prefix = match self {
            Self::Facade => "::lath::__private::",
            Self::Core => "::",
        };
        fill(&format!("{prefix}{name}"), Span::call_site(), &[])
    }
}

impl Layout {
    /// The type that keeps the values.
    fn storage(self, root: Root) -> TokenStream {
        match self {
            Self::Rows => fill("$core::Rows<Self>", Span::call_site(), &[("core", &root.path("lath_core"))]),
        }
    }
}

/// What `#[derive(Thing)]` adds to a struct: an `impl`, or everything that is wrong with the struct.
pub(crate) fn derive(item: TokenStream, root: Root) -> TokenStream {
    let mut errors = Errors::default();
    let implementation = match Struct::parse(item) {
        Ok(thing) => implement(thing, root, &mut errors),
        Err(error) => {
            errors.push(error);
            None
        }
    };
    let mut output = errors.into_tokens();
    output.extend(implementation);
    output
}

/// The `impl`. Unless there are lifetimes it is written in spite of errors: without it, every use of the struct would
/// be reported as well.
fn implement(thing: Struct, root: Root, errors: &mut Errors) -> Option<TokenStream> {
    let attrs = StructAttrs::read(thing.attrs, errors);
    let kind = kind_field(thing.fields, attrs.handle.as_ref(), errors);
    let generics = Generics::new(thing.params, thing.predicates, errors)?;
    let HandleBits { bits, index, kind: kind_bits } = attrs.handle.map_or(HandleBits::DEFAULT, |handle| handle.bits);
    let number = |number| TokenStream::from(TokenTree::from(Literal::u32_unsuffixed(number)));
    Some(fill(
        "#[automatically_derived]
        impl<$params> $core::Thing for $name<$arguments> where $predicates {
            type Bits = ::core::primitive::$bits;
            const INDEX_BITS: ::core::primitive::u32 = $index;
            const KIND_BITS: ::core::primitive::u32 = $kind_bits;
            type Storage = $storage;
            type Tags = $core::NoTags;
            $kind
        }",
        Span::call_site(),
        &[
            ("core", &root.path("lath_core")),
            ("name", &TokenTree::from(thing.name).into()),
            ("params", &generics.params),
            ("arguments", &generics.arguments),
            ("predicates", &generics.predicates),
            ("bits", &TokenTree::from(Ident::new(&format!("u{bits}"), Span::call_site())).into()),
            ("index", &number(index)),
            ("kind_bits", &number(kind_bits)),
            ("storage", &attrs.layout.storage(root)),
            ("kind", &kind.map(kind_method).unwrap_or_default()),
        ],
    ))
}

/// The three places of an `impl` where generics show up.
struct Generics {
    params: TokenStream,
    arguments: TokenStream,
    predicates: TokenStream,
}

impl Generics {
    fn new(declared: Vec<Param>, mut predicates: TokenStream, errors: &mut Errors) -> Option<Self> {
        let errors_before = errors.len();
        let (mut params, mut arguments) = (TokenStream::new(), TokenStream::new());
        let comma = || fill(",", Span::call_site(), &[]);
        for param in declared {
            match param {
                Param::Owned { name, declared } => {
                    params.extend([declared, comma()]);
                    arguments.extend([TokenTree::from(name).into(), comma()]);
                }
                Param::Lifetime { quote, name } => errors.push(Error::between(
                    quote,
                    name.span(),
                    "things own their data and cannot borrow: keep a handle or an index instead of a reference",
                )),
            }
        }
        // `Thing: Default + 'static`. Whether a generic struct is that may depend on its parameters, in ways that only
        // the compiler can tell: it is asked. For a struct without parameters it reports the lack of it by itself.
        if !params.is_empty() {
            predicates.extend(fill("Self: ::core::default::Default + 'static", Span::call_site(), &[]));
        }
        (errors.len() == errors_before).then_some(Self { params, arguments, predicates })
    }
}

/// The field marked `#[thing(kind)]`, which there must be if the handle has bits for it and must not be otherwise.
fn kind_field(fields: Vec<Field>, handle: Option<&Handle>, errors: &mut Errors) -> Option<Field> {
    let mut found: Option<Field> = None;
    for mut field in fields {
        let attrs = FieldAttrs::read(std::mem::take(&mut field.attrs), errors);
        let Some(mark) = attrs.kind else { continue };
        if let Some(earlier) = &found {
            errors.at(mark, format!("a thing has one kind, and `{}` is it already", earlier.member));
            continue;
        }
        if handle.is_some_and(|handle| handle.kind.is_none()) {
            let advice = "say how many with `#[thing(handle(kind = 4))]` on the struct";
            errors.at(mark, format!("the handle has no bits for a kind: {advice}"));
        }
        found = Some(field);
    }
    match (&found, handle.and_then(|handle| handle.kind)) {
        (None, Some(asked)) => {
            errors.at(asked, "the handle has bits for a kind, but no field is marked `#[thing(kind)]`")
        }
        (Some(field), _) if is_float(&field.ty) => {
            errors.at(field.ty[0].span(), "a kind is an integer or an enum without fields, not a float");
            found = None;
        }
        _ => {}
    }
    found
}

/// Floats are refused by name: a cast would accept and round them.
fn is_float(ty: &[TokenTree]) -> bool {
    let ty = flatten(ty.iter().cloned().collect()).to_string();
    matches!(ty.as_str(), "f16" | "f32" | "f64" | "f128")
}

/// `fn kind`. Every integer and every discriminant fits in an `i128` (but the upper half of `u128`, which turns negative);
/// what a `u32` cannot hold becomes its maximum, which is above every kind. Errors of the cast point at the field's type.
fn kind_method(field: Field) -> TokenStream {
    let span = field.ty.first().map_or_else(Span::call_site, |token| token.span().resolved_at(Span::call_site()));
    fill(
        "#[inline]
        fn kind(&self) -> ::core::primitive::u32 {
            let kind = self.$member as ::core::primitive::i128;
            ::core::convert::TryFrom::try_from(kind).unwrap_or(::core::primitive::u32::MAX)
        }",
        span,
        &[("member", &field.member.into())],
    )
}
