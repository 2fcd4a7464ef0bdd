#!/bin/sh
# Builds the libraries for aarch64 here, links and preloads known programs, and runs them under qemu. The same programs run
# for x86_64 as well: the calls must be equal. The command for x86_64 reads all traces.
#   run.sh SOURCE-TREE
set -u
here=$(cd "$(dirname "$0")" && pwd)
tools=aarch64-linux-gnu-
target=aarch64-unknown-linux-gnu
build=$here/build
iota=$(echo "$here"/iota-*/bin/iota)
status=0

echo "aarch64: building the libraries"
CARGO_BUILD_TARGET=$target CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=${tools}gcc HOST_CC=gcc \
    make -s -C "$1" tracer B="$build" GUEST_DIR="$build/cargo/guest/$target/release" MPICC=none \
    CC=${tools}gcc LD=${tools}ld AR=${tools}ar NM=${tools}nm OBJCOPY=${tools}objcopy || exit
cd "$(mktemp -d)" || exit

emulated() { qemu-aarch64 -L /usr/aarch64-linux-gnu "$@"; }

# calls TRACE: what was called on the program's files and how it ended, without times (offset, op, ret, path)
calls() {
    $iota info "$1" 2>&1 | grep -q '^complete *yes' || echo "not complete: $1"
    $iota text "$1" --where 'file=*/f*' | grep -v '^#' | cut -f4-7
}

# check WAY TRACE: its calls are those on x86_64
check() {
    calls "$2" >found 2>&1
    number=$(wc -l <found)
    if [ "$number" = 16 ] && cmp -s expected found; then
        echo "aarch64: $1: $number calls, as on x86_64"
    else
        echo "aarch64: $1: $number calls of 16, or other ones than on x86_64"
        diff expected found | head -n 20
        status=1
    fi
    rm -f "$2"
}

gcc -D_FILE_OFFSET_BITS=64 "$here/calls.c" -o bare && $iota run -q -o here.iota -- ./bare
calls here.iota >expected 2>&1
for level in -O0 "-O2 -D_FORTIFY_SOURCE=2"; do
    for way in "" -static -static-pie; do
        # shellcheck disable=SC2046,SC2086 # lists
        ${tools}gcc $level $way -D_FILE_OFFSET_BITS=64 "$here/calls.c" $(cat "$build/wraps.txt") -o linked &&
            IOTA_OUTPUT=linked.iota emulated ./linked
        check "linked $level $way" linked.iota
    done
    # shellcheck disable=SC2086 # a list
    ${tools}gcc $level -D_FILE_OFFSET_BITS=64 "$here/calls.c" -o bare &&
        IOTA_OUTPUT=bare.iota emulated -E LD_PRELOAD="$build/lib/libiota.so" ./bare
    check "preloaded $level" bare.iota
done
exit $status
