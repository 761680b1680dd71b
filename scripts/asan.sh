#!/usr/bin/env bash
# The tests of all libraries under AddressSanitizer. Needs a nightly toolchain.
#
#   scripts/asan.sh [CRATE…]    all of them unless told otherwise
#
# Left out: the examples in the documentation, the tests of the documents, those of messages of the compiler, which are those of the
# stable one, those of the browser, loom's, which want everything compiled anew, and lath-derive, which runs in the compiler.

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

crates=("$@")
[[ $# -gt 0 ]] || crates=(lath-core lath-soa lath-schedule lath-snapshot lath-inspect)
packages=() tests=() leaky=()
for crate in "${crates[@]}"; do
    packages+=(-p "$crate")
    for file in crates/"$crate"/tests/*.rs crates/"$crate"/tests/*/main.rs; do
        name="${file#crates/"$crate"/tests/}" && name="${name%.rs}" && name="${name%/main}"
        case "$name" in # derive, ui and bounds start compilers
            loom | browser | bounds | derive | ui | '*') ;;
            # What is pinned to a thread that is gone is leaked, on purpose; and a child that is killed has no time to free anything.
            pinned | killed) leaky+=(--test "$name") ;;
            *) tests+=(--test "$name") ;;
        esac
    done
done
# All crates at once, with one set of features: each is built once. A test on threads with little stack is left out: what is watched
# needs a multiple of it.
cargo +nightly test "${packages[@]}" --all-features --target "$target" --lib "${tests[@]}" -- --skip does_not_use_up_the_stack
if [[ ${#leaky[@]} -gt 0 ]]; then
    ASAN_OPTIONS=detect_leaks=0 cargo +nightly test "${packages[@]}" --all-features --target "$target" "${leaky[@]}"
fi
