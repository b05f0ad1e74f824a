# SPDX-License-Identifier: GPL-3.0-or-later
# Parameters that another one makes idle: a sample without Gittins' index, a table of free preemptions.
printf '1\n2\n' >samples.txt
"$HORUS" run traces/sample.csv -c 8x8:V100 -p tiresias:samples=samples.txt,cost_table=1/2/3 --max-jobs 20 --dry-run >out
