#!/usr/bin/env bash
# The models, and images and saves, on machines of other kinds: with 32 bits, and with the bytes of a number the other way round.
#
#   scripts/machines.sh                       both
#   scripts/machines.sh i686|powerpc64        one of them
#
# Not part of CI. rustup's toolchains bring the standard library of one machine; so the compiler is Debian's, and builds one from its
# sources. Needs Debian's packages rustc-web, cargo-web and rust-web-src; gcc-12-multilib, or whatever the number of gcc is, for i686,
# which runs as it is on x86-64; gcc-powerpc64-linux-gnu, libc6-dev-ppc64-cross and qemu-user for the other one. They are installed by
# apt if they are missing and this is root. The first run takes a few minutes.

set -euo pipefail
cd "$(dirname "$0")/.."

machines=("$@")
[[ $# -gt 0 ]] || machines=(i686 powerpc64)
export RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/machines"
export CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=false CARGO_TARGET_POWERPC64_UNKNOWN_LINUX_GNU_LINKER=powerpc64-linux-gnu-gcc
export CARGO_TARGET_POWERPC64_UNKNOWN_LINUX_GNU_RUNNER="qemu-ppc64 -L /usr/powerpc64-linux-gnu"
export LATH_MODEL_STEPS="${LATH_MODEL_STEPS:-200}"

for machine in "${machines[@]}"; do
    case "$machine" in
        # With its number: the package without one cannot be there beside a compiler for another machine.
        i686) needs=("gcc-$(gcc -dumpversion)-multilib") ;;
        powerpc64) needs=(gcc-powerpc64-linux-gnu libc6-dev-ppc64-cross qemu-user) ;;
        *) echo "usage: scripts/machines.sh [i686|powerpc64]" >&2; exit 2 ;;
    esac
    packages=(rustc-web cargo-web rust-web-src "${needs[@]}")
    if ! dpkg -s "${packages[@]}" >/dev/null 2>&1; then
        if [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null; then
            echo "missing: some of the Debian packages ${packages[*]}" >&2
            exit 1
        fi
        apt-get update
        apt-get install -y --no-install-recommends "${packages[@]}"
    fi
    test=(/usr/bin/cargo test -Zbuild-std --target "$machine-unknown-linux-gnu")
    "${test[@]}" -p lath-core --lib --test model --test fixed_model --test tree --test clusters --test bad_input --test odd_types
    "${test[@]}" -p lath-soa --lib --test model --test tree --test views --test changes --test marks
    "${test[@]}" -p lath-snapshot --all-features --lib --test images --test differences --test blocks --test saves --test versions --test hostile
    echo "$machine: all passed"
done
