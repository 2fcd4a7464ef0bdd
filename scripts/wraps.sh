#!/bin/sh
# The flags for a link line, for the libraries as they were built: no --wrap without its __wrap_ symbol in each of them.
#   wraps.sh serial|mpi GEN-WRAPS LIBRARY...    WRAPS_LIBDIR: where they will be, if not where they are
set -eu
what=$1 gen_wraps=$2
shift 2
nm=${NM:-nm}
root=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The names that a library wraps
wrapped() {
    case $1 in *.so) dynamic=-D ;; *) dynamic= ;; esac
    # shellcheck disable=SC2086
    $nm -g $dynamic --defined-only -P "$1" | sed -n 's/^__wrap_\([^ ]*\) .*/\1/p' | LC_ALL=C sort -u
}

flags() {
    if [ "$what" = mpi ]; then
        wrapped "$1" | grep -Fxf "$root/c-shim/mpi/names.txt" | sed 's/^/-Wl,--wrap=/' | tr '\n' ' '
        "$gen_wraps" wraps --lib-dir "${WRAPS_LIBDIR:-${1%/*}}" --lib iota-mpi
    else
        "$gen_wraps" wraps --lib-dir "${WRAPS_LIBDIR:-${1%/*}}" --lib iota
    fi
}

flags "$1" >"$tmp/flags"
tr ' ' '\n' <"$tmp/flags" | sed -n 's/^-Wl,--wrap=//p' | LC_ALL=C sort -u >"$tmp/names"
for library in "$@"; do
    wrapped "$library" >"$tmp/wrapped"
    absent=$(LC_ALL=C comm -23 "$tmp/names" "$tmp/wrapped" | tr '\n' ' ')
    [ -z "$absent" ] || { echo "wraps: $library does not define __wrap_ for: $absent" >&2; exit 1; }
done
cat "$tmp/flags"
