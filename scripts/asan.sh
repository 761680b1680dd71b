#!/usr/bin/env bash
# The tests of lath-core under AddressSanitizer. Needs a nightly toolchain.
#
# Left out: the documentation's examples, and the test of the derive's messages, which are those of the stable compiler.

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

tests=(--lib)
for file in crates/lath-core/tests/*.rs; do
    name="$(basename "$file" .rs)"
    [[ $name == derive ]] || tests+=(--test "$name")
done

# With --target the flags apply to the tests only, not to the macros that the compiler itself loads.
RUSTFLAGS="-Zsanitizer=address ${RUSTFLAGS:-}" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/asan" \
    cargo +nightly test -p lath-core --all-features --target "$target" "${tests[@]}"
