/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The others as one job met them: who went ahead of it, whose end made way for it, who sat on its
 * GPUs. One look at all segments each; O(segments x segments of the job that overlap).
 */
#include <string.h>

#include "report/explain_data.h"

/* Keeps the named ones in order of `sign` x us; equal ones as they come. */
static void list_insert(struct explain_list *list, uint32_t job, int64_t us, int sign)
{
    uint32_t at = list->named < EXPLAIN_NAMED ? list->named++ : EXPLAIN_NAMED;
    list->count++;
    for (; at > 0 && sign * list->us[at - 1] > sign * us; at--)
        if (at < EXPLAIN_NAMED) {
            list->us[at] = list->us[at - 1];
            list->jobs[at] = list->jobs[at - 1];
        }
    if (at < EXPLAIN_NAMED) {
        list->us[at] = us;
        list->jobs[at] = job;
    }
}

static bool waits_at(const struct hs_explain *x, int64_t us)
{
    uint32_t low = 0, high = x->stage_count; /* stages before `low` begin at or before us */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (x->stages[middle].from_us <= us)
            low = middle + 1;
        else
            high = middle;
    }
    const struct explain_stage *stage = low > 0 ? &x->stages[low - 1] : NULL;
    return stage != NULL && stage->segment == EXPLAIN_NONE && us < stage->to_us;
}

/* Whose first start was while it waited, though they came later; the earliest are named. */
static void look_for_overtakers(const struct hs_explain *x, uint32_t index,
                                struct explain_list *list)
{
    const struct explain_job *job = &x->jobs[index];
    const bool is_partition = x->cluster.vc_mode == HS_VC_PARTITION;
    for (uint32_t i = 0; i < x->job_count; i++) {
        const struct explain_job *other = &x->jobs[i];
        bool is_rival = other->gpus > 0 && (!is_partition || other->vc == job->vc);
        if (is_rival && other->submit_us > job->submit_us && other->start_us >= 0 &&
            waits_at(x, other->start_us))
            list_insert(list, i, other->start_us, 1);
    }
}

static bool shares_gpus(const struct hs_explain *x, const struct explain_segment *a,
                        const struct explain_segment *b)
{
    uint32_t i = a->first_range, k = b->first_range;
    while (i < a->first_range + a->ranges && k < b->first_range + b->ranges) {
        if (x->ranges[i].last < x->ranges[k].first)
            i++;
        else if (x->ranges[k].last < x->ranges[i].first)
            k++;
        else
            return true;
    }
    return false;
}

/* The segment that held each GPU last before a placement, plus 1; 0 = nobody ever did. */
static void find_last_holders(const struct hs_explain *x, const struct explain_segment *placed,
                              uint32_t *last)
{
    for (uint32_t i = 0; i < x->segment_count && x->segments[i].end_us <= placed->start_us; i++) {
        const struct explain_segment *s = &x->segments[i];
        if (s == placed || s->job == placed->job || !shares_gpus(x, s, placed))
            continue;
        for (uint32_t k = s->first_range; k < s->first_range + s->ranges; k++)
            for (uint32_t gpu = x->ranges[k].first; gpu <= x->ranges[k].last; gpu++)
                last[gpu] = i + 1; /* they are in order of their ends */
    }
}

/* Who held each GPU of its first placement last. */
static enum hs_status look_for_predecessors(const struct hs_explain *x, uint32_t index,
                                            struct explain_around *around)
{
    const struct explain_segment *first = &x->segments[x->jobs[index].first_segment];
    uint32_t *last = hs_alloc_zeroed((uint64_t)x->cluster.gpu_count + 1, sizeof *last);
    bool *is_listed = hs_alloc_zeroed((uint64_t)x->job_count + 1, sizeof *is_listed);
    if (last == NULL || is_listed == NULL) {
        hs_free(last);
        hs_free(is_listed);
        return HS_E_MEMORY;
    }
    find_last_holders(x, first, last);
    for (uint32_t k = first->first_range; k < first->first_range + first->ranges; k++)
        for (uint32_t gpu = x->ranges[k].first; gpu <= x->ranges[k].last; gpu++) {
            const struct explain_segment *s = last[gpu] > 0 ? &x->segments[last[gpu] - 1] : NULL;
            around->idle_gpus += s == NULL;
            if (s != NULL && !is_listed[s->job])
                list_insert(&around->freed, s->job, s->end_us, -1);
            if (s != NULL)
                is_listed[s->job] = true;
        }
    hs_free(last);
    hs_free(is_listed);
    return HS_OK;
}

/* The first of its stages that ends after us. */
static uint32_t stage_after(const struct hs_explain *x, int64_t us)
{
    uint32_t low = 0, high = x->stage_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (x->stages[middle].to_us <= us)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum hs_status look_for_partners(const struct hs_explain *x, uint32_t index,
                                        struct explain_list *list)
{
    int64_t *beside_us = hs_alloc_zeroed((uint64_t)x->job_count + 1, sizeof *beside_us);
    if (beside_us == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < x->segment_count; i++) {
        const struct explain_segment *s = &x->segments[i];
        for (uint32_t k = stage_after(x, s->start_us);
             s->job != index && k < x->stage_count && x->stages[k].from_us < s->end_us; k++) {
            const struct explain_stage *stage = &x->stages[k];
            if (stage->segment == EXPLAIN_NONE || !shares_gpus(x, s, &x->segments[stage->segment]))
                continue;
            int64_t from = s->start_us > stage->from_us ? s->start_us : stage->from_us;
            int64_t to = s->end_us < stage->to_us ? s->end_us : stage->to_us;
            beside_us[s->job] += to - from;
        }
    }
    for (uint32_t i = 0; i < x->job_count; i++)
        if (beside_us[i] > 0)
            list_insert(list, i, beside_us[i], -1);
    hs_free(beside_us);
    return HS_OK;
}

enum hs_status explain_look_around(const struct hs_explain *x, uint32_t job,
                                   struct explain_around *around)
{
    memset(around, 0, sizeof *around);
    look_for_overtakers(x, job, &around->overtaken);
    if (x->jobs[job].first_segment == EXPLAIN_NONE)
        return HS_OK;
    HS_TRY(look_for_predecessors(x, job, around));
    return x->is_sharing ? look_for_partners(x, job, &around->beside) : HS_OK;
}
