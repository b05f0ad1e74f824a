SPDX-License-Identifier: GPL-3.0-or-later

`horus sweep`.

# sweep-errors
Each error with its line.

  $ try() { printf '%s\n' "$1" >e.json; horus sweep e.json --status; }
  $ try '{ "grid": { "laod": [1] } }'
  ! e.json:1:13: error: unknown key 'laod'
  !     1 | { "grid": { "laod": [1] } }
  !       |             ^~~~~~
  !       = hint: did you mean 'load'?
  [3]
  $ try '{ "grid": { "load": [1, -2] } }'
  ! e.json:1:25: error: 'load' must be a number from 1e-06 to 1000000, not '-2'
  !     1 | { "grid": { "load": [1, -2] } }
  !       |                         ^~
  [3]
  $ try '{ "grid": { "load": 1 } }'
  ! e.json:1:21: error: expected a list of values: [...]
  !     1 | { "grid": { "load": 1 } }
  !       |                     ^
  [3]
  $ try '{ "grid": { "load": [] } }'
  ! e.json:1:21: error: an axis without a value
  !     1 | { "grid": { "load": [] } }
  !       |                     ^
  !       = hint: at least one value
  [3]
  $ try '{ "grid": { "seed": "3..1" } }'
  ! e.json:1:21: error: expected a list of values, or a range of numbers
  !     1 | { "grid": { "seed": "3..1" } }
  !       |                     ^~~~~~
  !       = hint: upwards, each once, at most 1000: "1..5" or "1..3,7"
  [3]
  $ try '{ "zip": { "load": [1, 2], "seed": [1] } }'
  ! e.json:1:36: error: 1 values, where the first list has 2
  !     1 | { "zip": { "load": [1, 2], "seed": [1] } }
  !       |                                    ^
  !       = hint: lists of "zip" advance together
  [3]
  $ try '{ "config": { "load": 1 }, "grid": { "load": [1] } }'
  ! e.json:1:38: error: 'load' is swept and also set in "config"
  !     1 | { "config": { "load": 1 }, "grid": { "load": [1] } }
  !       |                                      ^~~~~~
  !       = hint: leave it out there
  [3]
  $ try '{ "grid": { "load": [1] }, "zip": { "load": [1] } }'
  ! e.json:1:37: error: 'load' is swept twice
  !     1 | { "grid": { "load": [1] }, "zip": { "load": [1] } }
  !       |                                     ^~~~~~
  [3]
  $ try '{ "list": [ 1 ] }'
  ! e.json:1:13: error: expected an object: {"policy": "fifo", "load": 1}
  !     1 | { "list": [ 1 ] }
  !       |             ^
  [3]
  $ try '{ "list": [ {} ] }'
  ! e.json:1:11: error: "list" has no point that sets a key
  !     1 | { "list": [ {} ] }
  !       |           ^
  [3]
  $ try '{ "gird": { "load": [1] } }'
  ! e.json:1:3: error: 'gird' is no part of an experiment
  !     1 | { "gird": { "load": [1] } }
  !       |   ^~~~~~
  !       = hint: did you mean 'grid'?
  [3]
  $ try '{ "config": { "trace": "traces/sample.csv" } }'
  ! e.json:1:1: error: nothing is swept: no "grid", "zip" or "list"
  !     1 | { "config": { "trace": "traces/sample.csv" } }
  !       | ^
  !       = hint: for example "grid": {"policy": ["fifo", "srtf"]}
  [3]
  $ try '{ "grid": { "load": [1, 2] } }'
  ! error: sweep: no trace is named
  !       = hint: "config": {"trace": "jobs.csv", ...}
  ! note: that was point 1 of 2: load=1
  [2]
  $ try '{ "name": "a/b", "grid": { "load": [1, 2] } }'
  ! e.json:1:11: error: expected a name of 1 to 200 bytes without a slash, a leading dot or a control character
  !     1 | { "name": "a/b", "grid": { "load": [1, 2] } }
  !       |           ^~~~~
  !       = hint: it names the directory of the results
  [3]
  $ try '{ "config": { "trace": "traces/sample.csv" }, "grid": { "load": [1, 1.0] } }'
  ! e.json: error: points 1 and 2 are the same run
  !       = hint: a value is twice on an axis, or two values are equivalent
  [3]
  $ try '{ "config": { "trace": "traces/sample.csv" }, "grid": { "policy": ["fifo", "sfj"] } }'
  ! e.json:1:76: error: unknown policy 'sfj'
  !     1 | { "config": { "trace": "traces/sample.csv" }, "grid": { "policy": ["fifo", "sfj"] } }
  !       |                                                                            ^~~~~
  !       = hint: did you mean 'sjf'?
  [3]
  $ try '{ "config": { "trace": "-" }, "grid": { "load": [1, 2] } }'
  ! error: a sweep reads the trace several times: it cannot be standard input
  !       = hint: put the trace into a file
  ! note: that was point 1 of 2: load=1
  [2]
  $ try '[ 1 ]'
  ! e.json:1:1: error: expected an experiment: {"config": {...}, "grid": {...}}
  !     1 | [ 1 ]
  !       | ^
  [3]

# sweep-grid
2 x 2 points in the order of the file, the last key fastest; ranges of numbers; policies as objects.

  $ cat >e.json <<'J'
  > { "config": { "trace": "traces/sample.csv", "cluster": "8x8:V100", "max_jobs": 5 },
  >   "grid": { "policy": ["fifo", { "name": "sjf", "scan": "fit" }], "seed": "1..2" } }
  > J
  $ horus sweep e.json >/dev/null && cut -d, -f1,3-6 results/e/sweep.csv
  point,state,exit,axis_policy,axis_seed
  1,done,0,fifo,1
  2,done,0,fifo,2
  3,done,0,sjf:scan=fit,1
  4,done,0,sjf:scan=fit,2

# sweep-index
A point by its number, the same point again, and its configuration.

  $ cat >e.json <<'J'
  > { "config": { "trace": "traces/sample.csv", "cluster": "8x8:V100", "max_jobs": 5 }, "grid": { "load": [1, 2] } }
  > J
  $ horus sweep e.json --index 2
  results/e/runs/sample-fifo-+([0-9a-f])/ (glob)
  $ horus sweep e.json --index 2
  results/e/runs/sample-fifo-+([0-9a-f])/ (glob)
  ! note: point 2 is finished
  $ horus sweep e.json --pending
  1
  $ horus sweep e.json --index 2 --print-config | grep -e load -e '"cluster"' -e '"outputs"'
    "cluster": "8x8:V100",  // from e.json
    "sharing_mode": "cluster",  // from default
    "load": 2,  // from --set
    "outputs": "summary",  // from default
  $ horus sweep e.json --gather -q | tail -1
  files       results/e/sweep.csv, results/e/runs/
  ! warning: 1 of 2 points are not finished
  !       = hint: --status lists them
  $ cut -d, -f1,3-5 results/e/sweep.csv
  point,state,exit,axis_load
  1,missing,,1
  2,done,0,2

# sweep-list
One command a line; options given beside the file are in each; words are quoted for a shell.

  $ cat >'my exp.json' <<'J'
  > { "config": { "trace": "traces/sample.csv" }, "grid": { "load": [1, 2] } }
  > J
  $ cp "$HORUS" horus
  $ ./horus sweep 'my exp.json' -o out/ --max-jobs 5 --set 'policy.scan=fit' --list
  ./horus sweep 'my exp.json' -o out --set policy=fifo:scan=fit --set max_jobs=5 --index 1
  ./horus sweep 'my exp.json' -o out --set policy=fifo:scan=fit --set max_jobs=5 --index 2
  $ ./horus sweep 'my exp.json' -o out --make
  # make -k -j 8 -f FILE
  .PHONY: all 1 2
  all: 1 2
  \t./horus sweep 'my exp.json' -o out --gather (esc)
  1:
  \t@./horus sweep 'my exp.json' -o out --index $@ (esc)
  2:
  \t@./horus sweep 'my exp.json' -o out --index $@ (esc)

# sweep-make-names
Names with characters that are special to shell or make reach the program unchanged.

  $ cat >"load's \$HOME.json" <<'J'
  > { "config": { "trace": "traces/sample.csv", "cluster": "8x8:V100", "max_jobs": 5 },
  >   "grid": { "load": [1, 2] } }
  > J
  $ horus sweep "load's \$HOME.json" -o 'to $x' --make >by-make
  $ make -s -f by-make >/dev/null && cut -d, -f1,3-5 'to $x/sweep.csv'
  point,state,exit,axis_load
  1,done,0,1
  2,done,0,2
  $ horus sweep "load's \$HOME.json" -o 'to $y' --list | sh >/dev/null && ls 'to $y'
  runs

# sweep-map-changed
The column that a mapping names is part of a point: with another one it is run again. The job alone takes 10 or
20 s.

  $ printf 'job_id,submit_time,gpus,planned,actual\na,0,1,10,20\n' >a.csv
  $ echo '{ "config": { "trace": "a.csv", "map": "map.json" }, "grid": { "policy": ["fifo"] } }' >e.json
  $ for column in planned actual; do
  >     echo "{ \"columns\": { \"duration\": \"$column\" } }" >map.json
  >     horus sweep e.json -q | sed -n 4p
  > done
                                    10.0 s
                                    20.0 s

# sweep-optional-columns
Fairness, failures and deadlines each add columns to a summary: the table has all of them, empty where a point has
none, and --metric may be one that only some have. a holds its GPU for 10 s; its node fails at 5 and is back at 6,
where a begins anew: it ends at 16, 1.6 times what it takes alone (mean_rho), and is stopped once. Its deadline, 12,
20 or 100 s by draw, is met at 10 s (deadline_miss_share 0).

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\n' >a.csv
  $ printf 'time,node,event,value\n5,n0,down,\n6,n0,up,\n' >fails.csv
  $ echo '{ "config": { "trace": "a.csv", "cluster": "1x1" }, "list": [
  >   { "fairness": true }, { "deadlines": "gavel" }, { "fairness": true, "deadlines": "gavel" }, { "seed": 2 },
  >   { "fairness": true, "events": "fails.csv" }, { "events": "fails.csv" } ] }' >e.json
  $ horus sweep e.json -q --metric=faults >/dev/null 2>&1
  $ sed 's/"[^"]*"//g' results/e/sweep.csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
  >     { print $at["mean_jct"] "|" $at["mean_rho"] "|" $at["faults"] "|" $at["deadline_miss_share"] }'
  mean_jct|mean_rho|faults|deadline_miss_share
  10|1||
  10|||0
  10|1||0
  10|||
  16|1.6|1|
  16||1|

# sweep-spelling
'-' and '_' are the same in keys: the table has one spelling, so that a report recognizes a seed (no
panels a seed: two loads, each over two runs), and a point with both spellings is an error.

  $ cat >e.json <<'J'
  > { "config": { "trace": "traces/sample.csv", "cluster": "8x8:V100", "max-jobs": 5 },
  >   "grid": { "load": [1, 2], "assign-seed": [1, 2] } }
  > J
  $ horus sweep e.json >/dev/null
  $ cut -d, -f1,3-6 results/e/sweep.csv
  point,state,exit,axis_load,axis_assign_seed
  1,done,0,1,1
  2,done,0,1,2
  3,done,0,2,1
  4,done,0,2,2
  $ horus report results/e -o e.html >/dev/null
  $ grep -o '[^"]*mean JCT [^"<]*runs' e.html | sed 's/JCT .*, /JCT ..., /' | sort -u
  ><title>all runs, load 1: mean JCT ..., 2 runs
  ><title>all runs, load 2: mean JCT ..., 2 runs
  $ cat >twice.json <<'J'
  > { "config": { "trace": "traces/sample.csv" },
  >   "list": [ { "tie-jitter": 1, "tie_jitter": 2 } ] }
  > J
  $ horus sweep twice.json --list
  ! twice.json:2:46: error: 'tie_jitter' is set twice in a point
  !     2 |   "list": [ { "tie-jitter": 1, "tie_jitter": 2 } ] }
  !       |                                              ^
  [3]

# sweep-table
The table at the end: full headings, and a note about columns that do not fit (88 columns: 28 for
the policy, 12 for each of 5 loads); one point is one point. The jobs are one alone, so all JCTs are
its duration.

  $ table() { # GRID
  >     echo "{ \"config\": { \"trace\": \"traces/sample.csv\", \"cluster\": \"8x8:V100\" }, \"grid\": $1 }" >e.json
  >     COLUMNS=88 horus sweep e.json | sed '/^files/d'
  > }
  $ sed -n 2p traces/sample.csv
  j0000,u00,vc0,153,2,8,completed
  $ table '{ "max_jobs": [1] }'
  e: 1 point = 1 max_jobs

  mean_jct
                                     8.0 s
   (esc)
  $ table '{ "policy": ["fifo", "sjf"], "max_jobs": [1, 1000] }' | sed -n '1p;4p'
  e: 4 points = 2 policy x 2 max_jobs
                      max_jobs           1        1000
  $ table '{ "policy": ["fifo", "sjf"], "max_jobs": [1], "load": [1, 2, 3, 4, 5, 6] }'
  e: 12 points = 2 policy x 1 max_jobs x 6 load

  mean_jct
                          load           1           2           3           4           5
  fifo                               8.0 s       8.0 s       8.0 s       8.0 s       8.0 s
  sjf                                8.0 s       8.0 s       8.0 s       8.0 s       8.0 s
  not all values of load are shown: sweep.csv has them

  finding     The mean JCT is equal under each policy.
   (esc)

# sweep-taken
A sweep does not write into the directory of a run, whose manifest stays unchanged.

  $ horus run traces/sample.csv -c 8x8:V100 --max-jobs=1 -o run >/dev/null
  $ echo '{ "config": { "trace": "traces/sample.csv" }, "grid": { "load": [1] } }' >e.json
  $ before=$(cksum <run/manifest.json)
  $ horus sweep e.json -o run
  ! run: error: this is not the directory of a sweep
  !       = hint: name another directory with -o, or remove this one
  [4]
  $ [ "$before" = "$(cksum <run/manifest.json)" ] && ls run
  jobs.csv
  manifest.json
  nodes.csv
  segments.csv
  series.csv
  summary.csv
  summary.json

A file in the place of the directory is one error, not one for each point.

  $ horus sweep e.json -o e.json/x
  ! e.json/x: error: cannot create the directory: Not a directory
  [4]

`report` refuses a file that is no directory of a run.

  $ horus report e.json -o page.html
  ! e.json: error: not a finished run: it is no directory
  !       = hint: name the directory, not a file in it
  [3]

# sweep-usage
One action at a time; points count from 1; the metric must exist.

  $ cat >e.json <<'J'
  > { "config": { "trace": "traces/sample.csv", "max_jobs": 5 }, "grid": { "load": [1, 2] } }
  > J
  $ horus sweep
  ! error: sweep: EXPERIMENT.json is missing
  !       = hint: usage: horus sweep [options] EXPERIMENT.json
  [2]
  $ horus sweep none.json
  ! none.json: error: cannot open: No such file or directory
  [4]
  $ horus sweep e.json --list --status
  ! error: sweep: more than one of --list, --make, --pending, --status, --gather and --index
  !       = hint: one of them at a time
  [2]
  $ horus sweep e.json --index 3
  ! error: there is no point 3
  !       = hint: from 1 to 2
  [2]
  $ horus sweep e.json -q --verbose
  ! error: sweep: both --quiet and --verbose
  !       = hint: leave one out
  [2]
  $ horus sweep e.json --load 3 --status
  ! e.json:1:72: error: 'load' is swept and also given as an option
  !     1 | { "config": { "trace": "traces/sample.csv", "max_jobs": 5 }, "grid": { "load": [1, 2] } }
  !       |                                                                        ^~~~~~
  !       = hint: leave it out there
  [3]
  $ horus sweep e.json -q --metric mean_jtc -o out
  ! error: unknown metric 'mean_jtc'
  !       = hint: did you mean 'mean_jct'?
  [2]

# sweep-wide-table
9 loads do not fit beside the names in 100 columns: (100 - 28) / 12 = 6 do, and a note says that the
table is cut.

  $ cat >e.json <<'J'
  > { "config": { "trace": "traces/sample.csv", "cluster": "8x8:V100", "max_jobs": 5 },
  >   "grid": { "policy": ["fifo", "sjf"], "load": [1, 2, 3, 4, 5, 6, 7, 8, 9] } }
  > J
  $ horus sweep e.json -j 2 >said
  $ sed -n '/^mean_jct/,/^$/p' said | awk '{ print NF, $0 }' | cut -c 1-42
  1 mean_jct
  7                         load           1
  13 fifo                              3.23\x20 (esc)
  13 sjf                               3.23\x20 (esc)
  10 not all values of load are shown: sweep
  0\x20 (esc)

# sweep-zip-list
A zip of 2 and a list of 2, whose second row lacks a key: 4 points.

  $ cat >e.json <<'J'
  > { "name": "mixed", // comments are allowed
  >   "config": { "trace": "traces/sample.csv", "max_jobs": 5 },
  >   "zip": { "cluster": ["8x8:V100", "4x8:V100"], "load": [1, 0.5] },
  >   "list": [ { "policy": "horus", "policy.look_ahead": 3 }, { "policy": "fifo" } ] }
  > J
  $ horus sweep e.json -q >/dev/null && cut -d, -f1,3-8 results/mixed/sweep.csv
  point,state,exit,axis_cluster,axis_load,axis_policy,axis_policy.look_ahead
  1,done,0,8x8:V100,1,horus,3
  2,done,0,8x8:V100,1,fifo,
  3,done,0,4x8:V100,0.5,horus,3
  4,done,0,4x8:V100,0.5,fifo,
  $ horus sweep e.json --pending
   (esc)
  $ horus sweep e.json --status
  mixed: 4 points = 2 cluster+load x 2 policy+policy.look_ahead
  finished 4, failed 0, missing 0

# sweep-no-mean-over-options
Means are over seeds alone: an option is no sample. Each start costs nothing or 50 s: under fifo and sjf the jobs end at 100, 110 and
130 s or at 150, 210 and 280 s, which is 112.3 or 212.3 s behind submissions at 0, 1, 2 s, and 111.3 or 211.3 s behind 0, 2, 4 s.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,100\nb,1,1,10\nc,2,1,20\n' >t.csv
  $ echo '{"config": {"trace": "t.csv", "cluster": "1x1"}, "grid": {"policy": ["fifo", "sjf"], "load": [0.5, 1], "startup": ["0s", "50s"], "seed": "1..2"}}' >e.json
  $ horus sweep e.json -q 2>/dev/null | sed -n '3,8p'
  mean_jct, mean over seed
                          load         0.5           1
  fifo, startup=0s                 111.3 s     112.3 s
  fifo, startup=50s                211.3 s     212.3 s
  sjf, startup=0s                  111.3 s     112.3 s
  sjf, startup=50s                 211.3 s     212.3 s

# sweep-finding-by-chance
Of p 10, 12, 14 and of q 11, 13, 14: the ratio is 36 / 38, its residuals -0.421, -0.316 and 0.737, and half of its interval 4.30265 x
sqrt(0.82 / 6) / 12.67 = 0.126, so that 1 is inside. At 2 it is 12 / 20, without any spread. A third, as soon as p at 2: at 2 p and
r are alike.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,100\n' >t.csv
  $ echo '{"config": {"trace": "t.csv", "cluster": "1x1"}, "grid": {"policy": ["fifo", "sjf"], "load": [1, 2], "seed": "1..3"}}' >e.json
  $ horus sweep e.json -q >/dev/null
  $ echo point,run,state,exit,axis_policy,axis_load,axis_seed,mean_jct >s.csv
  $ for at in p,1,1,10 p,1,2,12 p,1,3,14 q,1,1,11 q,1,2,13 q,1,3,14 p,2,1,12 p,2,2,12 p,2,3,12 q,2,1,20 q,2,2,20 q,2,3,20; do echo 1,a,done,0,$at >>s.csv; done
  $ cp s.csv results/e/sweep.csv && horus report results/e -o e.html >/dev/null 2>&1 && grep -o 'class="finding">[^<]*' e.html
  class="finding">The mean JCT is lowest under p at 2 of 2 values of load: 12.0 s (at 1 the difference may be chance).
  $ for at in r,1,1,20 r,1,2,20 r,1,3,20 r,2,1,12 r,2,2,12 r,2,3,12; do echo 1,a,done,0,$at >>results/e/sweep.csv; done
  $ horus report results/e -o r.html >/dev/null 2>&1 && grep -o 'class="finding">[^<]*' r.html
  class="finding">The mean JCT is lowest under p at 1 of 2 values of load: 12.0 s (at 1 the difference may be chance); at 1 several are equal.

# sweep-teams-and-finding
On one GPU fifo runs ann's job for 100 s, then bob's two: at load 1, submitted at 1 and 2 s, they wait 99 and 108 s, at load 0.5,
at 2 and 4 s, 98 and 106. Under srtf the first waits 0 s, the other 9 and 8. Mean completion times are 112.3 and 111.3 s under fifo,
(130 + 10 + 29) / 3 = 56.3 and (130 + 10 + 28) / 3 = 56 s under srtf: 0.501 and 0.503 of it.

  $ printf 'job_id,submit_time,gpus,duration,user,vc\na,0,1,100,ann,x\nb,1,1,10,bob,y\nc,2,1,20,bob,y\n' >t.csv
  $ cat >e.json <<'J'
  > { "config": { "trace": "t.csv", "cluster": "1x1", "outputs": "jobs,teams" }, "grid": { "policy": ["fifo", "srtf"], "load": [0.5, 1] } }
  > J
  $ horus sweep e.json
  e: 4 points = 2 policy x 2 load

  mean_jct
                          load         0.5           1
  fifo                             111.3 s     112.3 s
  srtf                              56.0 s      56.3 s

  finding     The mean JCT is lowest under srtf at 2 of 2 values of load: 56.0 s to 56.3 s, 0.501 to 0.503 times that under fifo.

  files       results/e/sweep.csv, results/e/runs/
  $ cut -d, -f1,3-7,11-13 results/e/teams.csv
  point,axis_policy,axis_load,by,name,jobs,mean_wait,p50_wait,p95_wait
  1,fifo,0.5,vc,x,1,0,0,0
  1,fifo,0.5,vc,y,2,102,98,106
  1,fifo,0.5,user,ann,1,0,0,0
  1,fifo,0.5,user,bob,2,102,98,106
  2,fifo,1,vc,x,1,0,0,0
  2,fifo,1,vc,y,2,103.5,99,108
  2,fifo,1,user,ann,1,0,0,0
  2,fifo,1,user,bob,2,103.5,99,108
  3,srtf,0.5,vc,x,1,0,0,0
  3,srtf,0.5,vc,y,2,4,0,8
  3,srtf,0.5,user,ann,1,0,0,0
  3,srtf,0.5,user,bob,2,4,0,8
  4,srtf,1,vc,x,1,0,0,0
  4,srtf,1,vc,y,2,4.5,0,9
  4,srtf,1,user,ann,1,0,0,0
  4,srtf,1,user,bob,2,4.5,0,9
  $ horus report results/e -o e.html >/dev/null && grep -o 'class="finding">[^<]*' e.html
  class="finding">The mean JCT is lowest under srtf at 2 of 2 values of load: 56.0 s to 56.3 s, 0.501 to 0.503 times that under fifo.
  $ horus sweep e.json --set outputs=summary -q >/dev/null && ls results/e
  manifest.json
  runs
  sweep.csv
  $ rm -r results/e && mkdir results/e && echo mine >results/e/teams.csv && horus sweep e.json -q
  ! results/e: error: this is not the directory of a sweep
  !       = hint: name another directory with -o, or remove this one
  [4]
