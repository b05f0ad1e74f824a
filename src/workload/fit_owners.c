/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Users as workload/people has them: their weights among runs are the quantiles of a log-normal
 * distribution at equal steps. What sigma that is, the Gini coefficient of the trace's users tells,
 * to which all of them contribute, where the share of the first few percent is that of a handful.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tquantile.h"
#include "workload/fit_parts.h"

#define SIGMA_MAX 10.0
#define HALVINGS  30

enum hs_status hs_fit_owners_open(struct hs_fit_owners *owners)
{
    *owners = (struct hs_fit_owners){0};
    HS_TRY(hs_intern_init(&owners->users));
    return hs_intern_init(&owners->vcs);
}

enum hs_status hs_fit_owners_add(struct hs_fit_owners *owners, const struct hs_trace_job *job,
                                 uint32_t *user)
{
    uint32_t vc;
    HS_TRY(hs_intern_get(&owners->users, job->user, user));
    HS_TRY(hs_intern_get(&owners->vcs, job->vc, &vc));
    HS_TRY(hs_grow((void **)&owners->of_vc, &owners->of_vc_cap, (uint64_t)vc + 1,
                   sizeof *owners->of_vc, HS_WORKLOAD_VCS_MAX + 1));
    struct hs_fit_vc *of = &owners->of_vc[vc];
    of->jobs[hs_fit_class_of(job)]++;
    if (job->gpus > of->gpus_max)
        of->gpus_max = job->gpus;
    return HS_OK;
}

/* ---- users ---- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of n numbers in order of size. */
static double gini(const double *numbers, uint32_t n)
{
    double sum = 0, weighted = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += numbers[i];
        weighted += (2.0 * (i + 1) - n - 1) * numbers[i];
    }
    return sum > 0 ? weighted / n / sum : 0;
}

/* The sigma with which the weights of n users have this coefficient. */
static double sigma_of(double wanted, double *weights, uint32_t n)
{
    double low = 0, high = SIGMA_MAX;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        for (uint32_t u = 0; u < n; u++)
            weights[u] = exp(middle * hs_normal_quantile((u + .5) / n));
        if (gini(weights, n) < wanted)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static enum hs_status fit_users(const struct hs_fit_owners *owners,
                                const struct hs_fit_batches *batches, struct hs_workload *workload)
{
    uint32_t named = owners->users.count - 1; /* but for those of none */
    if (named == 0)
        return HS_OK;
    double *runs = hs_alloc_zeroed(named, sizeof *runs);
    if (runs == NULL)
        return HS_E_MEMORY;
    for (uint32_t u = 0; u < named; u++)
        runs[u] = (double)hs_fit_batches_of(batches, u + 1);
    qsort(runs, named, sizeof *runs, by_size);
    workload->users = named < HS_WORKLOAD_USERS_MAX ? named : HS_WORKLOAD_USERS_MAX;
    workload->users_sigma = sigma_of(gini(runs, named), runs, named);
    hs_free(runs);
    return HS_OK;
}

/* ---- virtual clusters ---- */

static enum hs_status fit_vc(const struct hs_fit_owners *owners, uint32_t vc,
                             const double *of_bucket, const uint32_t *bucket_of,
                             struct hs_workload *workload)
{
    struct hs_workload_vc *out = &workload->vcs[workload->vc_count++];
    const char *name = hs_intern_text(&owners->vcs, vc);
    out->name = hs_arena_text(&workload->arena, name, strlen(name));
    out->shares = hs_arena_alloc(&workload->arena, workload->bucket_count * sizeof *out->shares);
    if (out->name == NULL || out->shares == NULL)
        return HS_E_MEMORY;
    out->gpus_max = owners->of_vc[vc].gpus_max;
    for (uint32_t c = 0; c < HS_FIT_CLASSES; c++)
        if (bucket_of[c] != UINT32_MAX && of_bucket[c] > 0)
            out->shares[bucket_of[c]] = (double)owners->of_vc[vc].jobs[c] / of_bucket[c];
    return HS_OK;
}

static enum hs_status fit_vcs(const struct hs_fit_owners *owners, const uint32_t *bucket_of,
                              struct hs_workload *workload)
{
    double of_class[HS_FIT_CLASSES] = {0};
    uint32_t first = 1;
    if (owners->vcs.count < 2)
        return HS_OK;
    for (uint32_t c = 0; c < HS_FIT_CLASSES; c++)
        if (owners->of_vc[0].jobs[c] > 0)
            first = 0; /* jobs of no virtual cluster stay so: one without a name */
    workload->vcs = hs_arena_alloc(&workload->arena, owners->vcs.count * sizeof *workload->vcs);
    if (workload->vcs == NULL)
        return HS_E_MEMORY;
    for (uint32_t v = first; v < owners->vcs.count; v++)
        for (uint32_t c = 0; c < HS_FIT_CLASSES; c++)
            of_class[c] += (double)owners->of_vc[v].jobs[c];
    for (uint32_t v = first; v < owners->vcs.count; v++)
        HS_TRY(fit_vc(owners, v, of_class, bucket_of, workload));
    if (workload->users > 0 && workload->users < workload->vc_count)
        workload->users = workload->vc_count;
    return HS_OK;
}

enum hs_status hs_fit_owners_finish(const struct hs_fit_owners *owners,
                                    const struct hs_fit_batches *batches, const uint32_t *bucket_of,
                                    struct hs_workload *workload)
{
    HS_TRY(fit_users(owners, batches, workload));
    return fit_vcs(owners, bucket_of, workload);
}

void hs_fit_owners_free(struct hs_fit_owners *owners)
{
    hs_intern_free(&owners->users);
    hs_intern_free(&owners->vcs);
    hs_free(owners->of_vc);
    *owners = (struct hs_fit_owners){0};
}
