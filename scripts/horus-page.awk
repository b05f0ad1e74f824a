# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tables of results/horus.md from the cells of all experiments (scripts/reproduce-horus.sh):
# the table NAME is function NAME(of), which reproduce-common.sh calls.

# ---- one experiment -----------------------------------------------------------------------------

# Makespan and mean wait of the prototype, if it had that case.
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

function papers(_) {
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

function claims(_,    bursts, saturated, cap) {
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

# ---- GPUs of several types ----------------------------------------------------------------------

# Of experiment M, the groups of nodes in the one order and in the other.
function groups(_,    i, p) {
    head("| policy | mean JCT | to `fifo` | with the slowest type first in the cluster |")
    for (i = 1; i <= policies["M"]; i++) {
        p = policy["M", i]
        if (p !~ /, slowest first$/)
            print "| `" p "` | " hours("M", p, "mean_jct") " | " ratio("M", p, "fifo", "mean_jct") " | " \
                ratio("M", p ", slowest first", p, "mean_jct") " |"
    }
}

# ---- ours against the others --------------------------------------------------------------------

# Ours relative to each of the others; a ratio of a metric of which less is better is marked if it is above
# 1 with its whole interval.
function rivals(_,    places, at, metrics, metric, others, other, n_places, k, i, m, text, figure) {
    n_places = split("E, 2,500 jobs, 2 tenants;E, 2,500 jobs, 3 tenants;E, gangs, load 0.8;" \
        "E, gangs, load 2;E, load 0.95;E, load 1.75", at, ";")
    metrics = split("mean_jct p99_run_slowdown makespan", metric, " ")
    others = split("pack:scan=fit gandiva-like:scan=fit horus:look_ahead=1000000 " \
        "horus+:look_ahead=1000000", other, " ")
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
