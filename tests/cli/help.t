SPDX-License-Identifier: GPL-3.0-or-later

`horus help` and --help, which are made of the same tables.

# help
The list of commands.

  $ horus help
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

# help-calibrate-all
The text does not mention --config and --set, which calibrate does not take.

  $ horus calibrate --help all
  usage: horus calibrate [options] SUBJECT
  Fit a model: interference, utilization, predictor, speed.

  Reads measurements, excludes the rows that the cleaning steps reject (counted by reason), fits a
  model, cross-validates it, prints a table and writes the model file for --models. The same data give
  the same bytes. configs/models/README.md has the forms of the models and the errors to expect.

  Data:
        --data=PATH         measurements: Lucid's folder, a JSON file of Gavel, or your own CSV; may
                            be repeated
        --clean=LIST        cleaning steps: default, all, none, or a list of them [default]
        --overlap=PERCENT   a pair counts as not overlapping if its joint utilization is lower than
                            that of one of its jobs alone by more than this [5]; 0..100; source:
                            configs/models/README.md, step overlap: 2 to 20 change k by 0.07
        --profiles=FILE     catalogue of profiles, with model families and graph features
                            [builtin:profiles.csv]

  Fit:
        --ridge=X           strength of the ridge terms; 0: the default of the subject [0]; 0..1000000
        --reference=TYPE    speed: the GPU type that speeds are relative to; jobs that were not
                            measured on it are excluded; absent: the fastest type

  Results:
    -o, --output=FILE       the model file to write; absent: only the table is printed
        --keep-pairs        also write the measured pairs, where their licence allows it
        --rows=FILE         CSV to write with the observation and held-out prediction of every row
    -f, --force             replace FILE

  Examples:
    horus calibrate interference --data my-pairs.csv
    horus calibrate interference --data lucid --data gavel/oracle_throughputs.json -o interference.json
    horus calibrate predictor --data configs/profiles.csv --data lucid

# help-compare
compare in brief.

  $ horus compare --help
  usage: horus compare [options] TRACE | RUN RUN
  Compare policies on a trace, or two runs job by job.

    -c, --cluster=SPEC      JSON file, name ('horus clusters' lists them) or shape
                            NODESxGPUS:TYPE,..., e.g. 20x8:V100,8x4:P100 [16x8:V100]
        --vc=WHAT           virtual clusters: ignored, partitions of the nodes, or GPU quotas on
                            shared nodes [ignore]
    -p, --policy=NAME[:KEY=VALUE,...]
                            scheduling policy; repeat -p for each, the first is the reference; in a
                            --config file a list
        --seeds=SEEDS       run each policy with each of these seeds, e.g. 1..5 or 1,3,7; absent: that
                            of --seed
        --assignments=SEEDS
                            and with each of these seeds of the draws of profiles; absent:
                            --assign-seed, or the run's seed
        --seed=N            seed of all random draws [1]
        --until=TIME        stop at this simulated time and list the unfinished jobs; 0: run to the
                            end [0s]
        --format=NAME       trace format, or auto: by content ('horus help formats') [auto]
        --map=MAP           names of the columns of a csv: 'submit_time=timestamp,...' or a JSON file
        --load=X            factor on the arrival rate: divides the gaps between submissions [1]
    -o, --output=DIR        directory of the comparison; absent: results/compare-TRACE-HASH
        --fail-if=CONDITION
                            exit with code 1 if this holds: 'mean_jct>+1%' (any policy against the
                            first) or 'ooms>0'; '@POLICY' after it: only of that policy; may be
                            repeated
        --config=FILE       JSON with any of the keys above (// comments allowed); flags override it
        --dry-run           check all inputs, including the whole trace, print their sizes, and stop
    -j, --processes=N       number of runs at a time, each in its own process [1]
    -h, --help [all]        print this text; with all: every option with range and default

  Examples:
    horus compare traces/sample.csv -c 8x8:V100 -p fifo -p sjf -p srtf
    horus compare jobs.csv -c 16x8:V100 -p fifo -p srtf --seeds 1..5 --assignments 1..3 -j 4
    horus compare results/a results/b

# help-of-a-policy
  $ horus help policies srtf
  ! error: help: unexpected operand 'srtf'
  !       = hint: horus policies srtf
  [2]
  $ horus clusters venus
  ! error: clusters: unexpected operand 'venus'
  !       = hint: usage: horus clusters [options]
  [2]

# help-formats
What each trace format needs.

  $ horus help formats
  The format of a trace is recognised by its content; --format overrides this. Files compressed by
  gzip or Zstandard need no unpacking; - is standard input.

  The fields of a csv are separated by commas, semicolons, bars or tabs. Times are dates, 2020-04-01
  12:30:00, or numbers in seconds, or in the unit at the end of the column's name (duration_min;
  --time-unit sets it for all).

  configs/mappings/kubernetes-*.jq (installed below share/doc/horus) convert the pods of Kubernetes to
  a csv and its nodes to a cluster. The accounting of Slurm is read as this command prints it:

  sacct --allusers --allocations --parsable2 --starttime=2024-01-01
  --format=JobID,User,Partition,State,Submit,Start,End,ReqTRES,AllocTRES

    csv          native CSV: columns by name, other names through --map
                 job_id, submit_time, gpus, duration or start_time with end_time; optional: user, vc,
                 gpu_type, model, dataset, batch, precision, nodes, cpus, mem_mib, gpu_mem_mib,
                 gpu_util, priority, deadline, preempt_cost, gpus_min, gpus_max, status or outcome,
                 attempts, class, step, gpu_mem_persistent_mib, checkpoint_mib, gpu_mem_later_mib,
                 gpu_mem_later_after, gpu_milli, gpu_type_ran, deadline_options, loss_curve
    helios       Helios cluster_log.csv (SC'21)
                 job_id, gpu_num, submit_time, duration; optional: state, user, vc, cpu_num, model,
                 dataset, batchsize, gpu_util, gmem
    philly       Philly cluster_job_log (ATC'19)
                 jobid, submitted_time, attempts[].start_time, end_time, detail[].gpus; optional:
                 status, user, vc
    tiresias     Tiresias and Horus job files
                 job_id, num_gpu, submit_time, duration; optional: user, model_name, batch_size
    acme         Acme trace_seren.csv, trace_kalos.csv (NSDI'24)
                 job_id, gpu_num, submit_time, start_time, end_time, type; optional: state, user,
                 cpu_num, node_num with mem_per_pod_GB
    muri         Muri job files, in ms (SIGCOMM'22)
                 job_id, num_gpu, submit_time, duration, iteration_time; optional: user, model_name,
                 batch_size, priority
    chronus      Chronus job files, in minutes (SoCC'21)
                 job_id, num_gpu, submit_time, duration, expect_time_list; optional: user, model_name,
                 batch_size, best_effort, expect_value_list
    elasticflow  ElasticFlow job files (ASPLOS'23)
                 job_id, num_gpu, submit_time, duration, ddl; optional: model_name, batch_size,
                 iteration, best_effort
    swf          Standard Workload Format 2.2, also jobs.swf of a run
                 18 numbers a line: job, submit, run, processors (requested, else allocated), status;
                 optional: memory, user, queue, partition
    pai          Alibaba PAI 2020 pai_task_table.csv (NSDI'22), with or without header
                 job_name, task_name, inst_num, status, start_time, end_time, plan_cpu, plan_mem,
                 plan_gpu, gpu_type, in this order where the file has no header
    pai_jobs     jobs of the simulator of Alibaba PAI 2020 (pai_job_no_estimate_100K.csv)
                 num_gpu, num_cpu, submit_time, duration; optional: job_id, user, gpu_type
    openb        pods of Alibaba's cluster of 2023, openb_pod_list_*.csv (ATC'23)
                 name, cpu_milli, memory_mib, num_gpu, gpu_milli; creation_time, deletion_time and
                 scheduled_time, or none of them; optional: gpu_spec, qos, pod_phase
    gavel        Gavel's traces, 7 or 10 fields between tabs (OSDI'20), 12 of Shockwave (NSDI'23)
                 job type, total steps, scale factor, arrival time; optional: priority weight, SLO,
                 duration; without the last --gavel-throughputs
    slurm        Slurm's accounting, as sacct --parsable2 prints it
                 JobID, State, Submit; ElapsedRaw, Elapsed, or Start and End; AllocTRES or ReqTRES;
                 optional: User, Partition, Account
    generated    synthetic jobs: gen:philly,n=10000,seed=1 as TRACE, or a file with this line
                 gen:NAME, then any of n, days, load, gpus, seed

# help-option
--help prints the same as `horus help`.

  $ horus --help
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

# help-predict
predict in brief.

  $ horus predict --help
  usage: horus predict [options] --job JOB --gpu TYPE
  Print what the models predict for jobs on one GPU.

        --job=MODEL[:BATCH[:PRECISION[:DATASET]]]
                            a configuration, or its key as printed: ResNet18/CIFAR-10/64/fp32; a part
                            left out is the first in the catalogue
        --with=MODEL[:BATCH[:PRECISION[:DATASET]]]
                            another job on the same GPU; may be repeated
        --gpu=TYPE          GPU type, such as V100
        --list              list the models, datasets, precisions and batch sizes of the catalogue
        --json              print everything as JSON, with utilizations from 0 to 1
    -h, --help [all]        print this text; with all: every option with range and default

  Examples:
    horus predict --list
    horus predict --job ResNet18:64:amp --with LSTM:128 --gpu RTX3090
    horus predict --job ResNet50:32 --with Transformer:64 --gpu V100 --json

# help-rerun
All options of rerun.

  $ horus rerun --help all
  usage: horus rerun [options] RUN
  Repeat a finished run and compare the hashes of its files.

  RUN is a run directory or its manifest.json, which has the configuration with all defaults, the
  parameters of the policy, and the hashes of inputs and outputs. Cluster, machine events and
  reservations are read from the copies in the directory; other files from the paths given then, and
  only the trace may have moved (--trace). The exit code is 0 if all files are identical byte for
  byte, 1 if one differs, and 3 if an input is missing or has changed.

  Rerun:
        --trace=FILE        path of the trace if it has moved; its content must be the recorded one
    -o, --output=DIR        directory in which to keep the new run; absent: it is removed after the
                            comparison

  Examples:
    horus rerun results/sample-fifo-0123456789ab
    horus rerun from-a-colleague/manifest.json --trace ~/traces/sample.csv
    horus rerun results/mine -o results/mine-again

# help-run
Everything about run.

  $ horus help run
  usage: horus run [options] TRACE
  Replay a trace on a cluster under a policy.

  Reads the jobs of TRACE (a file, or - for standard input), schedules them on the cluster and writes
  a run directory: jobs.csv, segments.csv, series.csv, nodes.csv, summary.json, summary.csv and
  manifest.json. The results do not depend on time zone, locale or machine load. If all jobs are
  rejected, the exit code is 3.

  Workload:
        --trace=FILE        the trace, if it is not given as an operand; - is standard input
        --name=WORKLOAD     name of the workload in the results; absent: that of the trace's file

  Cluster:
    -c, --cluster=SPEC      JSON file, name ('horus clusters' lists them) or shape
                            NODESxGPUS:TYPE,..., e.g. 20x8:V100,8x4:P100 [16x8:V100]
        --vc=ignore|partition|quota
                            virtual clusters: ignored, partitions of the nodes, or GPU quotas on
                            shared nodes [ignore]
        --vc-file=FILE      sizes of the virtual clusters: JSON, or Helios' cluster_gpu_number.csv;
                            absent: those in the cluster file
        --vc-date=YYYY-MM-DD
                            date of the row of cluster_gpu_number.csv to use; absent: the last row
        --reservations=FILE
                            nodes reserved for a user or a virtual cluster: CSV with start, end, nodes
                            or gpus, user, vc, name
        --overcommit=X      factor on the number of nodes, where a log shows other capacity in use
                            than its cluster file has [1]; 0.01..100
        --events=FILE       machine events (failures, drains, additions, removals, slow nodes): CSV
                            with time, node, event, value (configs/README.md)
        --faults=RATES      random node failures, drawn by --seed: mtbf=30d,repair=4h; optional: shape
                            (Weibull; 1: exponential) and rack_mtbf (whole racks fail)
        --checkpoint-interval=TIME|young-daly|none|auto
                            work between two checkpoints of a job; a failure of one of its nodes loses
                            the work since the last one; none: all work since it got its GPUs;
                            young-daly: sqrt(2 x --checkpoint-cost x mean time between failures of its
                            nodes); auto: young-daly where --faults and --checkpoint-cost are given,
                            else none [auto]; source: Young, CACM 1974; Daly, FGCS 2006
        --checkpoint-cost=TIME
                            time that each checkpoint takes; it slows the job evenly over its whole
                            run [0s]; 0s..1000000s
        --restart-cost=TIME
                            cost of a start after a failure or a drain, in addition to --startup [0s];
                            0s..1000000s

  Simulation:
    -p, --policy=NAME[:KEY=VALUE,...]
                            scheduling policy ('horus policies' lists them) [fifo]
        --seed=N            seed of all random draws [1]; 0..9000000000000000
        --until=TIME        stop at this simulated time and list the unfinished jobs; 0: run to the
                            end [0s]; 0s..36500d
        --max-events=N      stop as --until does, with exit code 5, after the instant that reaches
                            this number of events; 0: no limit [0]; 0..9000000000000000
        --max-wall=TIME     the same after this wall-clock time: where the run stops depends on the
                            machine; 0: no limit [0s]; 0s..36500d
        --startup=TIME      cost of the first start of every job [0s]; 0s..1000000s
        --max-tenants=N     most jobs on one GPU, whatever the policy's own limit [16]; 1..16
        --check=off|fast|full
                            invariants checked after every instant: none, cheap ones, or all by full
                            recounts [fast]
        --tie-jitter=N      N more runs with random ties, by --seed: mean and spread of each metric
                            [0]; 0..10000

  Truth: how fast jobs run:
        --models=FILES      model files of 'horus calibrate', comma-separated; each replaces the
                            built-in model of its kind
        --interference=MODEL
                            slowdown of jobs that share a GPU, before the limit on its total time
                            (--sharing-capacity): measured+fit, fit, const:X (1 + X beside any other
                            job) or none [measured+fit]
        --gamma=X           exponent on slowdowns: 1 as measured; 1.43 raises the worst to 3.2 [1];
                            0..10; source: 1.43: Horus ICA3PP'20 saw up to 3.2x
        --interference-noise=X
                            error of the slowdown model: speeds of unmeasured pairs get residuals of X
                            times its hold-out RMSE, drawn by --seed; 1: one standard error [0]; 0..10
        --sharing-mode=cluster|timeslice|mps|mig
                            how jobs share a GPU. timeslice: kernels of one job at a time; mps: of
                            several at a time; mig: fixed parts; cluster: as the cluster file says,
                            else timeslice [cluster]
        --sharing-capacity=CAPACITY
                            limit on the GPU time that the jobs on one GPU use together, 1: that of
                            one job; auto (as measured for GPU type and mode, else 1), a number, or
                            none [auto]
        --reference-type=TYPE
                            GPU type on which the trace was recorded; absent: of the cluster's types
                            of speed 1 the one with most GPUs, the first by name among equals
        --locality=measured|none
                            slowdown of a gang on more nodes than it needs: as measured for its model
                            family, or none [measured]
        --rack-speed=X      relative speed of a gang on more racks than it needs; no public
                            measurement separates this from the effect of nodes [1]; 0.01..1
        --memory-reserve=SIZE|auto
                            memory of a shared GPU that its jobs cannot use; auto: as calibrated
                            [auto]; source: auto: 95 % of Lucid's pairs need less than this beyond the
                            sum of both
        --oom-delay=TIME    time from a start that overflows GPU memory to its failure; its work is
                            lost [30s]; 0s..1d
        --oom-retries=N     after this many out-of-memory failures a job only runs alone [2]; 0..1000
        --restart-table=FILE
                            restart times by model and number of GPUs, for preempt_cost=restart;
                            builtin: the compiled-in configs/restart.csv [builtin:restart.csv];
                            source: Zhao et al. SIGCOMM'22, Muri simulator
        --memory-limits=FILE
                            speed of a job whose GPU memory a policy limits, by model and limit;
                            builtin: the compiled-in configs/memory-limits.csv
                            [builtin:memory-limits.csv]; source: Xiao et al. OSDI'20, AntMan, fig. 10
        --storage-bandwidth=N
                            MiB/s at which a job saves and restores its checkpoint, for
                            preempt_cost=checkpoint [100]; 1..1000000; source: shared file systems of
                            clouds: Filestore basic HDD 100/100 MiB/s, Amazon EFS bursting 100 MiB/s

  Prediction: what policies see:
        --predictor=oracle|noisy|table|regress
                            predicted utilization: the true one, the true one with log-normal noise,
                            that of other batch sizes of the model, or by regression on its graph
                            [noisy]; source: noisy: HotCloud'20 reports an error, not a method
        --util-noise=X      noisy: RMSLE of the utilization; one draw per job, by --seed [0.154];
                            0..5; source: Yeung et al. HotCloud'20
        --util-bias=X       noisy: mean of the log error; below 0 predictions are too low [0]; -5..5
        --predictor-holdout=config|model
                            regress: fitted without this configuration, or without its model [config]
        --memory-predictor=oracle|formula|noisy
                            predicted GPU memory: the true one, by the formula of Horus, or the true
                            one with log-normal noise [oracle]
        --memory-noise=X    noisy: standard deviation of ln(estimate / truth); one draw per job, by
                            --seed [0.665]; 0..5; source: the formula against 18 measurements of
                            GPUMemNet
        --speed-predictor=PREDICTOR
                            predicted speeds on types and numbers of GPUs. oracle: the true ones;
                            table: those of other batch sizes of the model, else of other models (of
                            pairs: by --predictor); noisy:SIGMA: the true ones with log-normal noise,
                            by --seed [table]

  Profiles of the jobs:
        --assign=auto|columns|telemetry|mix|off|always
                            source of a job's profile. always: the model that the trace names, else
                            its recorded GPU utilization, else a draw from a mix; auto: the same, but
                            no draws where no policy shares GPUs or uses profiles and the only GPU
                            type slows no spread gang; columns: only the model; telemetry: model and
                            utilization; mix: only draws; off: none [auto]
        --assign-target=PERCENT
                            mean GPU utilization of the mix, for one-GPU jobs and for gangs [52];
                            0..100; source: 52: Jeon et al., ATC'19, mean of Philly
        --assign-sticky=X   probability that a draw repeats the profile of the user's last job of this
                            size within a day [0.8]; 0..1
        --profiles=FILE     catalogue of profiles; builtin: the compiled-in configs/profiles.csv
                            [builtin:profiles.csv]
        --deadlines=trace|gavel|elasticflow
                            deadlines: those of the trace; a job without one gets a random one, at its
                            submission plus its run time times 1.2, 2 or 10 (gavel) or 0.5 to 1.5
                            (elasticflow) [trace]; source: Narayanan et al. OSDI'20; Gu et al.
                            ASPLOS'23
        --losses=trace|draw
                            loss curves, for optimus:oracle=no: those of the trace; draw: a job
                            without one gets a random one [trace]; source: form and thresholds: Peng
                            et al. EuroSys'18
        --assign-seed=N     seed of the draws of profiles; 0: that of --seed [0]; 0..9000000000000000
        --unknown-util=full|draw|error
                            GPU utilization of a job, where GPUs are shared, that neither trace nor
                            profile nor model family has: 100 %, that of a random row of the
                            catalogue, or an error [full]
        --unknown-memory=full|draw|error
                            the same for GPU memory; full: a whole GPU, so that the job shares none
                            [full]

  Reading the trace:
        --format=NAME       trace format, or auto: by content ('horus help formats') [auto]
        --map=MAP           names of the columns of a csv: 'submit_time=timestamp,...' or a JSON file
        --map-value=VALUES  meaning of values of state and class:
                            'state:Succeeded=completed,state:Error=failed'
        --time-unit=auto|s|ms|us|min|h
                            unit of bare numbers; auto: the format's own, minutes in chronus, ms in
                            muri, else seconds [auto]
        --gavel-throughputs=FILE
                            for Gavel's traces: its file of steps per second, one of
                            *_throughputs.json
        --philly-attempts=merge|split|sum
                            run time of a Philly job with several attempts. merge: first start to last
                            end; split: one job per attempt; sum: sum of their times [merge]; source:
                            merge: philly-traces notebook
        --retries=merge|attempts|generate
                            attempts of a failed job. merge: folded into one run; attempts:
                            resubmitted as the trace records them; generate: drawn as often as on
                            Philly, in addition to the recorded run [merge]; source: generate: Jeon et
                            al., ATC'19
        --cpu-jobs=skip|keep
                            jobs that request no GPU; skipped ones are counted [skip]
        --zero-duration=keep|drop|1s
                            jobs that ran for 0 s: keep, drop (counted) or make them 1 s long [keep]
        --openb-pending=drop|run
                            pods of openb that were never scheduled: drop (counted), or run for as
                            long as they existed [drop]
        --outcomes=OUTCOMES
                            keep only jobs with these recorded outcomes, e.g. completed,failed;
                            absent: all
        --sort=N|all        rows buffered to sort late ones; all: the whole trace in memory [8192]
        --skip-bad-rows=PERCENT
                            percentage of bad rows that may be skipped and counted; 0: the first one
                            is an error [0]; 0..100
        --max-jobs=N        take only the first N jobs; 0: all [0]; 0..9000000000000000
        --load=X            factor on the arrival rate: divides the gaps between submissions [1];
                            1e-06..1000000
        --scale-time=X      factor on gaps and durations alike: 0.1 replays the trace in a tenth of
                            the time at the same load [1]; 1e-06..1000000
        --window=FROM..TO   keep only jobs submitted at or after FROM and before TO: times since the
                            first submission, or dates of the trace; absent: all
        --sample-jobs=X     keep each job with this probability, by its id and --seed [1]; 1e-09..1

  Checkpoints of the run itself:
        --checkpoint=TIME   wall-clock time between two checkpoints of the run, which SIGINT and
                            SIGTERM then write, too; 0: none [0s]; 0s..36500d
        --checkpoint-sim=TIME
                            the same in simulated time; 0: none [0s]; 0s..36500d
        --resume            continue from the checkpoint that an interrupted run of the same command
                            left, if there is one
        --snapshot=FILE     write the state of the run at --until to FILE, for --from; compressed if
                            FILE ends in .gz or .zst
        --from=FILE         continue the run of a snapshot, to its end or to --until, in place of
                            reading a trace; with -p under another policy

  Results:
    -o, --output=DIR        run directory; absent: results/TRACE-POLICY-HASH
        --outputs=LIST      files to write: all, summary, or some of
                            jobs,segments,series,nodes,decisions,swf,teams; all omits the last three
                            [all]
        --decisions         also write decisions.csv: each action of the policy with its reason
        --report            also write report.html, the page of 'horus report'
        --json              print summary.json in place of the table
        --sample=TIME|auto|exact
                            series.csv has means over intervals of TIME, or over at most 2048
                            intervals (auto), or every change (exact) [auto]
        --max-rows=N        most rows of series.csv; a run that would need more is refused
                            [100000000]; 1..9000000000000000
        --fairness          also compute finish-time fairness: a job's JCT divided by that on a 1/N
                            share of the cluster
        --power             also compute energy: of idle GPUs, and of jobs by their GPU utilization
        --warmup=TIME       exclude jobs submitted in this first part of the run from the job
                            statistics [0s]; 0s..36500d
        --cooldown=TIME     the same for the last part [0s]; 0s..36500d

  This call:
        --config=FILE       JSON with any of the keys above (// comments allowed); flags override it
        --set=KEY=VALUE     set one key, e.g. policy.scan=fit; may be repeated
        --print-config      print the effective config with the origin of each value, and stop
    -q, --quiet             print only warnings and errors, no notes and no progress
        --dry-run           check all inputs, including the whole trace, print their sizes, and stop
    -f, --force             replace an existing run directory
        --progress          show progress on standard error even if it is not a terminal
        --no-progress       show no progress
    -v, --verbose           also print events, decisions, time and memory

  Examples:
    horus run traces/sample.csv
    horus run cluster_log.csv.gz -c 133x8:V100 -p srtf:preempt_cost=table
    horus run jobs.csv --map submit_time=timestamp,gpus=num_gpus -c cluster.json -o out

  TIME is 90s, 15min, 2h or 7d (a bare number: seconds); SIZE is 500MiB or 16GiB (a bare number:
  MiB). In a --config file and for --set, the key of --max-jobs=9 is max_jobs, its value 9.

# help-run-all
--help all prints the same as `horus help run`.

  $ horus run --help all > all && horus help run | cmp - all

# help-run-short
--help is a dozen lines.

  $ horus run --help
  usage: horus run [options] TRACE
  Replay a trace on a cluster under a policy.

    -c, --cluster=SPEC      JSON file, name ('horus clusters' lists them) or shape
                            NODESxGPUS:TYPE,..., e.g. 20x8:V100,8x4:P100 [16x8:V100]
        --vc=WHAT           virtual clusters: ignored, partitions of the nodes, or GPU quotas on
                            shared nodes [ignore]
    -p, --policy=NAME[:KEY=VALUE,...]
                            scheduling policy ('horus policies' lists them) [fifo]
        --seed=N            seed of all random draws [1]
        --until=TIME        stop at this simulated time and list the unfinished jobs; 0: run to the
                            end [0s]
        --format=NAME       trace format, or auto: by content ('horus help formats') [auto]
        --map=MAP           names of the columns of a csv: 'submit_time=timestamp,...' or a JSON file
        --load=X            factor on the arrival rate: divides the gaps between submissions [1]
    -o, --output=DIR        run directory; absent: results/TRACE-POLICY-HASH
        --report            also write report.html, the page of 'horus report'
        --json              print summary.json in place of the table
        --config=FILE       JSON with any of the keys above (// comments allowed); flags override it
        --dry-run           check all inputs, including the whole trace, print their sizes, and stop
    -h, --help [all]        print this text; with all: every option with range and default

  Examples:
    horus run traces/sample.csv
    horus run cluster_log.csv.gz -c 133x8:V100 -p srtf:preempt_cost=table
    horus run jobs.csv --map submit_time=timestamp,gpus=num_gpus -c cluster.json -o out

# help-trace
trace in brief.

  $ horus trace --help
  usage: horus trace [options] ACTION FILE
  Describe, check or convert a trace, or assign profiles.

        --format=NAME       trace format, or auto: by content ('horus help formats') [auto]
        --map=MAP           names of the columns of a csv: 'submit_time=timestamp,...' or a JSON file
        --load=X            factor on the arrival rate: divides the gaps between submissions [1]
    -c, --cluster=SPEC      validate: cluster for the offered load and for jobs that can never fit;
                            assign: drawn profiles fit its smallest GPU
        --vc=WHAT           virtual clusters: ignored, partitions of the nodes, or GPU quotas on
                            shared nodes [ignore]
        --config=FILE       JSON with any of the keys above (// comments allowed); flags override it
    -o, --output=FILE       convert, assign: the file to write, compressed if it ends in .gz or .zst;
                            - is standard output
    -f, --force             replace FILE
        --to=NAME           convert: format of the file to write, or auto: by its suffix [auto]
        --compare=FILE      info: distance of the trace from this one, whose format is recognised by
                            content; both are held in memory, 32 to 64 bytes per job
        --json              info: print everything as JSON, in seconds
    -h, --help [all]        print this text; with all: every option with range and default

  Examples:
    horus trace info jobs.csv.zst --map submit_time=timestamp,gpus=num_gpus
    horus trace convert cluster_job_log --retries=attempts -o philly.csv.zst
    horus trace assign traces/sample.csv -o profiled.csv --seed 7

# help-dictionary
The data dictionary is built into the program: results/README.md, section by section.

  $ horus help metrics | grep -A 2 '^  mean_wait '
    mean_wait (s)
        wait = first start - submission; under preemption see mean_queueing_delay
    p50_wait (s)
  $ horus help files | grep -A 6 '^users.csv'
  users.csv and vcs.csv
  With --outputs=all,teams: one row per user or virtual cluster, by GPU time held, largest first, then by
  name; jobs without one are (none). horus explain RUN --by=user|vc|gpus|state prints the same of any run
  that has jobs.csv, also as --csv and --json, with Jain's index over the rows. In a sweep or comparison
  each run has its own files; a sweep collects them in teams.csv: point and run as in sweep.csv,
  axis_KEY for each swept key, by (vc or user), then these columns.
   (esc)
  $ horus help files | grep -c '^  '
  508
  $ horus help metrics --form=man | grep -A 1 '^\*mean.*jct'
  *mean\_jct* (s)
  \tJCT = end - submission (esc)
  --
  *mean\_jct\_bound* (s)
  \tthe larger of the mean isolated run time (fastest type) and the mean JCT of one machine with the whole cluster's capacity under SRPT (esc)
  --
  *mean\_jct\_bound\_share* (1)
  \tbound / mean JCT (esc)
  --
  *mean\_jct*
  \ts (esc)
  $ horus help files --form=markdown
  ! error: help: 'files' has no form 'markdown'
  !       = hint: leave one out
  [2]
