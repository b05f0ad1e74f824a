SPDX-License-Identifier: GPL-3.0-or-later

Files that a writer may touch, and what is left of them: files and links of the user, other writers, kills,
full disks, signals; and files that a reader of a run's directory refuses.

  $ cat >t.csv <<'CSV'
  > job_id,submit_time,gpus,duration
  > a,0,4,10
  > b,1,8,5
  > c,2,4,3
  > CSV

# output-neighbours-stay
Names that earlier versions gave their unfinished outputs.

  $ mkdir out.tmp && echo thesis >out.tmp/thesis.tex
  $ echo mine >g.csv.tmp
  $ horus run t.csv -c 2x4 -q -o out --force >/dev/null
  $ horus generate --like philly -n 10 -o g.csv
  ! ...
  $ cat out.tmp/thesis.tex g.csv.tmp
  thesis
  mine

# output-foreign-file
A file that no manifest lists: it is named, and nothing is replaced.

  $ horus run t.csv -c 2x4 -q -o out >/dev/null
  $ echo thesis >out/thesis.tex
  $ horus run t.csv -c 2x4 -p sjf -q -o out --force
  ! out: error: holds out/thesis.tex, which no manifest of horus lists: it is not replaced
  !       = hint: move that elsewhere, or choose another name with -o
  [4]
  $ cat out/thesis.tex
  thesis
  $ jq -r .assumptions.policy out/manifest.json
  fifo

# output-foreign-folder
A folder, and a link under the name of a file that is listed.

  $ horus run t.csv -c 2x4 -q -o out >/dev/null
  $ mkdir out/figures
  $ horus run t.csv -c 2x4 -q -o out --force
  ! out: error: holds out/figures, which no manifest of horus lists: it is not replaced
  !       = hint: move that elsewhere, or choose another name with -o
  [4]
  $ rmdir out/figures && mv out/jobs.csv kept.csv && ln -s ../kept.csv out/jobs.csv
  $ horus run t.csv -c 2x4 -q -o out --force
  ! out: error: holds out/jobs.csv, which no manifest of horus lists: it is not replaced
  !       = hint: move that elsewhere, or choose another name with -o
  [4]

# output-manifest-of-others
manifest.json is a common name.

  $ mkdir site && echo '{"name": "my site", "outputs": [{"name": "index.html"}]}' >site/manifest.json
  $ echo home >site/index.html
  $ horus run t.csv -c 2x4 -q -o site --force
  ! site: error: holds site/index.html, which no manifest of horus lists: it is not replaced
  !       = hint: move that elsewhere, or choose another name with -o
  [4]
  $ cat site/index.html
  home

# output-over-a-sweep
A sweep has a manifest, too; its runs are not a run's files.

  $ echo '{ "config": { "trace": "t.csv", "cluster": "2x4" }, "grid": { "policy": ["fifo", "sjf"] } }' >s.json
  $ horus sweep s.json -o all -q >/dev/null
  $ horus run t.csv -c 2x4 -q -o all --force
  ! all: error: holds all/runs, which no manifest of horus lists: it is not replaced
  !       = hint: move that elsewhere, or choose another name with -o
  [4]
  $ ls all/runs | wc -l
  2

# output-sweep-in-a-folder-of-others
A manifest that is no JSON was not left by the program.

  $ mkdir all && echo 'name: mine' >all/manifest.json
  $ echo '{ "config": { "trace": "t.csv", "cluster": "2x4" }, "grid": { "policy": ["fifo", "sjf"] } }' >s.json
  $ horus sweep s.json -o all -q
  ! all: error: this is not the directory of a sweep
  !       = hint: name another directory with -o, or remove this one
  [4]
  $ cat all/manifest.json
  name: mine
  $ rm all/manifest.json && echo knots >all/sweep.csv
  $ horus sweep s.json -o all -q
  ! all: error: this is not the directory of a sweep
  !       = hint: name another directory with -o, or remove this one
  [4]
  $ rm all/sweep.csv && echo mine >all/gather.lock
  $ horus sweep s.json -o all -q
  ! all/gather.lock: error: it is not a lock file of horus and is left as it is
  !       = hint: rename it
  [4]
  $ cat all/gather.lock
  mine

# output-through-a-link
A link to a file is followed, and stays; one to a directory, or to nothing, is refused.

  $ horus run t.csv -c 2x4 -q -o out >/dev/null
  $ echo old >page.html && ln -s page.html link.html && ln -s nowhere.html lost.html && ln -s out link
  $ horus report out -o link.html --force >/dev/null
  $ [ -L link.html ] && head -c 15 page.html
  <!DOCTYPE html> (no-eol)
  $ horus report out -o lost.html
  ! lost.html: error: cannot write through this symbolic link: No such file or directory
  !       = hint: remove it, or name the file
  [4]
  $ horus run t.csv -c 2x4 -q -o link --force
  ! link: error: is a symbolic link: it is not replaced
  !       = hint: name the directory itself with -o
  [4]

# output-two-writers
The first waits for its trace; the second is refused, with --force, too, and changes nothing.

  $ mkfifo feed
  $ exec 3<>feed
  $ horus run feed --format csv -c 2x4 -q -o out >/dev/null 3>&- &
  $ for _ in $(seq 100); do
  >     ls -d out.tmp-* >/dev/null 2>&1 && break
  >     sleep 0.05
  > done
  $ horus run t.csv -c 2x4 -q -o out --force
  ! out: error: another horus is writing this output
  !       = hint: wait for its end, or give another name
  [4]
  $ cat t.csv >&3
  $ exec 3>&-
  $ wait $!
  $ wc -l <out/jobs.csv
  4
  $ ls -a
  .
  ..
  configs
  feed
  out
  t.csv
  tests
  traces

# output-after-a-kill
SIGKILL in the middle of a run: the same command works, without --force, and removes what was left.

  $ mkfifo feed
  $ exec 3<>feed
  $ horus run feed --format csv -c 2x4 -q -o out >/dev/null 3>&- &
  $ pid=$!
  $ for _ in $(seq 100); do
  >     ls -d out.tmp* >/dev/null 2>&1 && break
  >     sleep 0.05
  > done
  $ { kill -KILL $pid; wait $pid; } 2>/dev/null
  [137]
  $ ls -d out.tmp* | wc -l
  1
  $ horus run t.csv -c 2x4 -q -o out >/dev/null
  $ ls -a
  .
  ..
  configs
  feed
  out
  t.csv
  tests
  traces

# output-lock-of-others
A file with the name of the lock that the program has not written.

  $ echo mine >.out.horus
  $ horus run t.csv -c 2x4 -q -o out
  ! .out.horus: error: it is not a lock file of horus and is left as it is
  !       = hint: rename it, or give the output another name
  [4]
  $ cat .out.horus
  mine

# output-full-at-once
The disk becomes full while rows are written: the command ends then, not at the end of its input, which has
none.

  $ ulimit -f 16
  $ {
  >     echo job_id,submit_time,gpus,duration
  >     awk 'BEGIN { for (i = 0; ; i++) print i "," i ",1,5" }' 2>/dev/null
  > } | timeout 10 horus trace convert - --to swf -o out.swf
  ! out.swf: error: cannot write: File too large
  [4]
  $ ls -d *out* .out* 2>/dev/null
  [2]

# output-endless-series
A step of a second over thirty years: refused before the run. By hand: the last job ends at 946080010 s,
after that many intervals of 15 rows each; a row has some 30 bytes. From a pipe, which can be read once, it is
refused before the first row of the gap. (The limit of file sizes is for a program that would write it.)

  $ ulimit -f 1000
  $ printf '%s\n' job_id,submit_time,gpus,duration a,0,1,10 b,946080000,1,10 >years.csv
  $ timeout 10 horus run years.csv -c 2x4 --sample=1s -q -o out
  ! error: series.csv would have at least 14191200150 rows, 425.7 GB, for 10950.0 days in steps of 1 s; the limit is 100000000 rows
  !       = hint: a longer --sample, or --sample=auto; --max-rows N allows more
  [5]
  $ timeout 10 horus run - -c 2x4 --sample=1s -q -o out <years.csv
  ! <stdin>:3:3: warning: submissions are more than 20 years apart: 1999-12-25 00:00:00 here, 0 in line 2
  !     3 | b,946080000,1,10
  !       |   ^~~~~~~~~
  !       = hint: are seconds and milliseconds mixed, or dates and numbers? --window=FROM..TO takes a part
  ! error: series.csv has more than 100000000 rows
  !       = hint: --max-rows N allows more
  [5]
  $ ls -d out* .out* 2>/dev/null
  [2]

# output-rows-allowed
Jobs a, b and c need 10, 6 and 5 s from the first submission on: at least 10 intervals of 15 rows. They wait, and the run
takes 18 s: 270 rows. At exact sampling each change is a row.

  $ try() { horus run t.csv -c 2x4 -q -o out --force "$@" >/dev/null; }
  $ try --sample=1s --max-rows 149
  ! error: series.csv would have at least 150 rows, 0.0 GB, for 0.0 days in steps of 1 s; the limit is 149 rows
  !       = hint: a longer --sample, or --sample=auto; --max-rows N allows more
  [5]
  $ try --sample=1s --max-rows 269
  ! error: series.csv has more than 269 rows
  !       = hint: --max-rows N allows more
  [5]
  $ try --sample=exact --max-rows 20
  ! error: series.csv has more than 20 rows
  !       = hint: --max-rows N allows more
  [5]
  $ ls -d out* .out* 2>/dev/null
  [2]
  $ try --sample=1s --max-rows 270 && sed 1d out/series.csv | wc -l
  270

# output-signal-in-a-loop
SIGTERM while the trace of a comparison is read into memory, where no event is near: the end comes within a second.

  $ timeout --foreground --preserve-status -k 3 -s TERM 0.5 \
  >     horus compare gen:philly,n=50000000 -c 8x8 -p fifo -p sjf -q -o out
  ! error: stopped by a signal: what was unfinished is removed
  [143]
  $ ls -d out* .out* 2>/dev/null
  [2]

# output-sweep-names
Names that would lead out of the folder of results, or that a terminal would execute.

  $ try() { printf '{ "name": "%s", "config": { "trace": "t.csv" }, "grid": { "load": [1, 2] } }\n' "$1" >e.json && horus sweep e.json --status 2>&1 | grep -o 'error: .*'; }
  $ for name in .. . .hidden a/b '' 'a\u001b[2Jb' 'a\u007f'; do try "$name"; done
  error: expected a name of 1 to 200 bytes without a slash, a leading dot or a control character
  error: expected a name of 1 to 200 bytes without a slash, a leading dot or a control character
  error: expected a name of 1 to 200 bytes without a slash, a leading dot or a control character
  error: expected a name of 1 to 200 bytes without a slash, a leading dot or a control character
  error: expected a name of 1 to 200 bytes without a slash, a leading dot or a control character
  error: a control character inside a text
  error: a control character inside a text
  $ sed 's/"name": "[^"]*",//' e.json >...json
  $ horus sweep ...json --status
  ! ...json: error: no directory can have the name of this file
  !       = hint: -o DIR names one
  [2]
  $ horus run t.csv -c 2x4 --name=..
  ! error: name begins with a dot, or has a slash or a control character: '..'
  !       = hint: it becomes part of a directory name
  [2]

# input-run-of-pipes
A pipe in the place of a file of a run, or of the manifest, is refused at once.

  $ horus run t.csv -c 2x4 -q -o out >/dev/null
  $ cp -r out two
  $ rm out/jobs.csv two/manifest.json && mkfifo out/jobs.csv two/manifest.json
  $ timeout 5 horus verify out
  ! out/jobs.csv: error: a pipe or a device, where a file is expected
  [3]
  $ timeout 5 horus report two
  ! two/manifest.json: error: a pipe or a device, where a file is expected
  [3]
  $ rm out/jobs.csv && ln -s /dev/zero out/jobs.csv
  $ timeout 5 horus explain out
  ! out/jobs.csv: error: a pipe or a device, where a file is expected
  [3]

# input-manifest-leads-out
A manifest from elsewhere names no file outside its directory.

  $ horus run t.csv -c 2x4 -q -o out >/dev/null
  $ sed -i 's,"name": "jobs.csv","name": "../t.csv",' out/manifest.json
  $ horus verify out
  ! out/manifest.json:*: error: a file of the manifest lies outside the directory (glob)
  ! ...
  [3]

# input-traces-from-pipes
Traces may come from pipes.

  $ mkfifo feed
  $ cat t.csv >feed &
  $ horus run feed --format csv -c 2x4 -q -o a >/dev/null
  $ horus run <(cat t.csv) --format csv --name t -c 2x4 -q -o b >/dev/null
  $ cat t.csv | horus run /dev/stdin --name t -c 2x4 -q -o c >/dev/null
  $ for run in a b c; do cut -d, -f1,9 $run/jobs.csv | paste -sd ' '; done
  job_id,finish_time a,10 b,15 c,18
  job_id,finish_time a,10 b,15 c,18
  job_id,finish_time a,10 b,15 c,18

# outputs-json
For programs: the summary of a run, each check of verify. Jobs of one GPU: b waits for 10 s.

  $ printf 'job_id,submit_time,gpus,duration,user\na,0,1,10,ann\nb,0,1,5,ann\n' >t.csv
  $ horus run t.csv -c 1x1 -q -o out --json | jq -c '.metrics | [.mean_wait, .mean_jct]'
  [5,12.5]
  $ horus run t.csv -c 1x1 -q -o out -f --json | cmp - out/summary.json && echo "the same"
  the same
  $ horus verify out --json | jq -c '.made, .failed, .checks[1].result'
  22
  0
  "ok"
  $ sed -i 's/^b,t,0/b,t,1/' out/jobs.csv; horus verify out --json | jq -c '.failed, (.checks[] | select(.result == "failed") | .check)'
  4
  "the output files are as the manifest lists them"
  "jobs.csv says what the trace says"
  "waits and turnarounds follow from the times"
  "slowdowns follow from the times"
  ! error: out: 4 of 22 checks failed
