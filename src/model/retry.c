/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model. A job fails with the chance that jobs of its class were unsuccessful. Then one attempt
 * fails, and each retry fails again with a chance q, up to HS_RETRIES_MAX retries: the mean number
 * of retries of all jobs of the class is unsuccessful x (1 + q + q^2), which gives q. A job fails
 * for one reason, drawn by the trials of the reasons (a reason comes back 2.3 times a job: Jeon et
 * al.), and each of its attempts after a time of its own, lognormal through median and 95 % of the
 * reason and cut there: of the last twentieth nothing is published, and the tail of the lognormal
 * would be most of the work (mean 11.8 h to a failure, cut at 60 days, instead of 3.4 h). Reasons
 * are the same for all classes. O(1) a job.
 */
#include "model/retry.h"

#include <math.h>

#include "base/fixed.h"
#include "base/rng.h"

#define CHANCE_ONE (UINT64_C(1) << 32)

/* Rates read off figure 9b with table 6, means read off figure 9a. */
const struct hs_retry_class hs_retry_classes[HS_RETRY_CLASSES] = {
    {.gpus_from = 1, .unsuccessful = 0.13, .mean_retries = 0.33},
    {.gpus_from = 2, .unsuccessful = 0.37, .mean_retries = 0.98},
    {.gpus_from = 5, .unsuccessful = 0.42, .mean_retries = 1.09},
    {.gpus_from = 9, .unsuccessful = 0.47, .mean_retries = 1.11},
};

/* The six of table 7 that account for most trials. */
const struct hs_failure_reason hs_failure_reasons[HS_FAILURE_REASONS] = {
    {"CPU out of memory", 12076, 13.5, 34},      {"incorrect inputs", 9690, 1.9, 2096},
    {"semantic error", 2943, 2.7, 1437},         {"core dump", 2912, 0.85, 432},
    {"model checkpoint error", 1995, 182, 8196}, {"MPI runtime failure", 478, 1389, 18091},
};

/* What the bits of a job are for; DRAW_TIME + n: of its n-th attempt. */
enum draw { DRAW_FAILS, DRAW_REASON, DRAW_AGAIN, DRAW_TIME = DRAW_AGAIN + HS_RETRIES_MAX };

double hs_retry_again(const struct hs_retry_class *c)
{
    double failures = c->mean_retries / c->unsuccessful; /* of a job that fails */
    return (sqrt(4 * failures - 3) - 1) / 2;
}

static uint64_t chance_of(double share)
{
    return (uint64_t)llrint(share * (double)CHANCE_ONE);
}

void hs_retry_open(struct hs_retry *retry, struct hs_job_source source, uint64_t seed)
{
    *retry = (struct hs_retry){.source = source, .seed = hs_seed_of(seed, "failures")};
    for (int i = 0; i < HS_RETRY_CLASSES; i++) {
        retry->fails_below[i] = chance_of(hs_retry_classes[i].unsuccessful);
        retry->again_below[i] = chance_of(hs_retry_again(&hs_retry_classes[i]));
    }
    for (int i = 0; i < HS_FAILURE_REASONS; i++) {
        const struct hs_failure_reason *reason = &hs_failure_reasons[i];
        retry->spread[i] = log(reason->p95_min / reason->median_min) / hs_normal_quantile(0.95);
        retry->trials += reason->trials;
    }
}

static int reason_of(const struct hs_retry *retry, uint64_t key)
{
    uint64_t at = (hs_mix64(key, DRAW_REASON) >> 32) * retry->trials >> 32;
    int reason = 0;
    while (at >= hs_failure_reasons[reason].trials)
        at -= hs_failure_reasons[reason++].trials;
    return reason;
}

/* In whole seconds, as the log has them; libm's last bit is rounded away with the rest. */
static int64_t time_to_failure_us(const struct hs_retry *retry, int reason, uint64_t key,
                                  uint32_t attempt)
{
    const struct hs_failure_reason *r = &hs_failure_reasons[reason];
    double z = hs_normal_of(key, DRAW_TIME + (uint64_t)attempt);
    double min = r->median_min * exp(retry->spread[reason] * z);
    return (int64_t)llrint(60 * fmin(min, r->p95_min)) * HS_US_PER_S;
}

static int class_of(uint32_t gpus)
{
    int class = HS_RETRY_CLASSES - 1;
    while (class > 0 && gpus < hs_retry_classes[class].gpus_from)
        class --;
    return class;
}

static void give_attempts(struct hs_retry *retry, struct hs_trace_job *job, uint64_t key)
{
    int class = class_of(job->gpus), reason = reason_of(retry, key);
    uint32_t failures = 1;
    while (failures < HS_RETRIES_MAX &&
           hs_mix64(key, DRAW_AGAIN + (uint64_t)failures) >> 32 < retry->again_below[class])
        failures++;
    retry->attempts_us[failures] = job->duration_us;
    for (uint32_t i = 0; i < failures; i++) {
        retry->attempts_us[i] = time_to_failure_us(retry, reason, key, i);
        retry->counts.added_us += retry->attempts_us[i];
        job->duration_us += retry->attempts_us[i];
    }
    retry->counts.jobs++;
    retry->counts.failures += failures;
    job->attempts_us = retry->attempts_us;
    job->attempts = failures + 1;
}

static enum hs_status retry_next(void *ctx, struct hs_trace_job **out)
{
    struct hs_retry *retry = ctx;
    HS_TRY(retry->source.next(retry->source.ctx, out));
    struct hs_trace_job *job = *out;
    uint64_t key = hs_mix64(retry->seed, retry->index++);
    if (job->gpus > 0 && hs_mix64(key, DRAW_FAILS) >> 32 < retry->fails_below[class_of(job->gpus)])
        give_attempts(retry, job, key);
    return HS_OK;
}

struct hs_job_source hs_retry_source(struct hs_retry *retry)
{
    return (struct hs_job_source){.next = retry_next, .ctx = retry};
}
