SPDX-License-Identifier: GPL-3.0-or-later

`horus calibrate`.

# calibrate-over-input
--data, in a file or in Lucid's folder, is not overwritten by -o or --rows.

  $ cat >e.csv <<'END'
  > job_a,job_b,gpu,rate_a
  > A/D/1/fp32,,G,10
  > END
  $ mkdir lucid
  $ echo kept >lucid/single_data.csv
  $ horus calibrate speed --data e.csv -o e.csv
  ! error: -o e.csv would destroy the input e.csv
  !       = hint: write to another file
  [2]
  $ horus calibrate speed --data e.csv --rows ./e.csv
  ! error: --rows ./e.csv would destroy the input e.csv
  !       = hint: write to another file
  [2]
  $ horus calibrate interference --data lucid -o lucid/single_data.csv
  ! error: -o lucid/single_data.csv would destroy the input lucid/single_data.csv
  !       = hint: write to another file
  [2]
  $ horus calibrate speed --data e.csv -o new --rows new
  ! error: calibrate: --rows and -o are the same file
  !       = hint: write to two files
  [2]
  $ cat e.csv lucid/single_data.csv
  job_a,job_b,gpu,rate_a
  A/D/1/fp32,,G,10
  kept

# calibrate-utilization-few
Three pairs without bandwidth and a form with a large error: columns stay separated, and no table is
empty.

  $ cat >few.csv <<'END'
  > job_a,job_b,gpu,speed_a,speed_b,util_a,util_b,util_joint
  > A/D/1/fp32,B/D/1/fp32,G,0.7,0.8,90,91,90
  > A/D/1/fp32,C/D/1/fp32,G,1,1,90,10,90.5
  > B/D/1/fp32,C/D/1/fp32,G,1,1,91,10,91
  > END
  $ horus calibrate utilization --data few.csv
  own: few.csv (3 rows, *) (glob)
           6  rows read
           6  kept

  joint GPU utilization, unseen model
  form                                              n     MAE    RMSE      R2    bias     p95     rho
    1 - prod(1 - u)                                 6  0.0350  0.0529 -166.74  0.0350  0.0910 -0.5000
  ...
    min(1, sum u)                                   6  0.0950  0.0951 -541.50  0.0950  0.1000       -
  ...
  joint memory-bandwidth utilization: not in the data

  memory: not in the data

# calibrate-speed-reference
Speeds relative to the slower of two types, because N/E was measured there alone; with families of the data. By
default it would be left out.

  $ printf 'job_a,job_b,gpu,rate_a,family\nM/D/8/fp32,,S,10,F\nM/D/8/fp32,,T,20,F\nN/E//fp32,,S,5,F\n' >m.csv
  $ horus calibrate speed --data m.csv --reference S -o m.json >/dev/null
  $ jq -c '.reference, .families[]' m.json
  "S"
  {"family":"F","jobs":2,"speed":{"S":1,"T":2}}
  $ horus calibrate speed --data m.csv --reference U
  ! error: reference: no job alone was measured on a GPU type 'U'
  !       = hint: T
  [2]

# calibrate-rows
Predicted and measured values, row by row: P/D/8 alone on T is 20 / 10 of S; its family F has the mean 2
from M, which was held out. Without measurements nothing is done.

  $ printf 'job_a,job_b,gpu,rate_a,family\nM/D/8/fp32,,S,10,F\nM/D/8/fp32,,T,20,F\nP/D/8/fp32,,S,10,F\nP/D/8/fp32,,T,20,F\n' >m.csv
  $ horus calibrate speed --data m.csv --reference S -o m.json --rows rows.csv >/dev/null
  $ cat rows.csv
  protocol,fallback,gpu,job,family,observed,predicted
  in the table,family,T,M/D/8/fp32,F,2,2
  in the table,family,T,P/D/8/fp32,F,2,2
  in the table,scalar,T,M/D/8/fp32,F,2,2
  in the table,scalar,T,P/D/8/fp32,F,2,2
  unseen job,family,T,M/D/8/fp32,F,2,2
  unseen job,family,T,P/D/8/fp32,F,2,2
  $ horus calibrate speed
  ! error: calibrate: --data is missing: the measurements to fit
  !       = hint: configs/models/README.md has the forms
  [2]
  $ cut -d, -f1-4 m.csv >n.csv
  $ horus calibrate predictor --data n.csv
  ! error: no pair of jobs with measured utilizations is left to fit to
  !       = hint: pairs need the utilization of both jobs alone (util_a, util_b)
  [3]
