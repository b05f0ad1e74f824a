/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs of a workload as a trace without a file: gen:NAME,n=JOBS,seed=N (workload/generator.h). As a
 * path, this text is its own content (base/io.h); a file containing it works, too.
 */
#include <stdio.h>

#include "traces/format.h"
#include "workload/generator.h"

struct generated {
    struct hs_generator *generator;
    const char *path;
    bool keeps_attempts;
};

static int recognise(const char *head, size_t len)
{
    size_t prefix = strlen(HS_GENERATE_PREFIX);
    return len > prefix && memcmp(head, HS_GENERATE_PREFIX, prefix) == 0 ? 100 : 0;
}

static enum hs_status open_generated(void *state, struct hs_input *input,
                                     const struct hs_trace_options *options,
                                     struct hs_faults *faults)
{
    struct generated *g = state;
    char text[HS_GENERATE_TEXT_MAX];
    const char *data;
    size_t len;
    struct hs_generate_request request = {.gpus = options->gpus};
    g->path = hs_input_path(input);
    g->keeps_attempts = options->keeps_attempts;
    HS_TRY(hs_input_peek(input, &data, &len));
    if (len >= sizeof text)
        return hs_fail(faults->diag, HS_E_INPUT, NULL, "one line: gen:philly,n=10000,seed=1",
                       "a request for made-up jobs is longer than %d bytes", HS_GENERATE_TEXT_MAX);
    while (len > 0 && (data[len - 1] == '\n' || data[len - 1] == '\r'))
        len--;
    (void)snprintf(text, sizeof text, "%.*s", (int)len, data);
    HS_TRY(hs_generate_parse(&request, text, faults->diag));
    return hs_generator_open(&g->generator, &request, faults->diag);
}

static enum hs_status next_generated(void *state, struct hs_trace_job *job, int *dropped)
{
    struct generated *g = state;
    (void)dropped;
    HS_TRY(hs_generator_next(g->generator, job));
    if (!g->keeps_attempts)
        job->attempts = 0;
    return HS_OK;
}

static struct hs_place place_generated(void *state, const char *column)
{
    const struct generated *g = state;
    (void)column;
    return (struct hs_place){.file = g->path};
}

static uint64_t rows_generated(const void *state)
{
    const struct generated *g = state;
    return hs_generator_about(g->generator)->jobs;
}

static void close_generated(void *state)
{
    struct generated *g = state;
    hs_generator_close(g->generator);
}

const struct hs_trace_format hs_trace_format_generated = {
    .name = "generated",
    .summary = "made-up jobs: gen:philly,n=10000,seed=1 as TRACE, or a file with this line",
    .columns = "gen:NAME, and of n, days, load, gpus, seed what is to be said",
    .has_attempts = true,
    .is_sorted = true,
    .recognise = recognise,
    .state_size = sizeof(struct generated),
    .open = open_generated,
    .next = next_generated,
    .place = place_generated,
    .rows = rows_generated,
    .close = close_generated,
};
