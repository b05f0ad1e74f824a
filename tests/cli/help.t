SPDX-License-Identifier: GPL-3.0-or-later

`horus help` and --help, which are made of the same tables.

# help
The list of commands.

  $ horus help
  usage: horus COMMAND [options]        horus TRACE [options] is horus run TRACE
  A trace-driven simulator of GPU-cluster schedulers for deep learning.

    run        TRACE                      Replay a trace on a cluster under a policy.
    compare    TRACE | RUN RUN            A trace under several policies, or two runs job by job.
    sweep      EXPERIMENT.json            Many runs over a grid of options, resumed where they stopped.
    backtest   TRACE                      A run beside the starts and ends that its trace records.
    trace      ACTION FILE                A trace: statistics, faults, another format, profiles.
    generate   --like NAME|--fit TRACE    Synthetic traces with the published statistics of real ones.
    policies   [POLICY]                   The policies, what each knows, the parameters of one.
    clusters                              The clusters that -c takes by name.
    calibrate  SUBJECT                    Fit a model: interference, utilization, predictor, speed.
    predict    --job JOB --gpu TYPE       What the models say of a job, or of jobs on one GPU.
    report     RUN...                     Finished runs, a comparison or a sweep as one HTML page.
    plot       KIND RUN...                A figure of finished runs, for a paper: SVG, PDF, PNG, CSV.
    explain    RUN                        Why a job waited, or where the waiting of a run came from.
    verify     RUN                        Check a finished run independently of the engine.
    rerun      RUN                        Repeat a finished run and compare the hashes of its files.
    schema     [SUBJECT]                  JSON Schema of a configuration, experiment, cluster or workload.
    version                               Version; with --verbose compiler, flags and libraries.
    help       [COMMAND|formats|files|metrics] All options of a command; trace formats, files, metrics.

  Examples:
    horus traces/sample.csv
    horus run cluster_log.csv -c 133x8:V100 -p sjf:scan=fit
    horus policies srtf

  'horus COMMAND --help' tells more; 'horus help formats|files|metrics' the rest.
  Exit codes: 0 ok, 1 comparison or verification failed, 2 usage, 3 bad input, 4 I/O, 5 memory or
  limit, such as --max-events, 6 internal invariant, 130/143 after SIGINT/SIGTERM.

# help-calibrate-all
The text does not mention --config and --set, which calibrate does not take.

  $ horus calibrate --help all
  usage: horus calibrate [options] SUBJECT
  Fit a model: interference, utilization, predictor, speed.

  Reads the measurements, marks what the cleaning steps leave out (counted by reason), fits,
  cross-validates, prints a table and writes the model file that --models takes. Same data, same
  bytes. configs/models/README.md tells the forms and the errors to expect.

  Data:
        --data=PATH         measurements: a folder of Lucid's, a JSON of Gavel's, a CSV of your own;
                            may be repeated
        --clean=LIST        cleaning steps: default, all, none, or a list of them [default]
        --overlap=PERCENT   a pair whose joint utilization is lower than that of one job alone by more
                            than this did not overlap [5]; 0..100; source: configs/models/README.md,
                            step overlap: 2 to 20 change k by 0.07
        --profiles=FILE     profile catalogue: families and graph features [builtin:profiles.csv]

  Fit:
        --ridge=X           strength of the ridge terms; 0: the subject's own [0]; 0..1000000
        --reference=TYPE    speed: the GPU type that speeds are relative to; jobs that it has not run
                            are left out; absent: the fastest

  Results:
    -o, --output=FILE       the model file to write; absent: only the table
        --keep-pairs        write the measured pairs, too, where their licence allows it
        --rows=FILE         CSV of every row with observation and held-out prediction
    -f, --force             replace FILE

  Examples:
    horus calibrate interference --data my-pairs.csv
    horus calibrate interference --data lucid --data gavel/oracle_throughputs.json -o interference.json
    horus calibrate predictor --data configs/profiles.csv --data lucid

# help-compare
compare in brief.

  $ horus compare --help
  usage: horus compare [options] TRACE | RUN RUN
  A trace under several policies, or two runs job by job.

    -c, --cluster=SPEC      JSON file, name ('horus clusters' lists them) or shape
                            NODESxGPUS:TYPE,..., e.g. 20x8:V100,8x4:P100 [16x8:V100]
        --vc=WHAT           virtual clusters: ignore them, partition the nodes, or quota of GPUs on
                            shared nodes [ignore]
    -p, --policy=NAME[:KEY=VALUE,...]
                            a scheduling policy; give one -p each, the first is the reference; a list
                            in a --config file
        --seeds=SEEDS       each policy under each of these seeds, e.g. 1..5 or 1,3,7; absent: the one
                            of --seed
        --assignments=SEEDS
                            and each of these seeds for the draws of profiles; absent: --assign-seed,
                            or the run's seed
        --seed=N            of every random draw [1]
        --until=TIME        stop the clock here, list what is unfinished; 0: run to the end [0s]
        --format=NAME       trace format, or auto: by content ('horus help formats') [auto]
        --map=MAP           columns of a csv by their own names: 'submit_time=timestamp,...' or a JSON
                            file
        --load=X            scale the arrival rate: gaps between submissions are divided by this [1]
    -o, --output=DIR        directory of the comparison; absent: results/compare-TRACE-HASH
        --fail-if=CONDITION
                            exit code 1 if it holds: 'mean_jct>+1%' of a policy against the first, or
                            'ooms>0'; '@POLICY' behind it: of that one; may be repeated
        --config=FILE       JSON with any of the keys above (// comments allowed); flags override it
        --dry-run           check everything, the whole trace included, print the sizes, and stop
    -j, --processes=N       runs at a time, each in a process of its own [1]
    -h, --help [all]        this text; all: every option, its range and default

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
  The format of a trace is recognised by content; --format overrides. Files of gzip and Zstandard are
  read as they are, - is standard input.

  A csv has commas, semicolons, bars or tabs between fields. Times are dates, 2020-04-01 12:30:00, or
  seconds, or in the unit of the column's name (duration_min; or --time-unit).

  Pods of Kubernetes become a csv, its nodes a cluster, by configs/mappings/kubernetes-*.jq (installed
  below share/doc/horus). Of Slurm is read what this prints:

  sacct --allusers --allocations --parsable2 --starttime=2024-01-01
  --format=JobID,User,Partition,State,Submit,Start,End,ReqTRES,AllocTRES

    csv          native CSV: columns by name, others through --map
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
    generated    made-up jobs: gen:philly,n=10000,seed=1 as TRACE, or a file with this line
                 gen:NAME, and of n, days, load, gpus, seed what is to be said

# help-option
--help prints the same as `horus help`.

  $ horus --help
  usage: horus COMMAND [options]        horus TRACE [options] is horus run TRACE
  A trace-driven simulator of GPU-cluster schedulers for deep learning.

    run        TRACE                      Replay a trace on a cluster under a policy.
    compare    TRACE | RUN RUN            A trace under several policies, or two runs job by job.
    sweep      EXPERIMENT.json            Many runs over a grid of options, resumed where they stopped.
    backtest   TRACE                      A run beside the starts and ends that its trace records.
    trace      ACTION FILE                A trace: statistics, faults, another format, profiles.
    generate   --like NAME|--fit TRACE    Synthetic traces with the published statistics of real ones.
    policies   [POLICY]                   The policies, what each knows, the parameters of one.
    clusters                              The clusters that -c takes by name.
    calibrate  SUBJECT                    Fit a model: interference, utilization, predictor, speed.
    predict    --job JOB --gpu TYPE       What the models say of a job, or of jobs on one GPU.
    report     RUN...                     Finished runs, a comparison or a sweep as one HTML page.
    plot       KIND RUN...                A figure of finished runs, for a paper: SVG, PDF, PNG, CSV.
    explain    RUN                        Why a job waited, or where the waiting of a run came from.
    verify     RUN                        Check a finished run independently of the engine.
    rerun      RUN                        Repeat a finished run and compare the hashes of its files.
    schema     [SUBJECT]                  JSON Schema of a configuration, experiment, cluster or workload.
    version                               Version; with --verbose compiler, flags and libraries.
    help       [COMMAND|formats|files|metrics] All options of a command; trace formats, files, metrics.

  Examples:
    horus traces/sample.csv
    horus run cluster_log.csv -c 133x8:V100 -p sjf:scan=fit
    horus policies srtf

  'horus COMMAND --help' tells more; 'horus help formats|files|metrics' the rest.
  Exit codes: 0 ok, 1 comparison or verification failed, 2 usage, 3 bad input, 4 I/O, 5 memory or
  limit, such as --max-events, 6 internal invariant, 130/143 after SIGINT/SIGTERM.

# help-predict
predict in brief.

  $ horus predict --help
  usage: horus predict [options] --job JOB --gpu TYPE
  What the models say of a job, or of jobs on one GPU.

        --job=MODEL[:BATCH[:PRECISION[:DATASET]]]
                            a configuration, or its key as printed: ResNet18/CIFAR-10/64/fp32; what is
                            left out is the first that the catalogue has
        --with=MODEL[:BATCH[:PRECISION[:DATASET]]]
                            a job on the same GPU; may be repeated
        --gpu=TYPE          GPU type, such as V100
        --list              the models, datasets, precisions and batches that there are to ask about
        --json              everything as JSON; utilizations from 0 to 1
    -h, --help [all]        this text; all: every option, its range and default

  Examples:
    horus predict --list
    horus predict --job ResNet18:64:amp --with LSTM:128 --gpu RTX3090
    horus predict --job ResNet50:32 --with Transformer:64 --gpu V100 --json

# help-rerun
All options of rerun.

  $ horus rerun --help all
  usage: horus rerun [options] RUN
  Repeat a finished run and compare the hashes of its files.

  RUN is a run's directory or its manifest.json, which has all that is needed: the configuration with
  every default, the parameters of the policy, and the hashes of inputs and outputs. The cluster, the
  events of machines and reservations are those kept in the directory; other paths are as they were
  given then, and only the trace may lie elsewhere. Exit code 0 when every file is the same byte for
  byte, 1 when one differs, 3 when an input is not there or has changed since.

  Rerun:
        --trace=FILE        the trace, where it lies now; its content must be the recorded one
    -o, --output=DIR        keep the new run here; absent: it is removed when it has been compared

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
  manifest.json. Nothing of it depends on time zone, locale or machine load. Where every job is
  rejected the exit code is 3.

  Workload:
        --trace=FILE        the trace, when it is not an operand; - is standard input
        --name=WORKLOAD     of the workload in the results; absent: from the name of the trace

  Cluster:
    -c, --cluster=SPEC      JSON file, name ('horus clusters' lists them) or shape
                            NODESxGPUS:TYPE,..., e.g. 20x8:V100,8x4:P100 [16x8:V100]
        --vc=ignore|partition|quota
                            virtual clusters: ignore them, partition the nodes, or quota of GPUs on
                            shared nodes [ignore]
        --vc-file=FILE      sizes of the virtual clusters: JSON, or Helios' cluster_gpu_number.csv;
                            absent: the cluster file's own
        --vc-date=YYYY-MM-DD
                            row of cluster_gpu_number.csv; absent: the last
        --reservations=FILE
                            nodes for a user or a virtual cluster for some time: CSV with start, end,
                            nodes or gpus, user, vc, name
        --overcommit=X      so many times the nodes: what a log shows to be in use beside what its
                            cluster file has [1]; 0.01..100
        --events=FILE       machines that fail, are drained, added, removed or slow: CSV of time,
                            node, event and value (configs/README.md)
        --faults=RATES      nodes that fail by draw, by --seed: mtbf=30d,repair=4h, and perhaps shape
                            (Weibull, 1: exponential) and rack_mtbf, of racks as a whole
        --checkpoint-interval=TIME|young-daly|none|auto
                            work between two checkpoints of a job, which loses what it did since when
                            a node of it fails; none: since it got its GPUs; young-daly: sqrt(2 x
                            --checkpoint-cost x mean time between failures of its nodes); auto: that
                            where --faults and --checkpoint-cost are given, else none [auto]; source:
                            Young, CACM 1974; Daly, FGCS 2006
        --checkpoint-cost=TIME
                            time that each takes, by which jobs are slower all the while [0s];
                            0s..1000000s
        --restart-cost=TIME
                            cost of the start after a failure or a drain, besides --startup [0s];
                            0s..1000000s

  Simulation:
    -p, --policy=NAME[:KEY=VALUE,...]
                            scheduling policy ('horus policies' lists them) [fifo]
        --seed=N            of every random draw [1]; 0..9000000000000000
        --until=TIME        stop the clock here, list what is unfinished; 0: run to the end [0s];
                            0s..36500d
        --max-events=N      stop as --until does behind the instant that reaches so many events, with
                            exit code 5; 0: no limit [0]; 0..9000000000000000
        --max-wall=TIME     the same when the program has simulated for so long: where that is depends
                            on the machine; 0: no limit [0s]; 0s..36500d
        --startup=TIME      cost of the first start of every job [0s]; 0s..1000000s
        --max-tenants=N     jobs on one GPU at most, whatever a policy's own limit is [16]; 1..16
        --check=off|fast|full
                            invariants after every instant: none, cheap ones, full recounts [fast]
        --tie-jitter=N      N more runs with seeded random ties: mean and spread beside each metric
                            [0]; 0..10000

  Truth: how fast jobs run:
        --models=FILES      model files of 'horus calibrate', comma-separated, instead of the built-in
                            ones of their kind
        --interference=MODEL
                            slowdown of jobs that share a GPU, before its time is shared out:
                            measured+fit, fit, const:X (1 + X beside any other) or none [measured+fit]
        --gamma=X           slowdowns to this power: 1 as measured, 1.43 makes the worst 3.2 [1];
                            0..10; source: 1.43: Horus ICA3PP'20 saw up to 3.2x
        --interference-noise=X
                            how wrong the model of slowdowns is: speeds of pairs not measured get
                            residuals of X times its hold-out RMSE, drawn by --seed; 1 = one standard
                            error [0]; 0..10
        --sharing-mode=cluster|timeslice|mps|mig
                            how jobs share a GPU: kernels of one at a time, of several at a time, or
                            fixed parts; cluster: as its file says, else timeslice [cluster]
        --sharing-capacity=CAPACITY
                            GPU time that jobs on one GPU use together, 1 = of one job: auto (as
                            measured for GPU type and mode, else 1), a number, or none [auto]
        --reference-type=TYPE
                            GPU type on which the trace was recorded; absent: the one with most GPUs,
                            of several the first by name, of those of the cluster whose speed is 1
        --locality=measured|none
                            a gang spread over more nodes than it needs: slowed as measured for its
                            family, or not [measured]
        --rack-speed=X      speed of a gang that is spread over more racks than it needs, of that on
                            as few; no public measurement tells it apart from that of nodes [1];
                            0.01..1
        --memory-reserve=SIZE|auto
                            memory of a shared GPU that its tenants cannot use; auto: as calibrated
                            [auto]; source: auto: 95 % of Lucid's pairs need less beyond their sum
        --oom-delay=TIME    from a start that overflows its GPU to its end: the attempt is lost [30s];
                            0s..1d
        --oom-retries=N     a job whose GPU ran out of memory so often runs only alone [2]; 0..1000
        --restart-table=FILE
                            what starting a model again takes, by model and GPUs, for
                            preempt_cost=restart; builtin: configs/restart.csv as compiled in
                            [builtin:restart.csv]; source: Zhao et al. SIGCOMM'22, Muri simulator
        --memory-limits=FILE
                            speed of a job whose GPU memory a policy limits, by model and limit;
                            builtin: configs/memory-limits.csv as compiled in
                            [builtin:memory-limits.csv]; source: Xiao et al. OSDI'20, AntMan, fig. 10
        --storage-bandwidth=N
                            MiB/s at which a job saves and restores its checkpoint, for
                            preempt_cost=checkpoint [100]; 1..1000000; source: shared file systems of
                            clouds: Filestore basic HDD 100/100 MiB/s, Amazon EFS bursting 100 MiB/s

  Prediction: what policies see:
        --predictor=oracle|noisy|table|regress
                            utilization: the truth, the truth with log-normal noise, other batches of
                            the model, or a regression on its graph [noisy]; source: noisy:
                            HotCloud'20 reports an error, not a method
        --util-noise=X      noisy: RMSLE of the utilization; one draw a job, by --seed [0.154]; 0..5;
                            source: Yeung et al. HotCloud'20
        --util-bias=X       noisy: mean of the log error; below 0 predictions are too low [0]; -5..5
        --predictor-holdout=config|model
                            regress: fitted without this configuration, or without its model [config]
        --memory-predictor=oracle|formula|noisy
                            GPU memory: the truth, the formula of Horus, or noise [oracle]
        --memory-noise=X    noisy: standard deviation of ln(estimate / truth); one draw a job, by
                            --seed [0.665]; 0..5; source: the formula against 18 measurements of
                            GPUMemNet
        --speed-predictor=PREDICTOR
                            speeds on types and numbers of GPUs: oracle, the truth; table, of other
                            batches of the model, else of other models, of pairs by --predictor;
                            noisy:SIGMA, the truth with log-normal noise, by --seed [table]

  Profiles of the jobs:
        --assign=auto|columns|telemetry|mix|off|always
                            where a profile comes from: the model that the trace names, else the GPU
                            utilization that it tells, else a draw from a mix (always); auto: the
                            same, but no draw where no policy shares GPUs or asks for profiles, and
                            there is one GPU type that slows no spread gang; or only these [auto]
        --assign-target=PERCENT
                            mean GPU utilization of the mix, of jobs on one GPU and of gangs [52];
                            0..100; source: 52: Jeon et al., ATC'19, mean of Philly
        --assign-sticky=X   chance that a drawn job keeps the profile of its user's last job of this
                            size within a day [0.8]; 0..1
        --profiles=FILE     the catalogue; builtin: configs/profiles.csv as compiled in
                            [builtin:profiles.csv]
        --deadlines=trace|gavel|elasticflow
                            those of the trace; gavel, elasticflow: a job without one is given one by
                            draw, 1.2, 2 or 10, or 0.5 to 1.5, times its run time after its submission
                            [trace]; source: Narayanan et al. OSDI'20; Gu et al. ASPLOS'23
        --losses=trace|draw
                            loss curves, for optimus:oracle=no: those of the trace; draw: a job
                            without one is given one by draw [trace]; source: form and thresholds:
                            Peng et al. EuroSys'18
        --assign-seed=N     of these draws alone; 0: that of --seed [0]; 0..9000000000000000
        --unknown-util=full|draw|error
                            where GPUs are shared, GPU utilization that neither trace nor profile nor
                            its family tells: 100 %, that of a known row of the catalogue, drawn, or
                            an error [full]
        --unknown-memory=full|draw|error
                            the same for GPU memory; full: a whole GPU, so the job shares none [full]

  Reading the trace:
        --format=NAME       trace format, or auto: by content ('horus help formats') [auto]
        --map=MAP           columns of a csv by their own names: 'submit_time=timestamp,...' or a JSON
                            file
        --map-value=VALUES  what values of state and class mean:
                            'state:Succeeded=completed,state:Error=failed'
        --time-unit=auto|s|ms|us|min|h
                            unit of bare numbers; auto: the format's own, minutes in chronus, ms in
                            muri, else seconds [auto]
        --gavel-throughputs=FILE
                            file of the steps a second of Gavel's jobs, for its traces: one of its
                            *_throughputs.json
        --philly-attempts=merge|split|sum
                            a Philly job of several attempts: first start to last end; one job each;
                            or the sum of their times [merge]; source: merge: philly-traces notebook
        --retries=merge|attempts|generate
                            runs of a job that failed: folded into one; submitted again as the trace
                            tells them; or made up as often as on Philly, on top of the recorded run
                            [merge]; source: generate: Jeon et al., ATC'19
        --cpu-jobs=skip|keep
                            jobs that ask for no GPU; skipped ones are counted [skip]
        --zero-duration=keep|drop|1s
                            jobs that ran for 0 s: keep, drop (counted) or make them 1 s long [keep]
        --openb-pending=drop|run
                            pods of openb that were never scheduled: drop (counted), or run for as
                            long as they existed [drop]
        --outcomes=OUTCOMES
                            keep only jobs with these recorded outcomes, e.g. completed,failed;
                            absent: all
        --sort=N|all        rows held back to put late ones in order; all: the whole trace in memory
                            [8192]
        --skip-bad-rows=PERCENT
                            share of bad rows that may be passed over, counted; 0: the first one is an
                            error [0]; 0..100
        --max-jobs=N        take only the first N jobs; 0: all [0]; 0..9000000000000000
        --load=X            scale the arrival rate: gaps between submissions are divided by this [1];
                            1e-06..1000000
        --scale-time=X      multiply the trace's times, gaps and durations alike: 0.1 replays it in a
                            tenth of the time at the same load [1]; 1e-06..1000000
        --window=FROM..TO   keep submissions from FROM on and before TO: times after the first one or
                            dates of the trace's clock; absent: all
        --sample-jobs=X     keep each job with this probability, by its id and --seed [1]; 1e-09..1

  Checkpoints of the run itself:
        --checkpoint=TIME   write a checkpoint each time the program has run for so long, and when
                            SIGINT or SIGTERM stops it; 0: none [0s]; 0s..36500d
        --checkpoint-sim=TIME
                            the same in time of the simulation [0s]; 0s..36500d
        --resume            go on from the checkpoint that a killed run of the same command left, if
                            there is one
        --snapshot=FILE     write all of the run to FILE at --until, for --from; compressed if it ends
                            in .gz or .zst
        --from=FILE         in place of a trace: go on with the run of a snapshot, to its end or to
                            --until; with -p under another policy

  Results:
    -o, --output=DIR        run directory; absent: results/TRACE-POLICY-HASH
        --outputs=LIST      all, summary, or of jobs,segments,series,nodes,decisions,swf,teams; all:
                            without the last three [all]
        --decisions         write decisions.csv, too: each action of the policy with its reason
        --report            write report.html, too: the page of 'horus report'
        --json              print summary.json in place of the table
        --sample=TIME|auto|exact
                            series.csv: means per TIME, over at most 2048 intervals, or every change
                            [auto]
        --max-rows=N        rows of series.csv at most; a run that would need more is refused
                            [100000000]; 1..9000000000000000
        --fairness          also finish-time fairness: JCT over that on a 1/N share of the cluster, by
                            job
        --power             also energy: of idle GPUs, and of jobs by their GPU utilization
        --warmup=TIME       leave jobs submitted in the first part out of the job statistics [0s];
                            0s..36500d
        --cooldown=TIME     the same for the last part [0s]; 0s..36500d

  This call:
        --config=FILE       JSON with any of the keys above (// comments allowed); flags override it
        --set=KEY=VALUE     set one key, e.g. policy.scan=fit; may be repeated
        --print-config      print the effective config with the origin of each value, and stop
    -q, --quiet             no notes and no progress; warnings and errors stay
        --dry-run           check everything, the whole trace included, print the sizes, and stop
    -f, --force             replace an existing run directory
        --progress          progress on standard error even if it is no terminal
        --no-progress       no progress
    -v, --verbose           also events, decisions, time and memory

  Examples:
    horus run traces/sample.csv
    horus run cluster_log.csv.gz -c 133x8:V100 -p srtf:preempt_cost=table
    horus run jobs.csv --map submit_time=timestamp,gpus=num_gpus -c cluster.json -o out

  TIME is 90s, 15min, 2h or 7d, a bare number is seconds; SIZE is 500MiB or 16GiB, a bare number
  is MiB. In a --config file and for --set, --max-jobs=9 is the key max_jobs with the value 9.

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
        --vc=WHAT           virtual clusters: ignore them, partition the nodes, or quota of GPUs on
                            shared nodes [ignore]
    -p, --policy=NAME[:KEY=VALUE,...]
                            scheduling policy ('horus policies' lists them) [fifo]
        --seed=N            of every random draw [1]
        --until=TIME        stop the clock here, list what is unfinished; 0: run to the end [0s]
        --format=NAME       trace format, or auto: by content ('horus help formats') [auto]
        --map=MAP           columns of a csv by their own names: 'submit_time=timestamp,...' or a JSON
                            file
        --load=X            scale the arrival rate: gaps between submissions are divided by this [1]
    -o, --output=DIR        run directory; absent: results/TRACE-POLICY-HASH
        --report            write report.html, too: the page of 'horus report'
        --json              print summary.json in place of the table
        --config=FILE       JSON with any of the keys above (// comments allowed); flags override it
        --dry-run           check everything, the whole trace included, print the sizes, and stop
    -h, --help [all]        this text; all: every option, its range and default

  Examples:
    horus run traces/sample.csv
    horus run cluster_log.csv.gz -c 133x8:V100 -p srtf:preempt_cost=table
    horus run jobs.csv --map submit_time=timestamp,gpus=num_gpus -c cluster.json -o out

# help-trace
trace in brief.

  $ horus trace --help
  usage: horus trace [options] ACTION FILE
  A trace: statistics, faults, another format, profiles.

        --format=NAME       trace format, or auto: by content ('horus help formats') [auto]
        --map=MAP           columns of a csv by their own names: 'submit_time=timestamp,...' or a JSON
                            file
        --load=X            scale the arrival rate: gaps between submissions are divided by this [1]
    -c, --cluster=SPEC      validate: offered load and jobs that can never fit on this cluster;
                            assign: what is drawn fits its smallest GPU
        --vc=WHAT           virtual clusters: ignore them, partition the nodes, or quota of GPUs on
                            shared nodes [ignore]
        --config=FILE       JSON with any of the keys above (// comments allowed); flags override it
    -o, --output=FILE       convert, assign: the file to write, compressed if it ends in .gz or .zst;
                            - is standard output
    -f, --force             replace FILE
        --to=NAME           convert: format of the file to write, or auto: by its suffix [auto]
        --compare=FILE      info: how far the trace is from this one, which is recognised by its
                            content; both are held in memory, 32 to 64 bytes a job
        --json              info: everything as JSON, in seconds
    -h, --help [all]        this text; all: every option, its range and default

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
  With --outputs=all,teams: a row a user or virtual cluster, those first that held most GPU time, then by name; jobs without
  one are (none). horus explain RUN --by=user|vc|gpus|state prints the same of any run that has jobs.csv, also as
  --csv and --json, with Jain's index over the rows. Of a sweep or comparison each run has its own; a sweep collects
  them in teams.csv: point and run as in sweep.csv, axis_KEY for each swept key, by (vc or user), then these
  columns.
   (esc)
  $ horus help files | grep -c '^  '
  484
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
