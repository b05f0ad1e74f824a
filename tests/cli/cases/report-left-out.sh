# SPDX-License-Identifier: GPL-3.0-or-later
# Sections whose files were not written say so, and the others stand. Jobs b and c wait 9 and 17 s for
# the one GPU: (0 + 9 + 17) / 3 = 8.667 s.
printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,8\nc,1,1,2\n' >t.csv
"$HORUS" run t.csv -c 1x1 -q -o summary --outputs summary >/dev/null
"$HORUS" run t.csv -c 1x1 -q -o jobs --outputs jobs >/dev/null
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf -q -o comparison >/dev/null
notes() { sed -n 's/.*<p class="note">\(.*\)<\/p>/\1/p' | grep -e 'eft out' -e '^No job'; }
for run in summary jobs comparison; do
    echo "$run:"
    "$HORUS" report $run -o - | notes
done
echo "both:"
"$HORUS" report summary jobs -o - | notes
"$HORUS" report summary -o - | grep -o 'data-metric="mean_wait" data-value="[^<]*<' | sort -u
# A horizon before the end of any job: charts over time reach to it. 5 of 10 s: marks at 0, 1, ... 5 s.
"$HORUS" run t.csv -c 1x1 --until 5s -q -o cut >/dev/null 2>&1
"$HORUS" report cut -o - >cut.html
notes <cut.html
grep -o '[^>]* of 3 jobs were cut' cut.html
sed -n '/GPUs held, and at work/,/<\/figure>/p' cut.html | grep -o 'y="135">[^<]*' | tail -n 1
