#!/usr/bin/env bash
# The tests of the libraries under AddressSanitizer. Needs a nightly toolchain.
#
# Left out: the examples in the documentation, the tests of the documents, those of messages of the compiler, which are those of the
# stable one, and those of files and processes: the crate that deals with them has no unsafe code.

set -euo pipefail
cd "$(dirname "$0")/.."

target="$(rustc +nightly -vV | sed -n 's/^host: //p')"
case "$target" in
    x86_64-unknown-linux-gnu | aarch64-unknown-linux-gnu | x86_64-apple-darwin | aarch64-apple-darwin) ;;
    *)
        echo "SKIPPED: AddressSanitizer does not come with the toolchain for $target"
        exit 0
        ;;
esac

# With --target the flags apply to the tests only, not to the macros that the compiler itself loads.
export RUSTFLAGS="-Zsanitizer=address ${RUSTFLAGS:-}" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/asan"
for crate in lath-core lath-soa lath-schedule lath-snapshot; do
    tests=(--lib)
    for file in crates/"$crate"/tests/*.rs; do
        name="$(basename "$file" .rs)"
        case "$name" in
            derive | ui | loom | pinned | architecture | hostile | killed | save_info | versions) ;;
            *) tests+=(--test "$name") ;;
        esac
    done
    cargo +nightly test -p "$crate" --all-features --target "$target" "${tests[@]}"
done

# What is pinned to a thread that is gone is leaked, on purpose.
ASAN_OPTIONS=detect_leaks=0 cargo +nightly test -p lath-schedule --all-features --target "$target" --test pinned
