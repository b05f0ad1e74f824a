/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The level of a number is that of the highest digit in which it differs from the base, and the
 * digit there says which pile. When the base moves to the beginning of the nearest pile, all levels
 * below are empty, and those above see no difference: only the jobs of that pile are laid out anew.
 */
#include "policies/kit_piles.h"

#define SMALL 32u /* jobs that are worth no finer piles */

struct pile {
    uint32_t level, digit;
};

static struct pile pile_of(const struct hs_piles *p, uint64_t number)
{
    const uint64_t differs = number ^ p->base;
    const uint32_t level = differs == 0 ? 0 : (63 - HS_CLZ64(differs)) / HS_PILE_BITS;
    return (struct pile){level, number >> level * HS_PILE_BITS & (HS_PILE_DIGITS - 1)};
}

/* The numbers of a pile but for the first, which is 0 in the digits of the level and below. */
static uint64_t width_of(uint32_t level)
{
    return (UINT64_C(1) << level * HS_PILE_BITS) - 1;
}

static uint64_t begin_of(const struct hs_piles *p, struct pile at)
{
    const uint64_t below = width_of(at.level) * HS_PILE_DIGITS + (HS_PILE_DIGITS - 1);
    return (p->base & ~below) | (uint64_t)at.digit << at.level * HS_PILE_BITS;
}

void hs_piles_begin(struct hs_piles *p, int64_t key, bool is_backwards)
{
    p->is_backwards = is_backwards;
    p->base = hs_pile_number(p, key);
    p->last = 0;
}

void hs_piles_add(struct hs_piles *p, struct hs_links links, hs_job_id job)
{
    struct hs_order_link *link = hs_link_at(links, job);
    const struct pile at = pile_of(p, hs_pile_number(p, link->key));
    uint32_t *first = &p->first[at.level][at.digit];
    link->parent = HS_ORDER_PILED;
    link->left = HS_NO_JOB;
    link->right = *first - 1;
    if (*first != 0)
        hs_link_at(links, *first - 1)->left = job;
    *first = job + 1;
    p->filled[at.level] |= (uint16_t)(1u << at.digit);
    p->count++;
}

void hs_piles_remove(struct hs_piles *p, struct hs_links links, hs_job_id job)
{
    const struct hs_order_link *link = hs_link_at(links, job);
    p->count--;
    if (link->right != HS_NO_JOB)
        hs_link_at(links, link->right)->left = link->left;
    if (link->left != HS_NO_JOB) {
        hs_link_at(links, link->left)->right = link->right;
        return;
    }
    const struct pile at = pile_of(p, hs_pile_number(p, link->key));
    p->first[at.level][at.digit] = link->right + 1;
    if (link->right == HS_NO_JOB)
        p->filled[at.level] &= (uint16_t) ~(1u << at.digit);
}

static uint32_t count_up_to(struct hs_links links, hs_job_id job, uint32_t most)
{
    uint32_t count = 0;
    for (; job != HS_NO_JOB && count < most; job = hs_link_at(links, job)->right)
        count++;
    return count;
}

static hs_job_id lift_nearest(struct hs_piles *p, struct pile *at)
{
    at->level = 0;
    while (p->filled[at->level] == 0)
        at->level++;
    at->digit = HS_CTZ64(p->filled[at->level]);
    p->filled[at->level] &= (uint16_t) ~(1u << at->digit);
    const hs_job_id first = p->first[at->level][at->digit] - 1;
    p->first[at->level][at->digit] = 0;
    return first;
}

hs_job_id hs_piles_take(struct hs_piles *p, struct hs_links links)
{
    for (;;) {
        struct pile at;
        const hs_job_id first = lift_nearest(p, &at);
        const uint64_t begin = begin_of(p, at);
        const uint32_t few = count_up_to(links, first, SMALL + 1);
        if (at.level == 0 || few <= SMALL) { /* on level 0 all have the same key */
            p->count -= few <= SMALL ? few : count_up_to(links, first, UINT32_MAX);
            p->last = begin + width_of(at.level);
            return first;
        }
        p->base = begin;
        for (hs_job_id job = first, next; job != HS_NO_JOB; job = next) {
            next = hs_link_at(links, job)->right;
            p->count--;
            hs_piles_add(p, links, job);
        }
    }
}

/* The first job of the first pile from that one on. */
static hs_job_id first_from(const struct hs_piles *p, struct pile at)
{
    uint32_t rest = (uint32_t)p->filled[at.level] >> at.digit << at.digit;
    while (rest == 0) {
        if (++at.level == HS_PILE_LEVELS)
            return HS_NO_JOB;
        rest = p->filled[at.level];
    }
    return p->first[at.level][HS_CTZ64(rest)] - 1;
}

hs_job_id hs_piles_another(const struct hs_piles *p, struct hs_links links, hs_job_id after)
{
    if (after == HS_NO_JOB)
        return first_from(p, (struct pile){0, 0});
    const struct hs_order_link *link = hs_link_at(links, after);
    if (link->right != HS_NO_JOB)
        return link->right;
    struct pile at = pile_of(p, hs_pile_number(p, link->key));
    at.digit++;
    return first_from(p, at);
}

static bool is_pile_valid(const struct hs_piles *p, struct hs_links links, struct pile at,
                          uint32_t *count)
{
    hs_job_id before = HS_NO_JOB;
    for (hs_job_id job = p->first[at.level][at.digit] - 1; job != HS_NO_JOB;) {
        const struct hs_order_link *link = hs_link_at(links, job);
        const uint64_t number = hs_pile_number(p, link->key);
        const struct pile wanted = pile_of(p, number);
        if (number < p->base || wanted.level != at.level || wanted.digit != at.digit ||
            link->left != before || link->parent != HS_ORDER_PILED || !link->is_linked)
            return false;
        before = job;
        job = link->right;
        (*count)++;
    }
    return (before != HS_NO_JOB) == (p->filled[at.level] >> at.digit & 1);
}

bool hs_piles_are_valid(const struct hs_piles *p, struct hs_links links)
{
    uint32_t count = 0;
    for (struct pile at = {0, 0}; at.level < HS_PILE_LEVELS; at.level++)
        for (at.digit = 0; at.digit < HS_PILE_DIGITS; at.digit++)
            if (!is_pile_valid(p, links, at, &count))
                return false;
    return count == p->count;
}
