#!/bin/sh
# Runs `make test`, as root and after `make test-all`, the way the user of a login node has it: with a home of his own, namespaces as
# this machine gives them, compilers and two MPIs, and none of the other packages that tests can use. That Debian is made
# once, in IOTA_CACHE. The tree is copied into it at the path where it lies, with what is built, which cargo and make then
# find fresh; Rust is this machine's, read-only.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
me=login-node
. "$root/scripts/debian.sh"
node=${IOTA_CACHE:-$root/build/cache}/login-node

# What is fetched stays away, and programs that are made of it.
copy_tree() {
    mkdir -p "$node$root"
    tar -C "$root" --format=posix --owner=$user --group=$user --exclude=./build/cache --exclude=./build/pip --exclude=./build/mpis \
        --exclude=./build/tables --exclude=./build/hdf5 --exclude=./build/ci --exclude=./build/tensorflow --exclude=./build/packaging \
        --exclude='./build/wheel-*' --exclude='./build/real' --exclude='./build/*/real' --exclude=incremental -cf - . |
        tar -C "$node$root" -xpf -
}

if [ "${1-}" = enter ]; then
    sysroot=$(rustc --print sysroot)
    cargo_home=${CARGO_HOME:-$HOME/.cargo}
    show "$node" "$sysroot"
    show "$node" "$cargo_home"
    cd "$root"
    # What was built with profiles that differ from those of Cargo.toml is fresh there with these alone. The shell stays, as the
    # first process, which takes leave of those whose parents are gone.
    # shellcheck disable=SC2046 # a list
    enter_debian "$node" $(env | grep '^CARGO_PROFILE_') PATH="$sysroot/bin:/usr/bin:/bin" CARGO_HOME="$cargo_home" CARGO_NET_OFFLINE=true CARGO_TERM_COLOR=never \
        sh -c 'make test; exit $?'
fi
# What is built here must run there.
missing=$(wanting; grep -qx 'ID=debian' /etc/os-release || echo "Debian")
if [ -n "$missing" ]; then
    say "the tests do not run as on a login node, because this is not here: $(echo "$missing" | paste -sd, | sed 's/,/, /g')"
    exit 1
fi
make_debian "$node" "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" \
    gcc g++ gfortran make binutils mpich libmpich-dev openmpi-bin libopenmpi-dev python3 git strace
rm -rf --one-file-system "${node:?}$root"
say "copying the tree"
copy_tree
say "make test as its user"
status=0
apart "$0" enter || status=$?
for file in test-first.log left-out-first.txt; do
    [ ! -e "$node$root/build/$file" ] || cp "$node$root/build/$file" "$root/build/login-node-$file"
done
rm -rf --one-file-system "${node:?}$root" "$node"/tmp/* "$node"/home/user/*
exit $status
