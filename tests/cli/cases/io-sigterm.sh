# SPDX-License-Identifier: GPL-3.0-or-later
# SIGTERM in the middle of a run: nothing is kept.
{
    echo job_id,submit_time,gpus,duration
    awk 'BEGIN { for (i = 0; ; i++) print i "," i ",1,5" }' 2>/dev/null
} | timeout --foreground --preserve-status -s TERM 1 "$HORUS" run - -c 2x4 -o out
code=${PIPESTATUS[1]}
ls -d out* 2>/dev/null
exit "$code"
