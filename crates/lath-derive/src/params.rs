//! The `impl Param` for a struct of parameters: passed on to its fields.

use proc_macro::{Ident, Literal, Span, TokenStream, TokenTree};

use crate::cursor::{is_punct, is_word, rewrite};
use crate::error::{Error, Errors};
use crate::parse::{Field, Param, Rules, Shape, Struct};
use crate::root::Root;
use crate::template::fill;

const RULES: Rules = Rules {
    attr: "params",
    not_an_enum: "parameters are a struct with a parameter in each field, not an enum",
    not_a_union: "parameters are a struct with a parameter in each field, not a union",
};

/// What `#[derive(Params)]` adds to a struct: an `impl`, or everything that is wrong with the
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
    let mut output = errors.into_tokens(|span| root.std_by_schedule(span));
    output.extend(code);
    output
}

/// The code, or nothing if there are errors: what would be written then only leads to more of them.
fn write(parsed: Struct, root: Root, errors: &mut Errors) -> Option<TokenStream> {
    let Struct { name, params, predicates, shape, fields, .. } = parsed;
    if shape == Shape::Unit || fields.is_empty() {
        let message = format!(
            "parameters have at least one field: `struct {name}<'w> {{ time: Res<'w, Time> }}`"
        );
        errors.at(name.span(), message);
        return None;
    }
    check_lifetimes(&params, &name, errors);
    fields.iter().for_each(|field| check_locals(&field.ty, errors));
    (errors.len() == 0)
        .then(|| Parameters::new(name, &params, predicates, root).implementation(&fields))
}

/// There is at least one lifetime, and all of them are called as the code below calls them.
fn check_lifetimes(params: &[Param], name: &Ident, errors: &mut Errors) {
    let mut found = false;
    for param in params {
        let Param::Lifetime { quote, name } = param else { continue };
        found = true;
        if !matches!(name.to_string().as_str(), "w" | "s") {
            let message = "the lifetimes of parameters are called `'w`, for what they borrow from the world, and `'s`, \
                           for what belongs to the system, as in `Local<'s, u32>`";
            errors.push(Error::between(*quote, name.span(), message));
        }
    }
    if !found {
        errors.at(
            name.span(),
            format!("parameters borrow from the world: give them a lifetime, as in `{name}<'w>`"),
        );
    }
}

/// A `Local` borrows from the system. The compiler would say so in words that nobody has written.
fn check_locals(ty: &[TokenTree], errors: &mut Errors) {
    for four in ty.windows(4) {
        let [local, open, quote, name] = four else { continue };
        let of_the_world = is_punct(open, '<') && is_punct(quote, '\'') && is_word(name, "w");
        if is_word(local, "Local") && of_the_world {
            let message = "a `Local` belongs to the system: write `Local<'s, …>`, and give the struct the lifetime `'s`";
            errors.push(Error::between(quote.span(), name.span(), message));
        }
    }
}

/// A struct of parameters, and all that it takes to write about it.
struct Parameters {
    name: Ident,
    /// `'w, 's, X: Bound,`
    params: TokenStream,
    /// `'w, 's, X,`
    arguments: TokenStream,
    /// `'__w, '__s, X,`
    item_arguments: TokenStream,
    /// `X: Bound,`
    owned_params: TokenStream,
    /// `X,`
    owned_arguments: TokenStream,
    /// Something to mention every parameter that must be mentioned.
    phantoms: TokenStream,
    predicates: TokenStream,
    root: Root,
}

impl Parameters {
    fn new(name: Ident, params: &[Param], mut predicates: TokenStream, root: Root) -> Self {
        let [mut declared, mut arguments, mut owned_params, mut owned_arguments, mut phantoms] =
            <[TokenStream; 5]>::default();
        for param in params {
            let comma = || fill(",", Span::call_site(), &[]);
            arguments.extend([param.argument(), comma()]);
            match param {
                Param::Lifetime { .. } => declared.extend([param.argument(), comma()]),
                Param::Type { declared: bounded, .. } | Param::Const { declared: bounded, .. } => {
                    declared.extend([bounded.clone(), comma()]);
                    owned_params.extend([bounded.clone(), comma()]);
                    owned_arguments.extend([param.argument(), comma()]);
                }
            }
            // The state of a system outlives the world.
            if let Param::Type { .. } = param {
                let holes = [("param", &param.argument())];
                predicates.extend(fill("$param: 'static,", Span::call_site(), &holes));
                phantoms.extend(fill("*const $param,", Span::call_site(), &holes));
            }
        }
        let item_arguments = for_the_run(arguments.clone());
        Self {
            name,
            params: declared,
            arguments,
            item_arguments,
            owned_params: lasting(owned_params),
            owned_arguments,
            phantoms,
            predicates,
            root,
        }
    }

    /// The `impl`. It stands in a block of its own, with a type for the state that hides the
    /// private types of fields from the users of public parameters.
    ///
    /// What an `unsafe impl Param` promises holds because it holds for the fields: all that is used
    /// is what they use, and all of them are asked what that is. The type of a field is written
    /// once, where `Self` and the lifetimes mean what they mean in the struct: what is asked, what
    /// makes the state and what is fetched are the same type with other lifetimes, whatever a macro
    /// would make of being asked again. That it is the struct's, too, the compiler sees where the
    /// struct is made.
    fn implementation(&self, fields: &[Field]) -> TokenStream {
        let schedule = self.root.schedule();
        let std = self.root.std_by_schedule(Span::call_site());
        let name = TokenTree::from(self.name.clone()).into();
        let [mut types, mut asked, mut states, mut made, mut checked, mut fetched] =
            <[TokenStream; 6]>::default();
        for (number, field) in fields.iter().enumerate() {
            // Errors about a type that is no parameter point at it.
            let place = field
                .ty
                .first()
                .map_or_else(Span::call_site, TokenTree::span)
                .resolved_at(Span::call_site());
            let number = TokenTree::from(Literal::usize_unsuffixed(number)).into();
            let part = |arguments: &TokenStream| {
                fill(
                    "<$name<$arguments> as $schedule::__derive::TypeAt<__Part<$number>>>::Type",
                    place,
                    &[
                        ("name", &name),
                        ("arguments", arguments),
                        ("schedule", &schedule),
                        ("number", &number),
                    ],
                )
            };
            let holes = [
                ("schedule", &schedule),
                ("name", &name),
                ("params", &self.params),
                ("arguments", &self.arguments),
                ("predicates", &self.predicates),
                ("written", &field.ty.iter().cloned().collect()),
                ("ty", &part(&self.arguments)),
                ("lasting", &part(&lasting(self.arguments.clone()))),
                ("now", &part(&self.item_arguments)),
                ("member", &field.member.clone().into()),
                ("number", &number),
            ];
            let add = |to: &mut TokenStream, code| to.extend(fill(code, place, &holes));
            add(
                &mut types,
                "#[automatically_derived]
                impl<$params> $schedule::__derive::TypeAt<__Part<$number>> for $name<$arguments> where $predicates {
                    type Type = $written;
                }",
            );
            add(&mut asked, "$schedule::Access::ask::<$ty>(access);");
            add(&mut states, "<$lasting as $schedule::Param>::State,");
            add(&mut made, "<$lasting as $schedule::Param>::init(world),");
            add(&mut checked, "<$lasting as $schedule::Param>::check(&state.$number, world)?;");
            // SAFETY: in the code that is made, passed on from the caller; `ask` has asked for this
            // parameter.
            add(
                &mut fetched,
                "$member: unsafe { <$now as $schedule::Param>::fetch(&mut state.$number, context) },",
            );
        }
        fill(
            "const _: () = {
                enum __Part<const N: $std::primitive::usize> {}

                $types

                pub struct __State<$owned_params>(
                    $states
                    $std::marker::PhantomData<fn() -> ($phantoms)>,
                ) where $lasting_predicates;

                #[automatically_derived]
                unsafe impl<$params> $schedule::Param for $name<$arguments> where $predicates {
                    type State = __State<$owned_arguments>;
                    type Item<'__w, '__s> = $name<$item_arguments>;

                    fn declare(access: &mut $schedule::Access) {
                        $asked
                    }

                    fn init(world: &mut $schedule::World) -> Self::State {
                        __State($made $std::marker::PhantomData)
                    }

                    fn check(
                        state: &Self::State,
                        world: &$schedule::World,
                    ) -> $std::result::Result<(), $schedule::Missing> {
                        $checked
                        $std::result::Result::Ok(())
                    }

                    #[inline(always)]
                    unsafe fn fetch<'__w, '__s>(
                        state: &'__s mut Self::State,
                        context: $schedule::Context<'__w>,
                    ) -> Self::Item<'__w, '__s> {
                        $name { $fetched }
                    }
                }
            };",
            Span::call_site(),
            &[
                ("schedule", &schedule),
                ("std", &std),
                ("name", &name),
                ("params", &self.params),
                ("arguments", &self.arguments),
                ("item_arguments", &self.item_arguments),
                ("owned_params", &self.owned_params),
                ("owned_arguments", &self.owned_arguments),
                ("phantoms", &self.phantoms),
                ("predicates", &self.predicates),
                ("lasting_predicates", &lasting(self.predicates.clone())),
                ("types", &types),
                ("asked", &asked),
                ("states", &states),
                ("made", &made),
                ("checked", &checked),
                ("fetched", &fetched),
            ],
        )
    }
}

/// The tokens with the lifetimes of one run.
fn for_the_run(tokens: TokenStream) -> TokenStream {
    with_lifetimes(tokens, "__w", "__s")
}

/// The tokens with the one lifetime that states and names can have.
fn lasting(tokens: TokenStream) -> TokenStream {
    with_lifetimes(tokens, "static", "static")
}

/// The tokens with other lifetimes for `'w` and `'s`.
fn with_lifetimes(tokens: TokenStream, world: &str, system: &str) -> TokenStream {
    rewrite(tokens, &|before, token| {
        if !before.is_some_and(|quote| is_punct(quote, '\'')) {
            return None;
        }
        let name = match token.to_string().as_str() {
            "w" => world,
            "s" => system,
            _ => return None,
        };
        Some(TokenTree::from(Ident::new(name, token.span())).into())
    })
}
