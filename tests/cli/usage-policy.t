SPDX-License-Identifier: GPL-3.0-or-later

Policies and their parameters on the command line: misspelt, out of range, without effect.

# set-policy-parameter
--set of a policy parameter to a value that it does not take.

  $ horus run traces/sample.csv -c 8x8:V100 -o out --set policy.scan=fitt
  ! error: policy 'fifo': 'scan' must be strict|fit|easy|conservative, not 'fitt'
  !       = hint: did you mean 'fit'?
  [2]

# use-bad-bandwidth
A storage bandwidth of zero.

  $ horus run traces/sample.csv -p srtf:preempt_cost=checkpoint --storage-bandwidth 0
  ! error: '--storage-bandwidth' must be an integer from 1 to 1000000, not '0'
  [2]

# use-bad-cost-table
A negative cost of a preemption.

  $ horus run traces/sample.csv -c 8x8:V100 -p srtf:preempt_cost=table,cost_table=-7/30
  ! error: policy 'srtf': 'cost_table' must be one to eight durations such as 7s/30s/60s, each from 0s to 1000000s, not '-7/30'
  [2]

# use-bad-parameter
A value that the parameter does not take.

  $ horus run traces/sample.csv -c 8x8:V100 -p fifo:scan=lax
  ! error: policy 'fifo': 'scan' must be strict|fit|easy|conservative, not 'lax'
  [2]

# use-bad-preempt-cost
A cost that is no time.

  $ horus run traces/sample.csv -c 8x8:V100 -p srtf:preempt_cost=7/x/60
  ! error: policy 'srtf': 'preempt_cost' must be free|table|job|restart|checkpoint, not '7/x/60'
  [2]

# use-bad-queue-limits
Limits of queues that do not increase, and limits separated by commas.

  $ run() { horus run traces/sample.csv -c 8x8:V100 -p "$1" -o o; }
  $ run tiresias:queue_limits=7200/3250
  ! error: policy 'tiresias': 'queue_limits' must be one to eight durations such as 7s/30s/60s, each from 0s to 1000000000s and above the one before it, not '7200/3250'
  [2]
  $ run tiresias:queue_limits=3250,7200
  ! error: policy 'tiresias': expected key=value, with a list as 1/2/3, not '7200'
  !       = hint: the parameters are index, gittins, gittins_delta, samples, queue_limits, promote_knob, inqueue, round_s, round_phase, placement, types, preempt_cost, cost_table, compat
  [2]

# use-empty-policy
An empty policy.

  $ horus run traces/sample.csv -p ""
  ! error: run: 'policy' is empty
  !       = hint: scheduling policy ('horus policies' lists them)
  [2]

# use-idle-parameter
Parameters without effect because of another one: a sample without Gittins' index, a table of free
preemptions.

  $ printf '1\n2\n' >samples.txt
  $ horus run traces/sample.csv -c 8x8:V100 -p tiresias:samples=samples.txt,cost_table=1/2/3 --max-jobs 20 --dry-run >out
  ! warning: policy 'tiresias': 'samples' has no effect: index is las
  !       = hint: index=gittins
  ! warning: policy 'tiresias': 'cost_table' has no effect: preempt_cost is free
  !       = hint: preempt_cost=table|job|restart|checkpoint

# priority-parameters
With a queue ordered by a single number, priority=preempt cannot be combined with a reservation, nor with
the behaviour of a published simulator. An explicit default is no error. Priorities that count, here of two
jobs that never wait together, are not reported as ignored.

  $ horus run traces/sample.csv -c 8x8:V100 -p fifo:scan=easy,priority=preempt 2>&1 | grep error
  error: policy 'fifo': priority=preempt, class=evict and reclaim=yes need scan=strict or scan=fit
  $ horus run traces/sample.csv -c 8x8:V100 -p qssf:compat=helios,priority=preempt 2>&1 | grep error
  error: policy 'qssf': priority=preempt, class=evict and reclaim=yes need compat=off
  $ horus run traces/sample.csv -c 8x8:V100 -p pack:priority=preempt 2>&1 | grep error
  error: policy 'pack': 'priority' must be ignore|order, not 'preempt'
  $ horus run traces/sample.csv -c 8x8:V100 -p fifo:ageing=1h --max-jobs 20 --dry-run >out
  ! warning: policy 'fifo': 'ageing' has no effect: priority is ignore
  !       = hint: priority=order|preempt
  $ horus run traces/sample.csv -c 8x8:V100 -p fifo:ageing=0s,cost_table=7/30/60 --max-jobs 20 --dry-run >out
  $ printf 'job_id,submit_time,gpus,duration,priority\na,0,1,5,1\nb,9,1,5,2\n' >two.csv
  $ horus run two.csv -c 1x1 -p fifo:priority=preempt,ageing=1h -o out2 | grep -E '^(order|preemption)'
  order       priority and age, then submit; scan strict; placement consolidate; gang all or nothing
  preemption  by priority; cost free

# use-parameter-without-value
A parameter without a value.

  $ horus run traces/sample.csv -c 8x8:V100 -p fifo:scan
  ! error: policy 'fifo': expected key=value, with a list as 1/2/3, not 'scan'
  !       = hint: the parameters are scan, placement, types, pred, pred_file, pred_sigma, pred_unknown, pred_last, priority, ageing, class, reclaim, grace, preempt_cost, cost_table
  [2]

# use-policies-both
Two forms of output contradict each other.

  $ horus policies --json --markdown
  ! error: policies: more than one of --json, --markdown and --man
  !       = hint: leave the others out
  [2]

# use-policies-unknown
A misspelt policy.

  $ horus policies srft
  ! error: unknown policy 'srft'
  !       = hint: did you mean 'srtf'?
  [2]

# use-unknown-parameter
A misspelt parameter.

  $ horus run traces/sample.csv -c 8x8:V100 -p fifo:scam=fit
  ! error: policy 'fifo': unknown parameter 'scam'
  !       = hint: did you mean 'scan'?
  [2]

# use-unknown-policy
A misspelt policy.

  $ horus run traces/sample.csv -c 8x8:V100 -p fifi
  ! error: unknown policy 'fifi'
  !       = hint: did you mean 'fifo'?
  [2]

# use-unknown-policy-far
A policy that resembles no other: no suggestion.

  $ horus run traces/sample.csv -c 8x8:V100 -p clairvoyance
  ! error: unknown policy 'clairvoyance'
  !       = hint: 'horus policies' lists them
  [2]

# policy-floors
A time from one event to the next that is almost 0 makes a run of timers only: it is refused. 0 itself has a
separate meaning. Before the floors, retry=1us took 1.5 million events in the first seconds, tick=0.001 3.1
million on 500 jobs.

  $ try() { horus run traces/sample.csv -c 6x8:V100 -p "$1" --dry-run | grep policy; }
  $ try philly:retry=0.999999
  ! error: policy 'philly': 'retry' must be 0s or a duration from 1s to 1000000s, not '0.999999'
  [1]
  $ try philly:retry=1
  policy      philly:retry=1
  $ try philly:retry=0
  policy      philly:retry=0
  $ try gandiva-like:quantum=1ms
  ! error: policy 'gandiva-like': 'quantum' must be 0s or a duration from 1s to 1000000000s, not '1ms'
  [1]
  $ try gandiva-like:quantum=0
  policy      gandiva-like:quantum=0
  $ try antman:tick=0.09s
  ! error: policy 'antman': 'tick' must be a duration from 0.1s to 1000000s, not '0.09s'
  [1]
  $ try antman:tick=0.1
  policy      antman:tick=0.1
  $ horus policies philly --json | jq -r '.parameters[] | select(.key == "retry").values'
  0s,1s..1000000s

# gavel-limits
gavel has figures of eight GPU types. With a cost as long as a round a job that changes GPUs at each
boundary has no time to work, so the run would not end.

  $ horus run traces/sample.csv -c 1x8:V100,1x8:P100,1x8:K80,1x8:T4,1x8:A100,1x8:H100,1x8:A10,1x8:A40,1x8:L4 -p gavel 2>&1 | grep error
  error: policy 'gavel': the cluster has more than 8 GPU types
  $ horus run traces/sample.csv -c 8x8:V100 -p gavel:round=60s,preempt_cost=table 2>&1 | grep error
  error: policy 'gavel': a cost of cost_table is as long as a round: jobs that change places at each boundary would do no work
  $ horus run traces/sample.csv -c 8x8:V100 -p gavel:round=60s,preempt_cost=table >out.txt 2>&1
  [2]
  $ horus run traces/sample.csv --max-jobs=20 -c 8x8:V100 -p gavel:round=61s,preempt_cost=table -o out >out.txt
  $ horus run traces/sample.csv -c 8x8:V100 -p gavel:share=pairs,aware=no 2>&1 | grep error
  error: policy 'gavel': share=pairs needs aware=yes, compat=off and fill=no
  $ horus run traces/sample.csv --max-jobs=20 -c 8x8:V100 -p allox:share=pairs -o out2 2>&1 | grep -A1 warning
  warning: policy 'allox': 'share' has no effect: objective is allox
        = hint: objective=las|fifo|ftf|makespan|throughput

# lucid-compat-speeds
Pairs may run faster than alone there, which GPUs of speed 1 cannot reproduce. The file is two square
tables, for the job that joins a pair and for the first one: 3 numbers are no such tables.

  $ printf '1\n1\n1\n' >speeds.csv
  $ horus run traces/sample.csv -c 8x8:V100 -p lucid:compat=lucid,compat_speeds=speeds.csv 2>&1 | grep error
  error: policy 'lucid': compat_speeds needs GPUs of speed 2: see its README
  $ echo '{"gpu_types": {"X": {"speed": 2}}, "nodes": [{"count": 8, "gpus": 8, "type": "X"}]}' >fast.json
  $ horus run traces/sample.csv -c fast.json -p lucid:compat=lucid,compat_speeds=speeds.csv 2>&1 | grep error
  error: policy 'lucid': compat_speeds is no pair of square tables

# antman-compat-types
AntMan in Muri's simulator has no GPU types, and ignores the other parameters.

  $ horus run traces/sample-classes.csv -c 6x8:V100 -p antman:compat=muri,types=match,tick=3s -o out
  ! warning: policy 'antman': 'tick' has no effect: compat is muri
  !       = hint: compat=off
  ! error: policy 'antman': types goes with compat=off: compat=muri knows none
  [2]
