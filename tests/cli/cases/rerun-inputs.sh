# SPDX-License-Identifier: GPL-3.0-or-later
# Every input that is not there or has another content is named, with both hashes; nothing runs.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
END
echo '{"nodes": [{"count": 1, "gpus": 1, "type": "V100"}]}' >c.json
"$HORUS" run t.csv -c c.json -q -o one >/dev/null || exit
hashes() { sed -E 's/[0-9a-f]{16}/HASH/g'; }
echo 'b,3,1,10' >>t.csv
rm c.json
"$HORUS" rerun one 2>&1 | hashes
echo "exit ${PIPESTATUS[0]}"
"$HORUS" rerun one --trace nowhere.csv 2>&1 | hashes
"$HORUS" rerun one --trace -
echo "exit $?"
"$HORUS" run - -c 1x1 -q -o piped <t.csv >/dev/null
"$HORUS" rerun piped 2>&1 <t.csv | hashes
jq '(.inputs[] | select(.role == "profiles") | .bytes) = 7 | .version = "9.9.9" | .commit = "cafe"' piped/manifest.json >new.json
"$HORUS" rerun new.json --trace t.csv 2>&1 | hashes | sed -E 's/this is .*/this is .../; s/found HASH, [0-9]+/found HASH, N/'
ls
