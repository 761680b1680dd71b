#!/usr/bin/env bash
# Counts the instructions of one step of the hot paths, with valgrind's callgrind: the same on every run, however busy the
# machine. `each-columns` against `zip-slices` shows that `each` runs the loop that was compiled for AVX2.
#
# Usage: scripts/instructions.sh [CASE…]
set -euo pipefail
cd "$(dirname "$0")/.."

command -v valgrind >/dev/null || { echo "instructions.sh needs valgrind" >&2; exit 1; }
cargo build --quiet --release -p lath-benches --bin instructions
program="${CARGO_TARGET_DIR:-target}/release/instructions"
things=4096

count() { # case, rounds
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 |
    awk '/Collected/ { print $NF }'
}

printf '%-16s %s\n' case "instructions per thing"
for case in "${@:-each-columns zip-slices get spawn-despawn iter}"; do
  for name in $case; do
    few=$(count "$name" 10)
    many=$(count "$name" 30)
    printf '%-16s %s\n' "$name" "$(awk -v d=$((many - few)) -v t=$things 'BEGIN { printf "%.1f", d / 20 / t }')"
  done
done
