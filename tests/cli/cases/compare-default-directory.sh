# SPDX-License-Identifier: GPL-3.0-or-later
# Named after workload and content: the same comparison again is noticed, another seed has another name.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,1,8
c,2,1,2
END
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf -q >/dev/null
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf -q -j 2 2>&1 >/dev/null | sed 's/-[0-9a-f]\{12\}:/-HASH:/'
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf -q --seeds 2 >/dev/null
ls results | sed 's/[0-9a-f]\{12\}$/HASH/'
