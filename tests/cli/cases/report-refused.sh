# SPDX-License-Identifier: GPL-3.0-or-later
# What is no finished run, and what does not stand beside runs. No page is left behind.
printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,8\n' >t.csv
"$HORUS" run t.csv -c 1x1 -q -o run >/dev/null
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf -q -o comparison >/dev/null
mkdir unfinished
cp -r run broken
echo '{}' >broken/summary.json
"$HORUS" report || echo "exit $?"
"$HORUS" report missing || echo "exit $?"
"$HORUS" report unfinished || echo "exit $?"
"$HORUS" report run broken || echo "exit $?"
"$HORUS" report run comparison || echo "exit $?"
"$HORUS" compare run run -q -o pairs >/dev/null
"$HORUS" report pairs || echo "exit $?"
ls
