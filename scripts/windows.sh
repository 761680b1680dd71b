#!/usr/bin/env bash
# Runs the demos that open windows on a display of their own, takes a picture of each, and fails if there is nothing to see.
#
#   scripts/windows.sh [FOLDER]    leaves the pictures there; in target/windows if nothing is said
#
# Needs Xvfb and the libraries that a window needs, which are installed where that is possible (root and apt-get). Where they are
# neither there nor to be had this is skipped, and says so; with LATH_CI=1 that is a failure. Xvfb keeps its screen in a file,
# so that nothing else is needed for the picture: `screenshot` of lath-windows reads it.

set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/whole.sh

if [[ $# -gt 1 ]]; then
    echo "usage: scripts/windows.sh [FOLDER]" >&2
    exit 2
fi
pictures="${1:-${CARGO_TARGET_DIR:-target}/windows}"

# The display, and what minifb loads when a window is opened.
is_there() {
    local libraries
    libraries="$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null)" || true
    command -v Xvfb >/dev/null && command -v xkbcomp >/dev/null &&
        [[ $libraries == *libX11.so.6* && $libraries == *libXcursor.so.1* ]]
}
install() {
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        xvfb x11-xkb-utils xkb-data libx11-6 libxcursor1
}
export -f install
if ! is_there && [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
    timeout 300 bash -c install >/dev/null || echo "Xvfb could not be installed"
fi
if ! is_there; then
    if [[ -n ${LATH_CI:-} ]]; then
        echo "there is no Xvfb, no libX11 or no libXcursor, and they could not be installed" >&2
        exit 1
    fi
    echo "SKIPPED: the window demos need Xvfb, libX11 and libXcursor (Debian: xvfb x11-xkb-utils libx11-6 libxcursor1)"
    exit 0
fi

build_release hierarchy swarm screenshot
mkdir -p "$pictures"
work="$(mktemp -d)"
server= demo=
clean_up() {
    [[ -z $demo ]] || kill "$demo" 2>/dev/null || true
    [[ -z $server ]] || { kill "$server" && wait "$server"; } 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

# Xvfb takes a display that is free, and says which.
mkfifo "$work/display"
Xvfb -displayfd 3 -screen 0 1200x640x24 -nolisten tcp -fbdir "$work" 3>"$work/display" 2>"$work/log" &
server=$!
if ! read -r -t 300 display <"$work/display"; then
    echo "Xvfb did not start:" >&2
    cat "$work/log" >&2
    exit 1
fi
export DISPLAY=":$display"

# photograph NAME COMMAND…: takes pictures of a demo for as long as it runs. The last one with something to see is kept.
photograph() {
    local name="$1" picture="$pictures/$1.png" seen=
    rm -f "$picture"
    shift
    "$@" &
    demo=$!
    while sleep 0.25 && kill -0 "$demo" 2>/dev/null; do
        if "$built/screenshot" "$work/Xvfb_screen0" "$work/picture.png" >"$work/last" 2>&1; then
            mv "$work/picture.png" "$picture"
            mv "$work/last" "$work/said"
            seen=yes
        fi
    done
    if ! wait "$demo"; then
        demo=
        echo "$name failed" >&2
        exit 1
    fi
    demo=
    if [[ -z $seen ]]; then
        echo "$name: nothing was to be seen" >&2
        cat "$work/last" >&2
        exit 1
    fi
    sed "s|^$work/||; s|^picture|$name|" "$work/said"
}

photograph hierarchy timeout 1200 "$built/hierarchy" --frames 240
photograph swarm timeout 1200 "$built/swarm" --particles 200000 --tour --frames 160
