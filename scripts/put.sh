#!/bin/sh
# put.sh FILE: writes standard input to FILE, whole or not at all, and leaves an equal FILE (and its time) alone.
set -eu
mkdir -p "$(dirname "$1")"
tmp=$(mktemp "$1.XXXXXX")
trap 'rm -f "$tmp"' EXIT
cat >"$tmp"
[ -s "$tmp" ] || { echo "put: nothing to write to $1" >&2; exit 1; }
cmp -s "$tmp" "$1" || { chmod 644 "$tmp"; mv "$tmp" "$1"; }
