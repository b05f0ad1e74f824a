# SPDX-License-Identifier: GPL-3.0-or-later
# Ties by rule and drawn at random.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,8,10
b,0,8,20
c,0,8,30
END
"$HORUS" run t.csv -c 2x4 -q --tie-jitter 5 -o out | sed -n "/^Ties/,/^$/p"
jq -c .tie_jitter.mean_wait out/summary.json
