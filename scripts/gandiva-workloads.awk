# SPDX-License-Identifier: GPL-3.0-or-later
#
# Workloads of scripts/reproduce-gandiva.sh, after Xiao et al., "Gandiva" (OSDI'18):
#     awk -v kind=KIND [-v reading=R] [-v seed=W] [-v load=PERCENT] [-v step_ms=MS] -f scripts/draws.awk \
#         -f scripts/gandiva-workloads.awk
# names         the models of Table 1, a line each, with utilization and packing gain, %
# profiles      a catalogue (configs/README.md) of the models of Table 1, or of -v table=fig13
# interference  a model of slowdowns (configs/models/README.md) that has the gains of Table 1
# pairs         the measurements of a campaign with these slowdowns, for horus calibrate
# copies        1 to 8 jobs of each model at once, each such set a virtual cluster
# cells         the cluster for them, a GPU each
# six           four long and two short jobs on four GPUs
# mix           1,000 jobs in two hours for 180 GPUs
# days          jobs of seven days for 100 GPUs, with -v table=fig13
# Traces are native CSV, in whole seconds.

# Table 1: utilization of a P40, mini-batches per second alone and at best when packed with itself. Only the
# rates of VAE and SuperRes could be read; for the others the gain is known, and step_ms is ours. Memory and
# checkpoints are ours, too: eight small ones fit a P100 (16 GB).
function table1(name, util, gain, step_ms, class, mem_mib) {
    model_name[++models] = name
    number[name] = models
    util_of[models] = util
    gain_of[models] = gain
    step_of[models] = step_ms
    mem_of[models] = mem_mib
    checkpoint_of[models] = 100
    member[class, ++members[class]] = models
}

function table1_rows() {
    table1("VAE", 8.7, 412, 12.225, "low", 1500)
    table1("SuperRes", 14.1, 260, 24.814, "low", 1500)
    table1("RHN", 61.6, 46, step_ms, "mid", 3000)
    table1("SCRNN", 66.8, 39, step_ms, "mid", 3000)
    table1("MI-LSTM", 76.2, 17, step_ms, "mid", 3000)
    table1("LSTM", 87.2, -16, step_ms, "high", 6000)
    table1("ResNet-50", 94, -13, step_ms, "high", 6000)
    table1("ResNeXt-50", 98.9, -11, step_ms, "high", 6000)
}

function key(m) { return model_name[m] "/Gandiva/1/fp32" }

function profiles(    m) {
    print "model,dataset,batch,precision,family,distributed,gpu,util,mem_mib,mem_persistent_mib," \
        "step_ms,checkpoint_mib"
    for (m = 1; m <= models; m++)
        printf "%s,Gandiva,1,fp32,%s,yes,P100,%s,%d,%d,%s,%d\n", model_name[m], family_of[m], \
            util_of[m], mem_of[m], mem_of[m] / 5, step_of[m], checkpoint_of[m] / 1.048576 + 0.5
}

# The gain of n copies with slowdowns of 1 + (n - 1) c is n / (1 + (n - 1) c) - 1. The table does not state
# at how many it was best. `few`: at the fewest that can have it; `eight`: at eight, the most that our
# gandiva packs, so that no number of copies gains more than the table. A model that loses by packing is
# best at two.
function excess(m, reading,    gain, n) {
    gain = 1 + gain_of[m] / 100
    n = gain < 1 ? 2 : reading == "eight" ? 8 : gain > int(gain) ? int(gain) + 1 : gain
    if (n < 2)
        n = 2
    return (n / gain - 1) / (n - 1)
}

# Jobs of two models slow each other by the geometric mean: the table has none, this is ours.
function interference(    t, m) {
    printf "{\"kind\": \"interference\", \"format\": 2,\n"
    printf " \"forms\": [{\"gpu\": \"P40\", \"mode\": \"timeslice\", \"k\": 1, " \
        "\"alpha\": 1, \"beta\": 1.75}],\n \"tables\": ["
    for (t = 1; t <= 2; t++) {
        printf "%s\n  {\"gpu\": \"%s\", \"mode\": \"timeslice\", \"form\": \"rank-1\", \"jobs\": [", (t == 1 ? "" : ","), \
            (t == 1 ? "P40" : "P100")
        for (m = 1; m <= models; m++)
            printf "%s\n   {\"profile\": \"%s\", \"a\": %.6f, \"b\": %.6f}", (m == 1 ? "" : ","), key(m), \
                sqrt(excess(m, reading)), sqrt(excess(m, reading))
        printf "]}"
    }
    print "]}"
}

function pairs(    m, speed) {
    print "job_a,job_b,gpu,speed_a,speed_b,util_a"
    for (m = 1; m <= models; m++) {
        speed = 1 / (1 + excess(m, reading))
        printf "%s,%s,P40,%.4f,%.4f,%s\n", key(m), key(m), speed, speed, util_of[m]
    }
}

# Small enough that memory is no limit. The virtual cluster encodes model and number of copies.
function copy_jobs(    m, n, i) {
    print "job_id,submit_time,gpus,duration,model,gpu_mem_mib,vc"
    for (m = 1; m <= models; m++)
        for (n = 1; n <= 8; n++)
            for (i = 1; i <= n; i++)
                print ++jobs ",0,1,3600," model_name[m] ",100," model_name[m] " " n
}

# A GPU for each.
function copy_cluster(    m, n) {
    printf "{\"gpu_types\": {\"P40\": {\"mem_mib\": 24576}},\n \"nodes\": [{\"count\": %d, \"gpus\": 1, " \
        "\"type\": \"P40\"}],\n \"vcs\": {", 8 * models
    for (m = 1; m <= models; m++)
        for (n = 1; n <= 8; n++)
            printf "%s\"%s %d\": 1", (m == 1 && n == 1 ? "" : ", "), model_name[m], n
    print "}}"
}

# Figure 11's ResNet-50 on Cifar-10, P100: 3,300 mini-batches in 6 minutes.
function six(    i) {
    print "job_id,submit_time,gpus,duration,model,step"
    for (i = 1; i <= 6; i++)
        printf "%d,%d,1,%d,ResNet-50,0.109091\n", i, (i <= 4 ? 0 : 1500), (i <= 4 ? 5400 : 900)
}

# Low, middle and high utilization with probability .30, .25, .45; ResNet and ResNeXt on 2 or 4
# GPUs; 30 to 45 minutes of GPU time for each job, all its GPUs together.
function mix(    i, u, class, m, gpus, work_s) {
    print "job_id,submit_time,gpus,duration,model"
    for (i = 1; i <= 1000; i++)
        submit[i] = random() % 7200
    sort_numbers(submit, 1000)
    for (i = 1; i <= 1000; i++) {
        u = random() % 100
        class = u < 30 ? "low" : u < 55 ? "mid" : "high"
        m = member[class, 1 + random() % members[class]]
        gpus = model_name[m] ~ /^ResNe/ ? 2 + 2 * (random() % 2) : 1
        work_s = 1800 + random() % 901
        print i "," submit[i] "," gpus "," int(work_s / gpus + 0.5) "," model_name[m]
    }
}

# Models of Fig. 13 with their checkpoints, MB. The family is one for which Gavel measured the cost of
# spreading over servers (configs/models/speed.json); utilizations are ours.
function fig13(name, family, class, checkpoint_mb) {
    model_name[++models] = name
    family_of[models] = family
    checkpoint_of[models] = checkpoint_mb
    util_of[models] = 80
    step_of[models] = 500
    mem_of[models] = 6000
    member[class, ++members[class]] = models
}

function fig13_rows() {
    fig13("ResNet-50", "ResNet-50", "cv", 98)
    fig13("InceptionV3", "ResNet-50", "cv", 91)
    fig13("VGG16", "ResNet-50", "cv", 528)
    fig13("Bi-Att-Flow", "LM", "nlp", 42)
    fig13("LM", "LM", "nlp", 252)
    fig13("GNMT", "Transformer", "nlp", 645)
    fig13("Transformer", "Transformer", "nlp", 703)
    fig13("DeepSpeech", "LM", "speech", 1405)
    fig13("Wavenet", "LM", "speech", 8)
}

# CV 10, NLP 60, speech 30 %. The trace was never published: sizes (as on Philly), run times (log-normal,
# median 5 hours, sigma 1.2, at most 2 days) and arrivals are ours, in seven days so many jobs that they
# load 100 GPUs to LOAD per cent. At 95 FIFO has the published mean JCT and makespan of YARN.
function days(    i, n, u, m, work_s) {
    for (n = 0; work_s < 604800 * load; n++) {
        u = random() % 10
        class = u < 1 ? "cv" : u < 7 ? "nlp" : "speech"
        trains[n] = member[class, 1 + random() % members[class]]
        u = random() % 100
        gpus[n] = u < 70 ? 1 : u < 82 ? 2 : u < 93 ? 4 : 8
        u = int(18000 * exp(1.2 * normal()))
        length_s[n] = u < 60 ? 60 : u > 172800 ? 172800 : u
        work_s += gpus[n] * length_s[n]
    }
    for (i = 0; i < n; i++)
        submit[i + 1] = random() % 604800
    sort_numbers(submit, n)
    print "job_id,submit_time,gpus,duration,model"
    for (i = 0; i < n; i++)
        print i + 1 "," submit[i + 1] "," gpus[i] "," length_s[i] "," model_name[trains[i]]
}

BEGIN {
    begin_stream(7919 * (seed + 1))
    if (!step_ms)
        step_ms = 2000
    if (table == "fig13")
        fig13_rows()
    else
        table1_rows()
    if (kind == "names")
        for (m = 1; m <= models; m++)
            print model_name[m], util_of[m], gain_of[m]
    else if (kind == "profiles")
        profiles()
    else if (kind == "interference")
        interference()
    else if (kind == "pairs")
        pairs()
    else if (kind == "copies")
        copy_jobs()
    else if (kind == "cells")
        copy_cluster()
    else if (kind == "six")
        six()
    else if (kind == "mix")
        mix()
    else if (kind == "days")
        days()
}
