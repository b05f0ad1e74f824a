# SPDX-License-Identifier: GPL-3.0-or-later
# Attempts that do not add up, are no times, and traces that have none. The last exit code counts.
say() {
    printf 'job_id,submit_time,gpus,duration,attempts\nJ0,0,1,30,10/20\nJ1,5,1,15,%s\n' "$1" >t.csv
    "$HORUS" run t.csv -c 1x1 --retries=attempts -q
}
for cell in 10/4 10/6 7.5/7.500001 /15 15/ 10//5 -1/16 10/five; do
    say "$cell" 2>&1 | head -n 1
done
say 10/4
"$HORUS" run traces/sample.csv -c 1x1 --retries=attempts -q
"$HORUS" run traces/sample-helios.csv -c 1x1 --retries=attempts -q
"$HORUS" run traces/sample-philly.json -c 1x1 --retries=attempts --philly-attempts=split -q
"$HORUS" trace info traces/sample.csv --retries=generate
