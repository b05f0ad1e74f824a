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
                       decayed usage of users, wait and size, weighted as Slurm does
  drf                  nothing +                   divide GPUs
                       the user of the least dominant share of GPUs, CPUs and memory is next
  tiresias             nothing +                   preempt, set timers
                       least attained service in discretized queues, GPUs times seconds; or Gittins
                       index
  las                  nothing +                   preempt, set timers
                       least attained service in discretized queues, by seconds
  philly               nothing +                   preempt, set timers, borrow quota
                       quotas that may be exceeded, locality that is given up after a while
  fgd                  nothing                     divide GPUs
                       first come, first served, where the fewest fragments of GPUs are made
  pack                 memory +                    co-locate
                       first come, first served on the fullest GPU with memory for the job
  gandiva-like         utilization, memory +       co-locate +
                       first come, first served on the GPU of least memory, load and tenants
  gandiva              utilization, memory, rate + preempt, migrate, co-locate, slice, resize, set
                                                   timers
                       turns on servers in excess, packing by trial, moves, growth; knows no run times
  colocate-fifo        utilization, memory +       co-locate
                       first come, first served, placed by the cost of horus
  horus                utilization, memory +       co-locate +
                       least predicted utilization first, placed by predicted utilization and memory
  horus+               utilization, memory +       co-locate, set timers
                       horus with lanes of alike jobs, the lane of most jobs times wait first
  horus-s              utilization, memory +       co-locate
                       about in order of submission, where the predicted slowdown added is least
  gandiva-pack-only    utilization, memory +       co-locate
                       first come, first served on the GPU of lowest utilization with enough memory
  gandiva-random-pairs rate +                      preempt, co-locate, set timers
                       random pairs of jobs of equal gang size when GPUs are short, kept if they pay
  salus                duration, memory, rate +    co-locate, slice +
                       jobs keep their memory on a GPU and share it by mini-batches
  salus-fifo           memory +                    nothing +
                       a plain server: the next job starts when its GPUs are free
  salus-srtf           duration, memory, rate +    co-locate, slice +
                       least declared minus used time runs on a GPU, others wait with their memory on
                       it
  salus-pack           memory, rate +              co-locate, slice +
                       mini-batches alternate in lanes that run at the same time
  salus-fair           memory, rate +              co-locate, slice, set timers
                       the mini-batch of the job that used the GPU least is next
  salus-rr             memory, rate +              co-locate, slice +
                       the mini-batch of the job that had fewest since the last arrival is next
  antman               utilization, memory, rate + preempt, co-locate, slice, throttle, set timers,
                                                   borrow quota +
                       guaranteed jobs as if alone, opportunistic ones in what these leave of their
                       GPUs
  gavel                speed +                     preempt, set timers +
                       shares of time on GPU types by a linear program, given in rounds
  ftf                  duration, speed +           preempt, set timers +
                       gavel for finish times as with equal parts of the cluster
  allox                duration, speed +           preempt, set timers +
                       gavel by the matching of jobs and GPUs of least mean completion time
  optimus              duration, scaling +         preempt, resize, set timers, resize any job
                       numbers of GPUs by what one more would save, given in slots
  muri                 duration, stages +          preempt, co-locate, interleave +
                       jobs interleave the stages of their iterations in groups, by a matching
  synergy              host +                      preempt, set timers, host
                       CPUs and host memory to the jobs that they make faster, given in rounds
  lucid                history, profile +          preempt, co-locate, set timers, profile +
                       least predicted GPU time first, in pairs that suit, after a short profile
  chronus              duration, scaling +         preempt, set timers
                       leases for jobs with a deadline, the rest of the GPUs for all others

  +: more with some parameters; 'horus policies NAME' lists those of one.
  knows: duration, true run times; utilization and slowdown, as --predictor tells them; memory, as
  --memory-predictor does; deadline, of the trace; rate, measured while running; estimate, run times
  with noise or from a file; history, run times of finished jobs, by user and GPUs; model, the tensor
  sizes of what a job trains; loss, that of its epochs so far; profile, what a run of its own on nodes
  set aside has shown of it; pairs, speeds of two jobs on a GPU, as --speed-predictor tells them.
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
                   behind a job that does not fit: stop, skip it, or backfill behind its reservation,
                   or behind those of all before
                   source: strict: Helios, Philly; fit: Tiresias' fjf; easy: Lifka, JSSPP'95;
                   conservative: Mu'alem & Feitelson, TPDS'01
    placement      count|yarn|consolidate|best_fit|first_fit|spread|random|rack [consolidate]
                   which free GPUs a gang gets
                   source: Helios/Lucid artifacts; count for Tiresias' published numbers
    types          any|fastest|spare|match [any]
                   GPU types of a gang: any; of those with room the fastest for it by predicted speed,
                   or that where it gains most beside the mean job, so that fast ones are spared for
                   those that need them; or the one that it ran on in the trace
                   source: fastest first: Narayanan et al. OSDI'20, FIFO aware
    pred           oracle|noisy|file|rolling [oracle]
                   run times: true, true with noise, of a file, or mean of the user's finished jobs
    pred_file      file [-]
                   pred=file: CSV with job_id and estimate (s)
    pred_sigma     0..10 [1]
                   pred=noisy: standard deviation of ln(estimate / run time)
    pred_unknown   0s..3650d [1h]
                   estimate of a job of which file or history tell nothing
    pred_last      0..64 [0]
                   pred=rolling: the median of the last so many, 0: the mean of all
    priority       ignore|order|preempt [ignore]
                   order: jobs of higher priority first, the order of the policy among equals;
                   preempt: they also take the GPUs of running jobs of lower priority
    ageing         0s,1s..1000000000s [0s]
                   a level more for each such window of earlier submission; 0: never
    class          ignore|order|evict [ignore]
                   order: guaranteed jobs first, opportunistic ones after them; evict: they also take
                   the GPUs of running opportunistic jobs
    reclaim        yes|no [no]
                   jobs within the quota of their virtual cluster or cohort stop others that borrow it
                   source: Kueue, reclaimWithinCohort: Never or Any
    grace          0s..1000000000s [30s]
                   notice to an opportunistic job, or to one that borrows, before it is stopped
                   source: Kubernetes, Google Cloud and Azure Spot: 30 s; EC2 Spot: 2 min
    preempt_cost   free|table|job|restart|checkpoint [free]
                   what a preempted job pays when it resumes; restart, checkpoint: by its model
                   source: free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator
    cost_table     duration/duration/... s [7/30/60]
                   cost for 1, 2-8, more GPUs; also where the job's own is not known
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
        "help": "behind a job that does not fit: stop, skip it, or backfill behind its reservation, or behind those of all before",
        "source": "strict: Helios, Philly; fit: Tiresias' fjf; easy: Lifka, JSSPP'95; conservative: Mu'alem & Feitelson, TPDS'01"
      },
      {
        "key": "placement",
        "type": "choice",
        "values": "count|yarn|consolidate|best_fit|first_fit|spread|random|rack",
        "unit": null,
        "default": "consolidate",
        "help": "which free GPUs a gang gets",
        "source": "Helios/Lucid artifacts; count for Tiresias' published numbers"
      },
      {
        "key": "types",
        "type": "choice",
        "values": "any|fastest|spare|match",
        "unit": null,
        "default": "any",
        "help": "GPU types of a gang: any; of those with room the fastest for it by predicted speed, or that where it gains most beside the mean job, so that fast ones are spared for those that need them; or the one that it ran on in the trace",
        "source": "fastest first: Narayanan et al. OSDI'20, FIFO aware"
      },
      {
        "key": "pred",
        "type": "choice",
        "values": "oracle|noisy|file|rolling",
        "unit": null,
        "default": "oracle",
        "help": "run times: true, true with noise, of a file, or mean of the user's finished jobs",
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
        "help": "estimate of a job of which file or history tell nothing",
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
        "help": "pred=rolling: the median of the last so many, 0: the mean of all",
        "source": null
      },
      {
        "key": "priority",
        "type": "choice",
        "values": "ignore|order|preempt",
        "unit": null,
        "default": "ignore",
        "help": "order: jobs of higher priority first, the order of the policy among equals; preempt: they also take the GPUs of running jobs of lower priority",
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
        "help": "a level more for each such window of earlier submission; 0: never",
        "source": null
      },
      {
        "key": "class",
        "type": "choice",
        "values": "ignore|order|evict",
        "unit": null,
        "default": "ignore",
        "help": "order: guaranteed jobs first, opportunistic ones after them; evict: they also take the GPUs of running opportunistic jobs",
        "source": null
      },
      {
        "key": "reclaim",
        "type": "flag",
        "values": "yes|no",
        "unit": null,
        "default": "no",
        "help": "jobs within the quota of their virtual cluster or cohort stop others that borrow it",
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
        "help": "notice to an opportunistic job, or to one that borrows, before it is stopped",
        "source": "Kubernetes, Google Cloud and Azure Spot: 30 s; EC2 Spot: 2 min"
      },
      {
        "key": "preempt_cost",
        "type": "choice",
        "values": "free|table|job|restart|checkpoint",
        "unit": null,
        "default": "free",
        "help": "what a preempted job pays when it resumes; restart, checkpoint: by its model",
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
        "help": "cost for 1, 2-8, more GPUs; also where the job's own is not known",
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
  | `form` | evict/replace | - | `evict` | evict: running jobs keep their nodes; replace: place all anew (Tiresias) | - |
  | `pred` | oracle/noisy/file/rolling | - | `oracle` | run times: true, true with noise, of a file, or mean of the user's finished jobs | - |
  | `pred_file` | file | - | `-` | pred=file: CSV with job_id and estimate (s) | - |
  | `pred_sigma` | 0..10 | - | `1` | pred=noisy: standard deviation of ln(estimate / run time) | - |
  | `pred_unknown` | 0s..3650d | - | `1h` | estimate of a job of which file or history tell nothing | - |
  | `pred_last` | 0..64 | - | `0` | pred=rolling: the median of the last so many, 0: the mean of all | - |
  | `placement` | count/yarn/consolidate/best_fit/first_fit/spread/random/rack | - | `consolidate` | which free GPUs a gang gets | Helios/Lucid artifacts; count for Tiresias' published numbers |
  | `types` | any/fastest/spare/match | - | `any` | GPU types of a gang: any; of those with room the fastest for it by predicted speed, or that where it gains most beside the mean job, so that fast ones are spared for those that need them; or the one that it ran on in the trace | fastest first: Narayanan et al. OSDI'20, FIFO aware |
  | `preempt_cost` | free/table/job/restart/checkpoint | - | `free` | what a preempted job pays when it resumes; restart, checkpoint: by its model | free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator |
  | `cost_table` | duration/duration/... | s | `7/30/60` | cost for 1, 2-8, more GPUs; also where the job's own is not known | Hu et al. SC'21, Helios simulator |
  | `priority` | ignore/order/preempt | - | `ignore` | order: jobs of higher priority first, the order of the policy among equals; it holds for running jobs, too, so that preempt is the same | - |
  | `ageing` | 0s,1s..1000000000s | - | `0s` | a level more for each such window of earlier submission; 0: never | - |
  | `class` | ignore/order/evict | - | `ignore` | order: guaranteed jobs first, opportunistic ones after them; it holds for running jobs, too, so that evict is the same | - |
  | `reclaim` | yes/no | - | `no` | jobs within the quota of their virtual cluster or cohort stop others that borrow it | Kueue, reclaimWithinCohort: Never or Any |
  | `grace` | 0s..1000000000s | - | `30s` | notice to an opportunistic job, or to one that borrows, before it is stopped | Kubernetes, Google Cloud and Azure Spot: 30 s; EC2 Spot: 2 min |
  | `compat` | off/helios/muri | - | `off` | quirks of a published simulator. helios: 1 s more a job, waiting jobs first on a tie (with preempt_cost=table). muri: 1.5 % more a job, and a restart lost at every event (with placement=yarn and always form=replace) | Hu et al. SC'21 artifact; Zhao et al. SIGCOMM'22 simulator |

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
  | `fairshare` | decayed usage of users, wait and size, weighted as Slurm does | nothing (some parameters: speed) | divide GPUs | `scan`, `by`, `placement`, `types`, `w_fairshare`, `w_age`, `w_size`, `half_life`, `max_age` |
  | `drf` | the user of the least dominant share of GPUs, CPUs and memory is next | nothing (some parameters: speed) | divide GPUs | `scan`, `by`, `placement`, `types` |
  | `tiresias` | least attained service in discretized queues, GPUs times seconds; or Gittins index | nothing (some parameters: duration, history, model, speed) | preempt, set timers | `index`, `gittins`, `gittins_delta`, `samples`, `queue_limits`, `promote_knob`, `inqueue`, `round_s`, `round_phase`, `placement`, `types`, `preempt_cost`, `cost_table`, `compat` |
  | `las` | least attained service in discretized queues, by seconds | nothing (some parameters: duration, history, model, speed) | preempt, set timers | `index`, `gittins`, `gittins_delta`, `samples`, `queue_limits`, `promote_knob`, `inqueue`, `round_s`, `round_phase`, `placement`, `types`, `preempt_cost`, `cost_table`, `compat` |
  | `philly` | quotas that may be exceeded, locality that is given up after a while | nothing (some parameters: speed) | preempt, set timers, borrow quota | `retry`, `relax_after`, `max_level`, `fair_preempt`, `requeue`, `types`, `preempt_cost`, `cost_table` |
  | `fgd` | first come, first served, where the fewest fragments of GPUs are made | nothing | divide GPUs | `scan`, `score`, `typical` |
  | `pack` | first come, first served on the fullest GPU with memory for the job | memory (some parameters: speed) | co-locate | `scan`, `priority`, `ageing`, `class`, `max_tenants`, `mem_margin`, `share_up_to`, `types` |
  | `gandiva-like` | first come, first served on the GPU of least memory, load and tenants | utilization, memory (some parameters: rate, speed) | co-locate (some parameters: preempt, set timers) | `scan`, `priority`, `ageing`, `class`, `signal`, `w_mem`, `w_n`, `quantum`, `suspend`, `max_tenants`, `mem_margin`, `share_up_to`, `types` |
  | `gandiva` | turns on servers in excess, packing by trial, moves, growth; knows no run times | utilization, memory, rate (some parameters: speed) | preempt, migrate, co-locate, slice, resize, set timers | `slice`, `pack`, `migrate`, `defrag`, `grow`, `slicing`, `fluid_above`, `max_height`, `quantum`, `switch`, `arrival_front`, `introspect`, `trial`, `profile_steps`, `keep_margin`, `max_pack`, `defrag_free`, `grow_idle`, `types`, `migrate_base`, `migrate_intra`, `migrate_inter` |
  | `colocate-fifo` | first come, first served, placed by the cost of horus | utilization, memory (some parameters: rate, speed) | co-locate | `scan`, `priority`, `ageing`, `class`, `cost`, `signal`, `w_mem`, `w_u_over`, `w_u_under`, `w_n`, `w_type`, `max_tenants`, `mem_margin`, `share_up_to`, `types`, `util_cap` |
  | `horus` | least predicted utilization first, placed by predicted utilization and memory | utilization, memory (some parameters: rate, speed) | co-locate (some parameters: migrate, set timers) | `order`, `priority`, `ageing`, `class`, `look_ahead`, `max_starts`, `tick`, `cost`, `signal`, `w_mem`, `w_u_over`, `w_u_under`, `w_n`, `w_type`, `max_tenants`, `mem_margin`, `share_up_to`, `types`, `util_cap`, `migrate`, `migrate_every` |
  | `horus+` | horus with lanes of alike jobs, the lane of most jobs times wait first | utilization, memory (some parameters: rate, speed) | co-locate, set timers | `look_ahead`, `queues`, `credit`, `recluster_growth`, `recluster_period`, `wake_period`, `cost`, `signal`, `w_mem`, `w_u_over`, `w_u_under`, `w_n`, `w_type`, `max_tenants`, `mem_margin`, `share_up_to`, `types`, `util_cap` |
  | `horus-s` | about in order of submission, where the predicted slowdown added is least | utilization, memory (some parameters: speed) | co-locate | `priority`, `ageing`, `class`, `look_ahead`, `overtake`, `slowdown_cap`, `patience`, `max_tenants`, `mem_margin`, `share_up_to`, `types` |
  | `gandiva-pack-only` | first come, first served on the GPU of lowest utilization with enough memory | utilization, memory (some parameters: speed) | co-locate | `scan`, `priority`, `ageing`, `class`, `max_tenants`, `mem_margin`, `share_up_to`, `types` |
  | `gandiva-random-pairs` | random pairs of jobs of equal gang size when GPUs are short, kept if they pay | rate (some parameters: speed) | preempt, co-locate, set timers | `scan`, `trial`, `types`, `seed` |
  | `salus` | jobs keep their memory on a GPU and share it by mini-batches | duration, memory, rate (some parameters: estimate, history, speed) | co-locate, slice (some parameters: set timers) | `rule`, `lanes`, `mode`, `fluid_above`, `exact_turns`, `infl_p`, `infl_total`, `reserve`, `max_sessions`, `poll`, `startup`, `startup_by`, `types`, `step`, `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last` |
  | `salus-fifo` | a plain server: the next job starts when its GPUs are free | memory (some parameters: rate, speed) | nothing (some parameters: co-locate, slice, set timers) | `lanes`, `mode`, `fluid_above`, `exact_turns`, `infl_p`, `infl_total`, `reserve`, `max_sessions`, `poll`, `startup`, `startup_by`, `types`, `step` |
  | `salus-srtf` | least declared minus used time runs on a GPU, others wait with their memory on it | duration, memory, rate (some parameters: estimate, history, speed) | co-locate, slice (some parameters: set timers) | `lanes`, `mode`, `fluid_above`, `exact_turns`, `infl_p`, `infl_total`, `reserve`, `max_sessions`, `poll`, `startup`, `startup_by`, `types`, `step`, `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last` |
  | `salus-pack` | mini-batches alternate in lanes that run at the same time | memory, rate (some parameters: speed) | co-locate, slice (some parameters: set timers) | `lanes`, `mode`, `fluid_above`, `exact_turns`, `infl_p`, `infl_total`, `reserve`, `max_sessions`, `poll`, `startup`, `startup_by`, `types`, `step` |
  | `salus-fair` | the mini-batch of the job that used the GPU least is next | memory, rate (some parameters: speed) | co-locate, slice, set timers | `lanes`, `mode`, `fluid_above`, `exact_turns`, `infl_p`, `infl_total`, `reserve`, `max_sessions`, `poll`, `startup`, `startup_by`, `types`, `step` |
  | `salus-rr` | the mini-batch of the job that had fewest since the last arrival is next | memory, rate (some parameters: speed) | co-locate, slice (some parameters: set timers) | `lanes`, `mode`, `fluid_above`, `exact_turns`, `infl_p`, `infl_total`, `reserve`, `max_sessions`, `poll`, `startup`, `startup_by`, `types`, `step` |
  | `antman` | guaranteed jobs as if alone, opportunistic ones in what these leave of their GPUs | utilization, memory, rate (some parameters: speed, stages) | preempt, co-locate, slice, throttle, set timers, borrow quota (some parameters: interleave) | `util_thr`, `util_window`, `tick`, `init`, `ramp`, `step`, `conv_wait`, `shrink_ms_per_gb`, `growth_ms_per_gb`, `host_gb`, `mem_chunk`, `types`, `compat` |
  | `gavel` | shares of time on GPU types by a linear program, given in rounds | speed (some parameters: duration, memory, pairs) | preempt, set timers (some parameters: co-locate) | `objective`, `aware`, `share`, `pair_above`, `round`, `reset`, `carry`, `fill`, `refill`, `classes`, `seed`, `placement`, `preempt_cost`, `cost_table`, `compat` |
  | `ftf` | gavel for finish times as with equal parts of the cluster | duration, speed (some parameters: memory, pairs) | preempt, set timers (some parameters: co-locate) | `objective`, `aware`, `share`, `pair_above`, `round`, `reset`, `carry`, `fill`, `refill`, `classes`, `seed`, `placement`, `preempt_cost`, `cost_table`, `compat` |
  | `allox` | gavel by the matching of jobs and GPUs of least mean completion time | duration, speed (some parameters: memory, pairs) | preempt, set timers (some parameters: co-locate) | `objective`, `aware`, `share`, `pair_above`, `round`, `reset`, `carry`, `fill`, `refill`, `classes`, `seed`, `placement`, `preempt_cost`, `cost_table`, `compat` |
  | `optimus` | numbers of GPUs by what one more would save, given in slots | duration, scaling (some parameters: rate, estimate, loss) | preempt, resize, set timers, resize any job | `slot`, `restart`, `young`, `sticky`, `max_gpus`, `placement`, `oracle`, `error`, `trial`, `compat`, `slot_phase` |
  | `muri` | jobs interleave the stages of their iterations in groups, by a matching | duration, stages (some parameters: speed) | preempt, co-locate, interleave (some parameters: throttle) | `know`, `matching`, `order`, `cap`, `lambda`, `unpack`, `placement`, `types`, `preempt_cost`, `cost_table`, `compat` |
  | `synergy` | CPUs and host memory to the jobs that they make faster, given in rounds | host (some parameters: duration) | preempt, set timers, host | `mechanism`, `order`, `round`, `round_phase`, `preempt_cost`, `cost_table`, `compat` |
  | `lucid` | least predicted GPU time first, in pairs that suit, after a short profile | history, profile (some parameters: duration, estimate, model) | preempt, co-locate, set timers, profile (some parameters: slice) | `profile`, `profile_nodes`, `profile_time`, `limit`, `keep`, `preempt_cost`, `cost_table`, `scale`, `sharing`, `check`, `low`, `forecast_file`, `packing`, `first`, `score`, `capacity`, `tree_bandwidth`, `tree_util`, `score_sum`, `ratio`, `left`, `memory`, `estimator`, `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last`, `compat`, `compat_speeds` |
  | `chronus` | leases for jobs with a deadline, the rest of the GPUs for all others | duration, scaling (some parameters: estimate, history) | preempt, set timers | `objective`, `solver`, `iterations`, `lease`, `tick`, `spot`, `margin`, `tolerance`, `checkpoint`, `resume`, `pred`, `pred_file`, `pred_sigma`, `pred_unknown`, `pred_last`, `compat` |

# policies-philly
A policy that may exceed quotas.

  $ horus policies philly
  philly: quotas that may be exceeded, locality that is given up after a while
  knows: nothing (some parameters: speed)
  may: preempt, set timers, borrow quota
  source: Jeon et al. ATC'19; no code was published

    retry          0s,1s..1000000s [120s]
                   time between two tries of a job; 0: at each submission and end
                   source: Jeon et al. ATC'19: back-off of 2 minutes
    relax_after    0..1000000 [5]
                   tries at a level of locality before the next; 0: max_level at once
                   source: Jeon et al. ATC'19: a fixed number, not given; 5 is ours
    max_level      0..2 [2]
                   0: fewest servers in one rack, 1: one rack, 2: anywhere
                   source: Jeon et al. ATC'19
    fair_preempt   0..1 [0.9]
                   share of GPUs in use from which jobs beyond quotas make way; 0: never
                   source: Jeon et al. ATC'19
    requeue        tail|head [tail]
                   where in its queue a failed attempt is submitted again
    types          any|fastest|spare|match [any]
                   GPU types of a gang: any; of those with room the fastest for it by predicted speed,
                   or that where it gains most beside the mean job, so that fast ones are spared for
                   those that need them; or the one that it ran on in the trace
                   source: fastest first: Narayanan et al. OSDI'20, FIFO aware
    preempt_cost   free|table|job|restart|checkpoint [free]
                   what a preempted job pays when it resumes; restart, checkpoint: by its model
                   source: free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator
    cost_table     duration/duration/... s [7/30/60]
                   cost for 1, 2-8, more GPUs; also where the job's own is not known
                   source: Hu et al. SC'21, Helios simulator

# policies-qssf
What the policy knows by default, and with other parameters.

  $ horus policies qssf
  qssf: least estimated GPU time first, no preemption
  knows: history (some parameters: duration, estimate, speed)
  may: divide GPUs, reserve (some parameters: preempt, set timers)
  source: Hu et al. SC'21

    scan           strict|fit|easy|conservative [strict]
                   behind a job that does not fit: stop, skip it, or backfill behind its reservation,
                   or behind those of all before
                   source: strict: Helios, Philly; fit: Tiresias' fjf; easy: Lifka, JSSPP'95;
                   conservative: Mu'alem & Feitelson, TPDS'01
    placement      count|yarn|consolidate|best_fit|first_fit|spread|random|rack [consolidate]
                   which free GPUs a gang gets
                   source: Helios/Lucid artifacts; count for Tiresias' published numbers
    types          any|fastest|spare|match [any]
                   GPU types of a gang: any; of those with room the fastest for it by predicted speed,
                   or that where it gains most beside the mean job, so that fast ones are spared for
                   those that need them; or the one that it ran on in the trace
                   source: fastest first: Narayanan et al. OSDI'20, FIFO aware
    pred           oracle|noisy|file|rolling [rolling]
                   run times: true, true with noise, of a file, or mean of the user's finished jobs
    pred_file      file [-]
                   pred=file: CSV with job_id and estimate (s)
    pred_sigma     0..10 [1]
                   pred=noisy: standard deviation of ln(estimate / run time)
    pred_unknown   0s..3650d [1h]
                   estimate of a job of which file or history tell nothing
    pred_last      0..64 [0]
                   pred=rolling: the median of the last so many, 0: the mean of all
    priority       ignore|order|preempt [ignore]
                   order: jobs of higher priority first, the order of the policy among equals;
                   preempt: they also take the GPUs of running jobs of lower priority
    ageing         0s,1s..1000000000s [0s]
                   a level more for each such window of earlier submission; 0: never
    class          ignore|order|evict [ignore]
                   order: guaranteed jobs first, opportunistic ones after them; evict: they also take
                   the GPUs of running opportunistic jobs
    reclaim        yes|no [no]
                   jobs within the quota of their virtual cluster or cohort stop others that borrow it
                   source: Kueue, reclaimWithinCohort: Never or Any
    grace          0s..1000000000s [30s]
                   notice to an opportunistic job, or to one that borrows, before it is stopped
                   source: Kubernetes, Google Cloud and Azure Spot: 30 s; EC2 Spot: 2 min
    preempt_cost   free|table|job|restart|checkpoint [free]
                   what a preempted job pays when it resumes; restart, checkpoint: by its model
                   source: free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator
    cost_table     duration/duration/... s [7/30/60]
                   cost for 1, 2-8, more GPUs; also where the job's own is not known
                   source: Hu et al. SC'21, Helios simulator
    compat         off|helios [off]
                   helios: jobs that arrive where none waits go by GPUs, and so do equal GPU times
                   source: Helios artifact, simulator of QSSF

# policies-srtf
A preemptive policy.

  $ horus policies srtf
  srtf: shortest remaining time first, preemptive
  knows: duration (some parameters: estimate, history, speed)
  may: preempt (some parameters: set timers)
  source: Hu et al. SC'21 (evict); Gu et al. NSDI'19 (replace)

    form           evict|replace [evict]
                   evict: running jobs keep their nodes; replace: place all anew (Tiresias)
    pred           oracle|noisy|file|rolling [oracle]
                   run times: true, true with noise, of a file, or mean of the user's finished jobs
    pred_file      file [-]
                   pred=file: CSV with job_id and estimate (s)
    pred_sigma     0..10 [1]
                   pred=noisy: standard deviation of ln(estimate / run time)
    pred_unknown   0s..3650d [1h]
                   estimate of a job of which file or history tell nothing
    pred_last      0..64 [0]
                   pred=rolling: the median of the last so many, 0: the mean of all
    placement      count|yarn|consolidate|best_fit|first_fit|spread|random|rack [consolidate]
                   which free GPUs a gang gets
                   source: Helios/Lucid artifacts; count for Tiresias' published numbers
    types          any|fastest|spare|match [any]
                   GPU types of a gang: any; of those with room the fastest for it by predicted speed,
                   or that where it gains most beside the mean job, so that fast ones are spared for
                   those that need them; or the one that it ran on in the trace
                   source: fastest first: Narayanan et al. OSDI'20, FIFO aware
    preempt_cost   free|table|job|restart|checkpoint [free]
                   what a preempted job pays when it resumes; restart, checkpoint: by its model
                   source: free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator
    cost_table     duration/duration/... s [7/30/60]
                   cost for 1, 2-8, more GPUs; also where the job's own is not known
                   source: Hu et al. SC'21, Helios simulator
    priority       ignore|order|preempt [ignore]
                   order: jobs of higher priority first, the order of the policy among equals; it
                   holds for running jobs, too, so that preempt is the same
    ageing         0s,1s..1000000000s [0s]
                   a level more for each such window of earlier submission; 0: never
    class          ignore|order|evict [ignore]
                   order: guaranteed jobs first, opportunistic ones after them; it holds for running
                   jobs, too, so that evict is the same
    reclaim        yes|no [no]
                   jobs within the quota of their virtual cluster or cohort stop others that borrow it
                   source: Kueue, reclaimWithinCohort: Never or Any
    grace          0s..1000000000s [30s]
                   notice to an opportunistic job, or to one that borrows, before it is stopped
                   source: Kubernetes, Google Cloud and Azure Spot: 30 s; EC2 Spot: 2 min
    compat         off|helios|muri [off]
                   quirks of a published simulator. helios: 1 s more a job, waiting jobs first on a
                   tie (with preempt_cost=table). muri: 1.5 % more a job, and a restart lost at every
                   event (with placement=yarn and always form=replace)
                   source: Hu et al. SC'21 artifact; Zhao et al. SIGCOMM'22 simulator

# policies-tiresias
Every parameter of tiresias, with its source.

  $ horus policies tiresias
  tiresias: least attained service in discretized queues, GPUs times seconds; or Gittins index
  knows: nothing (some parameters: duration, history, model, speed)
  may: preempt, set timers
  source: Gu et al. NSDI'19

    index          las|gittins [las]
                   order in a queue: by arrival (see inqueue), or by Gittins index
                   source: Gu et al. NSDI'19
    gittins        exact|repo [exact]
                   the index as defined, up to the limit of the queue; or the published simulator's
    gittins_delta  1s..1000000000s GPU s [3250s]
                   gittins=repo: how much service it looks ahead, in every queue
                   source: gittins_delta of the Tiresias simulator
    samples        file [-]
                   distribution of service, one a line; without it learnt from finished jobs
    queue_limits   duration/duration/... GPU s [3250/7200]
                   service at which a job leaves a queue; one queue more than limits
                   source: Tiresias simulator: 3 queues, so that its third limit, 18000, is unused
    promote_knob   0..1000000 [0]
                   back to the first queue after waiting so many times the service; 0 = never
                   source: PROMOTEKNOB, Gu et al. NSDI'19; off in its simulator
    inqueue        running_first|submit [running_first]
                   order in a queue under index=las
                   source: running_first: Tiresias simulator; submit: Lucid artifact
    round_s        0s..1d [0s]
                   decide only every so often; 0 = at every event
                   source: 60 s: Lucid artifact
    round_phase    0s..1d [0s]
                   when the first round is, after the first submission
    placement      count|yarn|consolidate|best_fit|first_fit|spread|random|rack|skew [consolidate]
                   which free GPUs a gang gets
                   source: Helios/Lucid artifacts; count for Tiresias' published numbers
    types          any|fastest|spare|match [any]
                   GPU types of a gang: any; of those with room the fastest for it by predicted speed,
                   or that where it gains most beside the mean job, so that fast ones are spared for
                   those that need them; or the one that it ran on in the trace
                   source: fastest first: Narayanan et al. OSDI'20, FIFO aware
    preempt_cost   free|table|job|restart|checkpoint [free]
                   what a preempted job pays when it resumes; restart, checkpoint: by its model
                   source: free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator
    cost_table     duration/duration/... s [7/30/60]
                   cost for 1, 2-8, more GPUs; also where the job's own is not known
                   source: Hu et al. SC'21, Helios simulator
    compat         off|tiresias|helios|muri [off]
                   quirks of a published simulator. tiresias: queues change at whole seconds (with
                   placement=count). helios: beyond a limit, 1 s more a job, restoring counts as
                   service, ties by entry in the queue (with queue_limits=18000 inqueue=submit
                   round_s=60 preempt_cost=table cost_table=40/40/60). muri: 1.5 % more a job, and a
                   restart lost at every event, which counts as service (with placement=count)
                   source: Tiresias simulator; Lucid artifact; Muri simulator
