# SPDX-License-Identifier: GPL-3.0-or-later
# a holds both GPUs until b, which is shorter, takes them at 20 for 10 s: a waits 10 s for capacity
# after a preemption, pays 3 s for its restart and ends at 113: 100 of work, 10 of waiting, 3 of
# cost, slowdown 1.13. c comes at 25 and starts behind both at 113: 88 s of capacity.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration,user,preempt_cost
a,0,2,100,ann,3
b,20,2,10,bob,3
c,25,2,200,bob,3
END
"$HORUS" run t.csv -c 1x2 -p srtf:preempt_cost=job -q --decisions -o out >/dev/null
"$HORUS" explain out --job a
"$HORUS" explain out --job c --json
"$HORUS" run t.csv -c 1x2 -p fifo -q -o plain >/dev/null
"$HORUS" explain plain --job b | tail -n 4
