#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# `horus schema` and python3-jsonschema agree: on thousands of files, each accepted by both or refused by
# both (schema-mutants.py), on every experiment of the tree, and on the configuration in a manifest.
subject=schema
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

# The first python with the module: one of the user's may hide that of the system.
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    skip "all of it: no python3 with jsonschema (4.0 or later) is installed"
    exit 0
fi

validate() { # comments with // are not JSON and are removed, except inside texts
    "$python" -c '
import json, re, sys, jsonschema
schema, document = (open(path).read() for path in sys.argv[1:3])
document = re.sub(r"(\"(?:[^\"\\]|\\.)*\")|//[^\n]*", lambda m: m[1] or "", document)
for error in jsonschema.Draft202012Validator(json.loads(schema)).iter_errors(json.loads(document)):
    print(error.json_path, error.message[:200])' "$1" "$2" 2>&1
}

"$HORUS" schema sweep >"$work/sweep.json"
"$HORUS" schema run >"$work/run.json"
for file in configs/sweeps/*.json; do
    [ -e "$file" ] || continue
    verdict "$file is valid" "$(validate "$work/sweep.json" "$file")"
done
"$HORUS" schema cluster >"$work/cluster.json"
for file in configs/clusters/*.json; do
    verdict "$file is valid" "$(validate "$work/cluster.json" "$file")"
done
"$HORUS" schema workload >"$work/workload.json"
for file in configs/workloads/*.json; do
    verdict "$file is valid" "$(validate "$work/workload.json" "$file")"
done
head -5 traces/sample.csv >"$work/t.csv"
"$HORUS" run "$work/t.csv" -c 1x8 -p srtf:form=replace -q -o "$work/run" >/dev/null
jq .config "$work/run/manifest.json" >"$work/config.json"
verdict "the configuration in a manifest is valid" "$(validate "$work/run.json" "$work/config.json")"
"$HORUS" schema version >/dev/null 2>&1
verdict "a command without configuration has no schema" "$([ $? -eq 2 ] || echo "exit is not 2")"
verdict "run is the subject if none is named" "$("$HORUS" schema | cmp - "$work/run.json" 2>&1)"

"$python" tests/scripts/schema-mutants.py "$HORUS" "$work" || failed=1
exit $failed
