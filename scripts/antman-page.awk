# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tables of results/antman.md from the cells of all experiments (scripts/reproduce-antman.sh):
# the table NAME is function NAME(of), which reproduce-common.sh calls.

function against(place) {
    head("| published result | paper | here | off | verdict |")
    published_ratio("mean JCT, YARN-CS to AntMan", 2.05, place, "fifo", "antman", "mean_jct")
    published_ratio("mean JCT, Gandiva's packing to AntMan", 1.84, place, "gandiva-pack-only", "antman", "mean_jct")
    published_ratio("makespan, YARN-CS to AntMan", 1.76, place, "fifo", "antman", "makespan")
    published_ratio("makespan, Gandiva's packing to AntMan", 1.67, place, "gandiva-pack-only", "antman", "makespan")
    published_ratio("share of jobs that YARN-CS-preempt preempts", 0.46, place, "philly", "", "preempted")
    published_ratio("run slowdown of guaranteed jobs under AntMan", 1, place, "antman", "", "guaranteed_run_slowdown")
}

function tenants(place,    i, p) {
    head("| policy | mean JCT, min | of AntMan's | makespan, min | of AntMan's | mean JCT of guaranteed, of opportunistic jobs, min" \
        " | run slowdown of guaranteed ones, mean | share of jobs preempted | GPU utilization |")
    for (i = 1; i <= policies[place]; i++) {
        p = policy[place, i]
        print "| " label(p) " | " mean_of(place, p, "mean_jct", "%.0f", 60) " | " \
            (p ~ /^antman$|^exclusive$/ ? "" : ratio(place, p, "antman", "mean_jct")) " | " \
            mean_of(place, p, "makespan", "%.0f", 60) " | " \
            (p ~ /^antman$|^exclusive$/ ? "" : ratio(place, p, "antman", "makespan")) " | " \
            mean_of(place, p, "class_guaranteed_mean_jct", "%.0f", 60) ", " \
            mean_of(place, p, "class_opportunistic_mean_jct", "%.0f", 60) " | " plain(place, p, "guaranteed_run_slowdown") \
            " | " percent(place, p, "preempted") " | " percent(place, p, "gpu_utilization") " |"
    }
}

# Two jobs on one GPU; of: "POLICY=NAME=PUBLISHED A=PUBLISHED B;..."
function pair(_,    count, part, f, i, p) {
    head("| | what it is here | A, GCN, opportunistic: published | here | B, ResNet-50, guaranteed: published | here |" \
        " out of memory | preempted |")
    count = split(of, part, ";")
    for (i = 1; i <= count; i++) {
        split(part[i], f, "|")
        p = f[1]
        print "| " f[2] " | " (p == "" ? "not expressible" : "`" p "`") " | " f[3] " | " \
            mean_of("P", p, "jct_1", "%.1f", 60) " | " f[4] " | " mean_of("P", p, "jct_2", "%.1f", 60) " | " \
            mean_of("P", p, "ooms", "%d") " | " mean_of("P", p, "preemptions", "%d") " |"
    }
}

BEGIN {
    called["exclusive"] = "guaranteed jobs alone, `fifo`"
    called["antman patient"] = "`antman`, all models as patient with little memory as SuperRes"
    called["antman:ramp=off patient"] = "`antman:ramp=off`, likewise"
}
