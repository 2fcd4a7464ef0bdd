#!/bin/sh
# The SQLite shell and its own speed test, from the Debian source package: each bare, and linked with wraps.txt,
# dynamically and statically.
#   sqlite3.sh BUILD
set -eu
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/link.sh" "$1"
objects=$cache/sqlite3

amalgamate() {
    cd "$objects"
    "$cache/src/sqlite3/configure" --disable-tcl --disable-readline
    make sqlite3.c shell.c
}

# No extensions: a static program cannot load any.
compile() {
    cd "$objects"
    $CC -O1 -w -DSQLITE_OMIT_LOAD_EXTENSION -c sqlite3.c shell.c
    $CC -O1 -w -I. -c "$cache/src/sqlite3/test/speedtest1.c"
}

if [ ! -e "$objects/speedtest1.o" ]; then
    fetch sqlite3
    mkdir -p "$objects"
    step "SQLite: making the amalgamation" amalgamate
    step "SQLite: compiling" compile
fi
link_three sqlite3 "$IOTA_WRAPS" "$CC" "$objects/shell.o" "$objects/sqlite3.o" -lm -lpthread
link_three speedtest1 "$IOTA_WRAPS" "$CC" "$objects/speedtest1.o" "$objects/sqlite3.o" -lm -lpthread
