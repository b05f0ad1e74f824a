# SPDX-License-Identifier: GPL-3.0-or-later
# A schedule that a run wrote is a workload: with a GPU for every job at once, all that is told of the
# trace, but for its clock: that of a run begins with the first job, which the sample submits at 153 s.
# Run again it is the same schedule.
"$HORUS" run traces/sample.csv -c 64x8:V100 -p fifo --outputs=swf -q -o out >quiet
"$HORUS" trace info traces/sample.csv | sed -n '2,/^VCs/p' >of-trace
"$HORUS" trace info out/jobs.swf | sed -n '2,/^VCs/p' >of-run
diff of-trace of-run
"$HORUS" run out/jobs.swf -c 64x8:V100 -p fifo --vc=ignore -q --outputs=swf -o again >quiet
diff <(grep -v '^; Conversion' out/jobs.swf) <(grep -v '^; Conversion' again/jobs.swf) | head -5
