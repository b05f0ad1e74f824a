# SPDX-License-Identifier: GPL-3.0-or-later
#
# Names in results that changed since c2240bb: sed -E -f this file makes outputs of that version
# those of today, up to the widths of columns. scripts/same-results.sh applies it to the older
# program's files. src/report/run/manifest.c has the names that are still read.

# jobs.csv: all time of a job without GPUs (the series and the job state `pending` stay)
s/,isolated,run,pending,colocated,/,isolated,run,queueing_delay,colocated,/
# summary.json, summary.csv: its mean
s/\bmean_pending\b/mean_queueing_delay/g
# the same: isolated GPU work done over all GPU time
s/\bgoodput\b/useful_gpu_share/g
# the same: GPUs wanted by waiting jobs x time, by cause
s/\bwait_capacity_gpu_seconds\b/wait_resources_gpu_seconds/g
s/\bwait_shape_gpu_seconds\b/wait_placement_gpu_seconds/g
s/\bwait_locality_gpu_seconds\b/wait_constraint_gpu_seconds/g
s/\bwait_order_gpu_seconds\b/wait_priority_gpu_seconds/g
# series.csv: the causes
s/,gpus_waiting,capacity,/,gpus_waiting,resources,/
s/,gpus_waiting,shape,/,gpus_waiting,placement,/
s/,gpus_waiting,locality,/,gpus_waiting,constraint,/
s/,gpus_waiting,order,/,gpus_waiting,priority,/
# summary.json, manifest.json: what the run assumes
s/^(  )?"card": \{/\1"assumptions": {/
# the result table
/^policy .*mean JCT/s/ pending / queueing /
/^policy .*mean JCT/s/GPUs held/GPU alloc/
s/GPUs held over time/GPU allocation over time/
s/([0-9]+) drawn \(made up, GPU util/\1 assumed (drawn, GPU util/
s/^(profiles .* by utilization, [0-9]+) drawn,/\1 assumed,/
# a hint of a warning
s/by default a made-up profile is/by default an assumed profile is/
