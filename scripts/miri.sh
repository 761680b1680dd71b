#!/usr/bin/env bash
# The tests of lath-core under Miri. Needs a nightly toolchain with the `miri` component.
#
# Not part of CI, and the project has not run it: treat what it says as news.

set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly miri --version >/dev/null 2>&1; then
    echo "there is no Miri here; where it is to be had: rustup +nightly component add miri" >&2
    exit 1
fi

# The derive's test starts compilers, and allocations.rs brings an allocator of its own: both are out of Miri's reach.
tests=(--lib)
for file in crates/lath-core/tests/*.rs; do
    name="$(basename "$file" .rs)"
    case "$name" in
        derive | allocations) ;;
        *) tests+=(--test "$name") ;;
    esac
done

cargo +nightly miri test -p lath-core --all-features "${tests[@]}" "$@"
