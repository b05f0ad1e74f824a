/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The schedule in the Standard Workload Format, version 2.2, of the Parallel Workloads Archive
 * (Chapin et al., JSSPP 1999; D. Feitelson, "The Standard Workload Format",
 * www.cs.huji.ac.il/labs/parallel/workload/swf.html): a line a job in order of submission, 18
 * numbers, -1 for what is not known. A processor is a GPU.
 *
 * Jobs end in another order than they come: the numbers of one wait in a file, in its place.
 * Memory O(users + virtual clusters).
 *
 * Instants are rounded to the nearest second, and the times between them are differences of rounded
 * instants: submission + wait + run is the rounded end, and at no second do jobs hold more GPUs
 * than they did at some moment (rounding keeps the order of instants).
 */
#include <inttypes.h>
#include <string.h>

#include "base/fixed.h"
#include "base/intern.h"
#include "base/io.h"
#include "report/run/observers.h"
#include "report/run/temp_records.h"

#define NO_JOB UINT64_MAX
/* By the definition of the format: an unknown field, and the values of field 11. */
#define UNKNOWN         (-1)
#define STATUS_FAILED   0
#define STATUS_DONE     1
#define STATUS_CANCELED 5

struct swf_file {
    struct hs_row_file file;
    struct hs_temp_records records; /* the fields of each job */
    struct hs_intern users, vcs;    /* numbered in order of submission */
    uint64_t gpus_of;               /* index of the job of the last segment, and its GPUs */
    uint32_t gpu_count;
};

/* Fields of a line, in order; those between are not known. */
enum {
    JOB_NUMBER,
    SUBMIT_TIME,
    WAIT_TIME,
    RUN_TIME,
    ALLOCATED_PROCESSORS,
    REQUESTED_PROCESSORS = 7,
    STATUS = 10,
    USER,
    GROUP,
    QUEUE = 14,
    PARTITION,
    FIELDS = 18
};

static int64_t rounded(int64_t us)
{
    return (us + HS_US_PER_S / 2) / HS_US_PER_S;
}

/* Of a job that did its work the outcome in the trace counts; a trace may state none. */
static int64_t status_of(const struct hs_job_record *job)
{
    if (job->state == HS_JOB_FAILED)
        return STATUS_FAILED;
    if (job->state == HS_JOB_REJECTED)
        return STATUS_CANCELED;
    if (job->state != HS_JOB_DONE)
        return UNKNOWN;
    if (job->outcome == HS_OUTCOME_FAILED)
        return STATUS_FAILED;
    return job->outcome == HS_OUTCOME_CANCELLED ? STATUS_CANCELED : STATUS_DONE;
}

static int64_t partition_of(const struct hs_cluster *cluster, const char *gpu_type)
{
    for (uint32_t i = 0; i < cluster->type_count; i++)
        if (strcmp(cluster->types[i].name, gpu_type) == 0)
            return i + 1;
    return UNKNOWN;
}

/* From 1 on; a name that is empty is not known. */
static int64_t number_of(struct hs_intern *names, const char *name)
{
    const uint32_t number = hs_intern_get(names, name);
    return number > 0 ? (int64_t)number : UNKNOWN;
}

static enum hs_status on_submit(void *ctx, int64_t now_us, const struct hs_submission *job)
{
    struct swf_file *s = ctx;
    (void)now_us;
    (void)hs_intern_get(&s->users, job->user);
    (void)hs_intern_get(&s->vcs, job->vc);
    return HS_OK;
}

static enum hs_status on_segment(void *ctx, const struct hs_segment *segment)
{
    struct swf_file *s = ctx;
    s->gpus_of = segment->job->index;
    s->gpu_count = segment->gpu_count;
    return HS_OK;
}

/* A job's end follows its last segment directly. */
static enum hs_status on_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct swf_file *s = ctx;
    const struct hs_report *r = s->file.report;
    const int64_t submit_s = rounded(job->submit_us), start_s = rounded(job->first_start_us);
    int64_t field[FIELDS];
    (void)now_us;
    for (int i = 0; i < FIELDS; i++)
        field[i] = UNKNOWN;
    field[JOB_NUMBER] = (int64_t)job->index + 1;
    field[SUBMIT_TIME] = submit_s;
    if (job->first_start_us >= 0)
        field[WAIT_TIME] = start_s - submit_s;
    if (job->first_start_us >= 0 && job->finish_us >= 0)
        field[RUN_TIME] = rounded(job->finish_us) - start_s;
    if (s->gpus_of == job->index)
        field[ALLOCATED_PROCESSORS] = s->gpu_count;
    field[REQUESTED_PROCESSORS] = job->gpus;
    field[STATUS] = status_of(job);
    field[USER] = number_of(&s->users, job->user);
    field[GROUP] = field[QUEUE] = number_of(&s->vcs, job->vc);
    field[PARTITION] = partition_of(r->options.cluster, job->gpu_type);
    return hs_temp_records_put_at(&s->records, job->index, field, r->diag);
}

/* A name of a user: it must not end the comment line. */
static void put_name(struct hs_output *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        hs_output_put(out, (unsigned char)*c < 0x20 ? "?" : c, 1);
    hs_output_put(out, "\n", 1);
}

static void put_header(const struct swf_file *s, struct hs_output *out)
{
    const struct hs_report_options *options = &s->file.report->options;
    const struct hs_cluster *cluster = options->cluster;
    uint32_t queues = s->vcs.count - 1; /* without the empty name */
    hs_say(out, "; Computer: GPUs of a simulated cluster\n");
    hs_say(out, "; Conversion: horus, a simulator; the workload is ");
    put_name(out, options->workload_name);
    hs_say(out, "; MaxJobs: %" PRIu64 "\n; MaxRecords: %" PRIu64 "\n", s->records.count,
           s->records.count);
    hs_say(out, "; Preemption: %s\n", options->is_preemptive ? "TS" : "No");
    hs_say(out, "; MaxNodes: %" PRIu32 "\n; MaxProcs: %" PRIu32 "\n", cluster->node_count,
           cluster->gpu_count);
    if (queues > 0)
        hs_say(out, "; MaxQueues: %" PRIu32 "\n; Queues: virtual clusters, which are groups too\n",
               queues);
    for (uint32_t i = 1; i <= queues; i++) {
        hs_say(out, "; Queue: %" PRIu32 " ", i);
        put_name(out, hs_intern_text(&s->vcs, i));
    }
    hs_say(out, "; MaxPartitions: %" PRIu32 "\n; Partitions: GPU types\n", cluster->type_count);
    for (uint32_t i = 0; i < cluster->type_count; i++) {
        hs_say(out, "; Partition: %" PRIu32 " ", i + 1);
        put_name(out, cluster->types[i].name);
    }
    hs_say(out, "; Note: a processor is a GPU; allocated are those of the last placement\n");
    hs_say(out, "; Note: run time is from first start to end, whatever came between\n");
    hs_say(out, "; Note: times are differences of instants rounded to the second\n");
}

static enum hs_status swf_finish(void *state, int64_t end_us)
{
    struct swf_file *s = state;
    struct hs_output *out = &s->file.csv.out;
    struct hs_diag *diag = s->file.report->diag;
    void *block;
    uint32_t count;
    enum hs_status status;
    (void)end_us;
    put_header(s, out);
    HS_TRY(hs_temp_records_rewind(&s->records, diag));
    while ((status = hs_temp_records_next(&s->records, &block, &count, diag)) == HS_OK) {
        const int64_t(*field)[FIELDS] = block;
        for (uint32_t i = 0; i < count; i++) {
            for (int f = 0; f < FIELDS; f++)
                hs_say(out, f > 0 ? " %" PRId64 : "%" PRId64, field[i][f]);
            hs_output_put(out, "\n", 1);
        }
    }
    s->file.csv.rows = s->records.count;
    return status == HS_END ? HS_OK : status;
}

static void swf_open(void *state)
{
    struct swf_file *s = state;
    s->gpus_of = NO_JOB;
    hs_temp_records_open(&s->records, FIELDS * sizeof(int64_t),
                         s->file.report->options.dir->tmp_path);
    hs_intern_init(&s->users);
    hs_intern_init(&s->vcs);
}

static void swf_free(void *state)
{
    struct swf_file *s = state;
    hs_temp_records_close(&s->records);
    hs_intern_free(&s->users);
    hs_intern_free(&s->vcs);
}

const struct hs_row_format hs_swf_file = {
    .output = HS_OUT_SWF,
    .name = "jobs.swf",
    .header = "; Version: 2.2",
    .state_size = sizeof(struct swf_file),
    .observer = {.on_submit = on_submit, .on_segment = on_segment, .on_finish = on_finish},
    .open = swf_open,
    .finish = swf_finish,
    .free = swf_free};
