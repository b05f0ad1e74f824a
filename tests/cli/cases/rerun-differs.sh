# SPDX-License-Identifier: GPL-3.0-or-later
# Exit code 1 and a line for each file that is another one. The recorded policy is made sjf: job c
# (2 s) then goes before b, so that the waits differ and the nodes (held for 20 s each time) do not.
# What is there now and was not is said and does not count; the folder of a changed manifest has the
# run no longer, which is why the hint about -o stands. Commits and versions are named.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,1,8
c,2,1,2
END
"$HORUS" run t.csv -c 1x1 -p fifo -q -o one >/dev/null
mkdir other
jq '.config.policy = "sjf" | del(.outputs[] | select(.name == "series.csv"))' one/manifest.json \
    >other/manifest.json
"$HORUS" rerun other | sed -E 's/[0-9a-f]{16}/HASH/g'
echo "exit ${PIPESTATUS[0]}"
"$HORUS" rerun other -o two >/dev/null
echo "exit $?"
jq '.version = "0.0.9" | .commit = "cafe"' one/manifest.json >other/manifest.json
"$HORUS" rerun other 2>&1 >/dev/null | sed -E 's/this is .*/this is .../'
ls
