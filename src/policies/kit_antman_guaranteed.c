/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GPUs of guaranteed jobs. Usable are those without an owner, not reserved for a job that comes
 * before, that have memory for the job beside the least that the opportunistic jobs there need. If
 * reservations of those who come after were in the way, two jobs could wait for each other.
 */
#include "policies/kit_antman.h"

/* A GPU with opportunistic jobs costs more than any number of their utilizations. */
#define SPARE_COST (INT64_C(1) << 32)

/* What a node can do for a gang. */
struct offer {
    uint32_t node, room;
    int64_t cost; /* of its cheapest GPUs, as many as the gang wants */
    uint32_t idle;
};

void hs_antman_note_freed(struct hs_antman *s, uint32_t node)
{
    if (!s->is_freed[node])
        s->freed[s->freed_count++] = node;
    s->is_freed[node] = true;
}

/* Open: without owner and reservation. */
static void count_open(struct hs_antman *s, const struct hs_view *v, uint32_t gpu, bool was_open)
{
    const uint32_t node = hs_view_gpu_node(v, gpu);
    bool is_open = s->gpus[gpu].owner == 0 && s->gpus[gpu].reserved == 0;
    s->open[node] += is_open;
    s->open[node] -= was_open;
    s->open_gpus += is_open;
    s->open_gpus -= was_open;
    if (is_open)
        hs_antman_note_freed(s, node);
}

void hs_antman_set_owner(struct hs_antman *s, const struct hs_view *v, uint32_t gpu, uint32_t owner)
{
    struct hs_antman_gpu *g = &s->gpus[gpu];
    bool was_open = g->owner == 0 && g->reserved == 0;
    g->owner = owner;
    g->tick_us = 0;
    count_open(s, v, gpu, was_open);
}

static int64_t cost_of(const struct hs_antman_gpu *g)
{
    return g->spares > 0 ? SPARE_COST + g->spare_pm : 0;
}

/* For another one that comes before it. */
static bool is_reserved(const struct hs_antman_pass *x, hs_job_id job,
                        const struct hs_antman_gpu *g)
{
    if (g->reserved == 0 || g->reserved == job + 1)
        return false;
    return hs_antman_job(x->v, job)->role != HS_ANTMAN_RESERVING ||
           hs_order_is_before(&x->s->reserving, x->v, g->reserved - 1, job);
}

static bool is_usable(const struct hs_antman_pass *x, hs_job_id job, uint32_t gpu)
{
    const struct hs_antman_gpu *g = &x->s->gpus[gpu];
    if (g->owner != 0 || is_reserved(x, job, g))
        return false;
    if (g->spares == 0)
        return true;
    return hs_view_may_join(x->v, gpu, job) &&
           g->least_mib + hs_antman_job(x->v, job)->peak_mib <= hs_view_gpu_capacity_mib(x->v, gpu);
}

/* The usable GPUs of a node, cheapest first, lowest id on ties, into s->node_gpus: at most `most`,
 * and as many as its CPUs and host memory serve. Insertion: a node is small. */
static uint32_t usable_gpus(const struct hs_antman_pass *x, hs_job_id job, uint32_t node,
                            uint32_t most)
{
    struct hs_antman *s = x->s;
    uint32_t first = hs_view_node_first_gpu(x->v, node), count = 0;
    uint32_t workers = hs_view_node_workers(x->v, job, node);
    most = workers < most ? workers : most;
    for (uint32_t gpu = first; most > 0 && gpu < first + hs_view_node_gpus(x->v, node); gpu++) {
        int64_t cost = cost_of(&s->gpus[gpu]);
        if (!is_usable(x, job, gpu) ||
            (count == most && cost >= cost_of(&s->gpus[s->node_gpus[count - 1]])))
            continue;
        uint32_t at = count < most ? count++ : count - 1;
        for (; at > 0 && cost_of(&s->gpus[s->node_gpus[at - 1]]) > cost; at--)
            s->node_gpus[at] = s->node_gpus[at - 1];
        s->node_gpus[at] = gpu;
    }
    return count;
}

static struct offer offer_of(const struct hs_antman_pass *x, hs_job_id job, uint32_t node,
                             uint32_t most)
{
    struct offer o = {.node = node, .idle = hs_view_node_free(x->v, node)};
    if (hs_view_may_use(x->v, job, node))
        o.room = usable_gpus(x, job, node, most);
    for (uint32_t i = 0; i < o.room; i++)
        o.cost += cost_of(&x->s->gpus[x->s->node_gpus[i]]);
    return o;
}

/* Of two nodes with room for the whole rest, the one where fewer GPUs have opportunistic jobs, then
 * where those use less, then the fuller one; a node without room for it comes after, the one with
 * less later. The first on ties. */
static bool is_better(const struct offer *a, const struct offer *b)
{
    if (a->room != b->room)
        return a->room > b->room;
    if (a->cost != b->cost)
        return a->cost < b->cost;
    return a->idle < b->idle;
}

static bool is_worth_a_look(const struct hs_antman *s, const struct hs_antman_job *j, uint32_t node)
{
    bool may_take = j->role == HS_ANTMAN_RESERVING && s->reserved[node] > 0;
    return !s->is_chosen[node] && (s->open[node] > 0 || may_take);
}

/* The best node for the rest of the gang, and the GPUs of all that are usable. */
static struct offer best_offer(const struct hs_antman_pass *x, hs_job_id job, uint32_t rest,
                               uint64_t *usable)
{
    const struct hs_antman_job *j = hs_antman_job(x->v, job);
    struct offer best = {.room = 0};
    *usable = 0;
    for (uint32_t node = 0; node < hs_view_nodes(x->v); node++) {
        if (!is_worth_a_look(x->s, j, node))
            continue;
        const struct offer o = offer_of(x, job, node, rest);
        *usable += o.room;
        if (o.room > 0 && (best.room == 0 || is_better(&o, &best)))
            best = o;
    }
    return best;
}

static void choose_on(const struct hs_antman_pass *x, hs_job_id job, uint32_t node, uint32_t gpus)
{
    struct hs_antman *s = x->s;
    uint32_t count = usable_gpus(x, job, node, gpus);
    for (uint32_t i = 0; i < count; i++)
        s->chosen[s->chosen_count++] = s->node_gpus[i];
    s->is_chosen[node] = true;
}

static void forget_nodes(struct hs_antman *s, const struct hs_view *v)
{
    for (uint32_t i = 0; i < s->chosen_count; i++)
        s->is_chosen[hs_view_gpu_node(v, s->chosen[i])] = false;
}

static void unreserve_gpu(struct hs_antman *s, const struct hs_view *v, uint32_t gpu)
{
    struct hs_antman_gpu *g = &s->gpus[gpu];
    struct hs_antman_job *j = hs_antman_job(v, g->reserved - 1);
    if (g->prev_reserved != 0)
        s->gpus[g->prev_reserved - 1].next_reserved = g->next_reserved;
    else
        j->first_reserved = g->next_reserved;
    if (g->next_reserved != 0)
        s->gpus[g->next_reserved - 1].prev_reserved = g->prev_reserved;
    g->reserved = g->next_reserved = g->prev_reserved = 0;
    j->reserved_count--;
    s->reserved[hs_view_gpu_node(v, gpu)]--;
    s->reserved_gpus--;
    count_open(s, v, gpu, false);
    hs_antman_unsettle(s, v, gpu);
}

/* From those who come after. */
static void take_chosen(const struct hs_antman_pass *x, hs_job_id job)
{
    struct hs_antman *s = x->s;
    for (uint32_t i = 0; i < s->chosen_count; i++) {
        uint32_t reserved = s->gpus[s->chosen[i]].reserved;
        if (reserved != 0 && reserved != job + 1)
            unreserve_gpu(s, x->v, s->chosen[i]);
    }
}

static void choose_idle_of(const struct hs_antman_pass *x, uint32_t node, uint32_t gpus)
{
    struct hs_antman *s = x->s;
    for (uint32_t gpu = 0; gpus > 0; gpus--) {
        gpu = hs_view_idle_gpu(x->v, node, gpu);
        s->chosen[s->chosen_count++] = gpu++;
    }
}

/* Whole nodes of the largest size for a gang that is larger than a node, then the fullest that has
 * enough for the rest. (Where ties are drawn a search in vain would change those after it.) */
static bool choose_idle_nodes(const struct hs_antman_pass *x, hs_job_id job, uint32_t gpus)
{
    struct hs_antman *s = x->s;
    uint32_t size = hs_view_max_node_gpus(x->v), from = 0, node;
    if (gpus <= size || hs_view_ties_are_drawn(x->v) ||
        hs_view_idle_count(x->v, job, size) < gpus / size)
        return false;
    for (; gpus > 0; gpus -= size < gpus ? size : gpus) {
        node = hs_view_idle_node(x->v, job, size, from);
        from = node + 1;
        if (gpus < size) {
            uint32_t fullest = hs_view_best_fit(x->v, job, gpus);
            if (fullest != HS_NO_NODE && hs_view_node_free(x->v, fullest) < size)
                node = fullest;
        }
        if (node == HS_NO_NODE)
            break;
        choose_idle_of(x, node, gpus < size ? gpus : size);
    }
    if (gpus > 0)
        s->chosen_count = 0;
    return gpus == 0;
}

/* Idle GPUs of one node, the fullest that has enough of them, or of whole nodes: nothing is better,
 * and nothing needs to be looked at, unless some of them are reserved. */
static bool choose_idle(const struct hs_antman_pass *x, hs_job_id job, uint32_t gpus)
{
    if (x->s->reserved_gpus > 0)
        return false;
    uint32_t node = hs_view_best_fit(x->v, job, gpus);
    if (node == HS_NO_NODE)
        return choose_idle_nodes(x, job, gpus);
    choose_idle_of(x, node, gpus);
    return true;
}

bool hs_antman_place(const struct hs_antman_pass *x, hs_job_id job, uint64_t before)
{
    struct hs_antman *s = x->s;
    uint32_t gpus = hs_view_gpus(x->v, job);
    uint64_t usable;
    s->chosen_count = 0;
    if (gpus == 0 || choose_idle(x, job, gpus))
        return true;
    if (s->open_gpus + s->reserved_gpus - before < gpus)
        return false;
    struct offer o = best_offer(x, job, gpus, &usable);
    if (usable < gpus)
        return false;
    while (s->chosen_count < gpus) {
        choose_on(x, job, o.node, gpus - s->chosen_count);
        if (s->chosen_count < gpus)
            o = best_offer(x, job, gpus - s->chosen_count, &usable);
    }
    forget_nodes(s, x->v);
    take_chosen(x, job);
    return true;
}

/* ---- reservations ---- */

static void reserve_gpu(const struct hs_antman_pass *x, uint32_t gpu, hs_job_id job)
{
    struct hs_antman *s = x->s;
    struct hs_antman_gpu *g = &s->gpus[gpu];
    struct hs_antman_job *j = hs_antman_job(x->v, job);
    if (g->reserved != 0 && g->reserved != job + 1)
        unreserve_gpu(s, x->v, gpu);
    hs_antman_unsettle(s, x->v, gpu);
    if (g->reserved != 0)
        return;
    g->reserved = job + 1;
    g->next_reserved = j->first_reserved;
    if (g->next_reserved != 0)
        s->gpus[g->next_reserved - 1].prev_reserved = gpu + 1;
    j->first_reserved = gpu + 1;
    j->reserved_count++;
    s->reserved[hs_view_gpu_node(x->v, gpu)]++;
    s->reserved_gpus++;
    count_open(s, x->v, gpu, true);
}

void hs_antman_reserve(const struct hs_antman_pass *x, hs_job_id job, uint64_t before)
{
    struct hs_antman *s = x->s;
    const struct hs_antman_job *j = hs_antman_job(x->v, job);
    bool may_take = s->reserved_gpus > before + j->reserved_count;
    for (uint32_t node = 0; node < hs_view_nodes(x->v); node++) {
        if (!may_take && s->open_gpus == 0)
            return;
        bool has_some = s->open[node] > 0 || (may_take && s->reserved[node] > 0);
        if (!has_some || !hs_view_may_use(x->v, job, node))
            continue;
        uint32_t count = usable_gpus(x, job, node, hs_view_gpus(x->v, job));
        for (uint32_t i = 0; i < count; i++)
            reserve_gpu(x, s->node_gpus[i], job);
    }
}

void hs_antman_unreserve(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    while (hs_antman_job(v, job)->first_reserved != 0)
        unreserve_gpu(s, v, hs_antman_job(v, job)->first_reserved - 1);
}

/* ---- check ---- */

/* Of one GPU, as its tenants say. */
struct holders {
    uint32_t owners, spares, spare_pm;
};

static const char *check_holder(const struct hs_view *v, const struct hs_antman_gpu *g,
                                hs_job_id job, struct holders *sum)
{
    const struct hs_antman_job *j = hs_antman_job(v, job);
    if (j->role != HS_ANTMAN_SPARE) {
        sum->owners += g->owner == job + 1;
        return NULL;
    }
    sum->spares++;
    sum->spare_pm += j->util_pm;
    return g->owner != 0 && j->steps > g->steps && hs_view_state(v, job) == HS_JOB_RUNNING
               ? "a cap is above that of its GPU"
               : NULL;
}

static const char *check_holders(const struct hs_antman *s, const struct hs_view *v, uint32_t gpu)
{
    const struct hs_antman_gpu *g = &s->gpus[gpu];
    struct holders sum = {0};
    for (uint32_t h = s->holds.on_gpu[gpu]; h != 0; h = s->holds.holds[h].next_on_gpu) {
        const char *broken = check_holder(v, g, s->holds.holds[h].job, &sum);
        if (broken != NULL)
            return broken;
    }
    if (sum.owners != (g->owner != 0) || sum.spares != g->spares || sum.spare_pm != g->spare_pm ||
        sum.owners + sum.spares != hs_view_gpu_tenants(v, gpu))
        return "a GPU has not one owner at most, and its guests";
    return NULL;
}

static const char *check_gpu(const struct hs_antman *s, const struct hs_view *v, uint32_t gpu)
{
    const struct hs_antman_gpu *g = &s->gpus[gpu];
    if (g->owner != 0 && g->steps > g->most)
        return "the caps beside a guaranteed job are above what it leaves";
    if (g->owner != 0 && hs_antman_job(v, g->owner - 1)->role != HS_ANTMAN_GUARANTEED)
        return "a GPU is owned by a job that is not guaranteed";
    if (g->owner != 0 && g->reserved != 0)
        return "a GPU is reserved that has an owner";
    if (g->reserved != 0 && hs_antman_job(v, g->reserved - 1)->role != HS_ANTMAN_RESERVING)
        return "a GPU is reserved for a job that does not wait for it";
    return check_holders(s, v, gpu);
}

const char *hs_antman_check_gpus(const struct hs_antman *s, const struct hs_view *v)
{
    uint64_t open = 0, reserved = 0, charged = 0;
    for (uint32_t gpu = 0; gpu < s->gpu_count; gpu++) {
        const char *broken = check_gpu(s, v, gpu);
        if (broken != NULL)
            return broken;
        open += s->gpus[gpu].owner == 0 && s->gpus[gpu].reserved == 0;
        reserved += s->gpus[gpu].reserved != 0;
        charged += s->gpus[gpu].owner != 0;
    }
    for (hs_job_id j = hs_order_first(&s->reserving, v); j != HS_NO_JOB;
         j = hs_order_next(&s->reserving, v, j)) {
        charged += hs_view_gpus(v, j);
        reserved -= hs_antman_job(v, j)->reserved_count;
    }
    for (uint32_t vc = 0; vc < s->tenant_count; vc++)
        charged -= s->tenants[vc].charged;
    if (open != s->open_gpus || reserved != 0)
        return "reservations do not add up";
    return charged != 0 ? "quotas are charged for other GPUs than those owned and reserved" : NULL;
}
