#!/bin/sh
# Runs the tests on the build in BUILD; with `all`, on a build for every other MPI that is here as well, made beside it;
# with `static`, those tests alone that want an MPI of static libraries; with `soak`, the long ones, likewise; with `bench`, the
# benchmarks instead. The real programs are linked with each build first. Ends with a line of counts.
#   test.sh BUILD [all|static|soak|bench]
#
# What the tests are told:
#   IOTA_ROOT     the source tree
#   IOTA_BUILDS   the builds, separated by colons, the default one first; each holds build.env (see scripts/settings.mk),
#                 lib/, bin/, and real/ with NAME-bare, NAME-dynamic, NAME-static of fio, sqlite3 and flash-io
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
what=${2-}
log=$build/test.log
cargo=${CARGO:-cargo}
builds=
cd "$root"

mpi_id() { sed -n 's/^MPI_ID=//p' "$1/build.env"; }
use() { builds="$builds${builds:+:}$1"; }

# use_runnable BUILD: it, or one whose launcher can start ranks here
use_runnable() {
    usable=$(scripts/ranks.sh "$1")
    case ":$builds:" in *":$usable:"*) ;; *) use "$usable" ;; esac
}

# The other MPI of a machine that has both, as Debian names them
add_others() {
    ids=" $(mpi_id "$build") "
    for name in mpich openmpi; do
        command -v "mpicc.$name" >/dev/null 2>&1 || continue
        id=$(MPICC=mpicc.$name MPICXX='' MPIFC='' MPIEXEC='' MPIEXEC_FLAGS='' scripts/mpi-env.sh '' "$build/obj" | sed -n 's/^MPI_ID=//p')
        case $ids in *" $id "*) continue ;; esac
        ids="$ids$id "
        ${MAKE:-make} --no-print-directory all B="$build/$name" MPICC="mpicc.$name" MPICXX= MPIFC= MPIEXEC= MPIEXEC_FLAGS=
        use_runnable "$build/$name"
    done
}

cargo_test() {
    "$cargo" test --locked --no-fail-fast "$@" || status=1
}

test_all() {
    status=0
    case $what in
    static) cargo_test -p iota-tests --test parallel --test real -- --ignored; return $status ;;
    soak)
        cargo_test -p iota-tests --test soak -- --ignored --nocapture --test-threads=1
        cargo_test -p iota-tests --test interrupted -- --ignored
        cargo_test -p iota-tests --test suites -- --ignored --nocapture --test-threads=1
        IOTA_KILLS=1000 cargo_test -p iota-tests --test recovery programs_killed
        return $status
        ;;
    esac
    cargo_test -p iota-calls -p iota-trace -p iota-runtime -p gen-wraps -p iota-analysis -p iota-plot -p iota-report -p iota-lustreapi -p iota-otf2 -p iota-load -p iota-cli
    cargo_test -p iota-mpi --no-default-features
    cargo_test -p iota-tests
    return $status
}

count() {
    awk '/^test result:/ { passed += $4; failed += $6; ignored += $8 }
        END { printf "test: %d passed, %d failed, %d ignored\n", passed, failed, ignored; exit passed == 0 || failed > 0 }' "$log"
}

use_runnable "$build"
case $what in all | soak) add_others ;; esac
for each in $(echo "$builds" | tr : ' '); do
    tests/real/build.sh "$each"
    [ "$what" != soak ] || tests/real/hdf5.sh "$each"
done
[ "$what" != soak ] || tests/real/sqlite3-suite.sh "$build"
export IOTA_ROOT="$root" IOTA_BUILDS="$builds" CARGO_TARGET_DIR="$build/cargo/test"
if [ "$what" = bench ]; then
    "$cargo" build --release --locked -p iota-cli --example synthetic
    "$cargo" build --release --locked -p iota-tests --bins
    export IOTA_SYNTHETIC="$CARGO_TARGET_DIR/release/examples/synthetic"
    exec "$cargo" run --release --locked -p iota-tests --bin bench
fi
echo "test: on $builds"
{ test_all && echo "test: cargo was content"; } 2>&1 | tee "$log"
if count "$log" && [ "$(tail -n 1 "$log")" = "test: cargo was content" ]; then
    exit 0
fi
echo "test: failed; the whole log is $log"
exit 1
