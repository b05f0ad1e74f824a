/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gittins indices. Of a job of which only the distribution of service S is known (Tiresias,
 * NSDI'19): having attained a, the chance that it ends within the next D over the service that this
 * takes,
 *
 *     G(a) = P(S - a <= D | S > a) / E[min(S - a, D) | S > a]
 *
 *     exact  that, at the very a
 *     repo   as in the published simulator: tabulated at a = S_m - 1 for each S_m of the sample,
 *            looked up for the first S_m > a in whole seconds, and with whole services where the
 *            residual ones should be summed (gittins.e: sum of S in place of S - a); both terms
 *            are rounded to 5 decimals before they are divided
 *
 * A sample comes from a file, or is learnt. Sorted, with prefix sums, it makes an index two
 * searches and a division. A learnt sample is that of the last jobs to finish, taken anew whenever
 * their number has doubled, then every GITTINS_KEPT jobs: what was computed from it holds for as
 * long, and the work is O(log) a job. Service in GPU-us or us.
 */
#pragma once

#include "horus/policy.h"
#include "policies/lib/job_queue.h"

struct hs_gittins {
    bool is_repo;
    int64_t repo_delta_us;
    int64_t *sizes; /* the sample, ascending */
    double *sums;   /* prefix sums of the sample, s */
    double *scale;  /* gittins=repo: index of each entry of the sample */
    uint32_t count;
    struct hs_job_place *entries; /* memory for sorting */
    int64_t *recent; /* ring of the last jobs to finish; NULL with a sample from a file */
    uint64_t finished;
};

/* Reads the sample, or allocates one to be learnt. */
enum hs_status hs_gittins_open(struct hs_gittins *g, const struct hs_view *v, const char *path);
/* Records the total service of a finished job. Returns true when the sample was taken anew. */
bool hs_gittins_learn(struct hs_gittins *g, int64_t service_us);
/* The index in units of 1e-12 (exact) or 1e-10 (repo) per second, larger first; 0 beyond the
 * largest entry of the sample. delta_us is the horizon, INT64_MAX: none; repo uses repo_delta_us.
 * O(log sample). */
int64_t hs_gittins_index(const struct hs_gittins *g, int64_t attained_us, int64_t delta_us);
