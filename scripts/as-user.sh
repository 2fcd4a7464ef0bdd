#!/bin/sh
# Runs test programs, as root, the way an ordinary user has them on a poor machine: without rights, in a chroot (so without
# user namespaces), with a /dev that has neither FUSE nor terminals, in the background (SIGINT and SIGHUP ignored), with
# few descriptors and a strict umask. Nothing is copied: it is this tree that he reads, wherever it lies.
#   as-user.sh PROGRAM...
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
user=65534
unset CI

# Outside: mounts of our own, gone with us. What is left is the stage, which never is more than empty folders and his home.
if [ -z "${IOTA_STAGE-}" ]; then
    IOTA_STAGE=$(mktemp -d "${TMPDIR:-/tmp}/iota-user.XXXXXX")
    export IOTA_STAGE
    mkdir "$IOTA_STAGE/root" "$IOTA_STAGE/tree" "$IOTA_STAGE/home"
    chmod 755 "$IOTA_STAGE"
    chown $user:$user "$IOTA_STAGE/home"
    status=0
    unshare --mount --propagation private "$0" "$@" || status=$?
    [ ! -s "$IOTA_STAGE/home/left-out" ] || cat "$IOTA_STAGE/home/left-out" >>"$IOTA_LEFT_OUT"
    rm -rf --one-file-system "$IOTA_STAGE/home"
    rmdir "$IOTA_STAGE/root" "$IOTA_STAGE/tree" "$IOTA_STAGE"
    exit $status
fi
jail=$IOTA_STAGE/root
home=$IOTA_STAGE/home

as_user() { setpriv --reuid=$user --regid=$user --clear-groups "$@"; }

make_dev() {
    mount -t tmpfs -o mode=755 none "$jail/dev"
    for device in null zero full random urandom; do
        : >"$jail/dev/$device"
        mount --bind "/dev/$device" "$jail/dev/$device"
    done
    mkdir "$jail/dev/shm"
    mount -t tmpfs -o mode=1777 none "$jail/dev/shm"
    ln -s /proc/self/fd "$jail/dev/fd"
    ln -s fd/0 "$jail/dev/stdin"
    ln -s fd/1 "$jail/dev/stdout"
    ln -s fd/2 "$jail/dev/stderr"
}

# Where a folder above the tree is closed to others (root's home), one stands in its place that holds the tree alone.
open_way() {
    closed=$root
    while ! as_user test -x "$(dirname "$closed")"; do closed=$(dirname "$closed"); done
    [ "$closed" != "$root" ] || return 0
    mount --bind "$root" "$IOTA_STAGE/tree"
    mount -t tmpfs -o mode=755 none "$jail$closed"
    mkdir -p "$jail$root"
    mount --bind "$IOTA_STAGE/tree" "$jail$root"
}

run() {
    (
        cd "$root/tests"
        umask 077
        ulimit -S -n 256
        chroot "$jail" setpriv --reuid=$user --regid=$user --clear-groups env -i PATH="$PATH" HOME="$home" TMPDIR="$home" \
            IOTA_ROOT="$IOTA_ROOT" IOTA_BUILDS="$IOTA_BUILDS" IOTA_LEFT_OUT="$home/left-out" CARGO_TARGET_DIR="$CARGO_TARGET_DIR" \
            timeout --foreground 900 sh -c 'trap "" INT HUP; cd "$1" && exec "$2"' sh "$root/tests" "$1"
    )
}

mount --rbind / "$jail"
make_dev
open_way
status=0
for program; do run "$program" || status=1; done
exit $status
