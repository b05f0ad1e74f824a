/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parses the jobs, simulates them by support/run, writes the outcome, compares texts.
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
#define DIGITS   "0123456789"

struct scenario {
    struct hs_test_job jobs[JOBS_MAX];
    char ids[JOBS_MAX][16], users[JOBS_MAX][16], vcs[JOBS_MAX][16], models[JOBS_MAX][32];
    char types[JOBS_MAX][32];
    uint32_t count;
    char text[2048];
};

/* 1 + the row of the catalogue with this name; 0 = none. */
static uint32_t profile_of(const struct hs_test_options *options, const char *model)
{
    enum hs_match match;
    if (options == NULL || options->catalogue == NULL)
        return 0;
    uint32_t row = hs_catalogue_match(options->catalogue, model, NULL, NULL, NULL, &match);
    return row != HS_NO_PROFILE ? row + 1 : 0;
}

/* Parses seconds with up to six decimals. Returns the text after them, or NULL without a number. */
static const char *read_us(const char *at, int64_t *us)
{
    int used = 0;
    if (strspn(at, DIGITS) == 0 || sscanf(at, "%" SCNd64 "%n", us, &used) != 1)
        return NULL;
    *us *= HS_TEST_S;
    at += used;
    if (*at != '.')
        return at;
    int64_t unit = HS_TEST_S / 10;
    for (at++; strspn(at, DIGITS) > 0 && unit > 0; at++, unit /= 10)
        *us += (*at - '0') * unit;
    return at;
}

/* The text at `at` up to a character of `ends`: a copy, at most size - 1 bytes. */
static const char *read_name(const char *at, const char *ends, char *copy, size_t size)
{
    size_t len = strcspn(at, ends);
    if (len == 0 || len >= size)
        return NULL;
    memcpy(copy, at, len);
    copy[len] = '\0';
    return at + len;
}

static const char *read_memory(const char *at, struct hs_test_job *j)
{
    int used = 0;
    if (sscanf(at, "%" SCNu32 "%n", &j->gpu_mem_mib, &used) != 1)
        return NULL;
    at += used;
    if (*at != '/')
        return at;
    if (sscanf(at, "/%" SCNu32 "%n", &j->gpu_mem_persistent_mib, &used) != 1)
        return NULL;
    return at + used;
}

/* CPU cores, and optionally MiB of host memory, in all. */
static const char *read_host(const char *at, struct hs_test_job *j)
{
    int used = 0;
    if (sscanf(at, "%" SCNu32 "%n/%" SCNu32 "%n", &j->cpus, &used, &j->mem_mib, &used) < 1)
        return NULL;
    return at + used;
}

static const char *read_class(const char *at, struct hs_test_job *j)
{
    static const struct {
        char letter;
        enum hs_job_class job_class;
    } classes[] = {{'g', HS_JOB_CLASS_GUARANTEED},
                   {'o', HS_JOB_CLASS_OPPORTUNISTIC},
                   {'a', HS_JOB_CLASS_AUTO}};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (*at == classes[i].letter) {
            j->job_class = classes[i].job_class;
            return at + 1;
        }
    return NULL;
}

/* Parses one of the suffixes after the duration; returns the text after it, or NULL if it is
 * none. */
static const char *read_suffix(struct scenario *s, const char *at,
                               const struct hs_test_options *options)
{
    static const char ends[] = "~@=+$%&^!*# ";
    uint32_t k = s->count;
    struct hs_test_job *j = &s->jobs[k];
    int used = 0;
    switch (*at++) {
    case '~':
        j->user = s->users[k];
        return read_name(at, ends, s->users[k], sizeof s->users[k]);
    case '@':
        j->vc = s->vcs[k];
        return read_name(at, ends, s->vcs[k], sizeof s->vcs[k]);
    case '=':
        j->gpu_type = s->types[k];
        return read_name(at, ends, s->types[k], sizeof s->types[k]);
    case '+':
        return read_host(at, j);
    case '$':
        return sscanf(at, "%" SCNd64 "%n", &j->preempt_cost_s, &used) == 1 ? at + used : NULL;
    case '%':
        if (sscanf(at, "%" SCNd32 "%n", &j->gpu_util_pm, &used) != 1)
            return NULL;
        j->gpu_util_pm *= 10;
        return at + used;
    case '&':
        return read_memory(at, j);
    case '^':
        return sscanf(at, "%" SCNd32 "%n", &j->priority, &used) == 1 ? at + used : NULL;
    case '!':
        return read_class(at, j);
    case '*':
        return read_us(at, &j->step_us);
    case '#':
        at = read_name(at, " ", s->models[k], sizeof s->models[k]);
        j->model = s->models[k];
        j->profile = profile_of(options, j->model);
        return at;
    default:
        return NULL;
    }
}

/* id:gpus,submit,duration, or id:gpusxthousandths,submit,duration, and the failing attempts before
 * the last. */
static const char *read_head(struct scenario *s, const char *at)
{
    struct hs_test_job *j = &s->jobs[s->count];
    int used = 0;
    if (sscanf(at, "%15[^:]:%" SCNu32 "%n", s->ids[s->count], &j->gpus, &used) != 2)
        return NULL;
    j->id = s->ids[s->count];
    at += used;
    if (*at == 'x' && sscanf(at, "x%" SCNu32 "%n", &j->gpu_milli, &used) == 1)
        at += used;
    if (*at != ',')
        return NULL;
    at = read_us(at + 1, &j->submit_us);
    if (at == NULL || *at != ',')
        return NULL;
    at = read_us(at + 1, &j->duration_us);
    while (at != NULL && *at == '/') {
        assert_true(j->failures < HS_TEST_ATTEMPTS - 1 && j->duration_us % HS_TEST_S == 0);
        j->failed_s[j->failures++] = j->duration_us / HS_TEST_S;
        at = read_us(at + 1, &j->duration_us);
    }
    return at;
}

static void parse(struct scenario *s, const char *jobs, const struct hs_test_options *options)
{
    memset(s, 0, sizeof *s);
    for (const char *at = jobs; *at != '\0'; at += strspn(at, " ")) {
        const char *job = at;
        assert_true(s->count < JOBS_MAX);
        at = read_head(s, at);
        while (at != NULL && *at != ' ' && *at != '\0')
            at = read_suffix(s, at, options);
        if (at == NULL)
            fail_msg("not a job: %s", job);
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
