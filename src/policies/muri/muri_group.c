/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The groups of a decision of muri: which jobs come to the GPUs, and which interleave.
 */
#include "policies/muri/muri.h"

#include <math.h>
#include <string.h>

#define STAGES    3u
#define KIND_BITS 16 /* of a kind in hs_muri_group.kinds */
#define KIND_MASK UINT64_C(0xffff)

#define HASH_FACTOR UINT64_C(0x9E3779B97F4A7C15) /* 2^64 / golden ratio, Knuth, TAOCP 3, 6.4 */
#define NONE        UINT32_MAX
#define GAMMA_BITS  34 /* of the score of a group, which is at most 4 x iterations / period */

/* ---- the jobs that come to the GPUs ---- */

static void take(struct hs_muri *m, const struct hs_view *v, hs_job_id job)
{
    const uint32_t gang = hs_view_gpus(v, job);
    uint32_t g = 0;
    while (g < m->gang_count && m->gangs[g] != gang)
        g++;
    if (g == m->gang_count)
        m->gangs[m->gang_count++] = gang;
    for (int32_t i = 0; i < m->cap && job != HS_NO_JOB; i++) {
        struct hs_muri_scratch *j = hs_muri_of(v, job);
        j->is_taken = true;
        m->groups[m->count++] = (struct hs_muri_group){.members = {job},
                                                       .count = 1,
                                                       .gang = gang,
                                                       .anchor = HS_NO_JOB,
                                                       .kinds = j->kinds,
                                                       .sequence = j->kinds,
                                                       .ask = j->ask};
        job = j->next;
    }
}

/* Each job that fits alone on what the ones before it leave takes those with it that may share its
 * GPUs. Under compat=muri on an empty cluster, by placing; else by number. */
static void take_all(struct hs_muri *m, const struct hs_view *v, struct hs_plan *p, uint32_t vc,
                     uint64_t room)
{
    const struct hs_job_chain *list = &m->lists[vc];
    const uint32_t mark = hs_plan_mark(p);
    uint32_t place = 0;
    m->misfit = HS_NO_JOB;
    for (hs_job_id job = list->last; job != HS_NO_JOB; job = hs_muri_of(v, job)->chain.before) {
        struct hs_muri_scratch *j = hs_muri_of(v, job);
        hs_job_id *next = &m->last_of_gang[hs_view_gpus(v, job)];
        j->next = *next;
        *next = job;
        j->leads = NONE;
        j->is_taken = j->is_staying = j->is_claimed = false;
    }
    HS_EACH_CHAINED(job, list, v) {
        const uint32_t gang = hs_view_gpus(v, job);
        hs_muri_of(v, job)->place = place++;
        m->last_of_gang[gang] = HS_NO_JOB;
        if (hs_muri_of(v, job)->is_taken)
            continue;
        if (gang > room || (m->compat && !hs_place(v, p, job, m->placement))) {
            m->misfit = m->count == 0 && m->misfit == HS_NO_JOB ? job : m->misfit;
            continue;
        }
        room -= gang;
        take(m, v, job);
    }
    hs_plan_rollback(p, mark);
}

/* ---- which jobs interleave ---- */

/* The kinds of two groups as one. */
static uint64_t joint_kinds(uint64_t a, uint64_t b)
{
    uint64_t kinds = 0;
    for (uint32_t shift = 0; a != 0 || b != 0; shift += KIND_BITS) {
        uint64_t *larger = (a & KIND_MASK) > (b & KIND_MASK) ? &a : &b;
        kinds |= (*larger & KIND_MASK) << shift;
        *larger >>= KIND_BITS;
    }
    return kinds;
}

static int64_t period_ns(struct hs_muri *m, const struct hs_view *v, uint64_t kinds, bool is_worst)
{
    struct hs_muri_period *known =
        &m->periods[is_worst][kinds * HASH_FACTOR / (UINT64_MAX / HS_MURI_PERIODS + 1)];
    if (known->kinds != kinds) {
        uint32_t list[HS_INTERLEAVED_MOST], count = 0;
        for (uint64_t left = kinds; left != 0; left >>= KIND_BITS)
            list[count++] = (uint32_t)(left & KIND_MASK) - 1;
        *known = (struct hs_muri_period){kinds, hs_view_period_ns(v, list, count, is_worst)};
    }
    return known->ns;
}

/* A job whose memory was too much beside others stays alone. */
static bool may_share(const struct hs_muri_group *a, const struct hs_muri_group *b)
{
    return a->kinds != 0 && b->kinds != 0 && a->ask == b->ask;
}

/* Score of two groups as one: the mean share of the period in which each of four resources is in
 * use; 0 where they may not be one. */
static int64_t weight_of(struct hs_muri *m, const struct hs_view *v, const struct hs_muri_group *a,
                         const struct hs_muri_group *b)
{
    const uint32_t count = a->count + b->count;
    int64_t sum = 0;
    if (count > (uint32_t)m->cap || !may_share(a, b))
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        const hs_job_id job = i < a->count ? a->members[i] : b->members[i - a->count];
        for (uint32_t s = 0; s < STAGES; s++)
            sum += hs_muri_of(v, job)->iteration.stage_ns[s];
    }
    const double period = (double)period_ns(m, v, joint_kinds(a->kinds, b->kinds), m->order != 0) *
                          (double)hs_muri_of(v, a->members[0])->iteration.overhead_pm / 1000,
                 gamma = (double)sum / (4 * period);
    return gamma > m->lambda * count / 4 ? (int64_t)(gamma * (INT64_C(1) << GAMMA_BITS)) : 0;
}

static void merge(struct hs_muri_group *into, const struct hs_muri_group *other)
{
    into->kinds = joint_kinds(into->kinds, other->kinds);
    into->sequence |= other->sequence << KIND_BITS * into->count;
    for (uint32_t i = 0; i < other->count; i++)
        into->members[into->count++] = other->members[i];
}

/* Sorts groups from `from` of the bucket that may share into classes, as many as there is room for;
 * returns the first that is left. The class of each stands in .class. */
static uint32_t find_classes(struct hs_muri *m, uint32_t from, uint32_t count)
{
    uint32_t i = from, end = 0;
    uint32_t ends[HS_MATCH_CLASSES];
    for (m->class_count = 0; i < count; i++) {
        struct hs_muri_group *g = &m->groups[i];
        uint32_t class = 0;
        g->class = g->mate = NONE;
        if (g->kinds == 0 || g->count == (uint32_t)m->cap)
            continue;
        while (class < m->class_count &&
               (m->class[class].kinds != g->kinds || m->class[class].ask != g->ask))
            class ++;
        if (class == HS_MATCH_CLASSES)
            break;
        if (class == m->class_count)
            m->class[m->class_count++] = (struct hs_muri_class){g->kinds, g->ask, 0};
        m->class[class].size++;
        g->class = class;
    }
    for (uint32_t x = 0; x < m->class_count; x++) {
        ends[x] = end;
        end += (uint32_t)m->class[x].size;
    }
    for (uint32_t k = from; k < i; k++)
        if (m->groups[k].class != NONE)
            m->by_class[ends[m->groups[k].class]++] = k;
    return i;
}

static void solve(struct hs_muri *m, const struct hs_view *v)
{
    struct hs_match_classes *c = m->classes;
    const struct hs_muri_group *first[HS_MATCH_CLASSES];
    c->count = m->class_count;
    for (uint32_t x = 0, at = 0; x < c->count; at += c->size[x++]) {
        c->size[x] = (uint32_t)m->class[x].size;
        first[x] = &m->groups[m->by_class[at]];
        for (uint32_t y = 0; y <= x; y++)
            c->weight[x][y] = c->weight[y][x] = weight_of(m, v, first[x], first[y]);
    }
    (void)hs_match_classes_solve(&m->match, c);
    m->pair_count = 0;
    for (uint32_t x = 0; x < c->count; x++)
        for (uint32_t y = x; y < c->count; y++) {
            if (c->pairs[x][y] == 0)
                continue;
            uint32_t to = m->pair_count++; /* the heaviest first */
            for (; to > 0 && m->pairs[to - 1].weight < c->weight[x][y]; to--)
                m->pairs[to] = m->pairs[to - 1];
            m->pairs[to] =
                (struct hs_muri_pairs){c->weight[x][y], c->pairs[x][y], (uint16_t)x, (uint16_t)y};
        }
}

/* As before for the same classes, or anew. */
static void solve_once(struct hs_muri *m, const struct hs_view *v)
{
    const size_t bytes = m->class_count * sizeof *m->class;
    uint64_t hash = 0;
    for (uint32_t x = 0; x < m->class_count; x++) {
        hash = (hash ^ m->class[x].kinds ^ m->class[x].ask) * HASH_FACTOR;
        hash = (hash ^ hash >> 32 ^ m->class[x].size) * HASH_FACTOR;
    }
    struct hs_muri_solved *known = &m->solved[hash >> 32 & (HS_MURI_SOLVED - 1)];
    if (known->classes == m->class_count && memcmp(known->class, m->class, bytes) == 0) {
        m->pair_count = known->count;
        memcpy(m->pairs, known->pairs, known->count * sizeof *known->pairs);
        return;
    }
    solve(m, v);
    if (m->pair_count > HS_MURI_SOLVED_PAIRS)
        return;
    known->classes = m->class_count;
    known->count = m->pair_count;
    memcpy(known->class, m->class, bytes);
    memcpy(known->pairs, m->pairs, known->count * sizeof *known->pairs);
}

/* The single groups of the classes are by_class[first..end - 1] of each. */
struct singles {
    uint32_t first[HS_MATCH_CLASSES], end[HS_MATCH_CLASSES];
};

/* Pairs the last single group of the classes that have pairs left, of those of one weight, with
 * the first that may be its mate; false: none is left. */
static bool pair_last(struct hs_muri *m, struct singles *s, struct hs_muri_pairs *pairs,
                      uint32_t count)
{
    struct hs_muri_pairs *of = NULL;
    uint32_t own = 0, mate = NONE;
    for (uint32_t k = 0; k < count; k++) {
        if (pairs[k].count == 0)
            continue;
        const uint32_t a = m->by_class[s->end[pairs[k].a] - 1],
                       b = m->by_class[s->end[pairs[k].b] - 1];
        own = a > own ? a : own;
        own = b > own ? b : own;
    }
    const uint32_t x = m->groups[own].class;
    for (uint32_t k = 0; k < count; k++) {
        if (pairs[k].count == 0 || (pairs[k].a != x && pairs[k].b != x))
            continue;
        const uint32_t first = m->by_class[s->first[pairs[k].a == x ? pairs[k].b : pairs[k].a]];
        of = first < mate ? &pairs[k] : of;
        mate = first < mate ? first : mate;
    }
    if (of == NULL)
        return false;
    of->count--;
    s->end[x]--;
    s->first[m->groups[mate].class]++;
    m->groups[own].mate = mate;
    m->groups[mate].mate = own;
    return true;
}

/* Which groups of the classes: the heaviest pairs first, from the last group on the first that may
 * be its mate; our choice among equal ones. */
static void pair_classes(struct hs_muri *m)
{
    struct singles s;
    for (uint32_t x = 0, at = 0; x < m->class_count; x++) {
        s.first[x] = at;
        s.end[x] = at += (uint32_t)m->class[x].size;
    }
    for (uint32_t k = 0, next = 0; k < m->pair_count; k = next) {
        while (next < m->pair_count && m->pairs[next].weight == m->pairs[k].weight)
            next++;
        while (pair_last(m, &s, &m->pairs[k], next - k))
            ;
    }
}

/* ---- compat=muri: the matching of the released program (matching.py) ----
 *
 * Many pairs weigh the same. Its weights are sums of doubles, and their last bits decide. */

struct stage_times {
    double s[STAGES]; /* storage and CPU, GPU, network */
};

/* Period of one order, s, as in model/stages.h. */
static double order_period(const struct stage_times *const *order, uint32_t count)
{
    double f[2 * HS_INTERLEAVED_MOST + 1] = {0};
    for (uint32_t i = 0; i < 2 * HS_INTERLEAVED_MOST; i++) {
        if ((i + 1) % HS_INTERLEAVED_MOST < count)
            f[i + 1] = fmax(f[i + 1], f[i] + order[(i + 1) % HS_INTERLEAVED_MOST]->s[2]);
        if ((i + 2) % HS_INTERLEAVED_MOST < count)
            f[i + 1] = fmax(f[i + 1], f[i] + order[(i + 2) % HS_INTERLEAVED_MOST]->s[1]);
        if (i > 0 && (i + 3) % HS_INTERLEAVED_MOST < count)
            f[i + 1] = fmax(f[i + 1], f[i - 1] + order[(i + 3) % HS_INTERLEAVED_MOST]->s[0]);
        if (i < HS_INTERLEAVED_MOST)
            continue;
        const double now = f[i + 1] - f[i - 3], before = f[i] - f[i - 4];
        if (fabs(now - before) <= 1e-3 * fmax(now, before))
            return now;
    }
    return f[2 * HS_INTERLEAVED_MOST] - f[HS_INTERLEAVED_MOST];
}

/* The least or greatest over the orders of those from `from` on. */
static double extreme_period(const struct stage_times **order, uint32_t count, uint32_t from,
                             bool is_worst)
{
    if (from + 1 >= count)
        return order_period(order, count);
    double extreme = is_worst ? 0 : HUGE_VAL;
    for (uint32_t i = from; i < count; i++) {
        const struct stage_times *first = order[i];
        order[i] = order[from];
        order[from] = first;
        const double period = extreme_period(order, count, from + 1, is_worst);
        extreme = is_worst ? fmax(extreme, period) : fmin(extreme, period);
        order[from] = order[i];
        order[i] = first;
    }
    return extreme;
}

/* Score of two groups, as seen from the first: sums depend on the order of the members. */
static double released_score(const struct hs_muri *m, const struct hs_view *v,
                             const struct hs_muri_group *a, const struct hs_muri_group *b)
{
    static const double overhead[] = {1.015, 1.33 / 1.015, 1.5 / 1.015, 1.37 / 1.015}; /* jobs.py */
    struct stage_times times[2 * HS_INTERLEAVED_MOST];
    const struct stage_times *order[2 * HS_INTERLEAVED_MOST];
    double sum = 0;
    const uint32_t count = a->count + b->count;
    for (uint32_t i = 0; i < count; i++) {
        const hs_job_id job = i < a->count ? a->members[i] : b->members[i - a->count];
        for (uint32_t s = 0; s < STAGES; s++)
            times[i].s[s] = (double)hs_muri_of(v, job)->iteration.stage_ns[s] / 1e6 / 1000;
        sum += times[i].s[0] + times[i].s[1] + times[i].s[2];
        order[i] = &times[i];
    }
    double period = extreme_period(order, count, 0, m->order != 0);
    if (count == 2) {
        const double halves = fmax(times[0].s[0], times[1].s[1] + times[1].s[2]) +
                              fmax(times[1].s[0], times[0].s[1] + times[0].s[2]);
        period = m->order != 0 ? fmax(period, halves) : fmin(period, halves);
    }
    period *= overhead[count - 1];
    return sum / (period * 4);
}

static double released_weight(const struct hs_muri *m, const struct hs_view *v,
                              const struct hs_muri_group *a, const struct hs_muri_group *b)
{
    const uint32_t count = a->count + b->count;
    if (count > (uint32_t)m->cap || !may_share(a, b))
        return 0;
    const uint64_t sequence = a->sequence | b->sequence << KIND_BITS * a->count;
    struct hs_muri_score *known =
        &m->scores[sequence * HASH_FACTOR / (UINT64_MAX / HS_MURI_SCORES + 1)];
    if (known->sequence != sequence)
        *known = (struct hs_muri_score){sequence, released_score(m, v, a, b)};
    return known->gamma > m->lambda * count / 4 ? known->gamma : 0;
}

/* Group by group. Returns the first that is left. */
static uint32_t match_each(struct hs_muri *m, const struct hs_view *v, uint32_t from,
                           uint32_t count)
{
    count = count - from < m->match.most ? count - from : m->match.most;
    hs_match_begin(&m->match, count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            if (i != k)
                hs_match_arc(&m->match, i, k,
                             released_weight(m, v, &m->groups[from + i], &m->groups[from + k]));
    hs_match_solve(&m->match);
    for (uint32_t i = 0; i < count; i++) { /* rounding may spoil it: then a group stays single */
        const uint32_t mate = hs_match_mate(&m->match, i);
        const bool is_pair = mate != HS_NO_MATE && hs_match_mate(&m->match, mate) == i;
        m->groups[from + i].mate = is_pair ? from + mate : NONE;
    }
    return from + count;
}

/* ---- the groups of a bucket ---- */

/* Matches groups from `from` of the bucket, as far as their classes go. Returns the first group
 * that is left. */
static uint32_t match_part(struct hs_muri *m, const struct hs_view *v, uint32_t from,
                           uint32_t count)
{
    if (m->compat)
        return match_each(m, v, from, count);
    const uint32_t end = find_classes(m, from, count);
    solve_once(m, v);
    pair_classes(m);
    return end;
}

/* The groups are those in m->merged from now on. */
static void turn(struct hs_muri *m, uint32_t count)
{
    struct hs_muri_group *const kept = m->groups;
    m->groups = m->merged;
    m->merged = kept;
    m->count = count;
}

/* The merged groups of a bucket behind those of the buckets before it. */
static void pair_bucket(struct hs_muri *m, const struct hs_view *v, uint32_t from, uint32_t end,
                        uint32_t *merged, uint64_t *need, uint64_t room)
{
    for (uint32_t i = from; i<end && * need> room;)
        i = match_part(m, v, i, end);
    const bool is_matched = *need > room;
    for (uint32_t i = from; i < end; i++) {
        const struct hs_muri_group *own = &m->groups[i];
        const uint32_t mate = is_matched ? own->mate : NONE;
        if (mate != NONE && mate > i)
            continue;
        if (mate == NONE || *need <= room) {
            if (mate != NONE)
                m->merged[(*merged)++] = m->groups[mate];
            m->merged[(*merged)++] = *own;
            continue;
        }
        struct hs_muri_group *pair = &m->merged[(*merged)++];
        *pair = m->groups[mate];
        merge(pair, own);
        *need -= own->gang;
    }
}

/* Bucket by bucket, until the groups fit or none could be merged. */
static void pair_all(struct hs_muri *m, const struct hs_view *v, uint64_t need, uint64_t room)
{
    uint32_t merged = 0, before = UINT32_MAX;
    for (uint32_t g = 0; g < m->gang_count && need > room; g++)
        for (uint32_t i = 0; i < m->count; i++)
            if (m->groups[i].gang == m->gangs[g])
                m->merged[merged++] = m->groups[i];
    if (need > room)
        turn(m, merged);
    while (need > room && m->count < before) {
        before = m->count;
        merged = 0;
        for (uint32_t from = 0, end = 0; from < m->count; from = end) {
            while (end < m->count && m->groups[end].gang == m->groups[from].gang)
                end++;
            pair_bucket(m, v, from, end, &merged, &need, room);
        }
        turn(m, merged);
    }
}

/* Without a matching: each that fitted alone, with those that it took. */
static void pair_neighbours(struct hs_muri *m, uint64_t need, uint64_t room)
{
    uint32_t merged = 0;
    for (uint32_t i = 0; i < m->count;) {
        struct hs_muri_group group = m->groups[i];
        const uint32_t first = i++;
        for (; i < m->count && i < first + (uint32_t)m->cap && m->groups[i].gang == group.gang;
             i++) {
            if (need > room && may_share(&group, &m->groups[i])) {
                merge(&group, &m->groups[i]);
                need -= group.gang;
            } else {
                m->merged[merged++] = m->groups[i];
            }
        }
        m->merged[merged++] = group;
    }
    turn(m, merged);
}

/* A group that is slower than its members one after the other is none. */
static void unpack(struct hs_muri *m, const struct hs_view *v)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        const struct hs_muri_group *g = &m->groups[i];
        int64_t alone = 0;
        for (uint32_t k = 0; k < g->count; k++)
            alone += hs_muri_of(v, g->members[k])->iteration.alone_ns;
        if (g->count < 2 || period_ns(m, v, g->kinds, false) <= alone) {
            m->merged[count++] = *g;
            continue;
        }
        for (uint32_t k = 0; k < g->count; k++) {
            m->merged[count] = *g;
            m->merged[count].count = 1;
            m->merged[count++].members[0] = g->members[k];
        }
    }
    turn(m, count);
}

/* By their first member; under compat=muri by its key, equal ones as they are. */
static void sort(struct hs_muri *m, const struct hs_view *v, hs_job_id job)
{
    uint32_t *order = m->by_class, count = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        struct hs_muri_group *g = &m->groups[i];
        for (uint32_t k = 1; k < g->count; k++) { /* insertion sort */
            const hs_job_id member = g->members[k];
            uint32_t at = k;
            for (;
                 at > 0 && hs_muri_of(v, g->members[at - 1])->place > hs_muri_of(v, member)->place;
                 at--)
                g->members[at] = g->members[at - 1];
            g->members[at] = member;
        }
        hs_muri_of(v, g->members[0])->leads = i;
    }
    for (; job != HS_NO_JOB; job = hs_muri_of(v, job)->chain.after) {
        const struct hs_muri_scratch *j = hs_muri_of(v, job);
        uint32_t at = count;
        if (j->leads == NONE)
            continue;
        for (; m->compat && at > 0 && order[at - 1] > j->leads &&
               hs_muri_of(v, m->groups[order[at - 1]].members[0])->key == j->key;
             at--)
            order[at] = order[at - 1];
        order[at] = j->leads;
        count++;
    }
    for (uint32_t i = 0; i < m->count; i++)
        m->merged[i] = m->groups[order[i]];
    turn(m, m->count);
}

void hs_muri_group(struct hs_muri *m, const struct hs_view *v, struct hs_plan *p, uint32_t vc,
                   uint64_t room)
{
    uint64_t need = 0;
    m->count = m->gang_count = 0;
    take_all(m, v, p, vc, room);
    for (uint32_t i = 0; i < m->count; i++)
        need += m->groups[i].gang;
    if (m->matching == HS_MURI_NEIGHBOURS)
        pair_neighbours(m, need, room);
    else
        pair_all(m, v, need, room);
    if (m->is_unpacking)
        unpack(m, v);
    sort(m, v, m->lists[vc].first);
}
