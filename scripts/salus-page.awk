# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tables of results/salus.md from the cells of all experiments (scripts/reproduce-salus.sh):
# the table NAME is function NAME(of), which reproduce-common.sh calls.

# Minutes, as published: makespan, mean queue, mean JCT, 95th percentile of the JCT.
function tell(p, makespan, queue, jct, p95) {
    told_of[p, "makespan"] = makespan
    told_of[p, "mean_time_to_progress"] = queue
    told_of[p, "mean_jct"] = jct
    told_of[p, "p95_jct"] = p95
}

# A row of ratios to FIFO, turned over, by largest batch.
function pair(what, metric, p,    k, published, off, text) {
    published = told_of["salus-fifo", metric] / told_of[p, metric]
    text = "| " what " | " digits(published) " |"
    for (k = 1; k <= batches; k++) {
        if (!stat("T, " batch[k], "salus-fifo", p, metric)) {
            text = text " - | not run |"
            continue
        }
        off = mean / published
        text = text " " digits(mean) bracket(digits(low), digits(high)) " | " more(off) " % |"
    }
    print text
}

function against(_,    k, text) {
    batches = split(of, batch, ";")
    text = "| FIFO to | published |"
    for (k = 1; k <= batches; k++)
        text = text " up to " batch[k] " | off |"
    head(text)
    split("mean_jct makespan p95_jct", metric, " ")
    split("mean JCT;makespan;95 % JCT", name, ";")
    for (k = 1; k <= 3; k++) {
        pair("SRTF: " name[k], metric[k], "salus-srtf")
        pair("FAIR: " name[k], metric[k], "salus-fair")
        pair("PACK: " name[k], metric[k], "salus-pack")
    }
}

function beside(place, p, metric) {
    return mean_of(place, p, metric, "%.1f", 60) ((p, metric) in told_of ? ", " told_of[p, metric] : "")
}

function trace(place,    i, p) {
    head("| policy | makespan | until the first iteration | mean JCT | 95 % JCT | switches a job |")
    for (i = 1; i <= policies[place]; i++) {
        p = policy[place, i]
        print "| " label(p) " | " beside(place, p, "makespan") " | " \
            beside(place, p, "mean_time_to_progress") " | " beside(place, p, "mean_jct") " | " \
            beside(place, p, "p95_jct") " | " (stat(place, p, "", "switches") ? digits(mean / 100) : "-") " |"
    }
}

# Makespan of FIFO / PACK of the sets of alike jobs.
function sets(_,    i, part, place) {
    head("| 300 jobs | published | here | GPU utilization, FIFO | PACK |")
    published_set["SuperRes"] = "2.38"
    published_set["ResNet50"] = "1.07"
    split("VAE;SuperRes;ResNet50", part, ";")
    for (i = 1; i <= 3; i++) {
        place = "H, " part[i]
        print "| " part[i] " | " published_set[part[i]] " | " ratio(place, "salus-fifo", "salus-pack", "makespan") " | " \
            percent(place, "salus-fifo", "gpu_utilization") " | " percent(place, "salus-pack", "gpu_utilization") " |"
    }
}

BEGIN {
    tell("salus-fifo", 303.4, 167.6, 170.6, 251.1)
    tell("salus-srtf", 306.0, 28.6, 53.4, 217.0)
    tell("salus-pack", 287.4, 129.9, 145.5, 266.1)
    tell("salus-fair", 301.6, 58.5, 96.6, 281.2)
}
