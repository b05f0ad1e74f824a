# SPDX-License-Identifier: GPL-3.0-or-later
#
# Synthetic workloads of the Horus experiments (scripts/reproduce-horus.sh) as native CSV.
#     awk -v kind=burst -v seed=W -v draw=A [-v jobs=N] -f scripts/draws.awk -f scripts/horus-workloads.awk \
#         configs/profiles.csv
#     awk -v kind=gangs|waves -v seed=W -f scripts/draws.awk -f scripts/horus-workloads.awk
# burst  500 (jobs) one-GPU jobs at t = 0, of 13 model types
# gangs  1,200 jobs of 1, 2, 4, 8 GPUs, Poisson arrivals that offer 64 GPUs a load of exactly 1
# waves  200 one-GPU jobs at t = 0, and 200 when 16 GPUs can have done three quarters of the first
# Durations are log-normal, median 20 minutes, sigma 1, cut at 4 hours so that no single job decides
# the makespan of a burst, in whole seconds.

function duration(    length_s) {
    length_s = 1 + int(1200 * exp(normal()))
    return length_s < 14400 ? length_s : 14400
}

# Thirteen of the models measured on the RTX 3090, one configuration of each.
function draw_types(    i, j, held) {
    for (i = 1; i <= 13; i++) {
        j = i + random() % (models - i + 1)
        held = model[i]
        model[i] = model[j]
        model[j] = held
        type[i] = rows[model[i], 1 + random() % count[model[i]]]
    }
}

function burst(    i) {
    if (jobs == "")
        jobs = 500
    for (i = 1; i <= jobs; i++)
        length_s[i] = duration()
    begin_stream(1000 * seed + draw)
    draw_types()
    print "job_id,submit_time,gpus,duration,model,dataset,batch,precision"
    for (i = 1; i <= jobs; i++)
        print i ",0,1," length_s[i] "," type[1 + random() % 13]
}

function gangs(    i, at, work, span, u) {
    for (i = 1; i <= 1200; i++) {
        u = random() % 20
        gpus[i] = u < 11 ? 1 : u < 15 ? 2 : u < 18 ? 4 : 8
        length_s[i] = duration()
        work += gpus[i] * length_s[i]
        submit[i] = at
        at -= log(uniform())
    }
    span = work / 64
    print "job_id,submit_time,gpus,duration"
    for (i = 1; i <= 1200; i++)
        printf "%d,%d,%d,%d\n", i, submit[i] / submit[1200] * span, gpus[i], length_s[i]
}

function waves(    i, work) {
    for (i = 1; i <= 400; i++) {
        length_s[i] = duration()
        if (i <= 200)
            work += length_s[i]
    }
    print "job_id,submit_time,gpus,duration"
    for (i = 1; i <= 400; i++)
        printf "%d,%d,1,%d\n", i, i <= 200 ? 0 : 0.75 * work / 16, length_s[i]
}

BEGIN {
    FS = ","
    begin_stream(7919 * seed)
    if (kind == "gangs")
        gangs()
    else if (kind == "waves")
        waves()
    if (kind != "burst")
        exit
}

FNR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
$column["gpu"] == "RTX3090" {
    name = $column["model"]
    if (!(name in count))
        model[++models] = name
    rows[name, ++count[name]] = name "," $column["dataset"] "," $column["batch"] "," $column["precision"]
}

END {
    if (kind == "burst")
        burst()
}
