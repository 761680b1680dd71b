//! What `#[derive(Thing)]` accepts, what it refuses, and where it points when it does.
//!
//! The messages are our own, but for the frame that the compiler draws around them. To write them anew after a change:
//! `TRYBUILD=overwrite cargo test -p lath-core --test derive`, then read the difference.

#[test]
fn the_derive_accepts_what_it_should_and_refuses_the_rest_by_name() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/derive/pass/*.rs");
    cases.compile_fail("tests/derive/fail/*.rs");
}
