#!/bin/sh
# make demo: a load, traced and repeated; a C and a Fortran program linked with wraps.txt and run on two ranks; the first
# lines of what iota saw of their files (IOTA_FILES: not of the MPI's own), and a table of it.
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

# Calls by op and task, and bytes moved
table() {
    "$iota" text "$1" | awk -F'\t' '
        /^#/ { next }
        !calls[$5]++ { op[++ops] = $5 }
        { of[$5, $1]++; if ($1 > last) last = $1 }
        $5 ~ /read|write/ && $6 > 0 { bytes[$5] += $6 }
        END {
            printf "  %-22s", "op"
            for (t = 0; t <= last; t++) printf "%8s", "task " t
            printf "%12s\n", "bytes"
            for (i = 1; i <= ops; i++) {
                printf "  %-22s", op[i]
                for (t = 0; t <= last; t++) printf "%8d", of[op[i], t]
                printf "%12d\n", bytes[op[i]]
            }
            exit ops == 0
        }'
}

show() {
    trace=$(ls -t "$1"*.iota | head -n 1)
    run "iota text $trace | head -n 12"
    table "$trace"
    run "iota report --force $trace -o $1.html"
    echo "demo: open $build/demo/$1.html in a browser"
    echo
}

# Found by name also where it is the program that is traced
PATH=$(value IOTA_BIN):$PATH
rm -rf "$build/demo"
mkdir -p "$build/demo"
cp "$root"/scripts/hello/hello-mpi.c "$root"/scripts/hello/hello.f90 "$build/demo"
cd "$build/demo"
# The load generator, traced, beside its own log; then what it wrote is read and checked.
load="-nfiles 2 -nops 2 -npieces 2 -bufsz 256k -test buffer -file load"
run "iota run -q -o load.iota -- iota load -q -op w $load"
run "iota text load.iota | grep -c 'load.filen.*' # calls that name a file of the load"
run "iota load -q -op r $load -summary atomic_op -log off"
run "iota load -q -replay load.iota -file again -speed max | tail -n 12"
flags=$(value MPIEXEC_FLAGS)
launch="$(value MPIEXEC)${flags:+ $flags}"
run "$(value MPICC) hello-mpi.c \`cat $wraps\` -o hello-mpi"
run "IOTA_FILES='*.out' $launch -n 2 ./hello-mpi"
show hello-mpi
if [ -z "$(value MPIFC)" ]; then
    echo "demo: no Fortran compiler for this MPI: the Fortran program is left out"
    exit
fi
run "$(value MPIFC) hello.f90 \`cat $wraps\` -o hello-f90"
run "IOTA_FILES='*.out' $launch -n 2 ./hello-f90"
show hello-f90
