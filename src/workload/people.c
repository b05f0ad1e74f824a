/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Weights of users are the quantiles of a log-normal distribution at equal steps: how unequal users
 * are is a figure of the workload, no matter of luck.
 */
#include "workload/people.h"

#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "base/tquantile.h"

enum draw { DRAW_VC = 0x7c, DRAW_USER };

struct user {
    double weight;
    uint32_t vc, number;
};

/* The first of the running sums that is above the draw. */
static uint32_t pick(const double *sums, uint32_t count, double draw)
{
    double at = draw * sums[count - 1];
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sums[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* What each VC's jobs are of all GPU time, as running sums of weights by size tell. */
static void set_vcs(struct hs_people *p, const struct hs_workplan *plan, double *gpu_time)
{
    const struct hs_workload *w = p->workload;
    for (uint32_t s = 0; s < plan->size_count; s++) {
        const struct hs_workplan_size *size = &plan->sizes[s];
        const struct hs_workload_size *demand = &size->size;
        double *sums = p->vc_sums + (size_t)s * w->vc_count, sum = 0;
        for (uint32_t v = 0; v < w->vc_count; v++) {
            const struct hs_workload_vc *vc = &w->vcs[v];
            if (vc->gpus_max == 0 || vc->gpus_max >= demand->gpus)
                sum += vc->shares[size->bucket];
            sums[v] = sum;
        }
        double each = hs_curve_mean(&w->buckets[size->bucket].duration_s) * demand->share *
                      demand->gpus * demand->gpu_milli;
        for (uint32_t v = 0; sum > 0 && v < w->vc_count; v++)
            gpu_time[v] += each * (sums[v] - (v > 0 ? sums[v - 1] : 0)) / sum;
    }
}

/* Each user in turn goes to the VC that lacks most of its weight; one without users comes first. */
static void spread_users(const struct hs_people *p, struct user *users, const double *gpu_time,
                         double *lacks, uint32_t *members)
{
    const struct hs_workload *w = p->workload;
    uint32_t vcs = w->vc_count > 0 ? w->vc_count : 1;
    double all = 0, all_time = 0;
    for (uint32_t u = 0; u < w->users; u++)
        all += users[u].weight;
    for (uint32_t v = 0; v < vcs; v++)
        all_time += gpu_time[v];
    for (uint32_t v = 0; v < vcs; v++)
        lacks[v] = all_time > 0 ? all * gpu_time[v] / all_time : 0;
    for (uint32_t u = 0, empty = vcs; u < w->users; u++) {
        bool must_fill = w->users - u <= empty; /* the last users are for the VCs without any */
        uint32_t best = vcs;
        for (uint32_t v = 0; v < vcs; v++)
            if ((!must_fill || members[v] == 0) && (best == vcs || lacks[v] > lacks[best]))
                best = v;
        empty -= members[best]++ == 0;
        lacks[best] -= users[u].weight;
        users[u].vc = best;
    }
}

/* In order of VC, and of weight within. */
static enum hs_status list_users(struct hs_people *p, const struct user *users,
                                 const uint32_t *members)
{
    const struct hs_workload *w = p->workload;
    uint32_t vcs = w->vc_count > 0 ? w->vc_count : 1;
    p->vc_users = hs_arena_alloc(&p->arena, (vcs + 1) * sizeof *p->vc_users);
    uint32_t *filled = hs_arena_alloc(&p->arena, vcs * sizeof *filled);
    p->user_sums = hs_arena_alloc(&p->arena, w->users * sizeof *p->user_sums);
    p->user_names = hs_arena_alloc(&p->arena, w->users * sizeof *p->user_names);
    if (p->vc_users == NULL || filled == NULL || p->user_sums == NULL || p->user_names == NULL)
        return HS_E_MEMORY;
    for (uint32_t v = 0; v < vcs; v++)
        p->vc_users[v + 1] = p->vc_users[v] + members[v];
    for (uint32_t u = 0; u < w->users; u++) {
        char name[16];
        uint32_t vc = users[u].vc, at = p->vc_users[vc] + filled[vc]++;
        int len = snprintf(name, sizeof name, "u%05u", users[u].number);
        p->user_sums[at] = users[u].weight + (filled[vc] > 1 ? p->user_sums[at - 1] : 0);
        p->user_names[at] = hs_arena_text(&p->arena, name, (size_t)len);
        if (p->user_names[at] == NULL)
            return HS_E_MEMORY;
    }
    return HS_OK;
}

static enum hs_status set_users(struct hs_people *p, const double *gpu_time)
{
    const struct hs_workload *w = p->workload;
    uint32_t vcs = w->vc_count > 0 ? w->vc_count : 1;
    struct user *users = hs_arena_alloc(&p->arena, w->users * sizeof *users);
    double *lacks = hs_arena_alloc(&p->arena, vcs * sizeof *lacks);
    uint32_t *members = hs_arena_alloc(&p->arena, vcs * sizeof *members);
    if (users == NULL || lacks == NULL || members == NULL)
        return HS_E_MEMORY;
    for (uint32_t u = 0; u < w->users; u++) {
        double z = hs_normal_quantile((w->users - u - 0.5) / w->users);
        users[u] = (struct user){.weight = exp(w->users_sigma * z), .number = u + 1};
    }
    spread_users(p, users, gpu_time, lacks, members);
    return list_users(p, users, members);
}

enum hs_status hs_people_open(struct hs_people *people, const struct hs_workplan *plan)
{
    const struct hs_workload *w = plan->workload;
    *people = (struct hs_people){.workload = w};
    double *gpu_time = hs_arena_alloc(&people->arena, (w->vc_count + 1) * sizeof *gpu_time);
    if (gpu_time == NULL)
        return HS_E_MEMORY;
    if (w->vc_count > 0) {
        uint64_t cells = (uint64_t)plan->size_count * w->vc_count;
        people->vc_sums = hs_arena_alloc(&people->arena, cells * sizeof *people->vc_sums);
        if (people->vc_sums == NULL)
            return HS_E_MEMORY;
        set_vcs(people, plan, gpu_time);
    }
    return w->users > 0 ? set_users(people, gpu_time) : HS_OK;
}

void hs_people_of(const struct hs_people *people, const struct hs_workplan_job *job,
                  const char **vc, const char **user)
{
    const struct hs_workload *w = people->workload;
    uint32_t number = 0;
    *vc = *user = NULL;
    if (w->vc_count > 0) {
        const double *sums = people->vc_sums + (size_t)job->size * w->vc_count;
        number = pick(sums, w->vc_count, hs_uniform_of(hs_mix64(job->batch, DRAW_VC)));
        *vc = w->vcs[number].name;
    }
    if (w->users > 0) {
        uint32_t first = people->vc_users[number], count = people->vc_users[number + 1] - first;
        double draw = hs_uniform_of(hs_mix64(job->batch, DRAW_USER));
        *user = people->user_names[first + pick(people->user_sums + first, count, draw)];
    }
}

void hs_people_close(struct hs_people *people)
{
    hs_arena_free(&people->arena);
}
