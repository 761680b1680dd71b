#!/usr/bin/env bash
# The oldest compiler that the libraries promise to work with (`rust-version` in Cargo.toml).
#
# Where rustup has that compiler, the libraries are checked with it. Everywhere: no library calls anything of the standard library
# that is newer (clippy's `incompatible_msrv`), and no crate that they depend on asks for a newer one. Syntax that is newer is seen by
# the first only.

set -euo pipefail
cd "$(dirname "$0")/.."

oldest="$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)"
libraries=(lath-core lath-soa lath-schedule lath-snapshot lath-inspect lath)
packages=()
for library in "${libraries[@]}"; do
    packages+=(-p "$library")
done

if cargo "+$oldest" --version >/dev/null 2>&1; then
    cargo "+$oldest" check "${packages[@]}" --all-features
else
    echo "SKIPPED: there is no compiler $oldest here; rustup toolchain install $oldest"
fi

cargo clippy "${packages[@]}" -p lath-derive --all-features -- -A clippy::all -D clippy::incompatible_msrv
echo "the libraries call nothing of the standard library that is newer than $oldest"

command -v jq >/dev/null || { echo "SKIPPED: there is no jq, which reads what crates ask for"; exit 0; }
# Crates that the libraries depend on, but for their tests.
used="$(cargo tree "${packages[@]}" --all-features --edges normal,build --prefix none --format '{p}' | cut -d' ' -f1,2 | sort -u)"
newer="$(cargo metadata --format-version 1 --all-features | jq -r --arg oldest "$oldest" '
    def number: split(".") | map(tonumber) | .[0] * 1000 + .[1];
    .packages[] | select(.rust_version != null and (.rust_version | number) > ($oldest | number))
    | "\(.name) v\(.version) \(.rust_version)"')"
status=0
while read -r name version asks; do
    if [[ -n $name ]] && grep -qx "$name $version" <<< "$used"; then
        echo "$name $version asks for $asks, which is newer than $oldest" >&2
        status=1
    fi
done <<< "$newer"
[[ $status -ne 0 ]] || echo "none of $(wc -l <<< "$used") crates asks for a newer compiler than $oldest"
exit "$status"
