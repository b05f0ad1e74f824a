/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_salus_kinds.h.
 */
#include "policies/kit_salus_kinds.h"

#include "policies/kit_queue.h"

#define NEAR 8u /* places of the table that a kind may be at */

enum hs_status hs_salus_kinds_init(struct hs_salus_kinds *k, const struct hs_view *v)
{
    k->at = hs_view_alloc(v, HS_SALUS_KINDS * sizeof *k->at);
    k->first = hs_view_alloc(v, hs_view_vcs(v) * sizeof *k->first);
    return k->at != NULL && k->first != NULL ? HS_OK : HS_E_MEMORY;
}

static uint64_t hash_of(const struct hs_view *v, hs_job_id job)
{
    const struct hs_salus_need *need = &hs_salus_job(v, job)->need;
    uint64_t hash = hs_view_ask_hash(v, job) ^ hs_order_mix(hs_view_gpus(v, job));
    hash = hash * 31 + hs_order_mix((uint64_t)need->all_mib);
    return hash * 31 + hs_order_mix((uint64_t)need->kept_mib << 1 | need->is_alone);
}

static bool are_alike(const struct hs_view *v, hs_job_id a, hs_job_id b)
{
    const struct hs_salus_need *x = &hs_salus_job(v, a)->need, *y = &hs_salus_job(v, b)->need;
    return hs_view_gpus(v, a) == hs_view_gpus(v, b) && x->kept_mib == y->kept_mib &&
           x->all_mib == y->all_mib && x->peak_mib == y->peak_mib && x->is_alone == y->is_alone &&
           hs_view_asks_same(v, a, b);
}

/* The kind of the job, perhaps an empty one of that hash, or a free place for it; NULL: neither. */
static struct hs_salus_kind *find(struct hs_salus_kinds *k, const struct hs_view *v, hs_job_id job,
                                  uint64_t hash)
{
    struct hs_salus_kind *free = NULL;
    for (uint32_t i = 0; i < NEAR; i++) {
        struct hs_salus_kind *at = &k->at[(hash + i) % HS_SALUS_KINDS];
        if (!at->is_used)
            free = free == NULL ? at : free;
        else if (at->hash == hash && at->vc == hs_view_vc(v, job) &&
                 (at->jobs.count == 0 || are_alike(v, job, hs_order_first(&at->jobs, v))))
            return at;
    }
    return free;
}

bool hs_salus_kinds_add(struct hs_salus_kinds *k, const struct hs_view *v, hs_job_id job,
                        uint32_t group)
{
    uint64_t hash = hash_of(v, job);
    struct hs_salus_kind *kind = find(k, v, job, hash);
    if (kind == NULL)
        return false;
    uint32_t number = (uint32_t)(kind - k->at) + 1, vc = hs_view_vc(v, job);
    if (!kind->is_used) {
        *kind = (struct hs_salus_kind){
            .hash = hash, .vc = vc, .group = group, .next = k->first[vc], .is_used = true};
        k->first[vc] = number;
    }
    hs_order_add(&kind->jobs, v, job, 0);
    hs_salus_job(v, job)->kind = number;
    return true;
}

void hs_salus_kinds_remove(struct hs_salus_kinds *k, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    hs_order_remove(&k->at[j->kind - 1].jobs, v, job);
    j->kind = 0;
}

void hs_salus_kinds_clear(struct hs_salus_kinds *k, uint32_t vc)
{
    for (uint32_t *link = &k->first[vc]; *link != 0;) {
        struct hs_salus_kind *kind = &k->at[*link - 1];
        if (kind->jobs.count == 0) {
            *link = kind->next;
            kind->is_used = false;
        } else {
            link = &kind->next;
        }
    }
}

const char *hs_salus_kinds_check(const struct hs_salus_kinds *k, const struct hs_view *v)
{
    for (uint32_t i = 0; i < HS_SALUS_KINDS; i++) {
        const struct hs_order *jobs = &k->at[i].jobs;
        if (!hs_order_is_valid(jobs, v))
            return "refused jobs of a kind are out of order";
        hs_job_id first = hs_order_first(jobs, v);
        for (hs_job_id j = first; j != HS_NO_JOB; j = hs_order_next(jobs, v, j))
            if (!hs_job_waits(v, j) || !are_alike(v, j, first))
                return "a refused job of a kind does not wait, or is not of it";
    }
    return NULL;
}
