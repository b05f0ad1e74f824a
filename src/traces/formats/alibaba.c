/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two kinds of file of Alibaba's PAI (alibaba/clusterdata, cluster-trace-gpu-v2020; Weng et al.,
 * NSDI'22).
 *
 * pai_task_table.csv has no header line (one is accepted). A row is a task of a job, and becomes a
 * job here: inst_num instances at once, each with plan_gpu % of a GPU, plan_cpu % of a core and
 * plan_mem GB (of 1,024 MiB). Its id is job_name/task_name. start_time is the launch of the task: a
 * run sees the load after PAI's queueing. Tasks that ran or waited at the snapshot are dropped, and
 * those without start or end. gpu_type is the type that the task was given; its run time holds for
 * that type, so the job requires it. Rows are not in order of time: --sort=all.
 *
 * The job files of the simulator published with the trace (pai_job_no_estimate_100K.csv and
 * similar): num_gpu and num_cpu are totals of the job, in GPUs and cores, possibly fractional: the
 * simulator itself uses them so, whatever num_inst is. A fraction below one GPU is a share; a
 * non-integer above one is rounded up. wait_time is a result of the cluster's scheduler and columns
 * ..._dur are estimates: not read. The simulator runs jobs of 0 s for 1 s: --zero-duration=1s.
 */
#include <stdio.h>
#include <string.h>

#include "traces/format.h"

/* ---- demands of instances ---- */

/* Numbers have more decimals than a record: they are kept exactly, in millionths, until all
 * instances are summed. */
#define MILLION    INT64_C(1000000)
#define THOUSANDTH (MILLION / 1000)

/* Returns instances x millionths x unit in whole units, rounded half up, at most UINT32_MAX. */
static uint32_t demand_sum(uint32_t instances, int64_t millionths, uint32_t unit)
{
    const uint64_t one = (uint64_t)MILLION;
    hs_u128 sum = ((hs_u128)instances * (uint64_t)millionths * unit + one / 2) / one;
    return sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

/* Sets the GPUs of instances that each need gpu_millionths of a GPU: up to one a share, above that
 * whole GPUs. A value that is not a multiple of its unit (thousandths, GPUs) is rounded up, and the
 * row is marked as rounded. */
static void demand_gpus(struct hs_faults *faults, struct hs_trace_job *job, uint32_t instances,
                        int64_t gpu_millionths)
{
    bool is_share = gpu_millionths < MILLION;
    int64_t unit = is_share ? THOUSANDTH : MILLION;
    int64_t over = gpu_millionths % unit, units = gpu_millionths / unit + (over > 0);
    if (gpu_millionths == 0)
        instances = 0;
    faults->is_rounded = instances > 0 && over > 0;
    job->gpus = is_share ? instances : demand_sum(instances, units * MILLION, 1);
    job->gpu_milli = is_share && instances > 0 ? (uint32_t)units : 1000;
}

/* ---- pai_task_table.csv ---- */

enum { JOB, TASK, INSTANCES, STATUS, START, END, CPU, MEMORY, GPU, TYPE, COLUMN_COUNT };

static const struct hs_column columns[COLUMN_COUNT] = {
    [JOB] = HS_COLUMN("job_id", "job_name", ID, true, id),
    [TASK] = HS_COLUMN("job_id", "task_name", OWN, true, id),
    [INSTANCES] = HS_COLUMN("gpus", "inst_num", OWN, true, gpus),
    [STATUS] = HS_COLUMN("status", "status", OWN, true, outcome),
    [START] = HS_COLUMN("submit_time", "start_time", OWN, true, submit_us),
    [END] = HS_COLUMN("duration", "end_time", OWN, true, duration_us),
    [CPU] = HS_COLUMN("cpus", "plan_cpu", OWN, true, cpus_milli),
    [MEMORY] = HS_COLUMN("mem_mib", "plan_mem", OWN, true, mem_mib),
    [GPU] = HS_COLUMN("gpu_milli", "plan_gpu", OWN, true, gpu_milli),
    [TYPE] = HS_COLUMN("gpu_type", "gpu_type", NAME, false, gpu_type),
};

static const struct hs_words states = {
    .what = "status",
    .hint = "Terminated, Failed, Running or Waiting",
    .fault = HS_FAULT_STATE,
    .is_exact = true,
    .of = {{"Terminated", HS_OUTCOME_COMPLETED},
           {"Failed", HS_OUTCOME_FAILED},
           {"Running", HS_WORD_DROPS(STILL_RUNNING)},
           {"Waiting", HS_WORD_DROPS(STILL_RUNNING)}},
};

#define MIB_PER_GB 1024
#define PERCENT    100

struct pai {
    struct hs_table table; /* first: see traces/format.h */
    char id[2 * HS_JOB_ID_MAX + 2];
};

/* Without a header: ten fields, the fourth being one of the four states. */
static int recognise(const char *head, size_t len)
{
    const char *line_end = memchr(head, '\n', len), *field = head;
    const char *end = line_end != NULL ? line_end : head + len;
    uint32_t fields = 1;
    bool is_task = true;
    for (const char *at = head; at < end; at++) {
        if (*at != ',')
            continue;
        size_t field_len = (size_t)(at - field);
        if (fields == INSTANCES + 1)
            is_task &= field_len > 0 && strspn(field, "0123456789.") == field_len;
        else if (fields == STATUS + 1)
            is_task &= field_len == 0 || hs_trace_word(&states, field, field_len) != HS_NO_WORD;
        fields++;
        field = at + 1;
    }
    return fields == COLUMN_COUNT && is_task ? 85 : 0;
}

static enum hs_status next(void *state, struct hs_trace_job *job, int *dropped)
{
    struct pai *p = state;
    struct hs_table *table = &p->table;
    int64_t gpu, cpu, memory;
    uint32_t instances;
    bool has_start, has_end = false;
    HS_TRY(hs_table_next(&p->table, job, dropped));
    HS_TRY(hs_table_cell_word(table, STATUS, &states, (int *)&job->outcome, dropped));
    if (*dropped)
        return HS_OK;
    HS_TRY(hs_table_cell_count(table, INSTANCES, &instances));
    HS_TRY(hs_table_cell_scaled(table, GPU, MILLION, &gpu));
    HS_TRY(hs_table_cell_scaled(table, CPU, MILLION, &cpu));
    HS_TRY(hs_table_cell_scaled(table, MEMORY, MILLION, &memory));
    job->cpus_milli = demand_sum(instances, cpu, 1000 / PERCENT);
    job->mem_mib = demand_sum(instances, memory, MIB_PER_GB);
    demand_gpus(table->faults, job, instances, gpu / PERCENT + (gpu % PERCENT != 0));
    if (job->gpus == 0 && table->skips_cpu_jobs) {
        *dropped = 1 + HS_DROP_CPU_JOB;
        return HS_OK;
    }
    const char *task = hs_table_cell(table, TASK);
    if (task[0] != '\0') {
        (void)snprintf(p->id, sizeof p->id, "%.*s/%.*s", HS_JOB_ID_MAX, job->id, HS_JOB_ID_MAX,
                       task);
        job->id = p->id;
    }
    job->gpu_type_ran = job->gpu_type;
    HS_TRY(hs_table_cell_time(table, START, &job->submit_us, &has_start));
    if (has_start)
        HS_TRY(hs_table_cell_time(table, END, &job->duration_us, &has_end));
    if (!has_start || !has_end)
        *dropped = 1 + HS_DROP_NO_TIMES;
    else
        job->duration_us -= job->submit_us;
    return HS_OK;
}

const struct hs_trace_format hs_trace_format_pai = {
    .name = "pai",
    .summary = "Alibaba PAI 2020 pai_task_table.csv (NSDI'22), with or without header",
    .columns = "job_name, task_name, inst_num, status, start_time, end_time, plan_cpu, plan_mem, "
               "plan_gpu, gpu_type, in this order where the file has no header",
    .header = "job_name,inst_num,plan_gpu",
    .certainty = 95,
    .recognise = recognise,
    HS_TABLE(columns),
    .is_unit_fixed = true,
    .is_header_less = true,
    .state_size = sizeof(struct pai),
    .next = next,
};

/* ---- the simulator's job files ---- */

enum { JOB_GPU, JOB_SHARE, JOB_CPU = 5 };

static const struct hs_column job_columns[] = {
    [JOB_GPU] = HS_COLUMN("gpus", "num_gpu", OWN, true, gpus),
    [JOB_SHARE] = HS_COLUMN("gpu_milli", "num_gpu", OWN, true, gpu_milli),
    HS_COLUMN("job_id", "job_id", ID, true, id),
    HS_COLUMN("submit_time", "submit_time", TIME, true, submit_us),
    HS_COLUMN("duration", "duration", SPAN, true, duration_us),
    [JOB_CPU] = HS_COLUMN("cpus", "num_cpu", OWN, true, cpus_milli),
    HS_COLUMN("user", "user", TEXT, false, user),
    HS_COLUMN("gpu_type", "gpu_type", NAME, false, gpu_type),
};

static enum hs_status next_job(void *state, struct hs_trace_job *job, int *dropped)
{
    struct hs_table *table = state;
    int64_t gpus, cpus;
    HS_TRY(hs_table_next(table, job, dropped));
    HS_TRY(hs_table_cell_scaled(table, JOB_GPU, MILLION, &gpus));
    HS_TRY(hs_table_cell_scaled(table, JOB_CPU, MILLION, &cpus));
    demand_gpus(table->faults, job, 1, gpus);
    job->gpu_type_ran = job->gpu_type;
    job->cpus_milli = demand_sum(1, cpus, 1000);
    return HS_OK;
}

const struct hs_trace_format hs_trace_format_pai_jobs = {
    .name = "pai_jobs",
    .summary = "jobs of the simulator of Alibaba PAI 2020 (pai_job_no_estimate_100K.csv)",
    .columns = "num_gpu, num_cpu, submit_time, duration; optional: job_id, user, gpu_type",
    /* Tiresias' files have all but num_cpu. */
    .header = "num_gpu,num_cpu,submit_time,duration",
    .certainty = 95,
    HS_TABLE(job_columns),
    .may_lack_ids = true,
    .next = next_job,
};

/* ---- openb ---- */

/* openb, the pods of Alibaba's cluster of 2023 (alibaba/clusterdata, cluster-trace-gpu-v2023; Weng
 * et al., ATC'23). gpu_milli is the share of each of num_gpu GPUs; gpu_spec lists allowed types,
 * joined by '|'; a pod with 0 GPUs is a CPU job. A pod is submitted at its creation and runs from
 * its scheduling to its deletion, also in phase Running, which is just its state at one time.
 *
 * A pod that was never scheduled (phase Pending) has no run time. --openb-pending=run lets it run
 * for the time for which it existed, so that the whole demand is present.
 *
 * Lists with only the first five columns have no times. Their pods are submitted one second apart,
 * in the order of the rows, and run until after the last submission, which fills a cluster. */
#define TIMELESS_RUN_US (INT64_C(1000000) * HS_TRACE_TIME_UNIT_US)

enum {
    POD_MILLI = 4,
    POD_QOS = 6,
    POD_PHASE,
    POD_CREATED,
    POD_DELETED,
    POD_SCHEDULED,
    POD_COLUMNS
};

static const struct hs_column pod_columns[POD_COLUMNS] = {
    HS_COLUMN("gpus", "num_gpu", COUNT, true, gpus),
    HS_COLUMN("job_id", "name", ID, true, id),
    HS_COLUMN("cpus", "cpu_milli", COUNT, true, cpus_milli),
    HS_COLUMN("mem_mib", "memory_mib", MIB, true, mem_mib),
    [POD_MILLI] = HS_COLUMN("gpu_milli", "gpu_milli", COUNT, true, gpu_milli),
    HS_COLUMN("gpu_type", "gpu_spec", NAME, false, gpu_type),
    [POD_QOS] = HS_COLUMN("class", "qos", OWN, false, job_class),
    [POD_PHASE] = HS_COLUMN("status", "pod_phase", OWN, false, outcome),
    [POD_CREATED] = HS_COLUMN("submit_time", "creation_time", OWN, false, submit_us),
    [POD_DELETED] = HS_COLUMN("duration", "deletion_time", OWN, false, duration_us),
    [POD_SCHEDULED] = HS_COLUMN("duration", "scheduled_time", OWN, false, duration_us),
};

struct openb {
    struct hs_table table; /* first: see traces/format.h */
    bool is_timeless;
    bool runs_pending;
};

/* A pod that was pending at its end never ran. */
static const struct hs_words phases = {
    .what = "pod_phase",
    .hint = "Running, Succeeded, Failed or Pending",
    .fault = HS_FAULT_STATE,
    .is_exact = true,
    .of = {{"Running", HS_OUTCOME_UNKNOWN},
           {"Succeeded", HS_OUTCOME_COMPLETED},
           {"Failed", HS_OUTCOME_FAILED},
           {"Pending", HS_OUTCOME_CANCELLED}},
};

/* Latency-sensitive pods and those with resources guaranteed by Kubernetes; best effort. */
static const struct hs_words qualities = {
    .what = "qos",
    .hint = "LS, BE, Guaranteed or Burstable",
    .fault = HS_FAULT_STATE,
    .is_exact = true,
    .of = {{"LS", HS_JOB_CLASS_GUARANTEED},
           {"Guaranteed", HS_JOB_CLASS_GUARANTEED},
           {"BE", HS_JOB_CLASS_OPPORTUNISTIC},
           {"Burstable", HS_JOB_CLASS_AUTO}},
};

static enum hs_status open_openb(void *state, struct hs_input *input,
                                 const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct openb *o = state;
    HS_TRY(hs_table_open(&o->table, input, options, faults, NULL));
    o->runs_pending = options->openb_pending == HS_OPENB_PENDING_RUN;
    uint32_t times = 0;
    for (uint32_t i = POD_CREATED; i <= POD_SCHEDULED; i++)
        times += o->table.field_of[i] != UINT32_MAX;
    struct hs_place place = hs_csv_place(o->table.csv, 0);
    o->is_timeless = times == 0;
    if (o->is_timeless)
        hs_report(faults->diag, HS_WARNING, &place, NULL,
                  "the list has no times: pods are submitted one second apart, in its order, and "
                  "run for 1,000,000 s");
    else if (times < 3)
        return hs_fail(faults->diag, HS_E_INPUT, &place,
                       "creation_time, deletion_time and scheduled_time, or none of them",
                       "a column of times is missing");
    return HS_OK;
}

static enum hs_status next_pod(void *state, struct hs_trace_job *job, int *dropped)
{
    struct openb *o = state;
    struct hs_table *table = &o->table;
    bool is_created, is_deleted, is_scheduled;
    int64_t start_us = 0, end_us = 0;
    HS_TRY(hs_table_next(&o->table, job, dropped));
    if (*dropped)
        return HS_OK;
    if (job->gpus > 0 && (job->gpu_milli == 0 || job->gpu_milli > 1000))
        return hs_table_check(table, POD_MILLI, HS_CELL_NOT_A_SHARE);
    HS_TRY(hs_table_cell_word(table, POD_PHASE, &phases, (int *)&job->outcome, dropped));
    HS_TRY(hs_table_cell_word(table, POD_QOS, &qualities, (int *)&job->job_class, dropped));
    if (o->is_timeless) {
        job->submit_us = (int64_t)table->row_number * HS_TRACE_TIME_UNIT_US;
        job->duration_us = TIMELESS_RUN_US;
        return HS_OK;
    }
    HS_TRY(hs_table_cell_time(table, POD_CREATED, &job->submit_us, &is_created));
    HS_TRY(hs_table_cell_time(table, POD_DELETED, &end_us, &is_deleted));
    HS_TRY(hs_table_cell_time(table, POD_SCHEDULED, &start_us, &is_scheduled));
    if (!is_created || !is_deleted)
        *dropped = 1 + HS_DROP_NO_TIMES;
    else if (!is_scheduled && !o->runs_pending)
        *dropped = 1 + HS_DROP_NEVER_STARTED;
    job->duration_us = end_us - (is_scheduled ? start_us : job->submit_us);
    job->start_us = is_scheduled ? start_us : -1;
    job->end_us = is_deleted ? end_us : -1;
    return HS_OK;
}

const struct hs_trace_format hs_trace_format_openb = {
    .name = "openb",
    .summary = "pods of Alibaba's cluster of 2023, openb_pod_list_*.csv (ATC'23)",
    .columns = "name, cpu_milli, memory_mib, num_gpu, gpu_milli; creation_time, deletion_time and "
               "scheduled_time, or none of them; optional: gpu_spec, qos, pod_phase",
    .header = "num_gpu,name,cpu_milli,memory_mib,gpu_milli",
    .certainty = 95,
    HS_TABLE(pod_columns),
    .is_unit_fixed = true,
    .state_size = sizeof(struct openb),
    .open = open_openb,
    .next = next_pod,
};
