# SPDX-License-Identifier: GPL-3.0-or-later
# A list of machines is a cluster: nodes with their names, without the machine that has no GPU; what
# ran on it is verified by a reader of its own. GPUs by hand: 2 + 1.
printf 'sn,cpu_milli,memory_mib,gpu,model\nmachine-a,64000,262144,2,V100M32\nmachine-b,32000,65536,0,\nmachine-c,8000,2048,1,V100M32\n' >nodes.csv
printf 'job_id,submit_time,gpus,duration\n1,0,2,10\n2,0,1,20\n' >jobs.csv
"$HORUS" run jobs.csv -c nodes.csv --assign=off -o out >run.txt
cut -d, -f1-3 out/nodes.csv
"$HORUS" verify out | tail -n 1
