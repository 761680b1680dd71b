//! Safe code that tries to make the derives say something of a struct that is not so: what a macro
//! makes of `Self`, of lifetimes, of the spaces between tokens or of being asked again; attributes
//! that change the struct afterwards; names that mean something else.
//!
//! Either it does not compile (`fail`), or what comes out is right (here, and in `pass` for what
//! takes a crate of its own). To write the messages anew after a change:
//! `TRYBUILD=overwrite cargo test -p lath-derive --test tricks`, then read the difference.

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
