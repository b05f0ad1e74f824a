/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See parted.h.
 */
#include "support/parted.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE 1000

/* ---- the same cluster and jobs ---- */

HS_PRINTF(3, 4)
static void append(char *text, size_t size, const char *fmt, ...)
{
    size_t len = strlen(text);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text + len, size - len, fmt, args);
    va_end(args);
}

static void append_node(const struct parts *s, int node, char *json, size_t size)
{
    const struct parts_node *n = &s->node[node];
    append(json, size, "%s{\"gpus\":%d,\"type\":\"X%d\"", node > 0 ? "," : "", n->gpus, n->type);
    if (n->cpus_milli > 0)
        append(json, size, ",\"cpus\":%" PRId64, n->cpus_milli / 1000);
    if (n->mem_mib > 0)
        append(json, size, ",\"mem_mib\":%" PRId64, n->mem_mib);
    if (s->vcs == PARTS_PARTITION)
        append(json, size, ",\"vc\":\"v%d\"", n->vc);
    append(json, size, "}");
}

void parted_cluster(const struct parts *s, char *json, size_t size)
{
    int types = 0;
    for (int n = 0; n < s->nodes; n++)
        types = s->node[n].type >= types ? s->node[n].type + 1 : types;
    (void)snprintf(json, size, "{\"gpu_types\":{");
    for (int t = 0; t < types; t++) {
        append(json, size, "%s\"X%d\":{", t > 0 ? "," : "", t);
        if (s->type_mem_mib[t] > 0)
            append(json, size, "\"mem_mib\":%" PRId64, s->type_mem_mib[t]);
        append(json, size, "}");
    }
    append(json, size, "},\"nodes\":[");
    for (int n = 0; n < s->nodes; n++)
        append_node(s, n, json, size);
    append(json, size, "]");
    for (int vc = 0; s->vcs == PARTS_QUOTA && vc < s->vc_count; vc++)
        append(json, size, "%s\"v%d\":%d", vc > 0 ? "," : ",\"vcs\":{", vc, s->quota[vc]);
    append(json, size, "%s}\n", s->vcs == PARTS_QUOTA ? "}" : "");
}

/* "X0|X3": bits 0 and 3. */
static uint32_t types_of(const char *names)
{
    uint32_t types = 0;
    while (names != NULL) {
        types |= UINT32_C(1) << atoi(names + 1);
        names = strchr(names, '|');
        names = names != NULL ? names + 1 : NULL;
    }
    return types;
}

void parted_jobs(struct parts *s, const struct hs_test_job *jobs, int count, struct parts_job *mine)
{
    for (int i = 0; i < count; i++) {
        const struct hs_test_job *j = &jobs[i];
        mine[i] = (struct parts_job){
            .submit_us = j->submit_s * HS_TEST_S + j->submit_us,
            .duration_us = j->duration_s * HS_TEST_S + j->duration_us,
            .gpus = (int)j->gpus,
            .milli = j->gpu_milli > 0 ? (int)j->gpu_milli : WHOLE,
            .types = types_of(j->gpu_type),
            .cpus_milli = j->cpus * INT64_C(1000) + j->cpus_milli,
            .mem_mib = j->mem_mib,
            .gpu_mem_mib = j->gpu_mem_mib,
            .vc = j->vc != NULL ? atoi(j->vc + 1) : 0,
        };
    }
    s->jobs = mine;
    s->count = count;
}

/* ---- the watch ---- */

HS_PRINTF(4, 5)
static void breaks(struct parted_watch *w, int64_t now_us, uint64_t job, const char *fmt, ...)
{
    va_list args;
    if (w->fault[0] != '\0')
        return;
    (void)snprintf(w->fault, sizeof w->fault, "at %" PRId64 " us, job %" PRIu64 ": ", now_us, job);
    va_start(args, fmt);
    size_t len = strlen(w->fault);
    (void)vsnprintf(w->fault + len, sizeof w->fault - len, fmt, args);
    va_end(args);
}

static void pass_time(struct parted_watch *w, int64_t now_us)
{
    int total = parts_gpus(w->s);
    for (int g = 0; g < total; g++) {
        w->held_us += (w->tenants[g] > 0) * (now_us - w->seen_us);
        w->milli_us += w->milli[g] * (now_us - w->seen_us);
    }
    w->seen_us = now_us;
}

/* sign 1: a worker is placed; -1: it is removed. */
static void change_worker(struct parted_watch *w, const struct parts_job *j, uint32_t gpu, int sign)
{
    int node = w->s->node_of[gpu];
    w->milli[gpu] += sign * j->milli;
    w->tenants[gpu] += sign;
    w->vc_milli[j->vc] += sign * j->milli;
    w->cpus_milli[node] += sign * (j->cpus_milli / j->gpus);
    w->mem_mib[node] += sign * (j->mem_mib / j->gpus);
}

static void look_at_gpu(struct parted_watch *w, int64_t now_us, uint64_t job, uint32_t gpu)
{
    const struct parts_job *j = &w->s->jobs[job];
    const struct parts_node *n = &w->s->node[w->s->node_of[gpu]];
    int64_t mem_mib = w->s->type_mem_mib[n->type];
    if (w->milli[gpu] > WHOLE)
        breaks(w, now_us, job, "%d thousandths of GPU %" PRIu32, w->milli[gpu], gpu);
    if (j->types != 0 && (j->types >> n->type & 1) == 0)
        breaks(w, now_us, job, "type of GPU %" PRIu32, gpu);
    if (mem_mib > 0 && mem_mib * j->milli / WHOLE < j->gpu_mem_mib)
        breaks(w, now_us, job, "memory of its share of GPU %" PRIu32, gpu);
    if ((n->cpus_milli > 0 && w->cpus_milli[n - w->s->node] > n->cpus_milli) ||
        (n->mem_mib > 0 && w->mem_mib[n - w->s->node] > n->mem_mib))
        breaks(w, now_us, job, "CPU or memory of the node of GPU %" PRIu32, gpu);
    if (w->s->vcs == PARTS_PARTITION && n->vc != j->vc)
        breaks(w, now_us, job, "GPU %" PRIu32 " is of another virtual cluster", gpu);
}

static enum hs_status see_start(void *ctx, int64_t now_us, const struct hs_job_record *job,
                                const uint32_t *gpus, uint32_t gpu_count)
{
    struct parted_watch *w = ctx;
    const struct parts_job *j = &w->s->jobs[job->index];
    pass_time(w, now_us);
    if (gpu_count != (uint32_t)j->gpus)
        breaks(w, now_us, job->index, "%" PRIu32 " GPUs", gpu_count);
    for (uint32_t i = 0; i < gpu_count; i++) {
        if (i > 0 && gpus[i] <= gpus[i - 1])
            breaks(w, now_us, job->index, "GPU %" PRIu32 " twice, or not in order", gpus[i]);
        change_worker(w, j, gpus[i], 1);
        look_at_gpu(w, now_us, job->index, gpus[i]);
    }
    if (w->s->vcs == PARTS_QUOTA && w->vc_milli[j->vc] > w->s->quota[j->vc] * INT64_C(1000))
        breaks(w, now_us, job->index, "%" PRId64 " thousandths of v%d", w->vc_milli[j->vc], j->vc);
    return HS_OK;
}

static enum hs_status see_segment(void *ctx, const struct hs_segment *segment)
{
    struct parted_watch *w = ctx;
    const struct parts_job *j = &w->s->jobs[segment->job->index];
    pass_time(w, segment->end_us);
    for (uint32_t i = 0; i < segment->gpu_count; i++)
        change_worker(w, j, segment->gpus[i], -1);
    w->job_us[segment->job->index] += segment->gpu_count * (segment->end_us - segment->start_us);
    return HS_OK;
}

static enum hs_status see_instant(void *ctx, const struct hs_instant *instant)
{
    struct parted_watch *w = ctx;
    w->told_held_us += w->told_held * (instant->time_us - w->predicted_us);
    w->told_milli_us += w->told_milli * (instant->time_us - w->predicted_us);
    w->predicted_us = instant->time_us;
    w->told_held = (int64_t)instant->gpus_held;
    w->told_milli = (int64_t)instant->milli_held;
    return HS_OK;
}

static enum hs_status see_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct parted_watch *w = ctx;
    if (job->gpu_us != w->job_us[job->index])
        breaks(w, now_us, job->index, "%" PRId64 " us of GPUs", job->gpu_us);
    return HS_OK;
}

const struct hs_observer *parted_watch(struct parted_watch *w, const struct parts *s)
{
    memset(w, 0, sizeof *w);
    w->s = s;
    w->observer = (struct hs_observer){.ctx = w,
                                       .on_start = see_start,
                                       .on_segment = see_segment,
                                       .on_instant = see_instant,
                                       .on_finish = see_finish};
    return &w->observer;
}

static void expect_sum(struct parted_watch *w, const char *what, int64_t us, int64_t expected_us)
{
    if (us != expected_us && w->fault[0] == '\0')
        (void)snprintf(w->fault, sizeof w->fault, "%s x time is %" PRId64 ", not %" PRId64 " us",
                       what, us, expected_us);
}

const char *parted_fault(struct parted_watch *w)
{
    expect_sum(w, "GPUs held, as told,", w->told_held_us, w->held_us);
    expect_sum(w, "thousandths, as told,", w->told_milli_us, w->milli_us);
    return w->fault;
}

const char *parted_difference(struct parted_watch *w)
{
    (void)parted_fault(w);
    for (int i = 0; i < w->s->count; i++)
        expect_sum(w, "the share of a job", w->job_us[i] * w->s->jobs[i].milli,
                   w->s->jobs[i].milli_us);
    expect_sum(w, "GPUs held", w->held_us, w->s->held_us);
    expect_sum(w, "thousandths", w->milli_us, w->s->milli_us);
    return w->fault;
}
