/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GPUs of guaranteed jobs: a GPU is usable if it has no owner, is not reserved for an earlier job,
 * and has memory for the job beside the least demands of its guests. Reservations of later jobs do
 * not count; otherwise two jobs could wait for each other.
 *
 * GPUs of opportunistic jobs: candidates are ordered by mean utilization over a window. GPUs that
 * changed within the window are unsettled and re-evaluated in each pass; the mean of the others is
 * constant and stored in a tree.
 */
#include "policies/antman/antman.h"

#define FULL_PM 1000u
#define MEMORY  0
#define TIME    1 /* resources of guests: GPU memory, and utilization, per mille */
/* Above any sum of utilizations: GPUs without guests come first. */
#define GUEST_COST (INT64_C(1) << 32)

/* ---- sums and lists ---- */

void hs_antman_note_freed(struct hs_antman *s, uint32_t node)
{
    if (!s->is_freed[node])
        s->freed[s->freed_count++] = node;
    s->is_freed[node] = true;
}

/* Updates the numbers of open GPUs, those with neither owner nor reservation. */
static void count_open(struct hs_antman *s, uint32_t gpu, bool was_open)
{
    const uint32_t node = hs_view_gpu_node(s->v, gpu);
    bool is_open = s->gpus[gpu].owner == 0 && s->gpus[gpu].reserved == 0;
    s->open[node] += is_open;
    s->open[node] -= was_open;
    s->open_gpus += is_open;
    s->open_gpus -= was_open;
    if (is_open)
        hs_antman_note_freed(s, node);
}

void hs_antman_set_owner(struct hs_antman *s, uint32_t gpu, uint32_t owner)
{
    struct hs_antman_gpu *g = &s->gpus[gpu];
    bool was_open = g->owner == 0 && g->reserved == 0;
    g->owner = owner;
    g->tick_us = 0;
    count_open(s, gpu, was_open);
}

/* ---- guaranteed jobs: nodes ---- */

/* What a node offers to a gang. */
struct offer {
    uint32_t node, room;
    int64_t cost; /* sum over the cheapest GPUs, as many as the gang needs */
    uint32_t idle;
};

static int64_t cost_of(const struct hs_antman_gpu *g)
{
    return g->guests > 0 ? GUEST_COST + g->guest_pm : 0;
}

static bool is_usable(struct hs_antman *s, hs_job_id job, uint32_t gpu)
{
    const struct hs_antman_gpu *g = &s->gpus[gpu];
    const struct hs_antman_job *j = hs_antman_job(s, job);
    bool is_reserved = g->reserved != 0 && g->reserved != job + 1 &&
                       (j->role != HS_ANTMAN_RESERVING ||
                        hs_job_queue_is_before(&s->reserving, s->v, g->reserved - 1, job));
    if (g->owner != 0 || is_reserved)
        return false;
    return g->guests == 0 || (hs_view_may_join(s->v, gpu, job) &&
                              g->least_mib + j->peak_mib <= hs_view_gpu_capacity_mib(s->v, gpu));
}

/* Lists the node's usable GPUs in s->node_gpus, cheapest first, ties by number: at most `most`, and
 * as many as its CPUs and host memory serve. Insertion sort suffices: a node has few GPUs. */
static uint32_t usable_gpus(struct hs_antman *s, hs_job_id job, uint32_t node, uint32_t most)
{
    uint32_t first = hs_view_node(s->v, node)->first_gpu, count = 0;
    uint32_t workers = hs_view_node_workers(s->v, job, node);
    most = workers < most ? workers : most;
    for (uint32_t gpu = first; most > 0 && gpu < first + hs_view_node(s->v, node)->gpus; gpu++) {
        int64_t cost = cost_of(&s->gpus[gpu]);
        if (!is_usable(s, job, gpu) ||
            (count == most && cost >= cost_of(&s->gpus[s->node_gpus[count - 1]])))
            continue;
        uint32_t at = count < most ? count++ : count - 1;
        for (; at > 0 && cost_of(&s->gpus[s->node_gpus[at - 1]]) > cost; at--)
            s->node_gpus[at] = s->node_gpus[at - 1];
        s->node_gpus[at] = gpu;
    }
    return count;
}

/* Returns the best node for the rest of the gang, and adds the usable GPUs of nodes to *usable;
 * once that is enough, nodes with too few GPUs to be better are left out. Nodes with room for the
 * whole rest come first: fewer GPUs with guests, then less use by these, then the fuller node.
 * Other nodes follow, most room first. */
static struct offer best_offer(struct hs_antman *s, hs_job_id job, uint32_t rest, uint64_t *usable)
{
    bool may_take = hs_antman_job(s, job)->role == HS_ANTMAN_RESERVING;
    struct offer best = {.room = 0};
    for (uint32_t node = 0; node < s->v->nodes; node++) {
        const uint32_t most = s->open[node] + (may_take ? s->reserved[node] : 0);
        if (s->node_taken[node] > 0 || most == 0 || (*usable >= rest && most < best.room))
            continue;
        struct offer o = {.node = node, .idle = hs_view_node_free(s->v, node)};
        if (hs_view_may_use(s->v, job, node))
            o.room = usable_gpus(s, job, node, rest);
        for (uint32_t i = 0; i < o.room; i++)
            o.cost += cost_of(&s->gpus[s->node_gpus[i]]);
        *usable += o.room;
        bool is_better = o.room != best.room   ? o.room > best.room
                         : o.cost != best.cost ? o.cost < best.cost
                         : o.idle != best.idle
                             ? o.idle < best.idle
                             : hs_place_node_is_before(s->v, s->types, node, best.node);
        if (is_better && o.room > 0)
            best = o;
    }
    return best;
}

static void choose_idle_of(struct hs_antman *s, uint32_t node, uint32_t gpus)
{
    for (uint32_t gpu = 0; gpus > 0; gpus--) {
        gpu = hs_view_idle_gpu(s->v, node, gpu);
        s->chosen[s->chosen_count++] = gpu++;
    }
}

/* Chooses idle GPUs of the fullest node that has enough; for a gang larger than a node, whole nodes
 * of the largest size and then the fullest that has enough for the rest. This is optimal unless
 * some GPUs are reserved. Several nodes are not tried if ties are drawn, as an unsuccessful search
 * would change later draws. */
static bool choose_idle(struct hs_antman *s, hs_job_id job, uint32_t gpus)
{
    uint32_t size = s->v->max_node_gpus, from = 0;
    if (s->reserved_gpus > 0)
        return false;
    uint32_t node = hs_view_best_fit(s->v, job, gpus);
    if (node != HS_NO_NODE) {
        choose_idle_of(s, node, gpus);
        return true;
    }
    if (gpus <= size || s->v->ties_are_drawn ||
        hs_view_node_count(s->v, job, size, true) < gpus / size)
        return false;
    for (; gpus > 0; gpus -= size < gpus ? size : gpus) {
        node = hs_view_idle_node(s->v, job, size, from);
        from = node + 1;
        uint32_t fullest = gpus < size ? hs_view_best_fit(s->v, job, gpus) : HS_NO_NODE;
        if (fullest != HS_NO_NODE && hs_view_node_free(s->v, fullest) < size)
            node = fullest;
        if (node == HS_NO_NODE) {
            s->chosen_count = 0;
            return false;
        }
        choose_idle_of(s, node, gpus < size ? gpus : size);
    }
    return true;
}

static void unreserve_gpu(struct hs_antman *s, uint32_t gpu)
{
    hs_antman_job(s, s->gpus[gpu].reserved - 1)->reserved_count--;
    s->gpus[gpu].reserved = 0;
    s->reserved[hs_view_gpu_node(s->v, gpu)]--;
    s->reserved_gpus--;
    count_open(s, gpu, false);
    hs_antman_unsettle(s, gpu);
}

/* before: GPUs reserved for the jobs before it. Returns false if too few GPUs are usable. */
static bool choose_gpus(struct hs_antman *s, hs_job_id job, uint64_t before)
{
    uint32_t gpus = hs_view_gpus(s->v, job);
    uint64_t usable = 0;
    s->chosen_count = 0;
    if (gpus == 0 || choose_idle(s, job, gpus))
        return true;
    if (s->open_gpus + s->reserved_gpus - before < gpus)
        return false;
    for (uint32_t rest = gpus; rest > 0; rest = gpus - s->chosen_count) {
        struct offer o = best_offer(s, job, rest, &usable);
        if (usable < rest) /* only the first iteration can fail */
            return false;
        o.room = usable_gpus(s, job, o.node, rest);
        for (uint32_t i = 0; i < o.room; i++)
            s->chosen[s->chosen_count++] = s->node_gpus[i];
        s->node_taken[o.node] = o.room;
    }
    for (uint32_t i = 0; i < s->chosen_count; i++) {
        uint32_t gpu = s->chosen[i], reserved = s->gpus[gpu].reserved;
        s->node_taken[hs_view_gpu_node(s->v, gpu)] = 0;
        if (reserved != 0 && reserved != job + 1) /* for a later job */
            unreserve_gpu(s, gpu);
    }
    return true;
}

/* ---- guaranteed jobs: reservations ---- */

/* Reserves all GPUs that the job could use. */
static void reserve(struct hs_antman *s, hs_job_id job, uint64_t before)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    bool may_take = s->reserved_gpus > before + j->reserved_count;
    if (s->types == HS_TYPES_MATCH)
        hs_view_search_type(s->v, hs_view_type_ran(s->v, job), true);
    for (uint32_t node = 0; node < s->v->nodes && (may_take || s->open_gpus > 0); node++) {
        bool has_some = s->open[node] > 0 || (may_take && s->reserved[node] > 0);
        if (!has_some || !hs_view_may_use(s->v, job, node))
            continue;
        uint32_t count = usable_gpus(s, job, node, hs_view_gpus(s->v, job));
        for (uint32_t i = 0; i < count; i++) {
            uint32_t gpu = s->node_gpus[i], *reserved = &s->gpus[gpu].reserved;
            hs_antman_unsettle(s, gpu);
            if (*reserved == job + 1)
                continue;
            if (*reserved != 0)
                unreserve_gpu(s, gpu);
            *reserved = job + 1;
            j->reserved_count++;
            s->reserved[node]++;
            s->reserved_gpus++;
            count_open(s, gpu, true);
        }
    }
    hs_view_search_type(s->v, HS_ANY_TYPE, true);
}

/* Tells whether the job could use a GPU of the node. */
static bool has_usable(struct hs_antman *s, hs_job_id job, uint32_t node)
{
    return hs_view_may_use(s->v, job, node) && usable_gpus(s, job, node, 1) > 0;
}

uint32_t hs_antman_need_mib(const struct hs_view *v, hs_job_id job, bool *is_constrained)
{
    const struct hs_antman_job *j = hs_view_scratch(v, job);
    *is_constrained = false;
    return j->is_alone ? HS_ANTMAN_WHOLE : j->peak_mib;
}

/* Tells whether a job is on the GPU that shares none. */
static bool is_closed(struct hs_antman *s, uint32_t gpu)
{
    const uint32_t h = s->allocations.on_gpu[gpu];
    return h != 0 && hs_antman_job(s, s->entries[h].job)->is_alone;
}

/* Returns the most memory that GPUs of the freed nodes have for the job and those behind it in the
 * order of reservations, or -1 if they have no GPU for these. A job that needs more fails as at its
 * last attempt. */
static int64_t freed_room_mib(struct hs_antman *s, hs_job_id job, const uint32_t *nodes,
                              uint32_t count)
{
    int64_t most_mib = -1;
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_node *n = hs_view_node(s->v, nodes[i]);
        for (uint32_t gpu = n->first_gpu; gpu < n->first_gpu + n->gpus; gpu++) {
            const struct hs_antman_gpu *g = &s->gpus[gpu];
            const int64_t mib = g->guests == 0 ? HS_ANTMAN_WHOLE
                                               : (int64_t)hs_view_gpu_capacity_mib(s->v, gpu) -
                                                     (int64_t)g->least_mib;
            if (g->owner == 0 && mib > most_mib && (g->guests == 0 || !is_closed(s, gpu)) &&
                (g->reserved == 0 || g->reserved == job + 1 ||
                 !hs_job_queue_is_before(&s->reserving, s->v, g->reserved - 1, job)))
                most_mib = mib;
        }
    }
    return most_mib;
}

/* Returns the first job with a reservation, from this one on, that may have gained a GPU on a freed
 * node: `looked` of them, and those freed in this pass. */
static hs_job_id next_gaining(struct hs_antman *s, hs_job_id job, uint32_t looked)
{
    while (job != HS_NO_JOB) {
        bool is_constrained;
        int64_t mib = freed_room_mib(s, job, s->looked, looked);
        const int64_t more_mib = freed_room_mib(s, job, s->freed, s->freed_count);
        mib = hs_later(mib, more_mib);
        if (mib < 0)
            return HS_NO_JOB;
        if (hs_antman_need_mib(s->v, job, &is_constrained) <= mib)
            return job;
        job = hs_job_queue_next_fitting(&s->reserving, s->v, job, (uint64_t)mib);
    }
    return HS_NO_JOB;
}

void hs_antman_unreserve(struct hs_antman *s, hs_job_id job)
{
    const struct hs_antman_job *j = hs_antman_job(s, job);
    for (uint32_t gpu = 0; j->reserved_count > 0; gpu++)
        if (s->gpus[gpu].reserved == job + 1)
            unreserve_gpu(s, gpu);
}

/* ---- guaranteed jobs: in order ---- */

void hs_antman_place_or_reserve(struct hs_antman *s, hs_job_id job, uint64_t before)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    struct hs_type_turns turns = hs_type_turns(s->v, job, s->types);
    bool is_found = false;
    while (hs_next_type(&turns, s->v, is_found))
        is_found = choose_gpus(s, job, before);
    if (is_found) {
        if (j->role == HS_ANTMAN_RESERVING)
            hs_job_queue_remove(&s->reserving, s->v, job);
        hs_antman_start(s, job, HS_ANTMAN_GUARANTEED);
        hs_antman_unreserve(s, job);
        return;
    }
    if (j->role != HS_ANTMAN_RESERVING) {
        j->role = HS_ANTMAN_RESERVING;
        hs_job_queue_add(&s->reserving, s->v, job, s->reservations++);
    }
    if (hs_reject_hopeless(s->v, s->p, job))
        hs_antman_dequeue(s, job);
    else
        reserve(s, job, before);
}

/* Serves jobs in the order of their reservations, of those behind the first only the ones that may
 * have gained a GPU: the others fail as at their last attempt. Nodes freed meanwhile are considered
 * in another round. */
void hs_antman_serve_reserving(struct hs_antman *s)
{
    const struct hs_job_queue *set = &s->reserving;
    while (s->freed_count > 0) {
        uint32_t count = s->freed_count, *taken = s->freed;
        uint64_t before = 0; /* reserved for the jobs that were served */
        for (uint32_t i = 0; i < count; i++)
            s->is_freed[taken[i]] = false;
        s->freed = s->looked;
        s->looked = taken;
        s->freed_count = 0;
        hs_job_id job = hs_job_queue_first(set), next;
        for (; job != HS_NO_JOB; job = next) {
            next = hs_job_queue_next(set, s->v, job);
            bool has_gained = false;
            for (uint32_t i = 0; i < count && !has_gained; i++)
                has_gained = has_usable(s, job, s->looked[i]);
            for (uint32_t i = 0; i < s->freed_count && !has_gained; i++)
                has_gained = has_usable(s, job, s->freed[i]);
            if (has_gained)
                hs_antman_place_or_reserve(s, job, before);
            else if (job == hs_job_queue_first(set) && hs_reject_hopeless(s->v, s->p, job))
                hs_antman_dequeue(s, job);
            before += hs_antman_job(s, job)->reserved_count;
            if (next != hs_job_queue_first(set))
                next = next_gaining(s, next, count);
        }
    }
}

void hs_antman_unsettle(struct hs_antman *s, uint32_t gpu)
{
    if (!s->gpus[gpu].is_unsettled)
        s->unsettled[s->unsettled_count++] = gpu;
    s->gpus[gpu].is_unsettled = true;
    s->gpus[gpu].changed_us = hs_view_now_us(s->v);
}

/* ---- opportunistic jobs: candidates ---- */

/* Returns the owner, or the job for which the GPU is reserved. */
static const struct hs_antman_job *owner_of(struct hs_antman *s, const struct hs_antman_gpu *g)
{
    return hs_antman_job(s, (g->owner != 0 ? g->owner : g->reserved) - 1);
}

/* Returns the GPU's mean utilization. If a job arrived within the window, or there are guests, the
 * sum of the jobs' demands counts if it is larger: a guest that is capped, or whose gang waits for
 * another GPU, leaves the GPU idle, which would otherwise look permanently suitable. */
static uint32_t load_pm(struct hs_antman *s, uint32_t gpu)
{
    const struct hs_antman_gpu *g = &s->gpus[gpu];
    uint32_t mean_pm = hs_view_gpu_util_pm(s->v, gpu, s->window_us);
    if (s->now_us >= g->known_us && g->guests == 0)
        return mean_pm;
    uint32_t sum_pm = g->guest_pm + (g->owner != 0 ? owner_of(s, g)->util_pm : 0);
    sum_pm = sum_pm < FULL_PM ? sum_pm : FULL_PM;
    return sum_pm > mean_pm ? sum_pm : mean_pm;
}

/* Returns the memory for another guest, beside the owner or the job with the reservation; -1: no
 * guest fits. */
static int64_t room_mib(struct hs_antman *s, uint32_t gpu)
{
    const struct hs_antman_gpu *g = &s->gpus[gpu];
    int64_t capacity_mib = hs_view_gpu_capacity_mib(s->v, gpu), taken_mib = (int64_t)g->least_mib;
    bool is_owned = g->owner != 0 || g->reserved != 0;
    if (capacity_mib == UINT32_MAX || (!is_owned && g->guests == 0))
        return UINT32_MAX;
    taken_mib += is_owned ? owner_of(s, g)->peak_mib : 0;
    return taken_mib <= capacity_mib ? capacity_mib - taken_mib : -1;
}

uint64_t hs_antman_candidate_key(const struct hs_antman *s, uint32_t gpu, uint32_t load_pm)
{
    return ((uint64_t)load_pm << 52) + hs_place_kind(s->v, s->types, hs_view_gpu_node(s->v, gpu));
}

/* Returns the sum of utilizations for other guests beside the owner, which keeps one step of the
 * cap for each. */
static uint32_t left_pm(struct hs_antman *s, const struct hs_antman_gpu *g)
{
    if (g->owner == 0)
        return g->guests == 0 ? HS_ANTMAN_WHOLE : HS_ANTMAN_UNOWNED;
    uint32_t owner_pm = owner_of(s, g)->util_pm;
    uint32_t most_pm = owner_pm < FULL_PM ? (FULL_PM - owner_pm) * FULL_PM / s->step_pm : 0;
    return most_pm > g->guest_pm ? most_pm - g->guest_pm : 0;
}

/* Notes that a candidate has this room now; to jobs that need more it makes no difference. */
static void raise_limits(struct hs_antman *s, struct hs_capacity room)
{
    s->has_gained = true;
    for (uint32_t i = 0; i < s->kinds->used_count; i++) {
        struct hs_antman_kind *k = &s->kinds->of[s->kinds->used[i]];
        if (k->least_mib <= room.of[MEMORY] && k->limit <= room.of[TIME])
            k->limit = room.of[TIME] + 1;
    }
}

/* Updates the GPU among the candidates. Room for an owner is kept; a job with a reservation that
 * ran out of memory gets the GPU exclusively. */
static void renew(struct hs_antman *s, uint32_t gpu)
{
    const struct hs_antman_gpu *g = &s->gpus[gpu];
    int64_t mib = room_mib(s, gpu);
    uint32_t most = s->v->max_tenants, room_pm = left_pm(s, g);
    bool may_come = mib >= 0 && g->guests < (most > 1 ? most - 1 : 1) &&
                    !hs_antman_is_settling(s, g) && !is_closed(s, gpu) &&
                    (g->reserved == 0 || hs_view_ooms(s->v, g->reserved - 1) == 0) &&
                    (g->guests == 0 || room_pm > 0);
    uint32_t pm = may_come ? load_pm(s, gpu) : UINT32_MAX;
    if (pm >= s->thr_pm) {
        hs_capacity_tree_drop(&s->candidates, 0, gpu);
        return;
    }
    const struct hs_capacity_tree_node *before = &s->candidates.nodes[gpu];
    const struct hs_capacity room = {{(uint64_t)mib, room_pm}};
    if (!before->is_in || room.of[MEMORY] > before->room.of[MEMORY] ||
        room.of[TIME] > before->room.of[TIME])
        raise_limits(s, room);
    hs_capacity_tree_put(&s->candidates, 0, gpu, hs_antman_candidate_key(s, gpu, pm), room);
}

/* ---- opportunistic jobs: placement ---- */

/* Returns the utilization that an opportunistic job adds, by which its kind is searched. */
static uint32_t need_pm(const struct hs_view *v, hs_job_id job, bool *is_constrained)
{
    const struct hs_antman_job *j = hs_view_scratch(v, job);
    *is_constrained = false;
    return hs_view_gpus(v, job) == 0 ? 0 : j->is_alone ? HS_ANTMAN_WHOLE : j->util_pm;
}

static struct hs_capacity need_of(const struct hs_view *v, hs_job_id job)
{
    const struct hs_antman_job *j = hs_view_scratch(v, job);
    bool is_constrained;
    return (struct hs_capacity){{j->least_mib, need_pm(v, job, &is_constrained)}};
}

/* The largest power of two that is not larger. */
static uint32_t rounded(uint32_t number)
{
    while ((number & (number - 1)) != 0)
        number &= number - 1;
    return number;
}

/* Returns the number of the kind that holds such jobs. */
static uint32_t kind_of(struct hs_antman *s, uint32_t gpus, uint32_t mib)
{
    struct hs_antman_kinds *kinds = s->kinds;
    if (kinds->used_count >= HS_ANTMAN_KINDS / 4) {
        gpus = rounded(gpus);
        mib = rounded(mib);
    }
    uint32_t at = hs_job_queue_mix((uint64_t)gpus << 32 | mib);
    for (;; at++) {
        struct hs_antman_kind *k = &kinds->of[at % HS_ANTMAN_KINDS];
        if (!k->is_used) {
            *k = (struct hs_antman_kind){.jobs.size_of = need_pm,
                                         .least_gpus = gpus,
                                         .least_mib = mib,
                                         .limit = UINT64_MAX,
                                         .is_used = true};
            kinds->used[kinds->used_count++] = at % HS_ANTMAN_KINDS;
        }
        if (k->least_gpus == gpus && k->least_mib == mib)
            return at % HS_ANTMAN_KINDS;
    }
}

void hs_antman_wait(struct hs_antman *s, hs_job_id job, int64_t round)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    j->kind = kind_of(s, hs_view_gpus(s->v, job), j->least_mib) & (HS_ANTMAN_KINDS - 1);
    hs_job_queue_add(&s->kinds->of[j->kind].jobs, s->v, job, round);
    s->kinds->jobs++;
    s->tenants[hs_view_vc(s->v, job)].waiting++;
}

void hs_antman_unwait(struct hs_antman *s, hs_job_id job)
{
    hs_job_queue_remove(&s->kinds->of[hs_antman_job(s, job)->kind].jobs, s->v, job);
    s->kinds->jobs--;
    s->tenants[hs_view_vc(s->v, job)].waiting--;
}

void hs_antman_choose(struct hs_antman *s, hs_job_id job, uint32_t gpu)
{
    const uint32_t node = hs_view_gpu_node(s->v, gpu);
    if (hs_view_may_use(s->v, job, node) && hs_view_may_join(s->v, gpu, job) &&
        hs_view_node_workers(s->v, job, node) > s->node_taken[node]) {
        s->chosen[s->chosen_count++] = gpu;
        s->node_taken[node]++;
    }
}

bool hs_antman_has_chosen(struct hs_antman *s, uint32_t gpus)
{
    for (uint32_t i = 0; i < s->chosen_count; i++)
        s->node_taken[hs_view_gpu_node(s->v, s->chosen[i])] = 0;
    return s->chosen_count == gpus;
}

/* Chooses the candidates with the least load. */
static bool choose(struct hs_antman *s, hs_job_id job)
{
    const uint32_t gpus = hs_view_gpus(s->v, job);
    const struct hs_capacity need = need_of(s->v, job);
    s->chosen_count = 0;
    if (gpus > s->candidates.count)
        return false;
    for (uint32_t gpu = hs_capacity_tree_first(&s->candidates, 0, 0, need);
         s->chosen_count < gpus && gpu != HS_NO_CAPACITY;
         gpu = hs_capacity_tree_next(&s->candidates, 0, gpu, need))
        hs_antman_choose(s, job, gpu);
    return hs_antman_has_chosen(s, gpus);
}

/* Renews the unsettled GPUs, and notes those that did not change within the window as settled.
 * Returns true if the last one became settled. */
static bool settle(struct hs_antman *s)
{
    const bool was_settled = s->unsettled_count == 0;
    for (uint32_t i = s->unsettled_count; i-- > 0;) {
        uint32_t gpu = s->unsettled[i];
        struct hs_antman_gpu *g = &s->gpus[gpu];
        renew(s, gpu);
        if (s->now_us - g->changed_us < s->window_us || hs_antman_is_settling(s, g))
            continue;
        g->is_unsettled = false;
        s->unsettled[i] = s->unsettled[--s->unsettled_count];
    }
    return !was_settled && s->unsettled_count == 0;
}

/* Sets the limit of the kind, after a job failed, to what enough candidates have left. O(GPUs). */
static void lower_limit(struct hs_antman *s, struct hs_antman_kind *k)
{
    struct hs_capacity need = {{k->least_mib, 0}};
    uint32_t *most_pm = s->chosen, count = 0; /* so far, descending */
    for (uint32_t gpu = hs_capacity_tree_first(&s->candidates, 0, 0, need);
         k->least_gpus > 0 && gpu != HS_NO_CAPACITY;
         gpu = hs_capacity_tree_next(&s->candidates, 0, gpu, need)) {
        const uint32_t pm = (uint32_t)s->candidates.nodes[gpu].room.of[TIME];
        uint32_t at = count < k->least_gpus ? count++ : count - 1;
        for (; at > 0 && most_pm[at - 1] < pm; at--)
            most_pm[at] = most_pm[at - 1];
        most_pm[at] = pm;
        if (count == k->least_gpus)
            need.of[TIME] = most_pm[count - 1] + UINT64_C(1);
    }
    if (k->least_gpus > 0)
        k->limit = need.of[TIME]; /* 0: too few candidates */
}

/* Returns the first job of the kind, from this one on, that may find GPUs. */
static hs_job_id next_of_kind(struct hs_antman *s, struct hs_antman_kind *k, hs_job_id job)
{
    const uint64_t most_pm = hs_capacity_tree_most(&s->candidates, 0).of[TIME] + 1;
    const uint64_t limit_pm = hs_smaller(k->limit, most_pm);
    if (limit_pm == 0)
        return HS_NO_JOB;
    return job == HS_NO_JOB || need_of(s->v, job).of[TIME] < limit_pm
               ? job
               : hs_job_queue_next_fitting(&k->jobs, s->v, job, limit_pm - 1);
}

/* Returns whether the job was started. */
static bool try_start(struct hs_antman *s, hs_job_id job)
{
    struct hs_type_turns turns = hs_type_turns(s->v, job, s->types);
    bool is_found = false;
    while (hs_next_type(&turns, s->v, is_found))
        is_found = choose(s, job);
    if (!is_found)
        return false;
    const uint32_t gpus = hs_view_gpus(s->v, job);
    int64_t round = hs_job_queue_key(s->v, job);
    s->waiting_round = round > s->waiting_round ? round : s->waiting_round;
    hs_antman_unwait(s, job);
    if (hs_view_class(s->v, job) == HS_JOB_CLASS_AUTO)
        hs_job_queue_add(&s->tenants[hs_view_vc(s->v, job)].upgradable, s->v, job, 0);
    hs_antman_start(s, job, HS_ANTMAN_OPPORTUNISTIC);
    for (uint32_t i = 0; i < gpus; i++)
        renew(s, s->chosen[i]);
    return true;
}

void hs_antman_fill(struct hs_antman *s)
{
    if (s->kinds->jobs == 0)
        return;
    const bool has_settled = settle(s);
    if (!s->has_gained && !has_settled)
        return; /* all would fail as in the last pass, and none proves infeasible */
    s->has_gained = false;
    /* else no job is hopeless, and all that must fail can be left out */
    bool tries_all =
        false; /* on an idle pool where all GPUs are settled a job starts now or never */
    for (uint32_t vc = 0; s->unsettled_count == 0 && vc < s->tenant_count; vc++)
        tries_all |= s->tenants[vc].waiting > 0 &&
                     hs_view_free_gpus(s->v, vc) == hs_view_total_gpus(s->v, vc);
    struct hs_merge_heap heap = {.at = s->kinds->heads, .order = &s->kinds->of[0].jobs};
    for (uint32_t i = 0; i < s->kinds->used_count; i++) {
        struct hs_antman_kind *k = &s->kinds->of[s->kinds->used[i]];
        if (tries_all)
            k->limit = UINT64_MAX;
        const hs_job_id first = next_of_kind(s, k, hs_job_queue_first(&k->jobs));
        if (first != HS_NO_JOB)
            hs_merge_heap_add(&heap, s->v, (struct hs_merge_head){first, s->kinds->used[i]});
    }
    while (heap.count > 0) {
        const struct hs_merge_head head = heap.at[0];
        struct hs_antman_kind *k = &s->kinds->of[head.set];
        const hs_job_id next = hs_job_queue_next(&k->jobs, s->v, head.job);
        const bool is_started = try_start(s, head.job);
        if (!is_started && tries_all)
            (void)hs_reject_hopeless(s->v, s->p, head.job);
        else if (!is_started)
            lower_limit(s, k);
        hs_merge_heap_replace_first(&heap, s->v,
                                    (struct hs_merge_head){next_of_kind(s, k, next), head.set});
    }
}

void hs_antman_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct hs_antman *s = state;
    *can &= ~(uint32_t)(s->compat ? HS_CAN_SLICE | HS_CAN_TIME : HS_CAN_INTERLEAVE);
    *knows &= s->compat ? HS_KNOWS_RATE | HS_KNOWS_STAGES : ~(uint32_t)HS_KNOWS_STAGES;
    hs_place_needs((struct hs_place_rule){.types = s->types}, knows);
}

/* ---- invariants ---- */

static const char *check_gpu(const struct hs_antman *s, uint32_t gpu)
{
    const struct hs_antman_gpu *g = &s->gpus[gpu];
    uint32_t owners = 0, guests = 0, guest_pm = 0;
    if (g->owner != 0 && (g->steps > g->most || g->reserved != 0 ||
                          hs_antman_job(s, g->owner - 1)->role != HS_ANTMAN_GUARANTEED))
        return "caps beside a guaranteed job are above what it leaves, or its GPU is reserved, or "
               "its "
               "owner is not guaranteed";
    for (uint32_t h = s->allocations.on_gpu[gpu]; h != 0; h = s->entries[h].next_on_gpu) {
        hs_job_id job = s->entries[h].job;
        const struct hs_antman_job *j = hs_antman_job(s, job);
        if (j->role != HS_ANTMAN_OPPORTUNISTIC) {
            owners += g->owner == job + 1;
            continue;
        }
        guests++;
        guest_pm += j->util_pm;
        if (g->owner != 0 && j->cap_steps > g->steps && hs_view_state(s->v, job) == HS_JOB_RUNNING)
            return "a cap is above that of its GPU";
    }
    if (owners != (g->owner != 0) || guests != g->guests || guest_pm != g->guest_pm ||
        owners + guests != hs_view_gpu_tenants(s->v, gpu))
        return "a GPU has not one owner at most, and its guests";
    return NULL;
}

static const char *check_gpus(const struct hs_antman *s)
{
    uint64_t open = 0, reserved = 0, charged = 0;
    for (uint32_t gpu = 0; gpu < s->gpu_count; gpu++) {
        const char *broken = check_gpu(s, gpu);
        uint32_t job = s->gpus[gpu].reserved;
        if (broken == NULL && job != 0 && hs_antman_job(s, job - 1)->role != HS_ANTMAN_RESERVING)
            broken = "a GPU is reserved for a job that does not wait for it";
        if (broken != NULL)
            return broken;
        open += s->gpus[gpu].owner == 0 && s->gpus[gpu].reserved == 0;
        reserved += s->gpus[gpu].reserved != 0;
        charged += s->gpus[gpu].owner != 0;
    }
    HS_EACH_QUEUED(j, &s->reserving, s->v) {
        charged += hs_view_gpus(s->v, j);
        reserved -= hs_antman_job(s, j)->reserved_count;
    }
    for (uint32_t vc = 0; vc < s->tenant_count; vc++)
        charged -= s->tenants[vc].charged;
    if (open != s->open_gpus || reserved != 0)
        return "reservations do not add up";
    return charged != 0 ? "quotas are charged for other GPUs than those owned and reserved" : NULL;
}

static const char *check_set(const struct hs_job_queue *set, const struct hs_antman *s,
                             enum hs_antman_role role)
{
    if (!hs_job_queue_is_valid(set, s->v))
        return "a queue is out of order";
    HS_EACH_QUEUED(j, set, s->v)
        if (hs_antman_job(s, j)->role != role ||
            hs_job_waits(s->v, j) == (role == HS_ANTMAN_OPPORTUNISTIC))
            return "a queue holds a job that is something else";
    return NULL;
}

const char *hs_antman_check(const void *state, const struct hs_view *v)
{
    const struct hs_antman *s = state;
    const char *broken = hs_allocation_map_check(&s->allocations, v);
    if (s->compat)
        return broken != NULL ? broken : check_set(&s->waiting, s, HS_ANTMAN_WAITING);
    broken = broken != NULL ? broken : check_set(&s->reserving, s, HS_ANTMAN_RESERVING);
    for (uint32_t i = 0; i < s->kinds->used_count && broken == NULL; i++)
        broken = check_set(&s->kinds->of[s->kinds->used[i]].jobs, s, HS_ANTMAN_WAITING);
    broken = broken != NULL ? broken : check_set(&s->autos, s, HS_ANTMAN_QUEUED);
    for (uint32_t vc = 0; vc < s->tenant_count && broken == NULL; vc++) {
        const struct hs_antman_tenant *t = &s->tenants[vc];
        broken = check_set(&t->queue, s, HS_ANTMAN_QUEUED);
        if (broken == NULL)
            broken = check_set(&t->upgradable, s, HS_ANTMAN_OPPORTUNISTIC);
        if (broken == NULL && t->charged > t->quota)
            broken = "a tenant is charged more than its quota";
    }
    return broken != NULL ? broken : check_gpus(s);
}
