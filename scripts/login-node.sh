#!/bin/sh
# Runs `make test-all`, as root and after it, the way the user of a login node has it: with a home of his own, namespaces as
# this machine gives them, compilers and two MPIs, and none of the other packages that tests can use. That Debian is made
# once, in IOTA_CACHE. The tree is copied into it at the path where it lies, with what is built, which cargo and make then
# find fresh; Rust is this machine's, read-only.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cache=${IOTA_CACHE:-$root/build/cache}
node=$cache/login-node
user=1000
packages="gcc g++ gfortran make binutils mpich libmpich-dev openmpi-bin libopenmpi-dev python3 git strace"

say() { echo "login-node: $*"; }

wanting() {
    [ "$(id -u)" = 0 ] || echo "root"
    command -v debootstrap >/dev/null || echo "debootstrap (as root scripts/deps.sh test gets it)"
    # What is built here must run there.
    grep -qx 'ID=debian' /etc/os-release || echo "Debian"
}

# logged COMMAND...: with its output in a log, whose end is shown where it fails
logged() {
    "$@" >>"$node.log" 2>&1 || { tail -n 5 "$node.log"; say "that failed: $*"; exit 1; }
}

make_node() {
    [ "$(cat "$node/complete" 2>/dev/null)" != "$packages" ] || return 0
    say "making it in $node"
    rm -rf --one-file-system "$node"
    mkdir -p "$cache"
    : >"$node.log"
    logged debootstrap --variant=minbase "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$node"
    # shellcheck disable=SC2086 # a list
    logged env DEBIAN_FRONTEND=noninteractive chroot "$node" apt-get install -y -q --no-install-recommends $packages
    logged chroot "$node" apt-get clean
    logged chroot "$node" useradd --uid $user --create-home --shell /bin/sh user
    echo "$packages" >"$node/complete"
}

# What is fetched stays away, and programs that are made of it.
copy_tree() {
    mkdir -p "$node$root"
    tar -C "$root" --format=posix --owner=$user --group=$user --exclude=./build/cache --exclude=./build/pip --exclude=./build/mpis \
        --exclude=./build/tables --exclude=./build/hdf5 --exclude=./build/ci --exclude=./build/tensorflow --exclude='./build/wheel-*' \
        --exclude='./build/real' --exclude='./build/*/real' --exclude=incremental -cf - . |
        tar -C "$node$root" -xpf -
}

# The places of this machine that are seen there, read-only
show() {
    mkdir -p "$node$1"
    mount --bind "$1" "$node$1"
    mount -o remount,bind,ro "$node$1"
    # A folder above it may be root's home, which is closed; the one there is empty.
    above=$node$1
    while above=${above%/*} && [ "$above" != "$node" ]; do chmod a+x "$above"; done
}

# Inside: mounts and processes of our own, gone with us. The root is exchanged, because in a chroot there are no user namespaces.
enter() {
    sysroot=$(rustc --print sysroot)
    cargo_home=${CARGO_HOME:-$HOME/.cargo}
    mount --rbind "$node" "$node"
    for place in sys dev; do mount --rbind "/$place" "$node/$place"; done
    mount -t proc proc "$node/proc"
    show "$sysroot"
    show "$cargo_home"
    cp -L /etc/resolv.conf /etc/hosts "$node/etc"
    mkdir -p "$node/mnt/before"
    cd "$node"
    pivot_root . mnt/before
    umount -l /mnt/before
    cd "$root"
    # The shell stays, as the first process, which takes leave of those whose parents are gone.
    exec setpriv --reuid=$user --regid=$user --clear-groups env -i HOME=/home/user USER=user LANG=C.UTF-8 TERM=dumb \
        PATH="$sysroot/bin:/usr/bin:/bin" CARGO_HOME="$cargo_home" CARGO_NET_OFFLINE=true CARGO_TERM_COLOR=never \
        sh -c 'make test-all; exit $?'
}

if [ "${1-}" = enter ]; then
    enter
fi
missing=$(wanting)
if [ -n "$missing" ]; then
    say "the tests do not run as on a login node, because this is not here: $(echo "$missing" | paste -sd, | sed 's/,/, /g')"
    exit 1
fi
make_node
rm -rf --one-file-system "${node:?}$root"
say "copying the tree"
copy_tree
say "make test-all as its user"
status=0
unshare --mount --propagation private --pid --kill-child "$0" enter || status=$?
for file in test-all.log left-out-all.txt; do
    [ ! -e "$node$root/build/$file" ] || cp "$node$root/build/$file" "$root/build/login-node-$file"
done
rm -rf --one-file-system "${node:?}$root" "$node"/tmp/* "$node"/home/user/*
exit $status
