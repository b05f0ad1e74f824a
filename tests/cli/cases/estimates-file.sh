# SPDX-License-Identifier: GPL-3.0-or-later
# Estimates of a file, on one GPU: 0 runs 0-10; then 2, taken for 3 s, goes before 1, taken for 9 s,
# and 3, which the file does not name, has pred_unknown and goes last. The file is an input of the
# run, listed with its hash, and named in no other way in the name of the directory.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
0,0,1,10
1,1,1,5
2,2,1,20
3,3,1,1
END
printf 'job_id,estimate\n2,3\n1,9\n0,10\n' >e.csv
"$HORUS" run t.csv -c 1x1 -p sjf:pred=file,pred_file=e.csv -q -o out >/dev/null
cut -d, -f1,7,9,39 out/jobs.csv
jq -c '.inputs[] | select(.role == "policy:pred_file") | [.path, .bytes]' out/manifest.json
jq -c '.card.knows, .warnings' out/manifest.json
"$HORUS" verify out | tail -n 1
"$HORUS" run t.csv -c 1x1 -p sjf:pred=file,pred_file=e.csv -q --dry-run | tail -n 1 >one
mv e.csv f.csv
"$HORUS" run t.csv -c 1x1 -p sjf:pred_file=f.csv,pred=file -q --dry-run | tail -n 1 >same
printf '3,1\n' >>f.csv
"$HORUS" run t.csv -c 1x1 -p sjf:pred_file=f.csv,pred=file -q --dry-run | tail -n 1 >other
cmp -s one same && echo same name
cmp -s one other || echo other name
