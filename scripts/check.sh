#!/usr/bin/env bash
# Exactly what CI runs, step by step, with the time that each step took. Stops at the first failure.
#
#   scripts/check.sh          everything
#   scripts/check.sh quick    without the benches, the windows, the sanitizer, the fuzzer, the soak and the game
#
# Needs the Rust toolchain. Steps that need more are skipped, and say so; with LATH_CI=1, which CI sets, only those may be skipped that
# need a nightly toolchain.

set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/whole.sh

mode="${1:-all}"
if [[ $# -gt 1 || ( $mode != all && $mode != quick ) ]]; then
    echo "usage: scripts/check.sh [quick]" >&2
    exit 2
fi

number=0
finished=()
current=

# The seconds of processor time that all commands so far have taken: unlike seconds, they hardly grow on a busy machine.
processor_seconds() {
    times >"$scratch"
    awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += part[1] * 60 + part[2] } printf "%d", sum }' "$scratch"
}

# step NAME COMMAND…: runs the command, or stops everything.
step() {
    current="$1"
    shift
    number=$((number + 1))
    echo
    echo "== $number. $current"
    local start=$SECONDS before after
    before="$(processor_seconds)"
    "$@"
    after="$(processor_seconds)"
    finished+=("$(printf '%2d. %-58s %5d s %6d s' "$number" "$current" "$((SECONDS - start))" "$((after - before))")")
    current=
}

# Says what passed and what did not, also when a step has failed.
summary() {
    local status=$?
    echo
    printf '    %-58s %7s %8s\n' "" time work
    [[ ${#finished[@]} -eq 0 ]] || printf '%s\n' "${finished[@]}"
    if [[ -n $current ]]; then
        printf '%2d. %-58s FAILED\n' "$number" "$current"
    elif [[ $status -eq 0 ]]; then
        echo "all checks passed in $SECONDS s ($mode)"
        if [[ -n ${LATH_CI:-} && $SECONDS -gt $((35 * 60)) ]]; then
            echo "WARNING: that is more than 35 minutes, which is the most that CI should take. What has grown?" >&2
        fi
    fi
}
scratch="$(mktemp)"
trap 'summary; rm -f "$scratch"' EXIT

# skip WHAT: says that something is left out. In CI that is a failure, since .ci/run installs what is needed.
skip() {
    echo "SKIPPED: $1"
    [[ -z ${LATH_CI:-} ]]
}

format() {
    cargo fmt --all --check
    cargo fmt --manifest-path fuzz/Cargo.toml --check
    cargo fmt --manifest-path scripts/mutants/Cargo.toml --check
}

documentation() {
    RUSTDOCFLAGS="-D warnings" cargo doc "${whole[@]}" --no-deps
}

# Optimised: the unit tests; the tests that play games, attack or need threads, in which undefined behaviour would show; and those of
# the demos, the benches and the tools.
release_tests() {
    local name tests=()
    for name in attacks blocks canvas changes clusters command_line determinism differences fixed_model hierarchy hostile images \
        marks model order panics random_schedules refusals replay retirement saves swarm sync_test thread_pool threads tree tree_threads views xwd; do
        tests+=(--test "$name")
    done
    cargo test --release "${whole[@]}" --exclude lath-derive --exclude lath-simulation --exclude lath-examples --lib --bins "${tests[@]}"
}

# On the caller's thread only.
serial_tests() {
    cargo test -p lath-schedule --no-default-features --lib --test determinism --test order --test commands --test time
}

# Each feature by itself: nothing is missing, and nothing is left over.
features() {
    local features
    for features in "" "alloc" "std" "parallel" "alloc,serde" "alloc,bytemuck" "serde,bytemuck" "huge-pages"; do
        echo "lath-core with: ${features:-nothing}"
        cargo clippy --quiet -p lath-core --no-default-features --features "$features" -- -D warnings
    done
    echo "lath-schedule with: nothing, and its tests"
    cargo clippy --quiet -p lath-schedule --no-default-features --all-targets -- -D warnings
    for features in "parallel" "tracing" "serde"; do
        echo "lath-schedule with: $features"
        cargo clippy --quiet -p lath-schedule --no-default-features --features "$features" -- -D warnings
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
    cargo build --release "${whole[@]}" --bins --examples
    # The showcase, on one thread and on two: the same colony, to the last bit.
    local threads checksum checksums=()
    for threads in 1 2; do
        "$built/colony" --headless --ticks 2000 --threads "$threads" | tee "$scratch"
        checksum="$(grep '^checksum' "$scratch")"
        checksums+=("$checksum")
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
        "$built/examples/$name"
    done
    echo "-- inventory"
    "$built/examples/inventory" --story
}

benches() {
    cargo bench "${whole[@]}" --bench '*' -- --test
    "$built/lath-peers" --quick lookup
}

# Instructions of the hot paths, against those in benches/instructions.txt.
instructions() {
    if [[ $(uname -sm) != "Linux x86_64" ]]; then
        echo "SKIPPED: the kept counts are for x86-64 Linux"
    elif command -v valgrind >/dev/null; then
        scripts/instructions.sh
    else
        skip "there is no valgrind, which counts the instructions"
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
        skip "there is no C++ compiler, which libFuzzer needs"
    else
        scripts/fuzz.sh turn pool_columns tree schedule worlds load # all of them would take minutes to build
    fi
}

# With one seed, for the same reason.
game() {
    cargo test --profile game -p lath-simulation
    scripts/world.sh 30s 770001
}

step "tests: cargo test" cargo test
step "format: cargo fmt" format
step "lints: cargo clippy" cargo clippy "${whole[@]}" --all-targets -- -D warnings
step "documentation: cargo doc" documentation
step "features, each by itself" features
step "tests without threads" serial_tests
step "without the standard library" without_std
step "tests in release" release_tests
step "the showcase and the examples" demos
if [[ $mode == all ]]; then
    step "benches, once each, and a first look at the peers" benches
    step "the demos that draw, in windows on Xvfb" scripts/windows.sh
    step "instructions of the hot paths" instructions
    step "the game that plays everything, two minutes" game
    step "the libraries under AddressSanitizer" sanitizer
    step "fuzzing, a short turn" fuzzing
    step "the soak, half a minute" scripts/soak.sh 25s
fi
