SPDX-License-Identifier: GPL-3.0-or-later

`horus report`.

# report-exists
A page is replaced only with --force. The same run makes the same page, also on standard output.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,8\n' >t.csv
  $ horus run t.csv -c 1x1 -q -o run >/dev/null
  $ horus report run
  report.html (+([0-9]) bytes) (glob)
  $ cp report.html first.html
  $ horus report run
  ! report.html: error: this file exists
  !       = hint: give --force to replace it, or another name
  [4]
  $ horus report run --force
  report.html (+([0-9]) bytes) (glob)
  $ cmp report.html first.html
  $ horus report run -o - | cmp - first.html
  $ horus report ./run/ -o - | cmp - first.html

# report-plain-rows
An assumption without a value has no row; a time has its unit beside it, not a second one in front.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,7200\n' >t.csv
  $ horus run t.csv -c 1x1 -q -o run >/dev/null; grep -c '"unknown": null' run/manifest.json
  1
  $ horus report run -o - >page.html; grep '"row">unknown<' page.html
  [1]
  $ grep -o 'makespan</th><td class="text">[^/]*/td><td[^/]*/' page.html
  makespan</th><td class="text"></td><td data-metric="makespan" data-value="7200">2.00 h</

# report-left-out
Sections without their files are named in one note, the other sections are complete. Jobs b and c wait 9
and 17 s for the one GPU: (0 + 9 + 17) / 3 = 8.667 s.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,8\nc,1,1,2\n' >t.csv
  $ horus run t.csv -c 1x1 -q -o summary --outputs summary >/dev/null
  $ horus run t.csv -c 1x1 -q -o jobs --outputs jobs >/dev/null
  $ horus compare t.csv -c 1x1 -p fifo -p sjf -q -o comparison >/dev/null
  $ notes() { sed -n 's/.*<p class="note">\(.*\)<\/p>/\1/p' | grep -e 'eft out' -e '^No job'; }
  $ for run in summary jobs comparison; do
  >     echo "$run:"
  >     horus report $run -o - | notes
  > done
  summary:
  Left out, as their files were not kept: Distributions, Over time, Users and virtual clusters, Nodes. Repeat with --outputs=all.
  Left out: all completed jobs are of one class.
  jobs:
  Left out, as their files were not kept: Over time, Nodes. Repeat with --outputs=all.
  Left out: all completed jobs are of one class.
  comparison:
  Left out, as the comparison kept no runs: Distributions, Over time, Classes of jobs, Users and virtual clusters, Nodes. Repeat with --outputs=all.
  $ echo "both:"
  both:
  $ horus report summary jobs -o - | notes
  Left out, as their files were not kept: Over time, Nodes. Repeat with --outputs=all.
  summary has no jobs.csv and is left out.
  Left out: all completed jobs are of one class.
  summary has no jobs.csv and is left out.
  $ horus report summary -o - | grep -o 'data-metric="mean_wait" data-value="[^<]*<' | sort -u
  data-metric="mean_wait" data-value="8.666666666666666">8.7 s<

A horizon before the end of any job: charts over time reach to it. 5 of 10 s: marks at 0, 1, ... 5
s.

  $ horus run t.csv -c 1x1 --until 5s -q -o cut >/dev/null 2>&1
  $ horus report cut -o - >cut.html
  $ notes <cut.html
  No job has a value above 0.
  No job has a value above 0.
  No job has a value above 0.
  Left out: all completed jobs are of one class.
  $ grep -o '[^>]* of 3 jobs were cut' cut.html
  3 of 3 jobs were cut
  $ sed -n '/GPU allocation and GPU utilization (modelled)/,/<\/figure>/p' cut.html | grep -o 'y="135">[^<]*' | tail -n 1
  y="135">5 s

# report-refused
Operands that are no finished run, and operands that cannot be shown beside runs. No page is
written.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,8\n' >t.csv
  $ horus run t.csv -c 1x1 -q -o run >/dev/null
  $ horus compare t.csv -c 1x1 -p fifo -p sjf -q -o comparison >/dev/null
  $ mkdir unfinished
  $ cp -r run broken
  $ echo '{}' >broken/summary.json
  $ horus report
  ! error: report: RUN... is missing
  !       = hint: usage: horus report [options] RUN...
  [2]
  $ horus report missing
  ! missing: error: cannot open: No such file or directory
  [4]
  $ horus report unfinished
  ! unfinished: error: not a finished run: there is no manifest.json in it
  !       = hint: the manifest is written last: without it a run was cut short
  [3]
  $ horus report run broken
  ! broken/summary.json:1:1: error: not the summary of a run: it has no assumptions or no metrics
  !     1 | {}
  !       | ^
  [3]
  $ horus report run comparison
  ! comparison: error: a comparison cannot be combined with other operands
  !       = hint: make a report of it alone
  [2]
  $ horus compare run run -q -o pairs >/dev/null
  $ horus report pairs
  ! pairs: error: a comparison of two runs job by job is not reported
  !       = hint: name the two runs themselves
  [2]
  $ ls
  broken
  comparison
  configs
  pairs
  run
  t.csv
  tests
  traces
  unfinished

# report-sweep
A sweep of one workload at three arrival rates. By hand, for fifo on one GPU: a 10, b 8 and c 2 s
come at 0, 1 and 2 s at load 1: JCT 10, 17, 18 s, mean 15; at load 0.5 at 0, 2, 4: 10, 16, 16, mean
14; at load 2 at 0, 0.5, 1: 10, 17.5, 19, mean 15.5. sjf has c before b: JCT at load 1 10, 19 and
10, mean 13; at load 0.5 10, 18, 8, mean 12; at load 2 10, 19.5, 11, mean 13.5. The same digits as
in sweep.csv.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,8\nc,2,1,2\n' >t.csv
  $ cat >e.json <<'END'
  > {"config": {"trace": "t.csv", "cluster": "1x1"},
  >  "grid": {"policy": ["fifo", "sjf"], "load": [1, 0.5, 2]}}
  > END
  $ horus sweep e.json -o out -q >/dev/null
  $ horus report out
  report.html (+([0-9]) bytes) (glob)
  $ for policy in fifo sjf; do
  >     grep -o "<tr data-run=\"$policy\">.*" report.html |
  >         grep -o 'data-metric="mean_jct" data-value="[^"]*"' | sed "s/^/$policy /"
  > done
  fifo data-metric="mean_jct" data-value="14"
  fifo data-metric="mean_jct" data-value="15"
  fifo data-metric="mean_jct" data-value="15.5"
  sjf data-metric="mean_jct" data-value="12"
  sjf data-metric="mean_jct" data-value="13"
  sjf data-metric="mean_jct" data-value="13.5"
  $ grep -o 'swept: [^<]*' report.html
  swept: fifo, sjf
  swept: 0.5, 1, 2

The page mentions a point that failed.

  $ sed -i 's/^\(2,[^,]*\),done,0,\(fifo,0.5\).*/\1,failed,5,\2/' out/sweep.csv
  $ horus report out --force -o - 2>/dev/null | grep -o '[^>]* points failed [^<]*\|failed, exit 5'
  1 of 6 points failed and 0 have not run: means are over the others.
  failed, exit 5
  $ horus report out out -o two.html
  ! out: error: a sweep cannot be combined with other operands
  !       = hint: make a report of it alone
  [2]

# report-dates
If the trace has dates, so has the axis of time: from Jan 1, 18:00 on, two days, every six hours. No jobs
are shifted in time.

  $ printf 'job_id,submit_time,gpus,duration\na,2024-01-01 18:00:00,1,172800\nb,2024-01-01 18:00:00,1,5\n' >t.csv
  $ horus run t.csv -c 1x2 -q -o dated >/dev/null && jq .origin dated/manifest.json
  1704132000
  $ ticks() { sed -n '/id="time"/,/id="waiting"/p' $1 | grep -o 'text-anchor="middle"[^>]*>[^<]*' | sed 's/.*>//' | head -n 9 | paste -sd'|'; }
  $ horus report dated -o dated.html >/dev/null && ticks dated.html
  Jan 1, 2024 18:00|Jan 2|06:00|12:00|18:00|Jan 3|06:00|12:00|18:00
  $ horus run t.csv -c 1x2 --load=2 -q -o moved >/dev/null && jq .origin moved/manifest.json
  null
  $ horus report moved -o moved.html >/dev/null && ticks moved.html
  0|6 h|12 h|18 h|24 h|30 h|36 h|42 h|48 h
