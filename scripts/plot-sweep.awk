# SPDX-License-Identifier: GPL-3.0-or-later
#
# Curves of a sweep: means of some metrics along one axis, with the 95 % interval of Student's t over the
# seeds; a curve a policy, and a value of whatever else was swept.
#   awk -v file=DIR/sweep.csv [-v along=KEY] [-v metrics='mean_jct mean_wait']
#       -f plot-csv.awk -f plot-student.awk -f plot-sweep.awk
# Prints metric, curve, value on the axis, points, mean, low, high (NaN of one point); '#axis 1 KEY'.
# Points that are not done are left out and counted on standard error.

function is_number(text) { return text ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/ }

function is_seed(key) { return key == "seed" || key == "assign_seed" }

# The axis: the one asked for, or that of most different numbers.
function find_axis(    i, k, best) {
    for (i = 1; i <= keys; i++) {
        k = key[i]
        if (along != "" ? k == along : numeric[k] && distinct[k] > 1 && !is_seed(k) && distinct[k] > distinct[best])
            best = k
    }
    if (best == "" && along != "")
        csv_fail(file ": '" along "' was not swept; there are:" names)
    if (best == "")
        csv_fail(file ": nothing with numbers was swept; there are:" names)
    if (!numeric[best])
        csv_fail(file ": '" best "' has values that are no numbers")
    return best
}

# What tells a curve from the others: the policy, and what else takes several values.
function curve_of(row,    i, k, name) {
    name = value[row, "policy"]
    for (i = 1; i <= keys; i++) {
        k = key[i]
        if (k != axis && k != "policy" && !is_seed(k) && distinct[k] > 1) name = name ", " k " " value[row, k]
    }
    return name
}

function read_rows(    i, k, v) {
    csv_open(file, "state")
    if (!("policy" in at)) csv_fail(file ": no point of the sweep is finished")
    csv_need(file, "policy " metrics)
    for (i in at) if (i ~ /^axis_/) position[at[i]] = i
    for (i = 1; i <= 1000; i++)
        if (i in position) {
            key[++keys] = substr(position[i], 6)
            numeric[key[keys]] = 1
            names = names " " key[keys]
        }
    while (csv_next(file)) {
        if (of("state") != "done") {
            undone++
            continue
        }
        value[++rows, "policy"] = of(("axis_policy" in at) ? "axis_policy" : "policy")
        for (i = 1; i <= keys; i++) {
            k = key[i]
            v = value[rows, k] = of("axis_" k)
            if (!is_number(v)) numeric[k] = 0
            if (!((k, v) in seen)) distinct[k]++
            seen[k, v] = 1
        }
        for (i = 1; i <= measured; i++) figure[rows, i] = of(metric[i])
    }
    if (!rows) csv_fail(file ": no point is done")
    if (undone) print "plot: " file ": " undone " points are not done, and left out" > "/dev/stderr"
}

function print_point(m, c, x,    n, i, r, mean, sum, half) {
    for (i = 1; i <= count[c, x]; i++) {
        r = member[c, x, i]
        if (figure[r, m] == "") continue
        n++
        mean += figure[r, m]
    }
    if (!n) return
    printed++
    mean /= n
    for (i = 1; i <= count[c, x]; i++) {
        r = member[c, x, i]
        if (figure[r, m] != "") sum += (figure[r, m] - mean) ^ 2
    }
    half = n > 1 ? student_quantile(n - 1) * sqrt(sum / (n - 1) / n) : 0
    printf "%s\t%d\t%.9g\t%d\t%.9g\t%s\t%s\n", metric[m], c, x, n, mean, \
        (n < 2 ? "NaN" : sprintf("%.9g", mean - half)), (n < 2 ? "NaN" : sprintf("%.9g", mean + half))
}

BEGIN {
    measured = split(metrics, metric, " ")
    read_rows()
    axis = find_axis()
    for (r = 1; r <= rows; r++) {
        c = curve_of(r)
        if (!(c in number)) {
            number[c] = ++curves
            print "#label\t" curves "\t" plain(c)
        }
        c = number[c]
        x = value[r, axis] + 0
        if (!((c, x) in count)) place[c, ++places[c]] = x
        member[c, x, ++count[c, x]] = r
    }
    if (curves > 8)
        csv_fail(file ": " curves " curves along '" axis "'; a plot has room for 8" \
            "\n  = hint: --x=KEY takes another axis; there are:" names)
    print "#axis\t1\t" plain(axis)
    print "metric\tcurve\tx\tpoints\tmean\tlow\thigh"
    for (m = 1; m <= measured; m++)
        for (c = 1; c <= curves; c++) {
            for (i = 2; i <= places[c]; i++) { # in order along the axis
                x = place[c, i]
                for (j = i - 1; j > 0 && place[c, j] > x; j--) place[c, j + 1] = place[c, j]
                place[c, j + 1] = x
            }
            for (i = 1; i <= places[c]; i++) print_point(m, c, place[c, i])
        }
    if (!printed) csv_fail(file ": no point has any of the metrics:" " " metrics)
}
