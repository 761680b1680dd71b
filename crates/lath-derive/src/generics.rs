//! The generic parameters of a struct, for the places where the code beside it repeats them.

use proc_macro::{Ident, Span, TokenStream, TokenTree};

use crate::cursor::flatten;
use crate::error::{Error, Errors};
use crate::parse::Param;
use crate::root::Root;
use crate::template::fill;

/// The types that a constant parameter may have. They have the same names in every module.
const CONST_TYPES: &[&str] = &[
    "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
    "isize",
];

/// What stands between `<` and `>`, and after `where`, each part with a comma after it.
pub(crate) struct Generics {
    /// `X: Bound, const N: usize,`
    pub(crate) params: TokenStream,
    /// `X, N,`
    pub(crate) arguments: TokenStream,
    /// What the struct itself asks for.
    pub(crate) predicates: TokenStream,
    /// What makes it a thing: the above, and `Default + 'static`.
    pub(crate) thing_predicates: TokenStream,
    /// The parameters again, in another module, where the names in the bounds may mean nothing.
    pub(crate) marker_params: TokenStream,
    /// Something to mention every parameter that must be mentioned.
    pub(crate) phantoms: TokenStream,
}

impl Generics {
    /// Refuses lifetimes.
    pub(crate) fn new(
        name: &Ident,
        declared: Vec<Param>,
        predicates: TokenStream,
        root: Root,
        errors: &mut Errors,
    ) -> Option<Self> {
        let errors_before = errors.len();
        let mut generics = Self {
            params: TokenStream::new(),
            arguments: TokenStream::new(),
            thing_predicates: predicates.clone(),
            predicates,
            marker_params: TokenStream::new(),
            phantoms: TokenStream::new(),
        };
        for param in declared {
            match param {
                Param::Type { name, declared } => {
                    generics.add(&name, declared);
                    let holes = [("name", &TokenTree::from(name).into())];
                    let unsized_too = "$name: ?$std::marker::Sized,";
                    generics.marker_params.extend(root.fill(
                        unsized_too,
                        Span::call_site(),
                        &holes,
                    ));
                    let phantom = "$std::marker::PhantomData<fn() -> *const $name>,";
                    generics.phantoms.extend(root.fill(phantom, Span::call_site(), &holes));
                }
                Param::Const { name, ty, declared } => {
                    refuse_alias(&ty, errors);
                    let holes = [("declared", &declared)];
                    generics.marker_params.extend(fill("$declared,", Span::call_site(), &holes));
                    generics.add(&name, declared);
                }
                Param::Lifetime { quote, name } => errors.push(Error::between(
                    quote,
                    name.span(),
                    "things own their data and cannot borrow: keep a handle or an index instead of a reference",
                )),
            }
        }
        // `Thing: Default + 'static`. Whether a generic struct is that may depend on its
        // parameters, in ways that only the compiler can tell: it is asked. For a struct without
        // parameters it reports the lack of it by itself.
        if !generics.params.is_empty() {
            let holes = [
                ("name", &TokenTree::from(name.clone()).into()),
                ("arguments", &generics.arguments),
            ];
            let thing = root.fill(
                "$name<$arguments>: $std::default::Default + 'static,",
                Span::call_site(),
                &holes,
            );
            generics.thing_predicates.extend(thing);
        }
        (errors.len() == errors_before).then_some(generics)
    }

    fn add(&mut self, name: &Ident, declared: TokenStream) {
        self.params.extend(fill("$declared,", Span::call_site(), &[("declared", &declared)]));
        self.arguments.extend(fill(
            "$name,",
            Span::call_site(),
            &[("name", &TokenTree::from(name.clone()).into())],
        ));
    }
}

/// The field markers have the same parameters, but stand in a module where an alias of the user's
/// is not known.
fn refuse_alias(ty: &[TokenTree], errors: &mut Errors) {
    let word = flatten(ty.iter().cloned().collect()).to_string();
    let is_alias = word.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    if is_alias && !CONST_TYPES.contains(&word.as_str()) {
        errors.at(
            ty[0].span(),
            "name the primitive type itself, as in `const N: usize`: the field markers repeat it",
        );
    }
}
