#!/usr/bin/env bash
# The test of determinism at full length: 50,000 things, 1000 ticks, on 1, 2, 3 and 8 threads and with 20 shuffle seeds.
#
#   scripts/determinism.sh [ticks]
#
# Not part of CI, which runs a few ticks of the same. Takes some minutes.

set -euo pipefail
cd "$(dirname "$0")/.."

ticks="${1:-1000}"
if [[ $# -gt 1 || ! $ticks =~ ^[1-9][0-9]*$ ]]; then
    echo "usage: scripts/determinism.sh [ticks]" >&2
    exit 2
fi

LATH_TICKS="$ticks" cargo test --release -p lath-schedule --test determinism
