# SPDX-License-Identifier: GPL-3.0-or-later
# The means of a comparison are those of the two summaries, which other code has made; twice the
# same bytes; and a run beside itself is equal in everything.
"$HORUS" run traces/sample.csv -c 8x8:V100 -p fifo -q -o a >/dev/null
"$HORUS" run traces/sample.csv -c 8x8:V100 -p srtf -q -o b >/dev/null
"$HORUS" compare a b -o c >shown
"$HORUS" compare a b -o d | tail -n +2 | cmp -s - <(tail -n +2 shown) || grep files shown
cmp c/paired.csv d/paired.csv && cmp c/jobs_paired.csv d/jobs_paired.csv && echo twice the same
mean() { # METRIC RUN
    sed -n "s/^ *\"mean_$1\": \([0-9.e+-]*\),*$/\1/p" "$2/summary.json" | head -n 1
}
for metric in wait jct slowdown bounded_slowdown run_slowdown; do
    grep "^all,,$metric,2000,$(mean $metric a),$(mean $metric b)," c/paired.csv >/dev/null &&
        echo "mean $metric of both as in the summaries"
done
# every interval holds its figure
awk -F, 'NR > 1 && $8 != "" && ($7 < $8 || $7 > $9 || $10 < $11 || $10 > $12)' c/paired.csv
"$HORUS" compare a a -o e >/dev/null
awk -F, 'NR > 1 && ($7 != 0 || $8 != 0 && $8 != "" || $14 != 1)' e/paired.csv
