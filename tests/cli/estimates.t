SPDX-License-Identifier: GPL-3.0-or-later

Estimates of run times from a file.

# estimates-compare
Two policies of a comparison may each name a file: every file is an input, listed once.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 0,0,1,10
  > END
  $ printf 'job_id,estimate\n0,1\n' >a.csv
  $ printf 'job_id,estimate\n0,2\n' >b.csv
  $ horus compare t.csv -c 1x1 -q -o out -p sjf:pred=file,pred_file=a.csv -p qssf:pred=file,pred_file=b.csv \
  >     -p fifo:scan=easy,pred=file,pred_file=a.csv >/dev/null
  $ jq -c '.inputs[] | select(.role | startswith("policy:")) | [.role, .path]' out/manifest.json
  ["policy:pred_file","a.csv"]
  ["policy:pred_file","b.csv"]

# estimates-file
Estimates of a file, on one GPU: 0 runs 0-10; then 2, estimated at 3 s, goes before 1, estimated at 9 s, and
3, which the file does not name, has pred_unknown and goes last. The file is an input of the run, listed
with its hash, and named in no other way in the name of the directory.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 0,0,1,10
  > 1,1,1,5
  > 2,2,1,20
  > 3,3,1,1
  > END
  $ printf 'job_id,estimate\n2,3\n1,9\n0,10\n' >e.csv
  $ horus run t.csv -c 1x1 -p sjf:pred=file,pred_file=e.csv -q -o out >/dev/null
  ! warning: 1 of 4 jobs are not in the file of estimates
  !       = hint: the policy's pred_unknown is used for them
  $ cut -d, -f1,7,9,39 out/jobs.csv
  job_id,starting_time,finish_time,estimate
  0,0,10,10
  2,10,30,3
  1,30,35,9
  3,35,36,3600
  $ jq -c '.inputs[] | select(.role == "policy:pred_file") | [.path, .bytes]' out/manifest.json
  ["e.csv",29]
  $ jq -c '.assumptions.knows, .warnings' out/manifest.json
  "estimate"
  ["warning: 1 of 4 jobs are not in the file of estimates\n      = hint: the policy's pred_unknown is used for them"]
  $ horus verify out | tail -n 1
  22 checks passed
  $ horus run t.csv -c 1x1 -p sjf:pred=file,pred_file=e.csv -q --dry-run | tail -n 1 >one
  $ mv e.csv f.csv
  $ horus run t.csv -c 1x1 -p sjf:pred_file=f.csv,pred=file -q --dry-run | tail -n 1 >same
  $ printf '3,1\n' >>f.csv
  $ horus run t.csv -c 1x1 -p sjf:pred_file=f.csv,pred=file -q --dry-run | tail -n 1 >other
  $ cmp -s one same && echo same name
  same name
  $ cmp -s one other || echo other name
  other name

# estimates-file-bad
An error in a file of estimates is reported before anything runs, also by --dry-run, and by compare before
the first of its runs; a file that no source uses, and a source without its file, are contradictions.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 0,0,1,10
  > END
  $ run() { horus run t.csv -c 1x1 -q -o out -p "$1"; }
  $ bad() {
  >     printf '%b' "$1" >e.csv
  >     run sjf:pred=file,pred_file=e.csv
  > }
  $ bad 'job_id,estimate\n0,10 s\n'
  ! e.csv:2:3: error: estimate is not a number of seconds: '10 s'
  !     2 | 0,10 s
  !       |   ^~~~
  !       = hint: for example 90 or 4.5; leave out the row of a job without an estimate
  [3]
  $ bad 'job_id,estimate\n0,-3\n'
  ! e.csv:2:3: error: estimate is negative: '-3'
  !     2 | 0,-3
  !       |   ^~
  !       = hint: write 0 or the least run time, or leave the row out if the job has no estimate
  [3]
  $ bad 'job_id,estimate\n0,1\n0,1\n'
  ! e.csv:3:1: error: job '0' has an estimate already
  !     3 | 0,1
  !       | ^
  !       = hint: leave one of them out
  [3]
  $ bad 'job_id,seconds\n0,1\n'
  ! e.csv:1:15: error: missing column 'estimate'
  !     1 | job_id,seconds
  !       |               ^
  !       = hint: run times in seconds; 'duration' and 'priority' are understood too
  [3]
  $ horus run t.csv -c 1x1 -q -o out -p sjf:pred=file,pred_file=e.csv --dry-run
  ! e.csv:1:15: error: missing column 'estimate'
  !     1 | job_id,seconds
  !       |               ^
  !       = hint: run times in seconds; 'duration' and 'priority' are understood too
  [3]
  $ horus compare t.csv -c 1x1 -q -o out -p fifo -p sjf:pred=file,pred_file=e.csv
  ! e.csv:1:15: error: missing column 'estimate'
  !     1 | job_id,seconds
  !       |               ^
  !       = hint: run times in seconds; 'duration' and 'priority' are understood too
  [3]
  $ run sjf:pred=file,pred_file=nowhere.csv
  ! nowhere.csv: error: cannot open: No such file or directory
  [4]
  $ run sjf:pred=file,pred_file=-
  ! error: policy 'sjf': 'pred_file' is read several times: it cannot be standard input
  !       = hint: put it into a file
  [2]
  $ run sjf:pred=file
  ! error: policy 'sjf': the file of run times is missing
  !       = hint: pred=file,pred_file=FILE
  [2]
  $ run sjf:pred_file=e.csv
  ! error: policy 'sjf': a file of run times is given, but pred is not file
  !       = hint: pred=file,pred_file=FILE
  [2]
  $ horus run t.csv -c 1x1 -q -o out -p sjf:pred=file --dry-run
  ! error: policy 'sjf': the file of run times is missing
  !       = hint: pred=file,pred_file=FILE
  [2]
  $ horus compare t.csv -c 1x1 -q -o out -p fifo -p sjf:pred=file
  ! error: policy 'sjf': the file of run times is missing
  !       = hint: pred=file,pred_file=FILE
  [2]
  $ [ -e out ] || echo no directory is left
  no directory is left
