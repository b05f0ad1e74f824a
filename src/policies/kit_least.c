/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_least.h: a heap-shaped array, node n over nodes 2n and 2n + 1.
 */
#include "policies/kit_least.h"

enum hs_status hs_least_init(struct hs_least *t, const struct hs_view *v, uint32_t count,
                             uint32_t below)
{
    t->size = 1;
    while (t->size < count)
        t->size *= 2;
    t->below = below;
    t->load = hs_view_alloc(v, 2 * (uint64_t)t->size * sizeof *t->load);
    t->room = hs_view_alloc(v, 2 * (uint64_t)t->size * sizeof *t->room);
    if (t->load == NULL || t->room == NULL)
        return HS_E_MEMORY;
    for (uint32_t n = 0; n < 2 * t->size; n++)
        t->load[n] = HS_LEAST_CLOSED;
    return HS_OK;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void hs_least_set(struct hs_least *t, uint32_t at, uint32_t load, const struct hs_room *room)
{
    uint32_t n = t->size + at;
    t->count += load < t->below;
    t->count -= t->load[n] < t->below;
    t->load[n] = load;
    t->room[n] = load < t->below ? *room : (struct hs_room){0};
    for (n /= 2; n > 0; n /= 2) {
        const uint32_t *two = &t->load[2 * n];
        const struct hs_room *rooms = &t->room[2 * n];
        t->load[n] = two[0] < two[1] ? two[0] : two[1];
        t->room[n] = (struct hs_room){.memory = larger(rooms[0].memory, rooms[1].memory),
                                      .time = larger(rooms[0].time, rooms[1].time)};
    }
}

struct hs_room hs_least_most(const struct hs_least *t)
{
    return t->room[1];
}

struct search {
    const struct hs_least *t;
    struct hs_room need;
    uint32_t best, at;
};

/* width: leaves below the node; first: the first of them. */
static void look_below(struct search *s, uint32_t n, uint32_t first, uint32_t width)
{
    const struct hs_least *t = s->t;
    if (t->room[n].memory < s->need.memory || t->room[n].time < s->need.time ||
        t->load[n] > s->best || (t->load[n] == s->best && first > s->at))
        return;
    if (width == 1) {
        s->best = t->load[n];
        s->at = first;
        return;
    }
    uint32_t half = width / 2;
    bool is_right_less = t->load[2 * n + 1] < t->load[2 * n];
    look_below(s, 2 * n + is_right_less, first + (is_right_less ? half : 0), half);
    look_below(s, 2 * n + !is_right_less, first + (is_right_less ? 0 : half), half);
}

uint32_t hs_least_first(const struct hs_least *t, const struct hs_room *need)
{
    struct search s = {.t = t, .need = *need, .best = t->below, .at = 0};
    if (t->count == 0)
        return HS_NO_GPU;
    look_below(&s, 1, 0, t->size);
    return s.best < t->below ? s.at : HS_NO_GPU;
}
