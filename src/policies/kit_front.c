/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A chain, neighbours left and right, before a pairing heap: left the first child, right the next
 * sibling, parent the one that a sibling comes after, or whose first child it is. In the links of
 * an ordered set what is known of gangs is not used; there the members are strung when all of them
 * get new keys.
 */
#include "policies/kit_front.h"

#define NO_PARENT HS_ORDER_NO_PARENT /* of the root */
#define CHAINED   HS_ORDER_CHAINED
#define NEAR      4u /* steps from the end of the chain */

/* Where the links of a set lie: those of a job at its handle times the size. */
struct links {
    unsigned char *at;
    size_t size;
};

static inline struct links links_of(const struct hs_front *set, const struct hs_view *v)
{
    struct links l;
    l.at = hs_view_scratches(v, &l.size) + set->link_offset;
    return l;
}

static inline struct hs_order_link *link_of(struct links l, hs_job_id job)
{
    void *link = l.at + job * l.size;
    return link;
}

static bool is_before(const struct hs_front *set, const struct hs_view *v, struct links l,
                      hs_job_id a, hs_job_id b)
{
    return hs_order_link_is_before(v, a, link_of(l, a), b, link_of(l, b)) != set->is_backwards;
}

/* ---- the heap ---- */

/* Two heaps, each by its root, which has no sibling that is still of use. Who is first is as good
 * as random, and so is whether it has a child: nothing branches on either. What is written where
 * there is no child is written over. */
HS_INLINE hs_job_id hang_below(struct links l, hs_job_id a, hs_job_id b, bool is_a_first)
{
    const hs_job_id change = (a ^ b) & (0 - (hs_job_id)is_a_first);
    const hs_job_id above = b ^ change, below = a ^ change;
    struct hs_order_link *root = link_of(l, above), *link = link_of(l, below);
    const hs_job_id child = root->left;
    link_of(l, child != HS_NO_JOB ? child : below)->parent = below & NO_PARENT;
    link->right = child;
    link->parent = above & NO_PARENT;
    root->left = below;
    return above;
}

static HS_APART hs_job_id meld_tied(const struct hs_front *set, const struct hs_view *v,
                                    struct links l, hs_job_id a, hs_job_id b)
{
    return hang_below(l, a, b, hs_order_tie_is_before(v, a, b) != set->is_backwards);
}

HS_INLINE hs_job_id meld(const struct hs_front *set, const struct hs_view *v, struct links l,
                         hs_job_id a, hs_job_id b)
{
    const int64_t key_of_a = link_of(l, a)->key, key_of_b = link_of(l, b)->key;
    if (HS_UNLIKELY(key_of_a == key_of_b))
        return meld_tied(set, v, l, a, b);
    return hang_below(l, a, b, (key_of_a < key_of_b) != set->is_backwards);
}

/* A job and its siblings, in pairs and these from the last one on; HS_NO_JOB of none. */
static hs_job_id meld_siblings(const struct hs_front *set, const struct hs_view *v, struct links l,
                               hs_job_id job)
{
    hs_job_id pairs = HS_NO_JOB, next;
    for (; job != HS_NO_JOB; job = next) {
        hs_job_id other = link_of(l, job)->right, pair = job;
        next = other;
        if (other != HS_NO_JOB) {
            next = link_of(l, other)->right;
            pair = meld(set, v, l, job, other);
        }
        link_of(l, pair)->right = pairs;
        pairs = pair;
    }
    hs_job_id root = pairs;
    if (root == HS_NO_JOB)
        return root;
    for (job = link_of(l, root)->right; job != HS_NO_JOB; job = next) {
        next = link_of(l, job)->right;
        root = meld(set, v, l, root, job);
    }
    link_of(l, root)->right = HS_NO_JOB;
    link_of(l, root)->parent = NO_PARENT;
    return root;
}

static void meld_in(struct hs_front *set, const struct hs_view *v, struct links l, hs_job_id heap)
{
    if (set->root != 0)
        heap = meld(set, v, l, set->root - 1, heap);
    set->root = heap + 1;
}

static void heap_add(struct hs_front *set, const struct hs_view *v, struct links l, hs_job_id job)
{
    struct hs_order_link *link = link_of(l, job);
    link->left = link->right = HS_NO_JOB;
    link->parent = NO_PARENT;
    meld_in(set, v, l, job);
}

static void heap_remove(struct hs_front *set, const struct hs_view *v, struct links l,
                        hs_job_id job)
{
    const struct hs_order_link *link = link_of(l, job);
    hs_job_id below = meld_siblings(set, v, l, link->left);
    if (set->root == job + 1) {
        set->root = below + 1;
        return;
    }
    struct hs_order_link *before = link_of(l, link->parent);
    *(before->left == job ? &before->left : &before->right) = link->right;
    if (link->right != HS_NO_JOB)
        link_of(l, link->right)->parent = link->parent;
    if (below != HS_NO_JOB)
        meld_in(set, v, l, below);
}

/* ---- the chain ---- */

static inline void chain_first(struct hs_front *set, struct links l, hs_job_id job)
{
    struct hs_order_link *link = link_of(l, job);
    link->parent = CHAINED;
    link->left = HS_NO_JOB;
    link->right = set->first - 1;
    if (set->first != 0)
        link_of(l, set->first - 1)->left = job;
    else
        set->last = job + 1;
    set->first = job + 1;
}

static inline void chain_last(struct hs_front *set, struct links l, hs_job_id job)
{
    struct hs_order_link *link = link_of(l, job);
    link->parent = CHAINED;
    link->left = set->last - 1;
    link->right = HS_NO_JOB;
    if (set->last != 0)
        link_of(l, set->last - 1)->right = job;
    else
        set->first = job + 1;
    set->last = job + 1;
}

static inline void unchain(struct hs_front *set, struct links l, hs_job_id job)
{
    const struct hs_order_link *link = link_of(l, job);
    if (link->left != HS_NO_JOB)
        link_of(l, link->left)->right = link->right;
    else
        set->first = link->right + 1;
    if (link->right != HS_NO_JOB)
        link_of(l, link->right)->left = link->left;
    else
        set->last = link->left + 1;
}

/* ---- the set ---- */

/* Between two neighbours. */
static void chain_between(struct links l, hs_job_id job, hs_job_id before, hs_job_id after)
{
    struct hs_order_link *link = link_of(l, job);
    link->parent = CHAINED;
    link->left = before;
    link->right = after;
    link_of(l, before)->right = job;
    link_of(l, after)->left = job;
}

/* Is a job, whose link that is, before another? */
static inline bool comes_before(const struct hs_front *set, const struct hs_view *v, struct links l,
                                hs_job_id job, const struct hs_order_link *link, hs_job_id other)
{
    return hs_order_link_is_before(v, job, link, other, link_of(l, other)) != set->is_backwards;
}

/* Into the chain, before its last one and behind its first. If its place is not near the end, those
 * behind it go back to the heap. */
static void chain_insert(struct hs_front *set, const struct hs_view *v, struct links l,
                         hs_job_id job, const struct hs_order_link *link)
{
    hs_job_id after = set->last - 1;
    for (uint32_t steps = 0; steps < NEAR; steps++) {
        hs_job_id before = link_of(l, after)->left;
        if (!comes_before(set, v, l, job, link, before)) {
            chain_between(l, job, before, after);
            return;
        }
        after = before;
    }
    do {
        hs_job_id last = set->last - 1;
        unchain(set, l, last);
        heap_add(set, v, l, last);
    } while (comes_before(set, v, l, job, link, set->last - 1));
    chain_last(set, l, job);
}

/* Takes in a job whose link knows its key. */
static void insert(struct hs_front *set, const struct hs_view *v, struct links l, hs_job_id job)
{
    const struct hs_order_link *link = link_of(l, job);
    if (set->last != 0 && comes_before(set, v, l, job, link, set->last - 1)) {
        if (set->first == set->last || comes_before(set, v, l, job, link, set->first - 1))
            chain_first(set, l, job);
        else
            chain_insert(set, v, l, job, link);
    } else if (set->root == 0) {
        chain_last(set, l, job);
    } else {
        heap_add(set, v, l, job);
    }
}

/* Is a key before that of the first in the chain, if there is one? */
static inline bool is_key_first(const struct hs_front *set, struct links l, int64_t key)
{
    if (set->first == 0)
        return false;
    int64_t first = link_of(l, set->first - 1)->key;
    return set->is_backwards ? key > first : key < first;
}

/* Is it behind that of the last in the chain, behind which nobody waits? */
static inline bool is_key_last(const struct hs_front *set, struct links l, int64_t key)
{
    if (set->last == 0 || set->root != 0)
        return false;
    int64_t last = link_of(l, set->last - 1)->key;
    return set->is_backwards ? key < last : key > last;
}

void hs_front_add(struct hs_front *set, const struct hs_view *v, hs_job_id job, int64_t key)
{
    const struct links l = links_of(set, v);
    struct hs_order_link *link = link_of(l, job);
    link->key = key;
    link->is_linked = true;
    set->count++;
    if (is_key_last(set, l, key))
        chain_last(set, l, job);
    else if (is_key_first(set, l, key))
        chain_first(set, l, job);
    else
        insert(set, v, l, job);
}

void hs_front_remove(struct hs_front *set, const struct hs_view *v, hs_job_id job)
{
    const struct links l = links_of(set, v);
    struct hs_order_link *link = link_of(l, job);
    link->is_linked = false;
    set->count--;
    if (link->parent == CHAINED)
        unchain(set, l, job);
    else
        heap_remove(set, v, l, job);
}

hs_job_id hs_front_reach(struct hs_front *set, const struct hs_view *v)
{
    const struct links l = links_of(set, v);
    const hs_job_id job = set->root - 1;
    if (job == HS_NO_JOB)
        return job;
    heap_remove(set, v, l, job);
    chain_last(set, l, job);
    return job;
}

hs_job_id hs_front_next(struct hs_front *set, const struct hs_view *v, hs_job_id job)
{
    const struct links l = links_of(set, v);
    hs_job_id next = link_of(l, job)->right;
    return next != HS_NO_JOB ? next : hs_front_reach(set, v);
}

hs_job_id hs_front_prev(const struct hs_front *set, const struct hs_view *v, hs_job_id job)
{
    const struct links l = links_of(set, v);
    return link_of(l, job)->left;
}

hs_job_id hs_front_reached(const struct hs_front *set)
{
    return set->last - 1;
}

hs_job_id hs_front_another(const struct hs_front *set, const struct hs_view *v, hs_job_id after)
{
    const struct links l = links_of(set, v);
    if (after == HS_NO_JOB)
        return set->first != 0 ? set->first - 1 : set->root - 1;
    const struct hs_order_link *link = link_of(l, after);
    if (link->parent == CHAINED)
        return link->right != HS_NO_JOB ? link->right : set->root - 1;
    if (link->left != HS_NO_JOB)
        return link->left;
    while (link->right == HS_NO_JOB) { /* up, past the siblings before it */
        hs_job_id below;
        do {
            below = after;
            after = link->parent;
            if (after == NO_PARENT)
                return HS_NO_JOB;
            link = link_of(l, after);
        } while (link->left != below);
    }
    return link->right;
}

void hs_front_rekey_all(struct hs_front *set, const struct hs_view *v, hs_order_key_of *key_of,
                        const void *ctx)
{
    const struct links l = links_of(set, v);
    hs_job_id members = HS_NO_JOB, job = HS_NO_JOB;
    while ((job = hs_front_another(set, v, job)) != HS_NO_JOB) {
        link_of(l, job)->least_gpus = members;
        members = job;
    }
    set->first = set->last = set->root = set->count = 0;
    for (job = members; job != HS_NO_JOB; job = members) {
        struct hs_order_link *link = link_of(l, job);
        members = link->least_gpus;
        link->key = key_of(v, job, ctx);
        set->count++;
        insert(set, v, l, job);
    }
}

/* Whose children they are, how they hang together, and that none is before it. */
static bool are_children_of(const struct hs_front *set, const struct hs_view *v, struct links l,
                            hs_job_id job)
{
    hs_job_id before = job;
    for (hs_job_id j = link_of(l, job)->left; j != HS_NO_JOB; j = link_of(l, j)->right) {
        if (link_of(l, j)->parent != before || !is_before(set, v, l, job, j))
            return false;
        before = j;
    }
    return true;
}

bool hs_front_is_valid(const struct hs_front *set, const struct hs_view *v)
{
    const struct links l = links_of(set, v);
    uint32_t count = 0;
    hs_job_id before = HS_NO_JOB, last = HS_NO_JOB;
    for (hs_job_id j = HS_NO_JOB; (j = hs_front_another(set, v, j)) != HS_NO_JOB; before = j) {
        const struct hs_order_link *link = link_of(l, j);
        bool is_chained = link->parent == CHAINED, is_next = is_chained || j == set->root - 1;
        if ((is_next && before != HS_NO_JOB && !is_before(set, v, l, before, j)) ||
            (is_chained ? link->left != before : !are_children_of(set, v, l, j)) ||
            !link->is_linked)
            return false;
        last = is_chained ? j : last;
        count++;
    }
    return count == set->count && last == set->last - 1;
}
