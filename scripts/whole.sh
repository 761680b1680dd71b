# Sourced by the scripts that build in release: the whole workspace with every feature (but the large peers of the comparison).
#
# How a crate is built depends on all packages that a command names, and on whether it builds a test or an example. So that no library is
# built twice, all steps name the whole workspace; a script that needs a program calls `build_release`.

whole=(--workspace --no-default-features --features
    lath/full,lath-core/default,lath-schedule/default,lath-snapshot/default,lath-snapshot/cli,lath-inspect/default)
built="${CARGO_TARGET_DIR:-target}/release"

# build_release PROGRAM…: only these, and an example, so that what tests need of other crates counts here, too.
build_release() { cargo build --release "${whole[@]}" --example 01_handles "${@/#/--bin=}"; }
