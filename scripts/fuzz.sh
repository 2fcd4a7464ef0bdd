#!/bin/sh
# Fuzzes readers: libFuzzer, which sees what each input reaches, runs each target for SECONDS, two at a time, with at most
# 512 MB and 20 s for an input. It starts from the inputs in fuzz/seeds, which found past defects, and from what earlier
# runs in BUILD found. An input that fails is kept in BUILD/fuzz/failed/TARGET; put it into fuzz/seeds/TARGET with the
# fix. The compiler is the stable one: counters in the code are LLVM's.
#   fuzz.sh BUILD SECONDS [TARGET...]    IOTA_FUZZ_SEED: where chance begins; without it, each time elsewhere
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
seconds=$2
shift 2
[ $# != 0 ] || set -- reader block spool layout job script import layers
llvm='-Cllvm-args=-sanitizer-coverage'
export CARGO_TARGET_DIR="$build/cargo/fuzz" MALLOC_ARENA_MAX=2
RUSTFLAGS="-Cpasses=sancov-module $llvm-level=4 $llvm-inline-8bit-counters $llvm-pc-table $llvm-trace-compares" \
    "${CARGO:-cargo}" build --locked --quiet --manifest-path "$root/fuzz/Cargo.toml" --target "$(rustc -vV | sed -n 's/^host: //p')" ||
    exit 1

# Inputs are files, in memory where the machine has such a place.
[ -d /dev/shm ] && memory=/dev/shm || memory=${TMPDIR:-/tmp}
TMPDIR=$(mktemp -d "$memory/iota-fuzz.XXXXXX") || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 1' HUP INT TERM

# one TARGET: its last lines where it fails, else one line
one() {
    target=$1
    found=$build/fuzz/found/$target
    failed=$build/fuzz/failed/$target
    mkdir -p "$found" "$failed"
    set -- "$found"
    [ ! -d "$root/fuzz/seeds/$target" ] || set -- "$@" "$root/fuzz/seeds/$target"
    [ "$target" != reader ] || set -- "$@" "$root/crates/trace/tests/golden"
    log=$build/fuzz/$target.log
    if "$CARGO_TARGET_DIR"/*/debug/"$target" -seed="${IOTA_FUZZ_SEED:-0}" -max_total_time="$seconds" -rss_limit_mb=512 -timeout=20 -max_len=65536 \
        -print_final_stats=1 -artifact_prefix="$failed/" "$@" >"$log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        peak=$(sed -n 's/^stat::peak_rss_mb: *//p' "$log")
        echo "test result: ok. 1 passed; 0 failed; 0 ignored; fuzzing of $target, $runs inputs, $peak MB"
    else
        tail -n 40 "$log"
        echo "test result: FAILED. 0 passed; 1 failed; 0 ignored; fuzzing of $target, the input is in $failed"
        return 1
    fi
}

status=0
while [ $# != 0 ]; do
    one "$1" &
    first=$!
    second=
    if [ $# -gt 1 ]; then
        shift
        one "$1" &
        second=$!
    fi
    shift
    wait "$first" || status=1
    [ -z "$second" ] || wait "$second" || status=1
done
exit "$status"
