# SPDX-License-Identifier: GPL-3.0-or-later
# Fractions where per cent are expected are in range and wrong: one warning, from every verb.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration,gpu_util
a,0,1,10,0.5
b,1,1,10,0.45
c,2,1,10,
d,3,1,10,0
e,4,2,10,1
END
"$HORUS" trace info t.csv >/dev/null
"$HORUS" trace validate t.csv >/dev/null
"$HORUS" trace assign t.csv --assign=mix -o t2.csv --quiet
"$HORUS" run t.csv -c 1x4:G --quiet -o out >/dev/null
sed '$d' t.csv >two.csv # two of four jobs may be idle in truth
"$HORUS" trace info two.csv >/dev/null
printf 'model,util,gpu\nA,0.5,G\nB,0.9,G\nC,,G\n' >own.csv
"$HORUS" trace assign two.csv --profiles own.csv --assign=columns -o t2.csv --quiet
