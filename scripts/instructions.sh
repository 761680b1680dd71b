#!/usr/bin/env bash
# Counts the instructions of one step of each hot path, with valgrind's callgrind: the same on every run, however busy the machine.
# Fails if one has grown by more than 5 % over what benches/instructions.txt says.
#
#   scripts/instructions.sh [CASE…]     count and compare; --list shows the cases
#   scripts/instructions.sh --accept    keep what is counted now
#
# `each-columns` beside `zip-slices` shows that `each` runs the loop that was compiled for AVX2. Needs valgrind; CI installs it.

set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/whole.sh

if ! command -v valgrind >/dev/null; then
    echo "missing: valgrind, which counts the instructions (Debian: apt install valgrind)" >&2
    exit 1
fi
build_release instructions
exec "$built/instructions" "$@"
