/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the jobs, has support/run simulate them, writes what came of it, compares texts.
 */
#include "support/scenario.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define JOBS_MAX 32

struct scenario {
    struct hs_test_job jobs[JOBS_MAX];
    char ids[JOBS_MAX][16], users[JOBS_MAX][16], vcs[JOBS_MAX][16], models[JOBS_MAX][32];
    uint32_t count;
    char text[2048];
};

/* 1 + the row of the catalogue that bears this name; 0 = none. */
static uint32_t profile_of(const struct hs_test_options *options, const char *model)
{
    enum hs_match match;
    if (options == NULL || options->catalogue == NULL)
        return 0;
    uint32_t row = hs_catalogue_match(options->catalogue, model, NULL, NULL, NULL, &match);
    return row != HS_NO_PROFILE ? row + 1 : 0;
}

static void parse(struct scenario *s, const char *jobs, const struct hs_test_options *options)
{
    memset(s, 0, sizeof *s);
    for (const char *at = jobs; *at != '\0'; at += strspn(at, " ")) {
        assert_true(s->count < JOBS_MAX);
        struct hs_test_job *j = &s->jobs[s->count];
        int used = 0;
        if (sscanf(at, "%15[^:]:%" SCNu32 ",%" SCNd64 ",%" SCNd64 "%n", s->ids[s->count], &j->gpus,
                   &j->submit_s, &j->duration_s, &used) != 4)
            fail_msg("not a job: %s", at);
        j->id = s->ids[s->count];
        at += used;
        int64_t next_s;
        while (sscanf(at, "/%" SCNd64 "%n", &next_s, &used) == 1) {
            assert_true(j->failures < HS_TEST_ATTEMPTS - 1);
            j->failed_s[j->failures++] = j->duration_s;
            j->duration_s = next_s;
            at += used;
        }
        if (sscanf(at, "~%15[^@$%&# ]%n", s->users[s->count], &used) == 1) {
            j->user = s->users[s->count];
            at += used;
        }
        if (sscanf(at, "@%15[^$%&# ]%n", s->vcs[s->count], &used) == 1) {
            j->vc = s->vcs[s->count];
            at += used;
        }
        if (sscanf(at, "$%" SCNd64 "%n", &j->preempt_cost_s, &used) == 1)
            at += used;
        if (sscanf(at, "%%%" SCNd32 "%n", &j->gpu_util_pm, &used) == 1) {
            j->gpu_util_pm *= 10;
            at += used;
        }
        if (sscanf(at, "&%" SCNu32 "%n", &j->gpu_mem_mib, &used) == 1)
            at += used;
        if (sscanf(at, "#%31[^ ]%n", s->models[s->count], &used) == 1) {
            j->model = s->models[s->count];
            j->profile = profile_of(options, j->model);
            at += used;
        }
        s->count++;
    }
}

HS_PRINTF(2, 3)
static void append(struct scenario *s, const char *fmt, ...)
{
    size_t used = strlen(s->text);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(s->text + used, sizeof s->text - used, fmt, args);
    va_end(args);
}

/* Whole seconds, or with six decimals. */
static void append_seconds(struct scenario *s, int64_t us)
{
    append(s, "%" PRId64, us / HS_TEST_S);
    if (us % HS_TEST_S != 0)
        append(s, ".%06" PRId64, us % HS_TEST_S);
}

static void append_gpus(struct scenario *s, const struct hs_test_segment *segment)
{
    for (uint32_t i = 0; i < segment->gpu_count; i++)
        append(s, "%c%" PRIu32, i == 0 ? '@' : '+', segment->gpus[i]);
}

static void write_timeline(struct scenario *s, const struct hs_test_result *r, bool with_gpus)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const char *between = "";
        append(s, "%s%s:", i > 0 ? " " : "", s->ids[i]);
        if (r->jobs[i].state == HS_JOB_REJECTED)
            append(s, "rejected");
        for (uint32_t k = 0; k < r->segment_count; k++) {
            if (r->segments[k].job != i)
                continue;
            append(s, "%s", between);
            append_seconds(s, r->segments[k].start_us);
            append(s, "-");
            append_seconds(s, r->segments[k].end_us);
            if (with_gpus)
                append_gpus(s, &r->segments[k]);
            between = ",";
        }
    }
}

void scenario_expect_with(const char *cluster, const char *policy, const char *jobs,
                          const struct hs_test_options *options, const char *timeline)
{
    static const struct hs_test_options plain;
    static struct scenario s;
    struct hs_test_result r;
    parse(&s, jobs, options);
    enum hs_status status =
        hs_test_run_with(s.jobs, s.count, cluster, policy, options != NULL ? options : &plain, &r);
    if (status != HS_OK)
        fail_msg("%s on %s: %s: %s", policy, cluster, hs_status_text(status), r.message);
    write_timeline(&s, &r, strchr(timeline, '@') != NULL);
    if (strcmp(s.text, timeline) != 0)
        fail_msg("%s on %s\n  want %s\n  got  %s", policy, cluster, timeline, s.text);
    hs_test_free(&r);
}

void scenario_expect(const char *cluster, const char *policy, const char *jobs,
                     const char *timeline)
{
    scenario_expect_with(cluster, policy, jobs, NULL, timeline);
}
