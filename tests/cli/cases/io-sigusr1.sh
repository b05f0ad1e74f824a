# SPDX-License-Identifier: GPL-3.0-or-later
# SIGUSR1 asks for the status line.
"$HORUS" run - -c 2x4 -o out < <(
    echo job_id,submit_time,gpus,duration
    awk 'BEGIN { for (i = 0; ; i++) print i "," i ",1,5" }' 2>/dev/null
) &
sleep 1
kill -USR1 $!
sleep 1
kill -TERM $!
wait $!
