SPDX-License-Identifier: GPL-3.0-or-later

Configuration files, --set, and their precedence.

# config-bad-choice
An unknown choice.

  $ cat >c.json <<'END'
  > {
  >   "check": "fulll"
  > }
  > END
  $ horus run traces/sample.csv -o out --config c.json
  ! c.json:2:12: error: 'check' must be off|fast|full, not 'fulll'
  !     2 |   "check": "fulll"
  !       |            ^~~~~~~
  !       = hint: did you mean 'full'?
  [3]

# config-empty-list
An empty list as a parameter of a policy.

  $ echo '{"policy": {"name": "tiresias", "queue_limits": []}}' >c.json
  $ horus run traces/sample.csv -o out --config c.json
  ! c.json:1:49: error: an empty list is no value of a policy's parameter
  !     1 | {"policy": {"name": "tiresias", "queue_limits": []}}
  !       |                                                 ^
  [3]

# config-local-key
Options of a single call are not keys of a configuration.

  $ cat >c.json <<'END'
  > {
  >   "force": true
  > }
  > END
  $ horus run traces/sample.csv -o out --config c.json
  ! c.json:2:3: error: unknown key 'force'
  !     2 |   "force": true
  !       |   ^~~~~~~
  !       = hint: it is about one call: give it on the command line
  [3]

# config-missing-file
No such file.

  $ horus run traces/sample.csv -o out --config nowhere.json
  ! nowhere.json: error: cannot open: No such file or directory
  [4]

# config-not-an-object
A list at the top, not an object.

  $ cat >c.json <<'END'
  > ["fifo"]
  > END
  $ horus run traces/sample.csv -o out --config c.json
  ! c.json:1:1: error: a configuration is an object: {"key": value, ...}
  !     1 | ["fifo"]
  !       | ^
  [3]

# config-null-cluster
null means absent, but a cluster is required.

  $ echo '{"cluster": null}' >c.json
  $ horus run traces/sample.csv --config c.json -o out
  ! c.json:1:13: error: 'cluster' is empty
  !     1 | {"cluster": null}
  !       |             ^~~~
  !       = hint: JSON file, name ('horus clusters' lists them) or shape NODESxGPUS:TYPE,..., e.g. 20x8:V100,8x4:P100
  [3]

# config-places
Values that only the option itself can parse are refused with their line, too: each parameter of a
policy, a sample, a list of outputs, a format; all errors at once.

  $ cat >c.json <<'END'
  > {
  >   "$schema": "run.schema.json",
  >   "policy": {
  >     "name": "srtf",
  >     "form": "evicted",
  >     "cost_tabel": [7, 30]
  >   },
  >   "sample": "sometimes",
  >   "outputs": "jobs,segmints",
  >   "format": "philli",
  >   "interference": "const:lots"
  > }
  > END
  $ horus run traces/sample.csv -o out --config c.json
  ! c.json:5:5: error: policy 'srtf': 'form' must be evict|replace, not 'evicted'
  !     5 |     "form": "evicted",
  !       |     ^~~~~~~~~~~~~~~~~
  !       = hint: did you mean 'evict'?
  ! c.json:6:5: error: policy 'srtf': unknown parameter 'cost_tabel'
  !     6 |     "cost_tabel": [7, 30]
  !       |     ^~~~~~~~~~~~~~~
  !       = hint: did you mean 'cost_table'?
  ! c.json:8:13: error: sample is neither a time, 'auto' nor 'exact': 'sometimes'
  !     8 |   "sample": "sometimes",
  !       |             ^~~~~~~~~~~
  !       = hint: for example 60s
  ! c.json:9:14: error: outputs: unknown output 'segmints'; expected all, summary, or a list of jobs,segments,series,nodes,decisions,swf,teams
  !     9 |   "outputs": "jobs,segmints",
  !       |              ^~~~~~~~~~~~~~~
  !       = hint: did you mean 'segments'?
  ! c.json:10:13: error: unknown trace format 'philli'
  !    10 |   "format": "philli",
  !       |             ^~~~~~~~
  !       = hint: did you mean 'philly'?
  ! c.json:11:19: error: interference const:X needs a number 0..100, not 'lots'
  !    11 |   "interference": "const:lots"
  !       |                   ^~~~~~~~~~~~
  !       = hint: const:0.2 makes every job run 1.2 times as long beside another
  [3]
  $ echo '{"policy": ["fifo", "sjf:scan=fits"]}' >d.json
  $ horus compare traces/sample.csv --config d.json
  ! d.json:1:21: error: policy 'sjf': 'scan' must be strict|fit|easy|conservative, not 'fits'
  !     1 | {"policy": ["fifo", "sjf:scan=fits"]}
  !       |                     ^~~~~~~~~~~~~~~
  !       = hint: did you mean 'fit'?
  [3]

# config-policy-parameter
A policy object with a parameter it does not have.

  $ cat >c.json <<'END'
  > {
  >   "cluster": "8x8:V100",
  >   "policy": {"name": "fifo", "scam": "fit"}
  > }
  > END
  $ horus run traces/sample.csv -o out --config c.json
  ! c.json:3:30: error: policy 'fifo': unknown parameter 'scam'
  !     3 |   "policy": {"name": "fifo", "scam": "fit"}
  !       |                              ^~~~~~~~~~~~~
  !       = hint: did you mean 'scan'?
  [3]

# config-range
A load below the smallest.

  $ cat >c.json <<'END'
  > {
  >   "load": -1
  > }
  > END
  $ horus run traces/sample.csv -o out --config c.json
  ! c.json:2:11: error: 'load' must be a number from 1e-06 to 1000000, not '-1'
  !     2 |   "load": -1
  !       |           ^~
  [3]

# config-several-errors
All errors at once.

  $ cat >c.json <<'END'
  > {
  >   // three mistakes
  >   "polcy": "fifo",
  >   "until": "next week",
  >   "max_jobs": -5
  > }
  > END
  $ horus run traces/sample.csv -o out --config c.json
  ! c.json:3:3: error: unknown key 'polcy'
  !     3 |   "polcy": "fifo",
  !       |   ^~~~~~~
  !       = hint: did you mean 'policy'?
  ! c.json:4:12: error: 'until' must be a duration from 0s to 36500d, not 'next week'
  !     4 |   "until": "next week",
  !       |            ^~~~~~~~~~~
  !       = hint: such as 90s, 15min, 2h or 7d
  ! c.json:5:15: error: 'max_jobs' must be an integer from 0 to 9000000000000000, not '-5'
  !     5 |   "max_jobs": -5
  !       |               ^~
  [3]

# config-syntax
A trailing comma.

  $ cat >c.json <<'END'
  > {
  >   "cluster": "8x8:V100",
  > }
  > END
  $ horus run traces/sample.csv -o out --config c.json
  ! c.json:3:1: error: expected a key in double quotes
  !     3 | }
  !       | ^
  !       = hint: remove the comma before '}'
  [3]

# config-unknown-key
A misspelt key.

  $ cat >c.json <<'END'
  > {
  >   "clustr": "8x8:V100"
  > }
  > END
  $ horus run traces/sample.csv -o out --config c.json
  ! c.json:2:3: error: unknown key 'clustr'
  !     2 |   "clustr": "8x8:V100"
  !       |   ^~~~~~~~
  !       = hint: did you mean 'cluster'?
  [3]

# config-wrong-type
A string for a number.

  $ cat >c.json <<'END'
  > {
  >   "cluster": "8x8:V100",
  >   "seed": "seven"
  > }
  > END
  $ horus run traces/sample.csv -o out --config c.json
  ! c.json:3:11: error: 'seed' must be an integer from 0 to 9000000000000000, not 'seven'
  !     3 |   "seed": "seven"
  !       |           ^~~~~~~
  [3]

# run-precedence
default < --config < --set < flag, in any order.

  $ echo '{"max_tenants": 5, "seed": 5, "load": 5}' >c.json
  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,4,10
  > b,1,8,5
  > c,2,4,3
  > END
  $ horus run t.csv --max-tenants=4 --set max_tenants=3 --set seed=3 --config c.json --print-config | grep -E "max_tenants|seed|load|startup"
    "seed": 3,  // from --set
    "startup": "0s",  // from default
    "max_tenants": 4,  // from --max-tenants
    "assign_seed": 0,  // from default
    "load": 5,  // from c.json

# run-print-config
The effective configuration, with origins, is itself a config.

  $ cat >c.json <<'END'
  > {
  >   // comments are allowed
  >   "cluster": "8x8:V100",
  >   "policy": {"name": "fifo", "scan": "fit"},
  >   "check": "fast"
  > }
  > END
  $ horus run traces/sample.csv --config c.json --set max_jobs=10 --until 2h --print-config | tee d.json
  {
    "trace": "traces/sample.csv",  // from --trace
    "name": null,  // from default
    "cluster": "8x8:V100",  // from c.json
    "vc": "ignore",  // from default
    "vc_file": null,  // from default
    "vc_date": null,  // from default
    "reservations": null,  // from default
    "overcommit": 1,  // from default
    "events": null,  // from default
    "faults": null,  // from default
    "checkpoint_interval": "auto",  // from default
    "checkpoint_cost": "0s",  // from default
    "restart_cost": "0s",  // from default
    "policy": "fifo:scan=fit",  // from c.json
    "seed": 1,  // from default
    "until": "2h",  // from --until
    "max_events": 0,  // from default
    "max_wall": "0s",  // from default
    "startup": "0s",  // from default
    "max_tenants": 16,  // from default
    "check": "fast",  // from c.json
    "tie_jitter": 0,  // from default
    "models": null,  // from default
    "interference": "measured+fit",  // from default
    "gamma": 1,  // from default
    "interference_noise": 0,  // from default
    "sharing_mode": "cluster",  // from default
    "sharing_capacity": "auto",  // from default
    "reference_type": null,  // from default
    "locality": "measured",  // from default
    "rack_speed": 1,  // from default
    "memory_reserve": "auto",  // from default
    "oom_delay": "30s",  // from default
    "oom_retries": 2,  // from default
    "restart_table": "builtin:restart.csv",  // from default
    "memory_limits": "builtin:memory-limits.csv",  // from default
    "storage_bandwidth": 100,  // from default
    "predictor": "noisy",  // from default
    "util_noise": 0.154,  // from default
    "util_bias": 0,  // from default
    "predictor_holdout": "config",  // from default
    "memory_predictor": "oracle",  // from default
    "memory_noise": 0.665,  // from default
    "speed_predictor": "table",  // from default
    "assign": "auto",  // from default
    "assign_target": 52,  // from default
    "assign_sticky": 0.8,  // from default
    "profiles": "builtin:profiles.csv",  // from default
    "deadlines": "trace",  // from default
    "losses": "trace",  // from default
    "assign_seed": 0,  // from default
    "unknown_util": "full",  // from default
    "unknown_memory": "full",  // from default
    "format": "auto",  // from default
    "map": null,  // from default
    "map_value": null,  // from default
    "time_unit": "auto",  // from default
    "gavel_throughputs": null,  // from default
    "philly_attempts": "merge",  // from default
    "retries": "merge",  // from default
    "cpu_jobs": "skip",  // from default
    "zero_duration": "keep",  // from default
    "openb_pending": "drop",  // from default
    "outcomes": null,  // from default
    "sort": "8192",  // from default
    "skip_bad_rows": 0,  // from default
    "max_jobs": 10,  // from --set
    "load": 1,  // from default
    "scale_time": 1,  // from default
    "window": null,  // from default
    "sample_jobs": 1,  // from default
    "outputs": "all",  // from default
    "decisions": false,  // from default
    "sample": "auto",  // from default
    "max_rows": 100000000,  // from default
    "fairness": false,  // from default
    "power": false,  // from default
    "warmup": "0s",  // from default
    "cooldown": "0s"  // from default
  }
  $ horus run --config d.json --print-config | sed 's, *//.*,,' >e.json
  $ sed 's, *//.*,,' d.json | diff - e.json
