# SPDX-License-Identifier: GPL-3.0-or-later
# A needed column under a misspelt name.
cat >t.csv <<'END'
job_id,submit_tme,gpus,duration
1,0,1,5
END
"$HORUS" run t.csv -c 2x4 -o out
