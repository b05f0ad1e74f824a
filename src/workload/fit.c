/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See fit.h: the parts side by side.
 */
#include "workload/fit.h"

#include <string.h>

#include "workload/fit_parts.h"

struct hs_fit {
    struct hs_fit_sizes sizes;
    struct hs_fit_arrivals arrivals;
    struct hs_fit_batches batches;
    struct hs_fit_owners owners;
};

enum hs_status hs_fit_open(struct hs_fit **fit)
{
    *fit = hs_alloc_zeroed(1, sizeof **fit);
    if (*fit == NULL)
        return HS_E_MEMORY;
    return hs_fit_owners_open(&(*fit)->owners);
}

enum hs_status hs_fit_add(struct hs_fit *fit, const struct hs_trace_job *job, struct hs_diag *diag)
{
    uint32_t user;
    if (job->gpus == 0)
        return HS_OK;
    HS_TRY(hs_fit_arrivals_add(&fit->arrivals, job->submit_us, diag));
    HS_TRY(hs_fit_sizes_add(&fit->sizes, job));
    HS_TRY(hs_fit_owners_add(&fit->owners, job, &user));
    return hs_fit_batches_add(&fit->batches, job, user);
}

enum hs_status hs_fit_finish(struct hs_fit *fit, const char *name, struct hs_workload *workload,
                             struct hs_diag *diag)
{
    uint32_t bucket_of[HS_FIT_CLASSES];
    *workload = (struct hs_workload){0};
    if (fit->sizes.jobs < HS_FIT_JOBS_LEAST)
        return hs_fail(diag, HS_E_INPUT, NULL, NULL,
                       "a workload is fitted to %d jobs with GPUs or more, there are %u",
                       HS_FIT_JOBS_LEAST, (unsigned)fit->sizes.jobs);
    workload->name = hs_arena_text(&workload->arena, name, strlen(name));
    if (workload->name == NULL)
        return HS_E_MEMORY;
    HS_TRY(hs_fit_arrivals_finish(&fit->arrivals, &workload->arena, &workload->arrivals));
    HS_TRY(hs_fit_sizes_finish(&fit->sizes, workload, bucket_of));
    HS_TRY(hs_fit_batches_finish(&fit->batches, &fit->sizes, bucket_of, workload));
    return hs_fit_owners_finish(&fit->owners, &fit->batches, bucket_of, workload);
}

uint64_t hs_fit_jobs(const struct hs_fit *fit)
{
    return fit->sizes.jobs;
}

void hs_fit_close(struct hs_fit *fit)
{
    if (fit == NULL)
        return;
    hs_fit_sizes_free(&fit->sizes);
    hs_fit_arrivals_free(&fit->arrivals);
    hs_fit_batches_free(&fit->batches);
    hs_fit_owners_free(&fit->owners);
    hs_free(fit);
}
