#!/usr/bin/env bash
# A program under valgrind's memcheck: reads of memory that was never written, wrong frees and leaks.
#
#   scripts/memcheck.sh [EXAMPLE]                08_snapshot unless told otherwise
#   scripts/memcheck.sh world [SECONDS [SEED]]   the game that plays everything, for a minute and from seed 1 unless told otherwise
#
# Not part of CI. AddressSanitizer does not see reads of memory that was never written; this does.

set -euo pipefail
cd "$(dirname "$0")/.."

example="${1:-08_snapshot}"
command -v valgrind >/dev/null || { echo "missing: valgrind" >&2; exit 1; }
if [[ $example == world ]]; then
    # Without poison: memory that is filled with something counts as written.
    cargo build --profile game -p lath-simulation --bin bare
    program=("${CARGO_TARGET_DIR:-target}/game/bare" "${2:-60}" "${3:-1}")
else
    cargo build --release -p lath-examples --example "$example"
    program=("${CARGO_TARGET_DIR:-target}/release/examples/$example")
fi
# Leaks that count are those that nothing points to any more: thread pools live as long as the program.
valgrind --error-exitcode=1 --leak-check=full --errors-for-leak-kinds=definite "${program[@]}"
