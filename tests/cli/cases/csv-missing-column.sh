# SPDX-License-Identifier: GPL-3.0-or-later
# The native format needs four columns.
cat >t.csv <<'END'
job_id,submit_time,gpus
1,0,1
END
"$HORUS" run t.csv -c 2x4 -o out
