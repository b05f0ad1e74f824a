# SPDX-License-Identifier: GPL-3.0-or-later
# A file whose hash cannot be read is not passed over as one that was never written; and what is
# wrong with a configuration is told with the manifest that holds it.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
END
"$HORUS" run t.csv -c 1x1 -q -o out >/dev/null
jq '(.outputs[] | select(.name == "jobs.csv") | .xxh3_64) = "?"' out/manifest.json >cut.json
"$HORUS" rerun cut.json
echo "exit $?" >&2
jq '.policy_parameters.scan = "all"' out/manifest.json >wrong.json
"$HORUS" rerun wrong.json
echo "exit $?" >&2
