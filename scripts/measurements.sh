#!/usr/bin/env bash
# Brings docs/measurements.md and docs/charts up to date: measures every row of the comparison, puts the tables between the two marks of
# the page, and renews the charts that are there. The prose around them is for whoever runs this to look at again.
#
#   scripts/measurements.sh [--quick]    --quick: fewer rounds, for a first impression
#
# Takes the better part of an hour on a quiet machine, minutes with --quick. Needs a C compiler, for flecs.

set -euo pipefail
cd "$(dirname "$0")/.."

if [[ $# -gt 1 || ( $# -eq 1 && $1 != --quick ) ]]; then
    echo "usage: scripts/measurements.sh [--quick]" >&2
    exit 2
fi

page=docs/measurements.md
begin='<!-- tables: begin -->'
end='<!-- tables: end -->'
for mark in "$begin" "$end"; do
    grep -qxF -- "$mark" "$page" || { echo "$page has no line $mark" >&2; exit 1; }
done

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cargo run --release -p lath-peers --features flecs -- all build "$@" --markdown --svg "$work/charts" >"$work/tables.md"

awk -v begin="$begin" -v end="$end" -v tables="$work/tables.md" '
    $0 == begin { print; print ""; while ((getline line < tables) > 0) print line; print ""; skip = 1 }
    $0 == end { skip = 0 }
    !skip { print }
' "$page" >"$work/page.md"
cp "$work/page.md" "$page"
for chart in docs/charts/*.svg; do
    fresh="$work/charts/$(basename "$chart")"
    if [[ -f $fresh ]]; then cp "$fresh" "$chart"; else echo "no longer drawn: $chart" >&2; fi
done
echo "renewed $page and docs/charts; now read the prose of the page again"
