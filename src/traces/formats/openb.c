/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * openb, the pods of Alibaba's cluster of 2023 (alibaba/clusterdata, cluster-trace-gpu-v2023; Weng
 * et al., ATC'23). gpu_milli is of each of num_gpu GPUs; gpu_spec names the types that will do,
 * joined by
 * '|'; a pod of 0 GPUs is a CPU job. A pod is submitted at its creation and runs from its
 * scheduling to its deletion, also one of phase Running: that is only how it was seen once.
 *
 * A pod that was never scheduled (phase Pending) has no run time. --openb-pending=run gives it the
 * time for which it existed, so that all that was asked for is there.
 *
 * Lists with the first five columns only have no times. Their pods come a second apart, in the
 * order of the rows, and stay so long that none leaves before the last has come: what fills a
 * cluster up.
 */
#include <string.h>

#include "traces/write.h"

#define TIMELESS_RUN_US (INT64_C(1000000) * HS_TRACE_TIME_UNIT_US)

enum {
    GPUS,
    NAME,
    CPU,
    MEMORY,
    MILLI,
    SPEC,
    QOS,
    PHASE,
    CREATED,
    DELETED,
    SCHEDULED,
    COLUMN_COUNT
};

static const struct hs_column columns[COLUMN_COUNT] = {
    [GPUS] = HS_COLUMN("gpus", "num_gpu", COUNT, true, gpus),
    [NAME] = HS_COLUMN("job_id", "name", ID, true, id),
    [CPU] = HS_COLUMN("cpus", "cpu_milli", COUNT, true, cpus_milli),
    [MEMORY] = HS_COLUMN("mem_mib", "memory_mib", MIB, true, mem_mib),
    [MILLI] = HS_COLUMN("gpu_milli", "gpu_milli", COUNT, true, gpu_milli),
    [SPEC] = HS_COLUMN("gpu_type", "gpu_spec", TEXT, false, gpu_type),
    [QOS] = HS_COLUMN("class", "qos", OWN, false, job_class),
    [PHASE] = HS_COLUMN("status", "pod_phase", OWN, false, outcome),
    [CREATED] = HS_COLUMN("submit_time", "creation_time", OWN, false, submit_us),
    [DELETED] = HS_COLUMN("duration", "deletion_time", OWN, false, duration_us),
    [SCHEDULED] = HS_COLUMN("duration", "scheduled_time", OWN, false, duration_us),
};

struct openb {
    struct hs_table table; /* first: see traces/format.h */
    bool is_timeless;
    bool runs_pending;
};

static const char pending[] = "Pending";
static const char *const phases[HS_OUTCOME_COUNT] = {
    [HS_OUTCOME_UNKNOWN] = "Running",
    [HS_OUTCOME_COMPLETED] = "Succeeded",
    [HS_OUTCOME_FAILED] = "Failed",
};

/* Latency-sensitive pods and those that Kubernetes guarantees their resources; best effort. */
static const struct {
    const char *word;
    enum hs_job_class job_class;
} qualities[] = {
    {"LS", HS_JOB_CLASS_GUARANTEED},
    {"Guaranteed", HS_JOB_CLASS_GUARANTEED},
    {"BE", HS_JOB_CLASS_OPPORTUNISTIC},
    {"Burstable", HS_JOB_CLASS_AUTO},
};

#define QUALITY_COUNT (sizeof qualities / sizeof *qualities)

extern const struct hs_trace_format hs_trace_format_openb;

static enum hs_status open_openb(void *state, struct hs_input *input,
                                 const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct openb *o = state;
    HS_TRY(hs_table_open(&o->table, input, options, faults, &hs_trace_format_openb, NULL));
    o->runs_pending = options->openb_pending == HS_OPENB_PENDING_RUN;
    uint32_t times = 0;
    for (uint32_t i = CREATED; i <= SCHEDULED; i++)
        times += o->table.field_of[i] != UINT32_MAX;
    struct hs_place place = hs_csv_place(o->table.csv, 0);
    o->is_timeless = times == 0;
    if (o->is_timeless)
        hs_report(faults->diag, HS_WARNING, &place, NULL,
                  "the list has no times: pods come a second apart, in its order, and run for "
                  "1,000,000 s");
    else if (times < 3)
        return hs_fail(faults->diag, HS_E_INPUT, &place,
                       "creation_time, deletion_time and scheduled_time, or none of them",
                       "a column of times is missing");
    return HS_OK;
}

static enum hs_status fail_state(const struct openb *o, uint32_t index, const char *hint,
                                 const char *what)
{
    size_t len;
    struct hs_place place = hs_table_spot(&o->table, index);
    return hs_trace_bad_row(o->table.faults, HS_FAULT_STATE, &place, hint, "unknown %s '%s'", what,
                            hs_table_cell(&o->table, index, &len));
}

/* A pod that was waiting to the end did not run to one. */
static enum hs_status read_phase(const struct openb *o, struct hs_trace_job *job)
{
    size_t len;
    const char *text = hs_table_cell(&o->table, PHASE, &len);
    if (len == 0)
        return HS_OK;
    for (int i = 0; i < HS_OUTCOME_COUNT; i++)
        if (phases[i] != NULL && strcmp(phases[i], text) == 0) {
            job->outcome = (enum hs_outcome)i;
            return HS_OK;
        }
    if (strcmp(text, pending) != 0)
        return fail_state(o, PHASE, "Running, Succeeded, Failed or Pending", "pod_phase");
    job->outcome = HS_OUTCOME_CANCELLED;
    return HS_OK;
}

static enum hs_status read_qos(const struct openb *o, struct hs_trace_job *job)
{
    size_t len;
    const char *text = hs_table_cell(&o->table, QOS, &len);
    for (size_t i = 0; i < QUALITY_COUNT; i++)
        if (strcmp(qualities[i].word, text) == 0) {
            job->job_class = qualities[i].job_class;
            return HS_OK;
        }
    return len == 0 ? HS_OK : fail_state(o, QOS, "LS, BE, Guaranteed or Burstable", "qos");
}

static enum hs_status read_times(struct openb *o, struct hs_trace_job *job, int *dropped)
{
    bool is_created, is_deleted, is_scheduled;
    int64_t start_us = 0, end_us = 0;
    HS_TRY(hs_table_cell_time(&o->table, CREATED, &job->submit_us, &is_created));
    HS_TRY(hs_table_cell_time(&o->table, DELETED, &end_us, &is_deleted));
    HS_TRY(hs_table_cell_time(&o->table, SCHEDULED, &start_us, &is_scheduled));
    if (!is_created || !is_deleted)
        *dropped = 1 + HS_DROP_NO_TIMES;
    else if (!is_scheduled && !o->runs_pending)
        *dropped = 1 + HS_DROP_NEVER_STARTED;
    job->duration_us = end_us - (is_scheduled ? start_us : job->submit_us);
    return HS_OK;
}

static enum hs_status next(void *state, struct hs_trace_job *job, int *dropped)
{
    struct openb *o = state;
    HS_TRY(hs_table_next(&o->table, job, dropped));
    if (*dropped)
        return HS_OK;
    if (job->gpus > 0 && (job->gpu_milli == 0 || job->gpu_milli > 1000))
        return hs_table_fail(&o->table, MILLI, HS_CELL_NOT_A_SHARE);
    job->gpu_type = hs_cell_word(job->gpu_type);
    HS_TRY(read_phase(o, job));
    HS_TRY(read_qos(o, job));
    if (!o->is_timeless)
        return read_times(o, job, dropped);
    job->submit_us = (int64_t)o->table.row_number * HS_TRACE_TIME_UNIT_US;
    job->duration_us = TIMELESS_RUN_US;
    return HS_OK;
}

static const char *const header[] = {"num_gpu",    "name",      "cpu_milli",
                                     "memory_mib", "gpu_milli", NULL};

const struct hs_trace_format hs_trace_format_openb = {
    .name = "openb",
    .summary = "pods of Alibaba's cluster of 2023, openb_pod_list_*.csv (ATC'23)",
    .columns = "name, cpu_milli, memory_mib, num_gpu, gpu_milli; creation_time, deletion_time and "
               "scheduled_time, or none of them; optional: gpu_spec, qos, pod_phase",
    .header = header,
    .certainty = 95,
    .table = columns,
    .table_columns = COLUMN_COUNT,
    .is_unit_fixed = true,
    .state_size = sizeof(struct openb),
    .open = open_openb,
    .next = next,
};
