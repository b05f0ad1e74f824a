/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A request as the text of a trace: gen:NAME,n=JOBS,seed=N.
 */
#include <stdio.h>
#include <string.h>

#include "base/timeparse.h"
#include "workload/generate.h"

#define JOBS_MAX   INT64_C(1000000000000)
#define DAYS_MAX   1e5
#define LOAD_MAX   1e3
#define GPUS_MAX   (INT64_C(1) << 32)
#define FORM       "gen:philly,n=10000,days=7,load=0.8,gpus=64,seed=1"
#define KEYS_COUNT 5

static const char *const keys[KEYS_COUNT] = {"n", "days", "load", "gpus", "seed"};

static bool set_whole(const char *text, int64_t least, int64_t most, uint64_t *out)
{
    int64_t number;
    if (!hs_parse_int64(text, strlen(text), &number) || number < least || number > most)
        return false;
    *out = (uint64_t)number;
    return true;
}

static bool set_real(const char *text, double most, double *out)
{
    return hs_parse_double(text, strlen(text), out) && *out > 0 && *out <= most;
}

/* False: not a value of that key. */
static bool set_value(struct hs_generate_request *q, int key, const char *text)
{
    switch (key) {
    case 0:
        return set_whole(text, 1, JOBS_MAX, &q->jobs);
    case 1:
        return set_real(text, DAYS_MAX, &q->days);
    case 2:
        return set_real(text, LOAD_MAX, &q->load);
    case 3:
        return set_whole(text, 1, GPUS_MAX, &q->gpus);
    default:
        return set_whole(text, 0, INT64_MAX, &q->seed);
    }
}

static enum hs_status set_pair(struct hs_generate_request *q, char *pair, struct hs_diag *diag)
{
    char hint[128] = FORM;
    char *equals = strchr(pair, '=');
    if (equals == NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, FORM, "gen: '%s' is not KEY=VALUE", pair);
    *equals = '\0';
    for (int i = 0; i < KEYS_COUNT; i++) {
        if (strcmp(pair, keys[i]) != 0)
            continue;
        if (set_value(q, i, equals + 1))
            return HS_OK;
        return hs_fail(diag, HS_E_USAGE, NULL, FORM, "gen: '%s' is no value of %s", equals + 1,
                       keys[i]);
    }
    const char *nearest = hs_nearest(pair, keys, KEYS_COUNT);
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "gen: unknown key '%s'", pair);
}

enum hs_status hs_generate_parse(struct hs_generate_request *request, char *text,
                                 struct hs_diag *diag)
{
    char *at = text + strlen(HS_GENERATE_PREFIX);
    request->name = at;
    request->seed = 1;
    at = strchr(at, ',');
    while (at != NULL) {
        *at++ = '\0';
        char *pair = at;
        at = strchr(at, ',');
        if (at != NULL)
            *at = '\0';
        HS_TRY(set_pair(request, pair, diag));
    }
    return HS_OK;
}
