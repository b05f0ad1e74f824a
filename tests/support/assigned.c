/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The assign stage inside a test. A failure here fails the calling test.
 */
#include "support/assigned.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct sink assigned_sink;
struct hs_catalogue assigned_catalogue;
struct hs_assign_counts assigned_counts;

void assigned_load(const char *path)
{
    sink_init(&assigned_sink);
    if (hs_catalogue_load(&assigned_catalogue, path, &assigned_sink.diag) != HS_OK)
        fail_msg("%s", assigned_sink.text);
}

void assigned_load_text(const char *text)
{
    assigned_load(scratch_write("profiles.csv", text, strlen(text)));
}

void assigned_free(void)
{
    hs_catalogue_free(&assigned_catalogue);
}

struct hs_trace_job assigned_blank(uint32_t gpus)
{
    return (struct hs_trace_job){.id = "j",
                                 .gpus = gpus,
                                 .gpus_min = gpus,
                                 .gpus_max = gpus,
                                 .deadline_us = -1,
                                 .preempt_cost_us = -1,
                                 .gpu_util_pm = -1,
                                 .profile = HS_NO_PROFILE};
}

static enum hs_status feed_next(void *ctx, struct hs_trace_job **out)
{
    struct assigned_feed *feed = ctx;
    if (feed->next == feed->count)
        return feed->end;
    feed->job = feed->jobs[feed->next++];
    *out = &feed->job;
    return HS_OK;
}

struct hs_job_source assigned_source(struct assigned_feed *feed)
{
    return (struct hs_job_source){.next = feed_next, .ctx = feed};
}

void assigned_pass(struct hs_trace_job *jobs, uint32_t count,
                   const struct hs_assign_options *options)
{
    struct assigned_feed feed = {.jobs = jobs, .count = count, .end = HS_END};
    struct hs_assign *assign;
    if (hs_assign_open(&assign, assigned_source(&feed), &assigned_catalogue, options,
                       &assigned_sink.diag) != HS_OK)
        fail_msg("%s", assigned_sink.text);
    struct hs_job_source source = hs_assign_source(assign);
    struct hs_trace_job *job;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(source.next(source.ctx, &job), HS_OK);
        jobs[i] = *job;
    }
    assert_int_equal(source.next(source.ctx, &job), HS_END);
    hs_assign_get_counts(assign, &assigned_counts);
    hs_assign_close(assign);
}
