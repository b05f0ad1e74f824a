# SPDX-License-Identifier: GPL-3.0-or-later
#
# Figures of a page from the cells of its experiments, with intervals, and the tables that every page
# has; goes before the script of the page (reproduce-common.sh: table).
# CELLS: experiment, policy, workload, draw, metric, value; a tab between. A cell is one workload
# under one draw (of its models, or of what else a seed draws); it is the same for all policies, so
# ratios are taken cell by cell. An interval is Student's t at 95 % over the means of the workloads,
# which draws share; where there is one workload, over its draws.

function note(place, p, w, d, metric, v,    cell) {
    cell = place SUBSEP w SUBSEP d
    if (!(cell in seen)) {
        seen[cell] = 1
        if (!((place, w) in draws))
            workload[place, ++workloads[place]] = w
        draw[place, w, ++draws[place, w]] = d
    }
    if (!((place, p) in has)) {
        has[place, p] = 1
        policy[place, ++policies[place]] = p
    }
    value[place, p, w, d, metric] = v
}

function add(x) {
    n++
    sum += x
    squares[n] = x
}

# Mean and interval of the added values.
function close_sample(    i, s) {
    if (n == 0)
        return 0
    mean = sum / n
    half = 0
    bounded = n > 1 && n <= 15
    for (i = 1; i <= n; i++)
        s += (squares[i] - mean) * (squares[i] - mean)
    if (bounded)
        half = t975[n - 1] * sqrt(s / (n - 1) / n)
    low = mean - half
    high = mean + half
    return 1
}

# Policy p of an experiment, relative to q unless q is empty: sets mean, low, high, bounded, worst
# (the largest cell). False if a cell has no value.
function stat(place, p, q, metric,    i, j, w, d, a, b, part, one) {
    n = sum = 0
    worst = -1
    one = workloads[place] == 1
    if (!((place, p) in has) || (q != "" && !((place, q) in has)))
        return 0
    for (i = 1; i <= workloads[place]; i++) {
        w = workload[place, i]
        part = 0
        for (j = 1; j <= draws[place, w]; j++) {
            d = draw[place, w, j]
            a = value[place, p, w, d, metric]
            b = q == "" ? 1 : value[place, q, w, d, metric]
            if (a == "" || b == "" || b == 0)
                return 0
            a /= b
            part += a
            if (a > worst)
                worst = a
            if (one)
                add(a)
        }
        if (!one)
            add(part / draws[place, w])
    }
    return close_sample()
}

function digits(x,    a) {
    a = x < 0 ? -x : x
    if (a < 0.0005)
        x = 0 # not -0.000
    return sprintf(a < 0.0995 ? "%.3f" : a < 99.5 ? "%.2f" : "%.0f", x)
}

function bracket(a, b) { return bounded && a != b ? " [" a ", " b "]" : "" }

function ratio(place, p, q, metric) {
    return stat(place, p, q, metric) ? digits(mean) bracket(digits(low), digits(high)) : "-"
}

function more(x,    text) { # a ratio as per cent more
    text = sprintf("%+.0f", 100 * (x - 1))
    return text == "-0" ? "+0" : text
}

function change(place, p, q, metric) {
    return stat(place, p, q, metric) ? more(mean) " %" bracket(more(low), more(high)) : "-"
}

function hours(place, p, metric) {
    if (!stat(place, p, "", metric))
        return "-"
    return mean < 2 * 86400 ? sprintf("%.1f h", mean / 3600) : sprintf("%.1f d", mean / 86400)
}

# A mean without its interval, in a unit; a form with %% shows per cent.
function mean_of(place, p, metric, form, unit) {
    if (!stat(place, p, "", metric))
        return "-"
    return sprintf(form, form ~ /%%/ ? 100 * mean : mean / (unit == "" ? 1 : unit))
}

function plain(place, p, metric) {
    return stat(place, p, "", metric) ? digits(mean) bracket(digits(low), digits(high)) : "-"
}

function percent(place, p, metric) { return mean_of(place, p, metric, "%.0f %%") }

function head(text,    n_columns, i, rule) {
    print text
    n_columns = gsub(/\|/, "|", text) - 1
    for (i = 1; i <= n_columns; i++)
        rule = rule "| --- "
    print rule "|"
}

# Long names may have a short one, set by the page.
function label(p) { return p in called ? called[p] : "`" p "`" }

# One figure of a table: metric relative to another policy, inverted relative to another policy ("fifo/":
# fifo's divided by p's, times better if less is better), or absolute: -, in hours (h).
function shown(place, p, reference, metric) {
    if (reference == "-")
        return plain(place, p, metric)
    if (reference == "h")
        return hours(place, p, metric)
    if (reference ~ /\/$/)
        return ratio(place, substr(reference, 1, length(reference) - 1), p, metric)
    return ratio(place, p, reference, metric)
}

# One metric of several experiments, a column each: METRIC;REFERENCE;NAME=EXPERIMENT;...
function across(list,    parts, name, count, i, k, p, place, text) {
    count = split(list, parts, ";")
    text = "| policy |"
    for (k = 3; k <= count; k++) {
        name[k] = parts[k]
        sub(/=.*/, "", name[k])
        sub(/.*=/, "", parts[k])
        text = text " " name[k] " |"
    }
    head(text)
    place = parts[3]
    for (i = 1; i <= policies[place]; i++) {
        p = policy[place, i]
        if (p == parts[2] || p "/" == parts[2])
            continue
        text = "| " label(p) " |"
        for (k = 3; k <= count; k++)
            text = text " " shown(parts[k], p, parts[2], parts[1]) " |"
        print text
    }
}

# A published ratio beside ours: of a metric of p to that of q (empty: of a ratio of its own). A tenth off
# is "within 10 %"; otherwise, if the interval contains the published one, the table states that.
function published_ratio(what, published, place, p, q, metric,    off, verdict) {
    if (!stat(place, p, q, metric)) {
        print "| " what " | " digits(published) " | - | - | not run |"
        return
    }
    off = mean / published - 1
    verdict = off >= -0.1 && off <= 0.1 ? "within 10 %" : \
        bounded && low <= published && published <= high ? "within the interval" : \
        off < 0 ? "less" : "more"
    print "| " what " | " digits(published) " | " digits(mean) bracket(digits(low), digits(high)) " | " \
        more(1 + off) " % | " verdict " |"
}

BEGIN {
    FS = "\t"
    split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262 2.228 2.201 2.179 2.160 2.145", t975, " ")
}

{ note($1, $2, $3, $4, $5, $6) }
