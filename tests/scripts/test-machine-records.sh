#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Public records of machines, replayed by --events: faults of 400 GPU servers with their repairs, and the
# availability of spot GPUs. The capacity of the run at every change is that of an awk program that reads
# the record itself.
subject=machine-records
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

cd "$work" || exit 1

# A job outlives the record, because a run needs one to continue. It is never on a failed node.
replay() { # CLUSTER EVENTS SECONDS: lines "time GPUs-out", one a change
    printf 'job_id,submit_time,gpus,duration\n0,0,1,1000000000\n' >job.csv
    "$HORUS" run job.csv -c "$1" --events "$2" --until "$3" --outputs=series --sample=exact -q -f \
        -o run >/dev/null || return
    awk -F, '$2 == "gpus_out" && $4 != last { print $1, $4; last = $4 }' run/series.csv
}

faults=$HORUS_DATA/traces/node_faults_days_1-173.csv
if [ -f "$faults" ]; then
    # Overlapping and adjacent faults of a server are one; those of no length are none.
    tail -n +2 "$faults" | sort -t, -k1,1n -k2,2n | awk -F, '
        function put() { if (to > from) { print from ",n" node ",down"; print to ",n" node ",up" } }
        $1 != node || $2 > to { put(); node = $1; from = $2; to = $3; next }
        $3 > to { to = $3 }
        END { put() }' | sort -t, -k1,1n | sed '1i time,node,event' >events.csv
    replay 400x8 events.csv 15000000 >capacity
    # For each server the difference of its covering intervals at every second of a change.
    tail -n +2 "$faults" | awk -F, '$3 > $2 {
            open[$2, $1]++; open[$3, $1]--; at[$2]; at[$3]; of[$2] = of[$2] " " $1; of[$3] = of[$3] " " $1
        }
        END {
            n = 0
            for (t in at) times[++n] = t + 0
            for (i = 2; i <= n; i++)
                for (k = i; k > 1 && times[k - 1] > times[k]; k--) {
                    t = times[k]; times[k] = times[k - 1]; times[k - 1] = t
                }
            last = 0
            for (i = 1; i <= n; i++) {
                m = split(of[times[i]], nodes, " ")
                for (k = 1; k <= m; k++) {
                    node = nodes[k]
                    before = depth[node] > 0
                    depth[node] += open[times[i], node]
                    open[times[i], node] = 0
                    out += 8 * ((depth[node] > 0) - before)
                }
                if (out != last) print times[i], out
                last = out
            }
        }' >expected
    verdict "$(grep -c . expected) changes of capacity by faults of 400 servers" \
        "$(diff expected capacity | head -n 5)"
else
    skip "faults of servers: no traces/node_faults_days_1-173.csv in HORUS_DATA"
fi

spot=$HORUS_DATA/traces/spot_first_half.csv
if [ -f "$spot" ]; then
    said=
    total=0
    for series in 2022-10-26,us-west-2b,V100,1 2023-02-15,us-east-1c,V100,1 2022-10-26,us-west-2a,K80,1 \
        2023-08-27,us-east-2b,V100,16; do
        nodes=${series##*,}
        # rows of equal availability: nodes beyond it are down
        awk -F, -v key="$series" '
            $1 == "availability" && $2 "," $3 "," $4 "," $6 == key { print $8, $9, $10 }' "$spot" |
            sort -n >rows
        awk -v nodes="$nodes" 'BEGIN { print "time,node,event"; for (i = 0; i < nodes; i++) up[i] = 1 }
            { for (i = 0; i < nodes; i++)
                if (up[i] != (i < $3)) { up[i] = i < $3; print $1 ",n" i "," (up[i] ? "up" : "down") } }' \
            rows >events.csv
        replay "${nodes}x1" events.csv "$(($(tail -n 1 rows | cut -d' ' -f2) + 1000))" >capacity
        # of several rows with one start time the last counts
        awk -v nodes="$nodes" '
            function put() { if (out != last) print time, out; last = out }
            NR > 1 && $1 != time { put() }
            { time = $1; out = nodes - $3 }
            END { put() }' rows >expected
        said+=$(diff expected capacity | head -n 5)
        total=$((total + $(grep -c . expected)))
    done
    verdict "$total changes of availability of spot GPUs, 4 series" "$said"
else
    skip "spot GPUs: no traces/spot_first_half.csv in HORUS_DATA"
fi
exit "$failed"
