# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tables of results/horus.md from the cells of all experiments (scripts/reproduce-horus.sh).
#     awk -v table=NAME [-v of=EXPERIMENT] -f scripts/horus-page.awk CELLS
# CELLS: experiment, policy, workload, draw, metric, value; a tab between. A cell is one workload
# under one draw of its models; it is the same for all policies, so ratios are taken cell by cell.
# An interval is Student's t at 95 % over the means of the workloads, which draws share; where there
# is one workload, over its draws.

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

# Mean and interval of what was added.
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

function plain(place, p, metric) {
    return stat(place, p, "", metric) ? digits(mean) bracket(digits(low), digits(high)) : "-"
}

function percent(place, p, metric) {
    return stat(place, p, "", metric) ? sprintf("%.0f %%", 100 * mean) : "-"
}

function head(text,    n_columns, i, rule) {
    print text
    n_columns = gsub(/\|/, "|", text) - 1
    for (i = 1; i <= n_columns; i++)
        rule = rule "| --- "
    print rule "|"
}

# ---- one experiment -----------------------------------------------------------------------------

# Makespan and mean wait of the prototype, where it had that case.
function prototype(place, p) { return (place, p) in told ? told[place, p] : "" }

function experiment(place,    i, p, last, text) {
    for (i = 1; i <= policies[place]; i++)
        last = last prototype(place, policy[place, i])
    head("| policy | makespan | mean wait | p99 wait | mean JCT | loaded GPU utilization, modelled" \
        " | the same, summed | run slowdown, mean | run slowdown, p99 |" \
        (last == "" ? "" : " prototype: makespan, mean wait |"))
    for (i = 1; i <= policies[place]; i++) {
        p = policy[place, i]
        if (p == "fifo")
            text = "| `fifo`, the figures | " hours(place, p, "makespan") " | " \
                hours(place, p, "mean_wait") " | " hours(place, p, "p99_wait") " | " \
                hours(place, p, "mean_jct") " | " percent(place, p, "gpu_utilization_loaded") " | " \
                percent(place, p, "gpu_utilization_sum_loaded") " | "
        else
            text = "| `" p "` | " ratio(place, p, "fifo", "makespan") " | " \
                ratio(place, p, "fifo", "mean_wait") " | " ratio(place, p, "fifo", "p99_wait") " | " \
                ratio(place, p, "fifo", "mean_jct") " | " \
                change(place, p, "fifo", "gpu_utilization_loaded") " | " \
                change(place, p, "fifo", "gpu_utilization_sum_loaded") " | "
        print text plain(place, p, "mean_run_slowdown") " | " plain(place, p, "p99_run_slowdown") " |" \
            (last == "" ? "" : " " prototype(place, p) " |")
    }
}

# One metric of several experiments, a column each: METRIC;REFERENCE;NAME=EXPERIMENT;...
# REFERENCE - takes the metric as it is.
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
        if (p == parts[2])
            continue
        text = "| `" p "` |"
        for (k = 3; k <= count; k++)
            text = text " " (parts[2] == "-" ? plain(parts[k], p, parts[1]) : \
                ratio(parts[k], p, parts[2], parts[1])) " |"
        print text
    }
}

# ---- against the papers -------------------------------------------------------------------------

function paper(what, said, bands, metric, reference,    k, p, text) {
    text = "| " what " | " said " | " bands " |"
    for (k = 1; k <= 4; k++) {
        p = k % 2 ? "horus" : "horus+"
        place = k <= 2 ? "A, 2 tenants" : "A, 3 tenants"
        if (reference != "")
            text = text " " change(place, p, reference, metric) " |"
        else
            text = text " " (stat(place, p, "", metric) ? sprintf("%.2f x", worst) : "-") " |"
    }
    print text
}

function papers() {
    head("| against `fifo` | the papers | prototype | `horus`, 2 tenants | `horus+`, 2 | `horus`, 3 | `horus+`, 3 |")
    paper("makespan", "-23.7 to -30.7 % (TPDS), up to -33.6 % (ICA3PP)", "-29 to -36 %", \
        "makespan", "fifo")
    paper("mean wait", "-68.3 % (TPDS)", "-51 to -67 %", "mean_wait", "fifo")
    paper("loaded GPU utilization, modelled", "up to +61.5 % (all three)", "+27 to +65 %", \
        "gpu_utilization_loaded", "fifo")
    paper("the same, summed as papers count it", "", "", "gpu_utilization_sum_loaded", "fifo")
    paper("largest run slowdown of a job, worst cell", "up to 3.2 x (ICA3PP)", "", "max_run_slowdown", "")
}

# ---- claims -------------------------------------------------------------------------------------

# Of the last stat: at most `most`, with the whole interval, on average, or not.
function at_most(most) {
    if (mean > most)
        return "does not hold"
    return !bounded || high <= most ? "holds" : "holds on average"
}

function row(claim, place, figure, verdict) {
    print "| " (claim == last_claim ? "" : claim) " | " place " | " figure " | " verdict " |"
    last_claim = claim
}

# Policy p against q in each of the places: the ratio of a metric is at most `most`.
function pair(claim, places, metric, p, q, most,    n_places, at, k, text) {
    n_places = split(places, at, ";")
    for (k = 1; k <= n_places; k++) {
        text = ratio(at[k], p, q, metric)
        row(claim, at[k], text, text == "-" ? "not run" : at_most(most))
    }
}

# Of all policies that share, the one with the largest ratio to fifo decides.
function all_share(claim, places, metric, most,    n_places, at, k, i, p, top, who, figure) {
    n_places = split(places, at, ";")
    for (k = 1; k <= n_places; k++) {
        top = -1
        for (i = 1; i <= policies[at[k]]; i++) {
            p = policy[at[k], i]
            if (p !~ /^fifo/ && stat(at[k], p, "fifo", metric) && mean > top) {
                top = mean
                who = p
            }
        }
        figure = top < 0 ? "-" : "largest: " ratio(at[k], who, "fifo", metric) " `" who "`"
        row(claim, at[k], figure, top < 0 ? "not run" : at_most(most))
    }
}

# The ratio of every policy that shares to fifo, on average between two numbers.
function band(claim, places, metric, least, most,    n_places, at, k, i, p, figure, under, over) {
    n_places = split(places, at, ";")
    for (k = 1; k <= n_places; k++) {
        figure = under = over = ""
        for (i = 1; i <= policies[at[k]]; i++) {
            p = policy[at[k], i]
            if (p == "fifo" || !stat(at[k], p, "fifo", metric))
                continue
            figure = figure (figure == "" ? "" : ", ") digits(mean) " `" p "`"
            if (mean < least)
                under = under " `" p "`"
            if (mean > most)
                over = over " `" p "`"
        }
        row(claim, at[k], figure == "" ? "-" : figure, figure == "" ? "not run" : \
            under over == "" ? "holds on average" : \
            "does not hold" (under == "" ? "" : "; less:" under) (over == "" ? "" : "; more:" over))
    }
}

# All policies but fifo, on average, within a share of horus.
function equal(claim, place, metric, most,    i, p, off, top, who) {
    top = -1
    for (i = 1; i <= policies[place]; i++) {
        p = policy[place, i]
        if (p == "fifo" || p == "horus" || !stat(place, p, "horus", metric))
            continue
        off = mean > 1 ? mean - 1 : 1 - mean
        if (off > top) {
            top = off
            who = sprintf("%.3f `%s`", mean, p)
        }
    }
    if (top < 0)
        row(claim, place, "-", "not run")
    else
        row(claim, place, "farthest: " who, top <= most ? "holds on average" : "does not hold")
}

function claims(    bursts, saturated, cap) {
    bursts = "A, 2 tenants;A, 3 tenants"
    saturated = bursts ";D;V;V, up to 8 GPUs"
    cap = "horus+:util_cap=130"
    head("| claim | experiment | figure | verdict |")
    all_share("1. a saturated cluster: every policy that shares waits at least 40 % less than `fifo`", \
        saturated, "mean_wait", 0.6)
    band("1. and ends a burst 20 to 40 % earlier", bursts, "makespan", 0.6, 0.8)
    pair("2. saturated, mean wait: `horus` at most `pack`", saturated, "mean_wait", "horus", "pack", 1)
    pair("2. load at most 1, mean run slowdown: `horus` at most `pack`", \
        "L, load 0.6;L, load 0.8;L, load 1.0", "mean_run_slowdown", "horus", "pack", 1)
    pair("3. gangs, p99 wait: `horus+` at least 1 % below `horus`", "D", "p99_wait", "horus+", "horus", 0.99)
    pair("3. gangs, mean wait: `horus+` at most 10 % above `horus`", "D", "mean_wait", "horus+", "horus", 1.1)
    pair("4. `util_cap=130` lowers the p99 run slowdown of `horus+` by at least 15 %", \
        bursts ";D", "p99_run_slowdown", cap, "horus+", 0.85)
    pair("4. at a makespan at most 8 % longer", bursts ";D", "makespan", cap, "horus+", 1.08)
    pair("5. **not claimed**: `horus` ends a burst before `pack`", \
        "A, 2 tenants;A, 2 tenants, gamma 2.5", "makespan", "horus", "pack", 1)
    pair("5. **not claimed**: `horus` ends a burst before `gandiva-like`", \
        "A, 2 tenants;A, 2 tenants, gamma 2.5", "makespan", "horus", "gandiva-like", 1)
    equal("6. sharing for free, makespan: `horus+` of 3, 4, 5 queues and `gandiva-like` within 3 % of `horus`", \
        "F", "makespan", 0.03)
}

# ---- ours against the others --------------------------------------------------------------------

# Of ours to each of the others; a ratio of which less is better and that is above 1 with its whole
# interval is marked.
function rivals(    places, at, metrics, metric, others, other, n_places, k, i, m, text, figure) {
    n_places = split("A, 2 tenants;A, 3 tenants;A, own limits;D;D, own limits, load 2;L, load 0.6;" \
        "D, own limits, load 0.6;L, load 1.0;D, own limits, load 1.0;V;V, up to 8 GPUs", at, ";")
    metrics = split("mean_jct p99_run_slowdown makespan", metric, " ")
    others = split("horus pack gandiva-like horus+", other, " ")
    text = "| experiment |"
    for (i = 1; i <= others; i++)
        text = text " to `" other[i] "` |"
    head(text)
    for (k = 1; k <= n_places; k++) {
        text = "| " at[k] " |"
        for (i = 1; i <= others; i++) {
            for (m = 1; m <= metrics; m++) {
                figure = ratio(at[k], "horus-s", other[i], metric[m])
                if (figure != "-" && (bounded ? low : mean) > 1)
                    figure = "**" figure "**"
                text = text (m == 1 ? " " : ", ") figure
            }
            text = text " |"
        }
        print text
    }
    print "\nBold: more, with the whole interval."
}

BEGIN {
    FS = "\t"
    split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262 2.228 2.201 2.179 2.160 2.145", t975, " ")
    told["A, 2 tenants", "pack"] = "0.66, 0.52"
    told["A, 2 tenants", "gandiva-like"] = "0.65, 0.52"
    told["A, 2 tenants", "colocate-fifo"] = "0.68, 0.52"
    told["A, 2 tenants", "horus"] = "0.71, 0.49"
    told["A, 2 tenants", "horus+"] = "0.73, 0.52"
    told["A, 3 tenants", "pack"] = "0.60, 0.38"
    told["A, 3 tenants", "horus"] = "0.64, 0.33"
    told["D", "pack"] = "0.84, 0.117"
    told["D", "gandiva-like"] = "0.83, 0.113"
    told["D", "horus"] = "0.82, 0.065"
    told["D", "horus+"] = "0.82, 0.053"
    told["D", "horus+:util_cap=130"] = "0.82, 0.039"
}

{ note($1, $2, $3, $4, $5, $6) }

END {
    if (table == "experiment")
        experiment(of)
    else if (table == "across")
        across(of)
    else if (table == "papers")
        papers()
    else if (table == "claims")
        claims()
    else if (table == "rivals")
        rivals()
}
