#!/bin/sh
# MPICH from its Debian source package with static libraries only: Debian's binary cannot link statically (UCX), and
# ch3:nemesis can. About ten minutes on two cores, kept in the cache. Prints its prefix on the last line.
#   mpich-static.sh            MPICH_STATIC=/prefix names one that is there already
set -eu
. "$(dirname "$0")/common.sh"
prefix=${MPICH_STATIC:-$cache/mpich-static}

# Without hwloc: the system's drags in shared libraries that have no static twin.
configure() {
    cd "$cache/mpich-build"
    "$cache/src/mpich/configure" --prefix="$prefix" --disable-shared --enable-static --with-device=ch3:nemesis \
        --without-hwloc --disable-cxx --enable-fast=O1 FFLAGS=-fallow-argument-mismatch FCFLAGS=-fallow-argument-mismatch
}

build() {
    make -C "$cache/mpich-build" -j2 && make -C "$cache/mpich-build" install
}

if [ ! -x "$prefix/bin/mpicc" ]; then
    {
        fetch mpich
        rm -rf "$cache/mpich-build"
        mkdir -p "$cache/mpich-build"
        step "MPICH, static: configuring" configure
        step "MPICH, static: building (about ten minutes)" build
        rm -rf "$cache/mpich-build"
    } >&2
fi
echo "$prefix"
