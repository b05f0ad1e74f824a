/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a policy gets its estimates of run times, as parameters that every policy has alike; the
 * estimates themselves are hs_view_estimate_us().
 *
 *     oracle   the true run time
 *     noisy    the true run time x exp(sigma z), z standard normal, drawn once for each job
 *     file     a CSV with columns job_id and estimate (seconds)
 *     rolling  mean of the finished jobs of the same user and GPUs; of the same user; of all
 *
 *     struct sjf { struct hs_estimate_choice estimate; ... };
 *     static const struct hs_param params[] = {HS_ESTIMATE_PARAMS(struct sjf, estimate, "oracle"),
 *                                              {0}};
 *     .knows = HS_ESTIMATE_KNOWS                       // in its record: at most
 *     hs_estimate_needs(&s->estimate, knows);          // in its needs(): what this source uses
 *     HS_TRY(hs_estimate_open(&s->estimate, v));       // in its init()
 */
#ifndef HORUS_POLICIES_KIT_ESTIMATE_H
#define HORUS_POLICIES_KIT_ESTIMATE_H

#include "horus/policy.h"

struct hs_estimate_choice {
    int32_t from; /* enum hs_estimate_from */
    const char *file;
    double sigma;
    int64_t unknown_us;
};

#define HS_ESTIMATE_KNOWS (HS_KNOWS_DURATION | HS_KNOWS_ESTIMATE | HS_KNOWS_HISTORY)

extern const char *const hs_estimate_names[]; /* NULL-terminated, order of the enum */

/* source: the one that stands by default. */
#define HS_ESTIMATE_PARAMS(state_type, field, source)                                              \
    {.key = "pred",                                                                                \
     .type = HS_PARAM_CHOICE,                                                                      \
     .offset = offsetof(state_type, field.from),                                                   \
     .preset = source,                                                                             \
     .choices = hs_estimate_names,                                                                 \
     .help = "run times: true, true with noise, of a file, or mean of the user's finished jobs"},  \
        {.key = "pred_file",                                                                       \
         .type = HS_PARAM_FILE,                                                                    \
         .offset = offsetof(state_type, field.file),                                               \
         .help = "pred=file: CSV with job_id and estimate (s)"},                                   \
        {.key = "pred_sigma",                                                                      \
         .type = HS_PARAM_REAL,                                                                    \
         .offset = offsetof(state_type, field.sigma),                                              \
         .preset = "1",                                                                            \
         .only_with = "pred=noisy",                                                                \
         .min = 0,                                                                                 \
         .max = 10,                                                                                \
         .help = "pred=noisy: standard deviation of ln(estimate / run time)"},                     \
    {                                                                                              \
        .key = "pred_unknown", .type = HS_PARAM_DURATION,                                          \
        .offset = offsetof(state_type, field.unknown_us), .preset = "1h", .max = 3650 * 86400.,    \
        .only_with = "pred=file|rolling",                                                          \
        .help = "estimate of a job of which file or history tell nothing"                          \
    }

/* Takes from *knows what the other sources would use. */
void hs_estimate_needs(const struct hs_estimate_choice *choice, uint32_t *knows);
HS_MUST_USE enum hs_status hs_estimate_open(const struct hs_estimate_choice *choice,
                                            const struct hs_view *v);
/* For the semantics card: "duration", or that as it is estimated. */
const char *hs_estimate_order(const struct hs_estimate_choice *choice);
/* GPUs times estimate, us; what cannot be counted is the largest that can. */
int64_t hs_estimate_gpu_time_us(const struct hs_view *v, hs_job_id job);

#endif
