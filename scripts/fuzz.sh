#!/usr/bin/env bash
# Fuzzes the loading of saves, of text and of anything else.
#
#   scripts/fuzz.sh [seconds]    60 by default
#
# Not part of CI: needs a nightly toolchain and cargo-fuzz (cargo install cargo-fuzz). What CI runs instead is
# crates/lath-snapshot/tests/hostile.rs.

set -euo pipefail
cd "$(dirname "$0")/.."

seconds="${1:-60}"
if [[ $# -gt 1 || ! $seconds =~ ^[1-9][0-9]*$ ]]; then
    echo "usage: scripts/fuzz.sh [seconds]" >&2
    exit 2
fi
if ! cargo +nightly fuzz --version >/dev/null 2>&1; then
    echo "missing: cargo-fuzz; cargo install cargo-fuzz brings it" >&2
    exit 1
fi
cargo +nightly fuzz run load -- -max_total_time="$seconds" -rss_limit_mb=2048
