#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A Slurm cluster of one node, for tests: munged, slurmctld and slurmd of the packages munge and
# slurm-wlm, as root and without systemd. Key, sockets, configuration, state and logs are in DIR,
# ports are free ones, and they talk over 127.0.0.1; a Slurm that is installed on the machine is
# neither used nor touched.
#   tests/support/slurm-one-node.sh run DIR [KEY=VALUE...] -- COMMAND...   start, run, stop
#   tests/support/slurm-one-node.sh start DIR [KEY=VALUE...]    prints `export SLURM_CONF=...` (DIR/env)
#   tests/support/slurm-one-node.sh stop DIR
# KEY=VALUE are further lines of slurm.conf, such as MaxArraySize=20. DIR must be new or empty; stop
# leaves its logs. `run` ends with the status of COMMAND. Exit 77: Slurm cannot run here, and why.
set -u
export LC_ALL=C
ready_s=60 # for the node to be idle
quiet_s=20 # for the end of the last job and of the daemons

usage() {
    sed -n 's/^#   /usage: /p' "$0" >&2
    exit 2
}

say() { echo "slurm-one-node.sh: $*" >&2; }

# Why Slurm cannot run here, if it cannot.
obstacle() {
    local tool
    [ "$(id -u)" -eq 0 ] || {
        echo "needs root"
        return
    }
    for tool in munged slurmctld slurmd sbatch; do
        command -v "$tool" >/dev/null || {
            echo "no $tool: packages slurm-wlm and munge"
            return
        }
    done
    # sun_path holds 108 bytes, slurmd's own socket for a job is the longest of the names.
    [ ${#dir} -le 70 ] || echo "the name of the folder is too long for a socket: $dir"
}

free_port() { # NOT-THIS: below the ports that the kernel hands out itself
    local port
    while :; do
        port=$((20000 + RANDOM % 12000))
        [ "$port" -ne "${1-0}" ] || continue
        (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    echo "$port"
}

write_config() { # LINE...
    local host control_port
    # With one address to listen on, Slurm uses that of the machine's name, whatever the setting.
    host=$(uname -n)
    case $(getent hosts "$host") in
    127.*) echo CommunicationParameters=NoCtldInAddrAny,NoInAddrAny ;;
    *) say "'$host' does not resolve to 127.*, so the daemons listen on every interface" ;;
    esac
    host=${host%%.*} # Slurm's name of a machine
    control_port=$(free_port)
    cat <<END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$control_port
SlurmdPort=$(free_port "$control_port")
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
# Jobs of a second: the next one starts at the end of one, not at the next scheduling interval.
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
SlurmdParameters=config_overrides
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=all Nodes=one Default=YES MaxTime=INFINITE State=UP
END
    [ $# -eq 0 ] || printf '%s\n' "$@"
}

daemon() { # NAME COMMAND...: in a session of its own, away from our terminal and pipes
    local name=$1
    shift
    setsid "$@" >"$dir/$name.out" 2>&1 </dev/null &
    echo "$! $name" >>"$dir/daemons"
}

is_ours() { # PID NAME: still the process that we started
    [ "$(cat "/proc/$1/comm" 2>/dev/null)" = "$2" ]
}

all_alive() {
    local pid name
    while read -r pid name; do
        is_ours "$pid" "$name" || return 1
    done <"$dir/daemons"
}

wait_until() { # SECONDS COMMAND...
    local deadline=$(($(date +%s) + $1))
    shift
    until "$@"; do
        [ "$(date +%s)" -lt "$deadline" ] || return 1
        sleep 0.1
    done
}

node_is_idle() { [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; }
idle_or_dead() { node_is_idle || ! all_alive; }
socket_or_dead() { [ -S "$dir/munge/socket" ] || ! all_alive; }

start() { # LINE...
    local why
    why=$(obstacle)
    [ -z "$why" ] || {
        say "$why"
        exit 77
    }
    [ -z "$(ls -A "$dir" 2>/dev/null)" ] || {
        say "$dir is not empty"
        exit 2
    }
    (umask 022 && mkdir -p "$dir"/{munge,state,spool}) || exit 4
    (umask 077 && head -c 128 /dev/urandom >"$dir/munge/key")
    write_config "$@" >"$dir/slurm.conf"
    # slurmd requires a plugin for control groups even if nothing uses them; this one uses none.
    printf '%s\n' CgroupPlugin=cgroup/v1 "CgroupMountpoint=$dir/cgroup" >"$dir/cgroup.conf"
    printf 'export SLURM_CONF=%q\n' "$dir/slurm.conf" >"$dir/env"
    export SLURM_CONF=$dir/slurm.conf
    : >"$dir/daemons"

    # --force: for a folder that only root can enter it would report that others cannot reach the socket.
    daemon munged munged --foreground --force --num-threads=2 --origin=127.0.0.1 \
        --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
        --seed-file="$dir/munge/seed" --log-file="$dir/munged.log"
    wait_until "$ready_s" socket_or_dead
    daemon slurmctld slurmctld -D -i
    daemon slurmd slurmd -D
    wait_until "$ready_s" idle_or_dead
    node_is_idle && all_alive && return
    say "no idle node after at most $ready_s s; what the daemons say:"
    tail -n 8 "$dir"/*.out >&2
    stop
    exit 77
}

queue_is_empty() { [ -z "$(squeue -h 2>/dev/null)" ]; }
none_alive() {
    local pid name
    while read -r pid name; do
        ! is_ours "$pid" "$name" || return 1
    done <"$dir/daemons"
}

signal() { # SIGNAL
    local pid name
    while read -r pid name; do
        ! is_ours "$pid" "$name" || kill "-$1" "$pid" 2>/dev/null
    done <"$dir/daemons"
}

# The processes that a daemon left when it died: our slurmstepd have slurmd's log open, and the processes of
# our jobs inherit both of these variables from them.
orphans() {
    local pid
    find /proc/[0-9]*/fd -lname "$dir/slurmd.log" 2>/dev/null | cut -d / -f 3 | sort -u |
        while read -r pid; do ! is_ours "$pid" slurmstepd || echo "$pid"; done
    grep -lzxF "SLURM_CONF=$dir/slurm.conf" /proc/[0-9]*/environ 2>/dev/null |
        xargs -r grep -lzxF SLURM_CLUSTER_NAME=one 2>/dev/null | cut -d / -f 3
}

stop() {
    [ -f "$dir/daemons" ] || {
        say "no cluster was started in $dir"
        exit 2
    }
    export SLURM_CONF=$dir/slurm.conf
    if all_alive; then
        squeue -h -o %A | sort -u | xargs -r scancel
        wait_until "$quiet_s" queue_is_empty || say "jobs do not end: $(squeue -h)"
    fi
    signal TERM
    wait_until "$quiet_s" none_alive || signal KILL
    orphans | xargs -r kill -KILL 2>/dev/null
    rm -f "$dir/daemons"
}

verb=${1-}
case $verb in
start | stop | run) ;;
*) usage ;;
esac
[ -n "${2-}" ] || usage
dir=$(realpath -m "$2") || exit 2
shift 2
lines=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    case $verb:$1 in
    stop:* | *:-*) usage ;;
    *=*) lines+=("$1") ;;
    *) usage ;;
    esac
    shift
done
case $verb in
start)
    [ $# -eq 0 ] || usage
    start "${lines[@]}"
    cat "$dir/env"
    ;;
stop)
    [ $# -eq 0 ] || usage
    stop
    ;;
run)
    [ $# -ge 2 ] || usage
    shift
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    trap '[ ! -f "$dir/daemons" ] || stop' EXIT
    start "${lines[@]}"
    "$@"
    ;;
esac
