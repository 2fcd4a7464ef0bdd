#!/bin/sh
# The real programs that the tests drive, linked with the build in BUILD, into BUILD/real. Where this machine has no way
# to get Debian source packages it says so in one line and leaves no program; the tests then name each as not run.
#   build.sh BUILD
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
set -- "$build"
. "$here/common.sh"

possible() {
    have dpkg-source || { say "no dpkg-source: FLASH-IO, fio and SQLite are not built"; return 1; }
    [ -n "${IOTA_SOURCES-}" ] || have apt-get || { say "no apt-get: FLASH-IO, fio and SQLite are not built"; return 1; }
}

possible || exit 0
"$here/sqlite3.sh" "$build"
"$here/fio.sh" "$build"
if ! grep -q '^MPIFC=.' "$build/build.env"; then
    say "no Fortran compiler for this MPI: FLASH-IO is not built"
elif ! have libtoolize || ! have autoreconf; then
    say "no autoreconf and libtoolize: FLASH-IO is not built"
else
    "$here/pnetcdf.sh" "$build"
fi
