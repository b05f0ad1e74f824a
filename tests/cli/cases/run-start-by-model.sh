# SPDX-License-Identifier: GPL-3.0-or-later
# salus:startup_by=model pays for a start what the table of restarts says, as shipped 7 s for vgg16 and 5 s
# for dqn on one GPU (Muri), and startup, 1 s, for what is in no row. Each has a GPU to itself and ends 100 s
# after its start is paid. The table is an input of the run that asks it.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration,model,gpu_mem_mib,gpu_mem_persistent_mib,step
a,0,1,100,VGG-16,1000,100,1
b,0,1,100,dqn,1000,100,1
END
run() {
    echo "-- $*"
    "$HORUS" run t.csv -c 1x2:V100 --assign off -q -o out --force "$@" | grep '^preemption'
    awk -F, 'NR > 1 { print $1 " ends at " $9 }' out/jobs.csv | sort
    jq -r '.inputs[] | select(.role == "restarts") | .path' out/manifest.json
}
run -p salus:startup_by=model,startup=1s
printf 'model,gpus,restart_s\ndqn,1,2.5\n' >r.csv
run -p salus:startup_by=model,startup=1s --restart-table r.csv
run -p salus:startup=1s
