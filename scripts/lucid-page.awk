# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tables of results/lucid.md from the cells of its experiments (scripts/reproduce-lucid.sh): the table NAME
# is function NAME(of), which reproduce-common.sh calls. The paper's figures are in the BEGIN block (Hu et
# al., ASPLOS'23, table 4, hours).

function own(place, p, w, metric) { return value[place, p, w, 1, metric] }

function short(p) { return p ~ /^tiresias/ ? "tiresias" : p }

# Mean JCT and time without GPUs of each policy, month by month, beside the paper.
function order(place,    i, w, p, text) {
    text = "| mean JCT / without GPUs, h |"
    for (w = 1; w <= workloads[place]; w++)
        text = text " " month[workload[place, w]] " |"
    head(text " ratio to lucid, mean JCT | paper, JCT / wait |")
    for (i = 1; i <= policies[place]; i++) {
        p = policy[place, i]
        text = "| `" short(p) "` |"
        for (w = 1; w <= workloads[place]; w++)
            text = text sprintf(" %.2f / %.2f |", own(place, p, workload[place, w], "mean_jct") / 3600,
                own(place, p, workload[place, w], "mean_queueing_delay") / 3600)
        print text " " ratio(place, p, policy[place, policies[place]], "mean_jct") " | " paper[i] " |"
    }
}

# Each step of the published order, and the number of months in which ours has it.
function steps(place,    i, w, p, q, holds, by, text) {
    head("| published: worse, then better | by | ours: months with that order | ours, by |")
    for (i = 1; i < policies[place]; i++) {
        p = policy[place, i]
        q = policy[place, i + 1]
        holds = 0
        for (w = 1; w <= workloads[place]; w++)
            holds += own(place, p, workload[place, w], "mean_jct") > own(place, q, workload[place, w], "mean_jct")
        printf "| `%s` > `%s` | %.2f | %d of %d | %s |\n", short(p), short(q), jct[i] / jct[i + 1], holds,
            workloads[place], ratio(place, p, q, "mean_jct")
    }
}

# Columns of one experiment: JCT relative to its first policy, time without GPUs, cost of profiling.
function costs(place,    i, p) {
    head("| policy | mean JCT, h | relative to the first | without GPUs, s | ended in the profiler | profiling, share of GPU time held |")
    for (i = 1; i <= policies[place]; i++) {
        p = policy[place, i]
        print "| `" short(p) "` | " mean_of(place, p, "mean_jct", "%.2f", 3600) " | " ratio(place, p, policy[place, 1], "mean_jct") \
            " | " mean_of(place, p, "mean_queueing_delay", "%.0f") " | " part(place, p, "ended_in_profile", "n_jobs") " | " \
            part(place, p, "profile_gpu_seconds", "held_gpu_seconds") " |"
    }
}

function part(place, p, metric, of,    a) {
    if (!stat(place, p, "", metric))
        return "-"
    a = mean
    return stat(place, p, "", of) && mean > 0 ? sprintf("%.1f %%", 100 * a / mean) : "-"
}

# JCT of policies relative to the first of an experiment, over the mean utilization and capacities.
function sharing(list,    count, util, caps, cap, u, c, i, p, place, text) {
    count = split("36 52 80", util, " ")
    caps = split(".87 1 1.07", cap, " ")
    text = "| mean JCT relative to `qssf` |"
    for (u = 1; u <= count; u++)
        for (c = 1; c <= caps; c++)
            text = text " " util[u] " %, c " cap[c] " |"
    head(text)
    place = "sharing 36 1"
    for (i = 2; i <= policies[place]; i++) {
        p = policy[place, i]
        text = "| `" short(p) "` |"
        for (u = 1; u <= count; u++)
            for (c = 1; c <= caps; c++)
                text = text " " ratio("sharing " util[u] " " cap[c], p, policy[place, 1], "mean_jct") " |"
        print text
    }
}

function correlations(nothing,    i, p) {
    head("| durations | rank correlation with the truth | `sjf` by them, 80 nodes: mean JCT, h |")
    for (i = 1; i <= policies["estimates"]; i++) {
        p = policy["estimates", i]
        print "| `" p "` | " plain("estimates", p, "rank_correlation") " | " mean_of("estimates", p, "mean_jct", "%.2f", 3600) " |"
    }
}

BEGIN {
    split("April May June July", name, " ")
    for (i in name)
        month[i - 1] = name[i]
    split("18.57 5.86 5.15 4.41 4.09 3.58", jct, " ")
    split("15.30 2.59 1.88 1.14 .82 .25", wait, " ")
    for (i in jct)
        paper[i] = jct[i] " / " wait[i]
}
