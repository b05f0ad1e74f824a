# SPDX-License-Identifier: GPL-3.0-or-later
#
# Workloads of scripts/reproduce-synergy.sh:
#     awk -v jobs=N -v rate=JOBS_PER_HOUR [-v seed=S] [-v image=SHARE] -f scripts/draws.awk \
#         -f scripts/synergy-workloads.awk MODELS          N drawn jobs of one GPU
#     awk -v trace=yes -f scripts/synergy-workloads.awk MODELS TRACE     a trace of its simulator
# MODELS has a line for each model: name in traces, name in the catalogue, seconds a step, group; blanks
# between. TRACE: job,model,arrival,steps,GPUs. A drawn job is of the group image, language or speech
# (20, 70, 10 %: the artifact's readme; `image` takes from language), of its models uniformly, and takes
# 60 * 10^x seconds with the fair share, x uniform in 1.5..3 (80 % of the jobs) or 3..4, as those of Gavel
# (OSDI'20), from whose simulator this one comes. Arrivals are Poisson. Native CSV, times in seconds.

FNR == 1 { file++ }

file == 1 {
    called[$1] = $2
    step[$1] = $3
    of_group[$4, ++in_group[$4]] = $1
    next
}

FNR == 1 { head() }

{
    split($0, field, ",")
    put(field[1], field[3], field[5], field[4] * step[field[2]], field[2])
}

function head() { print "job_id,submit_time,gpus,duration,step,model,dataset,batch,precision" }

function put(id, at, gpus, duration, what) {
    printf "%d,%.3f,%d,%.3f,%s,%s,D,1,fp32\n", id, at, gpus, duration, step[what], called[what]
}

END {
    if (trace == "yes")
        exit
    image = image == "" ? 0.2 : image
    begin_stream(seed + 1)
    head()
    for (i = 0; i < jobs; i++) {
        u = uniform()
        group = u < image ? "image" : u < 0.9 ? "language" : "speech"
        what = of_group[group, 1 + random() % in_group[group]]
        x = uniform() < 0.8 ? 1.5 + 1.5 * uniform() : 3 + uniform()
        put(i, at, 1, 60 * exp(x * log(10)), what)
        at -= 3600 / rate * log(uniform())
    }
}
