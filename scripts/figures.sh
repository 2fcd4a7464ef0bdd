#!/bin/sh
# The pictures of docs/LAYERS.md, from FLASH-IO (make real) on the MPI of BUILD: run times with and without tracing by number
# of ranks, and what a trace of it shows. Files lie in memory.
#   figures.sh BUILD
set -eu
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
pictures=$root/docs/pictures
pairs=${IOTA_FIGURE_PAIRS:-12}
value() { sed -n "s/^$1=//p" "$build/build.env"; }
launcher="$(value MPIEXEC) $(value MPIEXEC_FLAGS)"
flash=$build/real/flash-io-bare
[ -x "$flash" ] || { echo "figures: $flash: not found; run make real" >&2; exit 2; }
scratch=$(mktemp -d /dev/shm/iota-figures.XXXXXX)
trap 'rm -rf "$scratch"' EXIT

# run RANKS VARIABLE...: a run in an empty directory, and its milliseconds
run() {
    ranks=$1
    shift
    rm -rf "$scratch/run"
    mkdir "$scratch/run"
    start=$(date +%s%N)
    # shellcheck disable=SC2086 # words of the launcher
    (cd "$scratch/run" && $launcher -n "$ranks" env "$@" "$flash" ./flash_ >"$scratch/out")
    echo $((($(date +%s%N) - start) / 10000)) | sed 's/..$/.&/'
}

traced="LD_PRELOAD=$(value IOTA_LIB)/libiota.so IOTA_OUTPUT=$scratch/run/flash"
{
    echo "# FLASH-IO on $(value MPI) $(value MPI_VERSION): ranks, ms bare, ms traced"
    for ranks in 1 2 4; do
        for pair in $(seq "$pairs"); do
            echo "figures: $ranks ranks, pair $pair of $pairs" >&2
            # Every second pair begins with the traced run.
            # shellcheck disable=SC2086
            if [ $((pair % 2)) = 0 ]; then
                bare=$(run "$ranks" X=)
                with=$(run "$ranks" $traced)
            else
                with=$(run "$ranks" $traced)
                bare=$(run "$ranks" X=)
            fi
            echo "$ranks $bare $with"
        done
    done
} >"$scratch/times"
"${CARGO:-cargo}" run --release --locked -q -p iota-plot --example run_time <"$scratch/times" >"$scratch/run-time.svg"
iota=$(value IOTA_BIN)/iota
# shellcheck disable=SC2086
run 4 $traced >"$scratch/last"
"$iota" plot -k layers -o "$scratch/layers.svg" "$scratch/run/flash.iota"
"$iota" plot -k pairs -o "$scratch/pairs.svg" "$scratch/run/flash.iota"
(cd "$scratch/run" && "$iota" layers flash.iota) | sed "s|$scratch/run/||" >"$scratch/layers.txt"
mkdir -p "$pictures"
cp "$scratch/times" "$pictures/run-time.txt"
cp "$scratch/layers.txt" "$pictures/flash-io.txt"
for name in run-time layers pairs; do
    install -m 644 "$scratch/$name.svg" "$pictures/$name.svg"
done
ls -l "$pictures"
