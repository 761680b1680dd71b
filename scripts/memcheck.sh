#!/usr/bin/env bash
# One example under valgrind's memcheck: reads of memory that was never written, wrong frees and leaks.
#
#   scripts/memcheck.sh [EXAMPLE]    08_snapshot unless told otherwise
#
# Not part of CI. AddressSanitizer does not see reads of memory that was never written; this does.

set -euo pipefail
cd "$(dirname "$0")/.."

example="${1:-08_snapshot}"
command -v valgrind >/dev/null || { echo "missing: valgrind" >&2; exit 1; }
cargo build --release -p lath-examples --example "$example"
# Leaks that count are those that nothing points to any more: thread pools live as long as the program.
valgrind --error-exitcode=1 --leak-check=full --errors-for-leak-kinds=definite \
    "${CARGO_TARGET_DIR:-target}/release/examples/$example"
