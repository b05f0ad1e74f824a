#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# jobs.swf of the sample trace: the rules of the Standard Workload Format for every file, and the
# properties that rounding to seconds keeps, under a policy that preempts and one that does not.
subject=swf
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

# A third of a second later each, so that nothing falls on whole seconds.
awk -F, -v OFS=, 'NR > 1 { $4 += NR % 3 / 3; $6 += NR % 7 / 7 } 1' "$top/traces/sample.csv" |
    sed '1s/.*/job_id,user,vc,submit_time,gpus,duration,status/' >"$work/shifted.csv"
for policy in fifo srtf; do
    "$HORUS" run "$work/shifted.csv" --sort=all -c 8x8:V100 -p $policy --outputs=jobs,swf -q \
        -o "$work/$policy" >/dev/null || verdict "$policy runs" "exit $?"
done

for policy in fifo srtf; do
    swf=$work/$policy/jobs.swf
    verdict "$policy: 18 integers a line, numbered from 1, sorted by submission" "$(awk '
        /^;/ { if (jobs) print "a comment at line " NR; next }
        { jobs++ }
        NF != 18 || $0 !~ /^[-0-9 ]+$/ || $1 != jobs || $2 < last { print NR ": " $0 }
        { last = $2 }
        END { if (jobs != 2000) print jobs " jobs" }' "$swf" | head)"
    verdict "$policy: the header counts right" "$(awk '
        /^; Max(Jobs|Records|Procs|Queues): / { said[$2] = $3; next }
        !/^;/ { jobs++; if ($15 > queues) queues = $15; if ($12 > users) users = $12 }
        END {
            if (said["MaxJobs:"] != jobs || said["MaxRecords:"] != jobs) print "jobs"
            if (said["MaxProcs:"] != 64 || said["MaxQueues:"] != queues) print "GPUs or queues"
            if (!users) print "no users"
        }' "$swf")"
    # By job: the files are in different orders, and ids are j0001 and the like, as submitted.
    verdict "$policy: no time is off by a second from jobs.csv, no field off at all" "$(awk -F, '
        function off(x, y) { return x - y >= 1 || y - x >= 1 }
        FNR == 1 { file++; if (file == 1) next }
        file == 1 { id[$3 "," $1] = 1; n++; submit[n] = $3; wait[n] = $10; run[n] = $8; gpus[n] = $4; next }
        file == 2 && !/^;/ {
            split($0, f, " ")
            k = f[1]
            if (off(f[2], submit[k]) || off(f[3], wait[k]) || off(f[4], run[k]) || f[8] != gpus[k])
                print "job " k ": " $0
        }' <(head -1 "$work/$policy/jobs.csv"
            tail -n +2 "$work/$policy/jobs.csv" | sort -t, -s -k3,3n -k1,1) "$swf" | head)"
done

# Ends before starts at one second; CPU jobs hold no GPU.
verdict "fifo: no second has more GPUs in use than there are" "$(awk '
    /^;/ || $4 <= 0 { next }
    { print $2 + $3, 1, $5; print $2 + $3 + $4, 0, -$5 }' "$work/fifo/jobs.swf" | sort -n -k1,1 -k2,2 |
    awk '{ used += $3 } used > 64 { print "at " $1 ": " used; exit }')"
verdict "the header states preemption" "$(
    grep -qx '; Preemption: No' "$work/fifo/jobs.swf" || echo fifo
    grep -qx '; Preemption: TS' "$work/srtf/jobs.swf" || echo srtf
)"
exit $failed
