#!/bin/sh
# A Slurm of its own with the nodes n1 and n2, for whoever starts it, on ports that were free and with all its files in
# DIR, a new directory. Each node is a set of namespaces on this machine with its own host name, processes and /dev/shm,
# in which there are directories from 0 to 99. It needs the programs of Slurm and munge; rights only where users cannot
# make namespaces. Says `ready` once both nodes are idle, and ends, with all jobs and DIR, when standard input ends.
# Commands of Slurm find it by SLURM_CONF=DIR/slurm.conf.
#   cluster.sh DIR
#   cluster.sh node NAME      (within the namespaces)
set -eu
PATH=$PATH:/usr/sbin:/sbin
if [ "$1" = node ]; then
    hostname "$2" 2>/dev/null || echo "$2" >/proc/sys/kernel/hostname
    mount -t tmpfs -o mode=1777 none /dev/shm
    for n in $(seq 0 99); do mkdir "/dev/shm/$n"; done
    exec slurmd -D -N "$2"
fi
for program in srun slurmctld slurmd munged unshare; do
    command -v $program >/dev/null || {
        echo "no $program: as root, apt-get install slurm-wlm munge" >&2
        exit 1
    }
done
dir=$1
host=$(hostname -s)
user=$(id -un)
mkdir -p "$dir/state" "$dir/n1" "$dir/n2" "$dir/munge"
chmod 755 "$dir" "$dir/munge"

free_ports() {
    python3 -c 'import socket
all = [socket.socket() for _ in range(3)]
for one in all: one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in all))'
}

write_conf() { # write_conf PORT PORT PORT
    cat >"$dir/slurm.conf" <<CONF
ClusterName=iota
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket,cred_expire=10
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
ReturnToService=2
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/%n/pid
SlurmdSpoolDir=$dir/%n
TmpFS=$dir/%n
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/%n.log
StateSaveLocation=$dir/state
MailProg=/bin/true
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
KillWait=10
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$2 CPUs=8 RealMemory=1000
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$3 CPUs=8 RealMemory=1000
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

# Nothing outlives this script: a node's processes end with the one that made its namespaces, which ignores SIGTERM.
started=
down() {
    # shellcheck disable=SC2086 # a list
    [ -z "$started" ] || kill -KILL $started 2>/dev/null || :
    wait
    rm -rf "$dir"
}
start() {
    "$@" </dev/null >>"$dir/out" 2>&1 &
    started="$! $started"
}
node() {
    own="--user --map-current-user --keep-caps"
    [ "$(id -u)" != 0 ] || own=
    # shellcheck disable=SC2086 # options
    start unshare $own --uts --ipc --mount --pid --fork --kill-child --mount-proc "$0" node "$1"
}
until_true() { # until_true TENTHS_OF_A_SECOND COMMAND...
    tries=$1
    shift
    while ! "$@"; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.1
    done
}
both_are_idle() { [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ]; }

trap down EXIT
trap 'exit 1' INT TERM HUP
# shellcheck disable=SC2046 # three words
write_conf $(free_ports)
export SLURM_CONF="$dir/slurm.conf"
head -c 1024 /dev/urandom >"$dir/munge/key"
chmod 600 "$dir/munge/key"
start munged --foreground --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" \
    --pid-file="$dir/munge/pid" --seed-file="$dir/munge/seed" --num-threads=10
until_true 100 test -S "$dir/munge/socket"
start slurmctld -D
node n1
node n2
if ! until_true 300 both_are_idle; then
    tail -n 5 "$dir/out" "$dir"/*.log >&2
    exit 1
fi
echo ready
cat >/dev/null
