# SPDX-License-Identifier: GPL-3.0-or-later
# SIGTERM while waiting for input that does not come.
{
    echo job_id,submit_time,gpus,duration
    sleep 2
} | timeout --foreground --preserve-status -s TERM 1 "$HORUS" run - -c 2x4 -o out
code=${PIPESTATUS[1]}
ls -d out* 2>/dev/null
exit "$code"
