# SPDX-License-Identifier: GPL-3.0-or-later
# V100 and P100 at the made-up speeds of the test models: which job runs at which speed hangs on the draw, so
# the seeds differ. Means, intervals and ratios are computed again from runs.csv, with t(0.975, 3) =
# 3.182446305 (any table of Student's t): none may differ by more than 1e-9 of itself.
M=tests/support/models
awk 'BEGIN {
    print "job_id,submit_time,gpus,duration"
    for (i = 0; i < 60; i++) print "j" i "," i ",1," 20 + i * 37 % 50
}' >t.csv
"$HORUS" compare t.csv -c 1x2:V100,1x2:P100 -p fifo -p sjf --seeds 3,9 --assignments 1..2 -o out -q \
    --profiles $M/profiles.csv --models $M/speed.json | grep -E '^[^ ]+ on|^(ratios|order)'
"$HORUS" compare t.csv -c 1x2 -p fifo --seeds 1,2 -o one -q | grep -E '^[^ ]+ on|^(ratios|intervals)'
cut -d, -f1-3 out/runs.csv
awk -F, '
    function near(name, got, want) {
        n++
        if ((got - want) ^ 2 > (1e-9 * want) ^ 2) print name " is " got ", should be " want
    }
    NR == FNR && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    NR == FNR {
        gsub(/"[^"]*"/, "")
        jct[$1, ++runs[$1]] = $(at["mean_jct"]); next
    }
    $2 == "mean_jct" {
        t = 3.182446305; sum = first = squares = rest = 0
        for (i = 1; i <= 4; i++) { sum += jct[$1, i]; first += jct["fifo", i] }
        for (i = 1; i <= 4; i++) {
            squares += (jct[$1, i] - sum / 4) ^ 2
            rest += (jct[$1, i] - sum / first * jct["fifo", i]) ^ 2
        }
        half = t * sqrt(squares / 3 / 4); ratio_half = t * sqrt(rest / 3 / 4) / (first / 4)
        near($1 " mean", $4, sum / 4)
        near($1 " low", $5, sum / 4 - half)
        near($1 " high", $6, sum / 4 + half)
        near($1 " ratio", $7, sum / first)
        near($1 " ratio low", $8, sum / first - ratio_half)
        near($1 " ratio high", $9, sum / first + ratio_half)
        if ($1 == "sjf" && ratio_half == 0) print "the seeds make no difference"
        for (i = 1; i <= 4; i++) agree += jct[$1, i] < jct["fifo", i]
    }
    END { print n " figures, sjf before fifo in " agree }' out/runs.csv out/compare.csv
