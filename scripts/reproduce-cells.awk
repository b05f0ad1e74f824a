# SPDX-License-Identifier: GPL-3.0-or-later
#
# Input of a page's tables, from the runs.csv of a comparison (reproduce-common.sh):
#     awk -v experiment=E -v workload=W -v draw=D -v metrics="M..." [-v drop=REGEX] -f ... runs.csv
# prints experiment, policy, workload, draw, metric, value; a tab between. Draw - is the run's
# assignment, @ its seed. Beyond the columns there is mean_queue, s: time without GPUs per job,
# before the first start and after preemptions, from the mean length of the queue (every job done).

function split_csv(line, field,    n, at) {
    for (n = 1; line != ""; n++) {
        at = match(line, /^"([^"]|"")*"/) ? RLENGTH : match(line, /^[^,]*/) * RLENGTH
        field[n] = substr(line, 1, at)
        gsub(/^"|"$/, "", field[n])
        line = substr(line, at + 2)
    }
    return n - 1
}

function value(metric) {
    if (metric == "mean_queue")
        return f[column["mean_queue_length"]] * f[column["makespan"]] / f[column["n_done"]]
    return f[column[metric]]
}

BEGIN { OFS = "\t"; CONVFMT = "%.15g"; OFMT = "%.15g"; count = split(metrics, metric, " ") }

FNR == 1 {
    for (i = split_csv($0, f); i > 0; i--)
        column[f[i]] = i
    next
}
{
    split_csv($0, f)
    policy = f[column["policy"]]
    if (drop != "")
        sub(drop, "", policy)
    cell = draw == "-" ? f[column["assignment"]] : draw == "@" ? f[column["seed"]] : draw
    for (i = 1; i <= count; i++)
        print experiment, policy, workload, cell, metric[i], value(metric[i])
}
