#!/bin/sh
# HDF5's own tests of its parallel half, from Debian's source package, built for the MPI of BUILD and linked bare: the
# tracer comes to them at run time. About five minutes on two cores, kept in the cache; for `make soak`.
#   hdf5.sh BUILD
set -eu
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/link.sh" "$1"
objects=$cache/hdf5/$MPI_ID
tests='testphdf5 t_mpi t_bigio t_cache t_filters_parallel t_pflush1 t_pflush2 t_pread t_pshutdown t_prestart
    t_init_term t_shapesame'

configure() {
    cd "$objects"
    CC=$MPICC CFLAGS='-O1 -w' "$cache/src/hdf5/configure" --enable-parallel --disable-shared --enable-static --disable-hl \
        --disable-fortran --disable-cxx --without-szlib --enable-build-mode=production
}

compile() {
    make -C "$objects/src" -j2 && make -C "$objects/test" -j2 libh5test.la &&
        make -C "$objects/testpar" -j2 $tests
}

if [ ! -e "$objects/Makefile" ]; then
    fetch hdf5
    mkdir -p "$objects"
    step "HDF5 for $MPI_ID: configuring" configure
fi
for test in $tests; do
    [ -x "$objects/testpar/$test" ] && continue
    step "HDF5 for $MPI_ID: compiling (about five minutes)" compile
    break
done
for test in $tests; do
    cp "$objects/testpar/$test" "$out/$test-bare"
done
