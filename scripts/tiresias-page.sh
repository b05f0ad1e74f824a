# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The text of results/tiresias.md around its tables; scripts/reproduce-tiresias.sh sources it, sets
# what it reads and writes the page.
# shellcheck disable=SC2154 # quick, work, load, loads, names, all_names, lucid, helios_srtf

beside() { # METRIC PAPER,... PLACE...
    local IFS=';'
    table beside "$*"
}

relative() { # REFERENCE FIGURE,... NAME=PLACE...
    local IFS=';'
    table relative "$*"
}

page_head() {
    cat <<'TEXT'
# Tiresias, QSSF, Philly: what reproduces

`make reproduce-tiresias` runs every experiment below and writes this page: all figures and verdicts
are computed, none is edited. The papers are Gu et al., "Tiresias" (NSDI'19), Hu et al. on the Helios
clusters (SC'21, QSSF), Jeon et al. on Philly (ATC'19), Hu et al., "Lucid" (ASPLOS'23) and Zhao et
al., "Muri" (SIGCOMM'22). Read were the public simulators of Tiresias, Helios, Lucid and Muri with
their stored outputs, and of the papers what others noted; Philly's scheduler was never published.

TEXT
    [ $quick = no ] ||
        printf '%s\n\n' "**Quick run: the first jobs of each month of Venus. These are not the results.**"
    cat <<TEXT
**Reading it.** A figure that compares is how many *times better* a policy is: the mean of FIFO, or
of what the column names, divided by that of the policy; above 1 is better, as the papers print it.
JCT: from submission to end. Queue: what is left of it without the run time, that is, without GPUs,
after preemptions too (\`mean_pending\`), or paying for them. In brackets:
95 % interval, Student's t over the four months of Venus, in Philly over draws where there are some.

| | here | the papers |
| --- | --- | --- |
| Venus | all its GPU jobs of April to July 2020, each month a workload of its own; **no virtual clusters, no users, no states in the file**, so that the cluster is one pool; durations are cut at 48 hours (1.9 % of the jobs) | September 2020, 15 or 16 virtual clusters, each with nodes of its own; not public as a whole |
| its nodes | so many of 8 GPUs that the GPU time asked for is $load of what they can do: on the 133 of the real cluster one pool hardly queues | what each virtual cluster had |
| Philly | two whole virtual clusters, all statuses, October and November 2017, 32 nodes of 8 GPUs each | the same months, 11 virtual clusters, of which two are these |
| QSSF | true run times; or the mean of the finished jobs of as many GPUs, since the files name no users | predictions from users and names of jobs |

| policy | what it is here |
| --- | --- |
| \`fifo\`, \`sjf\`, \`qssf\` | as in Helios: strict, not preemptive, \`consolidate\`; \`qssf\` by default with \`pred=rolling\` |
| \`srtf\`, Helios' | \`$helios_srtf\`: a preempted job pays 7, 30 or 60 s by size |
| \`srsf\`, \`tiresias\`, \`las\` | preemption is free, as in Tiresias' simulator; queues end at 3,250 and 7,200 GPU-seconds (\`las\`: seconds) |
| \`tiresias\`, Lucid's | \`$lucid\` |
TEXT
}

page_claims() {
    cat <<'TEXT'

## Claims

Published ratios against ours. *Among the months*: the published figure lies between those of our four
months. The thresholds of "comparable" and "suffice" are ours; the other VC of Philly is left out,
where it waits 1 % of its JCT and no policy is better or worse.

TEXT
    table claims
    cat <<'TEXT'

What does not reproduce, in words:

- **How much SJF shortens the queue** (5.68): here it does so more, while JCT ratio and share of the queue
  are met at the same load. A likely reason is the one pool: in 15 small clusters a few long gangs
  block everybody. In a real VC, Philly's 0e4a51, it is 2.77, there and here; in other clusters of
  Helios' paper up to 18.5.
- **QSSF as good as SJF.** With true run times it is better on Venus, since it goes by GPU time. With
  all that these files let it know, the size of a job, it is mostly behind: Helios predicts from users
  and names of jobs, and gets half of the way in 0e4a51 (1.19 of 1.38; here 1.03).
- **Lucid's Tiresias ahead of SJF.** With its parameters (two queues, rounds, order of submission) it
  mostly is not, on either cluster; with those of Tiresias' own simulator it mostly is.
- **Tiresias comparable to SRSF** holds to 10 % in July and in 0e4a51 alone. Muri's published runs are
  farther from it: 3.4 and 2.7 times behind SRSF on its two traces.
TEXT
}

page_exactly() {
    cat <<'TEXT'

## Exactly

Published schedules, job by job, and published means. A test holds each of them. FIFO, SJF and QSSF
of the 415 jobs of Venus' vcvlY are nearly one schedule: it queues too little to tell them apart.
Philly's VCs come from the stored output of Helios' artifact, whose averages are cut off to seconds.

| published | here | jobs | that differ | mean JCT, s, published | here | test |
| --- | --- | --- | --- | --- | --- | --- |
TEXT
    cat "$work/exact"
    awk '$1 == "mean_jct" {
            printf "\nThe mean that is not equal is a matter of ties: some jobs of 0e4a51 came in the same second,\n" \
                "the artifact sorts them unstably, and 100 random orders of ours (`--tie-jitter=100`) span\n" \
                "%.0f to %.0f s.\n", $(NF - 1), $NF }' "$work/said"
    cat <<'TEXT'

The runs. Those of Philly take its jobs from 2017-10-01 to 2017-11-30 23:59, a VC at a time; Muri's
durations are iterations times `iteration_time`, ms.

    for vc in 7f04ca 0e4a51; do
        awk -F, -v vc=$vc 'NR == 1 || $1 == vc && $2 >= "2017-10-01" && $2 <= "2017-11-30 23:59:00"' \
            $HORUS_DATA/traces/philly_vc_7f04ca_0e4a51.csv >philly-$vc.csv
    done
    for trace in trace1 trace4; do
        awk -F, 'NR == 1 { print "job_id,submit_time,gpus,duration,model"; next }
            { printf "%s,%s,%s,%.3f,%s\n", $1, $3, $2, $4 * $9, $5 }' $HORUS_DATA/traces/$trace.csv >muri-$trace.csv
    done
TEXT
    sort -u "$work/commands"
    cat <<'TEXT'

Muri charges a restart to every running job at every event. Its means when a job is charged as it
resumes, with `preempt_cost=restart` and durations that are its 1.5 % longer:

TEXT
    table muri
}

page_venus() {
    cat <<TEXT

## Venus by month

Nodes for a load of $load. FIFO, and its published figures:

TEXT
    table shares $all_names
    printf '\nTimes better than FIFO, mean JCT:\n\n'
    beside mean_jct helios,lucid "${names[@]}"
    printf '\nTimes better than FIFO, mean time in the queue:\n\n'
    beside mean_queue helios,lucid "${names[@]}"
    cat <<'TEXT'

**The ratio is a matter of load.** Share of FIFO's JCT that is queue, then FIFO / SJF of the JCT and of
the queue:

TEXT
    table loads "$all_names;${loads[*]}"
    cat <<'TEXT'

The same in the clusters of Helios' paper, September 2020, and Philly, October and November 2017. By
the share of the queue our months lie among them: SJF takes most of the queue, so that the JCT ratio
is near 1 / (1 - share), and how much of it varies from 5 to 18 times, there as here.

TEXT
    table clusters
    pictured tiresias-load "FIFO / SJF by the share of the queue: our months and VCs, and the published clusters"
}

page_philly() {
    cat <<'TEXT'

## Philly: two virtual clusters

Bold: the published figure. Theirs is QSSF with predictions that are not public.

TEXT
    table philly
    printf '\nTimes better than FIFO, mean JCT, then queue:\n\n'
    beside mean_jct "philly 0e4a51,philly 7f04ca,philly,lucid philly" "H, 0e4a51" "H, 7f04ca"
    echo
    beside mean_queue "philly 0e4a51,philly 7f04ca,philly,lucid philly" "H, 0e4a51" "H, 7f04ca"
    cat <<'TEXT'

**Philly's own scheduler** (`philly`): both VCs on 64 shared nodes, 256 GPUs each as quota, which may
be exceeded while the other VC leaves GPUs idle. No figures of it are published. Quotas that nobody
may exceed are `quota`, nodes of one's own `partition`, no VCs at all `ignore`.

TEXT
    table quotas
    cat <<'TEXT'

Borrowing takes most of the queue of 0e4a51, and preemption (from 90 % of the GPUs) keeps that from
costing 7f04ca anything; without it (`fair_preempt=0`) the lender pays. Giving up locality matters
little here: racks are not known, and gangs of up to 8 GPUs fit a node.
TEXT
}

page_oracle() {
    cat <<'TEXT'

## What an oracle is worth

Times better than FIFO, mean JCT, then queue. `noisy`: true run times times exp(sigma z), sigma 1
unless given, three draws; `rolling`: means of finished jobs of as many GPUs; `tiresias` and `las` are
told nothing.

TEXT
    across mean_jct fifo/ "Venus=O, Venus" "Philly, 0e4a51=O, 0e4a51"
    echo
    across mean_queue fifo/ "Venus=O, Venus" "Philly, 0e4a51=O, 0e4a51"
}

page_costs() {
    cat <<'TEXT'

## What preemption costs

A preempted job pays before it goes on: nothing; 7, 30, 60 s for 1, up to 8, more GPUs (Helios'
simulator); 40, 40, 60 s (Lucid's); 62 s, the mean of 221 preemptions of Tiresias' testbed; 300 s.
Ratios to the free form, here above 1 is worse. GPU time paid: of the time that GPUs are held.

TEXT
    relative "" mean_jct,mean_queue,preemptions,paid "Venus=C, Venus" "Philly, 0e4a51=C, 0e4a51"
}

page_knobs() {
    cat <<'TEXT'

## Tiresias' parameters

Ratios to `tiresias` with its defaults, above 1 is worse.

TEXT
    relative tiresias mean_jct,mean_queue,max_jct,preemptions "Venus=K, Venus" "Philly, 0e4a51=K, 0e4a51"
    cat <<'TEXT'

- Longer and more queues are better on Venus; `las` has them too: its limits are seconds, so that a gang
  stays in the first queue for longer. In 0e4a51 neither matters.
- `promote_knob` trades preemptions against the longest JCT; the published simulator has it off.
- `inqueue=submit` lets an older gang evict a younger job of its queue. It shortens the longest JCT
  and lengthens the mean. So do rounds in 0e4a51: between two of them freed GPUs add up to what an
  older gang needs; without rounds small jobs take them one by one.
- Gittins indices are learnt from the jobs that have finished; the published sample is of other jobs.

**The worked example** of the paper has mean JCTs of 9.3 under SRSF, 10 under 2D-Gittins and 11.7 under
2D-LAS. Its jobs, from memory of the paper and not checked: 2 GPUs for 2, 1 GPU for 8 and 2 GPUs for 6
units on 2 GPUs, the distribution of service 4, 8 and 12. SRSF gives what is printed. The others depend
on the slices between decisions, which could not be read; ours, by the limits of the queues:

| policy | mean JCT |
| --- | --- |
TEXT
    cat "$work/worked"
}

page_limits() {
    cat <<'TEXT'

## Not here

- Tiresias' 480 jobs on 60 P100s, its trace-driven simulation and the state of the art that it beats
  by up to 2: no trace is public but 60 jobs that hardly wait (FIFO 200.82 s, 2D-LAS 190.68 s: 1.05).
- September 2020 of Venus, and Earth, Saturn and Uranus (FIFO / SJF 2.87, 6.59, 1.49): the jobs of the
  vcvlY slice are all that could be had.
- The predictions of Helios and Lucid beyond that slice; Lucid's and Muri's own policies.
- What users do when they wait less: a trace has the submissions of its own scheduler.
TEXT
}
