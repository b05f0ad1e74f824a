# SPDX-License-Identifier: GPL-3.0-or-later
# What is no run: a folder, a trace, a comparison with and without its runs, a manifest of which a
# part is missing or cannot be understood. Exit code 3 each time. Lines of a manifest are not counted
# here: another option is another line.
try() {
    "$HORUS" rerun "$@" 2>&1 | sed -E 's/^(m.json):[0-9]+:/\1:N:/; s/^ +[0-9]+ \|/    N |/'
    echo "exit ${PIPESTATUS[0]}"
}
head -9 traces/sample.csv >t.csv
"$HORUS" run t.csv -c 1x8 -p horus -q -o one >/dev/null
"$HORUS" compare t.csv -c 1x8 -p fifo -p sjf --outputs all -q -o many >/dev/null
"$HORUS" compare t.csv -c 1x8 -p fifo -p sjf -q -o few >/dev/null
mkdir empty
try empty
try nothing
try t.csv
try many
try many/manifest.json
try few
try one/summary.json
jq 'del(.inputs[0].xxh3_64)' one/manifest.json >m.json && try m.json
jq '.config.lode = 1 | .config.check = "none"' one/manifest.json >m.json && try m.json
jq '.config.policy = null' one/manifest.json >m.json && try m.json
jq '.config.policy = "oracle"' one/manifest.json >m.json && try m.json
jq '.policy_parameters.cost = 1' one/manifest.json >m.json && try m.json
ls
