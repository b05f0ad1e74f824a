SPDX-License-Identifier: GPL-3.0-or-later

Loss curves: given, drawn, written out.

# losses-assigned
A curve for each job that has none. Drawn: the first loss, 1 / b1 + b2, is 1; b2 is below .5; b0 / b1 from .1 to 1,
half of them above .316; thresholds from 1 to 5 %, half of them above 3. A run of the file, whatever its seed, is that of the draws.

  $ printf 'job_id,submit_time,gpus,duration,loss_curve\na,0,1,100,0.1/1/0.2/0.005\n' >jobs.csv
  $ for i in $(seq 300); do echo "j$i,$i,1,900,"; done >>jobs.csv
  $ mkdir drawn
  $ horus trace assign jobs.csv --assign=off --losses=draw -o drawn/jobs.csv 2>notes.txt; grep 'random' notes.txt
  warning: 300 of 301 jobs have a random loss curve (--losses), not one of the trace
  $ sed -n 1,2p drawn/jobs.csv | cut -d, -f33
  loss_curve
  0.1/1/0.2/0.005
  $ awk -F, 'function far(x, y) { return x < y - 3e-6 || x > y + 3e-6 }
  >     NR > 2 { split($33, c, "/"); n++; q = c[1] / c[2]
  >         odd += far(1 / c[2] + c[3], 1) || c[3] < 0 || c[3] > .5 || q < .099999 || q > 1.000001 || c[4] < .01 || c[4] > .05
  >         last += c[3] > .25; steep += q > .316; loose += c[4] > .03 }
  >     END { print n, odd, (last > 110 && last < 190), (steep > 110 && steep < 190), (loose > 110 && loose < 190) }' drawn/jobs.csv
  300 0 1 1 1
  $ horus run jobs.csv -c 100x4:V100 -p optimus:oracle=no --assign=off --losses=draw -q -o a >/dev/null 2>&1
  $ horus run drawn/jobs.csv -c 100x4:V100 -p optimus:oracle=no --assign=off -q -o b --seed 7 >/dev/null
  $ horus run drawn/jobs.csv -c 100x4:V100 -p optimus:oracle=work --assign=off -q -o c >/dev/null
  $ cmp a/jobs.csv b/jobs.csv && echo same; cmp -s a/jobs.csv c/jobs.csv || echo another
  same
  another
  $ horus trace convert drawn/jobs.csv -q --to helios -o cluster_log.csv 2>&1 | grep loss
  warning: 301 of 301 jobs lose their loss_curve: the helios format has none

# losses-absent
If the trace has none, one curve is used for all; only a policy that uses it causes a warning.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10000\nb,0,1,10000\n' >jobs.csv
  $ horus run jobs.csv -c 1x4:V100 -p optimus --assign=off -q -o a >/dev/null
  $ horus run jobs.csv -c 1x4:V100 -p optimus:oracle=no --assign=off -q -o b >/dev/null
  ! warning: 2 of 2 jobs have no loss curve: one default curve is used for all of them
  !       = hint: --losses=draw draws a curve for each

# losses-malformed
Three or five figures, a first one of 0, one too large, an empty one; b2 may be 0.

  $ for curve in 1/1/0 1/1/0/0.1/1 0/1/0/0.1 1/4001/0/0.1 1//0/0.1 1/1/0/0.1/; do
  >     printf 'job_id,submit_time,gpus,duration,loss_curve\na,0,1,10,%s\n' "$curve" >t.csv
  >     horus trace info t.csv 2>&1 >/dev/null | grep error
  > done
  t.csv:2:10: error: loss_curve is not a loss curve: '1/1/0'
  t.csv:2:10: error: loss_curve is not a loss curve: '1/1/0/0.1/1'
  t.csv:2:10: error: loss_curve is not a loss curve: '0/1/0/0.1'
  t.csv:2:10: error: loss_curve is not a loss curve: '1/4001/0/0.1'
  t.csv:2:10: error: loss_curve is not a loss curve: '1//0/0.1'
  t.csv:2:10: error: loss_curve is not a loss curve: '1/1/0/0.1/'
  $ printf 'job_id,submit_time,gpus,duration,loss_curve\na,0,1,10,1/4000/0/1e-1\nb,0,1,10,nan\n' >t.csv
  $ horus trace assign t.csv --assign=off -q -o - | cut -d, -f1,33
  job_id,loss_curve
  a,1/4000/0/0.1
  b,
