//! What `#[thing(columns)]` adds to a struct, and where the compiler points when it cannot.
//!
//! To write the messages anew after a change:
//! `TRYBUILD=overwrite cargo test -p lath-soa --test derive`, then read the difference. Everything
//! that does not depend on the layout is tested in `lath-core`.

#[test]
fn things_in_columns_are_things_with_structs_of_references() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/derive/pass/*.rs");
    cases.compile_fail("tests/derive/fail/*.rs");
}
