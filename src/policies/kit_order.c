/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Treap with parent links in the jobs' scratch (Seidel & Aragon, Algorithmica 1996).
 */
#include "policies/kit_order.h"

static struct hs_order_link *link_of(const struct hs_order *set, const struct hs_view *v,
                                     hs_job_id job)
{
    char *scratch = hs_view_scratch(v, job);
    void *link = scratch + set->link_offset;
    return link;
}

/* Finaliser of a 32-bit mix (Murmur3): spreads ranks that count up into priorities. */
static uint32_t priority_of(uint64_t rank)
{
    uint32_t h = (uint32_t)(rank ^ rank >> 32);
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

static bool is_before(const struct hs_order_link *a, const struct hs_order_link *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    if (a->submit_us != b->submit_us)
        return a->submit_us < b->submit_us;
    return a->rank < b->rank;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void refresh(const struct hs_order *set, const struct hs_view *v, struct hs_order_link *link)
{
    link->least_gpus = link->is_constrained ? UINT32_MAX : link->gpus;
    link->least_constrained = link->is_constrained ? link->gpus : UINT32_MAX;
    const hs_job_id below[] = {link->left, link->right};
    for (int i = 0; i < 2; i++) {
        if (below[i] == HS_NO_JOB)
            continue;
        const struct hs_order_link *child = link_of(set, v, below[i]);
        link->least_gpus = smaller(link->least_gpus, child->least_gpus);
        link->least_constrained = smaller(link->least_constrained, child->least_constrained);
    }
}

/* From where a job was removed, up to the first that knows the same as before. */
static void refresh_upwards(const struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    while (job != HS_NO_JOB) {
        struct hs_order_link *link = link_of(set, v, job);
        uint32_t gpus = link->least_gpus, constrained = link->least_constrained;
        refresh(set, v, link);
        if (gpus == link->least_gpus && constrained == link->least_constrained)
            break;
        job = link->parent;
    }
}

/* Hangs `child` where `old` hangs below `parent`. */
static void replace_child(struct hs_order *set, const struct hs_view *v, hs_job_id parent,
                          hs_job_id old, hs_job_id child)
{
    if (parent == HS_NO_JOB)
        set->root = child == HS_NO_JOB ? 0 : child + 1;
    else if (link_of(set, v, parent)->left == old)
        link_of(set, v, parent)->left = child;
    else
        link_of(set, v, parent)->right = child;
    if (child != HS_NO_JOB)
        link_of(set, v, child)->parent = parent;
}

/* Lifts a job over its parent; the order stays. */
static void rotate_up(struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    struct hs_order_link *link = link_of(set, v, job);
    hs_job_id parent = link->parent;
    struct hs_order_link *above = link_of(set, v, parent);
    replace_child(set, v, above->parent, parent, job);
    if (above->left == job) {
        above->left = link->right;
        if (link->right != HS_NO_JOB)
            link_of(set, v, link->right)->parent = parent;
        link->right = parent;
    } else {
        above->right = link->left;
        if (link->left != HS_NO_JOB)
            link_of(set, v, link->left)->parent = parent;
        link->left = parent;
    }
    above->parent = job;
    link->least_gpus = above->least_gpus; /* it has below it what the parent had */
    link->least_constrained = above->least_constrained;
    refresh(set, v, above);
}

void hs_order_add(struct hs_order *set, const struct hs_view *v, hs_job_id job, int64_t key)
{
    struct hs_order_link *link = link_of(set, v, job);
    bool is_constrained = hs_view_is_constrained(v, job);
    uint32_t gpus =
        set->size_of != NULL ? set->size_of(v, job, &is_constrained) : hs_view_gpus(v, job);
    uint64_t rank = hs_view_rank(v, job);
    *link = (struct hs_order_link){.key = key,
                                   .submit_us = hs_view_submit_us(v, job),
                                   .rank = rank,
                                   .left = HS_NO_JOB,
                                   .right = HS_NO_JOB,
                                   .parent = HS_NO_JOB,
                                   .gpus = gpus,
                                   .is_constrained = is_constrained,
                                   .priority = priority_of(rank),
                                   .is_linked = true};
    refresh(set, v, link);
    set->count++;
    if (set->root == 0) {
        set->root = job + 1;
        return;
    }
    hs_job_id at = set->root - 1;
    for (;;) {
        struct hs_order_link *above = link_of(set, v, at);
        hs_job_id *below = is_before(link, above) ? &above->left : &above->right;
        above->least_gpus = smaller(above->least_gpus, link->least_gpus);
        above->least_constrained = smaller(above->least_constrained, link->least_constrained);
        if (*below == HS_NO_JOB) {
            *below = job;
            link->parent = at;
            break;
        }
        at = *below;
    }
    while (link->parent != HS_NO_JOB && link_of(set, v, link->parent)->priority < link->priority)
        rotate_up(set, v, job);
}

void hs_order_remove(struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    struct hs_order_link *link = link_of(set, v, job);
    while (link->left != HS_NO_JOB && link->right != HS_NO_JOB) {
        bool lift_left =
            link_of(set, v, link->left)->priority > link_of(set, v, link->right)->priority;
        rotate_up(set, v, lift_left ? link->left : link->right);
    }
    hs_job_id child = link->left != HS_NO_JOB ? link->left : link->right;
    hs_job_id parent = link->parent;
    replace_child(set, v, parent, job, child);
    refresh_upwards(set, v, parent);
    link->is_linked = false;
    set->count--;
}

bool hs_order_has(const struct hs_view *v, hs_job_id job)
{
    const struct hs_order_link *link = hs_view_scratch(v, job);
    return link->is_linked;
}

int64_t hs_order_key(const struct hs_view *v, hs_job_id job)
{
    const struct hs_order_link *link = hs_view_scratch(v, job);
    return link->key;
}

bool hs_order_is_before(const struct hs_order *set, const struct hs_view *v, hs_job_id a,
                        hs_job_id b)
{
    return is_before(link_of(set, v, a), link_of(set, v, b));
}

static bool is_within_below(const struct hs_order *set, const struct hs_view *v, hs_job_id job,
                            struct hs_bounds bounds)
{
    if (job == HS_NO_JOB)
        return false;
    const struct hs_order_link *link = link_of(set, v, job);
    return link->least_gpus <= bounds.plain || link->least_constrained <= bounds.constrained;
}

static bool is_within(const struct hs_order_link *link, struct hs_bounds bounds)
{
    return link->gpus <= (link->is_constrained ? bounds.constrained : bounds.plain);
}

/* The first job of a subtree that is within the bounds; there is one. */
static hs_job_id first_within_below(const struct hs_order *set, const struct hs_view *v,
                                    hs_job_id job, struct hs_bounds bounds)
{
    for (;;) {
        const struct hs_order_link *link = link_of(set, v, job);
        if (is_within_below(set, v, link->left, bounds))
            job = link->left;
        else if (is_within(link, bounds))
            return job;
        else
            job = link->right;
    }
}

/* UINT32_MAX stands for an empty subtree, hence no bound may reach it. */
static uint64_t below_none(uint64_t bound)
{
    return bound < UINT32_MAX ? bound : UINT32_MAX - 1;
}

hs_job_id hs_order_next_within(const struct hs_order *set, const struct hs_view *v, hs_job_id after,
                               struct hs_bounds bounds)
{
    bounds.plain = below_none(bounds.plain);
    bounds.constrained = below_none(bounds.constrained);
    hs_job_id at = set->root == 0 ? HS_NO_JOB : set->root - 1;
    if (after == HS_NO_JOB)
        return is_within_below(set, v, at, bounds) ? first_within_below(set, v, at, bounds)
                                                   : HS_NO_JOB;
    const struct hs_order_link *link = link_of(set, v, after);
    if (is_within_below(set, v, link->right, bounds))
        return first_within_below(set, v, link->right, bounds);
    hs_job_id below = after;
    for (at = link->parent; at != HS_NO_JOB; at = link->parent) {
        link = link_of(set, v, at);
        if (link->left == below) {
            if (is_within(link, bounds))
                return at;
            if (is_within_below(set, v, link->right, bounds))
                return first_within_below(set, v, link->right, bounds);
        }
        below = at;
    }
    return HS_NO_JOB;
}

hs_job_id hs_order_next_fitting(const struct hs_order *set, const struct hs_view *v,
                                hs_job_id after, uint64_t gpus)
{
    return hs_order_next_within(set, v, after, (struct hs_bounds){gpus, gpus});
}

static hs_job_id leftmost(const struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    hs_job_id left;
    while ((left = link_of(set, v, job)->left) != HS_NO_JOB)
        job = left;
    return job;
}

static hs_job_id rightmost(const struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    hs_job_id right;
    while ((right = link_of(set, v, job)->right) != HS_NO_JOB)
        job = right;
    return job;
}

hs_job_id hs_order_last(const struct hs_order *set, const struct hs_view *v)
{
    return set->root == 0 ? HS_NO_JOB : rightmost(set, v, set->root - 1);
}

hs_job_id hs_order_first(const struct hs_order *set, const struct hs_view *v)
{
    return set->root == 0 ? HS_NO_JOB : leftmost(set, v, set->root - 1);
}

hs_job_id hs_order_next(const struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    const struct hs_order_link *link = link_of(set, v, job);
    if (link->right != HS_NO_JOB)
        return leftmost(set, v, link->right);
    hs_job_id above = link->parent;
    while (above != HS_NO_JOB && link_of(set, v, above)->right == job) {
        job = above;
        above = link_of(set, v, job)->parent;
    }
    return above;
}

hs_job_id hs_order_prev(const struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    const struct hs_order_link *link = link_of(set, v, job);
    if (link->left != HS_NO_JOB)
        return rightmost(set, v, link->left);
    hs_job_id above = link->parent;
    while (above != HS_NO_JOB && link_of(set, v, above)->left == job) {
        job = above;
        above = link_of(set, v, job)->parent;
    }
    return above;
}

void hs_order_rekey(struct hs_order *set, const struct hs_view *v, hs_job_id job, int64_t key)
{
    struct hs_order_link *link = link_of(set, v, job);
    if (link->key == key)
        return;
    hs_job_id before = hs_order_prev(set, v, job), after = hs_order_next(set, v, job);
    link->key = key;
    if ((before == HS_NO_JOB || is_before(link_of(set, v, before), link)) &&
        (after == HS_NO_JOB || is_before(link, link_of(set, v, after))))
        return;
    hs_order_remove(set, v, job); /* by its links, not by its key */
    hs_order_add(set, v, job, key);
}

/* Members that are no longer behind the one before them are taken out, chained by their links, and
 * added again when all keys are new. */
void hs_order_rekey_all(struct hs_order *set, const struct hs_view *v, hs_order_key_of *key_of,
                        const void *ctx)
{
    hs_job_id out = HS_NO_JOB, next;
    const struct hs_order_link *before = NULL;
    for (hs_job_id job = hs_order_first(set, v); job != HS_NO_JOB; job = next) {
        struct hs_order_link *link = link_of(set, v, job);
        next = hs_order_next(set, v, job);
        link->key = key_of(v, job, ctx);
        if (before == NULL || is_before(before, link)) {
            before = link;
            continue;
        }
        hs_order_remove(set, v, job);
        link->parent = out;
        out = job;
    }
    for (hs_job_id job = out; job != HS_NO_JOB; job = next) {
        const struct hs_order_link *link = link_of(set, v, job);
        next = link->parent;
        hs_order_add(set, v, job, link->key);
    }
}

bool hs_order_is_valid(const struct hs_order *set, const struct hs_view *v)
{
    uint32_t count = 0;
    const struct hs_order_link *before = NULL;
    for (hs_job_id j = hs_order_first(set, v); j != HS_NO_JOB; j = hs_order_next(set, v, j)) {
        const struct hs_order_link *link = link_of(set, v, j);
        struct hs_order_link fresh = *link;
        refresh(set, v, &fresh);
        if ((before != NULL && !is_before(before, link)) || fresh.least_gpus != link->least_gpus ||
            fresh.least_constrained != link->least_constrained || !link->is_linked)
            return false;
        before = link;
        count++;
    }
    return count == set->count;
}
