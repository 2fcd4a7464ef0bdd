#!/bin/sh
# make demo: a C and a Fortran program linked with wraps.txt and run on two ranks, the first lines of what iota saw,
# and how often it saw what.
#   demo.sh BUILD
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$("$root/scripts/ranks.sh" "$1")
value() { sed -n "s/^$1=//p" "$build/build.env"; }
iota=$(value IOTA_BIN)/iota
wraps=$(value IOTA_WRAPS)

# The command as one would type it, and what it does
run() {
    echo "\$ $1"
    eval "$1"
    echo
}

count() {
    "$iota" text "$1" | awk -F'\t' '!/^#/ { seen[$1 "\t" $5]++; calls++ }
        END { for (key in seen) { split(key, part, "\t"); printf "%6s  %-24s %6d\n", part[1], part[2], seen[key] | "sort -k1n -k2" }
              close("sort -k1n -k2"); printf "%6s  %-24s %6d\n", "all", "", calls; exit calls == 0 }'
}

show() {
    trace=$(ls -t "$1"*.iota | head -n 1)
    run "iota text $trace | head -n 12"
    echo "  task  op                        calls"
    count "$trace"
    echo
}

iota() { "$iota" "$@"; }
rm -rf "$build/demo"
mkdir -p "$build/demo"
cp "$root"/scripts/hello/hello-mpi.c "$root"/scripts/hello/hello.f90 "$build/demo"
cd "$build/demo"
launch="$(value MPIEXEC) $(value MPIEXEC_FLAGS)"
run "$(value MPICC) hello-mpi.c \`cat $wraps\` -o hello-mpi"
run "$launch -n 2 ./hello-mpi"
show hello-mpi
if [ -z "$(value MPIFC)" ]; then
    echo "demo: no Fortran compiler for this MPI: the Fortran program is left out"
    exit
fi
run "$(value MPIFC) hello.f90 \`cat $wraps\` -o hello-f90"
run "$launch -n 2 ./hello-f90"
show hello-f90
