/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Instants are rounded to the nearest second, and the times between them are differences of rounded
 * instants: submission + wait + run is the rounded end, and at no second do jobs hold more GPUs
 * than they did at some moment (rounding keeps the order of instants).
 */
#include "report/run/observers.h"

#include <inttypes.h>
#include <string.h>

#include "base/fixed.h"
#include "base/io.h"

#define NO_JOB UINT64_MAX
/* By the definition of the format: an unknown field, and the values of field 11. */
#define UNKNOWN         (-1)
#define STATUS_FAILED   0
#define STATUS_DONE     1
#define STATUS_CANCELED 5

/* The fields of a line that are known. */
struct record {
    int64_t submit_s, wait_s, run_s;
    int64_t held, wanted; /* GPUs */
    int32_t status, partition;
    uint32_t user, vc; /* 0 = none */
};

static int64_t rounded(int64_t us)
{
    return (us + HS_US_PER_S / 2) / HS_US_PER_S;
}

/* Of a job that did its work the outcome in the trace counts; a trace may state none. */
static int32_t status_of(const struct hs_job_record *job)
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

static int32_t partition_of(const struct hs_cluster *cluster, const char *gpu_type)
{
    for (uint32_t i = 0; i < cluster->type_count; i++)
        if (strcmp(cluster->types[i].name, gpu_type) == 0)
            return (int32_t)i + 1;
    return UNKNOWN;
}

static enum hs_status on_submit(void *ctx, int64_t now_us, const struct hs_submission *job)
{
    struct hs_swf *s = ctx;
    (void)now_us;
    (void)hs_intern_get(&s->users, job->user);
    (void)hs_intern_get(&s->vcs, job->vc);
    return HS_OK;
}

static enum hs_status on_segment(void *ctx, const struct hs_segment *segment)
{
    struct hs_swf *s = ctx;
    s->gpus_of = segment->job->index;
    s->gpu_count = segment->gpu_count;
    return HS_OK;
}

/* A job's end follows its last segment directly. */
static enum hs_status on_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_swf *s = ctx;
    bool has_started = job->first_start_us >= 0, has_ended = job->finish_us >= 0;
    int64_t submit_s = rounded(job->submit_us), start_s = rounded(job->first_start_us);
    struct record record = {.submit_s = submit_s,
                            .wait_s = has_started ? start_s - submit_s : UNKNOWN,
                            .run_s = has_started && has_ended ? rounded(job->finish_us) - start_s
                                                              : UNKNOWN,
                            .held = s->gpus_of == job->index ? (int64_t)s->gpu_count : UNKNOWN,
                            .wanted = job->gpus,
                            .status = status_of(job),
                            .partition = partition_of(s->options->cluster, job->gpu_type),
                            .user = hs_intern_get(&s->users, job->user),
                            .vc = hs_intern_get(&s->vcs, job->vc)};
    (void)now_us;
    return hs_temp_records_put_at(&s->records, job->index, &record, s->diag);
}

/* A name of a user: it must not end the comment line. */
static void put_name(struct hs_output *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        hs_output_put(out, (unsigned char)*c < 0x20 ? "?" : c, 1);
    hs_output_put(out, "\n", 1);
}

static void put_header(const struct hs_swf *s, struct hs_output *out)
{
    const struct hs_cluster *cluster = s->options->cluster;
    uint32_t queues = s->vcs.count - 1; /* without the empty name */
    hs_say(out, "; Version: 2.2\n; Computer: GPUs of a simulated cluster\n");
    hs_say(out, "; Conversion: horus, a simulator; the workload is ");
    put_name(out, s->options->workload_name);
    hs_say(out, "; MaxJobs: %" PRIu64 "\n; MaxRecords: %" PRIu64 "\n", s->records.count,
           s->records.count);
    hs_say(out, "; Preemption: %s\n", s->options->is_preemptive ? "TS" : "No");
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

/* The 18 fields, in order. */
static void put_line(struct hs_output *out, uint64_t job, const struct record *r)
{
    const int64_t vc = r->vc > 0 ? (int64_t)r->vc : UNKNOWN;
    const int64_t fields[] = {
        (int64_t)job,                             /* job number */
        r->submit_s,                              /* submit time */
        r->wait_s,                                /* wait time */
        r->run_s,                                 /* run time */
        r->held,                                  /* allocated processors */
        UNKNOWN,                                  /* average CPU time used */
        UNKNOWN,                                  /* used memory */
        r->wanted,                                /* requested processors */
        UNKNOWN,                                  /* requested time: no trace gives one */
        UNKNOWN,                                  /* requested memory */
        r->status,                                /* status */
        r->user > 0 ? (int64_t)r->user : UNKNOWN, /* user */
        vc,                                       /* group */
        UNKNOWN,                                  /* executable */
        vc,                                       /* queue */
        r->partition,                             /* partition */
        UNKNOWN,                                  /* preceding job */
        UNKNOWN,                                  /* think time */
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        hs_say(out, i > 0 ? " %" PRId64 : "%" PRId64, fields[i]);
    hs_output_put(out, "\n", 1);
}

static enum hs_status put_lines(struct hs_swf *s, struct hs_output *out, struct hs_diag *diag)
{
    void *block;
    uint32_t count;
    uint64_t job = 0;
    enum hs_status status = hs_temp_records_rewind(&s->records, diag);
    while (status == HS_OK &&
           (status = hs_temp_records_next(&s->records, &block, &count, diag)) == HS_OK) {
        const struct record *records = block;
        for (uint32_t i = 0; i < count; i++)
            put_line(out, ++job, &records[i]);
    }
    return status == HS_END ? HS_OK : status;
}

enum hs_status hs_swf_write(struct hs_swf *s, const char *path, struct hs_output_file *file,
                            struct hs_diag *diag)
{
    struct hs_output out;
    HS_TRY(hs_output_open(&out, path, diag));
    put_header(s, &out);
    enum hs_status status = put_lines(s, &out, diag);
    *file = hs_output_file_of(&out, "jobs.swf", s->records.count);
    enum hs_status closed = hs_output_close(&out, diag);
    return status != HS_OK ? status : closed;
}

void hs_swf_open(struct hs_swf *s, const struct hs_report_options *options, struct hs_diag *diag)
{
    *s = (struct hs_swf){.options = options, .diag = diag, .gpus_of = NO_JOB};
    hs_temp_records_open(&s->records, sizeof(struct record), options->dir->tmp_path);
    hs_intern_init(&s->users);
    hs_intern_init(&s->vcs);
}

struct hs_observer hs_swf_observer(struct hs_swf *s)
{
    return (struct hs_observer){
        .ctx = s, .on_submit = on_submit, .on_segment = on_segment, .on_finish = on_finish};
}

void hs_swf_close(struct hs_swf *s)
{
    if (s->options == NULL)
        return;
    hs_temp_records_close(&s->records);
    hs_intern_free(&s->users);
    hs_intern_free(&s->vcs);
}
