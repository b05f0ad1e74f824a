# SPDX-License-Identifier: GPL-3.0-or-later
#
# The values of some metrics of a run's jobs, unsorted, into FOLDER/METRIC, a line a job that counts:
# done, and submitted inside the window of --warmup and --cooldown, as in summary.csv.
#   awk -v file=RUN/jobs.csv -v manifest=RUN/manifest.json -v metrics='jct wait' -v folder=FOLDER
#       -f plot-csv.awk -f plot-values.awk

function seconds_of(text,    sum, number, unit) { # '1d12h', '90s'
    while (match(text, /^[0-9.]+/)) {
        number = substr(text, 1, RLENGTH)
        text = substr(text, RLENGTH + 1)
        match(text, /^[a-z]*/)
        unit = substr(text, 1, RLENGTH)
        text = substr(text, RLENGTH + 1)
        sum += number * (unit == "d" ? 86400 : unit == "h" ? 3600 : unit == "m" || unit == "min" ? 60 : \
            unit == "ms" ? 0.001 : unit == "us" ? 0.000001 : 1)
    }
    return sum + 0
}

function setting(key,    line, text) {
    while ((getline line < manifest) > 0)
        if (match(line, "\"" key "\": *\"[^\"]*\"")) {
            text = substr(line, RSTART, RLENGTH)
            sub(/^[^:]*: *"/, "", text)
            sub(/"$/, "", text)
            break
        }
    close(manifest)
    return text
}

BEGIN {
    column["jct"] = "turnaround_time"
    column["wait"] = "waiting_time"
    column["pending"] = "pending"
    column["slowdown"] = "slowdown"
    column["run_slowdown"] = "run_slowdown"
    n = split(metrics, metric, " ")
    for (m = 1; m <= n; m++) {
        if (!(metric[m] in column))
            csv_fail("no metric '" metric[m] "': jct, wait, pending, slowdown or run_slowdown")
        columns = columns " " column[metric[m]]
        printf "" > (folder "/" metric[m])
    }
    from = seconds_of(setting("warmup"))
    to = 1e300
    if ((cooldown = seconds_of(setting("cooldown"))) > 0) {
        csv_open(file, "submission_time")
        while (csv_next(file))
            if (of("submission_time") + 0 > last) last = of("submission_time") + 0
        close(file)
        to = last - cooldown
    }
    csv_open(file, "submission_time success" columns)
    submitted = at["submission_time"]
    success = at["success"]
    for (m = 1; m <= n; m++) {
        where[m] = at[column[metric[m]]]
        out[m] = folder "/" metric[m]
    }
    while (csv_next(file)) {
        if (field[success] + 0 != 1 || field[submitted] + 0 < from || field[submitted] + 0 > to) continue
        for (m = 1; m <= n; m++)
            if (field[where[m]] != "") print field[where[m]] > out[m]
    }
}
