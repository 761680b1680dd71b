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
# something otherwise, `benches/peers/before/COMMIT.patch` gives them the names of now, and changes
# nothing else; `benches/peers/README.md` says how to add to it.

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

# The old crates, once for each state of the patch.
mkdir -p "$folder"
patch="$root/benches/peers/before/$hash.patch"
state="$(if [[ -e $patch ]]; then sha256sum <"$patch"; else echo none; fi)"
if [[ ! -e $folder/lath/state || "$(<"$folder/lath/state")" != "$state" ]]; then
    rm -rf "$folder/lath"
    mkdir -p "$folder/lath"
    git archive "$hash" crates Cargo.toml | tar -x -C "$folder/lath"
    sed -i -e 's/"0\.1\.0"/"0.0.0"/' -e 's/^members = .*/members = ["crates\/*"]/' \
        -e '/^default-members/d' "$folder/lath/Cargo.toml"
    [[ ! -e $patch ]] || patch -d "$folder/lath" -p1 --silent <"$patch"
    echo "$state" >"$folder/lath/state"
fi

# Writes a file if what is in it has changed.
write() {
    local text
    text="$(cat)"
    [[ -e $1 && "$(<"$1")" == "$text" ]] || printf '%s\n' "$text" >"$1"
}

# What the rows need, as in their own manifest, with the old crates for those of lath.
dependencies="$(sed -n '/^\[dependencies\]/,/^\[lints\]/p' benches/peers/Cargo.toml |
    grep -E '^[a-z]' | grep -v 'optional = true' |
    sed -E -e "s|^lath-([a-z]*) = \{ path = \"[^\"]*\"|lath-\1 = { path = \"$folder/lath/crates/lath-\1\"|" \
        -e 's/, version = "0\.1\.0"//')"

mkdir -p "$folder/program" "$folder/rows"
write "$folder/Cargo.toml" <<EOF
[workspace]
resolver = "3"
members = ["program", "rows"]
exclude = ["lath"]

$(sed -n '/^\[workspace\.dependencies\]/,/^\[workspace\.lints/p' Cargo.toml | grep -v '^\[workspace\.lints' |
    sed -E "s|^lath(-?[a-z]*) = \{ path = \"([^\"]*)\", version = \"0.1.0\"|lath\1 = { path = \"$folder/lath/\2\"|")
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
$dependencies
EOF
[[ -e $folder/Cargo.lock ]] || cp Cargo.lock "$folder/Cargo.lock"

cd "$folder"
cargo build --release -p lath-before --target-dir "$folder/target"
cd "$root"
exec "$folder/target/release/lath-before" ${arguments[@]+"${arguments[@]}"}
