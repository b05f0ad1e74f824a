# SPDX-License-Identifier: GPL-3.0-or-later
# Made-up attempts come before the recorded run, on top of it, the same under every policy; what
# `trace assign` writes replays as the run did. What the warning counts is what jobs.csv has: jobs
# with more than one attempt, attempts beyond the first, work beyond the durations of the sample.
run() { # DIR OPTION...
    "$HORUS" run "${@:2}" -c 8x8:V100 --max-jobs=200 -q -o "$1" >/dev/null 2>"$1.said"
}
run a traces/sample.csv --retries=generate
run b traces/sample.csv --retries=generate -p srtf
cmp a.said b.said
for dir in a b; do
    cut -d, -f1,21,38 $dir/jobs.csv | sort >$dir.txt
    "$HORUS" verify $dir | tail -n 1
done
cmp a.txt b.txt
"$HORUS" trace assign traces/sample.csv --max-jobs=200 -c 8x8:V100 --retries=generate -o t.csv -q \
    2>t.said
cmp a.said t.said
run c t.csv --retries=attempts
cmp a/segments.csv c/segments.csv
awk -F, -v recorded="$(awk -F, 'NR > 1 && NR < 202 { sum += $6 } END { print sum }' traces/sample.csv)" '
    NR > 1 { work += $21; failures += $38 - 1; jobs += $38 > 1 }
    END {
        printf "warning: %d of 200 jobs fail %d times before their recorded run: %.1f h of run time " \
               "on top of the trace'"'"'s\n", jobs, failures, (work - recorded) / 3600
    }' a/jobs.csv | cmp - a.said
