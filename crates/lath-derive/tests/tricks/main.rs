//! Safe code that tries to make the derives say something of a struct that is not so: what a macro
//! makes of `Self`, of lifetimes, of the spaces between tokens or of being asked again; attributes
//! that change the struct afterwards; names that mean something else.
//!
//! Either it does not compile (`fail`), or what comes out is right (here, and in `pass` for what
//! takes a crate of its own). To write the messages anew after a change:
//! `TRYBUILD=overwrite cargo test -p lath-derive --test tricks`, then read the difference.
//!
//! - `Self`, `Self::` and `<Self as …>` in a field; the same hidden in a macro, and in a macro in a
//!   macro: `things`, `users`.
//! - A macro that tells `Self` from the struct's name, one lifetime from another, `>>` from `> >`,
//!   a token from one in an invisible group: `things`, `users`.
//! - A macro that is another type each time: any other; one that converts (`Box`, slices, `dyn`,
//!   `&mut`, `!`); one that lives longer; one without a size: `fail/by_turns`, `fail/outlives`,
//!   `fail/no_types`, `fail/params`, `fail/views`.
//! - An attribute below the derive that adds fields, removes, retypes or turns them round, packs
//!   them, or makes another kind of item: `fail/attributes`, `fail/params`, `fail/views`, `things`.
//! - `repr(packed)`, written out or by `cfg_attr`; `repr(C)`, `transparent`, `align`:
//!   `fail/silenced`, `things`.
//! - Fields and attributes that `cfg` and `cfg_attr` take away or bring: `things`, `users`.
//! - Raw identifiers for structs, fields and modules: `things`, `users`.
//! - `core`, `std` and `alloc` replaced, errors silenced, the names of our attributes taken by
//!   macros: `pass/replaced_core`, `fail/silenced`, `fail/attribute_names`.
//! - `lath` replaced: not promised (`docs/SAFETY.md`); the test of the facade lives on it.
//! - Types, fields, modules and generic parameters called like ours, or like the prelude's; an
//!   `Option` of the user's own: `things`, `users`, `fail/views`.
//! - Methods that everything has, called like those that generated code calls: `things`.
//! - The markers of another thing, under other names, or one of them twice; a rival for the type of
//!   a field: `fail/another_thing`, `fail/markers`, `fail/twice`, `users`.
//! - Two derives that are shown different structs: `fail/saves`, `fail/markers`.

#![forbid(unsafe_code)]

#[test]
fn what_would_deceive_does_not_compile_and_what_compiles_is_right() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/tricks/pass/*.rs");
    cases.compile_fail("tests/tricks/fail/*.rs");
}

/// Another type for `Self` than for any other name.
macro_rules! two_faced {
    (Self: $own:ty, $other:ty) => {
        $own
    };
    ($($name:tt)::*: $own:ty, $other:ty) => {
        $other
    };
}

/// A type with `Self` that nobody sees who looks at the tokens.
macro_rules! kind_of_me {
    () => {
        <Self as Kind>::Type
    };
}

/// The same, one macro further.
macro_rules! nested {
    ($($tokens:tt)*) => {
        Option<kind_of_me!($($tokens)*)>
    };
}

trait Kind {
    type Type;
}

mod things;
mod users;
