#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# One sweep by -j 2, by GNU parallel and by a real Slurm: the same bytes; and killed with SIGKILL at
# random moments and resumed: the same again.
#   tests/scripts/test-sweep-three-ways.sh                 12 points of 500 jobs, 6 kills
#   HORUS_LONG=1 tests/scripts/test-sweep-three-ways.sh    configs/sweeps/load.json, 6 policies x 5 loads
#                                                          x 3 seeds of 5,000 jobs, 20 kills: minutes
# HORUS_SEED=N draws other moments.
subject=sweep
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

cd "$work" || exit 1
# shellcheck source=tests/support/processes.sh
. "$top/tests/support/processes.sh"

jobs=500
kills=6
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
    "$top/tests/support/slurm-one-node.sh" run slurm -- \
        "$top/scripts/sweep-slurm.sh" "$experiment" --set trace=trace.csv -o "$1"
}

timed() { # COMMAND...: its output in said, sets status and seconds
    local begin_ms=$(($(date +%s%N) / 1000000)) ms
    "$@" >said 2>&1
    status=$?
    ms=$(($(date +%s%N) / 1000000 - begin_ms))
    seconds=$((ms / 1000)).$((ms % 1000 / 100))
}

# Differences of two tables, one line a field.
columns() { # FIRST OTHER
    awk '
        function cut(line, fields, part, parts, i) { # commas between quotes are none
            parts = split(line, part, "\"")
            for (i = 2; i <= parts; i += 2) gsub(/,/, ";", part[i])
            line = part[1]
            for (i = 2; i <= parts; i++) line = line part[i]
            return split(line, fields, ",")
        }
        FNR == 1 { cut($0, name) }
        FNR == NR { row[FNR] = $0; next }
        $0 != row[FNR] {
            split("", was)
            cut(row[FNR], was)
            count = cut($0, is)
            for (i = 1; i <= count; i++)
                if (is[i] "" != was[i] "")
                    print "point " is[1] ", " name[i] ": " is[i] ", first it was " was[i]
        }' "$1" "$2"
}

# The table, and of each run all files but the manifest, which contains machine and times.
differences() { # DIR
    [ "$status" -eq 0 ] || { echo "status $status" && tail -n 20 said; }
    cmp first/sweep.csv "$1/sweep.csv" 2>&1 || columns first/sweep.csv "$1/sweep.csv"
    diff -rq -x manifest.json first/runs "$1/runs"
    find "$1" -name '*.tmp-*' -o -name '.*.horus' -o -name '*.lock' -o -path '*/failed/*'
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
    skip "GNU parallel: it is not here"
fi
timed slurm_way array
if [ "$status" -eq 77 ]; then
    skip "Slurm: $(grep '^slurm-one-node.sh: ' said | tail -n 1)"
else
    verdict "Slurm, an array of $points tasks: the same bytes, in $seconds s" "$(differences array)"
fi

# Park and Miller's generator, 1988.
random=${HORUS_SEED:-20}
draw() { # BELOW: sets drawn
    random=$((random * 16807 % 2147483647))
    drawn=$((random % $1))
}

finished() { find "$1/runs" -name manifest.json 2>/dev/null | wc -l; }

ended() { # the processes of the session that still run after a minute
    local left
    for _ in $(seq 600); do
        left=$(processes_of session "$1")
        [ -n "$left" ] || return
        sleep 0.1
    done
    echo "still at work: ${left//$'\n'/ }"
}

# Each attempt starts from nothing and stops at some point after some milliseconds, so that it applies at
# any speed of the machine. In turns: all processes are killed; the launcher alone, while the processes that
# it started continue; the processes that it started alone, while the launcher continues.
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
    launcher=$(processes_of parent $session)
    case $((kill / ${#ways[@]} % 3)) in
    0) victims=$(processes_of session $session) ;;
    1) victims=${launcher:+$session $launcher} ;;
    2) # all are stopped, or its processes would be over by then
        kill -STOP -- -$session 2>/dev/null
        victims=$(processes_of parent "$launcher")
        ;;
    esac
    # shellcheck disable=SC2086 # a list
    kill -KILL $victims 2>/dev/null
    kill -CONT -- -$session 2>/dev/null
    wait $session 2>/dev/null
    [ -n "$victims" ] || continue # it had finished
    moments="$moments $(finished killed)"
    timed "$way" killed
    found=$(
        ended $session # a nested launcher may have continued until now
        differences killed
    )
    [ -z "$found" ] || verdict "killed after $after points and $ms ms ($way)" "$found"
    kill=$((kill + 1))
done
[ $failed -ne 0 ] || verdict "killed $kills times, with$moments of $points points done, and resumed: the same bytes" ""
exit $failed
