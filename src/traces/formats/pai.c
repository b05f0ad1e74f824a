/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two files of Alibaba's PAI (alibaba/clusterdata, cluster-trace-gpu-v2020; Weng et al., NSDI'22).
 *
 * pai_task_table.csv has no header line; with one it is read just so. A row is a task of a job, and
 * a job here: inst_num instances at once, each with plan_gpu % of a GPU, plan_cpu % of a core and
 * plan_mem GB (of 1,024 MiB). Its id is job_name/task_name. start_time is when the task was
 * launched. The table does not say when it was submitted, so that a run sees the load that PAI let
 * through, without its queueing. Tasks that still ran or waited are dropped, and so are those
 * without start or end. gpu_type is the type that the task was given: it insists on it. Rows are in
 * no order of time: --sort=all.
 *
 * The job files of the simulator that comes with the trace (pai_job_no_estimate_100K.csv and the
 * like): num_gpu and num_cpu are what the job takes in all, in GPUs and cores, in parts too: so the
 * simulator itself takes them, whatever num_inst says. A part of one GPU is a share; what is above
 * one and not whole is rounded up. wait_time is what the cluster's own scheduler did, the columns
 * ..._dur are estimates: not read. The simulator runs jobs of 0 s for 1 s: --zero-duration=1s.
 */
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "horus/compiler.h"
#include "traces/table.h"

/* ---- demands of instances ---- */

/* Numbers have more decimals than a record: they are kept exact, in millionths, until all instances
 * are added up. */
#define MILLION    INT64_C(1000000)
#define THOUSANDTH (MILLION / 1000)

/* The cell of a column as a number >= 0, in millionths: 50.5 is 50500000. A missing one is 0. */
static enum hs_status demand_cell(const struct hs_table *table, uint32_t index, int64_t *millionths)
{
    size_t len;
    const char *text = hs_table_cell(table, index, &len);
    *millionths = 0;
    if (hs_cell_is_missing(text, len))
        return HS_OK;
    if (!hs_parse_decimal_us(text, len, MILLION, millionths))
        return hs_table_fail(table, index, HS_CELL_NOT_A_NUMBER);
    return *millionths < 0 ? hs_table_fail(table, index, HS_CELL_NEGATIVE) : HS_OK;
}

/* instances x millionths x unit, in whole units: rounded half up, UINT32_MAX at most. */
static uint32_t demand_sum(uint32_t instances, int64_t millionths, uint32_t unit)
{
    const uint64_t one = (uint64_t)MILLION;
    hs_u128 sum = ((hs_u128)instances * (uint64_t)millionths * unit + one / 2) / one;
    return sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

/* GPUs of so many instances that each want gpu_millionths of a GPU. Up to one it is a share; above,
 * whole GPUs. What is no multiple of that (thousandths, whole GPUs) is rounded up, and the row is
 * marked as rounded. */
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
    [TYPE] = HS_COLUMN("gpu_type", "gpu_type", TEXT, false, gpu_type),
};

static const char *const outcomes[HS_OUTCOME_COUNT] = {
    [HS_OUTCOME_COMPLETED] = "Terminated",
    [HS_OUTCOME_FAILED] = "Failed",
};

#define MIB_PER_GB 1024
#define PERCENT    100

struct pai {
    struct hs_table table; /* first: see traces/format.h */
    char id[2 * HS_JOB_ID_MAX + 2];
};

static const char *const states[] = {"Terminated", "Failed", "Running", "Waiting"};

static bool is_state(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strlen(states[i]) == len && memcmp(states[i], text, len) == 0)
            return true;
    return len == 0;
}

/* Without a header: ten fields, of which the fourth is one of the four states. */
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
            is_task &= is_state(field, field_len);
        fields++;
        field = at + 1;
    }
    return fields == COLUMN_COUNT && is_task ? 85 : 0;
}

static enum hs_status read_status(struct pai *p, struct hs_trace_job *job, int *dropped)
{
    size_t len;
    const char *text = hs_table_cell(&p->table, STATUS, &len);
    for (int i = 0; i < HS_OUTCOME_COUNT; i++)
        if (outcomes[i] != NULL && strcmp(outcomes[i], text) == 0)
            job->outcome = (enum hs_outcome)i;
    if (len == 0 || job->outcome != HS_OUTCOME_UNKNOWN)
        return HS_OK;
    if (!is_state(text, len)) {
        struct hs_place place = hs_table_spot(&p->table, STATUS);
        return hs_trace_bad_row(p->table.faults, HS_FAULT_STATE, &place,
                                "Terminated, Failed, Running or Waiting", "unknown status '%s'",
                                text);
    }
    *dropped = 1 + HS_DROP_STILL_RUNNING;
    return HS_OK;
}

static enum hs_status read_times(struct pai *p, struct hs_trace_job *job, int *dropped)
{
    bool has_start, has_end = false;
    HS_TRY(hs_table_cell_time(&p->table, START, &job->submit_us, &has_start));
    if (has_start)
        HS_TRY(hs_table_cell_time(&p->table, END, &job->duration_us, &has_end));
    if (!has_start || !has_end)
        *dropped = 1 + HS_DROP_NO_TIMES;
    else
        job->duration_us -= job->submit_us;
    return HS_OK;
}

static enum hs_status read_demand(struct pai *p, struct hs_trace_job *job, int *dropped)
{
    int64_t gpu, cpu, memory;
    uint32_t instances;
    HS_TRY(hs_table_cell_count(&p->table, INSTANCES, &instances));
    HS_TRY(demand_cell(&p->table, GPU, &gpu));
    HS_TRY(demand_cell(&p->table, CPU, &cpu));
    HS_TRY(demand_cell(&p->table, MEMORY, &memory));
    job->cpus_milli = demand_sum(instances, cpu, 1000 / PERCENT);
    job->mem_mib = demand_sum(instances, memory, MIB_PER_GB);
    demand_gpus(p->table.faults, job, instances, gpu / PERCENT + (gpu % PERCENT != 0));
    if (job->gpus == 0 && p->table.skips_cpu_jobs)
        *dropped = 1 + HS_DROP_CPU_JOB;
    return HS_OK;
}

static enum hs_status next(void *state, struct hs_trace_job *job, int *dropped)
{
    struct pai *p = state;
    HS_TRY(hs_table_next(&p->table, job, dropped));
    HS_TRY(read_status(p, job, dropped));
    if (*dropped)
        return HS_OK;
    HS_TRY(read_demand(p, job, dropped));
    if (*dropped)
        return HS_OK;
    job->gpu_type = hs_cell_word(job->gpu_type);
    size_t len;
    const char *task = hs_table_cell(&p->table, TASK, &len);
    if (len > 0) {
        (void)snprintf(p->id, sizeof p->id, "%.*s/%.*s", HS_JOB_ID_MAX, job->id, HS_JOB_ID_MAX,
                       task);
        job->id = p->id;
    }
    return read_times(p, job, dropped);
}

static const char *const header[] = {"job_name", "inst_num", "plan_gpu", NULL};

const struct hs_trace_format hs_trace_format_pai = {
    .name = "pai",
    .summary = "Alibaba PAI 2020 pai_task_table.csv (NSDI'22), with or without header",
    .columns = "job_name, task_name, inst_num, status, start_time, end_time, plan_cpu, plan_mem, "
               "plan_gpu, gpu_type, in this order where the file has no header",
    .header = header,
    .certainty = 95,
    .recognise = recognise,
    .table = columns,
    .table_columns = COLUMN_COUNT,
    .is_unit_fixed = true,
    .is_header_less = true,
    .state_size = sizeof(struct pai),
    .next = next,
};

/* ---- the simulator's job files ---- */

enum {
    JOB_GPU,
    JOB_SHARE,
    JOB_ID,
    JOB_SUBMIT,
    JOB_DURATION,
    JOB_CPU,
    JOB_USER,
    JOB_TYPE,
    JOB_COLUMNS
};

static const struct hs_column job_columns[JOB_COLUMNS] = {
    [JOB_GPU] = HS_COLUMN("gpus", "num_gpu", OWN, true, gpus),
    [JOB_SHARE] = HS_COLUMN("gpu_milli", "num_gpu", OWN, true, gpu_milli),
    [JOB_ID] = HS_COLUMN("job_id", "job_id", ID, true, id),
    [JOB_SUBMIT] = HS_COLUMN("submit_time", "submit_time", TIME, true, submit_us),
    [JOB_DURATION] = HS_COLUMN("duration", "duration", SPAN, true, duration_us),
    [JOB_CPU] = HS_COLUMN("cpus", "num_cpu", OWN, true, cpus_milli),
    [JOB_USER] = HS_COLUMN("user", "user", TEXT, false, user),
    [JOB_TYPE] = HS_COLUMN("gpu_type", "gpu_type", TEXT, false, gpu_type),
};

extern const struct hs_trace_format hs_trace_format_pai_jobs;

static enum hs_status open_jobs(void *state, struct hs_input *input,
                                const struct hs_trace_options *options, struct hs_faults *faults)
{
    static const char *const numbered[JOB_COLUMNS] = {[JOB_ID] = HS_ROW_NUMBER};
    const char *head;
    size_t len;
    HS_TRY(hs_input_peek(input, &head, &len));
    return hs_table_open(state, input, options, faults, &hs_trace_format_pai_jobs,
                         hs_header_has(head, len, "job_id") ? NULL : numbered);
}

static enum hs_status next_job(void *state, struct hs_trace_job *job, int *dropped)
{
    struct hs_table *table = state;
    int64_t gpus, cpus;
    HS_TRY(hs_table_next(table, job, dropped));
    HS_TRY(demand_cell(table, JOB_GPU, &gpus));
    HS_TRY(demand_cell(table, JOB_CPU, &cpus));
    demand_gpus(table->faults, job, 1, gpus);
    job->cpus_milli = demand_sum(1, cpus, 1000);
    job->gpu_type = hs_cell_word(job->gpu_type);
    return HS_OK;
}

/* Tiresias' files have all but num_cpu. */
static const char *const job_header[] = {"num_gpu", "num_cpu", "submit_time", "duration", NULL};

const struct hs_trace_format hs_trace_format_pai_jobs = {
    .name = "pai_jobs",
    .summary = "jobs of the simulator of Alibaba PAI 2020 (pai_job_no_estimate_100K.csv)",
    .columns = "num_gpu, num_cpu, submit_time, duration; optional: job_id, user, gpu_type",
    .header = job_header,
    .certainty = 95,
    .table = job_columns,
    .table_columns = JOB_COLUMNS,
    .open = open_jobs,
    .next = next_job,
};
