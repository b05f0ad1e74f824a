SPDX-License-Identifier: GPL-3.0-or-later

`horus trace assign`.

# trace-assign
One job by its columns, one by its telemetry, two drawn (a gang, an idle one), one without GPUs.

  $ cat > profiles.csv <<END
  > model,dataset,batch,precision,gpu,util,mem_mib,distributed
  > NetA,Set,32,fp32,G,30,2000,yes
  > NetB,,64,amp,G,80,3000,no
  > END
  $ cat > jobs.csv <<END
  > job_id,submit_time,gpus,duration,user,model,batch,gpu_util,deadline,outcome
  > named,0,1,10,u,net-b,60,55.5,,Pass
  > told,1.5,1,10,u,,,79,,Killed
  > gang,2,8,10,v,,,,100,
  > idle,3,1,10,v,,,0,,
  > cpu,4,0,10,v,,,,,
  > END
  $ horus trace assign jobs.csv --profiles profiles.csv --cpu-jobs=keep --assign-target 30 -o out.csv
  ! note: no cluster given: drawn profiles may need more GPU memory than your GPUs have
  !       = hint: -c SPEC
  ! warning: 1 of 5 jobs name a batch, dataset or precision that the catalogue does not have, e.g. 'net-b//60/': NetB//64/amp is used for it
  ! note: 5 jobs written; profiles: 1 by columns, 1 by telemetry, 2 drawn, 1 without
  ! note: mean GPU utilization: 54.8 % of jobs on one GPU, 30 % of gangs
  $ cat out.csv
  job_id,submit_time,gpus,duration,user,vc,gpu_type,model,dataset,batch,precision,nodes,cpus,mem_mib,gpu_mem_mib,gpu_util,priority,deadline,preempt_cost,gpus_min,gpus_max,outcome,attempts,class,step,gpu_mem_persistent_mib,checkpoint_mib,gpu_mem_later_mib,gpu_mem_later_after,gpu_milli,gpu_type_ran,deadline_options,loss_curve,start_time,end_time
  named,0,1,10,u,,,net-b,,60,,,,,3000,55.5,,,,,,completed,,,,287,,,,,,,,,
  told,1.5,1,10,u,,,NetB,,64,amp,,,,3000,79,,,,,,cancelled,,,,287,,,,,,,,,
  gang,2,8,10,v,,,NetA,Set,32,fp32,,,,2000,30,,100,,,,,,,,287,,,,,,,,,
  idle,3,1,10,v,,,NetA,Set,32,fp32,,,,2000,30,,,,,,,,,,287,,,,,,,,,
  cpu,4,0,10,v,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,

# trace-assign-back
Read back, the file has the same jobs and profiles with any seed; drawn again from the same seed it
is the same, from another it is not; a shorter one is the beginning of the whole.

  $ horus trace assign traces/sample.csv -q -o a.csv
  $ horus trace assign a.csv -q --assign=columns --seed 9 -o back.csv
  $ horus trace assign traces/sample.csv -q -o again.csv
  $ horus trace assign traces/sample.csv -q --seed 2 -o other.csv
  $ horus trace assign traces/sample.csv -q --max-jobs 300 -o first.csv
  $ cmp a.csv back.csv && cmp a.csv again.csv && head -n 301 a.csv | cmp - first.csv && echo same
  same
  $ cmp -s a.csv other.csv || echo another
  another

# trace-assign-bad-row
An error in the trace leaves no partial output.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,x\n' > jobs.csv
  $ horus trace assign jobs.csv -o out.csv
  ! note: no cluster given: drawn profiles may need more GPU memory than your GPUs have
  !       = hint: -c SPEC
  ! jobs.csv:3:7: error: duration is not a number: 'x'
  !     3 | b,1,1,x
  !       |       ^
  !       = hint: seconds such as 12.5, with a point, or 1:30:00, or 90min; start_time and end_time may take its place
  [3]
  $ ls out.csv* .out.csv* 2> /dev/null
  [2]

# trace-assign-interrupted
SIGTERM while it waits for more of the trace: the unfinished output is removed.

  $ mkfifo feed
  $ exec 3<>feed
  $ horus trace assign feed --format csv -o out.csv &
  ! note: no cluster given: drawn profiles may need more GPU memory than your GPUs have
  !       = hint: -c SPEC
  $ pid=$!
  $ {
  >     echo job_id,submit_time,gpus,duration
  >     seq 20000 | sed 's/.*/j&,&,1,5/'
  > } >&3
  $ for _ in $(seq 100); do
  >     ls out.csv.tmp-* >/dev/null 2>&1 && break
  >     sleep 0.05
  > done
  $ ls out.csv.tmp-* >/dev/null && echo "writes beside"
  writes beside
  $ kill -TERM "$pid"
  $ wait "$pid"
  [143]
  $ ls
  configs
  feed
  tests
  traces

# trace-assign-memory
The drawn profiles fit the smallest GPU of the cluster.

  $ cat > cluster.json <<END
  > {"gpu_types": {"A": {"mem_mib": 2700}, "B": {"mem_mib": 16384}},
  >  "nodes": [{"gpus": 4, "type": "A"}, {"gpus": 4, "type": "B"}]}
  > END
  $ horus trace assign traces/sample.csv -q -c cluster.json -o out.csv
  $ awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "gpu_mem_mib") c = i }
  >          NR > 1 { n++; large += $c > 2700; missing += $c == "" }
  >          END { print n, large, missing }' out.csv
  2000 0 0

# trace-assign-no-catalogue
A catalogue that does not exist.

  $ horus trace assign traces/sample.csv --profiles missing.csv -o out.csv
  ! note: no cluster given: drawn profiles may need more GPU memory than your GPUs have
  !       = hint: -c SPEC
  ! missing.csv: error: cannot open: No such file or directory
  [4]

# trace-assign-no-output
-o is required.

  $ horus trace assign traces/sample.csv
  ! error: trace assign: where to write is missing
  !       = hint: -o FILE, or -o - for standard output
  [2]

# trace-assign-out-of-reach
No gang of this catalogue idles that much.

  $ cat > profiles.csv <<END
  > model,gpu,util,distributed
  > NetA,G,10.5,no
  > NetB,G,45.5,yes
  > NetC,G,80,yes
  > END
  $ horus trace assign traces/sample.csv --profiles profiles.csv --assign-target 30 -o out.csv
  ! note: no cluster given: drawn profiles may need more GPU memory than your GPUs have
  !       = hint: -c SPEC
  ! error: a mean utilization of 30 % is not possible for jobs of several GPUs: their profiles have from 45.5 % to 80 %
  !       = hint: --assign-target=45.5; or --assign=columns, if the trace names its models
  [2]

# trace-assign-over-input
An output that is an input, by its name, through a link, or as the catalogue: nothing is touched.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,1,10
  > END
  $ cp t.csv kept.csv
  $ ln -s t.csv linked.csv
  $ horus trace assign t.csv -o t.csv
  ! error: -o t.csv would destroy the input t.csv
  !       = hint: write to another file
  [2]
  $ horus trace assign linked.csv -o ./t.csv
  ! error: -o ./t.csv would destroy the input linked.csv
  !       = hint: write to another file
  [2]
  $ cp configs/profiles.csv own.csv
  $ horus trace assign t.csv --profiles own.csv -o own.csv
  ! error: -o own.csv would destroy the input own.csv
  !       = hint: write to another file
  [2]
  $ cmp t.csv kept.csv && cmp own.csv configs/profiles.csv && ls
  configs
  kept.csv
  linked.csv
  own.csv
  t.csv
  tests
  traces

# trace-assign-stdout
Standard output has the file and nothing else; the note about excluded jobs goes to standard error.

  $ horus trace assign traces/sample-philly.json -q -o - | horus trace info - | head -n 4
  trace        <stdin> (csv)
  rows         254
  jobs         254
  first        2017-10-09 07:01:58
  ! warning: 8 of 300 rows left out: still running at the snapshot
  ! warning: 33 of 300 rows left out: never started
  ! warning: 5 of 300 rows left out: start or end missing

# trace-assign-unknown-model
Names that the catalogue does not have.

  $ cat > jobs.csv <<END
  > job_id,submit_time,gpus,duration,model,batch
  > a,0,1,10,NoSuchNet,
  > b,1,1,10,ResNet18,48
  > END
  $ horus trace assign jobs.csv --assign=columns -o out.csv
  ! note: no cluster given: drawn profiles may need more GPU memory than your GPUs have
  !       = hint: -c SPEC
  ! warning: 1 of 2 jobs name a batch, dataset or precision that the catalogue does not have, e.g. 'ResNet18//48/': ResNet18/CIFAR-10/64/fp32 is used for it
  ! warning: 1 of 2 jobs name a model that is not in the catalogue, e.g. 'NoSuchNet'
  !       = hint: add its row to the catalogue (--profiles); by default an assumed profile is drawn for them, --assign=columns leaves them without one
  ! note: 2 jobs written; profiles: 1 by columns, 0 by telemetry, 0 drawn, 1 without
  ! note: mean GPU utilization: 80.7 % of jobs on one GPU, unknown of gangs

# trace-inexact
A precision, a dataset and a batch that the catalogue lacks: a warning by `assign` and by `run`.

  $ for names in 'ResNet18,,64,fp16' 'ResNet18,Foo,64,fp32' 'ResNet18,CIFAR-10,65,fp32' \
  >     'ResNet18,CIFAR-10,64,fp32'; do
  >     printf 'job_id,submit_time,gpus,duration,model,dataset,batch,precision\na,0,1,10,%s\n' \
  >         "$names" >t.csv
  >     horus trace assign t.csv -f -o t2.csv --quiet
  >     horus run t.csv -c 1x4:RTX3090 --quiet -o out --force >/dev/null
  > done
  ! warning: 1 of 1 jobs name a batch, dataset or precision that the catalogue does not have, e.g. 'ResNet18//64/fp16': ResNet18/CIFAR-10/64/fp32 is used for it
  ! warning: 1 of 1 jobs name a batch, dataset or precision that the catalogue does not have, e.g. 'ResNet18//64/fp16': ResNet18/CIFAR-10/64/fp32 is used for it
  ! warning: 1 of 1 jobs name a batch, dataset or precision that the catalogue does not have, e.g. 'ResNet18/Foo/64/fp32': ResNet18/CIFAR-10/64/fp32 is used for it
  ! warning: 1 of 1 jobs name a batch, dataset or precision that the catalogue does not have, e.g. 'ResNet18/Foo/64/fp32': ResNet18/CIFAR-10/64/fp32 is used for it
  ! warning: 1 of 1 jobs name a batch, dataset or precision that the catalogue does not have, e.g. 'ResNet18/CIFAR-10/65/fp32': ResNet18/CIFAR-10/64/fp32 is used for it
  ! warning: 1 of 1 jobs name a batch, dataset or precision that the catalogue does not have, e.g. 'ResNet18/CIFAR-10/65/fp32': ResNet18/CIFAR-10/64/fp32 is used for it

# trace-assign-deadlines
A deadline for each job that has none: 1.2, 2 or 10 times the run time after the submission, about a third each.

  $ printf 'job_id,submit_time,gpus,duration,deadline\na,0,1,10,11\n' >jobs.csv
  $ for i in $(seq 300); do echo "j$i,$i,1,10,"; done >>jobs.csv
  $ horus trace assign jobs.csv --assign=off --deadlines=gavel -o due.csv 2>notes.txt; grep 'random' notes.txt
  warning: 300 of 301 jobs have a random deadline (--deadlines), not one of the trace
  $ awk -F, 'NR == 2 { print $18 } NR > 2 { n[$18 - $2]++ } END { print n[12] + n[20] + n[100], (n[12] > 70 && n[20] > 70 && n[100] > 70) }' due.csv
  11
  300 1

By the rule of ElasticFlow between half the run time and half as much again, uniform: of 300 about 100 in each third.

  $ horus trace assign jobs.csv --assign=off --deadlines=elasticflow -f -o due.csv 2>/dev/null
  $ awk -F, 'NR > 2 { left = $18 - $2; n[int((left - 5) / (10 / 3))]++; odd += left < 5 || left > 15 } END { print odd + 0, (n[0] > 70 && n[1] > 70 && n[2] > 70) }' due.csv
  0 1
  $ horus run jobs.csv -c 1x1:V100 --assign=off --deadlines=elasticflow -p edf:preempt=no -q -o run >/dev/null 2>&1; horus verify run | grep deadlines
  ok    deadlines are those of the trace: 301 jobs, 0 differences
  skip  values are those of the deadlines that were met: no job has deadlines with values
  ok    deadlines.csv follows from the rows: 3 rows, 0 differences
  $ sed -i '1s/$/,gpu_type_ran/; 2,$s/$/,K80/' jobs.csv
  $ for rule in gavel elasticflow; do horus run jobs.csv -c 1x1:V100 --assign=off --deadlines=$rule -q -o $rule >/dev/null 2>&1; horus verify $rule | grep 'deadlines are'; done
  ok    deadlines are those of the trace: 301 jobs, 0 differences
  ok    deadlines are those of the trace: 301 jobs, 0 differences
