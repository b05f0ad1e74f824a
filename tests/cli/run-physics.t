SPDX-License-Identifier: GPL-3.0-or-later

The time of a GPU is conserved: the shares of jobs on one GPU, by hand. Without a slowdown beyond that
(--interference none) the speed of a job is its share over its utilization. Profiles of 100, 50, 20 and 60
%, with so little memory that it does not matter.

  $ printf 'model,family,gpu,util,mem_mib\nA,F,V100,100,1000\nB,F,V100,50,1000\n' >p.csv
  $ printf 'C,F,V100,20,1000\nD,F,V100,60,1000\n' >>p.csv
  $ share() { # JOBS OPTION...: when each job ends, in whole seconds where nothing else is printed
  >     { echo job_id,submit_time,duration,gpus,model; printf "$1"; } >t.csv
  >     shift
  >     horus run t.csv -c 1x1:V100 -p pack:max_tenants=4 --max-tenants 4 --profiles p.csv \
  >         --interference none --assign columns --check full "$@" -o out -f -q >/dev/null || return
  >     awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  >         { printf "%s ends at %s\n", $1, $at["finish_time"] }' out/jobs.csv | sort
  > }

# physics-two-want-all
P1: two of 100 %, 100 s each: half the time each.

  $ share '1,0,100,1,A\n2,0,100,1,A\n'
  1 ends at 200
  2 ends at 200

# physics-two-halves
P2: two of 50 %: there is room for both.

  $ share '1,0,100,1,B\n2,0,100,1,B\n'
  1 ends at 100
  2 ends at 100

# physics-small-and-large
P3: 100 % beside 20 %, 100 s each. The small one gets its whole demand, the large one .8: 80 s are done at
100, the rest alone.

  $ share '1,0,100,1,A\n2,0,100,1,C\n'
  1 ends at 120
  2 ends at 100

# physics-three
P4: three of 60 %, 60 s: a third each, speed 5/9.

  $ share '1,0,60,1,D\n2,0,60,1,D\n3,0,60,1,D\n'
  1 ends at 108
  2 ends at 108
  3 ends at 108

# physics-a-start-is-no-load
P5, 10 s later, because the first job has the overhead of 10 s, too: it works from 10 on. At 60 a second job
of 100 % starts, with overhead until 70: 60 s of the first are done by then, 40 more take 80 s at half
speed. Of the second 40 are done at 150, the other 60 alone.

  $ share '1,0,100,1,A\n2,60,100,1,A\n' --startup 10s
  1 ends at 150
  2 ends at 210

# physics-mps
P6: capacity 1.4 under MPS, two of 100 %, 70 s: speed .7.

  $ share '1,0,70,1,A\n2,0,70,1,A\n' --sharing-mode mps --sharing-capacity 1.4
  1 ends at 100
  2 ends at 100

# physics-unknown
P7: three of unknown utilization, 100 s: as three of 100 %, and a warning counts them.

  $ printf 'job_id,submit_time,duration,gpus,gpu_mem_mib\n1,0,100,1,1000\n2,0,100,1,1000\n3,0,100,1,1000\n' >t.csv
  $ horus run t.csv -c 1x1:V100 -p pack:max_tenants=4 --max-tenants 4 --assign off --interference none \
  >     --unknown-util full --check full -o out -f 2>&1 >text | grep -e warning
  warning: 3 of 3 jobs have no known GPU utilization: counted as 100 % (--unknown-util)
  $ awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["finish_time"] }' out/jobs.csv
  300
  300
  300

# physics-utilization-is-time
The utilization of a run is the time that was used: P3 uses 100 s of the GPU at .2 + .8, then 20 s at 1.

  $ share '1,0,100,1,A\n2,0,100,1,C\n' >/dev/null
  $ jq -c '.metrics | [.gpu_utilization, .gpu_utilization_sum] | map(. * 1e9 | round / 1e9)' out/summary.json
  [1,1]
  $ share '1,0,100,1,B\n2,50,100,1,C\n' >/dev/null
  $ jq '.metrics.gpu_utilization * 150' out/summary.json # 50 x .5 + 50 x .7 + 50 x .2
  70

# physics-a-fixed-part
MIG: equal parts of the hardware, even if others are idle: of 100 % and 20 % the large one keeps its half,
50 s done at 100, and then has all.

  $ share '1,0,100,1,A\n2,0,100,1,C\n' --sharing-mode mig
  1 ends at 150
  2 ends at 100
