#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# One sweep by -j 2, by GNU parallel and by a real Slurm: the same bytes; and killed with SIGKILL at
# random moments and resumed: the same again.
#   tests/scripts/test-sweep-three-ways.sh                 12 points of 500 jobs, 4 kills
#   HORUS_LONG=1 tests/scripts/test-sweep-three-ways.sh    configs/sweeps/load.json, 6 policies x 5 loads
#                                                          x 3 seeds of 5,000 jobs, 20 kills: minutes
# HORUS_SEED=N draws other moments.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
export HORUS=${HORUS:-$top/build/release/horus}
export LC_ALL=C
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-ways.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
subject=sweep
# shellcheck source=tests/support/verdict.sh
. "$top/tests/support/verdict.sh"

jobs=500
kills=4
experiment=quick.json
if [ "${HORUS_LONG-}" = 1 ]; then
    jobs=5000
    kills=20
    experiment=$top/configs/sweeps/load.json
fi
awk -v kind=native -v jobs="$jobs" -f "$top/scripts/make-samples.awk" >trace.csv
cat >quick.json <<'END'
{"config": {"cluster": "8x8:V100"},
 "grid": {"policy": ["fifo", "sjf", "srtf", "tiresias", "pack", "horus"], "load": [0.6, 0.9], "seed": [1]}}
END

local_way() { "$HORUS" sweep "$experiment" --set trace=trace.csv -o "$1" -j 2; }
parallel_way() { "$top/scripts/sweep-parallel.sh" "$experiment" --set trace=trace.csv -o "$1" -j 2; }
slurm_way() {
    "$top/scripts/ci/slurm-one-node.sh" run slurm -- \
        "$top/scripts/sweep-slurm.sh" "$experiment" --set trace=trace.csv -o "$1"
}

timed() { # COMMAND...: its output in said, sets status and seconds
    local begin_ms=$(($(date +%s%N) / 1000000)) ms
    "$@" >said 2>&1
    status=$?
    ms=$(($(date +%s%N) / 1000000 - begin_ms))
    seconds=$((ms / 1000)).$((ms % 1000 / 100))
}

# The table, and of each run all but the manifest, which names machine and times.
differences() { # DIR
    [ "$status" -eq 0 ] || { echo "status $status" && tail -n 20 said; }
    cmp first/sweep.csv "$1/sweep.csv" 2>&1
    diff -rq -x manifest.json first/runs "$1/runs"
}

timed local_way first
points=$(grep -c ',done,0,' first/sweep.csv)
verdict "-j 2: $points points of $jobs jobs in $seconds s" "$(
    [ "$status" -eq 0 ] || cat said
    diff <(sed 1d first/sweep.csv | wc -l) <(echo "$points")
)"
if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    ways=(local_way parallel_way)
    timed parallel_way parallel
    verdict "GNU parallel: the same bytes, in $seconds s" "$(differences parallel)"
else
    ways=(local_way)
    echo "skip - sweep: GNU parallel: it is not here"
fi
timed slurm_way array
if [ "$status" -eq 77 ]; then
    echo "skip - sweep: Slurm: $(grep '^slurm-one-node.sh: ' said | tail -n 1)"
else
    verdict "Slurm, an array of $points tasks: the same bytes, in $seconds s" "$(differences array)"
fi

# Park and Miller's generator, 1988.
random=${HORUS_SEED:-20}
draw() { # BELOW: sets drawn
    random=$((random * 16807 % 2147483647))
    drawn=$((random % $1))
}

# shellcheck disable=SC2034 # parent and session are read by the name that is asked for
kill_those() { # parent|session PID
    local stat line pid parent session
    for stat in /proc/[0-9]*/stat; do
        { read -r line <"$stat"; } 2>/dev/null || continue
        pid=${line%% *}
        read -r _ parent _ session _ <<<"${line##*) }" # behind the name, which may hold anything
        [ "${!1}" != "$2" ] || kill -KILL "$pid" 2>/dev/null
    done
}

finished() { find "$1/runs" -name manifest.json 2>/dev/null | wc -l; }

# Each time from nothing to some point and some milliseconds, so that it hits at any speed of the
# machine. In turns all processes are killed, or the launcher alone: what it had started goes on.
export -f local_way parallel_way
export top experiment
moments=
for ((kill = 0; kill < kills; )); do
    way=${ways[kill % ${#ways[@]}]}
    draw "$points" && after=$drawn
    draw 100 && ms=$drawn
    rm -rf killed
    setsid bash -c "exec > killed.log 2>&1; $way killed; :" &
    session=$!
    until [ "$(finished killed)" -ge "$after" ] || ! kill -0 $session 2>/dev/null; do sleep 0.01; done
    sleep "0.$(printf %03d "$ms")"
    [ "$(finished killed)" -lt "$points" ] || { wait $session && continue; } # it was faster
    if [ $((kill / 2 % 2)) -eq 0 ]; then
        kill_those session $session
    else
        kill_those parent $session
        kill -KILL $session 2>/dev/null
    fi
    wait $session 2>/dev/null
    moments="$moments $(finished killed)"
    timed "$way" killed
    kill_those session $session # a launcher's launcher may have gone on until now
    found=$(
        differences killed
        find killed -name '*.tmp' -o -name '*.lock'
    )
    [ -z "$found" ] || verdict "killed after $after points and $ms ms ($way)" "$found"
    kill=$((kill + 1))
done
[ $failed -ne 0 ] || verdict "killed $kills times, with$moments of $points points done, and resumed: the same bytes" ""
exit $failed
