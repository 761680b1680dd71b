#!/usr/bin/env bash
# Builds the libraries with the oldest versions of their direct dependencies that the manifests allow, in a copy: the lock file here
# stays as it is. Needs a nightly toolchain, for the resolver only, and the registry.

set -euo pipefail
cd "$(dirname "$0")/.."

copy="target/minimal_versions"
rm -rf "$copy"
mkdir -p "$copy"
git ls-files -z | xargs -0 cp --parents -t "$copy"
cd "$copy"
rm -f Cargo.lock
# The libraries only: what the peers of the comparison ask for is not ours.
sed -i 's|^members = .*|members = ["crates/*"]|; /^default-members/d' Cargo.toml
cargo +nightly generate-lockfile -Z direct-minimal-versions
CARGO_TARGET_DIR="../minimal_versions_build" cargo check -p lath -p lath-core -p lath-soa -p lath-schedule -p lath-snapshot -p lath-inspect --all-features
