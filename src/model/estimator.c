/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Noise is a factor exp(sigma z) of a draw that depends on (seed, job) alone, so that no other job
 * and no policy can shift it; it is rounded to 2^-20 at once, and what follows is in integers, so
 * that the last bit of libm never reaches a decision.
 */
#include "model/estimator.h"

#include <math.h>

#include "base/fixed.h"
#include "base/memory.h"
#include "base/rng.h"
#include "model/estimate_file.h"
#include "model/rolling.h"

#define FACTOR_ONE 0x1p20
#define FACTOR_MAX 0x1p40 /* a million times */

struct hs_estimation {
    struct hs_estimator how; /* its file is not used after opening */
    struct hs_estimate_file *file;
    struct hs_rolling rolling;
    uint64_t noise_seed;
    uint64_t unnamed;
};

static int64_t bounded(hs_u128 us)
{
    return us < HS_ESTIMATE_MAX_US ? (int64_t)us : HS_ESTIMATE_MAX_US;
}

static int64_t noisy_us(const struct hs_estimation *e, const struct hs_estimate_facts *facts)
{
    double factor = exp(e->how.sigma * hs_normal_of(e->noise_seed, facts->index));
    uint64_t factor_q20 = (uint64_t)rint(fmin(factor * FACTOR_ONE, FACTOR_MAX));
    return bounded((hs_u128)(uint64_t)facts->run_us * factor_q20 >> 20);
}

int64_t hs_estimator_us(struct hs_estimation *e, const struct hs_estimate_facts *facts)
{
    int64_t us = -1;
    switch (e->how.from) {
    case HS_ESTIMATE_ORACLE:
        return bounded((uint64_t)facts->run_us);
    case HS_ESTIMATE_NOISY:
        return noisy_us(e, facts);
    case HS_ESTIMATE_FILE:
        us = hs_estimate_file_us(e->file, facts->id);
        e->unnamed += us < 0 && facts->attempt == 0;
        break;
    case HS_ESTIMATE_ROLLING:
        us = hs_rolling_mean_us(&e->rolling, facts->user, facts->gpus);
        break;
    }
    return bounded((uint64_t)(us >= 0 ? us : e->how.unknown_us));
}

enum hs_status hs_estimator_learn(struct hs_estimation *e, const struct hs_estimate_facts *facts,
                                  int64_t run_us)
{
    if (e->how.from != HS_ESTIMATE_ROLLING)
        return HS_OK;
    return hs_rolling_add(&e->rolling, facts->user, facts->gpus, run_us);
}

uint64_t hs_estimator_unnamed(const struct hs_estimation *e)
{
    return e->unnamed;
}

enum hs_status hs_estimator_open(struct hs_estimation **e, const struct hs_estimator *how,
                                 uint64_t seed, struct hs_diag *diag)
{
    *e = NULL;
    struct hs_estimation *new = hs_alloc_zeroed(1, sizeof *new);
    if (new == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory for estimates");
    new->how = *how;
    new->noise_seed = hs_seed_of(seed, "duration-noise");
    if (how->from == HS_ESTIMATE_FILE) {
        enum hs_status status = hs_estimate_file_open(&new->file, how->file, diag);
        if (status != HS_OK) {
            hs_estimator_close(new);
            return status;
        }
    }
    *e = new;
    return HS_OK;
}

void hs_estimator_close(struct hs_estimation *e)
{
    if (e == NULL)
        return;
    hs_estimate_file_close(e->file);
    hs_rolling_free(&e->rolling);
    hs_free(e);
}
