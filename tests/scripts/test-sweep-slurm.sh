#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A sweep of 45 points as job arrays of a real Slurm; one task is killed in the middle of its run, and
# after a resume the table has the bytes of -j 2. Arrays have at most 19 tasks, so that there are three.
here=$PWD
subject=sweep-slurm
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

launch() { "$top/scripts/sweep-slurm.sh" "$@"; }

wait_for() { # COMMAND...: five minutes at most, on a busy machine
    local i
    for ((i = 0; i < 3000; i++)); do
        ! "$@" || return 0
        sleep 0.1
    done
    echo "waited in vain: $*"
}

is_deserted() { # a process may take a moment to end
    ! grep -qzF -f pattern /proc/[0-9]*/{cmdline,environ} 2>/dev/null
}

if [ "${1-}" != inside ]; then
    cd "$work" || exit 1
    verdict "without Slurm it says so" "$(
        mkdir bin
        ln -s /bin/{bash,basename,dirname,sed} bin/
        PATH=$work/bin launch any.json 2>&1 | grep -v 'sweep-slurm.sh: no sbatch: this is not a machine of a Slurm cluster'
    )"
    verdict "a dry run shows what would be submitted" "$(
        echo '{"config": {"trace": "'"$top"'/traces/sample.csv", "cluster": "8x8:V100"}, "grid": {"policy": ["fifo", "sjf"]}}' >two.json
        launch two.json --max-tasks 5 --dry-run -- --partition=cpu 2>&1 | sed "s#$HORUS#horus#" | diff - <(
            echo 'sbatch --parsable --job-name=horus-sweep --ntasks=1 --array=1-2%5 --output=results/two/logs/%A_%a.log --partition=cpu <<END'
            printf '%s\n' '#!/bin/bash' 'exec horus sweep two.json -o results/two  --index $((0 + SLURM_ARRAY_TASK_ID))' END)
        ls results 2>/dev/null
    )"
    self=$top/tests/scripts/$(basename "$0")
    "$top/tests/support/slurm-one-node.sh" run "$work/slurm" MaxArraySize=20 -- "$self" inside 2>"$work/log"
    case $? in
    0) ;;
    77) skip "$(grep '^slurm-one-node.sh: ' "$work/log" | tail -n 1)" ;;
    *)
        failed=1
        tail -n 20 "$work/log" "$work"/slurm/*.out
        ;;
    esac
    echo "$work/slurm" >pattern # not in grep's own command line
    verdict "Slurm leaves no process" "$(
        wait_for is_deserted >/dev/null
        grep -lzF -f pattern /proc/[0-9]*/{cmdline,environ} 2>/dev/null
    )"
    exit $failed
fi

cd "$here" || exit 1 # within the job of Slurm
ln -s "$top/traces" traces
cat >grid.json <<'END'
{
    "config": {"trace": "traces/sample.csv", "cluster": "8x8:V100", "tie_jitter": 20},
    "grid": {"policy": ["fifo", "tiresias", "horus"], "load": [0.6, 0.8, 1], "seed": "1..5"}
}
END
"$HORUS" sweep grid.json -o local -j 2 -q >/dev/null || exit 1

# Point 23 is stopped at its first run, as soon as it has begun, and killed there. Its 21 runs take long
# enough for the loop to detect it.
point=$(awk -F, '$1 == 23 { print $2 }' local/sweep.csv)
cat >horus <<END
#!/bin/bash
stop_in_the_middle() {
    until ls -d '$PWD/array/runs/$point'.tmp-* >/dev/null 2>&1; do kill -0 \$\$ || exit; done
    kill -STOP \$\$
    echo "\${SLURM_ARRAY_JOB_ID}_\$SLURM_ARRAY_TASK_ID" >'$PWD/task'
}
case "\$*" in *'--index 23') ! mkdir '$PWD/stopped' 2>/dev/null || stop_in_the_middle & ;; esac
exec '$HORUS' "\$@"
END
chmod +x horus

HORUS=$PWD/horus launch grid.json -o array --max-tasks 2 >/dev/null 2>said &
launcher=$!
findings=$(
    wait_for test -s task
    # The limit applies to one array: the third waits for the second, which contains point 23. Its number
    # depends on how many tasks of the first have started: each takes a number of its own.
    squeue --noheader --format=%E | grep -q "^afterany:$(sed 's/_.*//' task)_" || squeue --format='%i %t %E'
    scancel --signal=KILL --batch "$(cat task)" # other signals let it continue or ask it to end first
)
wait $launcher
status=$?
verdict "a task killed in the middle of its run: status 1, the others are done" "$(
    printf '%s' "$findings"
    diff <(echo 1) <(echo $status)
    grep -q 'sweep-slurm.sh: not done: 23 ' said || cat said
    diff <(echo 44) <(grep -c ',done,0,' array/sweep.csv)
    diff <(printf '%s\n' 1-19 '0-19, each + 20' '0-5, each + 40') <(sed -n 's/.*job [0-9]*: points //p' said)
    diff <(echo 45) <(find array/logs -name '*.log' | wc -l)
)"
verdict "the same command resumes: one more task, the bytes of -j 2" "$(
    HORUS=$PWD/horus launch grid.json -o array >/dev/null 2>said || echo "status $?"
    diff <(echo '3, each + 20') <(sed -n 's/.*job [0-9]*: points //p' said)
    cmp local/sweep.csv array/sweep.csv 2>&1
    find array/runs -name '*.tmp-*' -o -name '.*.horus' -o -name '*.lock'
)"
verdict "all done: nothing is submitted" "$(
    launch grid.json -o array -- --partition=none >/dev/null 2>said || echo "status $?"
    cat said
)"
verdict "options for sbatch reach it, and what it refuses is said" "$(
    rm -r array/runs/*-horus-*
    launch grid.json -o array -- --partition=none >/dev/null 2>said
    diff <(echo 4) <(echo $?)
    grep -q 'sbatch refused' said || cat said
)"

is_queued() { [ -n "$(squeue --noheader)" ]; }
verdict "stopped, it leaves its tasks in the queue; again, it waits for them" "$(
    launch grid.json -o array -- --begin=now+3 >/dev/null 2>said &
    wait_for is_queued
    kill $!
    wait $!
    launch grid.json -o array >/dev/null 2>said || echo "status $?"
    grep -q 'tasks of this sweep are in the queue' said || cat said
    ! grep 'job [0-9]*: points' said
    cmp local/sweep.csv array/sweep.csv 2>&1
)"
exit $failed
