/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs of a workload as a trace without a file: gen:NAME,n=JOBS,seed=N (workload/generator.c). As a
 * path, this text is its own content (base/io.h), and without seed its jobs are drawn by the seed
 * of the run, so that runs of several seeds are runs of several traces. A file containing it works,
 * too.
 */
#include <stdio.h>

#include "traces/format.h"
#include "workload/workload.h"

/* ---- the request ---- */

#define FORM "gen:philly,n=10000,days=7,load=0.8,gpus=64,seed=1"

/* Parses it; all after the name is optional. Sets only what the text contains. Modifies text. */
static enum hs_status parse(struct hs_generate_request *q, char *text, struct hs_diag *diag)
{
    static const char *const keys[] = {"n", "days", "load", "gpus", "seed"};
    enum { KEYS = HS_COUNT_OF(keys) };
    const struct {
        uint64_t *whole; /* uniform from least to most */
        double *real;    /* otherwise this, above 0 */
        double least, most;
    } of[KEYS] = {{&q->jobs, NULL, 1, HS_GENERATE_JOBS_MAX},
                  {NULL, &q->days, 0, 1e5},
                  {NULL, &q->load, 0, 1e3},
                  {&q->gpus, NULL, 1, 4294967296},
                  {&q->seed, NULL, 0, (double)INT64_MAX}};
    char hint[HS_HINT_SIZE], *key = text + strlen(HS_GENERATE_PREFIX), *next = strchr(key, ',');
    q->name = key;
    while (next != NULL) {
        uint32_t i = 0;
        int64_t number = 0;
        *next = '\0';
        key = next + 1;
        next = strchr(key, ',');
        char *value = strchr(key, '=');
        if (value == NULL || (next != NULL && value > next))
            return hs_fail(diag, HS_E_USAGE, NULL, FORM, "gen: '%.*s' is not KEY=VALUE",
                           (int)strcspn(key, ","), key);
        *value++ = '\0';
        const size_t len = strcspn(value, ",");
        while (i < KEYS && strcmp(key, keys[i]) != 0)
            i++;
        if (i == KEYS)
            return hs_fail(diag, HS_E_USAGE, NULL, hs_did_you_mean(hint, key, keys, KEYS, FORM),
                           "gen: unknown key '%s'", key);
        bool is_good = of[i].real != NULL
                           ? hs_parse_double(value, len, of[i].real) && *of[i].real > 0 &&
                                 *of[i].real <= of[i].most
                           : hs_parse_int64(value, len, &number) && (double)number >= of[i].least &&
                                 (double)number <= of[i].most;
        if (!is_good)
            return hs_fail(diag, HS_E_USAGE, NULL, FORM, "gen: '%.*s' is no value of %s", (int)len,
                           value, key);
        if (of[i].whole != NULL)
            *of[i].whole = (uint64_t)number;
    }
    return HS_OK;
}

/* ---- the format ---- */

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
    struct hs_generate_request request = {.gpus = options->gpus, .seed = 1};
    g->path = hs_input_path(input);
    if (strncmp(g->path, HS_INPUT_GENERATED, strlen(HS_INPUT_GENERATED)) == 0)
        request.seed = options->seed; /* a file has the same jobs in every run */
    g->keeps_attempts = options->keeps_attempts;
    HS_TRY(hs_input_peek(input, &data, &len));
    if (len >= sizeof text)
        return hs_fail(faults->diag, HS_E_INPUT, NULL, "one line: gen:philly,n=10000,seed=1",
                       "a request for synthetic jobs is longer than %d bytes",
                       HS_GENERATE_TEXT_MAX);
    if (memchr(data, '\0', len) != NULL)
        return hs_fail(faults->diag, HS_E_INPUT, HS_AT({.file = g->path}), NULL,
                       "a request for synthetic jobs has a byte 0");
    while (len > 0 && (data[len - 1] == '\n' || data[len - 1] == '\r'))
        len--;
    (void)snprintf(text, sizeof text, "%.*s", (int)len, data);
    HS_TRY(parse(&request, text, faults->diag));
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
    .summary = "synthetic jobs: gen:philly,n=10000,seed=1 as TRACE, or a file with this line",
    .columns = "gen:NAME, then any of n, days, load, gpus, seed",
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
