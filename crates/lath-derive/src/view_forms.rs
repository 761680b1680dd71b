//! What a view of plain references is besides a view: what `slices` needs.

use proc_macro::{Span, TokenStream, TokenTree};

use crate::template::fill;
use crate::view::{Access, Part, View, variable};

/// The further `impl`s of a view, which is the same as the tuple `inner`.
pub(crate) fn forms(
    view: &View,
    parts: &[Part],
    inner: &TokenStream,
    pattern: &TokenStream,
) -> TokenStream {
    match parts.iter().all(|part| matches!(part.access, Access::Ref | Access::Mut)) {
        true => slices(view, parts, inner, pattern),
        false => TokenStream::new(),
    }
}

/// A struct with the view's fields as slices. It has no name outside, and needs none: `slices` hands
/// it out.
fn slices(view: &View, parts: &[Part], inner: &TokenStream, pattern: &TokenStream) -> TokenStream {
    let core = view.root.core();
    let (mut fields, mut members) = (TokenStream::new(), TokenStream::new());
    for (i, part) in parts.iter().enumerate() {
        let mut name = part.name.clone();
        name.set_span(name.span().resolved_at(Span::call_site()));
        let (name, block) = (TokenTree::from(name).into(), view.block(part, &view.borrow));
        let holes = [
            ("core", &core),
            ("vis", &part.vis),
            ("name", &name),
            ("borrow", &view.borrow),
            ("block", &block),
        ];
        fields.extend(fill(
            "$vis $name: <$block as $core::Slices>::Slices<$borrow>,",
            Span::call_site(),
            &holes,
        ));
        members.extend(fill(
            "$name: $value,",
            Span::call_site(),
            &[("name", &name), ("value", &variable(i))],
        ));
    }
    view.root.fill(
        "#[allow(dead_code)]
        pub struct __Slices<$params> where $predicates { $fields }

        #[automatically_derived]
        unsafe impl<$params> $core::Slices for $name<$arguments> where $predicates {
            type Slices<'__item> = __Slices<'__item, $owned_arguments>;

            fn dense() -> $std::primitive::bool {
                <$inner as $core::Slices>::dense()
            }

            #[inline(always)]
            unsafe fn slices<'__item>(
                base: Self::Base,
                rows: $std::ops::Range<$std::primitive::usize>,
            ) -> Self::Slices<'__item> {
                // SAFETY: passed on from the caller.
                let $pattern: <$inner as $core::Slices>::Slices<'__item> =
                    unsafe { <$inner as $core::Slices>::slices(base.0, rows) };
                __Slices { $members }
            }
        }",
        Span::call_site(),
        &[
            ("name", &TokenTree::from(view.name.clone()).into()),
            ("params", &view.params),
            ("arguments", &view.arguments),
            ("owned_arguments", &view.owned_arguments),
            ("predicates", &view.predicates),
            ("inner", inner),
            ("pattern", pattern),
            ("fields", &fields),
            ("members", &members),
        ],
    )
}
