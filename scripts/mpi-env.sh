#!/bin/sh
# Finds the MPI to build with and prints it as KEY=VALUE lines, for make and for the tests alike.
#
#   mpi-env.sh [WHEELS [CACHE]]    WHEELS: the folder where deps.sh puts the wheels of MPICH and libclang
#                                  CACHE: a folder that remembers what took a link to find out
#
# MPICC, MPICXX, MPIFC, MPIEXEC, MPIEXEC_FLAGS and CC of the environment win over what is found; MPICC=none means
# no MPI. Exit status 0 in every case: MPI=none and a REASON are an answer.
set -u
wheels=${1-}
remembered=${2-}
cc=${CC:-cc}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

have() { command -v "${1%% *}" >/dev/null 2>&1; }
say() { printf '%s=%s\n' "$1" "$2"; }
none() { say MPI none; say REASON "$1"; exit 0; }

# Intel's wrappers leave their own out when they only preprocess.
includes() { $1 -show 2>/dev/null | tr -d '"' | tr ' ' '\n' | grep '^-I'; }

# What mpi.h says of itself: asked of the preprocessor, so that every wrapper can answer, Cray's cc included.
identify() {
    printf '%s\n' '#include <mpi.h>' \
        '#if defined(OMPI_MAJOR_VERSION)' 'IOTA openmpi OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION' \
        '#elif defined(I_MPI_VERSION)' 'IOTA intel I_MPI_VERSION' \
        '#elif defined(MVAPICH2_VERSION)' 'IOTA mvapich MVAPICH2_VERSION' \
        '#elif defined(MPICH_VERSION)' 'IOTA mpich MPICH_VERSION' \
        '#elif defined(MPI_ABI_VERSION)' 'IOTA abi MPI_ABI_VERSION.MPI_ABI_SUBVERSION' \
        '#else' 'IOTA mpi MPI_VERSION.MPI_SUBVERSION' '#endif' >"$tmp/probe.c"
    # shellcheck disable=SC2046 # flags, to be split
    $1 $(includes "$1") -E -P "$tmp/probe.c" 2>/dev/null | tr '\n' ' ' | sed -n 's/.*IOTA //p' | tr -d '"' | sed 's/ *\. */./g'
}

candidates() {
    [ -n "${CRAY_MPICH_DIR-}${CRAYPE_VERSION-}" ] && echo cc
    echo mpicc mpicc.mpich mpicc.openmpi
    [ -n "$wheels" ] && echo "$wheels/bin/mpicc"
}

find_mpicc() {
    for candidate in ${MPICC:-$(candidates)}; do
        have "$candidate" || continue
        found=$(identify "$candidate")
        [ -n "$found" ] && mpicc=$candidate && return 0
    done
    return 1
}

# The wrapper for another language, or the launcher, that stands beside mpicc: mpicc.mpich -> mpifort.mpich.
# One from elsewhere on PATH may belong to another MPI.
sibling() {
    path=$(command -v "${mpicc%% *}")
    suffix=${path##*/mpicc}
    [ "$suffix" = "$path" ] && suffix=
    for name in "$@"; do
        [ -x "${path%/*}/$name$suffix" ] || continue
        case $mpicc in */*) echo "${path%/*}/$name$suffix" ;; *) echo "$name$suffix" ;; esac
        return
    done
}

find_mpiexec() {
    for name in $(sibling mpiexec mpirun) $(have srun && echo srun) $(have aprun && echo aprun); do
        echo "$name"
        return
    done
}

fortran_works() {
    echo end >"$tmp/probe.f90"
    (cd "$tmp" && $1 -c probe.f90 -o probe.o) >/dev/null 2>&1
}

# The ways in which this MPI links a program: shared, static, or both.
links() {
    printf '#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n' >"$tmp/link.c"
    $mpicc "$tmp/link.c" -o "$tmp/link" >/dev/null 2>&1 && readelf -d "$tmp/link" | grep -q 'NEEDED.*mpi' && printf 'shared '
    $mpicc "$tmp/link.c" -static -o "$tmp/link" >/dev/null 2>&1 && printf 'static '
}

remember() { # remember NAME COMMAND
    [ -d "$remembered" ] || { $2; return; }
    [ -e "$remembered/$1" ] || $2 >"$remembered/$1"
    cat "$remembered/$1"
}

launcher_flags() {
    [ "$mpi" = openmpi ] || return 0
    [ "$(id -u)" = 0 ] && printf '%s ' --allow-run-as-root
    echo --oversubscribe
}

# bindgen loads libclang at build time; these are the places where it looks, then the wheel.
find_libclang() {
    [ -n "${LIBCLANG_PATH-}" ] && echo "$LIBCLANG_PATH" && return
    have llvm-config && dirs=$(llvm-config --libdir 2>/dev/null)
    for dir in ${dirs-} /usr/lib/llvm*/lib /usr/lib64/llvm*/lib* /usr/lib64 /usr/lib /usr/local/lib* \
        "/usr/lib/$(uname -m)-linux-gnu" "$wheels"/lib/python3*/*-packages/clang/native; do
        for file in "$dir"/libclang.so "$dir"/libclang-[0-9]*.so* "$dir"/libclang.so.*; do
            [ -e "$file" ] && echo "$dir" && return
        done
    done
}

# What bindgen is to be told: where mpi.h is, if the wrapper does not answer -show (Cray's cc), and where stddef.h is, if
# libclang came without clang's own headers; the C compiler's serve as well.
clang_args() {
    [ -n "${BINDGEN_EXTRA_CLANG_ARGS-}" ] && echo "$BINDGEN_EXTRA_CLANG_ARGS" && return
    if ! $mpicc -show 2>/dev/null | grep -q -e ' -I'; then
        $mpicc -M "$tmp/probe.c" 2>/dev/null | tr ' ' '\n' | sed -n 's,^\(/.*\)/mpi\.h$,-I\1 ,p' | head -n 1 | tr -d '\n'
    fi
    for dir in "$1"/clang/*/include "$1"/../lib/clang/*/include; do
        [ -e "$dir/stddef.h" ] && return
    done
    include=$($cc -print-file-name=include)
    [ ! -e "$include/stddef.h" ] || printf '%s' "-isystem$include"
}

say CC "$cc"
[ "${MPICC-}" = none ] && none "MPICC=none"
find_mpicc || none "no MPI compiler works (tried ${MPICC:-$(candidates | tr '\n' ' ')})"
libclang=$(find_libclang)

mpi=${found%% *}
version=$(echo "${found#* }" | tr -cd '0-9a-zA-Z._-')
mpifc=${MPIFC:-$(sibling mpifort mpif90 ftn mpiifort)}
[ -n "$mpifc" ] && ! fortran_works "$mpifc" && mpifc=
say MPI "$mpi"
say MPI_VERSION "$version"
id=$mpi-$version-$({ readlink -f "$(command -v "${mpicc%% *}")"; $mpicc -show 2>/dev/null; } | cksum | cut -d' ' -f1)
say MPI_ID "$id"
say MPI_LINKS "$(remember "links-$id" links)"
say MPICC "$mpicc"
say MPICXX "${MPICXX:-$(sibling mpicxx CC)}"
say MPIFC "$mpifc"
say MPIEXEC "${MPIEXEC:-$(find_mpiexec)}"
say MPIEXEC_FLAGS "${MPIEXEC_FLAGS:-$(launcher_flags)}"
say LIBCLANG_PATH "$libclang"
say BINDGEN_EXTRA_CLANG_ARGS "$(clang_args "$libclang")"
