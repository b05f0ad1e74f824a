# SPDX-License-Identifier: GPL-3.0-or-later
# Options may follow the operand, whatever POSIXLY_CORRECT says; short ones may be bundled, long ones cut.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,4,10
b,1,8,5
c,2,4,3
END
"$HORUS" run t.csv -c 2x4 -q -o out >/dev/null
POSIXLY_CORRECT=1 "$HORUS" run t.csv -fq --polic=sjf --clust 2x4 -oout >/dev/null
jq -r .card.policy out/manifest.json
