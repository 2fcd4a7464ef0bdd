#!/bin/sh
# Builds the release for aarch64 here, and runs it where the kernel runs programs for aarch64 by qemu:
#   - known programs, linked and preloaded: their calls are those on x86_64, and either command reads all traces
#   - test programs of the source tree, but for what left-out.txt names
# A Linux before 6.7 has no such place for one user.
#   run.sh SOURCE-TREE
set -u
here=$(cd "$(dirname "$0")" && pwd)
target=aarch64-unknown-linux-gnu
build=$here/build
# Magic and mask of an ELF file for aarch64, as Debian registers it
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'

say() { echo "aarch64: $*"; }

# In namespaces with rights: what the kernel is told holds for these alone. The rest has none.
if [ "${2-}" = emulate ]; then
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
        printf '%s' ":aarch64:M::$magic:$mask:/usr/bin/qemu-aarch64:FP" >/proc/sys/fs/binfmt_misc/register ||
        { say "the kernel does not run programs by qemu here (binfmt_misc of one's own: Linux 6.7)"; exit 1; }
    exec unshare --user --map-user=1000 --map-group=1000 sh "$0" "$1" programs
fi
if [ "${2-}" != programs ]; then
    say "building the release, whose command need not be fast here"
    CARGO_PROFILE_TOOLS_OPT_LEVEL=1 CARGO_PROFILE_TOOLS_BUILD_OVERRIDE_OPT_LEVEL=0 \
        make -s -j"$(nproc)" -C "$1" release TARGET=$target B="$build" >"$build.log" 2>&1 || { tail -n 20 "$build.log"; exit 1; }
    grep '^release:' "$build.log"
    tar -xJf "$build"/release/iota-*-aarch64.tar.xz -C "$here"
    exec unshare --user --map-root-user --mount sh "$0" "$1" emulate
fi

status=0
x86_64=$(echo "$here"/iota-*-x86_64/bin/iota)
aarch64=$(echo "$here"/iota-*-aarch64/bin/iota)
gcc=aarch64-linux-gnu-gcc
cd "$(mktemp -d)" || exit

# calls IOTA TRACE: what was called on the program's files and how it ended, without times (offset, op, ret, path)
calls() {
    $1 info "$2" 2>&1 | grep -q '^complete *yes' || echo "not complete: $2"
    $1 text "$2" --where 'file=*/f*' | grep -v '^#' | cut -f4-7
}

# check WAY TRACE: by either command, its calls are those on x86_64
check() {
    for iota in $x86_64 $aarch64; do
        calls "$iota" "$2" >found 2>&1
        number=$(wc -l <found)
        [ "$number" = 16 ] && cmp -s expected found && continue
        say "$1: $number calls of 16, or other ones than on x86_64 (by $iota)"
        diff expected found | head -n 20
        status=1
        return
    done
    say "$1: $number calls, as on x86_64, by either command"
    rm -f "$2"
}

known_programs() {
    gcc -D_FILE_OFFSET_BITS=64 "$here/calls.c" -o native && $x86_64 run -q -o native.iota -- ./native
    calls "$x86_64" native.iota >expected 2>&1
    check "x86_64" native.iota
    for level in -O0 "-O2 -D_FORTIFY_SOURCE=2"; do
        for way in "" -static -static-pie; do
            # shellcheck disable=SC2046,SC2086 # lists
            $gcc $level $way -D_FILE_OFFSET_BITS=64 "$here/calls.c" $($aarch64 wraps) -o linked && IOTA_OUTPUT=linked.iota ./linked
            check "linked $level $way" linked.iota
        done
        # shellcheck disable=SC2086 # a list
        $gcc $level -D_FILE_OFFSET_BITS=64 "$here/calls.c" -o bare && $aarch64 run -q -o bare.iota -- ./bare
        check "iota run $level" bare.iota
    done
}

run_tests() (
    at=$PWD
    cd "$root/tests" || exit
    # shellcheck disable=SC2046 # a list
    "$root/scripts/timed.sh" 300 "$program" $(cat "$at/skips") >"$at/log" 2>&1 </dev/null
)

# tests NAME: a test program of tests/tests, which itself is one of x86_64. Emulated, what waits for a time may come late: one that
# fails runs once more.
tests() {
    program=$(awk -v name="$1" '$1 == "tests" && $2 == name { print $3 }' "$root/build/programs.txt")
    awk -v name="$1" '$1 == name { sub(/:$/, "", $2); print "--skip"; print $2 }' "$here/left-out.txt" >skips
    for try in first second; do
        sed -i "/^$1::/d" "$IOTA_LEFT_OUT"
        run_tests && break
        grep -A 12 -E 'panicked|FAILED' log | head -n 60
        [ $try = first ] && say "tests $1: once more" || status=1
    done
    missing=$(grep -c "^$1::" "$IOTA_LEFT_OUT")
    awk -v name="$1" -v missing="$missing" '/^test result:/ {
        print "aarch64: tests " name ": " $4 - missing " passed, " $6 " failed, " $12 + missing " left out"
    }' log
}

root=$1
known_programs
export IOTA_ROOT="$root" IOTA_BUILDS="$build" CARGO_TARGET_DIR="$here/tests" IOTA_LEFT_OUT="$here/missing.txt"
: >"$IOTA_LEFT_OUT"
sed -n 's/^# tests: //p' "$here/left-out.txt" | tr ' ' '\n' >names
while read -r name; do tests "$name"; done <names
sed '/^#/d; /^$/d; s/^/aarch64: left out: /' "$here/left-out.txt"
sed 's/^[^ ]*: no \(.*\) here .*/\1/' "$IOTA_LEFT_OUT" | sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/aarch64: left out: \1 for which there is no \2 here/'
exit $status
