//! The `impl View`: a struct of references is a tuple of `Ref`, `Mut` and `Handle` with names.

use proc_macro::{Ident, Literal, Span, TokenStream, TokenTree};

use crate::cursor::{Cursor, flatten, is_punct, is_word, rewrite};
use crate::error::{Error, Errors};
use crate::parse::{Field, Param, Rules, Shape, Struct};
use crate::root::Root;
use crate::template::fill;
use crate::view_attr::{ViewAttrs, tag_bits};
use crate::view_forms::forms;

const RULES: Rules = Rules {
    attr: "view",
    not_an_enum: "a view is a struct with a reference for each field that it uses, not an enum",
    not_a_union: "a view is a struct with a reference for each field that it uses, not a union",
};

/// The largest tuple that `lath-core` knows as a view.
const WIDEST: usize = 8;

/// What `#[derive(View)]` adds to a struct: an `impl`, or everything that is wrong with the struct.
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

/// The code, or nothing if there are errors: what would be written then only leads to more of them.
fn write(mut parsed: Struct, root: Root, errors: &mut Errors) -> Option<TokenStream> {
    parsed.name_self_in_fields();
    let Struct { attrs, name, params, predicates, shape, fields, .. } = parsed;
    let attrs = ViewAttrs::read(attrs, &name, errors);
    if shape != Shape::Named || fields.is_empty() {
        let message = "a view has named fields, called like those of the thing: `struct Moving<'a> { pos: &'a mut Vec2 }`";
        errors.at(name.span(), message);
        return None;
    }
    let lifetime = lifetime(&params, errors);
    if lifetime.is_none() && !fields.iter().all(|field| is_handle(&field.ty)) {
        errors.at(
            name.span(),
            format!("a view borrows from its pool: give it a lifetime, as in `{name}<'a>`"),
        );
        return None;
    }
    let parts = fields
        .into_iter()
        .map(|field| Part::read(field, lifetime.as_ref(), errors))
        .collect::<Vec<_>>();
    if errors.len() > 0 {
        return None;
    }
    let view = View::new(name, lifetime.as_ref(), &params, predicates, attrs?, root);
    Some(view.implementation(&parts.into_iter().flatten().collect::<Vec<_>>()))
}

/// The one lifetime of the view. A view of nothing but handles has none.
fn lifetime(params: &[Param], errors: &mut Errors) -> Option<Ident> {
    let mut lifetimes = params.iter().filter_map(|param| match param {
        Param::Lifetime { quote, name, .. } => Some((quote, name)),
        _ => None,
    });
    let first = lifetimes.next();
    for (quote, more) in lifetimes {
        errors.push(Error::between(
            *quote,
            more.span(),
            "a view borrows once: one lifetime is enough",
        ));
    }
    first.map(|(_, name)| name.clone())
}

/// A field of a view.
pub(crate) struct Part {
    pub(crate) vis: TokenStream,
    /// Its name, which is that of the thing's field.
    pub(crate) name: Ident,
    ty: Vec<TokenTree>,
    pub(crate) access: Access,
}

/// What a field of a view does with the thing's field.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    /// `&'a T`
    Ref,
    /// `&'a mut T`
    Mut,
    /// `Option<&'a T>`
    OptionRef,
    /// `Option<&'a mut T>`
    OptionMut,
    /// `Handle<Actor>`, which is no field of the thing.
    Handle,
}

impl Part {
    fn read(field: Field, lifetime: Option<&Ident>, errors: &mut Errors) -> Option<Self> {
        for attr in field.attrs {
            errors.at(attr.name, "`view` belongs on the struct, not on a field");
        }
        let TokenTree::Ident(name) = field.member else { return None };
        // Without a lifetime on the struct its fields are handles, which have none.
        let access = match lifetime {
            Some(lifetime) => access(&field.ty, lifetime),
            None => Ok(Access::Handle),
        };
        match access {
            Ok(access) => Some(Self { vis: field.vis.here(), name, ty: field.ty, access }),
            Err(error) => {
                errors.push(error);
                None
            }
        }
    }
}

/// Whether a field is a handle.
fn is_handle(ty: &[TokenTree]) -> bool {
    matches!(access(ty, &Ident::new("a", Span::call_site())), Ok(Access::Handle))
}

/// Reads the type of a field.
fn access(ty: &[TokenTree], lifetime: &Ident) -> Result<Access, Error> {
    let mut cursor = Cursor::new(flatten(ty.iter().cloned().collect()), Span::call_site());
    if cursor.punct('&').is_some() {
        let mutable = reference(&mut cursor, lifetime)?;
        return Ok(if mutable { Access::Mut } else { Access::Ref });
    }
    let mut word = None;
    while cursor.punct(':').is_some() || matches!(cursor.peek(), Some(TokenTree::Ident(_))) {
        if let Ok(name) = cursor.ident("a name") {
            word = Some(name.to_string());
        }
    }
    let is_generic = cursor.punct('<').is_some();
    match word.as_deref() {
        Some("Handle") if is_generic => return Ok(Access::Handle),
        Some("Option") if is_generic && cursor.punct('&').is_some() => {
            let mutable = reference(&mut cursor, lifetime)?;
            return Ok(if mutable { Access::OptionMut } else { Access::OptionRef });
        }
        _ => {}
    }
    let (first, last) = (ty[0].span(), ty[ty.len() - 1].span());
    let message = format!(
        "a field of a view is `&'{lifetime} T`, `&'{lifetime} mut T`, `Handle<Actor>` or, for a cold field, \
        `Option<&'{lifetime} T>` or `Option<&'{lifetime} mut T>`"
    );
    Err(Error::between(first, last, message))
}

/// Reads what follows `&`: the lifetime, and whether there is a `mut`.
fn reference(cursor: &mut Cursor, lifetime: &Ident) -> Result<bool, Error> {
    let Some(quote) = cursor.punct('\'') else {
        return Err(cursor.expected(&format!("the lifetime of the view: `&'{lifetime}`")));
    };
    let name = cursor.ident("the name of a lifetime")?;
    if name.to_string() != lifetime.to_string() {
        let message = format!("a view borrows with its own lifetime: write `&'{lifetime}`");
        return Err(Error::between(quote.span(), name.span(), message));
    }
    Ok(cursor.keyword("mut").is_some())
}

/// A view, and all that it takes to write about it.
pub(crate) struct View {
    pub(crate) name: Ident,
    /// The `a` of `'a`; nothing for a view of nothing but handles.
    lifetime: Option<String>,
    /// `'a`
    pub(crate) borrow: TokenStream,
    /// `'a, X: Bound,`
    pub(crate) params: TokenStream,
    /// `'a, X,`
    pub(crate) arguments: TokenStream,
    /// `X,`
    pub(crate) owned_arguments: TokenStream,
    pub(crate) predicates: TokenStream,
    attrs: ViewAttrs,
    pub(crate) root: Root,
}

impl View {
    fn new(
        name: Ident,
        lifetime: Option<&Ident>,
        params: &[Param],
        mut predicates: TokenStream,
        attrs: ViewAttrs,
        root: Root,
    ) -> Self {
        let [mut borrow, mut declared, mut arguments, mut owned_arguments] =
            <[TokenStream; 4]>::default();
        for param in params {
            let comma = || fill(",", Span::call_site(), &[]);
            match param {
                Param::Lifetime { .. } => {
                    borrow = param.argument();
                    declared.extend([borrow.clone(), comma()]);
                    arguments.extend([borrow.clone(), comma()]);
                }
                Param::Type { declared: bounded, .. } | Param::Const { declared: bounded, .. } => {
                    declared.extend([bounded.clone(), comma()]);
                    arguments.extend([param.argument(), comma()]);
                    owned_arguments.extend([param.argument(), comma()]);
                }
            }
        }
        // What `derive(Thing)` asks of a generic struct to be a thing.
        if !owned_arguments.is_empty() {
            let holes = [("thing", &attrs.thing.ty)];
            predicates.extend(root.fill(
                "$thing: $std::default::Default + 'static,",
                Span::call_site(),
                &holes,
            ));
        }
        let lifetime = lifetime.map(Ident::to_string);
        Self {
            name,
            lifetime,
            borrow,
            params: declared,
            arguments,
            owned_arguments,
            predicates,
            attrs,
            root,
        }
    }

    /// The `impl`, by way of a tuple that is the same view. It stands in a block of its own, with a
    /// type that hides the markers of private fields from the users of a public view.
    ///
    /// What an `unsafe impl View` promises holds because it holds for the tuple, and the references
    /// of an item are those of the tuple's item: the compiler is told for how long it is borrowed,
    /// before it sees what the fields of the struct ask for. The tuple is written once, since it
    /// repeats what the user has written of the thing. It refuses a field that is used twice.
    fn implementation(&self, parts: &[Part]) -> TokenStream {
        let forever = fill("'static", Span::call_site(), &[]);
        let block = |(i, part)| (self.block(part, &forever), variable(i));
        let mut tuple = parts.iter().enumerate().map(block).collect::<Vec<_>>();
        while tuple.len() > 1 {
            tuple = tuple.chunks(WIDEST).map(to_tuple).collect();
        }
        let (tuple, pattern) = tuple.pop().unwrap_or_default();
        let name = TokenTree::from(self.name.clone()).into();
        let inner = self.root.fill(
            "<$name<$arguments> as $core::derive::TypeAt<__Inner>>::Type",
            Span::call_site(),
            &[("name", &name), ("arguments", &self.arguments)],
        );
        let (mut values, mut members) = (TokenStream::new(), TokenStream::new());
        for (i, part) in parts.iter().enumerate() {
            values.extend(self.value(part, i));
            let holes =
                [("name", &TokenTree::from(part.name.clone()).into()), ("value", &variable(i))];
            members.extend(fill("$name: $value,", Span::call_site(), &holes));
        }
        let thing = &self.attrs.thing.ty;
        let item = self
            .lifetime
            .as_ref()
            .map_or(TokenStream::new(), |_| fill("'__item,", Span::call_site(), &[]));
        self.root.fill(
            "const _: () = {
                enum __Inner {}

                #[automatically_derived]
                impl<$params> $core::derive::TypeAt<__Inner> for $name<$arguments> where $predicates {
                    type Type = $tuple;
                }

                pub struct __Base<$params>(
                    <$inner as $core::View>::Base,
                    $std::marker::PhantomData<fn() -> $name<$arguments>>,
                ) where $predicates;

                #[automatically_derived]
                impl<$params> $std::clone::Clone for __Base<$arguments> where $predicates {
                    #[inline(always)]
                    fn clone(&self) -> Self {
                        *self
                    }
                }

                #[automatically_derived]
                impl<$params> $std::marker::Copy for __Base<$arguments> where $predicates {}

                #[automatically_derived]
                unsafe impl<$params> $core::View for $name<$arguments> where $predicates {
                    type Thing = $thing;
                    type Item<'__item> = $name<$item $owned_arguments>;
                    const READS: $std::primitive::u64 = <$inner as $core::View>::READS;
                    const WRITES: $std::primitive::u64 = <$inner as $core::View>::WRITES;
                    const WITH: $std::primitive::u64 = $with;
                    const WITHOUT: $std::primitive::u64 = $without;
                    type Base = __Base<$arguments>;

                    #[inline(always)]
                    unsafe fn base(
                        storage: &$core::StorageOf<Self>,
                        place: $core::PlaceOf<Self>,
                        index: $std::primitive::u32,
                    ) -> Self::Base {
                        $core::derive::are_of_one_thing::<Self, $inner>();
                        // SAFETY: passed on from the caller.
                        let base = unsafe { <$inner as $core::View>::base(storage, place, index) };
                        __Base(base, $std::marker::PhantomData)
                    }

                    #[inline(always)]
                    unsafe fn at<'__item>(base: Self::Base, row: $std::primitive::usize) -> Self::Item<'__item> {
                        // SAFETY: passed on from the caller.
                        let $pattern: <$inner as $core::View>::Item<'__item> =
                            unsafe { <$inner as $core::View>::at(base.0, row) };
                        $values
                        $name { $members }
                    }
                }

                $forms
            };",
            Span::call_site(),
            &[
                ("name", &name),
                ("params", &self.params),
                ("arguments", &self.arguments),
                ("owned_arguments", &self.owned_arguments),
                ("predicates", &self.predicates),
                ("thing", thing),
                ("item", &item),
                ("tuple", &tuple),
                ("inner", &inner),
                ("pattern", &pattern),
                ("values", &values),
                ("members", &members),
                ("forms", &forms(self, parts, &inner, &pattern)),
                ("with", &tag_bits(&self.attrs.with, thing, self.root)),
                ("without", &tag_bits(&self.attrs.without, thing, self.root)),
            ],
        )
    }

    /// The building block of `lath-core` for a field. Errors about its name point at it.
    pub(crate) fn block(&self, part: &Part, lifetime: &TokenStream) -> TokenStream {
        let code = match part.access {
            Access::Ref => "$core::Ref<$lifetime, $module::$name<$arguments>>",
            Access::Mut => "$core::Mut<$lifetime, $module::$name<$arguments>>",
            Access::OptionRef => {
                "$std::option::Option<$core::Ref<$lifetime, $module::$name<$arguments>>>"
            }
            Access::OptionMut => {
                "$std::option::Option<$core::Mut<$lifetime, $module::$name<$arguments>>>"
            }
            Access::Handle => "$core::Handle<$thing>",
        };
        self.root.fill(
            code,
            part.name.span().resolved_at(Span::call_site()),
            &[
                ("thing", &self.attrs.thing.ty),
                ("module", &self.attrs.module),
                ("lifetime", lifetime),
                ("name", &TokenTree::from(part.name.clone()).into()),
                ("arguments", &self.attrs.thing.arguments),
            ],
        )
    }

    /// Turns variable `i` from a part of the tuple into the value of the field. It goes through a
    /// tuple, in which nothing is converted: the type must be that of the thing's field exactly. If
    /// it is not, the compiler underlines from the first token of the expression to its last, which
    /// is to say all of the field's type.
    fn value(&self, part: &Part, i: usize) -> TokenStream {
        let place = |token: &TokenTree| token.span().resolved_at(Span::call_site());
        let (first, last) = (place(&part.ty[0]), place(&part.ty[part.ty.len() - 1]));
        let mut zero = Literal::usize_unsuffixed(0);
        zero.set_span(last);
        let variable = variable(i);
        let value = match part.access {
            Access::Ref | Access::Mut => "$variable.into_inner()",
            Access::OptionRef | Access::OptionMut => {
                "$std::option::Option::map($variable, |part| part.into_inner())"
            }
            Access::Handle => "$variable",
        };
        let value = self.root.fill(value, Span::call_site(), &[("variable", &variable)]);
        let ty = rewrite(part.ty.iter().cloned().collect(), &|before, token| {
            let is_lifetime = before.is_some_and(|quote| is_punct(quote, '\''));
            let item = || TokenTree::from(Ident::new("__item", token.span())).into();
            let is_own = self.lifetime.as_ref().is_some_and(|own| is_word(token, own));
            (is_lifetime && is_own).then(item)
        });
        let ty = fill("($ty,)", part.name.span().resolved_at(Span::call_site()), &[("ty", &ty)]);
        fill(
            "let exact = (($value,),); let ($variable,): $ty = $exact.$zero;",
            Span::call_site(),
            &[
                ("value", &value),
                ("variable", &variable),
                ("ty", &ty),
                ("exact", &TokenTree::from(Ident::new("exact", first)).into()),
                ("zero", &TokenTree::from(zero).into()),
            ],
        )
    }
}

/// The variable for part `i` of the tuple.
pub(crate) fn variable(i: usize) -> TokenStream {
    TokenTree::from(Ident::new(&format!("__part{i}"), Span::call_site())).into()
}

/// Several types as one, and the pattern that takes their values apart again.
fn to_tuple(parts: &[(TokenStream, TokenStream)]) -> (TokenStream, TokenStream) {
    if let [part] = parts {
        return part.clone();
    }
    let (mut types, mut patterns) = (TokenStream::new(), TokenStream::new());
    for (ty, pattern) in parts {
        types.extend(fill("$part,", Span::call_site(), &[("part", ty)]));
        patterns.extend(fill("$part,", Span::call_site(), &[("part", pattern)]));
    }
    let tuple = |parts| fill("($parts)", Span::call_site(), &[("parts", &parts)]);
    (tuple(types), tuple(patterns))
}
