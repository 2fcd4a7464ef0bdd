#!/bin/sh
# Which packages cargo takes together: all but the guests, static libraries without std that others' features would bring
# it to, and those that need an MPI. Both are built by themselves.
echo --workspace --exclude iota --exclude iota-mpi --exclude iota-load-mpi
