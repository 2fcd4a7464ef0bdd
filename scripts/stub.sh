#!/bin/sh
# What links of dynamic programs see of the shared object: a stub of the same name, with all that it exports but the plain
# names of libraries above MPI-IO. The linker would take H5Fopen from it where the program has its own libhdf5.a. What it refers
# to is exported by such a program: the tracer asks it for functions of the library.
#   stub.sh LIBRARY MEMBERS STUB     by the library's name, or by $SONAME
set -eu
library=$1 members=$2 stub=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

name=${SONAME:-$(readelf -dW "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]$/\1/p')}
[ -n "$name" ] || { echo "stub: $library has no SONAME" >&2; exit 1; }
ls "$members" | sed -n 's/\.o$//p' | LC_ALL=C sort >"$tmp/plain"
# NAME@VERSION is for programs that are linked already.
"${NM:-nm}" -D --defined-only -P "$library" | sed -n 's/^\([^ @]*\) [TtWwiV] .*/\1/p' | LC_ALL=C sort -u >"$tmp/all"
LC_ALL=C comm -23 "$tmp/all" "$tmp/plain" | sed 's/.*/.globl &\n.type &, %function\n&:/' >"$tmp/stub.s"
{
    echo .data
    sed -n 's/^FIND(\([^,]*\),.*/.weak \1\n.quad \1/p' "$(dirname "$0")"/../c-shim/above/members/*.c
} >>"$tmp/stub.s"
mkdir -p "$(dirname "$stub")"
"${CC:-cc}" -shared -nostdlib -Wl,-soname,"$name" "$tmp/stub.s" -o "$tmp/stub.so"
mv "$tmp/stub.so" "$stub"
