# SPDX-License-Identifier: GPL-3.0-or-later
#
# GPUs held by at least one job, by node and time. Three steps, so that a run of any length streams:
#   awk -v step=list -v file=RUN/segments.csv -f plot-csv.awk -f plot-heat.awk      GPU, start, end
#       | sort -n -k1,1 -k2,2 |
#   awk -v step=sum -v nodes=RUN/nodes.csv -v end=SECONDS -v run_end=SECONDS -v run=I
#       [-v parts=N] [-v rows=N] -f plot-csv.awk -f plot-parts.awk -f plot-heat.awk
# Prints run, first node and last node of a row, begin, end, share of the row's GPU time held; NaN where
# the run was over. Where there are more nodes than rows, neighbours share one.

function list_gpus(    n, i, g, range, bound) {
    csv_open(file, "start end allocated_resources")
    while (csv_next(file)) {
        n = split(of("allocated_resources"), range, " ")
        for (i = 1; i <= n; i++) {
            if (split(range[i], bound, "-") == 1) bound[2] = bound[1]
            for (g = bound[1] + 0; g <= bound[2] + 0; g++) print g, of("start"), of("end")
        }
    }
}

function read_nodes(    node, g, group) {
    csv_open(nodes, "node gpus")
    while (csv_next(nodes)) gpus_of[count++] = of("gpus") + 0
    group = int((count + rows - 1) / rows)
    for (node = 0; node < count; node++) {
        size[int(node / group)] += gpus_of[node]
        for (g = 0; g < gpus_of[node]; g++) row_of[gpus++] = int(node / group)
    }
    used = int((count + group - 1) / group)
    return group
}

BEGIN {
    if (step == "list") {
        list_gpus()
        exit
    }
    if (!parts) parts = 240
    if (!rows) rows = 256
    per_row = read_nodes()
    part = end / parts
    gpu = -1
}

# Segments of a GPU that touch or overlap are one.
step == "sum" { # sorted by GPU, then start
    if ($1 == gpu && $2 + 0 <= upto) {
        if ($3 + 0 > upto) upto = $3 + 0
        next
    }
    if (gpu >= 0) add_to_parts(held, row_of[gpu], 1, since, upto, part, parts)
    gpu = $1 + 0
    since = $2 + 0
    upto = $3 + 0
}

END {
    if (step != "sum" || csv_failed) exit
    if (gpu >= 0) add_to_parts(held, row_of[gpu], 1, since, upto, part, parts)
    for (row = 0; row < used; row++) {
        last = (row + 1) * per_row - 1
        if (last >= count) last = count - 1
        for (k = 0; k < parts; k++)
            printf "%d\t%d\t%d\t%.6f\t%.6f\t%s\n", run, row * per_row, last, k * part, (k + 1) * part, \
                (k * part < run_end + 0 ? sprintf("%.6f", held[row, k] / part / size[row]) : "NaN")
    }
}
