# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tables of results/gandiva.md from the cells of all experiments (scripts/reproduce-gandiva.sh):
# the table NAME is function NAME(of), which reproduce-common.sh calls.

function minutes(place, p, metric) { return mean_of(place, p, metric, "%.0f", 60) }
function whole(place, p, metric) { return mean_of(place, p, metric, "%.0f") }

# ---- against the paper --------------------------------------------------------------------------

function against(_) {
    head("| published result | paper | here | off | verdict |")
    published_ratio("six jobs: speed of the long jobs while six share four GPUs, relative to alone", 4 / 6, \
        "S", exact, "", "rate_during")
    published_ratio("and afterwards", 1, "S", exact, "", "rate_after")
    if (stat("S", exact, "", "loss"))
        printf "| six jobs: aggregate loss | < 2 %% | %.2f %% | | %s |\n", 100 * mean, mean < 0.02 ? "holds" : "does not hold"
    published_ratio("180 GPUs: mean time to 100 mini-batches, slicing and packing to no over-subscription", \
        498 / 2203, "M, eight", packing, baseline, "time_to_100")
    published_ratio("180 GPUs: utilization from minute 20 to 200, likewise", 62.8 / 50.1, "M, eight", packing, \
        baseline, "util_model")
    published_ratio("100 GPUs: mean JCT, YARN-CS to slicing and migration", 832 / 656, "D, 95", "fifo", \
        moving, "mean_jct")
    published_ratio("100 GPUs: makespan, likewise", 13371 / 11349, "D, 95", "fifo", moving, "makespan")
}

# ---- tables -------------------------------------------------------------------------------------

function six(_,    i, k, p, text) {
    head("| policy | long jobs before | with six jobs | short jobs | long jobs after |" \
        " JCT of short, long ones, min | loss | switches | on the host, GiB h |")
    for (i = 1; i <= policies["S"]; i++) {
        p = policy["S", i]
        text = "| " label(p) " |"
        split("rate_before rate_during rate_short rate_after", rate, " ")
        for (k = 1; k <= 4; k++) # shares of time have no placements of their own
            text = text (p ~ /fluid/ ? "  |" : " " plain("S", p, rate[k]) " |")
        print text " " \
            minutes("S", p, "short_jct") ", " minutes("S", p, "long_jct") " | " \
            mean_of("S", p, "loss", "%.2f %%") " | " whole("S", p, "switches") \
            " | " (stat("S", p, "", "host_mib_seconds") ? digits(mean / 1024 / 3600) : "-") " |"
    }
}

function gain(place, p, n) { return mean_of(place, p, n, "%+.0f %%") }

# The fewest copies that gain as much, of those that were tried.
function fewest(place, p, wanted,    n) {
    for (n = 2; n <= 8; n++)
        if (stat(place, p, "", n) && 100 * mean >= wanted - 0.5) # as printed
            return n
    return "none"
}

# of: "MODEL UTILIZATION GAIN;..."
function packing_gains(_,    i, count, part, f, p) {
    head("| model | GPU utilization | packing gain, published | general form: 2, 5, 6, 8 copies" \
        " | fewest with the published gain | fitted, few: 2, 5, 6, 8 | fewest | fitted, eight: 2, 5, 6, 8 | fewest |")
    count = split(of, part, ";")
    for (i = 1; i <= count; i++) {
        split(part[i], f, " ")
        text = "| " f[1] " | " f[2] " % | " sprintf("%+d %%", f[3]) " |"
        for (k = 1; k <= 3; k++) {
            place = "P, " (k == 1 ? "general" : k == 2 ? "few" : "eight")
            text = text " " gain(place, f[1], 2) ", " gain(place, f[1], 5) ", " gain(place, f[1], 6) ", " \
                gain(place, f[1], 8) " | " fewest(place, f[1], f[3]) " |"
        }
        print text
    }
}

function mix(place,    i, p, text) {
    head("| policy | time to 100 mini-batches, s | of the baseline | GPU utilization, minute 20 to 200, modelled" \
        " | summed | mean JCT, of the baseline | makespan | switches a job | packed: kept, undone |")
    for (i = 1; i <= policies[place]; i++) {
        p = policy[place, i]
        text = "| " label(p) " | " whole(place, p, "time_to_100") " | " \
            (p == baseline ? "" : ratio(place, p, baseline, "time_to_100")) " | " \
            mean_of(place, p, "util_model", "%.1f") " % | " mean_of(place, p, "util_sum", "%.1f") " % | " \
            (p == baseline ? minutes(place, p, "mean_jct") " min" : ratio(place, p, baseline, "mean_jct")) " | " \
            (p == baseline ? minutes(place, p, "makespan") " min" : ratio(place, p, baseline, "makespan")) " | "
        print text (stat(place, p, "", "switches") ? digits(mean / 1000) : "-") " | " \
            whole(place, p, "trials_kept") ", " whole(place, p, "trials_undone") " |"
    }
}

# One column a load: "LOAD;LOAD;..."
function days(_,    count, part, i, k, p, text) {
    count = split(of, part, ";")
    text = "| policy |"
    for (k = 1; k <= count; k++)
        text = text " load " part[k] / 100 ": mean JCT, min | makespan, min | migrations |"
    head(text)
    place = "D, " part[1]
    for (i = 1; i <= policies[place]; i++) {
        p = policy[place, i]
        text = "| " label(p) " |"
        for (k = 1; k <= count; k++)
            text = text " " minutes("D, " part[k], p, "mean_jct") " | " minutes("D, " part[k], p, "makespan") \
                " | " whole("D, " part[k], p, "migrations") " |"
        print text
    }
}

function published_days(_,    count, part, k) {
    count = split(of, part, ";")
    head("| load | published result | paper | here | off | verdict |")
    for (k = 1; k <= count; k++) {
        printf "| %s ", part[k] / 100
        published_ratio("mean JCT, `fifo` to slicing and migration", 832 / 656, "D, " part[k], "fifo", moving, "mean_jct")
        printf "| "
        published_ratio("makespan", 13371 / 11349, "D, " part[k], "fifo", moving, "makespan")
    }
}
