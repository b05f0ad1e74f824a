# SPDX-License-Identifier: GPL-3.0-or-later
# A job id of 300 bytes.
{
    echo job_id,submit_time,gpus,duration
    printf 'x%.0s' {1..300}
    echo ,0,1,10
} >t.csv
"$HORUS" run t.csv -c 2x4 -o out
