# SPDX-License-Identifier: GPL-3.0-or-later
#
# Workloads of scripts/reproduce-salus.sh, after Yu and Chowdhury, "Salus" (MLSys'20):
#     awk -v kind=KIND [-v seed=W] [-v batch=B] [-v model=NAME] -f scripts/draws.awk \
#         -f scripts/salus-workloads.awk configs/profiles.csv
# trace  a look-alike of the 100 jobs of production whose trace is not published; with batches of at
#        most B
# set    300 identical jobs of 500 iterations, all at once: ResNet50, SuperRes, VAE
# many   42 jobs at once, three of each of 14 configurations: every model with its smallest batch, and
#        three with the next
# Native CSV, times in seconds. The catalogue has what the authors' tests/workloads.csv tells of 33
# configurations on a P100: iteration time and peak memory.

# Published of the 100 jobs: under FIFO they take 303.4 minutes in all, 3.0 each, and wait 167.6 on average,
# 0.552 of it: a random order has less, so long jobs were submitted early. The 95th percentile of their JCT
# is 251.1, 52 minutes before the end: the time of the last submissions; uniform over 50 minutes. The shape
# of the lengths, Weibull 2/3, is ours: its Gini index, 0.65, gives shortest-first of jobs submitted at once
# the published mean of 0.18 of the makespan (53.4 / 306.0).
function trace(    i, k, at, waited, work, tries) {
    for (i = 1; i <= 100; i++) {
        k = 1 + random() % known
        iterations = int(exp(1.5 * log(-log(uniform()))) * 135.4 / step_s[k] + 0.5)
        trains[i] = k
        length_s[i] = (iterations < 1 ? 1 : iterations) * step_s[k]
        work += length_s[i]
        submit[i] = random() % 3000
    }
    sort_numbers(submit, 100)
    do {
        shuffle(order, 100)
        at = waited = 0
        for (i = 1; i <= 100; i++) {
            if (at < submit[i])
                at = submit[i]
            waited += at - submit[i]
            at += length_s[order[i]]
        }
        waited /= 100 * at
        tries++
    } while ((waited < 0.542 || waited > 0.562) && tries < 10000)
    print "job_id,submit_time,gpus,duration,model,dataset,batch,precision,gpu_util,step"
    for (i = 1; i <= 100; i++)
        printf "%d,%d,1,%.6f,%s,94,%.6f\n", i, submit[i], length_s[order[i]], name[trains[order[i]]], \
            step_s[trains[order[i]]]
}

# VAE and SuperRes are not among the 33: step and utilization are those of Gandiva's Table 1 (P40),
# their memory is ours.
function set(    i, text, step) {
    print "job_id,submit_time,gpus,duration,model,dataset,batch,precision,gpu_util,step,gpu_mem_mib," \
        "gpu_mem_persistent_mib"
    if (model == "ResNet50") {
        step = step_of["ResNet50,ImageNet,50,fp32"]
        text = "ResNet50,ImageNet,50,fp32,94," step ",4008,98"
    } else if (model == "SuperRes") {
        step = 0.024814
        text = ",,,,14.1," step ",2000,100"
    } else {
        step = 0.012225
        text = ",,,,8.7," step ",1000,50"
    }
    for (i = 1; i <= 300; i++)
        printf "%d,0,1,%.6f,%s\n", i, 500 * step, text
}

function many(    i, k, taken) {
    print "job_id,submit_time,gpus,duration,model,dataset,batch,precision,gpu_util,step"
    for (k = 1; k <= known; k++) {
        split(name[k], part, ",")
        if (part[3] == 25 || (part[3] == 50 && ++taken <= 3))
            for (i = 1; i <= 3; i++)
                printf "%d,0,1,%.6f,%s,94,%.6f\n", ++jobs, 100 * step_s[k], name[k], step_s[k]
    }
}

BEGIN {
    FS = ","
    begin_stream(7919 * (seed + 1))
}

FNR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
$column["source_time"] == "salus" && (batch == "" || $column["batch"] <= batch) {
    name[++known] = $column["model"] "," $column["dataset"] "," $column["batch"] "," $column["precision"]
    step_s[known] = $column["step_ms"] / 1000
    step_of[name[known]] = step_s[known]
}

END {
    if (kind == "trace")
        trace()
    else if (kind == "many")
        many()
    else
        set()
}
