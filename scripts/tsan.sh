#!/usr/bin/env bash
# The tests that share a pool or a world between threads (crates/*/tests/threads.rs, tree_threads.rs and thread_pool.rs: staging, loops, sweeps,
# systems on several threads, and handing work to them; and a short run of the test of determinism), under ThreadSanitizer.
#
#   scripts/tsan.sh [times]    runs them that often, 5 times by default: a race shows in some runs and not in others
#
# Not part of CI. ThreadSanitizer wants a standard library that is instrumented too, which rustup's toolchains do not
# bring. So the compiler is Debian's (packages rustc-web, cargo-web and rust-web-src, installed by apt if they are missing
# and this is root), the standard library is built from its sources, and the sanitizer's own library comes from rustup's
# nightly toolchain. x86-64 Linux only. The first run takes a few minutes.

set -euo pipefail
cd "$(dirname "$0")/.."

times="${1:-5}"
if [[ $# -gt 1 || ! $times =~ ^[1-9][0-9]*$ ]]; then
    echo "usage: scripts/tsan.sh [times]" >&2
    exit 2
fi

target=x86_64-unknown-linux-gnu
if [[ $(uname -sm) != "Linux x86_64" ]]; then
    echo "this script knows how to run ThreadSanitizer on x86-64 Linux only" >&2
    exit 1
fi

packages=(rustc-web cargo-web rust-web-src)
if ! dpkg -s "${packages[@]}" >/dev/null 2>&1; then
    if [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null; then
        echo "missing: some of the Debian packages ${packages[*]}" >&2
        exit 1
    fi
    apt-get update
    apt-get install -y --no-install-recommends "${packages[@]}"
fi

if ! nightly="$(rustc +nightly --print sysroot 2>/dev/null)"; then
    echo "missing: rustup's nightly toolchain, which has the sanitizer's library" >&2
    exit 1
fi
parts="$nightly/lib/rustlib/$target"
runtime="$parts/lib/librustc-nightly_rt.tsan.a"
if [[ ! -f $runtime ]]; then
    echo "missing: $runtime" >&2
    exit 1
fi

# `-Zexternal-clangrt` tells the compiler that the sanitizer's library is brought along. GNU ld stumbles over it, so the
# linker is the nightly toolchain's too. With --target the flags apply to the tests and to what they link, not to macros
# and build scripts.
export RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc
export RUSTFLAGS="-Zsanitizer=thread -Zexternal-clangrt -Clink-arg=-B$parts/bin/gcc-ld -Clink-arg=-fuse-ld=lld \
-Clink-arg=-Wl,--whole-archive -Clink-arg=$runtime -Clink-arg=-Wl,--no-whole-archive \
-Clink-arg=-lstdc++ -Clink-arg=-lm -Clink-arg=-lc ${RUSTFLAGS:-}"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/tsan"
# The test of determinism is for long runs; here a short one must do.
export LATH_TICKS=3 LATH_THINGS=9000 PROPTEST_CASES=8
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"

run() {
    local file crate
    for file in crates/*/tests/threads.rs crates/*/tests/tree_threads.rs crates/lath-core/tests/{thread_pool,systems}.rs \
        crates/lath-schedule/tests/determinism.rs; do
        crate="$(basename "$(dirname "$(dirname "$file")")")"
        /usr/bin/cargo test -Zbuild-std --target "$target" -p "$crate" --all-features \
            --test "$(basename "$file" .rs)" "$@"
    done
}

run --no-run
for ((round = 1; round <= times; round++)); do
    echo "-- round $round of $times"
    run --quiet
done
echo "no data race in $times rounds"
