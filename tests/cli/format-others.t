SPDX-License-Identifier: GPL-3.0-or-later

The formats acme, chronus, pai and tiresias, and files of no format.

# tiresias-bad-number
A GPU count of x.

  $ cat >t.csv <<'END'
  > job_id,num_gpu,submit_time,iterations,model_name,duration,interval
  > 0,1,0,606,vgg19,164,30
  > 1,x,30,133,vgg11,147,23
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:3:3: error: num_gpu is not a number: 'x'
  !     3 | 1,x,30,133,vgg11,147,23
  !       |   ^
  !       = hint: a whole number such as 8
  [3]

# tiresias-missing-column
No duration.

  $ cat >t.csv <<'END'
  > job_id,num_gpu,submit_time,iterations,model_name,interval
  > 0,1,0,606,vgg19,30
  > END
  $ horus run t.csv -c 2x4 -o out --format tiresias
  ! t.csv:1:1: error: missing column 'duration'
  !     1 | job_id,num_gpu,submit_time,iterations,model_name,interval
  !       | ^~~~~~
  !       = hint: the file has: job_id, num_gpu, submit_time, iterations, model_name, interval; name the columns with --format=csv --map=gpus=num_gpu,duration=COLUMN
  [3]

# trace-acme
Kalos: the first job ran for 8 s, not for the 18 of its duration, which counts the queue; the second
never started, the third has no GPU. 64 GPUs for 8 s are 0.1 GPU hours.

  $ cat >trace_kalos.csv <<'END'
  > job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time
  > dlc1,u1,8.0,64.0,960,1000,100.0,Other,FAILED,2023-05-17 11:00:58+00:00,2023-05-17 11:01:08+00:00,2023-05-17 11:01:16+00:00,2023-05-17 11:01:16+00:00,,18,10.0,1152.0
  > dlc2,u1,8.0,64.0,960,1000,100.0,Other,CANCELLED,2023-05-17 11:02:58+00:00,,2023-05-17 11:03:16+00:00,,2023-05-17 11:03:16+00:00,18,,
  > dlc3,u1,1.0,0.0,8,10,,Other,COMPLETED,2023-05-17 11:02:59+00:00,2023-05-17 11:03:00+00:00,2023-05-17 11:03:16+00:00,,,17,1.0,0.0
  > END
  $ horus trace info trace_kalos.csv | head -12
  trace        trace_kalos.csv (acme)
  rows         3
  jobs         1
  dropped      1 CPU job (0 GPUs)
  dropped      1 start or end missing
  first        2023-05-17 11:00:58
  last         2023-05-17 11:00:58
  span         0 days
  GPU hours    0.1
  mean demand  - GPUs over the span
  largest job  64 GPUs
  VCs          0

# trace-binary-junk
Binary data of no format.

  $ printf '\177ELF\002\001\001\000\000\003\000>\000' >t.csv
  $ horus run t.csv -c 2x4 -o out
  ! t.csv: error: not a trace of a known format
  !       = hint: set it with --format: csv, helios, * or * ('horus help formats') (glob)
  [3]

# trace-chronus
Minutes: 158 of 2 GPUs and 30 of one are 5.8 GPU hours; in seconds 0.1. One of two is guaranteed.

  $ cat >jobs.csv <<'END'
  > job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,expect_value_list,best_effort,job_type
  > 3,vc_a,2,100,5458,inception_v3,158,5,318-400,10-5,0,soft
  > 4,vc_b,1,130,3621,alexnet,30,17,130,10,1,best
  > END
  $ horus trace info jobs.csv | head -20
  trace        jobs.csv (chronus)
  rows         2
  jobs         2
  first        6000
  last         7800
  span         0.02 days
  GPU hours    5.8
  mean demand  11.5 GPUs over the span
  largest job  2 GPUs
  VCs          0
  users        2

  outcome              jobs     jobs % GPU time %
  unknown                 2        100        100

  class                jobs     jobs % GPU time %
  guaranteed              1         50       91.3
  opportunistic           1         50        8.7

  GPUs                 jobs     jobs % GPU time %
  $ horus trace info jobs.csv --time-unit=s | sed -n 6,7p
  span         0 days
  GPU hours    0.1

# trace-convert-simulators
Files of other simulators are read; csv, helios, philly, swf and gavel are written.

  $ echo job_id,submit_time,gpus,duration >jobs.csv
  $ echo a,0,2,60 >>jobs.csv
  $ horus trace convert jobs.csv --to muri -o -
  ! error: the muri format can be read, not written
  !       = hint: csv, helios, philly, swf or gavel
  [2]

# trace-info-pai
PAI's task table, which has no header: by hand, of 5 rows one is a CPU task, one still ran and one has no
end; job c requests 1.5 GPUs, so it gets 2.

  $ cat >pai_task_table.csv <<'END'
  > a,worker,2.0,Terminated,10.0,70.0,600.0,29.296875,50.0,T4
  > b,ps,1.0,Terminated,11.0,70.0,600.0,29.296875,,
  > c,worker,1.0,Failed,12.0,24.0,600.0,29.296875,150.0,MISC
  > d,worker,1.0,Running,13.0,,600.0,29.296875,100.0,MISC
  > e,worker,1.0,Failed,14.0,,600.0,29.296875,100.0,MISC
  > END
  $ horus trace info pai_task_table.csv | head -n 8
  trace        pai_task_table.csv (pai)
  rows         5
  jobs         2
  dropped      1 CPU job (0 GPUs)
  dropped      1 still running at the snapshot
  dropped      1 start or end missing
  rounded up   1 GPU demands (to thousandths, above one to whole GPUs)
  first        10

# trace-prose
Text of no format.

  $ echo 'Dear reader, this is not a trace.' >t.txt
  $ horus run t.txt -c 2x4 -o out
  ! t.txt:1:1: error: missing columns 'gpus', 'job_id', 'submit_time', 'duration'
  !     1 | Dear reader, this is not a trace.
  !       | ^~~~~~~~~~~
  !       = hint: the file has: Dear reader, this is not a trace.; name the columns with --format=csv --map=gpus=COLUMN,job_id=@row,submit_time=COLUMN,duration=COLUMN
  [3]

# kubernetes
Lists of pods and nodes as printed by kubectl, through configs/mappings/kubernetes-*.jq: train holds 2 GPUs
for 100 s from its submission on; side has two containers of a GPU each, which run from 10:00:20 to 10:01:50
in all; web has no GPU, and late has not ended. big is a pod with an init container that requests 4 GPUs for
its container's 1, restarted: it runs from its own start on; slice requests MIG slices, which are no GPUs.

  $ cat >pods.json <<'END'
  > {"apiVersion": "v1", "kind": "List", "items": [
  >  {"metadata": {"namespace": "a", "name": "train", "creationTimestamp": "2024-05-01T10:00:00Z"},
  >   "spec": {"priority": 5, "nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB"}, "containers": [
  >     {"resources": {"limits": {"nvidia.com/gpu": "2"}, "requests": {"cpu": "1500m", "memory": "2Gi", "nvidia.com/gpu": "2"}}}]},
  >   "status": {"phase": "Succeeded", "containerStatuses": [
  >     {"state": {"terminated": {"startedAt": "2024-05-01T10:00:10Z", "finishedAt": "2024-05-01T10:01:50Z"}}}]}},
  >  {"metadata": {"namespace": "b", "name": "side", "creationTimestamp": "2024-05-01T10:00:05Z"},
  >   "spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}, {"resources": {"limits": {"nvidia.com/gpu": "1"}}}]},
  >   "status": {"phase": "Failed", "containerStatuses": [
  >     {"state": {"terminated": {"startedAt": "2024-05-01T10:00:20Z", "finishedAt": "2024-05-01T10:01:00Z"}}},
  >     {"state": {"terminated": {"startedAt": "2024-05-01T10:00:30Z", "finishedAt": "2024-05-01T10:01:50Z"}}}]}},
  >  {"metadata": {"namespace": "b", "name": "web", "creationTimestamp": "2024-05-01T10:00:06Z"},
  >   "spec": {"containers": [{"resources": {}}]},
  >   "status": {"phase": "Succeeded", "containerStatuses": [
  >     {"state": {"terminated": {"startedAt": "2024-05-01T10:00:20Z", "finishedAt": "2024-05-01T10:01:00Z"}}}]}},
  >  {"metadata": {"namespace": "b", "name": "late", "creationTimestamp": "2024-05-01T10:00:07Z"},
  >   "spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}]}, "status": {"phase": "Pending"}},
  >  {"metadata": {"namespace": "c", "name": "big", "creationTimestamp": "2024-05-01T10:00:08Z"},
  >   "spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}], "initContainers": [{"resources": {"limits": {"nvidia.com/gpu": "4"}}}]},
  >   "status": {"phase": "Succeeded", "startTime": "2024-05-01T10:00:18Z", "containerStatuses": [{"restartCount": 1,
  >     "state": {"terminated": {"startedAt": "2024-05-01T10:01:00Z", "finishedAt": "2024-05-01T10:01:50Z"}}}]}},
  >  {"metadata": {"namespace": "c", "name": "slice", "creationTimestamp": "2024-05-01T10:00:09Z"},
  >   "spec": {"containers": [{"resources": {"limits": {"nvidia.com/mig-1g.10gb": "2"}}}]},
  >   "status": {"phase": "Succeeded", "containerStatuses": [
  >     {"state": {"terminated": {"startedAt": "2024-05-01T10:00:20Z", "finishedAt": "2024-05-01T10:01:00Z"}}}]}}]}
  > END
  $ cat >nodes.json <<'END'
  > {"items": [
  >  {"metadata": {"name": "gpu-1", "labels": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB"}},
  >   "status": {"allocatable": {"cpu": "63500m", "memory": "263856232Ki", "nvidia.com/gpu": "4"}}},
  >  {"metadata": {"name": "cpu-1", "labels": {}}, "status": {"allocatable": {"cpu": "16", "memory": "65536Mi"}}}]}
  > END
  $ jq -rf configs/mappings/kubernetes-pods.jq pods.json >jobs.csv; cat jobs.csv
  "job_id","submit_time","gpus","start_time","end_time","vc","gpu_type","cpus","mem_mib","priority","status"
  "a/train",1714557600,2,1714557610,1714557710,"a","NVIDIA-A100-SXM4-40GB",1.5,2048,5,"completed"
  "b/side",1714557605,2,1714557620,1714557710,"b","",0,0,0,"failed"
  "b/web",1714557606,0,1714557620,1714557660,"b","",0,0,0,"completed"
  "b/late",1714557607,1,"","","b","",0,0,0,"pending"
  "c/big",1714557608,4,1714557618,1714557710,"c","",0,0,0,"completed"
  "c/slice",1714557609,"2 nvidia.com/mig-1g.10gb",1714557620,1714557660,"c","",0,0,0,"completed"
  $ jq -f configs/mappings/kubernetes-nodes.jq nodes.json >cluster.json; jq -c . cluster.json
  {"nodes":[{"name":"gpu-1","gpus":4,"cpus":63,"mem_mib":257672,"type":"NVIDIA-A100-SXM4-40GB"}]}
  $ horus run jobs.csv -c cluster.json --assign=off -p fifo -q -o out --skip-bad-rows=20% | head -n 1
  jobs.csv (csv) on cluster.json: 4 GPUs, 1 nodes
  ! jobs.csv:7:22: warning: gpus is not a number: '2 nvidia.com/mig-1g.10gb'
  !     7 | "c/slice",1714557609,"2 nvidia.com/mig-1g.10gb",1714557620,1714557660,"c","",0,0,0,"completed"
  !       |                      ^~~~~~~~~~~~~~~~~~~~~~~~~~
  !       = hint: a whole number such as 8
  ! jobs.csv: warning: skipped 1 bad rows of 6: 1 not a number
  ! warning: 1 of 6 rows left out: CPU job (0 GPUs)
  ! warning: 1 of 6 rows left out: never started
  ! warning: 1 of 3 jobs have a priority: policy 'fifo' ignores it
  !       = hint: its parameter priority=order puts jobs of higher priority first
  $ cut -d, -f1,3,7-9 out/jobs.csv
  job_id,submission_time,starting_time,execution_time,finish_time
  b/side,5,5,90,95
  a/train,0,0,100,100
  c/big,8,100,92,192

# kubernetes-quantities
The five ways to write roughly 123 MiB of the documentation of Kubernetes ("Memory resource units"): 128974848 and
128974848000m are 123 * 2^20 bytes, 129e6 and 129M 123.02 MiB, rounded up.

  $ for memory in 128974848 129e6 129M 128974848000m 123Mi; do
  >     echo "{\"items\": [{\"metadata\": {\"name\": \"$memory\", \"namespace\": \"a\", \"creationTimestamp\": \"2024-05-01T10:00:00Z\"},
  >         \"spec\": {\"containers\": [{\"resources\": {\"requests\": {\"memory\": \"$memory\"}}}]}, \"status\": {}}]}" |
  >         jq -rf configs/mappings/kubernetes-pods.jq | sed 1d | cut -d, -f1,9
  >     echo "{\"items\": [{\"metadata\": {\"name\": \"n\", \"labels\": {}}, \"status\": {\"allocatable\": {
  >         \"cpu\": \"4\", \"memory\": \"$memory\", \"nvidia.com/gpu\": \"1\"}}}]}" | jq -f configs/mappings/kubernetes-nodes.jq | jq '.nodes[].mem_mib'
  > done
  "a/128974848",123
  123
  "a/129e6",124
  123
  "a/129M",124
  123
  "a/128974848000m",123
  123
  "a/123Mi",123
  123
