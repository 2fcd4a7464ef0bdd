#!/bin/sh
# FLASH-IO (Fortran, PnetCDF) and write_block_read_column (C) from Debian's pnetcdf source package, built for the MPI of
# BUILD: bare, and linked with wraps.txt, statically where the MPI can. Debian's own libpnetcdf belongs to one MPI only.
#   pnetcdf.sh BUILD
set -eu
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/link.sh" "$1"
objects=$cache/pnetcdf/$MPI_ID
flash=$objects/benchmarks/FLASH-IO
columns=$objects/benchmarks/C

# Without optimisation: its Fortran bindings alone take three minutes with it, and it is the I/O that counts here.
configure() {
    cd "$objects"
    "$cache/src/pnetcdf/configure" --disable-shared --enable-static --disable-cxx --disable-versioning \
        MPICC="$MPICC" MPIF77="$MPIFC" MPIF90="$MPIFC" CFLAGS='-O1 -w' \
        FFLAGS='-O0 -w -fallow-argument-mismatch' FCFLAGS='-O0 -w -fallow-argument-mismatch'
}

compile() {
    for part in src/drivers src/dispatchers src/binding src/libs; do
        make -j2 -C "$objects/$part" || return
    done
    make -C "$flash" flash_benchmark_io
}

if [ ! -e "$flash/flash_benchmark_io" ]; then
    fetch pnetcdf
    [ -e "$cache/src/pnetcdf/configure" ] || step "pnetcdf: autoreconf" autoreconf -i "$cache/src/pnetcdf"
    mkdir -p "$objects"
    step "pnetcdf for $MPI_ID: configuring" configure
    step "pnetcdf for $MPI_ID: compiling" compile
fi
[ -e "$columns/write_block_read_column.o" ] ||
    step "pnetcdf for $MPI_ID: compiling write_block_read_column" make -C "$columns" write_block_read_column

# program NAME COMPILER OBJECT...: linked in each way
program() {
    name=$1 compiler=$2
    shift 2
    set -- "$@" "$objects/src/libs/.libs/libpnetcdf.a"
    link_bare "$name-bare" "$compiler" "$@"
    link_traced "$name-dynamic" "$IOTA_WRAPS" "$compiler" "$@"
    case " $MPI_LINKS " in
        *" static "*) link_traced "$name-static" "$IOTA_WRAPS" "$compiler" "$@" -static ;;
    esac
}

program flash-io "$MPIFC" "$flash"/*.o
program block-column "$MPICC" "$columns/write_block_read_column.o"
