#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Behaviour when memory runs out or a system call fails, once, at any point: a documented exit code and a
# message, output that is complete or absent, and no leftovers that hinder the same command afterwards,
# which then gives the same bytes. Interrupted and partial reads and writes change nothing at all.
# tests/support/faults.c makes the calls fail. Two points a scenario, kind of
# call and error; all of them with HORUS_LONG=1. One alone: tests/scripts/test-faults.sh SCENARIO [KIND [ERROR [N]]]
subject=faults
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm # where fsync is free
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

need_shim >"$work/why"
[ ! -s "$work/why" ] || { skip "$(cat "$work/why")" && exit 0; }
points=2
[ -z "${HORUS_LONG:-}" ] || points=1000000
RANDOM=20261

# ---- inputs ----

mkdir "$work/in" && cd "$work/in" || exit 1
cat >jobs.csv <<'EOF'
job_id,user,vc,submit_time,gpus,duration,gpu_util,gpu_mem_mib,model
a,ann,v,0,2,100,50,2000,
b,bob,w,10,1,60,30,1000,ResNet18
c,ann,v,20,4,20,90,3000,
d,,w,20,1,45,20,9000,LSTM
EOF
head -n 10 "$top/traces/sample-philly.json" | sed '$s/,$/]/' >philly.json
cat >config.json <<'EOF'
{"cluster": "cluster.json", "policy": {"name": "tiresias", "queue_limits": "30"}, "vc": "quota"}
EOF
cat >cluster.json <<'EOF'
{"gpu_types": {"V100": {"mem_mib": 16384, "speed": 1}}, "nodes": [{"count": 2, "gpus": 2, "type": "V100"}], "vcs": {"v": 2, "w": 2}}
EOF
cat >sweep.json <<'EOF'
{"name": "s", "config": {"trace": "../in/jobs.csv", "cluster": "2x2:V100"}, "grid": {"policy": ["fifo", "srtf"]}}
EOF
sed -i 's#cluster.json#../in/cluster.json#' config.json
gzip -c jobs.csv >jobs.csv.gz
# The pairs of three jobs: all parts of calibrate, and a sixth of the allocations of those of all eight.
awk -F, 'NR <= 4 { known[$1] = NR > 1; print } NR > 4 && known[$1] && known[$2] && $3 == "L40S"' \
    "$top/configs/models/example-pairs.csv" >pairs.csv
"$HORUS" trace convert jobs.csv -o jobs.csv.zst -q &&
    "$HORUS" run ../in/jobs.csv -c 2x2:V100 -p srtf --until 30s --snapshot moment -o until -q >/dev/null 2>&1 &&
    "$HORUS" run ../in/jobs.csv -c 2x2:V100 -p gandiva --outputs=all --decisions -o shared -q >/dev/null 2>&1 &&
    "$HORUS" run ../in/jobs.csv -c 2x2:V100 -p fifo --outputs=all --decisions -o plain -q >/dev/null 2>&1 || exit 1

# ---- scenarios: NAME and the words of the command; what they write begins with "out" ----

scenarios=(
    "run run ../in/jobs.csv -c 2x2:V100 -p fifo --outputs=all --decisions --report -o out -q"
    "sharing run ../in/jobs.csv.gz -c 2x2:V100 -p gandiva --predictor=noisy --sample=10s --check=full -o out -q"
    "config run ../in/philly.json --config ../in/config.json --vc=ignore --retries=generate -o out -q"
    "generate generate --like venus -n 30 -o out.csv.zst -q"
    "convert trace convert ../in/jobs.csv.zst --to philly -o out.json.gz -q"
    "info trace info ../in/jobs.csv.zst"
    "compare compare ../in/jobs.csv -c 2x2:V100 -p fifo -p srtf --seeds 1..2 --outputs=all -o out -q"
    "report report ../in/plain ../in/shared -o out.html"
    "sweep sweep ../in/sweep.json -o out -q"
    "verify verify ../in/shared"
    "explain explain ../in/shared --json"
    "rerun rerun ../in/plain -o out"
    "predict predict --job ResNet18 --with LSTM --gpu V100 --predictor=regress --json"
    "checkpoint run ../in/jobs.csv -c 2x2:V100 -p srtf --checkpoint-sim 10s --resume --sort=all -o out -q"
    "snapshot run ../in/jobs.csv -c 2x2:V100 -p srtf --until 30s --snapshot kept.moment -o out -q"
    "fork run --from ../in/moment -p fifo -o out -q"
    "calibrate calibrate interference --data ../in/pairs.csv -o out.json"
)

# Runs in a folder of its own beside in/, with the variables NAME=VALUE... of a fault; sets $status.
play() { # WORDS NAME=VALUE...
    local words
    read -r -a words <<<"$1"
    shift
    rm -rf "$work/now"
    mkdir "$work/now"
    again "${words[*]}" "$@"
}

again() {
    local words
    read -r -a words <<<"$1"
    shift
    cd "$work/now" || exit 1
    if [ $# -gt 0 ]; then
        timeout 60 env "$@" LD_PRELOAD="$shim" "$HORUS" "${words[@]}" >stdout 2>"$work/stderr"
    else
        "$HORUS" "${words[@]}" >stdout 2>"$work/stderr"
    fi
    status=$?
}

# Differences of the output from the reference: times and the host of manifests do not count, nor empty
# folders.
differs() { # [DIFF-OPTION...]
    local manifests
    mapfile -t manifests < <(find "$work/now" -name manifest.json)
    [ ${#manifests[@]} -eq 0 ] || sed -i '/^  "volatile": {/,$d' "${manifests[@]}"
    find "$work/now" -mindepth 1 -type d -empty -delete
    diff -r -x '*.moment' "$@" "$work/now" "$work/reference" | cut -c1-160 # a snapshot has addresses
}

check() { # SCENARIO WORDS KIND ERROR POINT
    local faults at="$3 $4 $5" said
    play "$2" FAULT_CALL="$3" FAULT_ERRNO="$4" FAULT_AT="$5"
    said=$(grep -m 1 error: "$work/stderr")
    echo "$at" >>"$work/checked"
    local options=(-x failed) # of a sweep: the failed runs
    [ "$3" != unlink ] || options+=(-x 'messages-*' -x '.*.horus' -x gather.lock) # files that could not be removed may remain
    if [ "$status" -eq 0 ]; then
        faults=$(differs "${options[@]}")
        [ -z "$faults" ] || printf '%s\n' "$at: exit code 0 and other results" "$said" "$faults"
        return
    fi
    case $3-$4-$status in
    alloc-*-5 | fork-*-5) ;;
    alloc-* | fork-* | *-5 | *-EINTR-* | *-short-*) echo "$at: exit code $status, $said" ;;
    *-4) ;;
    *) echo "$at: exit code $status, $said" ;;
    esac
    [ -n "$said" ] || echo "$at: exit code $status without a message"
    # Complete if only a step after the results failed, such as the table on standard output.
    if [ "$1" != sweep ] && [ -n "$(find . -name 'out*' -print -quit)" ]; then
        faults=$(differs -x stdout "${options[@]}")
        [ -z "$faults" ] || printf '%s\n' "$at: left $(echo out*), $said" "$faults"
        rm -rf out*
    fi
    again "$2"
    [ "$status" -eq 0 ] || echo "$at: the next run ends with $status: $(head -n 2 "$work/stderr")"
    faults=$(differs "${options[@]}")
    [ -z "$faults" ] || printf '%s\n' "$at: the next run gives other results" "$faults"
}

# Some of 1..N, all of them if they are few.
sample() {
    if [ "$1" -le "$points" ]; then
        seq "$1"
    else
        for ((i = 0; i < points; i++)); do echo $((1 + (RANDOM * 32768 + RANDOM) % $1)); done
    fi
}

check_scenario() { # NAME WORDS [KIND [ERROR [N]]]
    local kind count error found errors
    play "$2" FAULT_COUNTS="$work/counts"
    if [ "$status" -ne 0 ]; then
        verdict "$1" "without faults it ends with $status: $(cat "$work/stderr")"
        return
    fi
    rm -rf "$work/reference"
    cp -R "$work/now" "$work/reference"
    find "$work/reference" -name manifest.json -exec sed -i '/^  "volatile": {/,$d' {} +
    find "$work/reference" -mindepth 1 -type d -empty -delete
    : >"$work/checked"
    if [ $# -eq 5 ]; then
        found=$(check "$@")
    else
        while read -r kind count; do
            [ "$count" -gt 0 ] && [ "${3:-$kind}" = "$kind" ] || continue
            errors="EIO ENOSPC"
            case $kind in
            alloc | fork) errors=ENOMEM ;;
            read | write) errors="EIO ENOSPC EINTR short" ;;
            open | fsync) errors="EIO ENOSPC EINTR" ;;
            esac
            for error in ${4:-$errors}; do
                case $error in EINTR | short) check "$1" "$2" "$kind" "$error" all ;; esac
                for point in $(sample "$count"); do
                    check "$1" "$2" "$kind" "$error" "$point"
                done
            done
        done <"$work/counts" >"$work/found"
        found=$(cat "$work/found")
    fi
    verdict "$1, $(wc -l <"$work/checked") points" "$found"
}

for scenario in "${scenarios[@]}"; do
    name=${scenario%% *}
    [ "${1:-$name}" != "$name" ] || check_scenario "$name" "${scenario#* }" "${@:2}"
done
cd "$top" || exit 1
exit "$failed"
