# SPDX-License-Identifier: GPL-3.0-or-later
# The quirk of Muri reads the table of restarts whatever a resumption costs: no note.
printf "model,gpus,restart_s\n*,1,5\n" >restarts.csv
"$HORUS" run traces/sample.csv -c 8x8:V100 -p srtf:compat=muri --restart-table restarts.csv --max-jobs 20 --dry-run >out
