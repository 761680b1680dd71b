#!/usr/bin/env bash
# Fuzzes: plays the games of the model tests with bytes that libFuzzer makes, under AddressSanitizer.
#
#   scripts/fuzz.sh SECONDS [TARGET…]    SECONDS in total, divided among the targets: all of them unless told otherwise
#   scripts/fuzz.sh turn [TARGET…]       a thousand inputs each, made from one seed (threads move them a little): what CI does
#   scripts/fuzz.sh replay [TARGET…]     runs what is in fuzz/corpus once, and nothing else
#   scripts/fuzz.sh replay TARGET FILE   runs one file: a finding
#   scripts/fuzz.sh list                 the targets
#
# Needs a nightly toolchain and a C++ compiler; not cargo-fuzz, though the targets work with it too. Starts from fuzz/corpus/TARGET,
# keeps what is new in fuzz/found/TARGET, and stops at the first finding, which is kept in fuzz/artifacts/TARGET. A finding is a
# failed assertion, a wrong access to memory, a leak, more than 2 GB of memory, or an input that takes longer than 25 seconds.

set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    echo "usage: scripts/fuzz.sh SECONDS|turn|replay|list [TARGET…]" >&2
    exit 2
}

what="${1:-}"
shift || usage
all=()
for source in fuzz/fuzz_targets/*.rs; do
    all+=("$(basename "$source" .rs)")
done
file=
if [[ $what == replay && $# -eq 2 && -f $2 ]]; then
    file="$2"
    set -- "$1"
fi
targets=("${@:-${all[@]}}")
[[ $# -gt 0 ]] || targets=("${all[@]}")
for target in "${targets[@]}"; do
    if [[ ! -f fuzz/fuzz_targets/$target.rs ]]; then
        echo "there is no target \`$target\`; there are: ${all[*]}" >&2
        exit 2
    fi
done
case "$what" in
    list) printf '%s\n' "${all[@]}"; exit ;;
    replay | turn) ;;
    *) [[ $what =~ ^[1-9][0-9]*$ ]] || usage ;;
esac

host="$(rustc +nightly -vV 2>/dev/null | sed -n 's/^host: //p')"
if [[ -z $host ]]; then
    echo "missing: a nightly toolchain" >&2
    exit 1
fi

# What cargo-fuzz passes to the compiler: counters of what was reached, comparisons as hints, and AddressSanitizer.
passes="-Cpasses=sancov-module"
for argument in level=4 inline-8bit-counters pc-table trace-compares; do
    passes+=" -Cllvm-args=-sanitizer-coverage-$argument"
done
export RUSTFLAGS="$passes --cfg fuzzing -Zsanitizer=address -Cdebug-assertions -Ccodegen-units=1 ${RUSTFLAGS:-}"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/fuzz/target}"
bins=()
for target in "${targets[@]}"; do
    bins+=(--bin "$target")
done
cargo +nightly build --release --manifest-path fuzz/Cargo.toml --target "$host" "${bins[@]}"

total=0
for target in "${targets[@]}"; do
    corpus="fuzz/corpus/$target" found="fuzz/found/$target" artifacts="fuzz/artifacts/$target"
    mkdir -p "$corpus" "$found" "$artifacts"
    options=(-rss_limit_mb=2048 -timeout=25 -max_len=4096 "-artifact_prefix=$artifacts/" -print_final_stats=1)
    [[ ! -f fuzz/dictionaries/$target.txt ]] || options+=("-dict=fuzz/dictionaries/$target.txt")
    case "$what" in
        replay) if [[ -n $file ]]; then options+=("$file"); else options+=(-runs=0 "$corpus"); fi ;;
        # What is new is thrown away, and what was found before left out: it is not there on another machine.
        turn) rm -rf "$found.turn" && mkdir "$found.turn" && options+=(-seed=1 -runs=1000 "$found.turn" "$corpus") ;;
        *) options+=("-max_total_time=$(((what + ${#targets[@]} - 1) / ${#targets[@]}))" "$found" "$corpus") ;;
    esac
    log="$CARGO_TARGET_DIR/$target.log"
    if ! "$CARGO_TARGET_DIR/$host/release/$target" "${options[@]}" >"$log" 2>&1; then
        tail -n 60 "$log"
        echo "FOUND something by the target \`$target\`; to see it again:" >&2
        echo "    scripts/fuzz.sh replay $target ${file:-$(ls -t "$artifacts"/* 2>/dev/null | head -n 1)}" >&2
        exit 1
    fi
    inputs="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)"
    if [[ ! ${inputs:-0} -gt 0 ]]; then
        tail -n 60 "$log"
        echo "the target \`$target\` has ended without playing anything" >&2
        exit 1
    fi
    steps="$(sed -n 's/^operations: *//p' "$log" | tail -n 1)"
    printf '%-14s %9s inputs, %10s operations\n' "$target" "${inputs:-?}" "${steps:-1 each}"
    total=$((total + ${steps:-${inputs:-0}}))
done
echo "nothing found in $total operations"
