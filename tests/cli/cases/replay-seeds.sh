# SPDX-License-Identifier: GPL-3.0-or-later
# A sample hangs on the seed: whatever reads the trace once for many runs, a comparison over seeds and
# a sweep, must give each seed the jobs and the mean that a run of its own gives it. Half the scale of
# time is half the time of everything.
value() { # FILE ROW COLUMN: of a CSV
    awk -F, -v row="$2" -v column="$3" '{ gsub(/"[^"]*"/, "") }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } NR == row + 1 { print $(at[column]) }' "$1"
}
"$HORUS" compare traces/sample.csv -c 8x8 -p fifo --seeds 1..2 --sample-jobs 0.2 -o both -q > /dev/null
cat > e.json <<'END'
{"config": {"trace": "traces/sample.csv", "cluster": "8x8", "sample_jobs": 0.2},
 "grid": {"seed": [1, 2], "scale_time": [1, 0.5]}}
END
"$HORUS" sweep e.json -o grid -q -j 2 > /dev/null
for seed in 1 2; do
    "$HORUS" run traces/sample.csv -c 8x8 -q --seed $seed --sample-jobs 0.2 -o one$seed > /dev/null
    for metric in n_jobs mean_jct; do
        own=$(value one$seed/summary.csv 1 $metric)
        [ "$own" = "$(value both/runs.csv $seed $metric)" ] || echo "compare, seed $seed: $metric differs"
        [ "$own" = "$(value grid/sweep.csv $((2 * seed - 1)) $metric)" ] || echo "sweep, seed $seed: $metric differs"
    done
    whole=$(value grid/sweep.csv $((2 * seed - 1)) makespan) half=$(value grid/sweep.csv $((2 * seed)) makespan)
    awk -v whole="$whole" -v half="$half" 'BEGIN { d = whole / half - 2; print (d < 1e-6 && d > -1e-6) ? "half" : "not half: " whole " " half }'
done 2> notes
sort -u notes
[ "$(value one1/summary.csv 1 n_jobs)" != "$(value one2/summary.csv 1 n_jobs)" ] && echo "seeds differ"
