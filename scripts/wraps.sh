#!/bin/sh
# What a program is linked with, of what build.rs left in PARTS.
#   wraps.sh line PARTS LIB-DIR         the line of wraps.txt, for libraries in that folder and the C library of $CC
#   wraps.sh newer PARTS LIB-DIR        puts the response files of newer C libraries there
#   wraps.sh flags PARTS LIBRARY...     the linker's response file that it names, for the libraries as they were built: no
#                                       --wrap without its __wrap_ symbol in each of them
set -eu
what=$1 parts=$2
shift 2
nm=${NM:-nm}

# The flags are to work from any folder, and a shell splits them at white space, the compiler at commas.
if [ "$what" = line ]; then
    case $1 in
    *[[:space:],]*) echo "wraps: $1: white space or a comma, which no link line can carry" >&2; exit 2 ;;
    /*) ;;
    *) echo "wraps: $1: not an absolute path" >&2; exit 2 ;;
    esac
    libc=$(printf '#include <features.h>\nIOTA GLIBC_ __GLIBC__.__GLIBC_MINOR__\n' | ${CC:-cc} -E -P - | tr -d ' \n' | sed -n 's/.*IOTA//p')
    newer=$({ ls "$parts" | sed -n 's/^\(GLIBC_.*\)\.rsp$/\1/p' && echo "$libc"; } | sort -V | sed "/^$libc\$/,\$d" | tail -n 1)
    [ ! -e "$parts/$libc.rsp" ] || newer=$libc
    sed "s|NEWER|${newer:+-Wl,@LIB_DIR/libiota-$newer.rsp }|; s|LIB_DIR|$1|g" "$parts/wraps.txt"
    exit
fi
if [ "$what" = newer ]; then
    for file in "$parts"/GLIBC_*.rsp; do "$(dirname "$0")/put.sh" "$1/libiota-$(basename "$file")" <"$file"; done
    exit
fi

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
    cat "$parts/wraps.rsp"
    sed 's/^/--wrap=/' "$mpi/names.txt"
    { cat "$mpi/names.txt" && sed -n 's/^NEED(P\(MPI_.*\))$/\1/p' "$mpi/needs.h"; } | sed -n 's/^MPI_/--undefined=&/p'
} >"$tmp/flags"
sed -n 's/^--wrap=//p' "$tmp/flags" "$parts"/GLIBC_*.rsp | LC_ALL=C sort -u >"$tmp/names"
for library in "$@"; do
    wrapped "$library" >"$tmp/wrapped"
    absent=$(LC_ALL=C comm -23 "$tmp/names" "$tmp/wrapped" | tr '\n' ' ')
    [ -z "$absent" ] || { echo "wraps: $library does not define __wrap_ for: $absent" >&2; exit 1; }
done
cat "$tmp/flags"
# The archive beside the libraries (c-shim/link), and in static programs the table by which stacks are unwound.
echo '--wrap=__libc_start_main
--eh-frame-hdr
-l:libiota-program.a'
