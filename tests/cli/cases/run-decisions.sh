# SPDX-License-Identifier: GPL-3.0-or-later
# A node of four under EASY: a holds three GPUs until 100, so b (4) has its reservation at 100. c (1)
# would be done at 103 and waits; d (1) comes at 20, is done at 70 and is backfilled; e never fits,
# which the simulator says itself, not the policy. At 100 a's end starts b, at 150 b's end c.
# The same rows are in a comparison's runs, which `horus explain` reads like any other.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,3,100
b,10,4,50
c,13,1,90
d,20,1,50
e,30,8,1
END
"$HORUS" run t.csv -c 1x4 -p fifo:scan=easy -q --decisions -o out >/dev/null 2>&1
ls out
cat out/decisions.csv
"$HORUS" verify out | tail -n 1
"$HORUS" compare t.csv -c 1x4 -p fifo:scan=easy -p srtf -q --outputs=jobs,segments,decisions -o both \
    >/dev/null 2>&1
cmp out/decisions.csv both/runs/fifo*easy*/decisions.csv && echo "the same in a comparison"
"$HORUS" explain both/runs/srtf*/ --job b --json | jq -c '.decisions[]'
