/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_salus_rooms.h. Priorities are a mix of the number, so the shape is the same on every
 * machine; trees are split and merged (Seidel & Aragon, Algorithmica 1996).
 */
#include "policies/kit_salus_rooms.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Finaliser of a 32-bit mix (Murmur3): spreads numbers that count up. */
static uint32_t priority_of(uint32_t h)
{
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

enum hs_status hs_rooms_init(struct hs_rooms *r, const struct hs_view *v, uint64_t things,
                             uint32_t trees)
{
    r->nodes = hs_view_alloc(v, things * sizeof *r->nodes);
    r->roots = hs_view_alloc(v, (uint64_t)trees * sizeof *r->roots);
    if (r->nodes == NULL || r->roots == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < trees; i++)
        r->roots[i] = HS_NO_ROOM;
    return HS_OK;
}

static void refresh(struct hs_rooms *r, uint32_t at)
{
    struct hs_rooms_node *node = &r->nodes[at];
    node->most = node->room;
    const uint32_t below[] = {node->left, node->right};
    for (int i = 0; i < 2; i++) {
        if (below[i] == HS_NO_ROOM)
            continue;
        const struct hs_room *most = &r->nodes[below[i]].most;
        node->most.all_mib = larger(node->most.all_mib, most->all_mib);
        node->most.kept_mib = larger(node->most.kept_mib, most->kept_mib);
    }
}

/* Is the thing before the position (key, number)? */
static bool is_before(const struct hs_rooms *r, uint32_t at, uint64_t key, uint32_t thing)
{
    uint64_t own = r->nodes[at].key;
    return own != key ? own < key : at < thing;
}

/* Of the tree below `at`, what is before the position onto *left, the rest onto *right. */
static void split(struct hs_rooms *r, uint32_t at, uint64_t key, uint32_t thing, uint32_t *left,
                  uint32_t *right)
{
    if (at == HS_NO_ROOM) {
        *left = *right = HS_NO_ROOM;
        return;
    }
    if (is_before(r, at, key, thing)) {
        split(r, r->nodes[at].right, key, thing, &r->nodes[at].right, right);
        *left = at;
    } else {
        split(r, r->nodes[at].left, key, thing, left, &r->nodes[at].left);
        *right = at;
    }
    refresh(r, at);
}

/* All of `a` is before all of `b`. */
static uint32_t merge(struct hs_rooms *r, uint32_t a, uint32_t b)
{
    if (a == HS_NO_ROOM || b == HS_NO_ROOM)
        return a == HS_NO_ROOM ? b : a;
    if (r->nodes[a].priority > r->nodes[b].priority) {
        r->nodes[a].right = merge(r, r->nodes[a].right, b);
        refresh(r, a);
        return a;
    }
    r->nodes[b].left = merge(r, a, r->nodes[b].left);
    refresh(r, b);
    return b;
}

/* What the thing has is new: all above it must know. */
static void refresh_down_to(struct hs_rooms *r, uint32_t at, uint32_t thing)
{
    if (at != thing)
        refresh_down_to(r,
                        is_before(r, at, r->nodes[thing].key, thing) ? r->nodes[at].right
                                                                     : r->nodes[at].left,
                        thing);
    refresh(r, at);
}

void hs_rooms_put(struct hs_rooms *r, uint32_t tree, uint32_t thing, uint64_t key,
                  struct hs_room room)
{
    struct hs_rooms_node *node = &r->nodes[thing];
    if (node->is_in && node->key == key) {
        node->room = room;
        refresh_down_to(r, r->roots[tree], thing);
        return;
    }
    hs_rooms_drop(r, tree, thing);
    *node = (struct hs_rooms_node){.key = key,
                                   .room = room,
                                   .most = room,
                                   .left = HS_NO_ROOM,
                                   .right = HS_NO_ROOM,
                                   .priority = priority_of(thing),
                                   .is_in = true};
    uint32_t left, right;
    split(r, r->roots[tree], key, thing, &left, &right);
    r->roots[tree] = merge(r, merge(r, left, thing), right);
}

void hs_rooms_drop(struct hs_rooms *r, uint32_t tree, uint32_t thing)
{
    struct hs_rooms_node *node = &r->nodes[thing];
    uint32_t left, own, right;
    if (!node->is_in)
        return;
    split(r, r->roots[tree], node->key, thing, &left, &right);
    split(r, right, node->key, thing + 1, &own, &right);
    r->roots[tree] = merge(r, left, right);
    node->is_in = false;
}

static bool has_room(const struct hs_room *room, struct hs_room need)
{
    return room->all_mib >= need.all_mib && room->kept_mib >= need.kept_mib;
}

static uint32_t first_from(const struct hs_rooms *r, uint32_t at, uint64_t key, uint32_t thing,
                           struct hs_room need)
{
    if (at == HS_NO_ROOM || !has_room(&r->nodes[at].most, need))
        return HS_NO_ROOM;
    if (is_before(r, at, key, thing))
        return first_from(r, r->nodes[at].right, key, thing, need);
    uint32_t left = first_from(r, r->nodes[at].left, key, thing, need);
    if (left != HS_NO_ROOM)
        return left;
    if (has_room(&r->nodes[at].room, need))
        return at;
    return first_from(r, r->nodes[at].right, key, thing, need);
}

uint32_t hs_rooms_first(const struct hs_rooms *r, uint32_t tree, uint64_t key, struct hs_room need)
{
    return first_from(r, r->roots[tree], key, 0, need);
}

uint32_t hs_rooms_next(const struct hs_rooms *r, uint32_t tree, uint32_t thing, struct hs_room need)
{
    return first_from(r, r->roots[tree], r->nodes[thing].key, thing + 1, need);
}

static void widen(struct hs_room *most, const struct hs_room *room)
{
    most->all_mib = larger(most->all_mib, room->all_mib);
    most->kept_mib = larger(most->kept_mib, room->kept_mib);
}

/* From `key` on, before `end`; 0 and UINT64_MAX: all of the tree below `at`. */
static void widen_from(const struct hs_rooms *r, uint32_t at, uint64_t key, uint64_t end,
                       struct hs_room *most)
{
    while (at != HS_NO_ROOM) {
        const struct hs_rooms_node *node = &r->nodes[at];
        if (key == 0 && end == UINT64_MAX) {
            widen(most, &node->most);
            return;
        }
        bool is_in = node->key >= key && node->key < end;
        if (is_in) {
            widen(most, &node->room);
            widen_from(r, node->left, key, UINT64_MAX, most);
        }
        at = is_in || node->key < key ? node->right : node->left;
        key = is_in ? 0 : key; /* all to the right of one that is in are behind the key */
    }
}

struct hs_room hs_rooms_most(const struct hs_rooms *r, uint32_t tree, uint64_t key, uint64_t end)
{
    struct hs_room most = {0, 0};
    widen_from(r, r->roots[tree], key, end, &most);
    return most;
}
