SPDX-License-Identifier: GPL-3.0-or-later

Verbs and operands: misspelt, missing, too many.

# use-help-unknown
Help about an unknown command.

  $ horus help runn
  ! error: no command and no file has this name: 'runn'
  !       = hint: did you mean 'run'?
  [2]

# use-info-with-cluster
An option without a meaning here.

  $ horus trace info traces/sample.csv -c 8x8:V100
  ! error: trace info: -c has no meaning
  !       = hint: trace validate takes a cluster
  [2]

# use-info-with-output
-o of a verb that writes no file.

  $ horus trace info traces/sample.csv -o out.csv
  ! error: trace info: -o has no meaning
  !       = hint: trace convert and trace assign write a file
  [2]

# use-no-trace
run without a trace.

  $ horus run -c 4x4
  ! error: run: TRACE is missing
  !       = hint: usage: horus run [options] TRACE
  [2]

# use-nothing
No arguments: help, and a failure.

  $ horus 
  usage: horus COMMAND [options]        horus TRACE [options] is horus run TRACE
  A trace-driven simulator of GPU-cluster schedulers for deep learning.

    run        TRACE                      Replay a trace on a cluster under a policy.
    compare    TRACE | RUN RUN            Compare policies on a trace, or two runs job by job.
    sweep      EXPERIMENT.json            Run a grid of options; resume it after an interruption.
    backtest   TRACE                      Compare a simulated with the recorded schedule.
    trace      ACTION FILE                Describe, check or convert a trace, or assign profiles.
    generate   --like NAME|--fit TRACE    Write synthetic traces like published ones, or like yours.
    policies   [POLICY]                   List the policies, or the parameters of one.
    clusters                              List the clusters that -c takes by name.
    calibrate  SUBJECT                    Fit a model: interference, utilization, predictor, speed.
    predict    --job JOB --gpu TYPE       Print what the models predict for jobs on one GPU.
    report     RUN...                     Write an HTML page of runs, a comparison or a sweep.
    plot       KIND RUN...                Draw a figure of runs as SVG, PDF, PNG or points in CSV.
    explain    RUN                        Explain why a job waited, or what caused a run's waiting.
    verify     RUN                        Check a finished run independently of the engine.
    rerun      RUN                        Repeat a finished run and compare the hashes of its files.
    schema     [SUBJECT]                  Print a JSON Schema: config, experiment, cluster, workload.
    version                               Print the version; --verbose: compiler and libraries, too.
    help       [COMMAND|formats|files|metrics] Print all options of a command, or formats, files, metrics.

  Examples:
    horus traces/sample.csv
    horus run cluster_log.csv -c 133x8:V100 -p sjf:scan=fit
    horus policies srtf

  'horus COMMAND --help' has its options; 'horus help formats|files|metrics' describes files.
  Exit codes: 0 ok, 1 comparison or verification failed, 2 usage, 3 bad input, 4 I/O, 5 memory or
  limit, such as --max-events, 6 internal invariant, 130/143 after SIGINT/SIGTERM.
  ! error: a command or a trace is missing
  [2]

# use-run-as-compare
`horus run` with options of `horus compare`: the hint names it, nothing is run.

  $ horus run traces/sample.csv -p fifo -p horus
  ! error: run: two policies, 'fifo' and 'horus'
  !       = hint: 'horus compare' takes several, or leave one out
  [2]
  $ horus run traces/sample.csv --policy=sjf -p sjf:scan=fit
  ! error: run: two policies, 'sjf' and 'sjf:scan=fit'
  !       = hint: 'horus compare' takes several, or leave one out
  [2]
  $ horus run traces/sample.csv --seeds 1..5
  ! error: run: unknown option '--seeds'
  !       = hint: 'horus compare' has it; did you mean '--seed'?
  [2]
  $ horus run traces/sample.csv --fail-if 'ooms>0'
  ! error: run: unknown option '--fail-if'
  !       = hint: 'horus compare' has it
  [2]
  $ ls
  configs
  tests
  traces

# use-trace-missing-file
An action without a file.

  $ horus trace info
  ! error: trace: ACTION FILE is missing
  !       = hint: usage: horus trace [options] ACTION FILE
  [2]

# use-trace-twice
An operand and --trace.

  $ horus run traces/sample.csv --trace=traces/sample.csv
  ! error: run: two traces, 'traces/sample.csv' and --trace=traces/sample.csv
  !       = hint: leave one out
  [2]

# use-trace-unknown-action
A misspelt action.

  $ horus trace inof traces/sample.csv
  ! error: trace: unknown action 'inof'
  !       = hint: did you mean 'info'?
  [2]

# use-two-traces
Two operands.

  $ horus run traces/sample.csv traces/sample.csv
  ! error: run: unexpected operand 'traces/sample.csv'
  !       = hint: usage: horus run [options] TRACE
  [2]

# use-unknown-command
A misspelt command.

  $ horus rum traces/sample.csv
  ! error: no command and no file has this name: 'rum'
  !       = hint: did you mean 'run'?
  [2]

# use-unknown-command-far
A command that resembles no other: no suggestion.

  $ horus compare-everything
  ! error: no command and no file has this name: 'compare-everything'
  !       = hint: 'horus help' lists the commands
  [2]

# use-verify-nothing
verify without a run.

  $ horus verify
  ! error: verify: RUN is missing
  !       = hint: usage: horus verify [options] RUN
  [2]
