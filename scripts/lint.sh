#!/bin/sh
# Formatting and clippy, every package and feature as it is built: the static libraries alone (they have no std, and
# features of others would bring it), then all others with their tests.
#   lint.sh BUILD
set -eu
cd "$(dirname "$0")/.."
build=$1
cargo=${CARGO:-cargo}
value() { sed -n "s/^$1=//p" "$build/build.env"; }
# Build scripts and procedural macros are the same as those of the tests.
export CARGO_TARGET_DIR="$build/cargo/test"

lint() { "$cargo" clippy --locked "$@" -- -D warnings; }

"$cargo" fmt --all --check
"$cargo" fmt --manifest-path fuzz/Cargo.toml --check
# Without std nothing can unwind.
CARGO_PROFILE_DEV_PANIC=abort lint -p iota
# shellcheck disable=SC2046 # a list
lint --all-targets $(scripts/packages.sh)
lint --all-targets -p iota-mpi
lint --all-targets -p iota-mpi --no-default-features
# Apart from the workspace, so that no other command here sees what a change of a crate breaks in it; `make test-all`, which CI
# runs, builds it
[ "${CI-}" = true ] || lint --manifest-path fuzz/Cargo.toml
if [ -z "$(value LIBCLANG_PATH)" ]; then
    echo "lint: without an MPI and libclang the load generator over ranks is left out"
    exit
fi
MPICC=$(value MPICC) LIBCLANG_PATH=$(value LIBCLANG_PATH) BINDGEN_EXTRA_CLANG_ARGS=$(value BINDGEN_EXTRA_CLANG_ARGS)
export MPICC LIBCLANG_PATH BINDGEN_EXTRA_CLANG_ARGS
lint --all-targets -p iota-load-mpi
