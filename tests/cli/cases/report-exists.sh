# SPDX-License-Identifier: GPL-3.0-or-later
# A page is not replaced unasked; it is the same page again, and on standard output, too.
printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,8\n' >t.csv
"$HORUS" run t.csv -c 1x1 -q -o run >/dev/null
"$HORUS" report run | sed 's/([0-9]* bytes)/(N bytes)/'
cp report.html first.html
"$HORUS" report run || echo "exit $?"
"$HORUS" report run --force | sed 's/([0-9]* bytes)/(N bytes)/'
cmp report.html first.html
"$HORUS" report run -o - | cmp - first.html
"$HORUS" report ./run/ -o - | cmp - first.html
