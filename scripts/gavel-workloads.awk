# SPDX-License-Identifier: GPL-3.0-or-later
#
# Workloads of scripts/reproduce-gavel.sh, by the generator of Narayanan et al., "Heterogeneity-Aware
# Cluster Scheduling Policies for Deep Learning Workloads" (OSDI'20, 7.1, and the released code):
#     awk -v jobs=N -v rate=JOBS_PER_HOUR [-v gangs=yes] [-v seed=S] -f scripts/draws.awk \
#         -f scripts/gavel-workloads.awk KINDS
# KINDS has a line for each job type and gang size of Gavel's table: name, GPUs, the GPU types on which
# it was measured; tabs between. A job is one of the types, uniformly, and takes 60 * 10^x seconds on
# V100s, x uniform in 1.5..3 (80 % of the jobs) or 3..4. Arrivals are Poisson; at rate=0 all come at
# once. With gangs jobs have 1, 2, 4, 8 GPUs (70, 10, 15, 5 %), and a type that was measured so.
# Native CSV, times in seconds.

BEGIN { FS = "\t" }

{
    gpu_types[$1, $2] = $3
    if ($2 == 1)
        name[types++] = $1
}

function gang(    u) {
    u = uniform()
    return gangs != "yes" || u < 0.7 ? 1 : u < 0.8 ? 2 : u < 0.95 ? 4 : 8
}

END {
    begin_stream(seed + 1)
    print "job_id,submit_time,gpus,duration,gpu_type,model,dataset,batch,precision"
    for (i = 0; i < jobs; i++) {
        gpus = gang()
        do
            what = name[random() % types]
        while (!((what, gpus) in gpu_types))
        x = uniform() < 0.8 ? 1.5 + 1.5 * uniform() : 3 + uniform()
        printf "%d,%.3f,%d,%.3f,%s,%s,gang,%d,fp32\n", i, at, gpus, 60 * exp(x * log(10)), \
            gpu_types[what, gpus], what, gpus
        if (rate > 0)
            at -= 3600 / rate * log(uniform())
    }
}
