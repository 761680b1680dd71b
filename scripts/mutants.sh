#!/usr/bin/env bash
# Mutation testing: changes lath-core and lath-soa in small ways, one at a time, and looks whether a test notices.
#
#   scripts/mutants.sh SECONDS [FILE…]     many: all changes are in one build, as branches, and the tests run once for each
#   scripts/mutants.sh each FILE…          one build for each change: for what cannot be a branch, as what is computed at compile time
#
# Not part of CI: needs cargo-mutants (cargo install cargo-mutants --locked), which says what to change, and hours. The first form
# goes on where it was stopped, until SECONDS are over; its results are in target/mutants/results.txt, a line each:
#
#   caught     a test failed, the one that is named
#   hung       a test did not end
#   missed     nothing failed, though tests came by
#   unreached  no test came by
#   out        not tried in this form
#
# LATH_QUICK=3 uses only those tests that take less than 3 seconds, where there are any. After that, without it and with the lines that say
# `missed` taken out of the results, the survivors meet all tests.
#
# LATH_EVERY=3 tries every third change of all files first, then those after them, and so on: a sample, if the time is short.
#
# LATH_CRATES="lath-core lath-soa" uses the tests of these crates only, which are built sooner.
#
# LATH_JOBS=2 tries two changes at a time.
#
# To try everything anew, as after a change of the code: remove target/mutants.

set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo-mutants >/dev/null || { echo "missing: cargo-mutants; cargo install cargo-mutants --locked" >&2; exit 1; }
# Short games: a change is noticed early or not at all.
export LATH_MODEL_STEPS="${LATH_MODEL_STEPS:-60}"
export PROPTEST_MAX_SHRINK_ITERS=0 # that a test fails is all we want to know
what="${1:-}"
shift || { echo "usage: scripts/mutants.sh SECONDS|each [FILE…]" >&2; exit 2; }
mkdir -p target/mutants

if [[ $what == each ]]; then
    status=0
    for crate in lath-core lath-soa; do
        selected=()
        for file in "$@"; do
            [[ $file != crates/"$crate"/* ]] || selected+=(--file "$file")
        done
        [[ ${#selected[@]} -gt 0 ]] || continue
        case "$crate" in
            lath-core) tests=(--lib --test model --test fixed_model --test tree --test retirement --test clusters --test bad_input) ;;
            *) tests=(--lib --test model --test changes --test marks --test refusals --test tree) ;;
        esac
        cargo mutants --package "$crate" "${selected[@]}" ${LATH_MUTANTS_ONLY:+--re "$LATH_MUTANTS_ONLY"} --jobs 1 --timeout 120 \
            --output target/mutants --colors never -- "${tests[@]}" || status=$?
        cp target/mutants/mutants.out/missed.txt "target/mutants/missed-$crate.txt"
    done
    exit "$status"
fi

[[ $what =~ ^[1-9][0-9]*$ ]] || { echo "usage: scripts/mutants.sh SECONDS|each [FILE…]" >&2; exit 2; }
cargo mutants --list --json -p lath-core -p lath-soa > target/mutants/list.json
copy="target/mutants/copy"
mkdir -p "$copy"
git ls-files -z | xargs -0 cp --parents --update --preserve=timestamps -t "$copy"
CARGO_TARGET_DIR=target/mutants/tool cargo build --release --manifest-path scripts/mutants/Cargo.toml
export RUSTFLAGS="--cap-lints allow ${RUSTFLAGS:-}"
export RUSTC_BOOTSTRAP=lath_core # for the switch, which is off at compile time
export CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=false
CARGO_TARGET_DIR="$PWD/target/mutants/build" target/mutants/tool/release/lath-mutants \
    target/mutants/list.json "$copy" target/mutants/results.txt "$what" "$@"
