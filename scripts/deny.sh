#!/usr/bin/env bash
# Licences, sources and bans of dependencies, as `deny.toml` says. Needs `cargo install --locked cargo-deny`.
#
#   scripts/deny.sh               without advisories, whose database is on the network
#   scripts/deny.sh advisories    those as well

set -euo pipefail
cd "$(dirname "$0")/.."

checks=(licenses sources)
case "${1:-}" in
    "") echo "advisories are not checked: \`scripts/deny.sh advisories\` does it where their database can be reached" ;;
    advisories) checks+=(advisories) ;;
    *) echo "usage: scripts/deny.sh [advisories]" >&2; exit 2 ;;
esac
cargo deny --workspace check "${checks[@]}"
cargo deny --workspace --exclude lath-peers --exclude lath-rollback check bans
