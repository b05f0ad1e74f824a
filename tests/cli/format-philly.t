SPDX-License-Identifier: GPL-3.0-or-later

The format philly: Microsoft's log, a JSON array of jobs.

# philly-attempts-not-array
attempts is a string.

  $ cat >t.json <<'END'
  > [
  > {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": "many", "submitted_time": "2017-10-01 00:00:00", "user": "a"}
  > ]
  > END
  $ horus run t.json -c 2x8 -o out
  ! t.json:2:74: error: attempts is not a list
  !     2 | {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": "many", "submitted_time": "...
  !       |                                                                          ^~~~~~
  [3]

# philly-bad-date
An hour 25.

  $ cat >t.json <<'END'
  > [
  > {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01 00:01:00", "end_time": "2017-10-01 25:00:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}], "submitted_time": "2017-10-01 00:00:00", "user": "aaaaaa"}
  > ]
  > END
  $ horus run t.json -c 2x8 -o out
  ! t.json:2:125: error: end_time is not a time: '2017-10-01 25:00:00'
  !     2 | ...{"start_time": "2017-10-01 00:01:00", "end_time": "2017-10-01 25:00:00", "detail": [{"ip": "m1", "gp...
  !       |                                                      ^~~~~~~~~~~~~~~~~~~~~
  !       = hint: a date and time such as 2017-10-09 07:00:55
  [3]

# philly-control-char
A raw control character inside a string, which JSON forbids.

  $ printf '[\n{"status": "Pass", "vc": "ee\001e8c", "jobid": "a", "attempts": []}\n]\n' >t.json
  $ horus run t.json -c 2x8 -o out --format philly
  ! t.json:2:29: error: a control character inside a text
  !     2 | {"status": "Pass", "vc": "ee\x01e8c", "jobid": "a", "attempts": []}
  !       |                             ^~~~
  !       = hint: write a tab as \t
  [3]

# philly-end-before-start
An attempt that ends before it starts.

  $ cat >t.json <<'END'
  > [
  > {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01 00:01:00", "end_time": "2017-09-01 01:00:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}], "submitted_time": "2017-10-01 00:00:00", "user": "aaaaaa"}
  > ]
  > END
  $ horus run t.json -c 2x8 -o out
  ! t.json:2:74: error: duration is negative
  !     2 | {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01...
  !       |                                                                          ^
  [3]

# philly-missing-key
A job without submitted_time.

  $ cat >t.json <<'END'
  > [
  > {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01 00:01:00", "end_time": "2017-10-01 01:00:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}], "user": "aaaaaa"}
  > ]
  > END
  $ horus run t.json -c 2x8 -o out
  ! t.json:2:1: error: submitted_time is missing
  !     2 | {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01...
  !       | ^
  [3]

# philly-no-comma
Two jobs without a comma between them.

  $ cat >t.json <<'END'
  > [
  > {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01 00:01:00", "end_time": "2017-10-01 01:00:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}], "submitted_time": "2017-10-01 00:00:00", "user": "aaaaaa"}
  > {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01 00:01:00", "end_time": "2017-10-01 01:00:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}], "submitted_time": "2017-10-01 00:00:00", "user": "aaaaaa"}
  > ]
  > END
  $ horus run t.json -c 2x8 -o out
  ! t.json:3:1: error: expected ',' or ']'
  !     3 | {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01...
  !       | ^
  !       = hint: is a comma missing?
  [3]

# philly-not-an-object
A number where a job should be.

  $ cat >t.json <<'END'
  > [
  > {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01 00:01:00", "end_time": "2017-10-01 01:00:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}], "submitted_time": "2017-10-01 00:00:00", "user": "aaaaaa"},
  > 17
  > ]
  > END
  $ horus run t.json -c 2x8 -o out
  ! t.json:3:1: error: expected '{'
  !     3 | 17
  !       | ^
  [3]

# philly-trailing-text
Text after the array.

  $ cat >t.json <<'END'
  > [
  > {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01 00:01:00", "end_time": "2017-10-01 01:00:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}], "submitted_time": "2017-10-01 00:00:00", "user": "aaaaaa"}
  > ]
  > the end
  > END
  $ horus run t.json -c 2x8 -o out
  ! t.json:4:1: error: text after the end of the array
  !     4 | the end
  !       | ^
  [3]

# philly-truncated
The array never ends.

  $ cat >t.json <<'END'
  > [
  > {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01 00:01:00", "end_time": "2017-10-01 01:00:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}], "submitted_time": "2017-10-01 00:00:00", "user": "aaaaaa"},
  > {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01
  > END
  $ horus run t.json -c 2x8 -o out
  ! t.json:3:101: error: a line end inside a text
  !     3 | {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01
  !       |                                                                                                     ^
  !       = hint: is the closing quote missing?
  [3]

# philly-unknown-status
An unknown status.

  $ cat >t.json <<'END'
  > [
  > {"status": "Passed away", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-01 00:01:00", "end_time": "2017-10-01 01:00:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}], "submitted_time": "2017-10-01 00:00:00", "user": "aaaaaa"}
  > ]
  > END
  $ horus run t.json -c 2x8 -o out
  ! t.json:2:12: error: unknown status 'Passed away'
  !     2 | {"status": "Passed away", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "201...
  !       |            ^~~~~~~~~~~~~
  !       = hint: Pass, Killed or Failed
  [3]

# trace-info-philly
Philly sample.

  $ horus trace info traces/sample-philly.json
  trace        traces/sample-philly.json (philly)
  rows         300
  jobs         254
  dropped      8 still running at the snapshot
  dropped      33 never started
  dropped      5 start or end missing
  sorted       18
  first        2017-10-09 07:01:58
  last         2017-10-09 18:38:07
  span         0.48 days
  GPU hours    1119.8
  mean demand  96.5 GPUs over the span
  largest job  16 GPUs
  VCs          3
  users        30

  outcome              jobs     jobs % GPU time %
  completed             181       71.3       49.3
  cancelled              39       15.4        3.6
  failed                 34       13.4       47.2

  GPUs                 jobs     jobs % GPU time %
  1                     146       57.5       11.2
  2                      25        9.8        5.2
  3-4                    24        9.4        8.6
  5-8                    37       14.6         25
  9-16                   22        8.7       50.1

  duration, seconds
  GPUs        mean        p5       p25       p50       p75       p90       p95       p99       max
  1           3093         4        38       187      1230      7024     11564     65145     74078
  2           4153         4        78       684      1715     10722     29200     43891     43891
  3-4         3592         4        38       240      1561      3950      5281     64032     64032
  5-8         3402         1        40       293      2515      9225     23788     47001     47001
  9-16        5739        11       189       850      5940     11460     12530     61262     61262
  all         3519         4        41       255      1715      8383     12295     64032     74078

  time between submissions (within the class), seconds
  GPUs        mean        p5       p25       p50       p75       p90       p95       p99       max
  1        281.462         1         9        18       357       896      1265      2240      3570
  2           1690         2         9        18      2441      5143      6773     12786     12786
  3-4         1577         3        13        19      2643      6192      7371      7919      7919
  5-8         1085         1         6        19       976      2359      6465     11105     11105
  9-16        1805         5         8        12      1061      5528      6054     21370     21370
  all      165.095         2         9        18       204       496       710      1604      2158

  Quantiles are observed values, at most 0.1 % above the exact ones (logarithmic histogram).
# philly-truncated-skipped
A file that ends inside an element, with bad rows tolerated: the run reports that it stops there, and why.

  $ printf '[{"jobid":"a","x":1' >t.json
  $ horus run t.json -c 1x4:V100 -o out --skip-bad-rows=50%
  ! t.json:1:20: error: the file ends inside the element that begins on line 1
  !     1 | [{"jobid":"a","x":1
  !       |                    ^
  !       = hint: a truncated download? compare its size with the original
  ! t.json: error: a malformed row cannot be skipped: the rest of the file cannot be read
  [3]
