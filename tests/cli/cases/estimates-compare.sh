# SPDX-License-Identifier: GPL-3.0-or-later
# Two policies of a comparison may have files of their own: both are inputs, one file once.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
0,0,1,10
END
printf 'job_id,estimate\n0,1\n' >a.csv
printf 'job_id,estimate\n0,2\n' >b.csv
"$HORUS" compare t.csv -c 1x1 -q -o out -p sjf:pred=file,pred_file=a.csv -p qssf:pred=file,pred_file=b.csv \
    -p fifo:scan=easy,pred=file,pred_file=a.csv >/dev/null
jq -c '.inputs[] | select(.role | startswith("policy:")) | [.role, .path]' out/manifest.json
