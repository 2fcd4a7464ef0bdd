#!/bin/sh
# The linker's response file that wraps.txt names, for the libraries as they were built: no --wrap without its __wrap_
# symbol in each of them.
#   wraps.sh GEN-WRAPS LIBRARY...
set -eu
gen_wraps=$1
shift
nm=${NM:-nm}
mpi=$(cd "$(dirname "$0")/.." && pwd)/c-shim/mpi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The names that a library wraps
wrapped() {
    case $1 in *.so) dynamic=-D ;; *) dynamic= ;; esac
    # shellcheck disable=SC2086
    $nm -g $dynamic --defined-only -P "$1" | sed -n 's/^__wrap_\([^ ]*\) .*/\1/p' | LC_ALL=C sort -u
}

# The C library's functions; then MPI's. --undefined takes what the tracer calls out of a static libmpi.a, and is no error
# where nothing has it, because the tracer itself refers to it by its other name (c-shim/mpi/needs.h).
{
    "$gen_wraps" wraps
    sed 's/^/--wrap=/' "$mpi/names.txt"
    { cat "$mpi/names.txt" && sed -n 's/^NEED(P\(MPI_.*\))$/\1/p' "$mpi/needs.h"; } | sed -n 's/^MPI_/--undefined=&/p'
} >"$tmp/flags"
sed -n 's/^--wrap=//p' "$tmp/flags" | LC_ALL=C sort -u >"$tmp/names"
for library in "$@"; do
    wrapped "$library" >"$tmp/wrapped"
    absent=$(LC_ALL=C comm -23 "$tmp/names" "$tmp/wrapped" | tr '\n' ' ')
    [ -z "$absent" ] || { echo "wraps: $library does not define __wrap_ for: $absent" >&2; exit 1; }
done
cat "$tmp/flags"
# The archive beside the libraries (c-shim/link).
echo '--wrap=__libc_start_main
-l:libiota-program.a'
