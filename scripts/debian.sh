# Debians of their own, in folders, as a login node or an older machine has them. To be read by a script (`.`) that names
# itself in `me`. Only root can make and enter one.

# Who works in them
user=1000

say() { echo "$me: $*"; }

# logged DIR COMMAND...: with its output in DIR.log, whose end is shown where it fails
logged() {
    log=$1.log
    shift
    "$@" >>"$log" 2>&1 || { tail -n 5 "$log"; say "that failed: $*"; exit 1; }
}

# What it takes to make one, and is not here
wanting() {
    [ "$(id -u)" = 0 ] || echo "root"
    command -v debootstrap >/dev/null || echo "debootstrap (as root scripts/deps.sh test-all gets it)"
}

# make_debian DIR SUITE PACKAGE...: unless it is there
make_debian() {
    dir=$1 suite=$2
    shift 2
    [ "$(cat "$dir/complete" 2>/dev/null)" != "$suite $*" ] || return 0
    say "making $suite in $dir"
    rm -rf --one-file-system "$dir"
    mkdir -p "${dir%/*}"
    : >"$dir.log"
    logged "$dir" debootstrap --variant=minbase "$suite" "$dir"
    logged "$dir" env DEBIAN_FRONTEND=noninteractive chroot "$dir" apt-get install -y -q --no-install-recommends "$@"
    logged "$dir" chroot "$dir" apt-get clean
    logged "$dir" chroot "$dir" useradd --uid $user --create-home --shell /bin/sh user
    echo "$suite $*" >"$dir/complete"
}

# show DIR PLACE: a place of this machine is seen there, read-only
show() {
    mkdir -p "$1$2"
    mount --bind "$2" "$1$2"
    mount -o remount,bind,ro "$1$2"
    # A folder above it may be root's home, which is closed; the one there is empty.
    above=$1$2
    while above=${above%/*} && [ "$above" != "$1" ]; do chmod a+x "$above"; done
}

# enter_debian DIR VARIABLE=VALUE... COMMAND...: as the user, in the folder of the same name as this one. To be called with
# mounts and processes of its own (`apart`), which are gone with it. The root is exchanged, because in a chroot there are no
# user namespaces.
enter_debian() {
    dir=$1 here=$PWD
    shift
    mount --rbind "$dir" "$dir"
    for place in sys dev; do mount --rbind "/$place" "$dir/$place"; done
    mount -t proc proc "$dir/proc"
    cp -L /etc/resolv.conf /etc/hosts "$dir/etc"
    mkdir -p "$dir/mnt/before" "$dir$here"
    cd "$dir"
    pivot_root . mnt/before
    umount -l /mnt/before
    cd "$here"
    exec setpriv --reuid=$user --regid=$user --clear-groups \
        env -i HOME=/home/user USER=user LANG=C.UTF-8 TERM=dumb PATH=/usr/bin:/bin "$@"
}

apart() { unshare --mount --propagation private --pid --fork --kill-child "$@"; }
