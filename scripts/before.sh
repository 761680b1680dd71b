#!/usr/bin/env bash
# Measures lath beside an older lath: every row of `benches/peers` in which lath takes part, the
# crates of now and those of a commit in one process, round by round. Prints now ÷ before for each
# row; with --check it fails if one is above 1.05.
#
#   scripts/before.sh [--commit COMMIT] [workload…] [--quick] [--check] [--list] [--json]
#
# COMMIT is 3e1922c if nothing else is said: the state before the kernel was rebuilt. With
# `--commit HEAD` both sides are the same code, and what is not 1.00 is noise: look at that first,
# on the machine that you measure on.
#
# The old crates go to the target folder with a version of their own, so that cargo links both. The
# rows are the sources of `benches/peers` as they are, compiled once more. Where the old crates call
# something otherwise, a file `benches/peers/before/COMMIT/CRATE.rs` stands in for CRATE: it hands
# on what it finds in `old_core` and so on, under the new names.

set -euo pipefail
cd "$(dirname "$0")/.."

commit=3e1922c
arguments=()
while (($#)); do
    case $1 in
        --commit) commit="${2:?--commit needs one}"; shift 2 ;;
        --help | -h) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit ;;
        *) arguments+=("$1"); shift ;;
    esac
done

root="$PWD"
target="${CARGO_TARGET_DIR:-$root/target}"
hash="$(git rev-parse --short=7 "$commit^{commit}")"
folder="$target/before-$hash"

# The old crates: what a commit was does not change, so once is enough.
mkdir -p "$folder"
if [[ ! -e $folder/lath/complete ]]; then
    rm -rf "$folder/lath"
    mkdir -p "$folder/lath"
    git archive "$hash" crates Cargo.toml | tar -x -C "$folder/lath"
    sed -i -e 's/"0\.1\.0"/"0.0.0"/' -e 's/^members = .*/members = ["crates\/*"]/' \
        -e '/^default-members/d' "$folder/lath/Cargo.toml"
    touch "$folder/lath/complete"
fi

# Where the rows find each crate of the old lath: as it was, or through a translation.
dependency() {
    local name="$1" features="$2" shim="$root/benches/peers/before/$hash/$1"
    if [[ -e $shim.rs ]]; then
        mkdir -p "$folder/$name"
        write "$folder/$name/Cargo.toml" <<EOF
[package]
name = "translated-$name"
version = "0.0.0"
edition = "2024"

[lib]
path = "$shim.rs"

[dependencies]
$(old_crates)
EOF
        echo "$name = { package = \"translated-$name\", path = \"../$name\" }"
    else
        echo "$name = { $(old_crate "$name" "$features") }"
    fi
}

old_crate() {
    echo "path = \"$folder/lath/crates/$1\", default-features = false, features = [$2]"
}

# The old crates under names of their own, for the translations.
old_crates() {
    local name features
    while read -r name features; do
        echo "old-${name#lath-} = { package = \"$name\", $(old_crate "$name" "$features") }"
    done <<<"$crates"
}

# Writes a file if what is in it has changed.
write() {
    local text
    text="$(cat)"
    [[ -e $1 && "$(<"$1")" == "$text" ]] || printf '%s\n' "$text" >"$1"
}

# Those that `benches/peers/Cargo.toml` names, with the same features.
crates='lath-core "std", "parallel"
lath-schedule "parallel"
lath-snapshot
lath-soa'

mkdir -p "$folder/program" "$folder/rows"
write "$folder/Cargo.toml" <<EOF
[workspace]
resolver = "3"
members = ["program", "rows"]
exclude = ["lath"]
EOF
write "$folder/program/Cargo.toml" <<EOF
[package]
name = "lath-before"
version = "0.0.0"
edition = "2024"

[[bin]]
name = "lath-before"
path = "$root/benches/peers/before/main.rs"

[dependencies]
lath-peers = { path = "$root/benches/peers", default-features = false }
lath-peers-before = { path = "../rows" }
EOF
# What the rows need beside lath, as in their own manifest.
others="$(grep -E '^(slotmap|thunderdome|libc) ' benches/peers/Cargo.toml)"
of_workspace="$(grep -E '^(fastrand|rayon|serde_json) ' Cargo.toml)"
write "$folder/rows/Cargo.toml" <<EOF
[package]
name = "lath-peers-before"
version = "0.0.0"
edition = "2024"

[lib]
path = "$root/benches/peers/src/lib.rs"

[features]
ecs = []
flecs = []

[dependencies]
$others
$of_workspace
$(while read -r name features; do dependency "$name" "$features"; done <<<"$crates")
EOF
[[ -e $folder/Cargo.lock ]] || cp Cargo.lock "$folder/Cargo.lock"

cd "$folder"
cargo build --release -p lath-before --target-dir "$folder/target"
cd "$root"
exec "$folder/target/release/lath-before" ${arguments[@]+"${arguments[@]}"}
