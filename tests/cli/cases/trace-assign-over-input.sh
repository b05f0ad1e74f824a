# SPDX-License-Identifier: GPL-3.0-or-later
# An output that is an input, by its name, through a link, or as the catalogue: nothing is touched.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
END
cp t.csv kept.csv
ln -s t.csv linked.csv
"$HORUS" trace assign t.csv -o t.csv
echo "exit $?"
"$HORUS" trace assign linked.csv -o ./t.csv
echo "exit $?"
cp configs/profiles.csv own.csv
"$HORUS" trace assign t.csv --profiles own.csv -o own.csv
echo "exit $?"
cmp t.csv kept.csv && cmp own.csv configs/profiles.csv && ls
