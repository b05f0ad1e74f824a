# SPDX-License-Identifier: GPL-3.0-or-later
# A run is repeated from its directory, from its manifest, and from a manifest alone; the hashes are
# those of the manifest; -o keeps the new run, whose manifest has the same outputs. The name of the
# trace is in the results (workload_name), yet a trace of another name is the same run.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,1,8
c,2,1,2
END
"$HORUS" run t.csv -c 1x1 -p sjf -q -o one >/dev/null
"$HORUS" rerun one >said
sed -E 's/[0-9a-f]{16}/HASH/' said
jq -r '.outputs[] | "\(.name) \(.xxh3_64)"' one/manifest.json >recorded
awk 'NR > 1 && $2 != "-" { print $1, $2 }' said | diff recorded -
cp one/manifest.json alone.json
"$HORUS" rerun alone.json | diff said - && echo alone
mv t.csv elsewhere.csv
(cd one && "$HORUS" rerun . --trace ../elsewhere.csv) | diff said - && echo elsewhere
"$HORUS" rerun one/manifest.json --trace elsewhere.csv -o two | tail -1
jq -r '.outputs[] | "\(.name) \(.xxh3_64)"' two/manifest.json | diff recorded - && echo kept
"$HORUS" rerun two | grep -c ' same$'
ls
