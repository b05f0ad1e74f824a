# SPDX-License-Identifier: GPL-3.0-or-later
# Ended in the middle: no directory is left, and no run that would make it again.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
END
seq 200000 | sed 's/.*/j&,&,1,900/' >>t.csv
"$HORUS" compare t.csv -c 8x8 -p fifo -p sjf -p srtf --seeds 1..4 -j 2 --check=full -q -o out &
pid=$!
for _ in $(seq 200); do
    ls -d out.tmp/runs/*.tmp >/dev/null 2>&1 && break
    sleep 0.05
done
[ -d out.tmp/runs ] && echo "runs are at work"
kill -TERM "$pid"
wait "$pid"
echo "exit code $?"
sleep 0.2
ls
