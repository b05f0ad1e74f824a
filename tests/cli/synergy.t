SPDX-License-Identifier: GPL-3.0-or-later

CPUs and host memory that a policy allocates, in a run and its reports.

# synergy-verify
A server of one GPU, 6 CPUs and 62.5 GB: ResNet18 is 1.75 times as fast as with 3 CPUs
(configs/models/host.json), so 3,500 s take 2,000. The trace's request of 8 CPUs does not count. No bound
holds for it, and the request differs from the allocation: verify reports that.

  $ cat >c.json <<'END'
  > {"gpu_types": {"V100": {}},
  >  "nodes": [{"count": 1, "gpus": 1, "type": "V100", "cpus": 6, "mem_mib": 64000}]}
  > END
  $ cat >jobs.csv <<'END'
  > job_id,submit_time,gpus,duration,cpus,model,dataset,batch,precision
  > a,0,1,3500,8,ResNet18,CIFAR-10,32,fp32
  > END
  $ horus run jobs.csv -c c.json -p synergy -o out 2>/dev/null | grep bound
  bound       makespan  none: CPUs and host memory by the policy may make a job faster than the trace
  bound       mean_wait none: CPUs and host memory by the policy may make a job faster than the trace
  bound       mean_jct  none: CPUs and host memory by the policy may make a job faster than the trace
  $ cut -d, -f1,11 out/jobs.csv
  job_id,turnaround_time
  a,2000
  $ horus verify out | grep 'cores\|faster\|passed'
  skip  no GPU gives more time than it has: a job may be faster by CPUs of the policy than where its use was measured
  skip  no node gives more cores or memory than it has: the policy allots cores and memory, which no file of the run states
  21 checks passed
