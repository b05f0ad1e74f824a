/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pai_task_table.csv of Alibaba's PAI (alibaba/clusterdata, cluster-trace-gpu-v2020; Weng et al.,
 * NSDI'22). The file has no header line; with one it is read just so. A row is a task of a job, and
 * a job here: inst_num instances at once, each with plan_gpu % of a GPU, plan_cpu % of a core and
 * plan_mem GB (of 1,024 MiB). Its id is job_name/task_name.
 *
 * start_time is when the task was launched. The table does not say when it was submitted, so that a
 * run sees the load that PAI let through, without its queueing. Tasks that still ran or waited are
 * dropped, and so are those without start or end. gpu_type is the type that the task was given: it
 * insists on it. Rows are in no order of time: --sort=all.
 */
#include <stdio.h>
#include <string.h>

#include "traces/demand.h"
#include "traces/layout.h"

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
    struct hs_table table; /* first: see traces/table.h */
    char id[2 * HS_JOB_ID_MAX + 2];
};

/* ---- writing ---- */

/* GPUs that are no shares are one instance of all of them, so that what is told per instance is the
 * whole. */
static uint32_t instances_of(const struct hs_trace_job *job)
{
    return job->gpu_milli < 1000 && job->gpus > 0 ? job->gpus : 1;
}

static void put_instances(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    hs_csvw_u64(csv, instances_of(job));
}

/* "a/b" is task b of job a; an id without '/' between two names is a job whose task has none. */
static const char *task_of(const char *id)
{
    const char *slash = id[0] != '\0' ? strchr(id + 1, '/') : NULL;
    return slash != NULL && slash[1] != '\0' ? slash + 1 : NULL;
}

static void put_job(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    char name[HS_JOB_ID_MAX + 1];
    const char *task = task_of(job->id);
    size_t len = task != NULL ? (size_t)(task - job->id) - 1 : strlen(job->id);
    memcpy(name, job->id, len);
    name[len] = '\0';
    hs_csvw_text(csv, name);
}

static void put_task(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    const char *task = task_of(job->id);
    hs_csvw_text(csv, task != NULL ? task : "");
}

static void put_status(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    hs_csvw_text(csv, outcomes[job->outcome]);
}

/* Percent of a core: thousandths / 10. */
static void put_cpu(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    hs_csvw_ratio(csv, job->cpus_milli, job->cpus_milli > 0 ? 10 * instances_of(job) : 0, 6);
}

static void put_memory(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    hs_csvw_ratio(csv, job->mem_mib, job->mem_mib > 0 ? MIB_PER_GB * instances_of(job) : 0, 6);
}

static void put_gpu(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    uint64_t milli = (uint64_t)job->gpus * job->gpu_milli / instances_of(job);
    hs_csvw_ratio(csv, milli, job->gpus > 0 ? 10 : 0, 1);
}

static const struct hs_layout_cell cells[] = {
    {.name = "job_name", .put = put_job},          {.name = "task_name", .put = put_task},
    {.name = "inst_num", .put = put_instances},    {.name = "status", .put = put_status},
    {.name = "start_time", .put = hs_put_start_s}, {.name = "end_time", .put = hs_put_end_s},
    {.name = "plan_cpu", .put = put_cpu},          {.name = "plan_mem", .put = put_memory},
    {.name = "plan_gpu", .put = put_gpu},          {.name = "gpu_type"},
};

static const struct hs_trace_layout layout = {
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .cells = cells,
    .cell_count = sizeof cells / sizeof *cells,
    .has_no_header = true,
    .outcomes = outcomes,
};

/* ---- reading ---- */

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
    if (hs_header_has(head, len, "job_name") && hs_header_has(head, len, "inst_num") &&
        hs_header_has(head, len, "plan_gpu"))
        return 95;
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

static enum hs_status open_pai(void *state, struct hs_input *input,
                               const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct pai *p = state;
    struct hs_trace_options own = *options;
    own.time_unit_us = HS_TRACE_TIME_UNIT_US; /* the format is in seconds by definition */
    return hs_table_open_bare(&p->table, input, &own, faults, columns, COLUMN_COUNT);
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
        struct hs_place place = hs_csv_place(p->table.csv, p->table.field_of[STATUS]);
        return hs_trace_bad_row(p->table.faults, HS_FAULT_STATE, &place,
                                "Terminated, Failed, Running or Waiting", "unknown status '%s'",
                                text);
    }
    *dropped = 1 + HS_DROP_STILL_RUNNING;
    return HS_OK;
}

static enum hs_status read_id(struct pai *p, struct hs_trace_job *job)
{
    size_t len;
    const char *task = hs_table_cell(&p->table, TASK, &len);
    if (len == 0)
        return HS_OK;
    (void)snprintf(p->id, sizeof p->id, "%.*s/%.*s", HS_JOB_ID_MAX, job->id, HS_JOB_ID_MAX, task);
    job->id = p->id;
    return HS_OK;
}

static enum hs_status read_times(struct pai *p, struct hs_trace_job *job, int *dropped)
{
    int64_t *const out[] = {[START] = &job->submit_us, [END] = &job->duration_us};
    for (uint32_t i = START; i <= END; i++) {
        size_t len;
        const char *text = hs_table_cell(&p->table, i, &len);
        if (hs_cell_is_missing(text, len)) {
            *dropped = 1 + HS_DROP_NO_TIMES;
            return HS_OK;
        }
        enum hs_cell_result result =
            hs_cell_time(text, len, HS_TRACE_TIME_UNIT_US, &p->table.day, out[i]);
        if (result != HS_CELL_OK)
            return hs_table_fail(&p->table, i, result);
    }
    job->duration_us -= job->submit_us;
    return HS_OK;
}

static enum hs_status read_demand(struct pai *p, struct hs_trace_job *job, int *dropped)
{
    int64_t gpu, cpu, memory;
    uint32_t instances;
    size_t len;
    const char *text = hs_table_cell(&p->table, INSTANCES, &len);
    enum hs_cell_result result = hs_cell_count(text, len, &instances);
    if (result != HS_CELL_OK)
        return hs_table_fail(&p->table, INSTANCES, result);
    HS_TRY(hs_demand_cell(&p->table, GPU, &gpu));
    HS_TRY(hs_demand_cell(&p->table, CPU, &cpu));
    HS_TRY(hs_demand_cell(&p->table, MEMORY, &memory));
    job->cpus_milli = hs_demand_sum(instances, cpu, 1000 / PERCENT);
    job->mem_mib = hs_demand_sum(instances, memory, MIB_PER_GB);
    hs_demand_gpus(p->table.faults, job, instances, gpu / PERCENT + (gpu % PERCENT != 0));
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
    job->gpu_type = hs_demand_type(job->gpu_type);
    HS_TRY(read_id(p, job));
    return read_times(p, job, dropped);
}

const struct hs_trace_format hs_trace_format_pai = {
    .name = "pai",
    .summary = "Alibaba PAI 2020 pai_task_table.csv (NSDI'22), with or without header",
    .columns = "job_name, task_name, inst_num, status, start_time, end_time, plan_cpu, plan_mem, "
               "plan_gpu, gpu_type, in this order where the file has no header",
    .layout = &layout,
    .recognise = recognise,
    .state_size = sizeof(struct pai),
    .open = open_pai,
    .next = next,
    .place = hs_table_format_place,
    .close = hs_table_format_close,
};
