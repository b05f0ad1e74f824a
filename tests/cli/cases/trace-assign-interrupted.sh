# SPDX-License-Identifier: GPL-3.0-or-later
# Ended while it waits for more of the trace: what it has written so far goes with it.
mkfifo feed
exec 3<>feed
"$HORUS" trace assign feed --format csv -o out.csv &
pid=$!
{
    echo job_id,submit_time,gpus,duration
    seq 20000 | sed 's/.*/j&,&,1,5/'
} >&3
for _ in $(seq 100); do
    [ -e out.csv.tmp ] && break
    sleep 0.05
done
[ -e out.csv.tmp ] && echo "writes beside"
kill -TERM "$pid"
wait "$pid"
echo "exit code $?"
ls
