SPDX-License-Identifier: GPL-3.0-or-later

Options: misspelt, without a value, with an invalid value, in contradiction.

# set-unknown-key
--set of a misspelt key.

  $ horus run traces/sample.csv -o out --set sede=4
  ! error: unknown key 'sede'
  !       = hint: did you mean 'seed'?
  [2]

# set-without-equals
--set without `=`.

  $ horus run traces/sample.csv -o out --set seed
  ! error: --set needs key=value, not 'seed'
  !       = hint: --set load=2 or --set policy.scan=fit
  [2]

# use-ambiguous-option
An abbreviation of two options.

  $ horus run traces/sample.csv --co=4x4
  ! error: run: option '--co' is ambiguous
  !       = hint: it could be '--cooldown' or '--config'
  [2]

# use-bad-choice
Not a choice.

  $ horus run traces/sample.csv --check=ful
  ! error: '--check' must be off|fast|full, not 'ful'
  !       = hint: did you mean 'full'?
  [2]

# use-bad-duration
Not a time.

  $ horus run traces/sample.csv --until=soon
  ! error: '--until' must be a duration from 0s to 36500d, not 'soon'
  !       = hint: such as 90s, 15min, 2h or 7d
  [2]

# use-bad-format
Not a format.

  $ horus run traces/sample.csv --format=phily
  ! error: unknown trace format 'phily'
  !       = hint: did you mean 'philly'?
  [2]

# use-bad-number
Not a number.

  $ horus run traces/sample.csv --seed=0x10
  ! error: '--seed' must be an integer from 0 to 9000000000000000, not '0x10'
  [2]

# use-bad-outcome
Not an outcome.

  $ horus run traces/sample.csv --outcomes=completed,exploded
  ! note: no cluster given: 16x8:V100 is taken
  !       = hint: -c SPEC names another
  ! error: unknown outcome 'exploded'
  !       = hint: a list of completed, cancelled, failed, unknown
  [2]

# use-bad-outputs
Not an output.

  $ horus run traces/sample.csv --outputs=job
  ! error: outputs: unknown output 'job'; expected all, summary, or a list of jobs,segments,series,nodes,decisions,swf,teams
  !       = hint: did you mean 'jobs'?
  [2]

# use-bad-sample
A --sample that is no interval.

  $ horus run traces/sample.csv --sample=sometimes
  ! error: sample is neither a time, 'auto' nor 'exact': 'sometimes'
  !       = hint: for example 60s
  [2]

# use-bad-sort
A --sort that is no number of rows.

  $ horus run traces/sample.csv --sort=some
  ! error: sort is neither a number of rows nor 'all': 'some'
  !       = hint: --sort=8192 buffers 8192 rows
  [2]

# use-empty-cluster
An empty cluster.

  $ horus run traces/sample.csv -c ""
  ! error: run: 'cluster' is empty
  !       = hint: JSON file, name ('horus clusters' lists them) or shape NODESxGPUS:TYPE,..., e.g. 20x8:V100,8x4:P100
  [2]

# use-jitter-stdin
Standard input cannot be read twice.

  $ horus run - --tie-jitter 3
  ! error: --tie-jitter reads the trace several times: it cannot be standard input
  !       = hint: put the trace into a file
  [2]

# use-missing-long-value
A long option without its value.

  $ horus run traces/sample.csv --until
  ! error: run: option '--until' needs a value: TIME
  !       = hint: stop at this simulated time and list the unfinished jobs; 0: run to the end
  [2]

# use-missing-value
An option without its value.

  $ horus run traces/sample.csv -c
  ! error: run: option '--cluster' needs a value: SPEC
  !       = hint: JSON file, name ('horus clusters' lists them) or shape NODESxGPUS:TYPE,..., e.g. 20x8:V100,8x4:P100
  [2]

# use-name-with-slash
The name becomes part of a path, hence no slash.

  $ horus run traces/sample.csv --name=a/b
  ! error: name begins with a dot, or has a slash or a control character: 'a/b'
  !       = hint: it becomes part of a directory name
  [2]

# use-out-of-range
Below the smallest value.

  $ horus run traces/sample.csv --max-tenants=0
  ! error: '--max-tenants' must be an integer from 1 to 16, not '0'
  [2]

# use-progress-both
--progress and --no-progress contradict each other.

  $ horus run traces/sample.csv --progress --no-progress
  ! error: run: both --progress and --no-progress
  !       = hint: leave one out
  [2]

# use-quiet-verbose
-q and -v contradict each other.

  $ horus run traces/sample.csv -qv
  ! error: run: both --quiet and --verbose
  !       = hint: leave one out
  [2]

# use-unknown-letter
An unknown short option.

  $ horus run traces/sample.csv -Z
  ! error: run: unknown option '-Z'
  !       = hint: 'horus run --help all' lists the options
  [2]

# use-unknown-option
A misspelt option.

  $ horus run traces/sample.csv --polcy fifo
  ! error: run: unknown option '--polcy'
  !       = hint: did you mean '--policy'?
  [2]

# use-unknown-option-far
An option that resembles no other: no suggestion.

  $ horus run traces/sample.csv --zzzzzz
  ! error: run: unknown option '--zzzzzz'
  !       = hint: 'horus run --help all' lists the options
  [2]

# use-value-for-flag
A flag takes no value.

  $ horus run traces/sample.csv --force=yes
  ! error: run: option '--force' takes no value
  !       = hint: leave the value out
  [2]

# use-without-its-like
Options that need another one, or are no text of their kind.

  $ horus run traces/sample.csv -o out --snapshot s
  ! error: --snapshot without --until
  !       = hint: --until TIME
  [2]
  $ horus run traces/sample.csv -o out --snapshot s --until 10s --tie-jitter 2
  ! error: run: both a checkpoint and --tie-jitter
  !       = hint: leave one out
  [2]
  $ horus run traces/sample.csv -o out --set policy.=3
  ! error: 'policy.=3' is not one parameter
  !       = hint: --set policy.key=value, one key at a time
  [2]
  $ horus run traces/sample.csv -o out --set foo.bar=3
  ! error: unknown key 'foo.bar'
  !       = hint: --print-config shows every key
  [2]
  $ horus run traces/sample.csv -o out --memory-reserve=lots
  ! error: memory_reserve is neither a size nor 'auto': 'lots'
  !       = hint: for example 1GiB, or auto
  [2]
