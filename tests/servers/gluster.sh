#!/bin/sh
# A striped file system with two servers on this machine, traced: GlusterFS with two bricks and shards of 4 MiB, mounted at
# DIR/mnt. Says `ready` when it is mounted. When standard input ends, it is taken away, and the servers' trace is
# DIR/servers.iota. Only root can do this.
#   gluster.sh DIR IOTA [LIBRARY]    LIBRARY is preloaded into the servers as well
set -eu
PATH=$PATH:/usr/sbin:/sbin
dir=$1 iota=$2
volume=iota-tests
fail() { echo "$*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "only root can mount it"
command -v glusterd >/dev/null || fail "no glusterd: as root, apt-get install glusterfs-server glusterfs-client"
[ -e /dev/fuse ] || fail "no /dev/fuse"
! pidof glusterd >/dev/null || fail "another glusterd runs"
mkdir -p "$dir/brick1" "$dir/brick2" "$dir/mnt"
gluster() { command gluster --mode=script volume "$@" >>"$dir/gluster.log" 2>&1; }

down() {
    trap - EXIT
    umount "$dir/mnt" 2>/dev/null || true
    gluster stop $volume || true
    gluster delete $volume || true
    pkill -x glusterd || true
    wait
}
LD_PRELOAD=${3-} "$iota" run -o "$dir/servers.iota" -- glusterd -N --log-file="$dir/glusterd.log" >"$dir/said.log" 2>&1 </dev/null &
trap down EXIT
trap 'exit 1' HUP INT TERM
n=0
until gluster list; do
    n=$((n + 1))
    [ $n -lt 60 ] || fail "glusterd does not answer: $(tail -n 3 "$dir/glusterd.log")"
    sleep 0.5
done
# What a run that was killed has left
gluster stop $volume || true
gluster delete $volume || true
host=$(hostname)
gluster create $volume transport tcp "$host:$dir/brick1" "$host:$dir/brick2" force || fail "$(tail -n 3 "$dir/gluster.log")"
gluster set $volume features.shard on
gluster set $volume features.shard-block-size 4MB
# Else a disk that is nearly full has all files on one brick.
gluster set $volume cluster.min-free-disk 1MB
gluster set $volume cluster.min-free-inodes 0
gluster start $volume || fail "$(tail -n 3 "$dir/gluster.log")"
mount -t glusterfs "$host:/$volume" "$dir/mnt" 2>>"$dir/gluster.log" || fail "$(tail -n 3 "$dir/gluster.log")"
# A brick that the client does not know yet would get no file at all.
for client in 0 1; do
    n=0
    until grep -q '^connected = 1' "$dir/mnt/.meta/graphs/active/$volume-client-$client/private"; do
        n=$((n + 1))
        [ $n -lt 60 ] || fail "no connection to brick $((client + 1))"
        sleep 0.5
    done
done
echo ready
cat >/dev/null
