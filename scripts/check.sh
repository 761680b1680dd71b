#!/usr/bin/env bash
# Exactly what CI runs, step by step, with the time that each step took. Stops at the first failure.
#
#   scripts/check.sh          everything
#   scripts/check.sh quick    without the benches, the windows, the sanitizer, the fuzzer and the soak
#
# Needs the Rust toolchain. Steps that need more are skipped, and say so.

set -euo pipefail
cd "$(dirname "$0")/.."

mode="${1:-all}"
if [[ $# -gt 1 || ( $mode != all && $mode != quick ) ]]; then
    echo "usage: scripts/check.sh [quick]" >&2
    exit 2
fi

number=0
finished=()
current=

# step NAME COMMAND…: runs the command, or stops everything.
step() {
    current="$1"
    shift
    number=$((number + 1))
    echo
    echo "== $number. $current"
    local start=$SECONDS
    "$@"
    finished+=("$(printf '%2d. %-58s %5d s' "$number" "$current" "$((SECONDS - start))")")
    current=
}

# Says what passed and what did not, also when a step has failed.
summary() {
    local status=$?
    echo
    [[ ${#finished[@]} -eq 0 ]] || printf '%s\n' "${finished[@]}"
    if [[ -n $current ]]; then
        printf '%2d. %-58s FAILED\n' "$number" "$current"
    elif [[ $status -eq 0 ]]; then
        echo "all checks passed in $SECONDS s ($mode)"
    fi
}
scratch="$(mktemp)"
trap 'summary; rm -f "$scratch"' EXIT

# The peer comparison is linted, documented and run without the larger peers, which would take minutes to build.
lints() {
    cargo clippy --workspace --exclude lath-peers --all-targets -- -D warnings
    cargo clippy -p lath-peers --no-default-features --all-targets -- -D warnings
}

documentation() {
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --exclude lath-peers --no-deps
    RUSTDOCFLAGS="-D warnings" cargo doc -p lath-peers --no-default-features --no-deps
    RUSTDOCFLAGS="-D warnings" cargo doc -p lath -p lath-core -p lath-soa -p lath-schedule -p lath-inspect -p lath-snapshot --no-deps --all-features
}

thorough_tests() {
    # In release, where the models play more steps in less time; the examples of calls that need a feature as well.
    cargo test --release --all-features --lib --tests -p lath-core -p lath-soa -p lath-schedule -p lath-snapshot
    cargo test --all-features --doc -p lath-core -p lath-snapshot
    cargo test --all-features -p lath # the pages of the guide show calls that need a feature
    cargo test --release -p lath-rollback
    # On the caller's thread only.
    cargo test -p lath-schedule --no-default-features --lib --test determinism --test order --test commands --test time
}

# Each feature by itself: nothing is missing, and nothing is left over.
features() {
    local features
    for features in "" "alloc" "std" "parallel" "alloc,serde" "alloc,bytemuck" "serde,bytemuck"; do
        echo "lath-core with: ${features:-nothing}"
        cargo clippy --quiet -p lath-core --no-default-features --features "$features" -- -D warnings
    done
    for features in "" "parallel" "tracing" "serde"; do
        echo "lath-schedule with: ${features:-nothing}"
        cargo clippy --quiet -p lath-schedule --no-default-features --features "$features" --all-targets -- -D warnings
    done
    for features in "" "text" "lz4" "cli"; do
        echo "lath-snapshot with: ${features:-nothing}"
        cargo clippy --quiet -p lath-snapshot --no-default-features --features "$features" -- -D warnings
    done
    echo "lath-inspect without its server"
    cargo clippy --quiet -p lath-inspect --no-default-features --all-targets -- -D warnings
    for features in "" "parallel" "schedule" "tracing" "snapshot" "inspect" "serde" "bytemuck"; do
        echo "lath with: ${features:-nothing}"
        cargo clippy --quiet -p lath -p lath-soa --no-default-features --features "${features:+lath/$features}" -- -D warnings
    done
}

# A crate that has a panic handler of its own refuses to be compiled together with std, so the probe shows that nothing
# below lath-core brings std in. Nothing is linked: there is no allocator and no program.
without_std() {
    local target="${CARGO_TARGET_DIR:-target}/no_std"
    local features
    for features in "" "alloc" "alloc,serde,bytemuck"; do
        echo "lath-core without std, features: ${features:-none}"
        cargo build -p lath-core --no-default-features --features "$features" --target-dir "$target"
        rustc --edition 2024 --crate-type lib --emit metadata --out-dir "$target" \
            -L "dependency=$target/debug/deps" --extern "lath_core=$target/debug/liblath_core.rlib" \
            scripts/no_std_probe.rs
    done
    echo "lath without std"
    cargo build -p lath --no-default-features --target-dir "$target"
    rustc --edition 2024 --crate-type lib --emit metadata --out-dir "$target" \
        -L "dependency=$target/debug/deps" --extern "lath=$target/debug/liblath.rlib" \
        scripts/no_std_columns.rs
}

demos() {
    # The showcase, on one thread and on two: the same colony, to the last bit.
    local threads checksums=()
    for threads in 1 2; do
        cargo run --release -- --headless --ticks 2000 --threads "$threads" | tee "$scratch"
        checksums+=("$(grep '^checksum' "$scratch")")
        grep -q '^invariants *hold$' "$scratch"
    done
    if [[ ${checksums[0]} != "${checksums[1]}" ]]; then
        echo "one thread and two threads disagree: ${checksums[*]}" >&2
        return 1
    fi
    local source name
    for source in examples/examples/*.rs; do
        name="$(basename "$source" .rs)"
        echo "-- $name"
        cargo run --release --quiet -p lath-examples --example "$name"
    done
    echo "-- inventory"
    cargo run --release --quiet -p lath-examples --example inventory -- --story
}

# Drawing is tested in release: it is the build that the windows need.
windows() {
    cargo test --release -p lath-windows
    scripts/windows.sh
}

benches() {
    cargo bench -p lath-benches -- --test
    cargo test -p lath-benches --bins
    cargo test -p lath-peers --no-default-features
    cargo run --release -p lath-peers --no-default-features -- --quick lookup
}

# Instructions of the hot paths, against those in benches/instructions.txt.
instructions() {
    if [[ $(uname -sm) != "Linux x86_64" ]]; then
        echo "SKIPPED: the kept counts are for x86-64 Linux"
    elif command -v valgrind >/dev/null; then
        scripts/instructions.sh
    else
        echo "SKIPPED: there is no valgrind, which counts the instructions"
    fi
}

sanitizer() {
    if cargo +nightly --version >/dev/null 2>&1; then
        scripts/asan.sh
    else
        echo "SKIPPED: there is no nightly toolchain, which AddressSanitizer needs"
    fi
}

# From the corpus on, which is replayed first. With one seed, and so nearly the same inputs: what is found by luck stops nobody who has changed something else.
fuzzing() {
    if ! cargo +nightly --version >/dev/null 2>&1; then
        echo "SKIPPED: there is no nightly toolchain, which fuzzing needs"
    elif ! command -v c++ >/dev/null; then
        echo "SKIPPED: there is no C++ compiler, which libFuzzer needs"
    else
        cargo fmt --manifest-path fuzz/Cargo.toml --check
        scripts/fuzz.sh turn pool_columns tree schedule worlds load # all of them would take minutes to build
    fi
}

step "tests: cargo test" cargo test
step "format: cargo fmt" cargo fmt --all --check
step "lints: cargo clippy" lints
step "documentation: cargo doc" documentation
step "tests with all features, and in release" thorough_tests
step "features, each by itself" features
step "without the standard library" without_std
step "the showcase and the examples" demos
if [[ $mode == all ]]; then
    step "benches, once each, and a first look at the peers" benches
    step "the demos that draw, in windows on Xvfb" windows
    step "instructions of the hot paths" instructions
    step "the libraries under AddressSanitizer" sanitizer
    step "fuzzing, a short turn" fuzzing
    step "the soak, half a minute" scripts/soak.sh 25s
fi
