# SPDX-License-Identifier: GPL-3.0-or-later
#
# A random trace whose times are whole multiples of 8 s, so that an eighth of each is exact.
#   awk -v seed=N -v jobs=N -f test-replay.awk > trace.csv

# Park & Miller, CACM 1988: exact in any awk.
function draw(n) { state = state * 16807 % 2147483647; return int(state / 2147483647 * n) }
function maybe(n, value) { return draw(n) ? "" : value }

BEGIN {
    state = seed * 7919 + 12345
    for (i = 0; i < 10; i++) draw(2)
    print "job_id,submit_time,gpus,duration,user,vc,gpu_type,cpus,mem_mib,priority," \
        "deadline,preempt_cost,step,attempts,gpu_milli,gpu_mem_mib,gpu_mem_later_mib,gpu_mem_later_after"
    for (j = 0; j < jobs; j++) {
        at += 8 * draw(3) * draw(4)
        duration = 8 * draw(60)
        first = duration > 8 ? maybe(5, "8/" duration - 8) : ""
        milli = draw(3) ? 1000 : 1 + draw(999)
        later = draw(4) ? "," : 1000 + draw(9) "," 8 * (1 + draw(4))
        gpus = milli < 1000 ? 1 : 1 + draw(4)
        printf "%d,%d,%d,%d,u%d,v%d,", 1000 + j * 7 % jobs, 80 + at, gpus, duration, draw(9), draw(3)
        printf "%s,%s,%s,", maybe(3, "V100|P100"), maybe(2, 1 + draw(16) / 8), maybe(2, draw(9999))
        printf "%d,%s,%s,", draw(3) - 1, maybe(3, 80 + at + 8 * draw(90)), maybe(2, 8 * draw(3))
        printf "%s,%s,%d,%d,%s\n", maybe(2, 8 * (1 + draw(2))), first, milli, 1 + draw(800), later
    }
}
