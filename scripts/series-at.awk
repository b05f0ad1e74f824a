# SPDX-License-Identifier: GPL-3.0-or-later
#
# The metrics of a series.csv at given times, with --sample=exact, which has a row a change.
#   seq 0 60 600 | awk -v metrics="running gpus_held" -f series-at.awk - series.csv
# Reads the times first, ascending, one a line. A line a time: the time and one value a metric, with tabs; 0 before the first row.
BEGIN {
    FS = ","
    wanted = split(metrics, name, " ")
    for (i = 1; i <= wanted; i++) {
        column[name[i]] = i
        value[i] = 0
    }
    next_at = 1
}
FNR == NR { at[++count] = $1; next }
FNR == 1 || !($2 in column) { next }
{
    while (next_at <= count && $1 + 0 > at[next_at] + 0) tell()
    value[column[$2]] = $4 + 0
}
END { while (next_at <= count) tell() }

function tell(i, line) {
    line = at[next_at++]
    for (i = 1; i <= wanted; i++) line = line "\t" value[i]
    print line
}
