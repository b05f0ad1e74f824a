#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# `horus rerun` repeats a run byte by byte: a run of every policy, and one for each kind of value of a
# configuration. A manifest with one changed value is another run.
subject=rerun
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

cd "$work" || exit 1
ln -s "$top/traces" "$top/configs" .

repeats() { # exit code 0, every file listed by the run is reported as identical
    local name=$1 run=$2 said wanted
    shift 2
    said=$("$HORUS" rerun "$run" "$@" 2>&1) || {
        verdict "$name" "$said"
        return
    }
    wanted=$(jq '.outputs | length + 1' "$run/manifest.json")
    verdict "$name" "$([ "$(grep -c ' same$' <<<"$said")" -eq "$wanted" ] || echo "$said")"
}

for policy in $("$HORUS" policies --json | jq -r '.[].name'); do
    "$HORUS" run traces/sample-classes.csv -c 3x8:V100 -p "$policy" --max-jobs 250 --decisions -q \
        -o "policy-$policy" >/dev/null 2>&1
    repeats "$policy" "policy-$policy"
done

# Another seed, another cluster, another parameter of the policy, a count: each must be reported.
for change in '.config.seed = 2' '.config.cluster = "4x8:V100"' \
    '.policy_parameters.max_tenants = "1"' '.engine.events -= 1'; do
    mkdir changed
    jq "$change" policy-horus/manifest.json >changed/manifest.json
    "$HORUS" rerun changed >said 2>&1
    code=$?
    verdict "a manifest with $change is not the run" "$([ $code -eq 1 ] || cat said)"
    rm -r changed
done

run() { # NAME OPTION...
    local name=$1
    shift
    "$HORUS" run "$@" -q -o "$name" >/dev/null 2>said || verdict "$name" "$(cat said)"
}
awk -F, 'NR == 1 { print "job_id,estimate"; next } { print $1 "," NR % 100 }' traces/sample.csv >estimates.csv
printf '{"load": 1.25, "policy": {"name": "sjf", "scan": "fit"}}\n' >config.json
gzip -c traces/sample.csv >packed.csv.gz
printf '{"columns": {"submit_time": "when", "job_id": "@row"}}\n' >map.json
sed '1s/submit_time/when/; 1s/job_id/id/' traces/sample.csv >mapped.csv
cp configs/models/interference.json pairs.json

run ties traces/sample.csv -c 8x8:V100 -p srtf --max-jobs 300 --tie-jitter 3
repeats "ties drawn at random" ties
run everything traces/sample.csv -c 8x8:V100 -p srtf --max-jobs 300 --sample exact --outputs=all,swf \
    --warmup 1h --cooldown 90min --until 2.5d --load 1.1 --seed 8999999999999999
repeats "every file, windows, a horizon, a load, the largest seed" everything
run summary traces/sample.csv --outputs summary
repeats "a summary alone" summary
run configured --config config.json traces/sample.csv -c 8x8:V100
rm config.json
repeats "a file of --config that is gone" configured
run estimates traces/sample.csv -c 8x8:V100 -p sjf:pred=file,pred_file=estimates.csv
repeats "a file of estimates" estimates
run packed packed.csv.gz -c 8x8:V100
repeats "a packed trace" packed
repeats "the same trace not packed" packed --trace traces/sample.csv
run mapped mapped.csv --map map.json -c 8x8:V100
repeats "columns renamed by a file" mapped
run clusters traces/sample-philly.json -c configs/clusters/philly-2vc.json --vc=partition -p philly
repeats "a cluster file with virtual clusters" clusters
run models traces/sample-classes.csv -c 3x8:V100 -p horus --models pairs.json \
    --max-jobs 250 --interference-noise 1 --retries=generate --startup 30s
repeats "a model file, noise and made-up retries" models
"$HORUS" run - -c 8x8:V100 --name piped -q -o piped <traces/sample.csv >/dev/null
repeats "a trace that came through a pipe" piped --trace traces/sample.csv
"$HORUS" compare traces/sample.csv -c 8x8:V100 -p fifo -p srtf --seeds 1..2 --max-jobs 200 \
    --outputs all -q -o compared >/dev/null
for run in compared/runs/*; do repeats "$run of a comparison" "$run"; done
echo '{"config": {"trace": "traces/sample.csv", "cluster": "8x8:V100", "max_jobs": 200},
    "grid": {"policy": ["fifo", "srtf"], "load": [0.9, 1.1]}}' >sweep.json
"$HORUS" sweep sweep.json -q -o swept >/dev/null
for run in swept/runs/*; do repeats "$run of a sweep" "$run"; done
verdict "a sweep as a whole is not repeated" "$("$HORUS" rerun swept 2>&1 | grep -q 'it holds 4 runs' || echo "no word of it")"

# After that no temporary file is left beside the runs.
verdict "no scratch directory is left" "$(find . -name 'rerun-*')"
exit $failed
