/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slurm's accounting: the output of `sacct --parsable2 --format=JobID,User,Partition,State,Submit,
 * Start,End,ReqTRES,AllocTRES` (sacct(1)), separated by '|' or any other delimiter. The run time is
 * ElapsedRaw, else Elapsed ([days-]hours:minutes:seconds), else End - Start. The number of GPUs is
 * from AllocTRES, else ReqTRES: "gres/gpu=2", or, if types are accounted, "gres/gpu:a100=2". The
 * type in ReqTRES is required by the job, that in AllocTRES the one it ran on.
 *
 * Rows of job steps (JobID with a '.') and of runs that were requeued are dropped, as are jobs that
 * have not ended or ended before they started: without a start, or, in logs of older versions, with
 * a run time of 0 and nothing allocated. So are those that held a shard of a GPU (gres/shard,
 * gres/mps): how large it was, the accounting does not tell. The partition is the virtual cluster;
 * without partitions, the account is.
 */
#include <stdio.h>
#include <string.h>

#include "traces/format.h"

enum { STATE, SUBMIT = 2, START, END, ELAPSED, SECONDS, ALLOCATED, REQUESTED };

static const struct hs_column columns[] = {
    [STATE] = HS_COLUMN("status", "State", OWN, true, outcome),
    HS_COLUMN("job_id", "JobID", ID, true, id),
    [SUBMIT] = HS_COLUMN("submit_time", "Submit", OWN, true, submit_us),
    [START] = HS_COLUMN("duration", "Start", OWN, false, duration_us),
    [END] = HS_COLUMN("duration", "End", OWN, false, duration_us),
    [ELAPSED] = HS_COLUMN("duration", "Elapsed", OWN, false, duration_us),
    [SECONDS] = HS_COLUMN("duration", "ElapsedRaw", OWN, false, duration_us),
    [ALLOCATED] = HS_COLUMN("gpus", "AllocTRES", OWN, false, gpus),
    [REQUESTED] = HS_COLUMN("gpus", "ReqTRES", OWN, false, gpus),
    HS_COLUMN("user", "User", TEXT, false, user),
    HS_COLUMN("vc", "Account", TEXT, false, vc),
    HS_COLUMN("vc", "Partition", TEXT, false, vc), /* takes precedence over the account */
};

/* The states of sacct(1); PREEMPTED is final: the scheduler cancelled the job. */
static const struct hs_words states = {
    .what = "state",
    .hint = "a state of sacct(1), such as COMPLETED or CANCELLED by 1000",
    .fault = HS_FAULT_STATE,
    .of = {{"COMPLETED", HS_OUTCOME_COMPLETED},
           {"CANCELLED", HS_OUTCOME_CANCELLED},
           {"PREEMPTED", HS_OUTCOME_CANCELLED},
           {"REVOKED", HS_OUTCOME_CANCELLED},
           {"FAILED", HS_OUTCOME_FAILED},
           {"TIMEOUT", HS_OUTCOME_FAILED},
           {"DEADLINE", HS_OUTCOME_FAILED},
           {"NODE_FAIL", HS_OUTCOME_FAILED},
           {"BOOT_FAIL", HS_OUTCOME_FAILED},
           {"OUT_OF_MEMORY", HS_OUTCOME_FAILED},
           {"PENDING", HS_WORD_DROPS(NEVER_STARTED)},
           {"REQUEUED", HS_WORD_DROPS(PARTIAL)}, /* by sacct --duplicates, beside the last run */
           {"RESIZING", HS_WORD_DROPS(PARTIAL)},
           {"RUNNING", HS_WORD_DROPS(STILL_RUNNING)},
           {"SUSPENDED", HS_WORD_DROPS(STILL_RUNNING)}},
};

#define TYPE_MAX  64
#define SECOND_US HS_TRACE_TIME_UNIT_US

struct slurm {
    struct hs_table table; /* first: see traces/format.h */
    char required[TYPE_MAX], ran[TYPE_MAX];
};

/* The keys in a list of resources; "gres/gpu:TYPE" first. */
enum tres_key { GPU_TYPE, GPUS, CPUS, NODES, MEM, SHARD, MPS, OTHER };

/* The resources of one cell. */
struct tres {
    uint32_t amount[OTHER]; /* memory in MiB */
    uint32_t types;         /* number of GPU types */
    const char *type;       /* the last of them */
    uint32_t type_length;   /* its length in the cell */
};

static enum hs_status open(void *state, struct hs_input *input,
                           const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct hs_table *table = state;
    HS_TRY(hs_table_open(table, input, options, faults, NULL));
    const uint32_t *field = table->field_of;
    bool has_time = field[SECONDS] != UINT32_MAX || field[ELAPSED] != UINT32_MAX ||
                    (field[START] != UINT32_MAX && field[END] != UINT32_MAX);
    bool has_gpus = field[ALLOCATED] != UINT32_MAX || field[REQUESTED] != UINT32_MAX;
    if (has_time && has_gpus)
        return HS_OK;
    return hs_fail(faults->diag, HS_E_INPUT, HS_AT(hs_csv_place(table->csv, 0)), hs_trace_sacct,
                   "no column %s",
                   has_time ? "AllocTRES or ReqTRES: the GPUs of a job"
                            : "ElapsedRaw or Elapsed, nor both Start and End");
}

/* Parses "4", "64G", "500M", "1.50T" (mem= only; K is rounded up to a MiB). */
static bool read_amount(const char *text, size_t len, int64_t *out)
{
    static const char units[] = "KMGT";
    const char *unit = len > 0 ? strchr(units, text[len - 1]) : NULL;
    int64_t kib_per_unit = 1;
    for (const char *u = units; unit != NULL && u < unit; u++)
        kib_per_unit *= 1024;
    if (unit == NULL)
        return hs_parse_int64(text, len, out) && *out >= 0;
    if (!hs_parse_decimal_us(text, len - 1, kib_per_unit, out) || *out < 0)
        return false;
    *out = *out / 1024 + (*out % 1024 != 0);
    return true;
}

static enum tres_key key_of(const char *key, size_t len)
{
    static const char *const keys[] = {
        [GPU_TYPE] = "gres/gpu:", [GPUS] = "gres/gpu", [CPUS] = "cpu",
        [NODES] = "node",         [MEM] = "mem",       [SHARD] = "gres/shard",
        [MPS] = "gres/mps"};
    enum tres_key k = GPU_TYPE;
    if (len > strlen(keys[GPU_TYPE]) && memcmp(key, keys[GPU_TYPE], strlen(keys[GPU_TYPE])) == 0)
        return GPU_TYPE;
    while (++k < OTHER && (len != strlen(keys[k]) || memcmp(key, keys[k], len) != 0))
        ;
    return k;
}

/* Adds "KEY=AMOUNT" to the resources; ignores other keys (billing, gres/gpumem). */
static bool add_tres(struct tres *t, const char *item, size_t len)
{
    const char *equals = memchr(item, '=', len);
    const size_t key_len = equals != NULL ? (size_t)(equals - item) : 0;
    const enum tres_key key = key_of(item, key_len);
    int64_t amount;
    if (key == OTHER)
        return key_len > 0;
    if (!read_amount(equals + 1, len - key_len - 1, &amount) || amount > UINT32_MAX / 1000)
        return false;
    t->amount[key] += (uint32_t)amount;
    if (key == GPU_TYPE) {
        t->types++;
        t->type = item + strlen("gres/gpu:");
        t->type_length = (uint32_t)(key_len - strlen("gres/gpu:"));
    }
    return true;
}

static enum hs_status read_tres(const struct hs_table *table, uint32_t index, struct tres *t)
{
    *t = (struct tres){0};
    for (const char *at = hs_table_cell(table, index); *at != '\0';) {
        const size_t len = strcspn(at, ",");
        if (!add_tres(t, at, len))
            return hs_trace_bad_row(table->faults, HS_FAULT_NUMBER, hs_table_spot(table, index),
                                    "cpu=16,gres/gpu:a100=2,mem=64G,node=1",
                                    "'%.*s' is no amount of a resource",
                                    (int)(len < TYPE_MAX ? len : TYPE_MAX), at);
        at += len + (at[len] == ',');
    }
    if (t->amount[GPUS] < t->amount[GPU_TYPE])
        t->amount[GPUS] = t->amount[GPU_TYPE];
    return HS_OK;
}

/* Returns the type of the GPUs if there is exactly one, or NULL. */
static const char *type_of(const struct tres *t, char text[TYPE_MAX])
{
    if (t->types != 1 || t->type_length >= TYPE_MAX)
        return NULL;
    memcpy(text, t->type, t->type_length);
    text[t->type_length] = '\0';
    return text;
}

/* Tells whether the cell is empty, "None" or "Unknown". */
static bool is_unknown(const struct hs_table *table, uint32_t index)
{
    const char *text = hs_table_cell(table, index);
    return hs_cell_is_missing(text) || strcmp(text, "Unknown") == 0;
}

static enum hs_status read_when(struct hs_table *table, uint32_t index, int64_t *us, bool *is_there)
{
    return is_unknown(table, index) ? HS_OK : hs_table_cell_time(table, index, us, is_there);
}

static bool lacks(const struct hs_table *table, uint32_t index)
{
    return table->field_of[index] != UINT32_MAX && is_unknown(table, index);
}

static enum hs_status drop(int *dropped, enum hs_drop kind)
{
    *dropped = 1 + (int)kind;
    return HS_OK;
}

static enum hs_status read_run_time(struct hs_table *table, struct hs_trace_job *job, int *dropped)
{
    int64_t start_us = 0, end_us = 0;
    bool has_start = false, has_end = false;
    HS_TRY(read_when(table, START, &start_us, &has_start));
    HS_TRY(read_when(table, END, &end_us, &has_end));
    job->start_us = has_start ? start_us : -1;
    job->end_us = has_end ? end_us : -1;
    if (!hs_cell_is_missing(hs_table_cell(table, SECONDS)))
        return hs_table_cell_span(table, SECONDS, &job->duration_us);
    const char *elapsed = hs_table_cell(table, ELAPSED);
    if (!hs_cell_is_missing(elapsed))
        return hs_cell_clock(elapsed, &job->duration_us)
                   ? HS_OK
                   : hs_trace_bad_row(table->faults, HS_FAULT_TIME, hs_table_spot(table, ELAPSED),
                                      "[days-]hours:minutes:seconds",
                                      "Elapsed is no length of time");
    if (!has_start || !has_end)
        *dropped = 1 + HS_DROP_NO_TIMES;
    else if (end_us < start_us)
        return hs_trace_bad_row(table->faults, HS_FAULT_RANGE, hs_table_spot(table, END),
                                "where clocks are set back in autumn, TZ=UTC sacct ... prints "
                                "times of one clock",
                                "End is before Start");
    job->duration_us = end_us - start_us;
    return HS_OK;
}

/* Reads what the job held, else what it wanted; *is_shard: a part of a GPU. */
static enum hs_status read_demand(struct slurm *s, struct hs_trace_job *job, bool *is_shard)
{
    struct tres requested, allocated;
    HS_TRY(read_tres(&s->table, REQUESTED, &requested));
    HS_TRY(read_tres(&s->table, ALLOCATED, &allocated));
    const bool is_held = allocated.amount[CPUS] > 0 || allocated.amount[GPUS] > 0;
    const uint32_t *held = is_held ? allocated.amount : requested.amount;
    job->gpus = held[GPUS];
    job->cpus_milli = held[CPUS] * 1000;
    job->mem_mib = held[MEM];
    job->nodes = held[NODES] <= held[GPUS] ? held[NODES] : 0;
    job->gpu_type = type_of(&requested, s->required);
    job->gpu_type_ran = type_of(&allocated, s->ran);
    *is_shard = job->gpus == 0 && held[SHARD] + held[MPS] > 0;
    return HS_OK;
}

static enum hs_status next(void *state, struct hs_trace_job *job, int *dropped)
{
    struct slurm *s = state;
    struct hs_table *table = &s->table;
    bool is_shard, is_submitted = false;
    HS_TRY(hs_table_next(table, job, dropped));
    if (strchr(job->id, '.') != NULL)
        return drop(dropped, HS_DROP_PARTIAL);
    const char *word = hs_table_cell(table, STATE);
    const int value = hs_trace_word(&states, word, strcspn(word, " ")); /* "CANCELLED by 1000" */
    if (value == HS_NO_WORD)
        return hs_trace_bad_row(table->faults, states.fault, hs_table_spot(table, STATE),
                                states.hint, "unknown state '%.64s'", word);
    *dropped = value < 0 ? -value : 0;
    if (value < 0)
        return HS_OK;
    if (lacks(table, START))
        return drop(dropped, HS_DROP_NEVER_STARTED);
    job->outcome = (enum hs_outcome)value;
    HS_TRY(read_demand(s, job, &is_shard));
    if (is_shard)
        return drop(dropped, HS_DROP_SHARD);
    if (job->gpus == 0 && table->skips_cpu_jobs)
        return drop(dropped, HS_DROP_CPU_JOB);
    HS_TRY(read_when(table, SUBMIT, &job->submit_us, &is_submitted));
    if (!is_submitted)
        return drop(dropped, HS_DROP_NO_TIMES);
    HS_TRY(read_run_time(table, job, dropped));
    if (*dropped == 0 && job->duration_us == 0 && lacks(table, ALLOCATED))
        return drop(dropped, HS_DROP_NEVER_STARTED);
    return HS_OK;
}

const struct hs_trace_format hs_trace_format_slurm = {
    .name = "slurm",
    .summary = "Slurm's accounting, as sacct --parsable2 prints it",
    .columns = "JobID, State, Submit; ElapsedRaw, Elapsed, or Start and End; AllocTRES or ReqTRES; "
               "optional: User, Partition, Account",
    .header = "JobID,State,Submit",
    .certainty = 92,
    HS_TABLE(columns),
    .is_unit_fixed = true,
    .state_size = sizeof(struct slurm),
    .open = open,
    .next = next,
};
