#!/bin/sh
# Known programs in the Debian where this is started, traced by the release that lies beside this: linked in all ways and
# preloaded, in Python, alone and on two ranks. A line for each way; the number of calls must be what the program makes.
#   run.sh SUITE
set -u
here=$(cd "$(dirname "$0")" && pwd)
iota=$(echo "$here"/iota-*/bin/iota)
wraps=$($iota wraps) || exit
cd "$(mktemp -d)" || exit
status=0

# check WAY TRACE CALLS WHERE: what the trace has of these calls
check() {
    said=$($iota text "$2" --where "$4" 2>&1 | grep -vc '^#')
    complete=$($iota info "$2" 2>&1 | sed -n 's/^complete *//p')
    case $said,$complete in
    "$3,yes"*) echo "$suite: $1: $said calls" ;;
    *) echo "$suite: $1: $said calls of $3, complete: $complete"; status=1 ;;
    esac
    rm -f "$2"
}

suite=$1
for level in -O0 "-O2 -D_FORTIFY_SOURCE=2"; do
    for way in "" -static -static-pie; do
        # shellcheck disable=SC2086 # lists
        gcc $level $way -D_FILE_OFFSET_BITS=64 "$here/calls.c" $wraps -o linked && IOTA_OUTPUT=linked.iota ./linked
        check "linked $level $way" linked.iota 16 'file=*/f*'
    done
    # shellcheck disable=SC2086 # a list
    gcc $level -D_FILE_OFFSET_BITS=64 "$here/calls.c" -o bare && $iota run -q -o bare.iota -- ./bare
    check "preloaded $level" bare.iota 16 'file=*/f*'
done
$iota run -q -o ls.iota -- ls / >/dev/null
check "ls" ls.iota 1 'op=opendir'

$iota run -q --stacks -o lines.iota -- python3 "$here/lines.py" >lines
check "a line of $(python3 --version)" lines.iota 9 'site=lines.py:6'

mpicc "$here/ranks.c" -o bare && $iota run -q -o bare.iota -- mpiexec -n 2 ./bare
check "two ranks, preloaded" bare.iota 20 'op=MPI_File_write_at'
# shellcheck disable=SC2086 # a list
mpicc "$here/ranks.c" $wraps -o linked && IOTA_OUTPUT=linked.iota mpiexec -n 2 ./linked
check "two ranks, linked" linked.iota 20 'op=MPI_File_write_at'
exit $status
