//! What `#[derive(Thing)]` and `#[derive(View)]` accept, what they refuse, and where they point
//! when they do.
//!
//! The messages are our own, but for the frame that the compiler draws around them. To write them
//! anew after a change: `TRYBUILD=overwrite cargo test -p lath-core --test derive`, then read the
//! difference.

#[test]
fn the_derives_accept_what_they_should_and_refuse_the_rest_by_name() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/derive/pass/*.rs");
    cases.compile_fail("tests/derive/fail/*.rs");
}
