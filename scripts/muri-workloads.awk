# SPDX-License-Identifier: GPL-3.0-or-later
#
# Jobs of Muri's traces (Rivendile/Muri, simulator/trace-data) as CSV for horus, with the columns of
# its simulator: run time = iterations x time of one, ms; priority 0 is guaranteed.
#   awk [-v first=JOBS] [-v at_once=yes] [-v kind=gpt2] -f muri-workloads.awk TRACE
# at_once: all are submitted at 0, as in its traces 1' to 4'. kind: all have the stages of that model.
BEGIN {
    FS = ","
    OFS = ","
    print "job_id", "submit_time", "gpus", "duration", "model", "class", "gpu_mem_mib"
}
FNR == 1 {
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
first == "" || FNR <= first + 1 {
    print $at["job_id"], at_once ? 0 : $at["submit_time"] / 1000, $at["num_gpu"],
        sprintf("%.3f", $at["iterations"] * $at["iteration_time"] / 1000),
        kind != "" ? kind : $at["model_name"], $NF + 0 == 0 ? "guaranteed" : "opportunistic", 1
}
