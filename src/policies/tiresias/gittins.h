/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gittins index of a job of which only the distribution of service S is known (Tiresias, NSDI'19):
 * having attained a, the chance that it ends within the next D over the service that this takes,
 *
 *     G(a) = P(S - a <= D | S > a) / E[min(S - a, D) | S > a]
 *
 *     exact  that, at the very a
 *     repo   as in the published simulator: tabulated at a = S_m - 1 for each S_m of the sample,
 *            looked up for the first S_m > a in whole seconds, and with whole services where the
 *            residual ones should be summed (gittins.e: sum of S in place of S - a)
 *
 * A sample comes from a file, or is learnt. Sorted, with prefix sums, it makes an index two
 * searches and a division. A learnt sample is that of the last jobs to finish, taken anew whenever
 * their number has doubled, then every HS_GITTINS_KEPT jobs: what was computed from it holds for as
 * long, and the work is O(log) a job. Service in GPU-us or us.
 */
#ifndef HORUS_POLICIES_TIRESIAS_GITTINS_H
#define HORUS_POLICIES_TIRESIAS_GITTINS_H

#include "policies/lib/job_heap.h"

#define HS_GITTINS_KEPT  1024u /* about as many as in the published sample, 1,001 */
#define HS_GITTINS_FIRST 16u

struct hs_gittins {
    bool is_repo;
    int64_t repo_delta_us;
    int64_t *sizes; /* the sample, ascending */
    double *sums;   /* of the first i of it, s */
    double *scale;  /* repo: the index of each */
    uint32_t count;
    struct hs_sort_entry *entries; /* to sort it */
    int64_t *recent;               /* ring of the last to finish; NULL with a sample from a file */
    uint64_t finished;
};

/* A job has finished with that service in all. True when the sample was taken anew. */
bool hs_gittins_learn(struct hs_gittins *g, int64_t service_us);
/* In units of 1e-12 (exact) or 1e-10 (repo) a second, larger first; 0 when the sample has nothing
 * beyond it. delta_us INT64_MAX: no bound; repo goes by its own, repo_delta_us. O(log sample). */
int64_t hs_gittins_index(const struct hs_gittins *g, int64_t attained_us, int64_t delta_us);

#endif
