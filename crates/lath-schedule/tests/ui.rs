//! What cannot be a system is refused by the compiler, in words that say why.
//!
//! To write the messages anew after a change:
//! `TRYBUILD=overwrite cargo test -p lath-schedule --test ui`, then read the difference.

#[test]
fn the_compiler_refuses_what_cannot_be_a_system_and_says_why() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
