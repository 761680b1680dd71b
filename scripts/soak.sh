#!/usr/bin/env bash
# The showcase, and then a smaller world, changed, saved, loaded, rolled back and replayed on one thread, while clients of the inspector misbehave:
# examples/soak/src/main.rs. Fails if a tick comes to another checksum, if anything is lost, or if memory grows.
#
#   scripts/soak.sh MINUTES [SEED]      SEED is 1 unless told otherwise
#   scripts/soak.sh 30s [SEED]          the same for seconds

set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/whole.sh

time="${1:-}"
if [[ $# -lt 1 || $# -gt 2 || ! $time =~ ^[1-9][0-9]*s?$ || ! ${2:-1} =~ ^[0-9]+$ ]]; then
    echo "usage: scripts/soak.sh MINUTES|SECONDSs [SEED]" >&2
    exit 2
fi
case "$time" in
    *s) seconds="${time%s}" ;;
    *) seconds=$((time * 60)) ;;
esac
build_release lath-soak
"$built/lath-soak" "$seconds" "${2:-1}"
