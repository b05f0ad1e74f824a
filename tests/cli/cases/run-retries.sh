# SPDX-License-Identifier: GPL-3.0-or-later
# J0 fails after 10 s and needs 20 s then, J1 comes at 5 and takes 15 s. attempts: J0 0-10, J1 10-25,
# J0 25-45; work of J0 30 s, wait 0. merge leaves the column alone, whatever is in it: J0 0-30,
# J1 30-45.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration,attempts
J0,0,1,30,10/20
J1,5,1,15,
END
"$HORUS" run t.csv -c 1x1 --assign=off --retries=attempts --check=full -q -o out >/dev/null
cut -d, -f1,3,7,9,10,21,22,23,38 out/jobs.csv
cat out/segments.csv
grep -o -e '"retries": [0-9][0-9]*' -e '"mean_wait_bound": "a.*"' out/summary.json
sed -i 's,10/20,ten,' t.csv
"$HORUS" run t.csv -c 1x1 --assign=off --retries=merge -q -o merged >/dev/null
cat merged/segments.csv
