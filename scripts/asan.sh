#!/usr/bin/env bash
# The tests of lath-core and lath-soa under AddressSanitizer. Needs a nightly toolchain.
#
# Left out: the documentation's examples, and the tests of the derive's messages, which are those of the stable compiler.

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
for crate in lath-core lath-soa; do
    tests=(--lib)
    for file in crates/"$crate"/tests/*.rs; do
        name="$(basename "$file" .rs)"
        [[ $name == derive ]] || tests+=(--test "$name")
    done
    cargo +nightly test -p "$crate" --all-features --target "$target" "${tests[@]}"
done
