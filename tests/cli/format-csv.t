SPDX-License-Identifier: GPL-3.0-or-later

The native format, csv.

# csv-bad-date
30 February.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,2020-02-28 00:00:00,1,10
  > 2,2020-02-30 00:00:00,1,10
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:3:3: error: submit_time is not a time: '2020-02-30 00:00:00'
  !     3 | 2,2020-02-30 00:00:00,1,10
  !       |   ^~~~~~~~~~~~~~~~~~~
  !       = hint: a number, or a date, the year first, and time: 2020-04-01 12:30:00
  [3]

# csv-bad-number
A duration with a letter in it.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,1,10
  > 2,5,1,1o0
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:3:7: error: duration is not a number: '1o0'
  !     3 | 2,5,1,1o0
  !       |       ^~~
  !       = hint: seconds such as 12.5, with a point, or 1:30:00, or 90min; start_time and end_time may take its place
  [3]

# csv-bare-cr
Old Macintosh line ends.

  $ printf 'job_id,submit_time,gpus,duration\r1,0,1,10\r' >t.csv
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:1:33: error: a carriage return without a line feed
  !     1 | job_id,submit_time,gpus,duration\x0d1,0,1,10
  !       |                                 ^~~~
  !       = hint: old Macintosh line ends: convert with tr '\r' '\n'
  [3]

# csv-duplicate-column
Two columns of one name are ambiguous.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration,duration
  > 1,0,1,10,20
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:1:34: error: column 'duration' appears twice
  !     1 | job_id,submit_time,gpus,duration,duration
  !       |                                  ^~~~~~~~
  !       = hint: rename one of them
  [3]

# csv-elastic-range
The elastic range is inverted.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration,gpus_min,gpus_max
  > 1,0,4,10,4,2
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:2:10: error: gpus_min and gpus_max do not enclose gpus
  !     2 | 1,0,4,10,4,2
  !       |          ^
  !       = hint: gpus_min <= gpus <= gpus_max <= 65535
  [3]

# csv-empty
An empty file.

  $ : >t.csv
  $ horus run t.csv -c 2x4 -o out
  ! t.csv: error: the trace is empty
  [3]

# csv-empty-duration
A required value that is empty.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,1,
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:2:7: error: duration is empty
  !     2 | 1,0,1,
  !       |       ^
  [3]

# csv-empty-id
A job without a name.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > ,0,1,10
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:2:1: error: job_id is empty
  !     2 | ,0,1,10
  !       | ^
  [3]

# csv-fraction-of-gpu
A share of one GPU is a number below 1; one and a half GPUs are an error, not rounded.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,1.5,10
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:2:5: error: gpus is not a whole number: '1.5'
  !     2 | 1,0,1.5,10
  !       |     ^~~
  !       = hint: a gang holds whole GPUs, or one share of each (column gpu_milli)
  [3]

# csv-header-only
No jobs at all.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv: error: no job to replay in 0 rows
  [3]

# csv-huge-gpus
More GPUs than a 32-bit count holds.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,5000000000,10
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:2:5: error: gpus is out of range: '5000000000'
  !     2 | 1,0,5000000000,10
  !       |     ^~~~~~~~~~
  !       = hint: at most 4294967295: is it the right column?
  [3]

# csv-long-id
A job id of 300 bytes.

  $ {
  >     echo job_id,submit_time,gpus,duration
  >     printf 'x%.0s' {1..300}
  >     echo ,0,1,10
  > } >t.csv
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:2:1: error: job_id is longer than 255 bytes
  !     2 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
  !       | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  [3]

# csv-missing-column
The native format needs four columns.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus
  > 1,0,1
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:1:1: error: missing column 'duration'
  !     1 | job_id,submit_time,gpus
  !       | ^~~~~~
  !       = hint: the file has: job_id, submit_time, gpus; name the columns with --format=csv --map=duration=COLUMN
  [3]

# csv-misspelt-column
A required column with a misspelt name.

  $ cat >t.csv <<'END'
  > job_id,submit_tme,gpus,duration
  > 1,0,1,5
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:1:1: error: missing column 'submit_time'
  !     1 | job_id,submit_tme,gpus,duration
  !       | ^~~~~~
  !       = hint: the file has: job_id, submit_tme, gpus, duration; name the columns with --format=csv --map=submit_time=submit_tme
  [3]

# csv-negative-duration
A negative duration.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,1,-10
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:2:7: error: duration is negative
  !     2 | 1,0,1,-10
  !       |       ^~~
  [3]

# csv-negative-gpus
A negative number of GPUs.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,-2,10
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:2:5: error: gpus is negative: '-2'
  !     2 | 1,0,-2,10
  !       |     ^~
  [3]

# csv-nul-byte
A NUL inside a field.

  $ printf 'job_id,submit_time,gpus,duration\n1,0,1,1\0000\n' >t.csv
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:2:8: error: a NUL byte
  !     2 | 1,0,1,1\x000
  !       |        ^~~~
  !       = hint: is this text in UTF-8? UTF-16 and binary files are not
  [3]

# csv-out-of-order
A row that is out of order by more than the window.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,100,1,10
  > 2,90,1,10
  > 3,80,1,10
  > 4,70,1,10
  > 5,1,1,10
  > END
  $ horus run t.csv -c 2x4 -o out --sort=2
  ! t.csv:4:3: error: job '3' was submitted 10 s before the job of line 3, which has already been replayed
  !     4 | 3,80,1,10
  !       |   ^~
  !       = hint: 2 rows were buffered to sort them: --sort=16 buffers more, --sort=all the whole trace
  [3]

# csv-out-of-order-mended
The same rows with a window of the whole file: sorted, with a note.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,100,1,10
  > 2,90,1,10
  > 3,80,1,10
  > 4,70,1,10
  > 5,1,1,10
  > END
  $ horus run t.csv -c 2x4 -o out --sort=all | head -n 4
  t.csv (csv) on 2x4: 8 GPUs, 2 nodes

  policy  mean JCT  mean wait  makespan  GPU alloc  p99 JCT  p50 JCT  p99 wait  slowdown
  fifo      10.0 s      0.0 s   109.0 s      5.7 %   10.0 s   10.0 s     0.0 s      1.00
  ! warning: 4 of 5 rows were late and were sorted by submission

# csv-skip-some
As many bad rows as --skip-bad-rows allows: they are counted, and shown.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,1,10
  > 2,x,1,10
  > 3,8,1,10
  > 4,9,1,10
  > END
  $ horus run t.csv -c 2x4 -o out --skip-bad-rows=25 | head -n 1
  t.csv (csv) on 2x4: 8 GPUs, 2 nodes
  ! t.csv:3:3: warning: submit_time is not a time: 'x'
  !     3 | 2,x,1,10
  !       |   ^
  !       = hint: a number, or a date, the year first, and time: 2020-04-01 12:30:00
  ! t.csv: warning: skipped 1 bad rows of 4: 1 not a time

# csv-skip-too-many
More bad rows than --skip-bad-rows allows.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,1,10
  > 2,x,1,10
  > 3,x,1,10
  > 4,9,1,10
  > END
  $ horus run t.csv -c 2x4 -o out --skip-bad-rows=25%
  ! t.csv:3:3: warning: submit_time is not a time: 'x'
  !     3 | 2,x,1,10
  !       |   ^
  !       = hint: a number, or a date, the year first, and time: 2020-04-01 12:30:00
  ! t.csv:4:3: warning: submit_time is not a time: 'x'
  !     4 | 3,x,1,10
  !       |   ^
  !       = hint: a number, or a date, the year first, and time: 2020-04-01 12:30:00
  ! t.csv: error: 2 of 4 rows are bad, more than the 25.0% tolerated: 2 not a time
  !       = hint: `horus trace validate` lists them all
  [3]

# csv-stray-quote
A quote in the middle of an unquoted field.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,1,10
  > 2,5,"1"x,10
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:3:8: error: text after the closing quote
  !     3 | 2,5,"1"x,10
  !       |        ^
  !       = hint: quote the whole field and double the quotes inside it: "a ""b"" c"
  [3]

# csv-time-overflow
A submission beyond the range of the clock.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,99999999999999999,1,10
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:2:3: error: submit_time is out of range: '99999999999999999'
  !     2 | 1,99999999999999999,1,10
  !       |   ^~~~~~~~~~~~~~~~~
  !       = hint: times may be in another unit: --time-unit=ms reads bare numbers as ms
  [3]

# csv-too-few-fields
A row lacks a field.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,1,10
  > 2,5,1
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:3:6: error: 3 fields where the header has 4
  !     3 | 2,5,1
  !       |      ^
  [3]

# csv-too-many-fields
A row has one field too many.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,1,10
  > 2,5,1,10,9
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:3:11: error: 5 fields where the header has 4
  !     3 | 2,5,1,10,9
  !       |           ^
  !       = hint: are delimiters in values quoted?
  [3]

# csv-unclosed-quote
A quote that is never closed.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,1,10
  > "2,5,1,10
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:3:1: error: the quote that opens here is never closed
  !     3 | "2,5,1,10
  !       | ^~~~~~~~~
  !       = hint: quote the whole field and double the quotes inside it: "a ""b"" c"
  [3]

# csv-unknown-status
An unknown status.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration,status
  > 1,0,1,10,COMPLETED
  > 2,5,1,10,EXPLODED
  > END
  $ horus run t.csv -c 2x4 -o out
  ! t.csv:3:10: error: unknown state 'EXPLODED'
  !     3 | 2,5,1,10,EXPLODED
  !       |          ^~~~~~~~
  !       = hint: COMPLETED, CANCELLED, FAILED, TIMEOUT, NODE_FAIL, RUNNING, SUSPENDED, Pass, Killed or unknown; or --map-value=state:EXPLODED=completed (or failed, cancelled)
  [3]

# fractions
Utilizations as fractions, where per cent are expected, are in range but wrong: every verb warns,
once.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration,gpu_util
  > a,0,1,10,0.5
  > b,1,1,10,0.45
  > c,2,1,10,
  > d,3,1,10,0
  > e,4,2,10,1
  > END
  $ horus trace info t.csv >/dev/null
  ! warning: gpu_util is at most 1 in all 4 jobs that have it: per cent are expected; are these fractions?
  !       = hint: write 45 for 0.45
  $ horus trace validate t.csv >/dev/null
  ! warning: gpu_util is at most 1 in all 4 jobs that have it: per cent are expected; are these fractions?
  !       = hint: write 45 for 0.45
  $ horus trace assign t.csv --assign=mix -o t2.csv --quiet
  ! warning: gpu_util is at most 1 in all 4 jobs that have it: per cent are expected; are these fractions?
  !       = hint: write 45 for 0.45
  $ horus run t.csv -c 1x4:V100 --quiet -o out >/dev/null
  ! warning: gpu_util is at most 1 in all 4 jobs that have it: per cent are expected; are these fractions?
  !       = hint: write 45 for 0.45
  $ sed '$d' t.csv >two.csv # two of four jobs may be idle in truth
  $ horus trace info two.csv >/dev/null
  $ printf 'model,util,gpu\nA,0.5,G\nB,0.9,G\nC,,G\n' >own.csv
  $ horus trace assign two.csv --profiles own.csv --assign=columns -o t2.csv --force --quiet
  ! own.csv: warning: util is at most 1 in all 2 rows that have it: per cent are expected; are these fractions?
  !       = hint: write 45 for 0.45

# map-unknown-column
A map to a column that is not there.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,1,5
  > END
  $ horus run t.csv -c 2x4 -o out --map duration=runtime
  ! t.csv:1:1: error: missing column 'runtime'
  !     1 | job_id,submit_time,gpus,duration
  !       | ^~~~~~
  !       = hint: the file has: job_id, submit_time, gpus, duration; name the columns with --format=csv --map=duration=duration
  [3]

# map-unknown-name
A map of a name that the format does not have.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,1,5
  > END
  $ horus run t.csv -c 2x4 -o out --map durration=duration
  ! error: mapping of unknown column 'durration'
  !       = hint: did you mean 'duration'?
  [2]

# map-without-equals
A --map without `=`.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,1,5
  > END
  $ horus run t.csv -c 2x4 -o out --map duration
  ! error: mapping 'duration' is not KEY=COLUMN
  !       = hint: --map=submit_time=timestamp,gpus=num_gpus, or a .json file
  [2]

# csv-offsets
Offsets from UTC count: 12:00 at +01:00 is 11:00:00, b is submitted 30 s and c 60 s later (13:01 at +02:00 is
11:01), d on the next midnight of UTC, 13 h later. Dates with and without offset are of two clocks. The last job runs
from midnight of UTC for an hour on 8 GPUs.

  $ cat > zones.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,2020-04-01 12:00:00+01:00,1,10
  > b,2020-04-01T11:00:30Z,1,10
  > c,2020-04-01 13:01:00+0200,1,10
  > d,2020-04-02 00:00:00 UTC,1,10
  > END
  $ horus run zones.csv -c 1x4:V100 -o zones -q > /dev/null && cut -d, -f1,3 zones/jobs.csv
  job_id,submission_time
  a,0
  b,30
  c,60
  d,46800
  $ cat > dates.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,2020-04-01,1,10
  > b,2020-04-02T00:00:01,1,10
  > c,2020-04-02 00:00:02Z,1,10
  > END
  $ horus run dates.csv -c 1x4:V100 -o dates
  ! dates.csv:4:3: error: submit_time has an offset from UTC, or lacks one, unlike the times before: '2020-04-02 00:00:02Z'
  !     4 | c,2020-04-02 00:00:02Z,1,10
  !       |   ^~~~~~~~~~~~~~~~~~~~
  !       = hint: give all times an offset (2020-04-01 12:30:00+02:00), or none of them
  [3]
  $ horus trace validate dates.csv
  trace        dates.csv (csv)
  rows         3
  jobs         2

  1 not a time
      dates.csv:4:3: error: submit_time has an offset from UTC, or lacks one, unlike the times before: '2020-04-02 00:00:02Z'
      hint: give all times an offset (2020-04-01 12:30:00+02:00), or none of them
      repair: correct the rows, or skip them with --skip-bad-rows=1%

  offered load over the span of the submissions
                                  GPUs         jobs  mean GPU demand   load %
  all                                -            2                0        -

  1 fault
  run it with: horus run dates.csv --skip-bad-rows=33.4
  ! dates.csv: error: the trace has faults, listed above
  [3]
  $ cat > acme.csv <<'END'
  > job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time
  > a,u,1,8,8,Other,FAILED,2023-03-01 08:00:00+08:00,2023-03-01 08:00:00+08:00,2023-03-01 01:00:00Z,10,0,80
  > END
  $ horus trace info acme.csv | grep -e first -e hours
  first        2023-03-01 00:00:00
  GPU hours    8

# csv-duplicate-id
Both rows are named; ids that differ by leading zeros alone are two. A pipe cannot be read again up to the
first of them, and --skip-bad-rows skips the second.

  $ cat > twice.csv <<'END'
  > job_id,submit_time,gpus,duration
  > j0007,0,1,10
  > j007,1,1,10
  > x,2,1,10
  > j0007,3,1,10
  > x,4,1,10
  > END
  $ horus run twice.csv -c 1x4:V100 -o out
  ! twice.csv:5:1: error: job id 'j0007' was seen before: twice.csv:2:1
  !     5 | j0007,3,1,10
  !       | ^~~~~
  !       = hint: --map=job_id=@row numbers the jobs of a CSV file; sacct without --duplicates has one row a job
  [3]
  $ horus run - -c 1x4:V100 -o out < twice.csv
  ! <stdin>:5:1: error: job id 'j0007' was seen before
  !     5 | j0007,3,1,10
  !       | ^~~~~
  !       = hint: --map=job_id=@row numbers the jobs of a CSV file; sacct without --duplicates has one row a job
  [3]
  $ horus run twice.csv -c 1x4:V100 -o out --skip-bad-rows 50% > /dev/null && cut -d, -f1 out/jobs.csv
  job_id
  j0007
  j007
  x
  ! twice.csv:5:1: warning: job id 'j0007' was seen before: twice.csv:2:1
  !     5 | j0007,3,1,10
  !       | ^~~~~
  !       = hint: --map=job_id=@row numbers the jobs of a CSV file; sacct without --duplicates has one row a job
  ! twice.csv:6:1: warning: job id 'x' was seen before: twice.csv:4:1
  !     6 | x,4,1,10
  !       | ^
  !       = hint: --map=job_id=@row numbers the jobs of a CSV file; sacct without --duplicates has one row a job
  ! twice.csv: warning: skipped 2 bad rows of 5: 2 job id seen before
  $ horus trace info twice.csv --map job_id=@row | grep jobs -m 1
  jobs         5

# csv-units-of-names
The last word of a column's name is the unit of its bare numbers: 5,000 ms are 5 s, 1.5 hours 5,400 s. A time with a unit of its own
has that; --time-unit is for all bare numbers.

  $ printf 'id,Submitted (ms),Run time [hours],num gpus\na,5000,1.5,1\nb,6000,90min,1\n' > units.csv
  $ horus trace info units.csv
  ! units.csv:1:1: error: missing columns 'gpus', 'job_id', 'submit_time', 'duration'
  !     1 | id,Submitted (ms),Run time [hours],num gpus
  !       | ^~
  !       = hint: the file has: id, Submitted (ms), Run time [hours], num gpus; name the columns with --format=csv --map='gpus=num gpus,job_id=id,submit_time=Submitted (ms),duration=Run time [hours]'
  [3]
  $ map='gpus=num gpus,job_id=id,submit_time=Submitted (ms),duration=Run time [hours]'
  $ horus trace convert units.csv --map="$map" -o s.csv && cut -d, -f1-4 s.csv
  job_id,submit_time,gpus,duration
  a,5,1,5400
  b,6,1,5400
  ! units.csv:1:4: note: bare numbers of 'Submitted (ms)' are in the unit that this name ends in
  !     1 | id,Submitted (ms),Run time [hours],num gpus
  !       |    ^~~~~~~~~~~~~~
  !       = hint: --time-unit=s reads all times in seconds
  ! units.csv:1:19: note: bare numbers of 'Run time [hours]' are in the unit that this name ends in
  !     1 | id,Submitted (ms),Run time [hours],num gpus
  !       |                   ^~~~~~~~~~~~~~~~
  !       = hint: --time-unit=s reads all times in seconds
  ! note: 2 jobs from csv to csv, nothing lost
  $ horus trace convert units.csv --map="$map" --time-unit=s -q -o - --to=csv | cut -d, -f1-4
  job_id,submit_time,gpus,duration
  a,5000,1,1.5
  b,6000,1,5400

# csv-calendar-numbers
A date without separators is a number: 20240301 s are 234 days.

  $ printf 'job_id,submit_time,gpus,duration\na,20240301,1,10\nb,20240302,1,10\n' > days.csv
  $ horus run days.csv -c 1x4:V100 -o out -q > /dev/null
  ! days.csv:2:3: warning: the first submission is read as 20240301 s: is it a date?
  !     2 | a,20240301,1,10
  !       |   ^~~~~~~~
  !       = hint: a date is written 2024-03-01, or 2024/03/01
  $ printf 'job_id,submit_time,gpus,duration\na,2024/03/01 08:15,1,10\nb,2024/03/02 08:15,1,10\n' > dates.csv
  $ horus run dates.csv -c 1x4:V100 -o dates -q > /dev/null && cut -d, -f1,3 dates/jobs.csv
  job_id,submission_time
  a,0
  b,86400

# csv-dates-and-numbers
2024-03-25 08:00:00 in UTC is 1711353600; if it is in another zone, the wait of 60 s is off by that: a
warning, once.

  $ printf 'job_id,submit_time,start_time,end_time,gpus\n' >two.csv
  $ for id in a b; do echo "$id,2024-03-25 08:00:00,1711353660,1711353720,1"; done >>two.csv
  $ horus trace convert two.csv -q -o one.csv; cut -d, -f1,2,4,34 one.csv
  job_id,submit_time,duration,start_time
  a,1711353600,60,1711353660
  b,1711353600,60,1711353660
  ! two.csv:2:1: warning: some times are dates without an offset from UTC, some are numbers: the dates are assumed to be UTC, as numbers of seconds since 1970 are
  !     2 | a,2024-03-25 08:00:00,1711353660,1711353720,1
  !       | ^
  !       = hint: give the dates their offset from UTC (2020-04-01 12:30:00+02:00)
  $ sed 's/00:00,/00:00Z,/' two.csv >zone.csv; horus trace info zone.csv | sed -n 3p
  jobs         2

# csv-columns-of-others
A column with a name of horus but other contents can be ignored, and the hint shows how; a value that is no
number is not out of range.

  $ printf 'job_id,submit_time,gpus,duration,nodes,cpus\na,0,1,10,gpu01,8-16\n' >t.csv
  $ horus trace info t.csv
  ! t.csv:2:10: error: nodes is not a number: 'gpu01'
  !     2 | a,0,1,10,gpu01,8-16
  !       |          ^~~~~
  !       = hint: a whole number such as 8; --map=nodes= leaves the column alone
  [3]
  $ horus trace info t.csv --map=nodes=
  ! t.csv:2:16: error: cpus is not a number: '8-16'
  !     2 | a,0,1,10,gpu01,8-16
  !       |                ^~~~
  !       = hint: a decimal number such as 12.5; --map=cpus= leaves the column alone
  [3]
  $ horus trace info t.csv --map=nodes=,cpus= | sed -n 3p
  jobs         1
  $ printf 'job_id,submit_time,gpus,duration\na,01.03.2024,1,10\n' >t.csv; horus trace info t.csv
  ! t.csv:2:3: error: submit_time is not a time: '01.03.2024'
  !     2 | a,01.03.2024,1,10
  !       |   ^~~~~~~~~~
  !       = hint: a number, or a date, the year first, and time: 2020-04-01 12:30:00
  [3]

# csv-mixed-epochs
Seconds and milliseconds in one column: 1600000000 s is 2020-09-13 12:26:40, as milliseconds it is the 19th
day of 1970. A number of milliseconds read as seconds is beyond 285 years. A trace may span 20 years without
an option, not a day more.

  $ printf 'job_id,submit_time,gpus,duration\na,1600000000,1,10\nb,1600000100000,1,10\n' > mixed.csv
  $ horus run mixed.csv -c 1x4:V100 -o out
  ! mixed.csv:3:3: error: submit_time is beyond 285 years (2^53 microseconds)
  !     3 | b,1600000100000,1,10
  !       |   ^~~~~~~~~~~~~
  !       = hint: milliseconds among seconds? as such it is 2020-09-13 12:28:20; line 2 is in seconds
  [3]
  $ printf 'job_id,submit_time,gpus,duration\na,1600000000000,1,10\nb,1600000100,1,10\nc,1600000200,1,10\n' > other.csv
  $ horus run other.csv -c 1x4:V100 --time-unit ms -o out -q > /dev/null
  ! other.csv:3:3: warning: submissions are more than 20 years apart: 1600000.1 here, 2020-09-13 12:26:40 in line 2
  !     3 | b,1600000100,1,10
  !       |   ^~~~~~~~~~
  !       = hint: are seconds and milliseconds mixed, or dates and numbers? --window=FROM..TO takes a part
  ! warning: 1 of 3 rows were late and were sorted by submission
  $ printf 'job_id,submit_time,gpus,duration\na,2000-01-01,1,10\nb,2020-01-01,1,10\n' > long.csv
  $ horus run long.csv -c 1x4:V100 -o long -q > /dev/null
  $ sed 's/2020-01-01/2020-01-02/' long.csv | horus run - -c 1x4:V100 -o longer -q > /dev/null
  ! <stdin>:3:3: warning: submissions are more than 20 years apart: 2020-01-02 00:00:00 here, 2000-01-01 00:00:00 in line 2
  !     3 | b,2020-01-02,1,10
  !       |   ^~~~~~~~~~
  !       = hint: are seconds and milliseconds mixed, or dates and numbers? --window=FROM..TO takes a part
