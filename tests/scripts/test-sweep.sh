#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# horus sweep: the files of its points are the same by every way to run them, and after a process was
# killed in each of its states. (At random moments: test-sweep-three-ways.sh.)
subject=sweep
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

cd "$work" || exit 1
ln -s "$top/traces" traces
# shellcheck source=tests/support/processes.sh
. "$top/tests/support/processes.sh"

leave() { # the test's processes end with the test
    local pid
    for pid in $(jobs -p); do
        # shellcheck disable=SC2046 # a word a process
        kill -KILL "$pid" $(processes_of parent "$pid") 2>/dev/null
    done
    rm -rf "$work"
}
trap leave EXIT

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

# A point equals `horus run` with the same options: the run directory has the same files.
"$HORUS" run traces/sample.csv -c 4x8:V100 --max-jobs 150 --retries merge --load 1 --until 0s \
    -p horus:look_ahead=3 -o by-hand >/dev/null 2>&1
point=$(grep -F ',horus:look_ahead=3,1,0s,traces/sample.csv,merge,' forked/sweep.csv | cut -d, -f2)
verdict "a point is a run" "$(for file in jobs segments series nodes summary; do
    cmp "by-hand/$file.csv" "forked/runs/$point/$file.csv"
done 2>&1)"

# A finished sweep is not run again: no file of a point is newer than the mark.
touch mark
sleep 0.01
"$HORUS" sweep all.json -o forked >/dev/null 2>&1
verdict "what is finished stays" "$(find forked/runs -newer mark)"

# One point fails: the others continue, and the failure is recorded; once repaired, the point is run.
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
verdict "mended" "$(cut -d, -f3,4 results/fails/sweep.csv | tr '\n' ' ' |
    grep -vx 'state,exit done,0 done,0 ')"

patience_s=120
happens() { # otherwise the test ends, since the next steps would wait for ever
    local what=$1 end=$((SECONDS + patience_s))
    shift
    until "$@"; do
        if [ $SECONDS -ge $end ]; then
            verdict "$what" "not within $patience_s s: $*"
            exit 1
        fi
        sleep 0.01
    done
}
waits() { # the process that writes to err, a new file: an old one could have the message already
    happens "a process waits for one that runs its point" \
        grep -qs 'another process is running this point: waiting' err
}
ends() { # STATUS PID: prints another status
    local status
    wait "$2" 2>/dev/null
    status=$?
    [ $status -eq "$1" ] || echo "exit $status, not $1"
}
litter() { find "$1" -name '*.lock' -o -name '*.tmp-*' -o -name '.*.horus' -o -path '*/failed/*'; } # DIR
untorn() { # DIR: what is wrong with it
    diff <(contents whole) <(contents "$1")
    litter "$1"
}

# A point is held as long as a case needs it, at any speed of the machine: its process reads the trace for
# the name of the run and again, under the lock, for the run, and the second time the trace is a pipe that
# stays empty. All other processes read a file.
head -n 200 traces/sample.csv >jobs.csv
ln -s jobs.csv trace.csv
mkfifo named.{1,2} run.{1,2} more.{1,2}
cat >torn.json <<'JSON'
{ "config": { "trace": "trace.csv", "cluster": "8x8:V100" }, "grid": { "policy": ["fifo", "srtf"] } }
JSON
hold() { # DIR POINT: sets holder
    rm -f held
    ln -sfn "named.$2" trace.csv
    {
        { ln -sfn "run.$2" trace.csv && cat jobs.csv; } >"named.$2"
        { ln -sfn jobs.csv trace.csv && touch held && cat "more.$2"; } >"run.$2"
    } &
    "$HORUS" sweep torn.json -o "$1" --index "$2" >/dev/null &
    holder=$!
    happens "a process holds point $2 of $1" test -e held
}
let_go() { # the holder of that point continues to its end
    cat jobs.csv >"more.$1"
    ends 0 "$2"
}
end_holder() { # POINT PID: killed while it holds that point
    kill -KILL "$2"
    ends 137 "$2"
    : >"more.$1"
}
launch() { # DIR: sets launcher and worker, which waits for the holder of point 1
    rm -f err
    "$HORUS" sweep torn.json -o "$1" -j 1 >/dev/null 2>err &
    launcher=$!
    waits
    worker=$(processes_of parent "$launcher")
}

"$HORUS" sweep torn.json -j 2 -o whole >/dev/null

# A process waits for a point that another process runs; the lock ends with that process, and the
# waiting process runs the point.
hold alone 1
rm -f err
"$HORUS" sweep torn.json -o alone --index 1 >/dev/null 2>err &
waiter=$!
waits
verdict "one process a point" "$(grep -v 'another process is running this point: waiting' err)"
end_holder 1 "$holder" >wrong
ends 0 "$waiter" >>wrong
verdict "a lock ends with its process" "$(cat wrong
    grep error err
    find alone/runs -name manifest.json | wc -l | grep -vx 1)"
verdict "nothing is left beside the runs" "$(litter alone)"

# Whichever processes are killed or run: the bytes of an undisturbed sweep.
hold failed 1
launch failed
kill -KILL "$worker"
ends 5 "$launcher" >wrong
verdict "a worker is killed: its point failed" "$(cat wrong
    cut -d, -f3,4 failed/sweep.csv | paste -sd ' ' | grep -vx 'state,exit failed,137 done,0')"
end_holder 1 "$holder" >wrong
verdict "resumed: as if it had not been" "$(cat wrong
    "$HORUS" sweep torn.json -o failed >said 2>&1 || cat said
    untorn failed
)"

hold late 1
launch late
kill -STOP "$worker"
let_go 1 "$holder" >wrong
kill -KILL "$worker"
ends 0 "$launcher" >>wrong
verdict "a worker is killed behind the end of its run: its point is finished" "$(cat wrong
    untorn late)"

hold both 1
first=$holder
hold both 2
launch both
kill -KILL "$worker"
happens "a point has failed" grep -q 'point 1 failed with exit code 137' err
let_go 1 "$first" >wrong
let_go 2 "$holder" >>wrong
ends 5 "$launcher" >>wrong
verdict "a point that failed here and was finished elsewhere is finished" "$(cat wrong
    untorn both)"

# Files left by a process that is killed after the end of a run, or while it writes the log of a failure.
mkdir -p whole/failed
run=whole/runs/$(awk -F, '$1 == 1 { print $2 }' whole/sweep.csv)
name=${run##*/} id=0123456789ab
touch "$run.lock" "whole/failed/$name.log" "whole/failed/$name.log.tmp-$id"
echo $id | tee "whole/runs/.$name.horus" >"whole/failed/.$name.log.horus"
mkdir "$run.tmp-$id"
verdict "a finished point is tidied up" "$(
    "$HORUS" sweep torn.json -o whole --gather >said 2>&1 || cat said
    litter whole
)"
exit $failed
