/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Treap with parent links in the jobs' scratch (Seidel & Aragon, Algorithmica 1996), and behind it
 * a chain of the jobs that came in order since somebody asked for more than who is first: most
 * queues are served from the front, and need no tree. A chained job has its neighbours left and
 * right. What is below a node by size is kept from when somebody first looks for a size.
 */
#include "policies/kit_order.h"

#include "horus/compiler.h"

#define MARKLESS  HS_ORDER_MARKLESS
#define NO_PARENT HS_ORDER_NO_PARENT
#define CHAINED   HS_ORDER_CHAINED

uint32_t hs_order_mix(uint64_t number)
{
    uint32_t h = (uint32_t)(number ^ number >> 32);
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

bool hs_order_tie_is_before(const struct hs_view *v, hs_job_id a, hs_job_id b)
{
    int64_t submit_a_us = hs_view_submit_us(v, a), submit_b_us = hs_view_submit_us(v, b);
    if (submit_a_us != submit_b_us)
        return submit_a_us < submit_b_us;
    return hs_view_rank(v, a) < hs_view_rank(v, b);
}

static bool is_before(const struct hs_order *set, const struct hs_view *v, hs_job_id a,
                      const struct hs_order_link *of_a, hs_job_id b,
                      const struct hs_order_link *of_b)
{
    if (set->is_loose && of_a->key == of_b->key)
        return a < b;
    return hs_order_link_is_before(v, a, of_a, b, of_b);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* As if nothing were below it. */
static void refresh_own(struct hs_order_link *link)
{
    link->least_gpus = link->is_constrained ? UINT32_MAX : link->gpus;
    link->least_constrained = link->is_constrained ? link->gpus : UINT32_MAX;
}

static void refresh(const struct hs_order *set, const struct hs_view *v, struct hs_order_link *link)
{
    refresh_own(link);
    const hs_job_id below[] = {link->left, link->right};
    for (int i = 0; i < 2; i++) {
        if (below[i] == HS_NO_JOB)
            continue;
        const struct hs_order_link *child = hs_order_link_of(set, v, below[i]);
        link->least_gpus = smaller(link->least_gpus, child->least_gpus);
        link->least_constrained = smaller(link->least_constrained, child->least_constrained);
    }
}

/* From where a job was removed, up to the first that knows the same as before. */
static void refresh_upwards(const struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    while (set->knows_sizes && job != NO_PARENT) {
        struct hs_order_link *link = hs_order_link_of(set, v, job);
        uint32_t gpus = link->least_gpus, constrained = link->least_constrained;
        refresh(set, v, link);
        if (gpus == link->least_gpus && constrained == link->least_constrained)
            break;
        job = link->parent;
    }
}

/* From where a job was added, up to the first that knows of one as small. */
static void tell_upwards(const struct hs_order *set, const struct hs_view *v,
                         const struct hs_order_link *link)
{
    for (hs_job_id at = link->parent; at != NO_PARENT;) {
        struct hs_order_link *above = hs_order_link_of(set, v, at);
        if (above->least_gpus <= link->least_gpus &&
            above->least_constrained <= link->least_constrained)
            break;
        above->least_gpus = smaller(above->least_gpus, link->least_gpus);
        above->least_constrained = smaller(above->least_constrained, link->least_constrained);
        at = above->parent;
    }
}

/* Hangs `child` where `old` hangs below `parent`. */
static void replace_child(struct hs_order *set, const struct hs_view *v, hs_job_id parent,
                          hs_job_id old, hs_job_id child)
{
    if (parent == NO_PARENT) {
        set->root = child == HS_NO_JOB ? 0 : child + 1;
    } else {
        struct hs_order_link *above = hs_order_link_of(set, v, parent);
        *(above->left == old ? &above->left : &above->right) = child;
    }
    if (child != HS_NO_JOB)
        hs_order_link_of(set, v, child)->parent = parent & MARKLESS;
}

/* Lifts a job over its parent; the order stays. */
static void rotate_up(struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    struct hs_order_link *link = hs_order_link_of(set, v, job);
    hs_job_id parent = link->parent;
    struct hs_order_link *above = hs_order_link_of(set, v, parent);
    bool is_left = above->left == job;
    hs_job_id *inner = is_left ? &link->right : &link->left;
    replace_child(set, v, above->parent, parent, job);
    *(is_left ? &above->left : &above->right) = *inner;
    if (*inner != HS_NO_JOB)
        hs_order_link_of(set, v, *inner)->parent = parent & MARKLESS;
    *inner = parent;
    above->parent = job & MARKLESS;
    if (!set->knows_sizes)
        return;
    link->least_gpus = above->least_gpus; /* it has below it what the parent had */
    link->least_constrained = above->least_constrained;
    refresh(set, v, above);
}

static hs_job_id rightmost(const struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    hs_job_id right;
    while ((right = hs_order_link_of(set, v, job)->right) != HS_NO_JOB)
        job = right;
    return job;
}

/* Hangs a job below a member of the tree, or as its root. */
static void hang(struct hs_order *set, const struct hs_view *v, hs_job_id job, hs_job_id parent,
                 bool is_left)
{
    struct hs_order_link *link = hs_order_link_of(set, v, job);
    link->left = link->right = HS_NO_JOB;
    link->parent = parent & MARKLESS;
    refresh_own(link);
    if (parent == HS_NO_JOB) {
        set->root = job + 1;
        return;
    }
    struct hs_order_link *above = hs_order_link_of(set, v, parent);
    *(is_left ? &above->left : &above->right) = job;
    if (set->knows_sizes)
        tell_upwards(set, v, link);
    const uint32_t priority = hs_order_mix(job);
    while (link->parent != NO_PARENT && hs_order_mix(link->parent) < priority)
        rotate_up(set, v, job);
}

/* What is chained becomes part of the tree. */
static void hang_chain(struct hs_order *set, const struct hs_view *v)
{
    if (set->chain == 0)
        return;
    hs_job_id last = set->root == 0 ? HS_NO_JOB : rightmost(set, v, set->root - 1), next;
    for (hs_job_id job = set->chain - 1; job != HS_NO_JOB; job = next) {
        next = hs_order_link_of(set, v, job)->right;
        hang(set, v, job, last, false);
        last = job;
    }
    set->chain = 0;
}

/* Behind all others, of which `last` is the last; NULL: there are none. */
static void chain(struct hs_order *set, hs_job_id job, struct hs_order_link *link,
                  struct hs_order_link *last)
{
    link->parent = CHAINED;
    link->left = set->last - 1;
    link->right = HS_NO_JOB;
    if (set->chain != 0)
        last->right = job;
    else
        set->chain = job + 1;
    if (last == NULL)
        set->first = job + 1;
    set->last = job + 1;
}

/* Before all others. */
static void put_first(struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    if (set->root != 0) {
        hang(set, v, job, set->first - 1, true);
    } else {
        struct hs_order_link *link = hs_order_link_of(set, v, job);
        link->parent = CHAINED;
        link->left = HS_NO_JOB;
        link->right = set->chain - 1;
        hs_order_link_of(set, v, link->right)->left = job;
        set->chain = job + 1;
    }
    set->first = job + 1;
}

static void unchain(struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    const struct hs_order_link *link = hs_order_link_of(set, v, job);
    if (link->right != HS_NO_JOB)
        hs_order_link_of(set, v, link->right)->left = link->left;
    else
        set->last = hs_order_prev(set, v, job) + 1;
    if (set->chain == job + 1)
        set->chain = link->right + 1;
    else
        hs_order_link_of(set, v, link->left)->right = link->right;
    if (set->first == job + 1)
        set->first = link->right + 1;
}

/* Takes in a job that is not behind all others. */
static void insert_within(struct hs_order *set, const struct hs_view *v, hs_job_id job,
                          const struct hs_order_link *link)
{
    if (is_before(set, v, job, link, set->first - 1, hs_order_link_of(set, v, set->first - 1))) {
        put_first(set, v, job);
        return;
    }
    if (set->chain != 0 &&
        !is_before(set, v, job, link, set->chain - 1, hs_order_link_of(set, v, set->chain - 1)))
        hang_chain(set, v);
    hs_job_id parent = HS_NO_JOB, next = set->root - 1;
    bool is_left = false;
    while (next != HS_NO_JOB) {
        const struct hs_order_link *above = hs_order_link_of(set, v, next);
        parent = next;
        is_left = is_before(set, v, job, link, parent, above);
        next = is_left ? above->left : above->right;
    }
    hang(set, v, job, parent, is_left);
}

/* Takes in a job whose link knows its key, and what its bounds are held against. */
static inline void insert(struct hs_order *set, const struct hs_view *v, hs_job_id job,
                          struct hs_order_link *link)
{
    struct hs_order_link *last = set->last != 0 ? hs_order_link_of(set, v, set->last - 1) : NULL;
    link->is_linked = true;
    set->count++;
    if (last == NULL || is_before(set, v, set->last - 1, last, job, link))
        chain(set, job, link, last);
    else
        insert_within(set, v, job, link);
}

void hs_order_add(struct hs_order *set, const struct hs_view *v, hs_job_id job, int64_t key)
{
    struct hs_order_link *link = hs_order_link_of(set, v, job);
    bool is_constrained = hs_view_is_constrained(v, job);
    link->gpus =
        set->size_of != NULL ? set->size_of(v, job, &is_constrained) : hs_view_gpus(v, job);
    link->is_constrained = is_constrained;
    link->key = key;
    insert(set, v, job, link);
}

/* Out of the tree. */
static void unhang(struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    const struct hs_order_link *link = hs_order_link_of(set, v, job);
    if (set->first == job + 1)
        set->first = hs_order_next(set, v, job) + 1;
    if (set->last == job + 1)
        set->last = hs_order_prev(set, v, job) + 1;
    while (link->left != HS_NO_JOB && link->right != HS_NO_JOB) {
        bool lift_left = hs_order_mix(link->left) > hs_order_mix(link->right);
        rotate_up(set, v, lift_left ? link->left : link->right);
    }
    hs_job_id child = link->left != HS_NO_JOB ? link->left : link->right;
    hs_job_id parent = link->parent;
    replace_child(set, v, parent, job, child);
    refresh_upwards(set, v, parent);
}

void hs_order_remove(struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    struct hs_order_link *link = hs_order_link_of(set, v, job);
    if (link->parent == CHAINED)
        unchain(set, v, job);
    else
        unhang(set, v, job);
    link->is_linked = false;
    set->count--;
}

int64_t hs_order_key(const struct hs_view *v, hs_job_id job)
{
    const struct hs_order_link *link = hs_view_scratch(v, job);
    return link->key;
}

bool hs_order_is_before(const struct hs_order *set, const struct hs_view *v, hs_job_id a,
                        hs_job_id b)
{
    return is_before(set, v, a, hs_order_link_of(set, v, a), b, hs_order_link_of(set, v, b));
}

static bool is_within_below(const struct hs_order *set, const struct hs_view *v, hs_job_id job,
                            struct hs_bounds bounds)
{
    if (job == HS_NO_JOB)
        return false;
    const struct hs_order_link *link = hs_order_link_of(set, v, job);
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
        const struct hs_order_link *link = hs_order_link_of(set, v, job);
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

/* Nobody has looked for a size so far: each tells those above it of what is below. */
static void learn_sizes(struct hs_order *set, const struct hs_view *v)
{
    set->knows_sizes = true;
    for (hs_job_id j = hs_order_first(set, v); j != HS_NO_JOB; j = hs_order_next(set, v, j))
        refresh_own(hs_order_link_of(set, v, j));
    for (hs_job_id j = hs_order_first(set, v); j != HS_NO_JOB; j = hs_order_next(set, v, j))
        tell_upwards(set, v, hs_order_link_of(set, v, j));
}

hs_job_id hs_order_next_within(struct hs_order *set, const struct hs_view *v, hs_job_id after,
                               struct hs_bounds bounds)
{
    hang_chain(set, v);
    if (!set->knows_sizes)
        learn_sizes(set, v);
    bounds.plain = below_none(bounds.plain);
    bounds.constrained = below_none(bounds.constrained);
    hs_job_id at = set->root == 0 ? HS_NO_JOB : set->root - 1;
    if (after == HS_NO_JOB)
        return is_within_below(set, v, at, bounds) ? first_within_below(set, v, at, bounds)
                                                   : HS_NO_JOB;
    const struct hs_order_link *link = hs_order_link_of(set, v, after);
    if (is_within_below(set, v, link->right, bounds))
        return first_within_below(set, v, link->right, bounds);
    hs_job_id below = after;
    for (at = link->parent; at != NO_PARENT; at = link->parent) {
        link = hs_order_link_of(set, v, at);
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

static bool is_before_place(const struct hs_view *v, hs_job_id job,
                            const struct hs_order_link *link, const struct hs_order_place *place)
{
    if (link->key != place->key)
        return link->key < place->key;
    const struct hs_order_place own = {link->key, hs_view_submit_us(v, job), hs_view_rank(v, job)};
    return hs_order_place_is_before(&own, place);
}

hs_job_id hs_order_next_from(struct hs_order *set, const struct hs_view *v,
                             struct hs_order_place from, struct hs_bounds bounds)
{
    hang_chain(set, v);
    hs_job_id at = set->root == 0 ? HS_NO_JOB : set->root - 1, found = HS_NO_JOB;
    if (set->knows_sizes && !is_within_below(set, v, at, bounds)) /* wherever it stood */
        return HS_NO_JOB;
    while (at != HS_NO_JOB) {
        const struct hs_order_link *link = hs_order_link_of(set, v, at);
        bool is_behind = !is_before_place(v, at, link, &from);
        found = is_behind ? at : found;
        at = is_behind ? link->left : link->right;
    }
    bool is_it = found == HS_NO_JOB || is_within(hs_order_link_of(set, v, found), bounds);
    return is_it ? found : hs_order_next_within(set, v, found, bounds);
}

hs_job_id hs_order_seek(struct hs_order *set, const struct hs_view *v, hs_job_id at, int64_t key)
{
    hang_chain(set, v);
    hs_job_id found = HS_NO_JOB;
    const struct hs_order_link *link = hs_order_link_of(set, v, at), *last = link;
    while (found == HS_NO_JOB && link->parent != NO_PARENT) {
        hs_job_id below = at;
        at = link->parent;
        link = hs_order_link_of(set, v, at);
        if (link->left == below && link->key < key)
            last = link; /* what was passed below it has lower keys, too */
        else if (link->left == below)
            found = at;
    }
    for (at = last->right; at != HS_NO_JOB; at = link->key < key ? link->right : link->left) {
        link = hs_order_link_of(set, v, at);
        found = link->key < key ? found : at;
    }
    return found;
}

static hs_job_id leftmost(const struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    const struct hs_order_link *link;
    for (; (link = hs_order_link_of(set, v, job))->left != HS_NO_JOB; job = link->left)
        if (link->right != HS_NO_JOB)
            HS_PREFETCH(hs_order_link_of(set, v, link->right)); /* soon, if this is a walk */
    return job;
}

hs_job_id hs_order_next_hung(const struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    const struct hs_order_link *link = hs_order_link_of(set, v, job);
    if (link->right != HS_NO_JOB)
        return leftmost(set, v, link->right);
    while (link->parent != NO_PARENT) {
        hs_job_id above = link->parent;
        link = hs_order_link_of(set, v, above);
        if (link->left == job)
            return above;
        job = above;
    }
    return set->chain - 1;
}

hs_job_id hs_order_pass(const struct hs_order *set, const struct hs_view *v, hs_job_id after,
                        struct hs_bounds bounds, uint64_t *left)
{
    hs_job_id job = hs_order_next(set, v, after);
    while (job != HS_NO_JOB && !is_within(hs_order_link_of(set, v, job), bounds))
        job = --*left > 0 ? hs_order_next(set, v, job) : HS_NO_JOB;
    return job;
}

hs_job_id hs_order_prev(const struct hs_order *set, const struct hs_view *v, hs_job_id job)
{
    const struct hs_order_link *link = hs_order_link_of(set, v, job);
    if (set->chain == job + 1)
        return set->root == 0 ? HS_NO_JOB : rightmost(set, v, set->root - 1);
    if (link->parent == CHAINED)
        return link->left;
    if (link->left != HS_NO_JOB)
        return rightmost(set, v, link->left);
    while (link->parent != NO_PARENT) {
        hs_job_id above = link->parent;
        link = hs_order_link_of(set, v, above);
        if (link->right == job)
            return above;
        job = above;
    }
    return HS_NO_JOB;
}

bool hs_order_is_valid(const struct hs_order *set, const struct hs_view *v)
{
    uint32_t count = 0;
    hs_job_id before = HS_NO_JOB;
    for (hs_job_id j = hs_order_first(set, v); j != HS_NO_JOB; j = hs_order_next(set, v, j)) {
        const struct hs_order_link *link = hs_order_link_of(set, v, j);
        struct hs_order_link fresh = *link;
        if (set->knows_sizes && link->parent != CHAINED)
            refresh(set, v, &fresh);
        bool is_true = fresh.least_gpus == link->least_gpus &&
                       fresh.least_constrained == link->least_constrained;
        if ((before != HS_NO_JOB && !hs_order_is_before(set, v, before, j)) || !is_true ||
            !link->is_linked)
            return false;
        before = j;
        count++;
    }
    return count == set->count && hs_order_last(set, v) == before;
}
