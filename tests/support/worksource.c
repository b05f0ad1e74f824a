/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See worksource.h.
 */
#include "support/worksource.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/sink.h"
#include "workload/workload.h"

#define SECOND INT64_C(1000000)

/* The job that a generator returned last. */
static struct hs_trace_job generated;

static enum hs_status next_generated(void *ctx, struct hs_trace_job **job)
{
    *job = &generated;
    return hs_generator_next(ctx, *job);
}

static struct hs_job_source source_of(struct hs_generator *generator)
{
    return (struct hs_job_source){.next = next_generated, .ctx = generator};
}

void worksource_generate(struct workstat *w, const char *name, uint64_t jobs, uint64_t seed)
{
    struct sink sink;
    struct hs_generator *generator;
    struct hs_generate_request request = {.name = name, .jobs = jobs, .seed = seed};
    sink_init(&sink);
    if (hs_generator_open(&generator, &request, &sink.diag) != HS_OK ||
        workstat_from(w, source_of(generator), 0, 0) != HS_END)
        fail_msg("%s", sink.text);
    hs_generator_close(generator);
    assert_true(w->count > 1);
}

/* ---- fits ---- */

static void fit(struct hs_job_source source, const char *path)
{
    struct hs_workload fitted;
    struct hs_fit *fit;
    struct hs_trace_job *job;
    struct hs_output out;
    struct sink sink;
    enum hs_status status;
    sink_init(&sink);
    hs_fit_open(&fit);
    while ((status = source.next(source.ctx, &job)) == HS_OK)
        assert_int_equal(hs_fit_add(fit, job, &sink.diag), HS_OK);
    assert_int_equal(status, HS_END);
    assert_int_equal(hs_fit_finish(fit, "fitted", &fitted, &sink.diag), HS_OK);
    assert_int_equal(hs_output_open(&out, path, &sink.diag), HS_OK);
    hs_workload_write(&fitted, "made by a test", &out);
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_OK);
    hs_workload_free(&fitted);
    hs_fit_close(fit);
}

void worksource_fit_generated(const char *name, uint64_t jobs, uint64_t seed, const char *path)
{
    struct sink sink;
    struct hs_generator *generator;
    struct hs_generate_request request = {.name = name, .jobs = jobs, .seed = seed};
    sink_init(&sink);
    assert_int_equal(hs_generator_open(&generator, &request, &sink.diag), HS_OK);
    fit(source_of(generator), path);
    hs_generator_close(generator);
}

void worksource_fit_trace(const struct hs_trace_options *options, const char *path)
{
    struct sink sink;
    struct hs_trace *trace;
    sink_init(&sink);
    assert_int_equal(hs_trace_open(&trace, options, &sink.diag), HS_OK);
    fit(hs_trace_source(trace), path);
    hs_trace_close(trace);
}

/* ---- comparisons ---- */

static void put(struct hs_sample *sample, int64_t value)
{
    hs_sample_add(sample, (uint64_t)value);
}

static struct workpair compare(struct hs_sample *a, struct hs_sample *b)
{
    struct workpair pair = {a->count, b->count, 0, 0};
    if (a->count > 0 && b->count > 0) {
        hs_sample_sort(a);
        hs_sample_sort(b);
        pair.ks = hs_ks(a, b);
        pair.noise = hs_ks_noise(a->count, b->count);
    }
    hs_sample_free(a);
    hs_sample_free(b);
    return pair;
}

static struct hs_sample durations(const struct workstat *w, const char *gpus)
{
    struct hs_sample sample = {0};
    for (uint32_t i = 0; i < w->count; i++)
        if (workstat_in(gpus, w->jobs[i].demand))
            put(&sample, w->jobs[i].duration_us);
    return sample;
}

static struct hs_sample gaps(const struct workstat *w)
{
    struct hs_sample sample = {0};
    for (uint32_t i = 1; i < w->count; i++)
        put(&sample, (w->jobs[i].submit_us - w->jobs[i - 1].submit_us) / SECOND);
    return sample;
}

static struct hs_sample demands(const struct workstat *w)
{
    struct hs_sample sample = {0};
    for (uint32_t i = 0; i < w->count; i++)
        put(&sample, (int64_t)w->jobs[i].demand);
    return sample;
}

struct workpair worksource_compare_durations(const struct workstat *a, const struct workstat *b,
                                             const char *gpus)
{
    struct hs_sample x = durations(a, gpus), y = durations(b, gpus);
    return compare(&x, &y);
}

struct workpair worksource_compare_gaps(const struct workstat *a, const struct workstat *b)
{
    struct hs_sample x = gaps(a), y = gaps(b);
    return compare(&x, &y);
}

struct workpair worksource_compare_demands(const struct workstat *a, const struct workstat *b)
{
    struct hs_sample x = demands(a), y = demands(b);
    return compare(&x, &y);
}
