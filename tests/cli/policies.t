SPDX-License-Identifier: GPL-3.0-or-later

`horus policies`.

# policies
The list, and its width on other terminals.

  $ horus policies
  policy               knows                       may
  fifo                 nothing +                   divide GPUs, reserve +
                       first come, first served
  sjf                  duration +                  divide GPUs, reserve +
                       shortest job first, no preemption
  qssf                 history +                   divide GPUs, reserve +
                       least estimated GPU time first, no preemption
  srtf                 duration +                  preempt +
                       shortest remaining time first, preemptive
  srsf                 duration +                  preempt +
                       shortest remaining service (time x GPUs) first, preemptive
  edf                  nothing +                   preempt +
                       earliest deadline first, preemptive
  llf                  duration +                  preempt +
                       least laxity first, preemptive
  fairshare            nothing +                   divide GPUs
                       weighted sum of decayed usage of users, wait and size, as in Slurm
  drf                  nothing +                   divide GPUs
                       user with the least dominant share of GPUs, CPUs and memory first
  tiresias             nothing +                   preempt, set timers
                       least attained service (GPUs times seconds) in discretized queues, or Gittins
                       index
  las                  nothing +                   preempt, set timers
                       least attained service (seconds) in discretized queues
  philly               nothing +                   preempt, set timers, borrow quota
                       quotas that may be exceeded, locality that is relaxed after some attempts
  fgd                  nothing                     divide GPUs
                       first come, first served, placed where GPUs are fragmented least
  pack                 memory +                    co-locate
                       first come, first served on the fullest GPU with memory for the job
  gandiva-like         utilization, memory +       co-locate +
                       first come, first served on the GPU of least memory in use, load and jobs
  gandiva              utilization, memory, rate + preempt, migrate, co-locate, slice, resize, set
                                                   timers
                       time slicing on overcommitted servers, packing by trial, migration, growth;
                       knows no run times
  colocate-fifo        utilization, memory +       co-locate
                       first come, first served, placed by the cost function of horus
  horus                utilization, memory +       co-locate +
                       least predicted utilization first, placed by predicted utilization and memory
  horus+               utilization, memory +       co-locate, set timers
                       horus with queues of similar jobs; the queue of most jobs times wait is first
  horus-s              utilization, memory +       co-locate
                       roughly in order of submission, placed where the predicted slowdown added is
                       least
  gandiva-pack-only    utilization, memory +       co-locate
                       first come, first served on the GPU of lowest utilization with enough memory
  gandiva-random-pairs rate +                      preempt, co-locate, set timers
                       random pairs of jobs of equal gang size when GPUs are short, kept if throughput
                       gains
  salus                duration, memory, rate +    co-locate, slice +
                       jobs keep their memory on a GPU and share it by mini-batches
  salus-fifo           memory +                    nothing +
                       no sharing: the next job starts when its GPUs are free
  salus-srtf           duration, memory, rate +    co-locate, slice +
                       the job of least declared minus used time runs on a GPU, others wait with their
                       memory on it
  salus-pack           memory, rate +              co-locate, slice +
                       mini-batches alternate within lanes, which run concurrently
  salus-fair           memory, rate +              co-locate, slice, set timers
                       the next mini-batch is of the job that used the GPU least
  salus-rr             memory, rate +              co-locate, slice +
                       the next mini-batch is of the job with fewest since the last arrival
  antman               utilization, memory, rate + preempt, co-locate, slice, throttle, set timers,
                                                   borrow quota +
                       guaranteed jobs run as if alone, opportunistic ones use what these leave of
                       their GPUs
  gavel                speed +                     preempt, set timers +
                       shares of time on GPU types by a linear program, allocated in rounds
  ftf                  duration, speed +           preempt, set timers +
                       gavel for finish-time fairness: finish times relative to an equal part of the
                       cluster
  allox                duration, speed +           preempt, set timers +
                       gavel with the matching of jobs to GPUs of least mean completion time
  optimus              duration, scaling +         preempt, resize, set timers, resize any job
                       numbers of GPUs by the marginal gain of one more, reallocated in slots
  muri                 duration, stages +          preempt, co-locate, interleave +
                       groups of jobs, chosen by a matching, interleave the stages of their iterations
  synergy              host +                      preempt, set timers, host
                       CPUs and host memory for the jobs that gain most from them, allocated in rounds
  lucid                history, profile +          preempt, co-locate, set timers, profile +
                       least predicted GPU time first, in compatible pairs, after a short profiling
                       run
  chronus              duration, scaling +         preempt, set timers
                       leases for jobs with a deadline, the remaining GPUs for all others

  +: more with some parameters; 'horus policies NAME' lists the parameters of a policy.
  knows: duration: true run times; utilization: of jobs, and slowdowns, by --predictor; memory: by
  --memory-predictor; speed, scaling: on GPU types and numbers of GPUs, by --speed-predictor; pairs:
  speeds of two jobs on a GPU, by --speed-predictor; rate: progress measured while a job runs;
  estimate: run times with noise or from a file; history: run times of finished jobs, by user and
  GPUs; model: tensor sizes of the trained model; loss: that of its epochs so far; profile: measured
  in a profiling run; host: speeds by CPUs and host memory; stages: times of the stages of an
  iteration.
  $ COLUMNS=160 horus policies | head -n 3
  policy               knows                       may
  fifo                 nothing +                   divide GPUs, reserve +
                       first come, first served
  $ COLUMNS=60 horus policies | head -n 6
  policy               knows                       may
  fifo                 nothing +                   divide GPUs, reserve
                                                   +
                       first come, first served
  sjf                  duration +                  divide GPUs, reserve
                                                   +

# policies-fifo
One policy.

  $ horus policies fifo
  fifo: first come, first served
  knows: nothing (some parameters: duration, estimate, history, speed)
  may: divide GPUs, reserve (some parameters: preempt, set timers)
  source: Hu et al. SC'21 (strict, per VC); Gu et al. NSDI'19 (fit); Lifka JSSPP'95 (easy); Mu'alem & Feitelson TPDS'01 (conservative)

    scan           strict|fit|easy|conservative [strict]
                   when a job does not fit: stop (strict), skip it (fit), or backfill around its
                   reservation (easy) or around those of all earlier jobs (conservative)
                   source: strict: Helios, Philly; fit: Tiresias' fjf; easy: Lifka, JSSPP'95;
                   conservative: Mu'alem & Feitelson, TPDS'01
    placement      count|yarn|consolidate|best_fit|first_fit|spread|random|rack [consolidate]
                   rule by which free GPUs are chosen for a gang
                   source: Helios/Lucid artifacts; count for Tiresias' published numbers
    types          any|fastest|spare|match [any]
                   GPU type of a gang, of those with enough free GPUs. any: no preference; fastest:
                   highest predicted speed; spare: the largest gain relative to the mean job, which
                   leaves fast types to the jobs that gain most; match: only the type that it ran on
                   in the trace
                   source: fastest first: Narayanan et al. OSDI'20, FIFO aware
    pred           oracle|noisy|file|rolling [oracle]
                   run times: the true ones, these with noise, from a file, or the mean of the user's
                   finished jobs
    pred_file      file [-]
                   pred=file: CSV with job_id and estimate (s)
    pred_sigma     0..10 [1]
                   pred=noisy: standard deviation of ln(estimate / run time)
    pred_unknown   0s..3650d [1h]
                   estimate for a job without an entry in the file or history
    pred_last      0..64 [0]
                   pred=rolling: use the median of this many last jobs; 0: the mean of all
    priority       ignore|order|preempt [ignore]
                   order: jobs of higher priority first, then the order of the policy; preempt: they
                   also preempt running jobs of lower priority
    ageing         0s,1s..1000000000s [0s]
                   one level more for each such window by which a job was submitted earlier; 0: never
    class          ignore|order|evict [ignore]
                   order: guaranteed jobs before opportunistic ones; evict: they also preempt running
                   opportunistic jobs
    reclaim        yes|no [no]
                   jobs within the quota of their virtual cluster or cohort stop jobs that borrow it
                   source: Kueue, reclaimWithinCohort: Never or Any
    grace          0s..1000000000s [30s]
                   notice that an opportunistic or borrowing job gets before it is stopped
                   source: Kubernetes, Google Cloud and Azure Spot: 30 s; EC2 Spot: 2 min
    preempt_cost   free|table|job|restart|checkpoint [free]
                   overhead of a preempted job when it resumes; table: by cost_table; job: as in the
                   trace; restart, checkpoint: by its model
                   source: free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator
    cost_table     duration/duration/... s [7/30/60]
                   cost for 1, 2 to 8, and more GPUs; also used if the job's own cost is not known
                   source: Hu et al. SC'21, Helios simulator

# policies-json
One policy as JSON.

  $ horus policies fifo --json
  {
    "name": "fifo",
    "summary": "first come, first served",
    "cite": "Hu et al. SC'21 (strict, per VC); Gu et al. NSDI'19 (fit); Lifka JSSPP'95 (easy); Mu'alem & Feitelson TPDS'01 (conservative)",
    "knows": [],
    "may": [
      "divide GPUs",
      "reserve"
    ],
    "knows_with_some_parameters": [
      "duration",
      "estimate",
      "history",
      "speed"
    ],
    "may_with_some_parameters": [
      "preempt",
      "set timers"
    ],
    "parameters": [
      {
        "key": "scan",
        "type": "choice",
        "values": "strict|fit|easy|conservative",
        "unit": null,
        "default": "strict",
        "help": "when a job does not fit: stop (strict), skip it (fit), or backfill around its reservation (easy) or around those of all earlier jobs (conservative)",
        "source": "strict: Helios, Philly; fit: Tiresias' fjf; easy: Lifka, JSSPP'95; conservative: Mu'alem & Feitelson, TPDS'01"
      },
      {
        "key": "placement",
        "type": "choice",
        "values": "count|yarn|consolidate|best_fit|first_fit|spread|random|rack",
        "unit": null,
        "default": "consolidate",
        "help": "rule by which free GPUs are chosen for a gang",
        "source": "Helios/Lucid artifacts; count for Tiresias' published numbers"
      },
      {
        "key": "types",
        "type": "choice",
        "values": "any|fastest|spare|match",
        "unit": null,
        "default": "any",
        "help": "GPU type of a gang, of those with enough free GPUs. any: no preference; fastest: highest predicted speed; spare: the largest gain relative to the mean job, which leaves fast types to the jobs that gain most; match: only the type that it ran on in the trace",
        "source": "fastest first: Narayanan et al. OSDI'20, FIFO aware"
      },
      {
        "key": "pred",
        "type": "choice",
        "values": "oracle|noisy|file|rolling",
        "unit": null,
        "default": "oracle",
        "help": "run times: the true ones, these with noise, from a file, or the mean of the user's finished jobs",
        "source": null
      },
      {
        "key": "pred_file",
        "type": "file",
        "values": "file",
        "unit": null,
        "default": null,
        "help": "pred=file: CSV with job_id and estimate (s)",
        "source": null
      },
      {
        "key": "pred_sigma",
        "type": "real",
        "values": "0..10",
        "unit": null,
        "default": "1",
        "min": 0,
        "max": 10,
        "help": "pred=noisy: standard deviation of ln(estimate / run time)",
        "source": null
      },
      {
        "key": "pred_unknown",
        "type": "duration",
        "values": "0s..3650d",
        "unit": null,
        "default": "1h",
        "min": 0,
        "max": 315360000,
        "help": "estimate for a job without an entry in the file or history",
        "source": null
      },
      {
        "key": "pred_last",
        "type": "integer",
        "values": "0..64",
        "unit": null,
        "default": "0",
        "min": 0,
        "max": 64,
        "help": "pred=rolling: use the median of this many last jobs; 0: the mean of all",
        "source": null
      },
      {
        "key": "priority",
        "type": "choice",
        "values": "ignore|order|preempt",
        "unit": null,
        "default": "ignore",
        "help": "order: jobs of higher priority first, then the order of the policy; preempt: they also preempt running jobs of lower priority",
        "source": null
      },
      {
        "key": "ageing",
        "type": "duration",
        "values": "0s,1s..1000000000s",
        "unit": null,
        "default": "0s",
        "min": 0,
        "max": 1000000000,
        "help": "one level more for each such window by which a job was submitted earlier; 0: never",
        "source": null
      },
      {
        "key": "class",
        "type": "choice",
        "values": "ignore|order|evict",
        "unit": null,
        "default": "ignore",
        "help": "order: guaranteed jobs before opportunistic ones; evict: they also preempt running opportunistic jobs",
        "source": null
      },
      {
        "key": "reclaim",
        "type": "flag",
        "values": "yes|no",
        "unit": null,
        "default": "no",
        "help": "jobs within the quota of their virtual cluster or cohort stop jobs that borrow it",
        "source": "Kueue, reclaimWithinCohort: Never or Any"
      },
      {
        "key": "grace",
        "type": "duration",
        "values": "0s..1000000000s",
        "unit": null,
        "default": "30s",
        "min": 0,
        "max": 1000000000,
        "help": "notice that an opportunistic or borrowing job gets before it is stopped",
        "source": "Kubernetes, Google Cloud and Azure Spot: 30 s; EC2 Spot: 2 min"
      },
      {
        "key": "preempt_cost",
        "type": "choice",
        "values": "free|table|job|restart|checkpoint",
        "unit": null,
        "default": "free",
        "help": "overhead of a preempted job when it resumes; table: by cost_table; job: as in the trace; restart, checkpoint: by its model",
        "source": "free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator"
      },
      {
        "key": "cost_table",
        "type": "durations",
        "values": "duration/duration/...",
        "unit": "s",
        "default": "7/30/60",
        "min": 0,
        "max": 1000000,
        "help": "cost for 1, 2 to 8, and more GPUs; also used if the job's own cost is not known",
        "source": "Hu et al. SC'21, Helios simulator"
      }
    ]
  }

# policies-json-list
All policies as JSON.

  $ horus policies --json | jq -r ".[] | .name"
  fifo
  sjf
  qssf
  srtf
  srsf
  edf
  llf
  fairshare
  drf
  tiresias
  las
  philly
  fgd
  pack
  gandiva-like
  gandiva
  colocate-fifo
  horus
  horus+
  horus-s
  gandiva-pack-only
  gandiva-random-pairs
  salus
  salus-fifo
  salus-srtf
  salus-pack
  salus-fair
  salus-rr
  antman
  gavel
  ftf
  allox
  optimus
  muri
  synergy
  lucid
  chronus

# policies-markdown
One policy as Markdown.

  $ horus policies srsf --markdown
  ### srsf
  shortest remaining service (time x GPUs) first, preemptive

  Knows: duration (some parameters: estimate, history, speed). May: preempt (some parameters: set timers). Source: Gu et al. NSDI'19

  | parameter | values | unit | default | meaning | source |
  | --- | --- | --- | --- | --- | --- |
  | `form` | evict/replace | - | `evict` | evict: running jobs keep their nodes; replace: all jobs are placed anew (Tiresias) | - |
  | `pred` | oracle/noisy/file/rolling | - | `oracle` | run times: the true ones, these with noise, from a file, or the mean of the user's finished jobs | - |
  | `pred_file` | file | - | `-` | pred=file: CSV with job_id and estimate (s) | - |
  | `pred_sigma` | 0..10 | - | `1` | pred=noisy: standard deviation of ln(estimate / run time) | - |
  | `pred_unknown` | 0s..3650d | - | `1h` | estimate for a job without an entry in the file or history | - |
  | `pred_last` | 0..64 | - | `0` | pred=rolling: use the median of this many last jobs; 0: the mean of all | - |
  | `placement` | count/yarn/consolidate/best_fit/first_fit/spread/random/rack | - | `consolidate` | rule by which free GPUs are chosen for a gang | Helios/Lucid artifacts; count for Tiresias' published numbers |
  | `types` | any/fastest/spare/match | - | `any` | GPU type of a gang, of those with enough free GPUs. any: no preference; fastest: highest predicted speed; spare: the largest gain relative to the mean job, which leaves fast types to the jobs that gain most; match: only the type that it ran on in the trace | fastest first: Narayanan et al. OSDI'20, FIFO aware |
  | `preempt_cost` | free/table/job/restart/checkpoint | - | `free` | overhead of a preempted job when it resumes; table: by cost_table; job: as in the trace; restart, checkpoint: by its model | free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator |
  | `cost_table` | duration/duration/... | s | `7/30/60` | cost for 1, 2 to 8, and more GPUs; also used if the job's own cost is not known | Hu et al. SC'21, Helios simulator |
  | `priority` | ignore/order/preempt | - | `ignore` | order: jobs of higher priority first, then the order of the policy, running jobs included, so that preempt is the same | - |
  | `ageing` | 0s,1s..1000000000s | - | `0s` | one level more for each such window by which a job was submitted earlier; 0: never | - |
  | `class` | ignore/order/evict | - | `ignore` | order: guaranteed jobs before opportunistic ones, running jobs included, so that evict is the same | - |
  | `reclaim` | yes/no | - | `no` | jobs within the quota of their virtual cluster or cohort stop jobs that borrow it | Kueue, reclaimWithinCohort: Never or Any |
  | `grace` | 0s..1000000000s | - | `30s` | notice that an opportunistic or borrowing job gets before it is stopped | Kubernetes, Google Cloud and Azure Spot: 30 s; EC2 Spot: 2 min |
  | `compat` | off/helios/muri | - | `off` | deviations of a published simulator. helios: each job runs 1 s longer, waiting jobs win ties (use with preempt_cost=table). muri: each job runs 1.5 % longer and loses a restart at every event (use with placement=yarn; form is always replace) | Hu et al. SC'21 artifact; Zhao et al. SIGCOMM'22 simulator |

# policies-markdown-list
All policies as a Markdown table.

  $ horus policies --markdown
  | policy | what | knows | may | parameters |
  | --- | --- | --- | --- | --- |
  | `fifo` | first come, first served | nothing (some parameters: duration, estimate, history, speed) | divide GPUs, reserve (some parameters: preempt, set timers) | `scan`, `placement`, `types`, `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last`, `priority`, `ageing`, `class`, `reclaim`, `grace`, `preempt_cost`, `cost_table` |
  | `sjf` | shortest job first, no preemption | duration (some parameters: estimate, history, speed) | divide GPUs, reserve (some parameters: preempt, set timers) | `scan`, `placement`, `types`, `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last`, `priority`, `ageing`, `class`, `reclaim`, `grace`, `preempt_cost`, `cost_table` |
  | `qssf` | least estimated GPU time first, no preemption | history (some parameters: duration, estimate, speed) | divide GPUs, reserve (some parameters: preempt, set timers) | `scan`, `placement`, `types`, `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last`, `priority`, `ageing`, `class`, `reclaim`, `grace`, `preempt_cost`, `cost_table`, `compat` |
  | `srtf` | shortest remaining time first, preemptive | duration (some parameters: estimate, history, speed) | preempt (some parameters: set timers) | `form`, `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last`, `placement`, `types`, `preempt_cost`, `cost_table`, `priority`, `ageing`, `class`, `reclaim`, `grace`, `compat` |
  | `srsf` | shortest remaining service (time x GPUs) first, preemptive | duration (some parameters: estimate, history, speed) | preempt (some parameters: set timers) | `form`, `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last`, `placement`, `types`, `preempt_cost`, `cost_table`, `priority`, `ageing`, `class`, `reclaim`, `grace`, `compat` |
  | `edf` | earliest deadline first, preemptive | nothing (some parameters: duration, estimate, history, speed) | preempt (some parameters: set timers) | `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last`, `placement`, `types`, `preempt_cost`, `cost_table`, `priority`, `ageing`, `class`, `reclaim`, `grace`, `admission`, `preempt` |
  | `llf` | least laxity first, preemptive | duration (some parameters: estimate, history, speed) | preempt (some parameters: set timers) | `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last`, `placement`, `types`, `preempt_cost`, `cost_table`, `priority`, `ageing`, `class`, `reclaim`, `grace`, `admission`, `preempt` |
  | `fairshare` | weighted sum of decayed usage of users, wait and size, as in Slurm | nothing (some parameters: speed) | divide GPUs | `scan`, `by`, `placement`, `types`, `w_fairshare`, `w_age`, `w_size`, `half_life`, `max_age` |
  | `drf` | user with the least dominant share of GPUs, CPUs and memory first | nothing (some parameters: speed) | divide GPUs | `scan`, `by`, `placement`, `types` |
  | `tiresias` | least attained service (GPUs times seconds) in discretized queues, or Gittins index | nothing (some parameters: duration, history, model, speed) | preempt, set timers | `index`, `gittins`, `gittins_delta`, `samples`, `queue_limits`, `promote_knob`, `inqueue`, `round_s`, `round_phase`, `placement`, `types`, `preempt_cost`, `cost_table`, `compat` |
  | `las` | least attained service (seconds) in discretized queues | nothing (some parameters: duration, history, model, speed) | preempt, set timers | `index`, `gittins`, `gittins_delta`, `samples`, `queue_limits`, `promote_knob`, `inqueue`, `round_s`, `round_phase`, `placement`, `types`, `preempt_cost`, `cost_table`, `compat` |
  | `philly` | quotas that may be exceeded, locality that is relaxed after some attempts | nothing (some parameters: speed) | preempt, set timers, borrow quota | `retry`, `relax_after`, `max_level`, `fair_preempt`, `requeue`, `types`, `preempt_cost`, `cost_table` |
  | `fgd` | first come, first served, placed where GPUs are fragmented least | nothing | divide GPUs | `scan`, `score`, `typical` |
  | `pack` | first come, first served on the fullest GPU with memory for the job | memory (some parameters: speed) | co-locate | `scan`, `priority`, `ageing`, `class`, `max_tenants`, `mem_margin`, `share_up_to`, `types` |
  | `gandiva-like` | first come, first served on the GPU of least memory in use, load and jobs | utilization, memory (some parameters: rate, speed) | co-locate (some parameters: preempt, set timers) | `scan`, `priority`, `ageing`, `class`, `signal`, `w_mem`, `w_n`, `quantum`, `suspend`, `max_tenants`, `mem_margin`, `share_up_to`, `types` |
  | `gandiva` | time slicing on overcommitted servers, packing by trial, migration, growth; knows no run times | utilization, memory, rate (some parameters: speed) | preempt, migrate, co-locate, slice, resize, set timers | `slice`, `pack`, `migrate`, `defrag`, `grow`, `slicing`, `fluid_above`, `max_height`, `quantum`, `switch`, `arrival_front`, `introspect`, `trial`, `profile_steps`, `keep_margin`, `max_pack`, `defrag_free`, `grow_idle`, `types`, `migrate_base`, `migrate_intra`, `migrate_inter` |
  | `colocate-fifo` | first come, first served, placed by the cost function of horus | utilization, memory (some parameters: rate, speed) | co-locate | `scan`, `priority`, `ageing`, `class`, `cost`, `signal`, `w_mem`, `w_u_over`, `w_u_under`, `w_n`, `w_type`, `max_tenants`, `mem_margin`, `share_up_to`, `types`, `util_cap` |
  | `horus` | least predicted utilization first, placed by predicted utilization and memory | utilization, memory (some parameters: rate, speed) | co-locate (some parameters: migrate, set timers) | `order`, `priority`, `ageing`, `class`, `look_ahead`, `max_starts`, `tick`, `cost`, `signal`, `w_mem`, `w_u_over`, `w_u_under`, `w_n`, `w_type`, `max_tenants`, `mem_margin`, `share_up_to`, `types`, `util_cap`, `migrate`, `migrate_every` |
  | `horus+` | horus with queues of similar jobs; the queue of most jobs times wait is first | utilization, memory (some parameters: rate, speed) | co-locate, set timers | `look_ahead`, `queues`, `credit`, `recluster_growth`, `recluster_period`, `wake_period`, `cost`, `signal`, `w_mem`, `w_u_over`, `w_u_under`, `w_n`, `w_type`, `max_tenants`, `mem_margin`, `share_up_to`, `types`, `util_cap` |
  | `horus-s` | roughly in order of submission, placed where the predicted slowdown added is least | utilization, memory (some parameters: speed) | co-locate | `priority`, `ageing`, `class`, `look_ahead`, `overtake`, `slowdown_cap`, `patience`, `max_tenants`, `mem_margin`, `share_up_to`, `types` |
  | `gandiva-pack-only` | first come, first served on the GPU of lowest utilization with enough memory | utilization, memory (some parameters: speed) | co-locate | `scan`, `priority`, `ageing`, `class`, `max_tenants`, `mem_margin`, `share_up_to`, `types` |
  | `gandiva-random-pairs` | random pairs of jobs of equal gang size when GPUs are short, kept if throughput gains | rate (some parameters: speed) | preempt, co-locate, set timers | `scan`, `trial`, `types`, `seed` |
  | `salus` | jobs keep their memory on a GPU and share it by mini-batches | duration, memory, rate (some parameters: estimate, history, speed) | co-locate, slice (some parameters: set timers) | `rule`, `lanes`, `mode`, `fluid_above`, `exact_turns`, `infl_p`, `infl_total`, `reserve`, `max_sessions`, `poll`, `startup`, `startup_by`, `types`, `step`, `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last` |
  | `salus-fifo` | no sharing: the next job starts when its GPUs are free | memory (some parameters: rate, speed) | nothing (some parameters: co-locate, slice, set timers) | `lanes`, `mode`, `fluid_above`, `exact_turns`, `infl_p`, `infl_total`, `reserve`, `max_sessions`, `poll`, `startup`, `startup_by`, `types`, `step` |
  | `salus-srtf` | the job of least declared minus used time runs on a GPU, others wait with their memory on it | duration, memory, rate (some parameters: estimate, history, speed) | co-locate, slice (some parameters: set timers) | `lanes`, `mode`, `fluid_above`, `exact_turns`, `infl_p`, `infl_total`, `reserve`, `max_sessions`, `poll`, `startup`, `startup_by`, `types`, `step`, `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last` |
  | `salus-pack` | mini-batches alternate within lanes, which run concurrently | memory, rate (some parameters: speed) | co-locate, slice (some parameters: set timers) | `lanes`, `mode`, `fluid_above`, `exact_turns`, `infl_p`, `infl_total`, `reserve`, `max_sessions`, `poll`, `startup`, `startup_by`, `types`, `step` |
  | `salus-fair` | the next mini-batch is of the job that used the GPU least | memory, rate (some parameters: speed) | co-locate, slice, set timers | `lanes`, `mode`, `fluid_above`, `exact_turns`, `infl_p`, `infl_total`, `reserve`, `max_sessions`, `poll`, `startup`, `startup_by`, `types`, `step` |
  | `salus-rr` | the next mini-batch is of the job with fewest since the last arrival | memory, rate (some parameters: speed) | co-locate, slice (some parameters: set timers) | `lanes`, `mode`, `fluid_above`, `exact_turns`, `infl_p`, `infl_total`, `reserve`, `max_sessions`, `poll`, `startup`, `startup_by`, `types`, `step` |
  | `antman` | guaranteed jobs run as if alone, opportunistic ones use what these leave of their GPUs | utilization, memory, rate (some parameters: speed, stages) | preempt, co-locate, slice, throttle, set timers, borrow quota (some parameters: interleave) | `util_thr`, `util_window`, `tick`, `init`, `ramp`, `step`, `conv_wait`, `shrink_ms_per_gb`, `growth_ms_per_gb`, `host_gb`, `mem_chunk`, `types`, `compat` |
  | `gavel` | shares of time on GPU types by a linear program, allocated in rounds | speed (some parameters: duration, memory, pairs) | preempt, set timers (some parameters: co-locate) | `objective`, `aware`, `share`, `pair_above`, `round`, `reset`, `carry`, `fill`, `refill`, `classes`, `seed`, `placement`, `preempt_cost`, `cost_table`, `compat` |
  | `ftf` | gavel for finish-time fairness: finish times relative to an equal part of the cluster | duration, speed (some parameters: memory, pairs) | preempt, set timers (some parameters: co-locate) | `objective`, `aware`, `share`, `pair_above`, `round`, `reset`, `carry`, `fill`, `refill`, `classes`, `seed`, `placement`, `preempt_cost`, `cost_table`, `compat` |
  | `allox` | gavel with the matching of jobs to GPUs of least mean completion time | duration, speed (some parameters: memory, pairs) | preempt, set timers (some parameters: co-locate) | `objective`, `aware`, `share`, `pair_above`, `round`, `reset`, `carry`, `fill`, `refill`, `classes`, `seed`, `placement`, `preempt_cost`, `cost_table`, `compat` |
  | `optimus` | numbers of GPUs by the marginal gain of one more, reallocated in slots | duration, scaling (some parameters: rate, estimate, loss) | preempt, resize, set timers, resize any job | `slot`, `restart`, `young`, `sticky`, `max_gpus`, `placement`, `oracle`, `error`, `trial`, `compat`, `slot_phase` |
  | `muri` | groups of jobs, chosen by a matching, interleave the stages of their iterations | duration, stages (some parameters: speed) | preempt, co-locate, interleave (some parameters: throttle) | `know`, `matching`, `order`, `cap`, `lambda`, `unpack`, `placement`, `types`, `preempt_cost`, `cost_table`, `compat` |
  | `synergy` | CPUs and host memory for the jobs that gain most from them, allocated in rounds | host (some parameters: duration) | preempt, set timers, host | `mechanism`, `order`, `round`, `round_phase`, `preempt_cost`, `cost_table`, `compat` |
  | `lucid` | least predicted GPU time first, in compatible pairs, after a short profiling run | history, profile (some parameters: duration, estimate, model) | preempt, co-locate, set timers, profile (some parameters: slice) | `profile`, `profile_nodes`, `profile_time`, `limit`, `keep`, `preempt_cost`, `cost_table`, `scale`, `sharing`, `check`, `low`, `forecast_file`, `packing`, `first`, `score`, `capacity`, `tree_bandwidth`, `tree_util`, `score_sum`, `ratio`, `left`, `memory`, `estimator`, `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last`, `compat`, `compat_speeds` |
  | `chronus` | leases for jobs with a deadline, the remaining GPUs for all others | duration, scaling (some parameters: estimate, history) | preempt, set timers | `objective`, `solver`, `iterations`, `lease`, `tick`, `spot`, `margin`, `tolerance`, `checkpoint`, `resume`, `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last`, `compat` |

# policies-philly
A policy that may exceed quotas.

  $ horus policies philly
  philly: quotas that may be exceeded, locality that is relaxed after some attempts
  knows: nothing (some parameters: speed)
  may: preempt, set timers, borrow quota
  source: Jeon et al. ATC'19; no code was published

    retry          0s,1s..1000000s [120s]
                   time between two attempts to place a job; 0: at each submission and end
                   source: Jeon et al. ATC'19: back-off of 2 minutes
    relax_after    0..1000000 [5]
                   attempts at one level of locality before it is relaxed; 0: max_level at once
                   source: Jeon et al. ATC'19: a fixed number, not given; 5 is ours
    max_level      0..2 [2]
                   0: fewest servers in one rack, 1: one rack, 2: anywhere
                   source: Jeon et al. ATC'19
    fair_preempt   0..1 [0.9]
                   share of GPUs in use from which jobs beyond their quota are preempted; 0: never
                   source: Jeon et al. ATC'19
    requeue        tail|head [tail]
                   end of its queue at which a failed attempt is submitted again
    types          any|fastest|spare|match [any]
                   GPU type of a gang, of those with enough free GPUs. any: no preference; fastest:
                   highest predicted speed; spare: the largest gain relative to the mean job, which
                   leaves fast types to the jobs that gain most; match: only the type that it ran on
                   in the trace
                   source: fastest first: Narayanan et al. OSDI'20, FIFO aware
    preempt_cost   free|table|job|restart|checkpoint [free]
                   overhead of a preempted job when it resumes; table: by cost_table; job: as in the
                   trace; restart, checkpoint: by its model
                   source: free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator
    cost_table     duration/duration/... s [7/30/60]
                   cost for 1, 2 to 8, and more GPUs; also used if the job's own cost is not known
                   source: Hu et al. SC'21, Helios simulator

# policies-qssf
What the policy knows by default, and with other parameters.

  $ horus policies qssf
  qssf: least estimated GPU time first, no preemption
  knows: history (some parameters: duration, estimate, speed)
  may: divide GPUs, reserve (some parameters: preempt, set timers)
  source: Hu et al. SC'21

    scan           strict|fit|easy|conservative [strict]
                   when a job does not fit: stop (strict), skip it (fit), or backfill around its
                   reservation (easy) or around those of all earlier jobs (conservative)
                   source: strict: Helios, Philly; fit: Tiresias' fjf; easy: Lifka, JSSPP'95;
                   conservative: Mu'alem & Feitelson, TPDS'01
    placement      count|yarn|consolidate|best_fit|first_fit|spread|random|rack [consolidate]
                   rule by which free GPUs are chosen for a gang
                   source: Helios/Lucid artifacts; count for Tiresias' published numbers
    types          any|fastest|spare|match [any]
                   GPU type of a gang, of those with enough free GPUs. any: no preference; fastest:
                   highest predicted speed; spare: the largest gain relative to the mean job, which
                   leaves fast types to the jobs that gain most; match: only the type that it ran on
                   in the trace
                   source: fastest first: Narayanan et al. OSDI'20, FIFO aware
    pred           oracle|noisy|file|rolling [rolling]
                   run times: the true ones, these with noise, from a file, or the mean of the user's
                   finished jobs
    pred_file      file [-]
                   pred=file: CSV with job_id and estimate (s)
    pred_sigma     0..10 [1]
                   pred=noisy: standard deviation of ln(estimate / run time)
    pred_unknown   0s..3650d [1h]
                   estimate for a job without an entry in the file or history
    pred_last      0..64 [0]
                   pred=rolling: use the median of this many last jobs; 0: the mean of all
    priority       ignore|order|preempt [ignore]
                   order: jobs of higher priority first, then the order of the policy; preempt: they
                   also preempt running jobs of lower priority
    ageing         0s,1s..1000000000s [0s]
                   one level more for each such window by which a job was submitted earlier; 0: never
    class          ignore|order|evict [ignore]
                   order: guaranteed jobs before opportunistic ones; evict: they also preempt running
                   opportunistic jobs
    reclaim        yes|no [no]
                   jobs within the quota of their virtual cluster or cohort stop jobs that borrow it
                   source: Kueue, reclaimWithinCohort: Never or Any
    grace          0s..1000000000s [30s]
                   notice that an opportunistic or borrowing job gets before it is stopped
                   source: Kubernetes, Google Cloud and Azure Spot: 30 s; EC2 Spot: 2 min
    preempt_cost   free|table|job|restart|checkpoint [free]
                   overhead of a preempted job when it resumes; table: by cost_table; job: as in the
                   trace; restart, checkpoint: by its model
                   source: free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator
    cost_table     duration/duration/... s [7/30/60]
                   cost for 1, 2 to 8, and more GPUs; also used if the job's own cost is not known
                   source: Hu et al. SC'21, Helios simulator
    compat         off|helios [off]
                   helios: order by GPUs jobs that arrive while none waits, and jobs of equal GPU time
                   source: Helios artifact, simulator of QSSF

# policies-srtf
A preemptive policy.

  $ horus policies srtf
  srtf: shortest remaining time first, preemptive
  knows: duration (some parameters: estimate, history, speed)
  may: preempt (some parameters: set timers)
  source: Hu et al. SC'21 (evict); Gu et al. NSDI'19 (replace)

    form           evict|replace [evict]
                   evict: running jobs keep their nodes; replace: all jobs are placed anew (Tiresias)
    pred           oracle|noisy|file|rolling [oracle]
                   run times: the true ones, these with noise, from a file, or the mean of the user's
                   finished jobs
    pred_file      file [-]
                   pred=file: CSV with job_id and estimate (s)
    pred_sigma     0..10 [1]
                   pred=noisy: standard deviation of ln(estimate / run time)
    pred_unknown   0s..3650d [1h]
                   estimate for a job without an entry in the file or history
    pred_last      0..64 [0]
                   pred=rolling: use the median of this many last jobs; 0: the mean of all
    placement      count|yarn|consolidate|best_fit|first_fit|spread|random|rack [consolidate]
                   rule by which free GPUs are chosen for a gang
                   source: Helios/Lucid artifacts; count for Tiresias' published numbers
    types          any|fastest|spare|match [any]
                   GPU type of a gang, of those with enough free GPUs. any: no preference; fastest:
                   highest predicted speed; spare: the largest gain relative to the mean job, which
                   leaves fast types to the jobs that gain most; match: only the type that it ran on
                   in the trace
                   source: fastest first: Narayanan et al. OSDI'20, FIFO aware
    preempt_cost   free|table|job|restart|checkpoint [free]
                   overhead of a preempted job when it resumes; table: by cost_table; job: as in the
                   trace; restart, checkpoint: by its model
                   source: free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator
    cost_table     duration/duration/... s [7/30/60]
                   cost for 1, 2 to 8, and more GPUs; also used if the job's own cost is not known
                   source: Hu et al. SC'21, Helios simulator
    priority       ignore|order|preempt [ignore]
                   order: jobs of higher priority first, then the order of the policy, running jobs
                   included, so that preempt is the same
    ageing         0s,1s..1000000000s [0s]
                   one level more for each such window by which a job was submitted earlier; 0: never
    class          ignore|order|evict [ignore]
                   order: guaranteed jobs before opportunistic ones, running jobs included, so that
                   evict is the same
    reclaim        yes|no [no]
                   jobs within the quota of their virtual cluster or cohort stop jobs that borrow it
                   source: Kueue, reclaimWithinCohort: Never or Any
    grace          0s..1000000000s [30s]
                   notice that an opportunistic or borrowing job gets before it is stopped
                   source: Kubernetes, Google Cloud and Azure Spot: 30 s; EC2 Spot: 2 min
    compat         off|helios|muri [off]
                   deviations of a published simulator. helios: each job runs 1 s longer, waiting jobs
                   win ties (use with preempt_cost=table). muri: each job runs 1.5 % longer and loses
                   a restart at every event (use with placement=yarn; form is always replace)
                   source: Hu et al. SC'21 artifact; Zhao et al. SIGCOMM'22 simulator

# policies-tiresias
Every parameter of tiresias, with its source.

  $ horus policies tiresias
  tiresias: least attained service (GPUs times seconds) in discretized queues, or Gittins index
  knows: nothing (some parameters: duration, history, model, speed)
  may: preempt, set timers
  source: Gu et al. NSDI'19

    index          las|gittins [las]
                   order in a queue: by arrival (see inqueue), or by Gittins index
                   source: Gu et al. NSDI'19
    gittins        exact|repo [exact]
                   exact: the index as defined, up to the limit of the queue; repo: that of the
                   published simulator
    gittins_delta  1s..1000000000s GPU s [3250s]
                   gittins=repo: service that the index looks ahead, in every queue
                   source: gittins_delta of the Tiresias simulator
    samples        file [-]
                   file of samples of the service distribution, one per line; absent: learnt from
                   finished jobs
    queue_limits   duration/duration/... GPU s [3250/7200]
                   service at which a job leaves each queue; there is one queue more than limits
                   source: Tiresias simulator: 3 queues, so that its third limit, 18000, is unused
    promote_knob   0..1000000 [0]
                   a job returns to the first queue after waiting this many times its service; 0:
                   never
                   source: PROMOTEKNOB, Gu et al. NSDI'19; off in its simulator
    inqueue        running_first|submit [running_first]
                   order in a queue under index=las
                   source: running_first: Tiresias simulator; submit: Lucid artifact
    round_s        0s..1d [0s]
                   time between decisions; 0: decide at every event
                   source: 60 s: Lucid artifact
    round_phase    0s..1d [0s]
                   time of the first round, after the first submission
    placement      count|yarn|consolidate|best_fit|first_fit|spread|random|rack|skew [consolidate]
                   rule by which free GPUs are chosen for a gang
                   source: Helios/Lucid artifacts; count for Tiresias' published numbers
    types          any|fastest|spare|match [any]
                   GPU type of a gang, of those with enough free GPUs. any: no preference; fastest:
                   highest predicted speed; spare: the largest gain relative to the mean job, which
                   leaves fast types to the jobs that gain most; match: only the type that it ran on
                   in the trace
                   source: fastest first: Narayanan et al. OSDI'20, FIFO aware
    preempt_cost   free|table|job|restart|checkpoint [free]
                   overhead of a preempted job when it resumes; table: by cost_table; job: as in the
                   trace; restart, checkpoint: by its model
                   source: free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator
    cost_table     duration/duration/... s [7/30/60]
                   cost for 1, 2 to 8, and more GPUs; also used if the job's own cost is not known
                   source: Hu et al. SC'21, Helios simulator
    compat         off|tiresias|helios|muri [off]
                   deviations of a published simulator. tiresias: queues change at whole seconds (use
                   with placement=count). helios: a job leaves a queue beyond its limit and runs 1 s
                   longer, restoring counts as service, ties by entry in the queue (use with
                   queue_limits=18000 inqueue=submit round_s=60 preempt_cost=table
                   cost_table=40/40/60). muri: each job runs 1.5 % longer and loses a restart at every
                   event, which counts as service (use with placement=count)
                   source: Tiresias simulator; Lucid artifact; Muri simulator
