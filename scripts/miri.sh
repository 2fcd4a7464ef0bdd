#!/bin/sh
# Runs the unit tests of what the hooks are made of under Miri, which finds undefined behaviour that no run would show.
# Tests that need the kernel are left out there, and long ones do less. MIRI_TOOLCHAIN names a toolchain that has Miri.
#   miri.sh [FILTER...]
set -eu
cd "$(dirname "$0")/.."
toolchain=${MIRI_TOOLCHAIN:-nightly}
library=$(rustc "+$toolchain" --print sysroot 2>/dev/null)/lib/rustlib/src/rust/library
if ! cargo "+$toolchain" miri --version >/dev/null 2>&1 || ! [ -d "$library" ]; then
    echo "miri: toolchain $toolchain has no Miri: rustup toolchain install $toolchain --component miri,rust-src" >&2
    exit 1
fi
# System calls take and return addresses as numbers. Tests ask for the working directory, the time and files, whose reads
# are whole. Tables are mapped once and stay.
flags="-Zmiri-permissive-provenance -Zmiri-disable-isolation -Zmiri-no-short-fd-operations -Zmiri-ignore-leaks"
MIRIFLAGS="$flags ${MIRIFLAGS:-}"
PROPTEST_CASES=${PROPTEST_CASES:-4}
export MIRIFLAGS PROPTEST_CASES
exec cargo "+$toolchain" miri test --lib -p iota-calls -p iota-trace -p iota-runtime -- "$@"
