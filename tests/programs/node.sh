#!/bin/sh
# node.sh [OPTION]... NODE COMMAND...: stands for ssh where an MPI's launcher wants it. The command runs on this machine as
# on a node of this name, in namespaces: it has another host name, System V memory, /dev/shm and directory of spools.
while :; do
    case $1 in
        -*) shift ;;
        *) break ;;
    esac
done
node=$1
shift
exec unshare --map-root-user --uts --ipc --mount sh -c '
    mount -t tmpfs none /dev/shm && mount -t tmpfs none "$IOTA_SPOOL" && hostname "$1" || exit
    eval "$2"' sh "$node" "$*"
