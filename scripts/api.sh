#!/usr/bin/env bash
# The public API of every library, as a list in `docs/api/`, so that a change of it is seen in review.
#
#   scripts/api.sh          compares; fails if something differs
#   scripts/api.sh write    writes the lists anew
#
# Needs `cargo install --locked cargo-public-api` and a nightly toolchain, whose rustdoc describes a crate as JSON.

set -euo pipefail
cd "$(dirname "$0")/.."

mode="${1:-check}"
[[ $mode == check || $mode == write ]] || { echo "usage: scripts/api.sh [write]" >&2; exit 2; }

mkdir -p docs/api
status=0
for library in lath-core lath-soa lath-schedule lath-snapshot lath-inspect lath; do
    list="$(cargo public-api --package "$library" --all-features -sss 2>/dev/null)" ||
        { echo "$library: no list could be made; try \`cargo public-api -p $library\`" >&2; exit 1; }
    if [[ $mode == write ]]; then
        printf '%s\n' "$list" > "docs/api/$library.txt"
    elif ! diff -u "docs/api/$library.txt" <(printf '%s\n' "$list"); then
        echo "$library: the public API is not what docs/api/$library.txt says; if that is meant: scripts/api.sh write" >&2
        status=1
    fi
done
exit $status
