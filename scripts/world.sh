#!/usr/bin/env bash
# The game that plays everything (simulation/): random programs of all public calls, along several routes that must agree, and with
# faults. Fails with a short program, printed as a test. Fresh memory is filled with a poison value, which must come out nowhere.
#
#   scripts/world.sh MINUTES [SEED]           SEED is one of the clock's unless told otherwise; the last line says which it began with
#   scripts/world.sh 30s [SEED]               the same for seconds
#   scripts/world.sh asan MINUTES|30s [SEED]  under AddressSanitizer: needs a nightly toolchain
#
# With memcheck in front, slower by far: scripts/memcheck.sh world.

set -euo pipefail
cd "$(dirname "$0")/.."

asan=
if [[ ${1:-} == asan ]]; then
    asan=1
    shift
fi
time="${1:-}"
if [[ $# -lt 1 || $# -gt 2 || ! $time =~ ^[1-9][0-9]*s?$ || ! ${2:-1} =~ ^[0-9]+$ ]]; then
    echo "usage: scripts/world.sh [asan] MINUTES|SECONDSs [SEED]" >&2
    exit 2
fi
case "$time" in
    *s) seconds="${time%s}" ;;
    *) seconds=$((time * 60)) ;;
esac
play=(run --profile game -p lath-simulation --bin world)
if [[ -n $asan ]]; then
    target="$(rustc +nightly -vV | sed -n 's/^host: //p')"
    # With --target the flags apply to what is played only, not to the macros that the compiler itself loads.
    export RUSTFLAGS="-Zsanitizer=address ${RUSTFLAGS:-}" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/asan"
    cargo +nightly "${play[@]}" --target "$target" -- "$seconds" ${2:+"$2"}
else
    cargo "${play[@]}" -- "$seconds" ${2:+"$2"}
fi
