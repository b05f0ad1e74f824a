# SPDX-License-Identifier: GPL-3.0-or-later
# The jobs by hand: 12 of one GPU, one each hour, half of them completed after 10 s, half failed after
# 20 s: "duration_s" steps at rank .5 (a tail may be off by 1 %); they are too few for more than one
# row of "states". Four of user b, VC right, 8 GPUs, 5 s behind each other: of 13 runs 12 are single
# jobs, rank .923077. 25 clock hours: 0 and 1 h are there twice, so hours weigh 1/2, 5/2 and ten times
# 1, of 13. 16 jobs in 90015 x 16/15 s are 14.3976 a day. Runs 12 and 1 are weights sqrt 12 and 1 / sqrt 12:
# sigma = log(12) / 2 / .67449 = 1.842. A week is not covered, so weekdays are alike.
{
    echo job_id,submit_time,gpus,duration,user,vc,outcome
    for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
        printf '%d,2020-04-01 %02d:00:00,1,%d,a,left,%s\n' "$i" "$i" $((10 + i % 2 * 10)) \
            "$([ $((i % 2)) = 0 ] && echo completed || echo failed)"
    done
    for s in 00 05 10 15; do
        echo "b$s,2020-04-02 01:00:$s,8,3600,b,right,cancelled"
    done
} >lab.csv
"$HORUS" generate --fit lab.csv -o lab.json && cat lab.json
"$HORUS" generate --workload lab.json -n 5 -q -o made.csv && wc -l <made.csv
# A failed job with two retries, all alike: a mean of 2 retries, at the limit of what "max" allows.
awk 'BEGIN { print "job_id,submit_time,gpus,duration,outcome,attempts"
    for (i = 0; i < 12; i++) print i "," i * 60 ",1,30,failed,5/5/20" }' >again.csv
"$HORUS" generate --fit again.csv --attempts -o again.json -q && grep -A3 '"retries"' again.json
"$HORUS" generate --workload again.json -n 2 -q -o - | cut -d, -f1,3,4,22,23
