/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See capacity_tree.h. Trees are split and merged. Priorities are a mix of the number, so that the
 * shape is the same on every machine.
 */
#include "policies/lib/capacity_tree.h"

#include <string.h>

#include "policies/lib/job_queue.h"

void hs_capacity_tree_init(struct hs_capacity_tree *r, const struct hs_view *v, uint64_t items,
                           uint32_t trees)
{
    r->nodes = hs_view_alloc(v, items * sizeof *r->nodes);
    r->roots = hs_view_alloc(v, (uint64_t)trees * sizeof *r->roots);
    for (uint32_t i = 0; i < trees; i++)
        r->roots[i] = HS_NO_CAPACITY;
}

static void refresh(struct hs_capacity_tree *r, uint32_t at)
{
    struct hs_capacity_tree_node *node = &r->nodes[at];
    const uint32_t below[] = {node->left, node->right};
    node->most = node->room;
    for (int i = 0; i < 2; i++)
        for (int kind = 0; kind < 2 && below[i] != HS_NO_CAPACITY; kind++) {
            uint64_t most = r->nodes[below[i]].most.of[kind];
            if (most > node->most.of[kind])
                node->most.of[kind] = most;
        }
}

/* Whether the item precedes the position (key, number). */
static bool is_before(const struct hs_capacity_tree *r, uint32_t at, uint64_t key, uint32_t item)
{
    uint64_t own = r->nodes[at].key;
    return own != key ? own < key : at < item;
}

/* Splits the tree below `at`: items before the position go to *left, the rest to *right. */
static void split(struct hs_capacity_tree *r, uint32_t at, uint64_t key, uint32_t item,
                  uint32_t *left, uint32_t *right)
{
    if (at == HS_NO_CAPACITY) {
        *left = *right = HS_NO_CAPACITY;
        return;
    }
    if (is_before(r, at, key, item)) {
        split(r, r->nodes[at].right, key, item, &r->nodes[at].right, right);
        *left = at;
    } else {
        split(r, r->nodes[at].left, key, item, left, &r->nodes[at].left);
        *right = at;
    }
    refresh(r, at);
}

/* Joins two trees; every item of `a` precedes every item of `b`. */
static uint32_t merge(struct hs_capacity_tree *r, uint32_t a, uint32_t b)
{
    if (a == HS_NO_CAPACITY || b == HS_NO_CAPACITY)
        return a == HS_NO_CAPACITY ? b : a;
    bool is_left_above = r->nodes[a].priority > r->nodes[b].priority;
    if (is_left_above)
        r->nodes[a].right = merge(r, r->nodes[a].right, b);
    else
        r->nodes[b].left = merge(r, a, r->nodes[b].left);
    refresh(r, is_left_above ? a : b);
    return is_left_above ? a : b;
}

/* Updates the maxima on the path from `at` to an item whose room has changed. */
static void refresh_down_to(struct hs_capacity_tree *r, uint32_t at, uint32_t item)
{
    if (at != item) {
        bool is_right = is_before(r, at, r->nodes[item].key, item);
        refresh_down_to(r, is_right ? r->nodes[at].right : r->nodes[at].left, item);
    }
    refresh(r, at);
}

void hs_capacity_tree_put(struct hs_capacity_tree *r, uint32_t tree, uint32_t item, uint64_t key,
                          struct hs_capacity room)
{
    struct hs_capacity_tree_node *node = &r->nodes[item];
    if (node->is_in && node->key == key) {
        if (memcmp(&node->room, &room, sizeof room) == 0)
            return;
        node->room = room;
        refresh_down_to(r, r->roots[tree], item);
        return;
    }
    hs_capacity_tree_drop(r, tree, item);
    *node = (struct hs_capacity_tree_node){.key = key,
                                           .room = room,
                                           .most = room,
                                           .left = HS_NO_CAPACITY,
                                           .right = HS_NO_CAPACITY,
                                           .priority = hs_job_queue_mix(item),
                                           .is_in = true};
    uint32_t left, right;
    split(r, r->roots[tree], key, item, &left, &right);
    r->roots[tree] = merge(r, merge(r, left, item), right);
    r->count++;
}

void hs_capacity_tree_drop(struct hs_capacity_tree *r, uint32_t tree, uint32_t item)
{
    struct hs_capacity_tree_node *node = &r->nodes[item];
    uint32_t left, own, right;
    if (!node->is_in)
        return;
    split(r, r->roots[tree], node->key, item, &left, &right);
    split(r, right, node->key, item + 1, &own, &right);
    r->roots[tree] = merge(r, left, right);
    node->is_in = false;
    r->count--;
}

static bool has_room(const struct hs_capacity *room, struct hs_capacity need)
{
    return room->of[0] >= need.of[0] && room->of[1] >= need.of[1];
}

static uint32_t first_from(const struct hs_capacity_tree *r, uint32_t at, uint64_t key,
                           uint32_t item, struct hs_capacity need)
{
    if (at == HS_NO_CAPACITY || !has_room(&r->nodes[at].most, need))
        return HS_NO_CAPACITY;
    if (is_before(r, at, key, item))
        return first_from(r, r->nodes[at].right, key, item, need);
    uint32_t left = first_from(r, r->nodes[at].left, key, item, need);
    if (left != HS_NO_CAPACITY || has_room(&r->nodes[at].room, need))
        return left != HS_NO_CAPACITY ? left : at;
    return first_from(r, r->nodes[at].right, key, item, need);
}

uint32_t hs_capacity_tree_first(const struct hs_capacity_tree *r, uint32_t tree, uint64_t key,
                                struct hs_capacity need)
{
    return first_from(r, r->roots[tree], key, 0, need);
}

uint32_t hs_capacity_tree_next(const struct hs_capacity_tree *r, uint32_t tree, uint32_t item,
                               struct hs_capacity need)
{
    return first_from(r, r->roots[tree], r->nodes[item].key, item + 1, need);
}

struct hs_capacity hs_capacity_tree_most(const struct hs_capacity_tree *r, uint32_t tree)
{
    uint32_t root = r->roots[tree];
    return root != HS_NO_CAPACITY ? r->nodes[root].most : (struct hs_capacity){{0, 0}};
}
