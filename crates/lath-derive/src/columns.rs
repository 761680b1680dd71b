//! What a thing in columns has besides: `ActorRef` and `ActorMut`, structs of references, and how
//! they are made.

use proc_macro::{Ident, Literal, Span, TokenStream, TokenTree};

use crate::case::bare;
use crate::fields::ThingField;
use crate::parse::Shape;
use crate::root::Root;
use crate::thing::Thing;

/// One of the two structs of references.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Ref,
    Mut,
}

/// The structs and the `impl`s about them. `said` is where the struct asks for columns.
///
/// What an `unsafe impl Columnar` promises holds because each struct has one member per field, made
/// of the pointer that it is given for the marker of that field.
pub(crate) fn write(thing: &Thing, said: Span, root: Root) -> TokenStream {
    let mut code = TokenStream::new();
    for look in [Look::Ref, Look::Mut] {
        code.extend(declaration(thing, look, root));
    }
    let soa = root.soa(said.resolved_at(Span::call_site()));
    code.extend(root.fill(
        "#[automatically_derived]
        impl<'pool, $params> $std::clone::Clone for $ref<'pool, $arguments> where $predicates {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        #[automatically_derived]
        impl<'pool, $params> $std::marker::Copy for $ref<'pool, $arguments> where $predicates {}

        #[automatically_derived]
        unsafe impl<$params> $soa::Columnar for $name<$arguments> where $thing_predicates {
            type Ref<'pool> = $ref<'pool, $arguments>;
            type Mut<'pool> = $mut<'pool, $arguments>;

            #[inline(always)]
            unsafe fn make_ref<'pool, __At: $soa::Pointers<'pool, Self>>(at: __At) -> $ref<'pool, $arguments> {
                // SAFETY: passed on from the caller, field by field.
                unsafe { $ref { $ref_members } }
            }

            #[inline(always)]
            unsafe fn make_mut<'pool, __At: $soa::Pointers<'pool, Self>>(at: __At) -> $mut<'pool, $arguments> {
                // SAFETY: passed on from the caller, field by field; no field is named twice.
                unsafe { $mut { $mut_members } }
            }

            unsafe fn cold_is_default(field: $std::primitive::usize, value: *const $std::primitive::u8)
                -> $std::primitive::bool
            {
                match field {
                    $is_default
                    _ => false,
                }
            }

            unsafe fn cold_default(field: $std::primitive::usize, to: *mut $std::primitive::u8) {
                match field {
                    $default
                    _ => {}
                }
            }
        }

        #[automatically_derived]
        impl<$params> $soa::CloneFields for $name<$arguments> where $thing_predicates $clone_predicates {
            fn clone_fields(from: $ref<'_, $arguments>) -> Self {
                $name { $clones }
            }
        }",
        Span::call_site(),
        &[
            ("soa", &soa),
            ("name", &TokenTree::from(thing.name.clone()).into()),
            ("ref", &Look::Ref.name(thing).into()),
            ("mut", &Look::Mut.name(thing).into()),
            ("params", &thing.generics.params),
            ("arguments", &thing.generics.arguments),
            ("predicates", &thing.generics.predicates),
            ("thing_predicates", &thing.generics.thing_predicates),
            ("clone_predicates", &clone_predicates(thing, root)),
            ("ref_members", &members(thing, Look::Ref, &soa, root)),
            ("mut_members", &members(thing, Look::Mut, &soa, root)),
            ("clones", &clones(thing, root)),
            // SAFETY: in the code that is made, a value of the field of this number, by the caller.
            (
                "is_default",
                &colds(thing, root, "$n => unsafe { *value.cast::<$ty>() == <$ty as $std::default::Default>::default() },"),
            ),
            // SAFETY: in the code that is made, room for a value of the field of this number, by
            // the caller.
            (
                "default",
                &colds(thing, root, "$n => unsafe { to.cast::<$ty>().write(<$ty as $std::default::Default>::default()) },"),
            ),
        ],
    ));
    code
}

impl Look {
    /// `ActorRef` or `ActorMut`.
    fn name(self, thing: &Thing) -> TokenTree {
        let suffix = if self == Self::Ref { "Ref" } else { "Mut" };
        let name = format!("{}{suffix}", bare(&thing.name.to_string()));
        Ident::new(&name, thing.name.span().resolved_at(Span::call_site())).into()
    }

    /// How a field is referred to.
    fn access(self, field: &ThingField) -> Access {
        match (self, field.attrs.cold) {
            (Self::Mut, _) if field.is_tags_or_kind() => Self::Ref.access(field),
            (Self::Ref, None) => Access::Ref,
            (Self::Ref, Some(_)) => Access::RefOrDefault,
            (Self::Mut, None) => Access::Mut,
            (Self::Mut, Some(_)) => Access::MutIfAny,
        }
    }
}

/// How a field is referred to.
enum Access {
    Ref,
    Mut,
    /// A cold field, or its default.
    RefOrDefault,
    /// A cold field, if the thing has it.
    MutIfAny,
}

/// The struct of references.
fn declaration(thing: &Thing, look: Look, root: Root) -> TokenStream {
    let span = thing.name.span().resolved_at(Span::call_site());
    let mut fields = TokenStream::new();
    for field in &thing.fields {
        let ty = match look.access(field) {
            Access::Ref | Access::RefOrDefault => "&'pool $ty",
            Access::Mut => "&'pool mut $ty",
            Access::MutIfAny => "$std::option::Option<&'pool mut $ty>",
        };
        let code = match thing.shape {
            Shape::Named => format!("#[doc = $doc] $vis $member: {ty},"),
            Shape::Tuple | Shape::Unit => format!("#[doc = $doc] $vis {ty},"),
        };
        fields.extend(root.fill(
            &code,
            Span::call_site(),
            &[
                ("doc", &text(&format!("The field `{}`.", field.member))),
                ("vis", &field.vis.here()),
                ("member", &TokenTree::from(field.marker.clone()).into()),
                ("ty", &field.ty_in(thing, root)),
            ],
        ));
    }
    // The lifetime has to show up somewhere.
    if thing.fields.is_empty() {
        let nothing = match thing.shape {
            Shape::Named => "__nothing: $std::marker::PhantomData<&'pool ()>",
            Shape::Tuple | Shape::Unit => "$std::marker::PhantomData<&'pool ()>",
        };
        fields = root.fill(nothing, Span::call_site(), &[]);
    }
    let (code, doc) = (
        match thing.shape {
            Shape::Named => {
                "#[doc = $doc] $vis struct $look<'pool, $params> where $predicates { $fields }"
            }
            Shape::Tuple | Shape::Unit => {
                "#[doc = $doc] $vis struct $look<'pool, $params>($fields) where $predicates;"
            }
        },
        match look {
            Look::Ref => "as a pool shows it: a reference to each field.",
            Look::Mut => "as a pool gives it away: a mutable reference to each field.",
        },
    );
    root.fill(
        code,
        span,
        &[
            ("doc", &text(&format!("`{}` {doc}", thing.name))),
            ("vis", &thing.vis.here()),
            ("look", &look.name(thing).into()),
            ("params", &thing.generics.params),
            ("predicates", &thing.generics.predicates),
            ("fields", &fields),
        ],
    )
}

/// The members of such a struct, made of the pointers that `at` has.
fn members(thing: &Thing, look: Look, soa: &TokenStream, root: Root) -> TokenStream {
    let mut members = TokenStream::new();
    for field in &thing.fields {
        let code = match look.access(field) {
            Access::Ref => "$member: &*$soa::Pointers::get::<$marker>(at),",
            Access::Mut => "$member: &mut *$soa::Pointers::get::<$marker>(at),",
            Access::RefOrDefault => "$member: &*$soa::Pointers::cold_or_default::<$marker>(at),",
            Access::MutIfAny => {
                "$member: $std::option::Option::map($soa::Pointers::cold::<$marker>(at), |at| &mut *at),"
            }
        };
        let holes = [
            ("soa", soa),
            ("member", &field.member.clone().into()),
            ("marker", &field.path(thing)),
        ];
        members.extend(root.fill(code, Span::call_site(), &holes));
    }
    if thing.fields.is_empty() {
        let member = if thing.shape == Shape::Named { "__nothing" } else { "0" };
        members =
            root.fill(&format!("{member}: $std::marker::PhantomData"), Span::call_site(), &[]);
    }
    members
}

/// What it takes to clone a thing field by field. Whether it holds is not the struct's fault: the
/// `for` is there because the compiler refuses to be asked about types without parameters
/// otherwise.
fn clone_predicates(thing: &Thing, root: Root) -> TokenStream {
    let mut predicates = root.fill("for<'__any> Self: $std::clone::Clone,", Span::call_site(), &[]);
    for field in &thing.fields {
        let holes = [("ty", &field.ty_in_bound(thing, root))];
        predicates.extend(root.fill(
            "for<'__any> $ty: $std::clone::Clone,",
            Span::call_site(),
            &holes,
        ));
    }
    predicates
}

/// An arm of a `match` for every cold field. Errors about what its type lacks point at the type.
fn colds(thing: &Thing, root: Root, arm: &str) -> TokenStream {
    let mut arms = TokenStream::new();
    for (n, field) in
        thing.fields.iter().enumerate().filter(|(_, field)| field.attrs.cold.is_some())
    {
        let first = field.ty.clone().into_iter().next();
        let span =
            first.map_or_else(Span::call_site, |token| token.span().resolved_at(Span::call_site()));
        let n = TokenTree::from(Literal::usize_unsuffixed(n)).into();
        arms.extend(root.fill(arm, span, &[("n", &n), ("ty", &field.ty_in(thing, root))]));
    }
    arms
}

fn clones(thing: &Thing, root: Root) -> TokenStream {
    let mut clones = TokenStream::new();
    for field in &thing.fields {
        let holes = [("member", &field.member.clone().into())];
        clones.extend(root.fill(
            "$member: $std::clone::Clone::clone(from.$member),",
            Span::call_site(),
            &holes,
        ));
    }
    clones
}

fn text(text: &str) -> TokenStream {
    TokenTree::from(Literal::string(text)).into()
}
