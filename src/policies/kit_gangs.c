/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Orders by the size of the gang. Bounds of a walk only fall, so a lane that is too large for one
 * is closed for good.
 */
#include "policies/kit_gangs.h"

#define LAST_LANE    (HS_GANG_LANES - 1)  /* beyond the largest power of two that has one */
#define SHARED_LANES (UINT64_MAX / 3 - 1) /* the even ones, but 0 */

/* Lanes of larger sizes have larger numbers; those of exact ones, but 0, are odd. */
static uint32_t lane_of(uint64_t gpus)
{
    if (gpus >> 31 != 0)
        return LAST_LANE;
    bool is_between = (gpus & (gpus - 1)) != 0; /* two powers of two */
    return gpus == 0 ? 0 : 1 + 2 * (63 - HS_CLZ64(gpus)) + is_between;
}

/* NULL: the lane is shared. */
static struct hs_front *exact_lane(struct hs_gangs *set, uint32_t lane)
{
    return lane % 2 == 1 || lane == 0 ? &set->exact[(lane + 1) / 2] : NULL;
}

static struct hs_order *shared_lane(struct hs_gangs *set, uint32_t lane)
{
    return &set->shared[lane / 2];
}

void hs_gangs_add(struct hs_gangs *set, const struct hs_view *v, hs_job_id job, int64_t key)
{
    const uint32_t gpus = hs_view_gpus(v, job), lane = lane_of(gpus);
    struct hs_front *exact = exact_lane(set, lane);
    struct hs_order_link *link = hs_view_scratch(v, job);
    link->gpus = gpus; /* also for whoever orders the job when it waits no more */
    set->filled |= UINT64_C(1) << lane;
    set->stale |= UINT64_C(1) << lane;
    set->count++;
    if (exact != NULL)
        hs_front_add(exact, v, job, key);
    else
        hs_order_add(shared_lane(set, lane), v, job, key);
}

void hs_gangs_remove(struct hs_gangs *set, const struct hs_view *v, hs_job_id job)
{
    uint32_t lane = lane_of(hs_view_gpus(v, job));
    struct hs_front *exact = exact_lane(set, lane);
    uint64_t is_last = (exact != NULL ? exact->count : shared_lane(set, lane)->count) == 1;
    set->filled &= ~(is_last << lane);
    set->stale |= UINT64_C(1) << lane;
    set->count--;
    if (exact != NULL)
        hs_front_remove(exact, v, job);
    else
        hs_order_remove(shared_lane(set, lane), v, job);
}

void hs_gangs_rekey_all(struct hs_gangs *set, const struct hs_view *v, hs_order_key_of *key_of,
                        const void *ctx)
{
    for (uint64_t rest = set->filled; rest != 0; rest &= rest - 1) {
        struct hs_front *exact = exact_lane(set, HS_CTZ64(rest));
        if (exact != NULL)
            hs_front_rekey_all(exact, v, key_of, ctx);
        else
            hs_order_rekey_all(shared_lane(set, HS_CTZ64(rest)), v, key_of, ctx);
    }
    set->stale |= set->filled;
}

static hs_job_id lane_first(struct hs_gangs *set, const struct hs_view *v, uint32_t lane)
{
    struct hs_front *exact = exact_lane(set, lane);
    return exact != NULL ? hs_front_first(exact, v) : hs_order_first(shared_lane(set, lane), v);
}

/* A lane of the walk goes on with that job. */
static inline void put_head(struct hs_gangs_walk *w, const struct hs_view *v, uint32_t lane,
                            hs_job_id job)
{
    struct hs_gangs_head *head = &w->set->heads[lane];
    head->job = job;
    if (job == HS_NO_JOB) {
        w->open &= ~(UINT64_C(1) << lane);
        return;
    }
    const struct hs_order_link *link = hs_view_scratch(v, job);
    head->key = link->key;
    head->gpus = link->gpus;
}

/* Closes the lanes of larger gangs. Of the largest one that is open, some may be too large: then
 * the walk goes on behind them. */
static inline bool narrow(struct hs_gangs_walk *w, uint64_t gpus)
{
    uint32_t edge = lane_of(gpus);
    w->bound = gpus;
    w->open &= (UINT64_C(2) << edge) - 1;
    return (w->open & SHARED_LANES) >> edge == 1;
}

static HS_COLD void skip_too_large(struct hs_gangs_walk *w, const struct hs_view *v)
{
    uint32_t lane = lane_of(w->bound);
    hs_job_id job = w->set->heads[lane].job;
    if (w->set->heads[lane].gpus <= w->bound)
        return;
    w->set->moved |= UINT64_C(1) << lane;
    put_head(w, v, lane, hs_order_next_fitting(shared_lane(w->set, lane), v, job, w->bound));
}

void hs_gangs_begin(struct hs_gangs_walk *w, struct hs_gangs *set, const struct hs_view *v,
                    uint64_t gpus)
{
    w->set = set;
    w->open = set->filled & ((UINT64_C(2) << lane_of(gpus)) - 1);
    uint64_t stale = set->stale | set->moved;
    set->stale = stale & ~w->open;
    set->moved = 0;
    for (uint64_t rest = stale & w->open; rest != 0; rest &= rest - 1)
        put_head(w, v, HS_CTZ64(rest), lane_first(set, v, HS_CTZ64(rest)));
    if (narrow(w, gpus))
        skip_too_large(w, v);
}

/* Where keys are equal. */
static HS_COLD const struct hs_gangs_head *first_by_ties(struct hs_gangs_walk *w,
                                                         const struct hs_view *v)
{
    const struct hs_gangs_head *heads = w->set->heads;
    uint32_t best = HS_CTZ64(w->open);
    for (uint64_t rest = w->open & (w->open - 1); rest != 0; rest &= rest - 1) {
        const struct hs_gangs_head *head = &heads[HS_CTZ64(rest)];
        if (head->key != heads[best].key ? head->key < heads[best].key
                                         : hs_order_tie_is_before(v, head->job, heads[best].job))
            best = HS_CTZ64(rest);
    }
    w->lane = best;
    return &heads[best];
}

/* Without a jump that would have to be guessed. */
static inline const struct hs_gangs_head *first_of_lanes(struct hs_gangs_walk *w,
                                                         const struct hs_view *v)
{
    const struct hs_gangs_head *heads = w->set->heads;
    if (w->open == 0)
        return NULL;
    uint32_t best = HS_CTZ64(w->open);
    int64_t least = heads[best].key;
    bool is_tied = false;
    for (uint64_t rest = w->open & (w->open - 1); rest != 0; rest &= rest - 1) {
        uint32_t lane = HS_CTZ64(rest);
        int64_t key = heads[lane].key;
        is_tied |= key == least;
        best = key < least ? lane : best;
        least = key < least ? key : least;
    }
    if (HS_UNLIKELY(is_tied))
        return first_by_ties(w, v);
    w->lane = best;
    return &heads[best];
}

static HS_COLD const struct hs_gangs_head *look_from_shared(struct hs_gangs_walk *w,
                                                            const struct hs_view *v)
{
    skip_too_large(w, v);
    return first_of_lanes(w, v);
}

const struct hs_gangs_head *hs_gangs_look(struct hs_gangs_walk *w, const struct hs_view *v,
                                          uint64_t gpus)
{
    if (gpus != w->bound && narrow(w, gpus))
        return look_from_shared(w, v);
    return first_of_lanes(w, v);
}

/* Of a lane whose next job is not in the chain of its front, or that has none. */
static HS_APART void pass_far(struct hs_gangs_walk *w, const struct hs_view *v, uint32_t lane)
{
    struct hs_front *exact = exact_lane(w->set, lane);
    struct hs_order *shared = shared_lane(w->set, lane);
    hs_job_id job = w->set->heads[lane].job;
    put_head(w, v, lane,
             exact != NULL               ? hs_front_next(exact, v, job)
             : lane_of(w->bound) == lane ? hs_order_next_fitting(shared, v, job, w->bound)
                                         : hs_order_next(shared, v, job));
}

void hs_gangs_pass(struct hs_gangs_walk *w, const struct hs_view *v)
{
    const uint64_t bit = UINT64_C(1) << w->lane;
    const struct hs_order_link *link = hs_view_scratch(v, w->set->heads[w->lane].job);
    w->set->moved |= bit;
    if ((bit & SHARED_LANES) == 0 && link->right != HS_NO_JOB)
        put_head(w, v, w->lane, link->right);
    else
        pass_far(w, v, w->lane);
}

hs_job_id hs_gangs_another(struct hs_gangs *set, const struct hs_view *v, hs_job_id after)
{
    uint32_t lane = after == HS_NO_JOB ? 0 : lane_of(hs_view_gpus(v, after));
    for (; lane < HS_GANG_LANES; lane++, after = HS_NO_JOB) {
        struct hs_front *exact = exact_lane(set, lane);
        struct hs_order *shared = shared_lane(set, lane);
        hs_job_id job = exact != NULL        ? hs_front_another(exact, v, after)
                        : after == HS_NO_JOB ? hs_order_first(shared, v)
                                             : hs_order_next(shared, v, after);
        if (job != HS_NO_JOB)
            return job;
    }
    return HS_NO_JOB;
}

/* Lanes that nothing was said of since begin where they did. */
static bool beginnings_are_true(struct hs_gangs *set, const struct hs_view *v)
{
    for (uint64_t rest = set->filled & ~(set->stale | set->moved); rest != 0; rest &= rest - 1) {
        uint32_t lane = HS_CTZ64(rest);
        const struct hs_gangs_head *head = &set->heads[lane];
        if (head->job != lane_first(set, v, lane) || head->key != hs_order_key(v, head->job))
            return false;
    }
    return true;
}

bool hs_gangs_is_valid(struct hs_gangs *set, const struct hs_view *v)
{
    uint32_t in_lanes = 0, seen = 0;
    for (uint32_t lane = 0; lane < HS_GANG_LANES; lane++) {
        const struct hs_front *exact = exact_lane(set, lane);
        const struct hs_order *shared = shared_lane(set, lane);
        uint32_t jobs = exact != NULL ? exact->count : shared->count;
        in_lanes += jobs;
        if ((jobs > 0) != (set->filled >> lane & 1) ||
            !(exact != NULL ? hs_front_is_valid(exact, v) : hs_order_is_valid(shared, v)))
            return false;
    }
    for (hs_job_id j = HS_NO_JOB; (j = hs_gangs_another(set, v, j)) != HS_NO_JOB;)
        seen++;
    return in_lanes == set->count && seen == set->count && beginnings_are_true(set, v);
}
