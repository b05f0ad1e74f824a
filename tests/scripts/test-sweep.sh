#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# horus sweep: whoever runs the points, and however often they are killed, the files are the same.
# HORUS_LONG=1 kills 20 times as many sweeps.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${HORUS:=$top/build/release/horus}"
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-sweep.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C TZ=UTC NO_COLOR=1 COLUMNS=100
ln -s "$top/traces" traces
subject=sweep
# shellcheck source=tests/support/verdict.sh
. "$top/tests/support/verdict.sh"

# Every file of every point and sweep.csv; of manifests all but what may differ.
contents() { # DIR
    (cd "$1" && find . -name '*.csv' -o -name 'summary.json' | sort | xargs sha256sum &&
        find runs -name manifest.json | sort | while read -r file; do
            echo "$file $(jq -c 'del(.volatile)' "$file" | sha256sum)"
        done)
}

# A grid with a late horizon, a limit and two formats; every kind of output; 24 points.
cat >all.json <<'JSON'
{ // 2 traces x 3 policies x 2 loads x 2 horizons
  "name": "all",
  "config": { "cluster": "4x8:V100", "outputs": "all", "max_jobs": 150 },
  "zip": { "trace": ["traces/sample.csv", "traces/sample-philly.json"], "retries": ["merge", "attempts"] },
  "grid": { "policy": ["fifo", { "name": "horus", "look_ahead": 3 }, "tiresias"], "load": [1, 2.5],
            "until": ["0s", "9h"] }
}
JSON
"$HORUS" sweep all.json -j 2 -o forked >/dev/null 2>warned
verdict "24 points" "$(find forked/runs -name manifest.json | wc -l | grep -vx 24)"
"$HORUS" sweep all.json -o listed --list >commands
sh -e commands >/dev/null 2>said && "$HORUS" sweep all.json -o listed --gather >/dev/null
verdict "a trace from memory, one from its file: same bytes" \
    "$(diff <(contents forked) <(contents listed))"
"$HORUS" sweep all.json -o made --make | make -s -k -j 2 -f - >/dev/null 2>&1
verdict "each warning once" "$(diff <(sort warned) <(grep '^warning' said | sort -u))"
verdict "by make" "$(diff <(contents forked) <(contents made))"

# A point is what `horus run` makes of the same options: the run directory has the same files.
"$HORUS" run traces/sample.csv -c 4x8:V100 --max-jobs 150 --retries merge --load 1 --until 0s \
    -p horus:look_ahead=3 -o by-hand >/dev/null 2>&1
point=$(grep -F ',horus:look_ahead=3,1,0s,traces/sample.csv,merge,' forked/sweep.csv | cut -d, -f2)
verdict "a point is a run" "$(for file in jobs segments series nodes summary; do
    cmp "by-hand/$file.csv" "forked/runs/$point/$file.csv"
done 2>&1)"

# Killed with everything it started, at moments drawn with a fixed seed, and started again.
kills=3
[ -z "${HORUS_LONG:-}" ] || kills=60
draw=12345
for _ in $(seq "$kills"); do
    draw=$(((draw * 1103515245 + 12345) % 2147483648))
    setsid "$HORUS" sweep all.json -j 2 -o killed >/dev/null 2>&1 &
    pid=$!
    sleep "$(awk -v d="$draw" 'BEGIN { printf "%.3f", 0.02 + 0.25 * d / 2147483648 }')"
    kill -KILL -- "-$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
done
"$HORUS" sweep all.json -j 2 -o killed >/dev/null 2>&1
verdict "killed $kills times and resumed" "$(diff <(contents forked) <(contents killed))"

# A finished sweep does nothing again: no file of a point is newer than the mark.
touch mark
sleep 0.01
"$HORUS" sweep all.json -o forked >/dev/null 2>&1
verdict "what is finished stays" "$(find forked/runs -newer mark)"

# One point fails: the others go on, and it is recorded; mended, it is run.
printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,5,x,10\n' >bad.csv
cat >fails.json <<'JSON'
{ "config": { "cluster": "1x2:V100" },
  "list": [ { "trace": "bad.csv" }, { "trace": "traces/sample.csv", "max_jobs": 3 } ] }
JSON
"$HORUS" sweep fails.json -j 2 >out 2>err
code=$?
verdict "exit code of the point that failed" "$(echo $code | grep -vx 3)"
verdict "the others went on" "$(cut -d, -f1,3,4 results/fails/sweep.csv | tr '\n' ' ' |
    grep -vx 'point,state,exit 1,failed,3 2,done,0 ')"
verdict "its log" "$(head -2 results/fails/failed/*.log | tr '\n' ' ' |
    grep -v '^exit 3 bad.csv:3:5: error: ')"
verdict "--pending" "$("$HORUS" sweep fails.json --pending | grep -vx 1)"
verdict "--status" "$("$HORUS" sweep fails.json --status | grep -c -e 'finished 1, failed 1, missing 0' \
    -e 'bad.csv:3:5: error' | grep -vx 2)"
printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,5,2,10\n' >bad.csv
"$HORUS" sweep fails.json >/dev/null
verdict "mended" "$(cut -d, -f3 results/fails/sweep.csv | tr '\n' ' ' | grep -vx 'state done done ')"

# A point that another process runs is waited for; the lock ends with that process, and whoever
# waited runs the point.
cat >slow.json <<'JSON'
{ "config": { "trace": "traces/sample.csv", "cluster": "8x8:V100" }, "grid": { "tie_jitter": [60, 0] } }
JSON
"$HORUS" sweep slow.json --index 1 >/dev/null &
pid=$!
for _ in $(seq 200); do
    ls results/slow/runs/*.lock >/dev/null 2>&1 && break
    sleep 0.01
done
"$HORUS" sweep slow.json --index 1 >/dev/null 2>err &
waiter=$!
for _ in $(seq 200); do
    grep -q 'another process is running this point: waiting' err && break
    sleep 0.01
done
verdict "one process a point" "$(grep -v 'another process is running this point: waiting' err)"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
wait "$waiter" || echo "exit $?" >>err
verdict "a lock ends with its process" "$(grep -e error -e exit err
    find results/slow/runs -name manifest.json | wc -l | grep -vx 1)"
verdict "nothing is left beside the runs" "$(find results/slow -name '*.lock' -o -name '*.tmp')"
exit $failed
