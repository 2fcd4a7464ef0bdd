#!/bin/sh
# Names, on the last line of its output, a build whose launcher can start ranks: BUILD itself, or, where it cannot (a
# login node), one made for a local MPICH. Says so then.
#   ranks.sh BUILD
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
value() { sed -n "s/^$1=//p" "$build/build.env"; }

starts() {
    # shellcheck disable=SC2046 # the launcher and its flags, to be split
    timeout 60 $(value MPIEXEC) $(value MPIEXEC_FLAGS) -n 2 true </dev/null >/dev/null 2>&1
}

if [ -n "$(value MPIEXEC)" ] && starts; then
    echo "$build"
    exit
fi
echo "ranks: '$(value MPIEXEC) $(value MPIEXEC_FLAGS) -n 2' starts no ranks here; a local MPICH is used instead" >&2
"$root/scripts/deps.sh" wheels "$root/build/pip" >&2
${MAKE:-make} --no-print-directory -C "$root" B="$root/build/local" MPICC="$root/build/pip/bin/mpicc" \
    MPICXX= MPIFC= MPIEXEC= MPIEXEC_FLAGS= >&2
build=$root/build/local
starts || { echo "ranks: that one starts none either" >&2; exit 1; }
echo "$build"
