#!/usr/bin/env bash
# The tests of lath-core and lath-soa under Miri. Needs a nightly toolchain with the `miri` component.
#
# Not part of CI, and the project has not run it: treat what it says as news.

set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly miri --version >/dev/null 2>&1; then
    echo "there is no Miri here; where it is to be had: rustup +nightly component add miri" >&2
    exit 1
fi

# The derive's tests start compilers, and allocations.rs brings an allocator of its own: both are out of Miri's reach.
for crate in lath-core lath-soa; do
    tests=(--lib)
    for file in crates/"$crate"/tests/*.rs; do
        name="$(basename "$file" .rs)"
        case "$name" in
            derive | allocations) ;;
            *) tests+=(--test "$name") ;;
        esac
    done
    cargo +nightly miri test -p "$crate" --all-features "${tests[@]}" "$@"
done
