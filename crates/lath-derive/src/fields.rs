//! The fields of a thing: a marker for each, in a module named after the struct, and what
//! `lath-core` asks about them.

use proc_macro::{Ident, Literal, Span, TokenStream, TokenTree};

use crate::attr::FieldAttrs;
use crate::case::bare;
use crate::cursor::has_punct;
use crate::error::Errors;
use crate::parse::{Field, with_self_named};
use crate::root::Root;
use crate::template::fill;
use crate::thing::Thing;
use crate::vis::Visibility;

/// Views keep what they use as bits of a `u64`.
const MOST: usize = 64;

/// A field, and what its attributes say.
pub(crate) struct ThingField {
    pub(crate) attrs: FieldAttrs,
    pub(crate) vis: Visibility,
    /// What follows the dot in `self.hull` or `self.0`.
    pub(crate) member: TokenTree,
    pub(crate) ty: TokenStream,
    /// The type that stands for it: `hull` or `_0`.
    pub(crate) marker: Ident,
}

impl ThingField {
    /// Reads the attributes of all fields, and refuses fields beyond the limit.
    pub(crate) fn read_all(fields: Vec<Field>, errors: &mut Errors) -> Vec<Self> {
        if let Some(field) = fields.get(MOST) {
            let message = format!(
                "a thing has at most {MOST} fields: put some of them into a struct of their own"
            );
            errors.at(field.member.span(), message);
        }
        fields.into_iter().map(|field| Self::read(field, errors)).collect()
    }

    fn read(field: Field, errors: &mut Errors) -> Self {
        let Field { attrs, vis, member, ty } = field;
        // Of the macro's own making, so that no lint finds fault with the name of the type; but at
        // the user's place.
        let span = member.span().resolved_at(Span::call_site());
        let marker = match &member {
            TokenTree::Ident(name) => {
                let mut marker = name.clone();
                marker.set_span(span);
                marker
            }
            number => Ident::new(&format!("_{number}"), span),
        };
        Self {
            attrs: FieldAttrs::read(attrs, errors),
            vis,
            member,
            ty: ty.into_iter().collect(),
            marker,
        }
    }

    /// Where its type is written.
    pub(crate) fn ty_span(&self) -> Span {
        self.ty.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span())
    }

    /// Whether the pool has to know when it changes.
    pub(crate) fn is_tags_or_kind(&self) -> bool {
        self.attrs.tags.is_some() || self.attrs.kind.is_some()
    }

    /// The path of its marker.
    pub(crate) fn path(&self, thing: &Thing) -> TokenStream {
        fill(
            "$module::$marker<$arguments>",
            Span::call_site(),
            &[
                ("module", &TokenTree::from(thing.module.clone()).into()),
                ("marker", &TokenTree::from(self.marker.clone()).into()),
                ("arguments", &thing.generics.arguments),
            ],
        )
    }

    /// Its type, wherever it stands: what the compiler made of it where `Self` is the thing.
    pub(crate) fn ty_in(&self, thing: &Thing, root: Root) -> TokenStream {
        root.fill(
            "<$name<$arguments> as $core::derive::TypeAt<$marker>>::Type",
            self.ty_span().resolved_at(Span::call_site()),
            &[
                ("name", &TokenTree::from(thing.name.clone()).into()),
                ("arguments", &thing.generics.arguments),
                ("marker", &self.path(thing)),
            ],
        )
    }

    /// Its type, to be asked for in a bound: as it is written, unless there is a macro in it. The
    /// compiler does not see that a bound on `TypeAt` is one that it has already, and finds one too
    /// many. Nothing that is promised rests on bounds.
    pub(crate) fn ty_in_bound(&self, thing: &Thing, root: Root) -> TokenStream {
        if has_punct(self.ty.clone(), '!') {
            return self.ty_in(thing, root);
        }
        with_self_named(self.ty.clone(), &thing.name, &thing.generics.arguments)
    }
}

/// The markers and the `impl`s about them.
pub(crate) fn write(thing: &Thing, tags: Option<usize>, root: Root) -> TokenStream {
    let mut code = if thing.fields.is_empty() { TokenStream::new() } else { markers(thing, root) };
    for (index, field) in thing.fields.iter().enumerate() {
        code.extend(implement_field(thing, field, index, root));
    }
    code.extend(implement_fields(thing, tags, root));
    code
}

/// The module with the markers. Nothing in it may use a name of the user's: in the module that name
/// may mean nothing.
fn markers(thing: &Thing, root: Root) -> TokenStream {
    let name = thing.name.to_string();
    let text = |text: String| TokenStream::from(TokenTree::from(Literal::string(&text)));
    // No value of a marker is ever made. Its parameters have to show up in it somewhere all the
    // same.
    let body = if thing.generics.marker_params.is_empty() {
        TokenStream::new()
    } else {
        let never = "#[doc(hidden)] __Never($std::convert::Infallible, $phantoms)";
        root.fill(never, Span::call_site(), &[("phantoms", &thing.generics.phantoms)])
    };
    let mut markers = TokenStream::new();
    for field in &thing.fields {
        // A marker must not be seen further than the thing that it leads to.
        let vis = field.vis.narrower(&thing.vis).one_module_down(field.marker.span());
        markers.extend(fill(
            "#[doc = $doc] $vis enum $marker<$params> { $body }",
            field.marker.span(),
            &[
                ("doc", &text(format!("The field `{}` of `{name}`.", field.member))),
                ("vis", &vis),
                ("marker", &TokenTree::from(field.marker.clone()).into()),
                ("params", &thing.generics.marker_params),
                ("body", &body),
            ],
        ));
    }
    fill(
        "#[doc = $doc] $vis mod $module { $markers }",
        thing.name.span().resolved_at(Span::call_site()),
        &[
            ("doc", &text(format!("The fields of `{name}`, as types."))),
            ("vis", &thing.vis.here()),
            ("module", &TokenTree::from(thing.module.clone()).into()),
            ("markers", &markers),
        ],
    )
}

/// What an `unsafe impl Field` promises holds because there is one marker per field, with that
/// field's number. The field's type is written in the first of the two `impl`s and nowhere else;
/// whether it is the field's, `implement_fields` asks.
fn implement_field(thing: &Thing, field: &ThingField, index: usize, root: Root) -> TokenStream {
    root.fill(
        "#[automatically_derived]
        impl<$params> $core::derive::TypeAt<$marker> for $name<$arguments> where $predicates {
            type Type = $ty;
        }

        #[automatically_derived]
        unsafe impl<$params> $core::Field for $marker where $thing_predicates {
            type Thing = $name<$arguments>;
            type Value = $value;
            const INDEX: $std::primitive::usize = $index;
        }",
        Span::call_site(),
        &[
            ("params", &thing.generics.params),
            ("arguments", &thing.generics.arguments),
            ("predicates", &thing.generics.predicates),
            ("thing_predicates", &thing.generics.thing_predicates),
            ("name", &TokenTree::from(thing.name.clone()).into()),
            ("marker", &field.path(thing)),
            ("ty", &field.ty),
            ("value", &field.ty_in(thing, root)),
            ("index", &TokenTree::from(Literal::usize_unsuffixed(index)).into()),
        ],
    )
}

/// What an `unsafe impl Fields` promises holds because the compiler itself is asked for offsets,
/// sizes and alignments, of all fields in their order; `visit` is written in the same loop. Fields
/// are aligned: packed structs are refused.
///
/// The struct may not be what was read here: a macro in the place of a type may make something else
/// of the same tokens, and another attribute may change the struct later. So the compiler is shown,
/// in a closure that is never called, that the fields are these and no others, and can be borrowed.
/// What it then finds the type of each to be must be what its marker says, exactly: the type of
/// `Exactly::of` is known before it is compared, so that nothing is converted on the way.
fn implement_fields(thing: &Thing, tags: Option<usize>, root: Root) -> TokenStream {
    let name = TokenTree::from(thing.name.clone()).into();
    let [mut infos, mut visits, mut members, mut checks] = <[TokenStream; 4]>::default();
    for (number, field) in thing.fields.iter().enumerate() {
        let home = match (field.attrs.hot, field.attrs.cold) {
            (_, Some(_)) => "Cold",
            (Some(_), None) => "Hot",
            (None, None) => "Column",
        };
        let value = Ident::new(&format!("__{number}"), Span::mixed_site());
        let holes = [
            ("text", &TokenTree::from(Literal::string(bare(&field.member.to_string()))).into()),
            ("name", &name),
            ("arguments", &thing.generics.arguments),
            ("marker", &field.path(thing)),
            ("member", &field.member.clone().into()),
            ("value", &TokenTree::from(value).into()),
            ("home", &TokenTree::from(Ident::new(home, Span::call_site())).into()),
        ];
        let add = |to: &mut TokenStream, span: Span, code| to.extend(root.fill(code, span, &holes));
        add(&mut members, Span::call_site(), "$member: ref mut $value,");
        // Errors point at the type.
        add(
            &mut checks,
            field.ty_span().resolved_at(Span::call_site()),
            "let $value = $core::derive::Exactly::of($value);
            $core::derive::is_value_of::<$marker>($value);",
        );
        add(
            &mut infos,
            Span::call_site(),
            "$core::derive::info::<$marker>(
                $text,
                $std::mem::offset_of!($name<$arguments>, $member),
                $core::Home::$home,
            ),",
        );
        add(&mut visits, Span::call_site(), "$core::FieldVisitor::field::<$marker>(visitor);");
    }
    let tags = tags.map(|tags| {
        root.fill(
            "const TAGS_FIELD: $std::option::Option<$std::primitive::usize> = $std::option::Option::Some($tags);",
            Span::call_site(),
            &[("tags", &TokenTree::from(Literal::usize_unsuffixed(tags)).into())],
        )
    });
    root.fill(
        "#[automatically_derived]
        unsafe impl<$params> $core::Fields for $name<$arguments> where $predicates {
            const FIELDS: &'static [$core::FieldInfo] = &[$infos];
            $tags
            fn visit<__Visitor: $core::FieldVisitor<Self>>(visitor: &mut __Visitor) {
                let _ = |__thing: &mut Self| {
                    let Self { $members } = *__thing;
                    $checks
                };
                $visits
            }
        }",
        Span::call_site(),
        &[
            ("params", &thing.generics.params),
            ("arguments", &thing.generics.arguments),
            ("predicates", &thing.generics.thing_predicates),
            ("name", &name),
            ("infos", &infos),
            ("tags", &tags.unwrap_or_default()),
            ("visits", &visits),
            ("members", &members),
            ("checks", &checks),
        ],
    )
}
