#!/usr/bin/env bash
# How threads hand systems to each other, in every interleaving: crates/lath-schedule/tests/loom.rs.
#
# Not part of CI: with loom's flag everything is compiled anew. Takes a minute or two.

set -euo pipefail
cd "$(dirname "$0")/.."

export RUSTFLAGS="--cfg loom ${RUSTFLAGS:-}" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom"
cargo test --release -p lath-schedule --test loom
