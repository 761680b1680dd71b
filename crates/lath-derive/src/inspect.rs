//! The `impl Inspect`: what the inspector can do with each field, found out by the compiler.

use proc_macro::{Span, TokenStream, TokenTree};

use crate::attr::StructAttrs;
use crate::case::module_of;
use crate::error::Errors;
use crate::fields::ThingField;
use crate::generics::Generics;
use crate::parse::{Rules, Struct};
use crate::root::Root;
use crate::template::fill;
use crate::thing::Thing;

const RULES: Rules = Rules {
    attr: "thing",
    not_an_enum: "the inspector shows things, and a thing is a struct: derive `Inspect` where `Thing` is derived",
    not_a_union: "the inspector shows things, and a thing is a struct: derive `Inspect` where `Thing` is derived",
};

/// What `#[derive(Inspect)]` adds to a thing. What is wrong with its attributes is left to the
/// derive of `Thing` to say.
pub(crate) fn derive(item: TokenStream, root: Root) -> TokenStream {
    match Struct::parse(item, &RULES) {
        Ok(parsed) => write(parsed, root).unwrap_or_default(),
        Err(error) => {
            let mut errors = Errors::default();
            errors.push(error);
            errors.into_tokens(|span| root.std(span))
        }
    }
}

fn write(parsed: Struct, root: Root) -> Option<TokenStream> {
    let Struct { attrs, vis, name, params, predicates, shape, fields, .. } = parsed;
    let mut unsaid = Errors::default();
    let attrs = StructAttrs::read(attrs, &mut unsaid);
    let fields = ThingField::read_all(fields, &mut unsaid);
    let generics = Generics::new(&name, params, predicates, root, &mut unsaid)?;
    let module = attrs
        .module
        .unwrap_or_else(|| module_of(&name, name.span().resolved_at(Span::call_site())));
    let thing = Thing { vis, name, module, generics, shape, fields };
    let inspect = root.inspect();
    let mut list = TokenStream::new();
    for field in &thing.fields {
        let kind = if field.attrs.tags.is_some() { "tags" } else { "field" };
        list.extend(fill(
            &format!(
                "{{
                let probe = $inspect::probe::Probe::<$ty>::NEW;
                let how = $inspect::How::new(
                    (&&&probe).lath_show(),
                    (&&&probe).lath_json(),
                    (&&probe).lath_number(),
                    (&&probe).lath_flags(),
                    (&&probe).lath_link(),
                );
                list.{kind}::<$marker>(how, |thing| &thing.$member);
            }}"
            ),
            Span::call_site(),
            &[
                ("inspect", &inspect),
                ("ty", &field.ty_in(&thing, root)),
                ("marker", &field.path(&thing)),
                ("member", &field.member.clone().into()),
            ],
        ));
    }
    let name = TokenTree::from(thing.name.clone()).into();
    let resident = if thing.generics.params.is_empty() {
        TokenStream::new()
    } else {
        let holes =
            [("name", &name), ("arguments", &thing.generics.arguments), ("inspect", &inspect)];
        fill("$name<$arguments>: $inspect::Resident,", Span::call_site(), &holes)
    };
    Some(fill(
        "#[automatically_derived]
        impl<$params> $inspect::Inspect for $name<$arguments> where $predicates $resident {
            #[allow(unused_imports, unused_variables, clippy::all)]
            fn fields(list: &mut $inspect::FieldList<Self>) {
                use $inspect::probe::prelude::*;
                $list
            }
        }",
        Span::call_site(),
        &[
            ("inspect", &inspect),
            ("params", &thing.generics.params),
            ("arguments", &thing.generics.arguments),
            ("predicates", &thing.generics.thing_predicates),
            ("resident", &resident),
            ("name", &name),
            ("list", &list),
        ],
    ))
}
