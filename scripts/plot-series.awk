# SPDX-License-Identifier: GPL-3.0-or-later
#
# Metrics of series.csv over time, as time-weighted means over equal parts of the run: what holds from
# one row of a metric to its next is its value there, whatever --sample made the rows.
#   awk -v file=RUN/series.csv -v end=SECONDS -v metrics='util_model waiting=pending+suspended'
#       [-v parts=N] -v run=1 -f plot-csv.awk -f plot-parts.awk
#       -f plot-series.awk
# A metric with keys gives a table a key. Prints metric, key, run, begin, end of a part, mean.

function hold(s, to) { # since the last time, what value[s] is
    add_to_parts(sum, s, value[s], since[s] + 0, to, part, parts)
    since[s] = to
}

BEGIN {
    if (!parts) parts = 120
    n = split(metrics, term, " ")
    for (m = 1; m <= n; m++) {
        name = term[m]
        sub(/=.*/, "", name)
        sub(/^[^=]*=/, "", term[m])
        for (i = split(term[m], added, "+"); i > 0; i--) becomes[added[i]] = name
    }
    # The last interval ends with the run; a series that goes beyond is one of a run cut short.
    csv_open(file, "time metric key value")
    while (csv_next(file))
        if (of("time") + 0 > latest) {
            width = of("time") - latest
            latest = of("time") + 0
        }
    close(file)
    if (end + 0 < latest) end = latest + width
    part = end / parts

    csv_open(file, "time metric key value")
    while (csv_next(file)) {
        metric = of("metric")
        if (!(metric in becomes)) continue
        s = metric SUBSEP of("key")
        if (!(s in value)) {
            of_series[++series] = s
            line = line_of[s] = becomes[metric] SUBSEP of("key")
            if (!(line in printed)) of_line[++lines] = line
            printed[line] = 1
        }
        hold(s, of("time") + 0)
        value[s] = of("value") + 0
    }
    if (!series) csv_fail(file ": none of the metrics " metrics)
    for (i = 1; i <= series; i++) {
        s = of_series[i]
        hold(s, end + 0)
        for (k = 0; k < parts; k++) total[line_of[s], k] += sum[s, k]
    }
    for (i = 1; i <= lines; i++) {
        split(of_line[i], key, SUBSEP)
        for (k = 0; k < parts; k++)
            printf "%s\t%s\t%d\t%.6f\t%.6f\t%.9g\n", key[1], key[2] == "" ? "-" : key[2], run, \
                k * part, (k + 1) * part, total[of_line[i], k] / part
    }
}
