#!/bin/sh
# SQLite's own test suite, from its Debian source package: the interpreter that runs it, bare; the tracer comes to it at
# run time. A minute or two, kept in the cache; for `make soak`.
#   sqlite3-suite.sh BUILD
set -eu
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/link.sh" "$1"
objects=$cache/sqlite3-suite

compile() {
    cd "$objects"
    "$cache/src/sqlite3/configure" --disable-readline CFLAGS='-O1 -w'
    make -j2 testfixture
}

if [ ! -x "$objects/testfixture" ]; then
    fetch sqlite3
    mkdir -p "$objects"
    step "SQLite's tests: compiling" compile
fi
cp "$objects/testfixture" "$out/testfixture-bare"
