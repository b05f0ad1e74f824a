# SPDX-License-Identifier: GPL-3.0-or-later
#
# One random scenario: writes a cluster and a trace, prints the options of the run.
#   awk -v seed=N -v cluster=c.json -v trace=t.csv -f test-hammer.awk

# Knuth's MMIX is too wide for a double; this one (Park & Miller, CACM 1988) is exact in any awk.
function draw(n) { state = state * 16807 % 2147483647; return int(state / 2147483647 * n) }
function pick(list,    words, n) { n = split(list, words, " "); return words[1 + draw(n)] }

BEGIN {
    state = seed * 7919 + 12345
    for (i = 0; i < 10; i++) draw(2)

    vc = pick("ignore quota partition")
    racks = 1 + draw(4); total = 0; text = ""
    for (r = 0; r < racks; r++) {
        count = 1 + draw(4); gpus = pick("1 2 4 8"); total += count * gpus
        limits = draw(2) ? "" : sprintf(", \"cpus\": %d, \"mem_mib\": %d", pick("4 8 32"), pick("1000 64000"))
        if (vc == "partition")
            limits = limits sprintf(", \"vc\": \"%s\"", pick("a b"))
        text = text (r ? ", " : "") sprintf("{\"nodes\": [{\"count\": %d, \"gpus\": %d, \"type\": \"%s\"%s}]}", \
            count, gpus, pick("V100 P100"), limits)
    }
    quotas = ""
    if (vc == "quota")
        quotas = sprintf(", \"vcs\": {\"a\": %d, \"b\": %d}", 1 + draw(total), 1 + draw(total))
    printf "{\"gpu_types\": {\"V100\": {\"mem_mib\": 16384, \"speed\": 1}, \"P100\": {\"mem_mib\": 16384, \"speed\": %s}}, \"racks\": [%s]%s}\n", \
        pick("1 0.5 0.37"), text, quotas > cluster

    shares = seed % 2 # of GPUs, some written as 0.46; sets of types, parts of cores, GPU memory
    print "job_id,submit_time,gpus,duration,vc,gpu_type,cpus,mem_mib,preempt_cost" \
        (shares ? ",gpu_milli,gpu_mem_mib" : "") > trace
    jobs = 1 + draw(60); at = 0
    for (j = 0; j < jobs; j++) {
        at += pick("0 0 1000000 3000000") + draw(3) * draw(1000000)
        gpus = draw(3) ? pick("1 1 1 2 3 4 8") : 1 + draw(total)
        type = draw(4) ? "" : pick("V100 P100"); cores = draw(3) ? "" : draw(40); more = ""
        if (shares) {
            milli = draw(2) ? 1000 : pick("1 250 333 500 501 999") - draw(2) + draw(2)
            if (milli < 1) milli = 1
            type = draw(3) ? type : pick("V100|P100 P100|V100 P100|K80 V100|K80")
            cores = draw(3) ? "" : sprintf("%d.%03d", draw(8), draw(1000))
            if (milli < 1000 && draw(2)) { gpus = sprintf("0.%03d", milli); milli = "" }
            more = sprintf(",%s,%s", milli, draw(4) ? "" : draw(17000))
        }
        printf "j%d,%d.%06d,%s,%d.%06d,%s,%s,%s,%s,%s%s\n", j, int(at / 1000000), at % 1000000, gpus, \
            draw(30), draw(2) * draw(1000000), pick("a b"), type, cores, draw(3) ? "" : draw(70000), \
            draw(3) ? "" : draw(9), more > trace
    }

    policy = pick("fifo:scan=strict fifo:scan=fit fifo:scan=easy fifo:scan=easy,pred=noisy sjf:scan=strict sjf:scan=fit sjf:pred=rolling qssf:scan=strict qssf:scan=fit qssf:compat=helios,pred=noisy srtf:form=evict srtf:form=replace srsf:form=evict srsf:form=replace")
    if (policy ~ /^sr/)
        policy = policy ",preempt_cost=" pick("free table job")
    policy = policy ",placement=" pick("count yarn consolidate best_fit first_fit spread random")
    print "--vc=" vc, "-p", policy, pick("--seed=1 --until=20s --startup=3s --seed=2")
}
