#!/usr/bin/env bash
# Mutation testing: changes the code in small ways, one at a time, and looks whether a test notices.
#
#   scripts/mutants.sh [FILE…]    files of lath-core or lath-soa, as crates/lath-core/src/bits.rs; those of docs/proof.md unless
#                                 told otherwise
#
# Not part of CI: needs cargo-mutants (cargo install cargo-mutants --locked), and a build and a run of the tests for every change, some
# ten to thirty seconds each. The tests are the quick ones: those of the library, and the models. A change that makes them hang counts
# as noticed. What survived is in target/mutants/mutants.out/missed.txt.

set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo-mutants >/dev/null || { echo "missing: cargo-mutants; cargo install cargo-mutants --locked" >&2; exit 1; }
files=("$@")
[[ $# -gt 0 ]] || files=(crates/lath-core/src/bits.rs crates/lath-core/src/generation.rs)
mkdir -p target/mutants
status=0
for crate in lath-core lath-soa; do
    selected=()
    for file in "${files[@]}"; do
        [[ $file != crates/"$crate"/* ]] || selected+=(--file "$file")
    done
    [[ ${#selected[@]} -gt 0 ]] || continue
    case "$crate" in
        lath-core) tests=(--lib --test model --test fixed_model --test tree --test retirement --test clusters --test bad_input) ;;
        *) tests=(--lib --test model --test changes --test refusals --test tree) ;;
    esac
    # Short games: a change is noticed early or not at all.
    LATH_MODEL_STEPS="${LATH_MODEL_STEPS:-60}" cargo mutants --package "$crate" "${selected[@]}" --jobs 1 --timeout 120 \
        --output target/mutants --colors never -- "${tests[@]}" || status=$?
    cp target/mutants/mutants.out/missed.txt "target/mutants/missed-$crate.txt"
done
exit "$status"
