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
#include "workload/generate.h"

#define SECOND INT64_C(1000000)

void worksource_generate(struct workstat *w, const char *name, uint64_t jobs, uint64_t seed)
{
    struct sink sink;
    struct hs_generator *generator;
    struct hs_generate_request request = {.name = name, .jobs = jobs, .seed = seed};
    sink_init(&sink);
    if (hs_generator_open(&generator, &request, &sink.diag) != HS_OK ||
        workstat_from(w, hs_generator_source(generator), 0, 0) != HS_END)
        fail_msg("%s", sink.text);
    hs_generator_close(generator);
    assert_true(w->count > 1);
}

static void put(struct hs_sample *sample, int64_t value)
{
    assert_int_equal(hs_sample_add(sample, (uint64_t)value), HS_OK);
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
