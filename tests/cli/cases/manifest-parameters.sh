# SPDX-License-Identifier: GPL-3.0-or-later
# The manifest has every parameter of the policy in the order of its table, those that nobody set
# too; what it has, given to -p, is the same run: hash of jobs.csv and parameters.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,1,8
c,2,1,2
END
"$HORUS" run t.csv -c 1x1 -p horus:w-mem=0.5,max_tenants=2 -q -o one >/dev/null
"$HORUS" policies horus --json | jq -r '.parameters[].key' >table
jq -r '.policy_parameters | keys_unsorted[]' one/manifest.json | diff table -
jq -c '.policy_parameters | {w_mem, max_tenants}' one/manifest.json
all=$(jq -r '.policy_parameters | to_entries | map("\(.key)=\(.value)") | join(",")' one/manifest.json)
"$HORUS" run t.csv -c 1x1 -p "horus:$all" -q -o two >/dev/null
for run in one two; do
    jq -c '[.policy_parameters, (.outputs[] | select(.name == "jobs.csv") | .xxh3_64)]' $run/manifest.json
done | uniq | wc -l
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf:scan=fit -q -o both >/dev/null
jq -c '.policies[] | [.policy, .policy_parameters]' both/manifest.json
