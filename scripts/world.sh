#!/usr/bin/env bash
# The game that plays everything (simulation/): random programs of all public calls, along several routes that must agree, and with
# faults. Fails with a short program, printed as a test.
#
#   scripts/world.sh MINUTES [SEED]      SEED is one of the clock's unless told otherwise; the last line says which it began with
#   scripts/world.sh 30s [SEED]          the same for seconds
#
# With memcheck in front, slower by far: scripts/memcheck.sh world.

set -euo pipefail
cd "$(dirname "$0")/.."

time="${1:-}"
if [[ $# -lt 1 || $# -gt 2 || ! $time =~ ^[1-9][0-9]*s?$ || ! ${2:-1} =~ ^[0-9]+$ ]]; then
    echo "usage: scripts/world.sh MINUTES|SECONDSs [SEED]" >&2
    exit 2
fi
case "$time" in
    *s) seconds="${time%s}" ;;
    *) seconds=$((time * 60)) ;;
esac
cargo run --profile game -p lath-simulation --bin world -- "$seconds" ${2:+"$2"}
