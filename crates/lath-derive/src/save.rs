//! The `impl Save`: what a snapshot asks about a thing and its fields.

use proc_macro::{Literal, Span, TokenStream, TokenTree};

use crate::case::bare;
use crate::error::Errors;
use crate::fields::ThingField;
use crate::parse::Struct;
use crate::root::Root;
use crate::template::fill;
use crate::thing::{RULES, Thing};

/// What `#[derive(Save)]` adds to a struct. What is wrong with its attributes is for
/// `#[derive(Thing)]` to say, without which this is of no use.
pub(crate) fn derive(item: TokenStream, root: Root) -> TokenStream {
    let mut errors = Errors::default();
    let thing =
        Struct::parse(item, &RULES).ok().and_then(|parsed| Thing::read(parsed, root, &mut errors));
    match thing {
        Some((thing, _)) if errors.len() == 0 => write(&thing, root),
        _ => TokenStream::new(),
    }
}

fn write(thing: &Thing, root: Root) -> TokenStream {
    let mut code = TokenStream::new();
    for field in &thing.fields {
        code.extend(implement_field(thing, field, root));
    }
    code.extend(implement_snap(thing, root));
    code.extend(implement_save(thing, root));
    code
}

/// What the fields of a generic thing have to be. For others the compiler finds out by itself, and
/// says so at the field.
fn predicates(thing: &Thing, root: Root, bounds: &str) -> TokenStream {
    let mut predicates = thing.generics.thing_predicates.clone();
    if !thing.generics.params.is_empty() {
        for field in thing.fields.iter().filter(|field| field.is_saved() || bounds == CLONE) {
            predicates.extend(root.fill(
                &format!("$ty: {bounds},"),
                Span::call_site(),
                &[("ty", &field.ty_in_bound(thing, root))],
            ));
        }
    }
    predicates
}

const CLONE: &str = "$std::clone::Clone";

/// What `unsafe impl Snap` promises holds because the compiler itself is asked whether a type is
/// `Copy`, and `visit_cloned` shows the markers of all fields, in order. Types and numbers are
/// those that the markers have, and `assert_all_fields` compares the numbers with the thing's: if
/// another attribute has changed the struct between the two derives, that is an error and not a
/// wrong answer.
fn implement_snap(thing: &Thing, root: Root) -> TokenStream {
    let [mut numbers, mut plain, mut visits] = <[TokenStream; 3]>::default();
    for field in &thing.fields {
        let holes = [("marker", &field.path(thing))];
        let add = |to: &mut TokenStream, span: Span, code| to.extend(root.fill(code, span, &holes));
        add(&mut numbers, Span::call_site(), "<$marker as $core::Field>::INDEX,");
        add(
            &mut plain,
            Span::call_site(),
            "| ($core::strips::Probe::<<$marker as $core::Field>::Value>::IS_COPY as $std::primitive::u64)
                << <$marker as $core::Field>::INDEX",
        );
        add(
            &mut visits,
            field.ty_span().resolved_at(Span::call_site()),
            "$core::strips::ClonedVisitor::field::<$marker>(visitor);",
        );
    }
    root.fill(
        "#[automatically_derived]
        unsafe impl<$params> $core::strips::Snap for $name<$arguments> where $predicates {
            const PLAIN: $std::primitive::u64 = {
                #[allow(unused_imports)]
                use $core::strips::NotCopy as _;
                $core::derive::assert_all_fields::<Self>(&[$numbers]);
                0 $plain
            };
            fn visit_cloned<__Visitor: $core::strips::ClonedVisitor<Self>>(visitor: &mut __Visitor) { $visits }
        }",
        Span::call_site(),
        &[
            ("params", &thing.generics.params),
            ("arguments", &thing.generics.arguments),
            ("predicates", &predicates(thing, root, CLONE)),
            ("name", &TokenTree::from(thing.name.clone()).into()),
            ("numbers", &numbers),
            ("plain", &plain),
            ("visits", &visits),
        ],
    )
}

/// All that is saved of a field: its other names, whether its values are plain bytes, and the
/// handles in them.
fn implement_field(thing: &Thing, field: &ThingField, root: Root) -> TokenStream {
    if !field.is_saved() {
        return TokenStream::new();
    }
    let mut aliases = TokenStream::new();
    for alias in &field.attrs.aliases {
        aliases.extend(fill(
            "$alias,",
            Span::call_site(),
            &[("alias", &TokenTree::from(alias.clone()).into())],
        ));
    }
    root.fill(
        "#[automatically_derived]
        impl<$params> $snapshot::SavedField for $marker where $predicates {
            const ALIASES: &'static [&'static $std::primitive::str] = &[$aliases];
            fn raw() -> $std::option::Option<$snapshot::Raw<Self>> {
                #[allow(unused_imports)]
                use $snapshot::probe::{AsHandles as _, AsPlain as _, NotPlain as _};
                (&&$snapshot::probe::Plain::<Self>::NEW).lath_raw()
            }
            fn get(thing: &Self::Thing) -> &Self::Value {
                &thing.$member
            }
            fn get_mut(thing: &mut Self::Thing) -> &mut Self::Value {
                &mut thing.$member
            }
            fn relink(value: &mut Self::Value, links: &mut $snapshot::Relink<'_>) {
                #[allow(unused_imports)]
                use $snapshot::probe::{WithHandles as _, WithoutHandles as _};
                (&mut $snapshot::probe::Handles(value)).lath_relink(links)
            }
        }",
        field.ty_span().resolved_at(Span::call_site()),
        &[
            ("snapshot", &root.snapshot()),
            ("params", &thing.generics.params),
            ("predicates", &predicates(thing, root, &saved_bounds(root))),
            ("marker", &field.path(thing)),
            ("aliases", &aliases),
            ("member", &field.member.clone().into()),
        ],
    )
}

fn saved_bounds(root: Root) -> String {
    format!("{CLONE} + {}::SavedValue", root.snapshot())
}

fn implement_save(thing: &Thing, root: Root) -> TokenStream {
    let snapshot = root.snapshot();
    let mut visits = TokenStream::new();
    for field in thing.fields.iter().filter(|field| field.is_saved()) {
        let holes = [("snapshot", &snapshot), ("marker", &field.path(thing))];
        visits.extend(fill(
            "$snapshot::SaveVisitor::field::<$marker>(visitor)?;",
            Span::call_site(),
            &holes,
        ));
    }
    let tags = thing.fields.iter().any(|field| field.attrs.tags.is_some());
    let names = if tags {
        root.fill(
            "fn write_tags(tags: Self::Tags) -> $std::option::Option<$snapshot::probe::String> {
                $std::option::Option::Some($snapshot::probe::write_tags(&tags))
            }
            fn read_tags(text: &$std::primitive::str) -> $std::option::Option<Self::Tags> {
                $snapshot::probe::read_tags(text)
            }",
            Span::call_site(),
            &[("snapshot", &snapshot)],
        )
    } else {
        TokenStream::new()
    };
    root.fill(
        "#[automatically_derived]
        impl<$params> $snapshot::Save for $name<$arguments> where $predicates {
            const NAME: &'static $std::primitive::str = $text;
            fn visit_saved<__Visitor: $snapshot::SaveVisitor<Self>>(visitor: &mut __Visitor)
                -> $std::result::Result<(), __Visitor::Error>
            {
                $visits
                $std::result::Result::Ok(())
            }
            $names
        }",
        Span::call_site(),
        &[
            ("snapshot", &snapshot),
            ("params", &thing.generics.params),
            ("arguments", &thing.generics.arguments),
            ("predicates", &save_predicates(thing, root)),
            ("name", &TokenTree::from(thing.name.clone()).into()),
            ("text", &TokenTree::from(Literal::string(bare(&thing.name.to_string()))).into()),
            ("visits", &visits),
            ("names", &names),
        ],
    )
}

/// What it takes to save a generic thing: what it takes to copy it, and its saved fields.
fn save_predicates(thing: &Thing, root: Root) -> TokenStream {
    let mut both = predicates(thing, root, CLONE);
    if !thing.generics.params.is_empty() {
        for field in thing.fields.iter().filter(|field| field.is_saved()) {
            both.extend(root.fill(
                &format!("$ty: {},", saved_bounds(root)),
                Span::call_site(),
                &[("ty", &field.ty_in_bound(thing, root))],
            ));
        }
    }
    both
}

impl ThingField {
    /// Tags are saved with the slots, not as a field.
    fn is_saved(&self) -> bool {
        self.attrs.skip.is_none() && self.attrs.tags.is_none()
    }
}
