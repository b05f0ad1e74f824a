/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates of a job. The oracles and the noisy ones start from what is true of the job, the table,
 * the regression and the formula from a row that was worked out for its profile at opening.
 * Noise is one normal draw per job and purpose, a function of (seed, purpose, index of the job):
 * no other job and no order of asking can shift it. It is rounded to per mille or MiB at once, so
 * that the last bit of libm never reaches a decision.
 */
#include "model/predictor.h"

#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "model/predictor_private.h"

#define PM_PER_PERCENT 10.0

/* u becomes u_hat with log1p(u_hat) = log1p(u) + shift, in per cent (policies/horus.md 2.2). */
static int32_t shifted_pm(int32_t util_pm, double shift)
{
    return hs_predictor_told_pm(expm1(log1p(util_pm / PM_PER_PERCENT) + shift));
}

/* The peak moves with the mean: one draw for both. */
static void add_util_noise(const struct hs_predictor *p, uint64_t index, struct hs_estimate *out)
{
    const struct hs_predictor_options *o = &p->options;
    double shift = o->util_bias + o->util_rmsle * hs_normal_of(p->util_seed, index);
    out->util_pm = shifted_pm(out->util_pm, shift);
    out->util_peak_pm = shifted_pm(out->util_peak_pm, shift);
    /* d log1p(u) = du / (1 + u) */
    double error = hypot(o->util_rmsle, o->util_bias) * (out->util_pm + PM_PER_PERCENT);
    out->util_error_pm = (uint32_t)lround(fmin(error, HS_UTIL_ERROR_MAX_PM));
}

static void add_memory_noise(const struct hs_predictor *p, uint64_t index, struct hs_estimate *out)
{
    double sd = p->options.mem_ln_sd;
    double mib = out->mem_mib * exp(sd * hs_normal_of(p->mem_seed, index));
    out->mem_mib = (uint32_t)fmin(fmax(round(mib), 1), UINT32_MAX);
    out->mem_error_mib = (uint32_t)fmin(round(sd * out->mem_mib), UINT32_MAX);
}

void hs_predictor_estimate(const struct hs_predictor *p, const struct hs_job_facts *facts,
                           struct hs_estimate *out)
{
    static const struct hs_profile_guess none = {.util_pm = -1, .util_peak_pm = -1};
    const struct hs_profile_guess *guess =
        facts->profile < p->guess_count ? &p->guesses[facts->profile] : &none;
    bool has_guess = p->options.kind == HS_PREDICT_TABLE || p->options.kind == HS_PREDICT_REGRESS;

    *out = (struct hs_estimate){.util_pm = facts->util_pm,
                                .util_peak_pm =
                                    facts->util_peak_pm >= 0 ? facts->util_peak_pm : facts->util_pm,
                                .mem_mib = facts->mem_mib};
    if (has_guess) {
        out->util_pm = guess->util_pm;
        out->util_peak_pm = guess->util_peak_pm;
        out->util_error_pm = guess->util_error_pm;
    } else if (p->options.kind == HS_PREDICT_NOISY && out->util_pm >= 0) {
        add_util_noise(p, facts->index, out);
    }
    if (p->options.memory == HS_MEMORY_FORMULA) {
        out->mem_mib = guess->mem_mib;
        out->mem_error_mib = guess->mem_error_mib;
    } else if (p->options.memory == HS_MEMORY_NOISY && out->mem_mib > 0) {
        add_memory_noise(p, facts->index, out);
    }
}

uint64_t hs_predictor_slowdown_q20(const struct hs_predictor *p, int32_t own_pm, int32_t other_pm)
{
    return HS_Q20_ONE + hs_pairform_excess_q20(&p->general, own_pm, other_pm);
}

double hs_predictor_slowdown_error(const struct hs_predictor *p)
{
    return p->general_error;
}

static enum hs_status fill(struct hs_predictor *p, const struct hs_modelset *set,
                           const struct hs_catalogue *catalogue, struct hs_diag *diag)
{
    for (uint32_t i = 0; i < p->guess_count; i++)
        p->guesses[i] = (struct hs_profile_guess){.util_pm = -1, .util_peak_pm = -1};
    if (p->options.memory == HS_MEMORY_FORMULA)
        hs_predictor_guess_memory(catalogue, p->guesses);
    if (p->options.kind == HS_PREDICT_TABLE)
        HS_TRY(hs_predictor_guess_table(catalogue, p->guesses, diag));
    const char *path = set->path[HS_MODEL_PREDICTOR];
    HS_TRY(hs_predictor_read(p, path, catalogue, diag));
    if (p->options.kind != HS_PREDICT_REGRESS)
        return HS_OK;
    return hs_predictor_guess_regress(catalogue, path, p->options.holdout, p->guesses, diag);
}

enum hs_status hs_predictor_open(struct hs_predictor **p, const struct hs_modelset *set,
                                 const struct hs_catalogue *catalogue,
                                 const struct hs_predictor_options *options, struct hs_diag *diag)
{
    struct hs_predictor *new = hs_alloc_zeroed(1, sizeof *new);
    *p = new;
    if (new != NULL)
        new->guesses = hs_alloc_zeroed((uint64_t)catalogue->count + 1, sizeof *new->guesses);
    if (new == NULL || new->guesses == NULL) {
        hs_predictor_close(new);
        *p = NULL;
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the predictor");
    }
    new->options = *options;
    new->guess_count = catalogue->count;
    new->util_seed = hs_seed_of(options->seed, "predictor-noise");
    new->mem_seed = hs_seed_of(options->seed, "memory-noise");
    enum hs_status status = fill(new, set, catalogue, diag);
    if (status != HS_OK) {
        hs_predictor_close(new);
        *p = NULL;
    }
    return status;
}

void hs_predictor_close(struct hs_predictor *p)
{
    if (p == NULL)
        return;
    hs_free(p->guesses);
    hs_free(p);
}
